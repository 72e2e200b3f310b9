//! Recovery of damaged lines. A line that does not parse may contain two values, a value after a truncated one,
//! raw control characters within strings (a raw line feed spreads the value over several lines), or runs of NUL
//! bytes. Recovery finds the values, the damage that keeps them from being lines of their own, and the edits that
//! undo it. It runs only on lines that the scanner rejects.

use std::ops::Range;

use crate::json::{Fault, FaultKind, Tape, Val, scan, scan_prefix};

/// Limits, in bytes and lines, of a value that is spread over several lines.
pub const MOST_JOINED: usize = 4 << 20;
const MOST_LINES: usize = 1000;

/// A kind of damage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DamageKind {
    /// Two values share a line.
    GluedValues,
    /// A truncated value precedes another one on the line.
    TruncatedPrefix,
    /// A string contains raw control characters.
    ControlCharacters,
    /// NUL bytes between, before or after values.
    NulBytes,
}

/// A damaged span: for [`DamageKind::GluedValues`] empty, at the start of the second value; for [`DamageKind::ControlCharacters`]
/// the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    pub kind: DamageKind,
    pub span: Range<usize>,
    /// Offset to report: of the first control character, else of the span.
    pub first: usize,
    /// Number of control characters.
    pub count: u32,
}

/// A part of the text of damaged lines.
#[derive(Debug)]
pub enum RecoveredPart {
    /// A value, with its repaired text if its own cannot be parsed.
    Value(Range<usize>, Option<EscapedText>),
    /// Text that cannot be read, up to the end of its line, and why.
    Unreadable(Range<usize>, Fault),
}

/// The contents of a damaged line, or of the lines over which its values are spread.
#[derive(Debug, Default)]
pub struct RecoveredLines {
    /// Length of the lines, without the last line end.
    pub len: usize,
    pub parts: Vec<RecoveredPart>,
    pub damages: Vec<Damage>,
    /// The text ends within a string that may continue in the rest of the document.
    pub needs_more: bool,
}

/// A text with the raw control characters in its strings escaped.
#[derive(Debug, Default)]
pub struct EscapedText {
    pub text: Vec<u8>,
    /// Runs of bytes: (offset in the escaped text, offset in the original).
    pub runs: Vec<(u32, u32)>,
    /// Offsets of the control characters in the original.
    pub controls: Vec<u32>,
    /// End of the value in the original.
    end: usize,
}

impl EscapedText {
    /// Escapes a text that consists of one value; `None` if it is still not JSON.
    pub fn of(text: &[u8]) -> Option<EscapedText> {
        let escaped = escape(text, true).ok().filter(|escaped| escaped.end == text.len())?;
        scan(&escaped.text, &mut Tape::new()).is_ok().then_some(escaped)
    }

    /// The runs as offsets in the document, where the text starts at `start`.
    pub fn runs_from(&self, start: u64) -> Vec<(u32, u64)> {
        self.runs.iter().map(|(escaped, own)| (*escaped, start + u64::from(*own))).collect()
    }

    fn original(&self, at: u32) -> usize {
        let run = self.runs.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        self.runs.get(run).map_or(0, |(from, own)| (own + (at - from)) as usize)
    }
}

/// Reads the damaged lines that a text starts with. `is_end`: the document ends with the text. `is_record` is true for
/// records of the document; only such values are looked for after a truncated one.
pub fn recover(text: &[u8], is_end: bool, is_record: &dyn Fn(Val<'_>) -> bool) -> RecoveredLines {
    Recovery { text, is_end, is_record, tape: Tape::new(), found: RecoveredLines::default() }.run()
}

/// The edits that undo damage in these lines: ranges and their replacements.
pub fn edits(text: &[u8], damage: &Damage) -> Vec<(Range<usize>, Vec<u8>)> {
    match damage.kind {
        DamageKind::GluedValues => {
            let end: &[u8] = if text.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
            vec![(damage.span.clone(), end.to_vec())]
        }
        DamageKind::TruncatedPrefix | DamageKind::NulBytes => vec![(damage.span.clone(), Vec::new())],
        DamageKind::ControlCharacters => {
            let Ok(escaped) = escape(slice(text, damage.span.clone()), true) else { return Vec::new() };
            let edit = |at: &u32| {
                let at = damage.span.start + *at as usize;
                Some((at..at + 1, escape_of(*text.get(at)?)))
            };
            escaped.controls.iter().filter_map(edit).collect()
        }
    }
}

impl Damage {
    /// For a truncated value: what follows it gets a line of its own, and the value stays.
    pub fn separated(self) -> Damage {
        Damage { kind: DamageKind::GluedValues, span: self.span.end..self.span.end, ..self }
    }
}

/// A slice of a text; empty if out of range.
fn slice(text: &[u8], span: Range<usize>) -> &[u8] {
    text.get(span).unwrap_or_default()
}

struct Recovery<'t> {
    text: &'t [u8],
    is_end: bool,
    is_record: &'t dyn Fn(Val<'_>) -> bool,
    tape: Tape,
    found: RecoveredLines,
}

/// The reason why no value was read.
enum ValueError {
    /// The fault, and the offset of the one that remains after control characters are escaped.
    At(Fault, Option<usize>),
    NeedsMore,
}

impl Recovery<'_> {
    fn run(mut self) -> RecoveredLines {
        let (mut at, mut line_end) = (0, self.line_end(0));
        let mut value_end: Option<usize> = None;
        loop {
            at = self.skip_space(at, line_end);
            if at == line_end {
                break;
            }
            let nul = run_of_nul(slice(self.text, at..line_end));
            if nul > 0 {
                let end = at + nul;
                self.add_damage(DamageKind::NulBytes, at..end);
                at = end;
                continue;
            }
            let (start, value) = match self.value(at, line_end) {
                Ok(value) => (at, value),
                Err(ValueError::NeedsMore) => {
                    self.found.needs_more = true;
                    return self.found;
                }
                Err(ValueError::At(fault, second)) => match self.after_prefix(at, line_end, fault, second) {
                    Some(found) => found,
                    None => {
                        self.add_unreadable(at, line_end, fault, value_end);
                        break;
                    }
                },
            };
            if value_end.is_some() {
                self.add_damage(DamageKind::GluedValues, at..at);
            }
            if start > at {
                self.add_damage(DamageKind::TruncatedPrefix, at..start);
            }
            at = value.0;
            if let Some(escaped) = &value.1 {
                let first = start + escaped.controls.first().map_or(0, |at| *at as usize);
                let count = escaped.controls.len() as u32;
                self.found.damages.push(Damage {
                    kind: DamageKind::ControlCharacters,
                    span: start..at,
                    first,
                    count,
                });
            }
            self.found.parts.push(RecoveredPart::Value(start..at, value.1));
            value_end = Some(at);
            if at > line_end {
                line_end = self.line_end(at);
            }
        }
        self.found.len = line_end;
        // A line of nothing but NUL bytes is removed with its line end.
        if let ([], [only]) = (self.found.parts.as_slice(), self.found.damages.as_mut_slice())
            && only.kind == DamageKind::NulBytes
        {
            only.span = 0..(line_end + 1).min(self.text.len());
        }
        self.found
    }

    /// Adds the rest of a line as unreadable.
    fn add_unreadable(&mut self, at: usize, line_end: usize, fault: Fault, value_end: Option<usize>) {
        if value_end.is_some() && self.text.get(at) != Some(&b'{') {
            // Whatever this is, the values before it are not lines of a store.
            let whole = 0..line_end;
            self.found = RecoveredLines::default();
            self.found
                .parts
                .push(RecoveredPart::Unreadable(whole, Fault { kind: FaultKind::TrailingText, at: at as u32 }));
            return;
        }
        if value_end.is_some() {
            self.add_damage(DamageKind::GluedValues, at..at);
        }
        let nul = slice(self.text, at..line_end).iter().rev().take_while(|byte| **byte == 0).count();
        let end = line_end - nul;
        // Text followed by NUL bytes ends where these begin.
        let fault = match scan_prefix(slice(self.text, at..end), &mut self.tape) {
            Err(own) if nul > 0 => Fault { at: own.at + at as u32, ..own },
            _ => fault,
        };
        self.found.parts.push(RecoveredPart::Unreadable(at..end, fault));
        if nul > 0 {
            self.add_damage(DamageKind::NulBytes, line_end - nul..line_end);
        }
    }

    fn add_damage(&mut self, kind: DamageKind, span: Range<usize>) {
        self.found.damages.push(Damage { kind, first: span.start, span, count: 1 });
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', slice(self.text, at..self.text.len())).map_or(self.text.len(), |n| at + n)
    }

    fn skip_space(&self, at: usize, end: usize) -> usize {
        at + slice(self.text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// The end of the value at an offset, and its text if control characters had to be escaped. Only objects
    /// count: no store has lines of anything else.
    fn value(&mut self, at: usize, line_end: usize) -> Result<(usize, Option<EscapedText>), ValueError> {
        let line = slice(self.text, at..line_end);
        let is_object = line.first() == Some(&b'{');
        let scanned = match is_object {
            true => scan_prefix(line, &mut self.tape),
            false => scan(line, &mut self.tape).map(|()| line.len() as u32),
        };
        let fault = match scanned {
            Ok(end) if is_object => return Ok((at + end as usize, None)),
            Ok(_) => Fault { kind: FaultKind::NoValue, at: at as u32 },
            Err(fault) => Fault { at: fault.at + at as u32, ..fault },
        };
        if !is_object || !matches!(fault.kind, FaultKind::ControlCharacter | FaultKind::EndsEarly) {
            return Err(ValueError::At(fault, None));
        }
        match escape(slice(self.text, at..self.text.len()), self.is_end) {
            Ok(escaped) => match scan(&escaped.text, &mut self.tape) {
                Ok(()) => Ok((at + escaped.end, Some(escaped))),
                Err(second) => Err(ValueError::At(fault, Some(at + escaped.original(second.at)))),
            },
            Err(EscapeError::NeedsMore) => Err(ValueError::NeedsMore),
            Err(EscapeError::At(second)) => Err(ValueError::At(fault, Some(at + second))),
        }
    }

    /// The value that begins where a truncated one ends. The scanner fails right there: at the value's first byte,
    /// or two bytes later where its first quote ends a truncated string.
    fn after_prefix(
        &mut self,
        at: usize,
        line_end: usize,
        fault: Fault,
        second: Option<usize>,
    ) -> Option<(usize, (usize, Option<EscapedText>))> {
        if self.text.get(at) != Some(&b'{') {
            return None;
        }
        for near in [fault.at as usize, second.unwrap_or(line_end)] {
            let nul = self.text.get(near..line_end).map_or(0, run_of_nul);
            for start in near.saturating_sub(2).max(at + 1)..(near + nul + 7).min(line_end) {
                if let Some(value) = self.record_at(start, line_end) {
                    return Some((start, value));
                }
            }
        }
        // A value truncated where another one may begin swallows the next record; look for a record that begins
        // with the same key.
        if fault.kind != FaultKind::EndsEarly {
            return None;
        }
        let first_key = slice(self.text, at..line_end).iter().take(80).enumerate();
        let end = first_key.filter(|(_, byte)| **byte == b'"').nth(1)?.0;
        let (token, rest) = (self.text.get(at..at + end + 1)?, self.text.get(at + 1..line_end)?);
        let hits: Vec<usize> = memchr::memmem::find_iter(rest, token).take(16).collect();
        hits.into_iter().find_map(|hit| {
            let start = at + 1 + hit;
            Some((start, self.record_at(start, line_end)?))
        })
    }

    /// The value at an offset, if it is a record of the document and only other values follow on the line.
    fn record_at(&mut self, start: usize, line_end: usize) -> Option<(usize, Option<EscapedText>)> {
        if !slice(self.text, start..self.text.len()).starts_with(b"{\"") {
            return None;
        }
        let value = self.value(start, line_end).ok()?;
        let text = value.1.as_ref().map_or(slice(self.text, start..value.0), |escaped| &escaped.text);
        let end = if value.0 > line_end { self.line_end(value.0) } else { line_end };
        let next = self.skip_space(value.0, end);
        let ends = next == end || matches!(self.text.get(next), Some(0 | b'{'));
        (ends && self.tape.root(text).is_some_and(|val| (self.is_record)(val))).then_some(value)
    }
}

fn run_of_nul(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == 0).count()
}

enum EscapeError {
    /// The offset at which the text stops being JSON, or exceeds the limits.
    At(usize),
    /// The text ends within a string.
    NeedsMore,
}

/// The object that a text starts with, with its control characters escaped.
fn escape(text: &[u8], is_end: bool) -> Result<EscapedText, EscapeError> {
    let mut out = EscapedText { runs: vec![(0, 0)], ..EscapedText::default() };
    let (mut depth, mut in_string, mut lines) = (0usize, false, 0);
    let mut at = 0;
    let mut kept = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' if in_string => {
                in_string = false;
                // In a truncated value a string ends too early: no comma or bracket follows.
                let mut rest = text.iter().skip(at + 1);
                let next = rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                if !matches!(next, None | Some(b',' | b':' | b'}' | b']')) {
                    return Err(EscapeError::At(at + 1));
                }
            }
            b'"' => in_string = true,
            // A backslash before a raw control character is no escape, and must not become one.
            b'\\' if in_string && text.get(at + 1).is_some_and(|next| *next < b' ') => {
                return Err(EscapeError::At(at));
            }
            b'\\' if in_string => at += 1,
            0..=0x1f if in_string => {
                lines += usize::from(byte == b'\n');
                if byte == b'\n' && (lines == MOST_LINES || at > MOST_JOINED) {
                    return Err(EscapeError::At(at));
                }
                out.text.extend_from_slice(slice(text, kept..at));
                out.runs.push((out.text.len() as u32, at as u32));
                out.text.extend_from_slice(&escape_of(byte));
                out.controls.push(at as u32);
                kept = at + 1;
                out.runs.push((out.text.len() as u32, kept as u32));
            }
            b'\n' => return Err(EscapeError::At(at)),
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    out.end = at + 1;
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if out.end == 0 {
        let more = in_string && !is_end && at <= MOST_JOINED;
        return Err(if more { EscapeError::NeedsMore } else { EscapeError::At(text.len()) });
    }
    if out.end > MOST_JOINED && lines > 0 {
        return Err(EscapeError::At(out.end));
    }
    out.text.extend_from_slice(slice(text, kept..out.end));
    Ok(out)
}

/// The JSON escape of a control character.
pub fn escape_of(byte: u8) -> Vec<u8> {
    match byte {
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        b'\t' => b"\\t".to_vec(),
        0x08 => b"\\b".to_vec(),
        0x0c => b"\\f".to_vec(),
        byte => format!("\\u{byte:04x}").into_bytes(),
    }
}
