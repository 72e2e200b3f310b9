//! The first stage: records become rows and marks, and a visitor sees their items. It knows no history and runs on any
//! number of threads.

use crate::dialect::Item;
use crate::format::{Format, FormatInfo, Mark, Probe, Record, Sink, Slice, TextAt, read_item};
use crate::formats::unread;
use crate::history::{Act, Code, Finding, Flags, Row, codes};
use crate::json::edit::Base;
use crate::json::scan::scan_line;
use crate::json::{Fault, Oddity, Spare, Tape, Val, What, pointer, scan};
use crate::place::{DocId, Place};
use crate::source::damage::{self, Escaped, Kind, Part};
use crate::source::framing;

use super::batch::Batch;
use super::detect::{self, Reading};
use super::line::Line;
use super::{Options, Scanned, Visitor, unknown};

/// Reads records. One a thread.
pub struct Stage<'o, V> {
    options: &'o Options,
    doc: DocId,
    reading: Reading,
    visitor: V,
    /// The format of the record before.
    format: Option<&'static FormatInfo>,
    spare: Spare,
    pub batch: Batch,
    /// Set on all items of the record at hand.
    flags: Flags,
    /// Records are lines or events: one of another kind may be among them.
    in_lines: bool,
    /// Damaged lines are read as far as they can be.
    recovers: bool,
    /// Where the record begins that was read last, if the tape holds it as it stands in the doc.
    plain: Option<u64>,
}

/// A tape that grew beyond this many nodes for one record is given back.
const KEEP_NODES: usize = 1 << 20;

impl<'o, V: Visitor> Stage<'o, V> {
    pub fn new(options: &'o Options, visitor: V, doc: DocId, reading: Reading) -> Self {
        Stage {
            options,
            doc,
            reading,
            visitor,
            format: None,
            spare: Spare::take(),
            batch: Batch::default(),
            flags: Flags::default(),
            in_lines: false,
            recovers: false,
            plain: None,
        }
    }

    /// The records are lines of a store: damaged ones are read as far as they can be.
    pub fn recovering(self, recovers: bool) -> Self {
        Stage { recovers, ..self }
    }

    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// What was read; and the record that was read last, if these bytes of the doc hold it as it was scanned.
    pub fn last<'s>(&'s mut self, bytes: &'s [u8], from: u64) -> (&'s mut Batch, Option<Scanned<'s>>) {
        let Stage { batch, spare, plain, .. } = self;
        let text = |start: u64| bytes.get(usize::try_from(start.checked_sub(from)?).ok()?..);
        let scanned = plain.and_then(|start| Some(Scanned { text: text(start)?, tape: &spare.tape, start }));
        (batch, scanned)
    }

    /// Reads one whole record. Returns the format that read it.
    pub fn record(&mut self, bytes: &[u8], start: u64, whole: Place) -> Option<&'static dyn Format> {
        let mut tape = std::mem::take(&mut self.spare.tape);
        let read = scan(bytes, &mut tape);
        let base = self.begin_record(bytes, start, tape.is_ascii());
        let format = match read {
            Ok(()) => self.scanned(&mut tape, bytes, base, whole, Slice::Whole),
            Err(fault) => {
                self.unreadable(fault, bytes, base);
                None
            }
        };
        self.end_record(tape);
        format
    }

    /// A record is longer than records may be: it is not read.
    pub fn too_long(&mut self, at: u64) {
        self.batch.damage_cut();
        self.batch.raised.push(unknown::too_long(Place::new(self.doc, at, 0), self.batch.records));
        self.batch.broken = true;
        self.batch.records += 1;
    }

    /// Reads what was made of a doc, by the number of the record that it begins in.
    pub fn made(&mut self, bytes: &[u8], start: u64, record: u32) {
        self.batch.records = record;
        let base = self.begin_record(bytes, start, true);
        let mut tape = std::mem::take(&mut self.spare.tape);
        if scan(bytes, &mut tape).is_ok() {
            self.scanned(&mut tape, bytes, base, base.place(0, bytes.len() as u32), Slice::Made);
        }
        self.end_record(tape);
    }

    /// Reads a message that was made of records, by the number of the one that it begins in.
    pub fn message(&mut self, bytes: &[u8], start: u64, record: u32, info: &'static FormatInfo) {
        self.batch.records = record;
        let base = self.begin_record(bytes, start, true);
        let mut tape = std::mem::take(&mut self.spare.tape);
        if scan(bytes, &mut tape).is_ok()
            && let Some(val) = tape.root(bytes)
        {
            self.prepare(info);
            let whole = base.of(val);
            let message = Record { number: record, val, base, whole, slice: Slice::Made };
            let flags = if info.records_responses { Flags::RECORDED } else { Flags::default() };
            read_item(info.dialect, val, &message, 0, flags, self);
        }
        self.end_record(tape);
    }

    /// Reads the record that a text starts with, up to the end of its line. `is_end` says that nothing follows the text.
    pub fn line(&mut self, text: &[u8], start: u64, is_end: bool) -> Line {
        self.in_lines = true;
        let mut tape = std::mem::take(&mut self.spare.tape);
        let place = |len: usize| Place::new(self.doc, start, (len + usize::from(len < text.len())) as u32);
        let Some(len) = scan_line(text, &mut tape).map(|len| len as usize) else {
            let len = memchr::memchr(b'\n', text).unwrap_or(text.len());
            let line = text.get(..len).unwrap_or(text);
            if self.recovers && scan(line, &mut tape).is_err() {
                self.spare.tape = tape;
                return self.damaged(text, start, is_end);
            }
            self.spare.tape = tape;
            let whole = place(len);
            return Line::one(len, self.record(line, start, whole));
        };
        let whole = place(len);
        let base = self.begin_record(text.get(..len).unwrap_or(text), start, tape.is_ascii());
        let format = self.scanned(&mut tape, text, base, whole, Slice::Whole);
        self.end_record(tape);
        self.plain = Some(start);
        Line::one(len, format)
    }

    /// Reads an event whose text is spread over these lines, unless the first of them is one by itself.
    pub fn event(&mut self, text: &[u8], start: u64) -> Option<Line> {
        let mut tape = std::mem::take(&mut self.spare.tape);
        let joined = match scan_line(text, &mut tape) {
            Some(_) => None,
            None => framing::joined(text, start).filter(|(plain, _)| scan(plain, &mut tape).is_ok()),
        };
        let Some((plain, runs)) = joined else {
            self.spare.tape = tape;
            return None;
        };
        self.in_lines = true;
        self.begin_record(text, start, false);
        let whole = Place::new(self.doc, start, text.len() as u32);
        let base = Base::of_runs(self.doc, &runs);
        let format = self.scanned(&mut tape, &plain, base, whole, Slice::Whole);
        self.end_record(tape);
        Some(Line::several(text.len(), format))
    }

    /// Reads what there is in damaged lines.
    fn damaged(&mut self, text: &[u8], start: u64, is_end: bool) -> Line {
        self.batch.may_refer = true;
        let found = damage::recover(text, is_end, &|val| self.is_one(val));
        if found.starved {
            return Line { starved: true, ..Line::several(0, None) };
        }
        let whole = Place::new(self.doc, start, (found.len + usize::from(found.len < text.len())) as u32);
        for one in &found.damages {
            let len = match one.kind {
                Kind::Prefix | Kind::Nul => u32::try_from(one.span.len()).unwrap_or(u32::MAX),
                Kind::Glued | Kind::Control => 1,
            };
            let at = Place::new(self.doc, start + one.first as u64, len);
            let row = Row::of_place(at, self.batch.records);
            let variant = match one.kind {
                Kind::Nul if is_end && one.span.end == text.len() => 1,
                Kind::Nul if found.parts.is_empty() => 0,
                Kind::Nul => 2,
                _ => 0,
            };
            let finding = Finding::new(code_of(one.kind), row).variant(variant).arg(one.count);
            self.batch.raised.push(finding.with(whole).act(Act::Text));
        }
        let mut format = None;
        let many = found.parts.len() > 1;
        for part in found.parts {
            let read = match part {
                Part::Value(span, escaped) => {
                    let at = start + span.start as u64;
                    let place = if many { Place::new(self.doc, at, span.len() as u32) } else { whole };
                    self.recovered(text.get(span).unwrap_or_default(), at, place, escaped)
                }
                Part::Lost(span, fault) => {
                    let lost = text.get(span.clone()).unwrap_or_default();
                    let base = self.begin_record(lost, start + span.start as u64, false);
                    self.unreadable(Fault { at: fault.at - span.start as u32, ..fault }, lost, base);
                    if let Some(cut) = &mut self.batch.cut {
                        let end = if found.len < text.len() { whole.end() } else { start + found.len as u64 };
                        cut.partner = Some(Place::new(self.doc, base.offset(0), (end - base.offset(0)) as u32));
                    }
                    self.batch.records += 1;
                    None
                }
            };
            format = format.or(read);
        }
        Line::several(found.len, format)
    }

    /// Reads a value of a damaged line. What lies in it is not edited before the line is repaired.
    fn recovered(
        &mut self,
        bytes: &[u8],
        start: u64,
        whole: Place,
        escaped: Option<Escaped>,
    ) -> Option<&'static dyn Format> {
        self.begin_record(bytes, start, false);
        self.flags.set(Flags::FROZEN | Flags::DAMAGED);
        let runs = escaped.as_ref().map(|escaped| escaped.runs_from(start)).unwrap_or_default();
        let (text, base) = match &escaped {
            Some(escaped) => (&escaped.text[..], Base::of_runs(self.doc, &runs)),
            None => (bytes, Base::new(self.doc, start)),
        };
        let mut tape = std::mem::take(&mut self.spare.tape);
        let format = scan(text, &mut tape).ok();
        let format = format.and_then(|()| self.scanned(&mut tape, text, base, whole, Slice::Whole));
        self.end_record(tape);
        format
    }

    /// Whether a value is a record of the document.
    fn is_one(&self, root: Val<'_>) -> bool {
        let Some(val) = pointer::resolve(root, &self.options.pointer) else { return false };
        match self.reading {
            Reading::By(format) => format.knows(val) && format.detect(&Probe::new(val)) > 0,
            Reading::Each => {
                self.options.format.or_else(|| detect::of_record(val, self.options.dialect)).is_some()
            }
            Reading::Document => false,
        }
    }

    /// `ascii` says that the bytes are known to be.
    fn begin_record<'b>(&mut self, bytes: &[u8], start: u64, ascii: bool) -> Base<'b> {
        let base = Base::new(self.doc, start);
        self.batch.damage_cut();
        self.flags = Flags::default();
        self.plain = None;
        if !ascii {
            self.check_utf8(bytes, base);
        }
        base
    }

    fn scanned(
        &mut self,
        tape: &mut Tape,
        bytes: &[u8],
        base: Base<'_>,
        whole: Place,
        slice: Slice<'_>,
    ) -> Option<&'static dyn Format> {
        let from = self.batch.raised.len();
        self.batch.may_refer |= tape.is_noted();
        if tape.is_odd() {
            self.oddities(tape, base);
        }
        let odd = self.batch.raised.len();
        let root = tape.root(bytes)?;
        let format = self.value(root, base, whole, slice);
        if odd > from
            && let Some(format) = format
        {
            let rest = self.batch.raised.split_off(odd);
            let found = self.batch.raised.split_off(from).into_iter();
            self.batch.raised.extend(found.filter_map(|finding| unsendable(format, root, base, finding)));
            self.batch.raised.extend(rest);
        }
        format
    }

    fn end_record(&mut self, mut tape: Tape) {
        tape.shrink(KEEP_NODES);
        self.spare.tape = tape;
        self.batch.records += 1;
    }

    /// Reads a scanned record, or a part of a large one.
    pub fn value(
        &mut self,
        root: Val<'_>,
        base: Base<'_>,
        whole: Place,
        slice: Slice<'_>,
    ) -> Option<&'static dyn Format> {
        let steps = if slice == Slice::Made { &[][..] } else { &self.options.pointer };
        let Some(val) = pointer::resolve(root, steps) else {
            self.unknown(root, base);
            return None;
        };
        let format = match self.reading {
            Reading::By(format) => Some(format),
            Reading::Each => self.options.format.or_else(|| detect::of_record(val, self.options.dialect)),
            Reading::Document => detect::of_document(val, self.options.dialect),
        };
        let Some(format) = format else {
            self.unknown(val, base);
            return None;
        };
        if self.in_lines && matches!(self.reading, Reading::By(_)) && !format.knows(val) {
            self.stranger(base.of(val));
            return Some(format);
        }
        self.prepare(format.info());
        let before = self.batch.rows.len();
        let record = Record { number: self.batch.records, val, base, whole, slice };
        format.layout().read(&record, self);
        // A format that was named by the user has not looked at the record.
        if self.options.format.is_some()
            && slice == Slice::Whole
            && self.batch.rows.len() == before
            && !format.info().histories.span_records()
            && format.detect(&Probe::new(val)) == 0
        {
            self.stranger(base.of(val));
        }
        Some(format)
    }

    /// Tells the visitor whose items follow.
    fn prepare(&mut self, info: &'static FormatInfo) {
        if !self.format.is_some_and(|before| std::ptr::eq(before, info)) {
            self.format = Some(info);
            self.visitor.begin(info);
        }
    }

    /// The record is of no format.
    fn unknown(&mut self, val: Val<'_>, base: Base<'_>) {
        let row = Row::of_place(base.of(val), self.batch.records);
        self.batch.raised.push(unknown::looks_like(unread::of(val), row));
    }

    /// The record is not one of its neighbours': what it holds may be missed elsewhere.
    fn stranger(&mut self, at: Place) {
        let row = Row::of_place(at, self.batch.records);
        self.batch.raised.push(unknown::stranger(row));
        self.batch.broken = true;
    }

    /// Bytes that are not UTF-8, and where.
    pub fn check_utf8(&mut self, bytes: &[u8], base: Base<'_>) {
        if simdutf8::basic::from_utf8(bytes).is_err()
            && let Err(error) = simdutf8::compat::from_utf8(bytes)
        {
            let at = error.valid_up_to() as u32;
            let len = error.error_len().unwrap_or(bytes.len() - at as usize) as u32;
            let row = Row::of_place(base.place(at, at + len), self.batch.records);
            self.batch
                .raised
                .push(Finding::new(codes::INVALID_UTF8, row).never("the intended character is not known"));
            self.flags = Flags::FROZEN;
        }
    }

    /// Duplicate keys and lone surrogates.
    pub fn oddities(&mut self, tape: &mut Tape, base: Base<'_>) {
        for &(oddity, at) in tape.oddities() {
            let (code, len) = match oddity {
                Oddity::DuplicateKey => (codes::DUPLICATE_KEY, 1),
                Oddity::LoneSurrogate => (codes::LONE_SURROGATE, 6),
            };
            let row = Row::of_place(base.place(at, at + len), self.batch.records);
            self.batch.raised.push(Finding::new(code, row).never("the intended text is not known"));
        }
    }

    /// A line that is not JSON, but shows what it is called and what it follows.
    fn is_linked(&self, line: &[u8]) -> bool {
        let Reading::By(format) = self.reading else { return false };
        // Of several values on a line, those that can be read would go.
        let is_line = line.trim_ascii_start().starts_with(b"{");
        is_line && format.info().placeholder.is_some_and(|placeholder| placeholder(line).is_some())
    }

    fn unreadable(&mut self, fault: Fault, bytes: &[u8], base: Base<'_>) {
        self.batch.may_refer = true;
        let at = base.offset(fault.at.min(bytes.len() as u32));
        let row = Row::of_place(Place::new(self.doc, at, u32::from(u64::from(fault.at) < bytes.len() as u64)), 0);
        let row = Row { record: self.batch.records, ..row };
        let what = fault.what as u32;
        let finding = Finding::new(codes::INVALID_JSON, row).arg(what).never("the intended text is not known");
        self.batch.cut = Some(finding);
        self.batch.keeps_chain = self.in_lines && self.is_linked(bytes);
        if fault.what != What::EndsEarly {
            self.batch.damage_cut();
        }
    }
}

/// The rule that reports damage.
fn code_of(kind: Kind) -> Code {
    match kind {
        Kind::Glued => codes::SHARED_LINE,
        Kind::Prefix => codes::RECORD_AFTER_TRUNCATED_ONE,
        Kind::Control => codes::RAW_CONTROL_CHARACTER,
        Kind::Nul => codes::NUL_BYTES,
    }
}

/// Half of a surrogate pair, in a record of a format that knows which texts are sent.
fn unsendable(format: &'static dyn Format, record: Val<'_>, base: Base<'_>, finding: Finding) -> Option<Finding> {
    let at = base.relative(finding.row.at.start).filter(|_| finding.code == codes::LONE_SURROGATE);
    match at.map_or(TextAt::Sent, |at| format.info().text_at(record, at)) {
        TextAt::Sent => Some(finding),
        TextAt::Replaceable => Some(finding.variant(1).act(Act::Replace)),
        TextAt::Unsent => None,
    }
}

impl<V: Visitor> Sink for Stage<'_, V> {
    fn item(&mut self, mut item: Item<'_>) {
        item.row.flags.set(self.flags);
        self.visitor.item(&mut item, &mut self.batch.items);
        self.batch.rows.push(item.row);
    }

    fn mark(&mut self, mark: Mark) {
        self.batch.marks.push((self.batch.rows.len() as u32, mark));
    }

    fn find(&mut self, finding: Finding) {
        self.batch.items.push(finding);
    }

    fn newest_first(&self) -> Option<bool> {
        self.options.newest_first
    }
}
