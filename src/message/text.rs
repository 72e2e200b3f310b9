//! JSON that is copied and seldom read: texts with their escapes, and raw values. Those of a store know their origin, range
//! by range, so that what is written of them can be traced back.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use smallvec::smallvec;

use crate::json::edit::RecordBase;
use crate::json::provenance::{
    Provenance, ProvenanceRun, ProvenanceRuns, ProvenanceSpan, TracedText, ValueOrigin,
};
use crate::json::{NodeKind, Str, Val, string};
use crate::place::Place;

use super::spill::{SpillBytes, SpillStore};

/// The text between the quotes of a JSON string. Escapes are kept, so that it can be written and joined with others without
/// being decoded. Two texts are equal if their bytes are, whatever their origin.
#[derive(Clone, Debug, Default)]
pub struct Text(SpillBytes);

impl Text {
    /// From plain text.
    pub fn new(plain: &str) -> Self {
        Text::of_raw(string::escaped(plain).into_bytes())
    }

    /// From the escaped text between quotes.
    pub fn of_raw(raw: impl Into<Box<[u8]>>) -> Self {
        Text(SpillBytes::new(raw))
    }

    /// From a JSON string.
    pub fn of(text: Str<'_>) -> Self {
        Text::of_raw(text.raw)
    }

    /// From a value, if it is a string.
    pub fn of_val(val: Val<'_>) -> Option<Self> {
        val.as_str().map(Text::of)
    }

    pub fn of_runs(raw: impl Into<Box<[u8]>>, whole: Place, runs: ProvenanceRuns) -> Self {
        Text(SpillBytes::with_origin(raw, ValueOrigin { whole, runs }))
    }

    /// A copy of a string of a store; `None` for any other value.
    pub fn copied(val: Val<'_>, base: RecordBase<'_>) -> Option<Self> {
        let text = val.as_str()?;
        Some(Text::copied_range(val, 0, text.raw.len(), base))
    }

    /// A copy of a range of a string of a store, by offsets between the quotes.
    pub fn copied_range(val: Val<'_>, from: usize, to: usize, base: RecordBase<'_>) -> Self {
        let inner = val.as_str().and_then(|text| text.raw.get(from..to)).unwrap_or_default();
        let start = val.start() + 1 + from as u32;
        let place = base.place(start, start + inner.len() as u32);
        let run = ProvenanceRun { at: 0, from: place, provenance: Provenance::Copied };
        Text::of_runs(inner, base.of(val), if inner.is_empty() { smallvec![] } else { smallvec![run] })
    }

    /// A copy of a string of a store; for any other value, its JSON as a text.
    pub fn of_json(val: Val<'_>, base: RecordBase<'_>) -> Self {
        let spelled = || Text::respelled(&string::lossy(val.raw()), base.of(val));
        Text::copied(val, base).unwrap_or_else(spelled)
    }

    /// A synthetic text. A problem in it is reported at this place.
    pub fn synthetic(plain: &str, at: Place) -> Self {
        Text::of_runs(string::escaped(plain).into_bytes(), at, smallvec![])
    }

    /// The value at this place in another spelling.
    pub fn respelled(plain: &str, at: Place) -> Self {
        let run = ProvenanceRun { at: 0, from: at, provenance: Provenance::Respelled };
        let end = ProvenanceRun { provenance: Provenance::Named, ..run };
        Text::of_runs(string::escaped(plain).into_bytes(), at, smallvec![run, end])
    }

    /// The text between the quotes.
    pub fn raw(&self) -> Cow<'_, [u8]> {
        self.0.bytes()
    }

    /// The text without escapes.
    pub fn plain(&self) -> Cow<'_, [u8]> {
        let raw = self.raw();
        match memchr::memchr(b'\\', &raw) {
            Some(_) => Cow::Owned(string::decode(&raw)),
            None => raw,
        }
    }

    /// The same as a string; invalid UTF-8 becomes U+FFFD.
    pub fn to_plain_string(&self) -> String {
        string::lossy(&self.plain()).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.size() == 0
    }

    /// True if its escaped text is this.
    pub fn is(&self, raw: &str) -> bool {
        *self.raw() == *raw.as_bytes()
    }

    /// Bytes between the quotes.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// True if it is empty or white space.
    pub fn is_blank(&self) -> bool {
        let Some(raw) = self.0.in_memory() else { return false };
        let shown = raw.first().is_some_and(|b| !b.is_ascii_whitespace() && *b != b'\\');
        !shown && self.plain().trim_ascii().is_empty()
    }

    /// Several texts as one, separated by `between` (escaped as in JSON).
    pub fn join<'t>(texts: impl IntoIterator<Item = &'t Text>, between: &str) -> Text {
        let mut joined = Vec::new();
        let mut origin: Option<ValueOrigin> = None;
        for (n, text) in texts.into_iter().enumerate() {
            let end = joined.len();
            if n > 0 {
                joined.extend_from_slice(between.as_bytes());
            }
            if let (Some(all), None) = (&mut origin, text.origin()) {
                all.runs.push(ProvenanceRun { at: offset(end), from: all.whole, provenance: Provenance::Named });
            }
            if let Some(own) = text.origin() {
                let all = origin.get_or_insert_with(|| ValueOrigin { whole: own.whole, runs: smallvec![] });
                let named = |at| ProvenanceRun { at, from: own.whole, provenance: Provenance::Named };
                all.runs.push(named(offset(end)));
                let start = offset(joined.len());
                all.runs
                    .extend(own.runs.iter().map(|run| ProvenanceRun { at: start.saturating_add(run.at), ..*run }));
            }
            joined.extend_from_slice(&text.raw());
        }
        match origin {
            Some(origin) => Text(SpillBytes::with_origin(joined, origin)),
            None => Text::of_raw(joined),
        }
    }

    /// A range of it, by offsets between the quotes.
    pub fn slice(&self, from: usize, to: usize) -> Text {
        let raw = self.raw();
        let inner = raw.get(from..to).unwrap_or_default();
        let Some(origin) = self.origin() else { return Text::of_raw(inner) };
        let (from, to) = (offset(from), offset(to));
        let mut runs = ProvenanceRuns::new();
        for run in origin.runs.iter().filter(|run| run.at < to) {
            let skipped = from.saturating_sub(run.at);
            let place = match run.provenance {
                Provenance::Copied if skipped < run.from.len => {
                    Place { start: run.from.start + u64::from(skipped), len: run.from.len - skipped, ..run.from }
                }
                Provenance::Copied if skipped > 0 => continue,
                _ => run.from,
            };
            runs.push(ProvenanceRun { at: run.at.saturating_sub(from), from: place, provenance: run.provenance });
        }
        // Of runs that begin before the range only the last one reaches into it.
        let first =
            runs.iter().rposition(|run| run.at == 0 && run.provenance != Provenance::Respelled).unwrap_or(0);
        runs.drain(..first);
        if let Some(last) = runs.last_mut().filter(|last| last.provenance == Provenance::Copied) {
            last.from.len = last.from.len.min(to.saturating_sub(from).saturating_sub(last.at));
        }
        Text::of_runs(inner, origin.whole, runs)
    }

    /// Spills a long text.
    pub fn spill(&mut self, store: &SpillStore) {
        // Blank texts stay in memory, so that `is_blank` need not read the file.
        if !self.is_blank() {
            self.0.spill(store);
        }
    }

    /// The same text, reported at another place.
    pub fn reported_at(self, whole: Place) -> Text {
        let runs = self.origin().map(|origin| origin.runs.clone()).unwrap_or_default();
        Text::of_runs(&*self.raw(), whole, runs)
    }

    /// Where it came from; `None` if that is not known.
    pub fn origin(&self) -> Option<&ValueOrigin> {
        self.0.origin()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// The text of any JSON value.
#[derive(Clone, Debug)]
pub struct RawJson(SpillBytes);

impl RawJson {
    pub fn of(val: Val<'_>) -> Self {
        RawJson::new(val.raw())
    }

    pub fn new(json: impl Into<Box<[u8]>>) -> Self {
        RawJson(SpillBytes::new(json))
    }

    /// A copy of a value of a store, on one line.
    pub fn copied(val: Val<'_>, base: RecordBase<'_>) -> Self {
        let (mut json, mut runs) = (Vec::with_capacity(val.raw().len()), ProvenanceRuns::new());
        copy(val, base, LEVELS, &mut json, &mut runs);
        RawJson::of_runs(json, base.of(val), runs)
    }

    /// A synthetic value. A problem in it is reported at this place.
    pub fn synthetic(json: &str, at: Place) -> Self {
        RawJson::of_runs(json.as_bytes(), at, smallvec![])
    }

    /// JSON, and the origin of its ranges.
    pub fn of_runs(json: impl Into<Box<[u8]>>, whole: Place, runs: ProvenanceRuns) -> Self {
        RawJson(SpillBytes::with_origin(json, ValueOrigin { whole, runs }))
    }

    /// JSON that was written, and its origin.
    pub fn of_written(written: TracedText, whole: Place) -> Self {
        let run = |span: &ProvenanceSpan| ProvenanceRun {
            at: offset(span.at as usize),
            from: span.from,
            provenance: span.provenance,
        };
        RawJson::of_runs(written.text, whole, written.spans.iter().map(run).collect())
    }

    pub fn bytes(&self) -> Cow<'_, [u8]> {
        self.0.bytes()
    }

    /// True if it is this literal.
    pub fn is(&self, json: &str) -> bool {
        *self.bytes() == *json.as_bytes()
    }

    /// The first byte.
    pub fn first(&self) -> Option<u8> {
        self.0.first()
    }

    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Its value, if it is a number.
    pub fn number(&self) -> Option<f64> {
        std::str::from_utf8(&self.bytes()).ok()?.parse().ok()
    }

    /// Spills a long value.
    pub fn spill(&mut self, store: &SpillStore) {
        self.0.spill(store);
    }

    /// Where it came from; `None` if that is not known.
    pub fn origin(&self) -> Option<&ValueOrigin> {
        self.0.origin()
    }

    /// Its JSON on one line, as a text.
    pub fn to_text(&self) -> Text {
        let bytes = self.bytes();
        let mut line = Vec::new();
        let json = match memchr::memchr2(b'\n', b'\r', &bytes) {
            Some(_) => {
                string::one_line(&bytes, &mut line);
                &line
            }
            None => &*bytes,
        };
        let raw = string::escaped(&string::lossy(json)).into_bytes();
        match self.origin() {
            Some(origin) => Text::of_runs(raw, origin.whole, origin.respelled().collect()),
            None => Text::of_raw(raw),
        }
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for RawJson {}

/// Values that are nested deeper are copied as a whole: the stack is finite.
const LEVELS: u32 = 256;

/// Appends a value and its origin: one run for all of it, unless it is on several lines, or its record was itself put
/// together from several places.
fn copy(val: Val<'_>, base: RecordBase<'_>, levels: u32, json: &mut Vec<u8>, runs: &mut ProvenanceRuns) {
    let mut from = |json: &[u8], from: Place, provenance| {
        runs.push(ProvenanceRun { at: offset(json.len()), from, provenance })
    };
    let is_whole = base.is_linear() && memchr::memchr2(b'\n', b'\r', val.raw()).is_none();
    let Some(levels) = levels.checked_sub(1).filter(|_| !is_whole) else {
        from(json, base.of(val), Provenance::Copied);
        return json.extend_from_slice(val.raw());
    };
    let ends: [u8; 2] = match val.kind() {
        NodeKind::Object => *b"{}",
        NodeKind::Array => *b"[]",
        NodeKind::String => {
            from(json, base.of(val), Provenance::Named);
            json.push(b'"');
            from(json, base.place(val.start() + 1, val.end() - 1), Provenance::Copied);
            return json.extend_from_slice(val.raw().get(1..).unwrap_or_default());
        }
        _ => {
            from(json, base.of(val), Provenance::Copied);
            return json.extend_from_slice(val.raw());
        }
    };
    from(json, base.of(val), Provenance::Named);
    json.push(ends[0]);
    let mut comma = false;
    let mut next = |json: &mut Vec<u8>| json.extend(std::mem::replace(&mut comma, true).then_some(b','));
    for member in val.members() {
        next(json);
        json.extend([b"\"", member.key.raw, b"\":"].concat());
        copy(member.val, base, levels, json, runs);
    }
    for element in val.elements() {
        next(json);
        copy(element, base, levels, json, runs);
    }
    json.push(ends[1]);
}

fn offset(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
