//! The first stage: records become rows and marks, and a visitor sees their items. It knows nothing of histories
//! and runs on any number of threads.

use crate::dialect::Item;
use crate::format::{Format, FormatInfo, Mark, Probe, Record, Sink, Slice, TextUse, read_item};
use crate::formats::unsupported;
use crate::history::{Code, Finding, Flags, RepairAct, Row, codes};
use crate::json::edit::RecordBase;
use crate::json::scan::scan_line;
use crate::json::{Fault, FaultKind, Oddity, ScratchBuffers, Tape, Val, pointer, scan};
use crate::place::{DocId, Place};
use crate::source::damage::{self, DamageKind, EscapedText, RecoveredPart};
use crate::source::framing;
use crate::source::lines::line_len;

use super::batch::Batch;
use super::detect::{self, RecordReading};
use super::line::LineReading;
use super::{Options, ScannedRecord, Visitor, unrecognised};

/// Reads records. One per thread.
pub struct Stage<'o, V> {
    options: &'o Options,
    doc: DocId,
    pub reading: RecordReading,
    visitor: V,
    /// The format of the previous record.
    format: Option<&'static FormatInfo>,
    spare: ScratchBuffers,
    pub batch: Batch,
    /// Set on all items of the current record.
    flags: Flags,
    /// Records are lines or events, some of which may be of other kinds.
    in_lines: bool,
    /// Damaged lines are read as far as possible.
    recovers: bool,
    /// Offset of the last record, if the tape is a scan of its bytes in the doc.
    scanned_start: Option<u64>,
    /// Saves the tapes of lines, which are read again.
    saves_tapes: bool,
}

/// A tape that grew beyond this many nodes is shrunk.
const KEEP_NODES: usize = 1 << 20;

impl<'o, V: Visitor> Stage<'o, V> {
    pub fn new(options: &'o Options, visitor: V, doc: DocId, reading: RecordReading) -> Self {
        Stage {
            options,
            doc,
            reading,
            visitor,
            format: None,
            spare: ScratchBuffers::acquire(),
            batch: Batch::default(),
            flags: Flags::default(),
            in_lines: false,
            recovers: false,
            scanned_start: None,
            saves_tapes: false,
        }
    }

    /// Sets whether damaged lines are read as far as possible.
    pub fn recovering(self, recovers: bool) -> Self {
        Stage { recovers, ..self }
    }

    /// Sets whether the tapes of lines are saved.
    pub fn saving_tapes(self, saves_tapes: bool) -> Self {
        Stage { saves_tapes, ..self }
    }

    /// The batch, and the last record if `bytes` (at offset `from`) contain it as it was scanned.
    pub fn last_record<'s>(
        &'s mut self,
        bytes: &'s [u8],
        from: u64,
    ) -> (&'s mut Batch, Option<ScannedRecord<'s>>) {
        let Stage { batch, spare, scanned_start, .. } = self;
        let text = |start: u64| bytes.get(usize::try_from(start.checked_sub(from)?).ok()?..);
        let scanned =
            scanned_start.and_then(|start| Some(ScannedRecord { text: text(start)?, tape: &spare.tape, start }));
        (batch, scanned)
    }

    /// Reads one whole record. Returns the format that read it.
    pub fn read_record(&mut self, bytes: &[u8], start: u64, whole: Place) -> Option<&'static dyn Format> {
        let mut tape = std::mem::take(&mut self.spare.tape);
        let read = scan(bytes, &mut tape);
        let base = self.begin_record(bytes, start, tape.is_ascii());
        let format = match read {
            Ok(()) => self.read_scanned(&mut tape, bytes, base, whole, Slice::Whole),
            Err(fault) => {
                self.report_unreadable(fault, bytes, base);
                None
            }
        };
        self.end_record(tape);
        format
    }

    /// Reads one whole record, of which this is the tape, and keeps that as the tape of the last record in exchange for another.
    pub fn read_scanned_record(
        &mut self,
        tape: &mut Tape,
        bytes: &[u8],
        start: u64,
        whole: Place,
    ) -> Option<&'static dyn Format> {
        let mut own = std::mem::replace(tape, std::mem::take(&mut self.spare.tape));
        let base = self.begin_record(bytes, start, own.is_ascii());
        let format = self.read_scanned(&mut own, bytes, base, whole, Slice::Whole);
        self.end_record(own);
        self.scanned_start = Some(start);
        format
    }

    /// Reports a record that exceeds the maximum length and is not read.
    pub fn too_long(&mut self, at: u64) {
        self.batch.report_truncated();
        self.batch.record_findings.push(unrecognised::too_long(Place::new(self.doc, at, 0), self.batch.records));
        self.batch.broken = true;
        self.batch.records += 1;
    }

    /// Reads a message that was merged from events. `record` is the number of the first one.
    pub fn merged_message(&mut self, bytes: &[u8], start: u64, record: u32) {
        self.batch.records = record;
        let base = self.begin_record(bytes, start, true);
        let mut tape = std::mem::take(&mut self.spare.tape);
        if scan(bytes, &mut tape).is_ok() {
            self.read_scanned(&mut tape, bytes, base, base.place(0, bytes.len() as u32), Slice::Synthetic);
        }
        self.end_record(tape);
    }

    /// Reads a message that was translated from records. `record` is the number of the first one.
    pub fn translated_message(
        &mut self,
        bytes: &[u8],
        start: u64,
        record: u32,
        flags: Flags,
        info: &'static FormatInfo,
    ) {
        self.batch.records = record;
        let base = self.begin_record(bytes, start, true);
        let mut tape = std::mem::take(&mut self.spare.tape);
        if scan(bytes, &mut tape).is_ok()
            && let Some(val) = tape.root(bytes)
        {
            self.announce_format(info);
            let extent = base.of(val);
            let message = Record { number: record, val, base, extent, slice: Slice::Synthetic };
            let recorded = if info.records_responses { Flags::RECORDED } else { Flags::default() };
            read_item(info.dialect, val, &message, 0, flags | recorded, self);
        }
        self.end_record(tape);
    }

    /// Reads the record at the start of a text, up to the end of its line. `is_end`: the doc ends with the text.
    pub fn read_line(&mut self, text: &[u8], start: u64, is_end: bool) -> LineReading {
        self.in_lines = true;
        let mut tape = std::mem::take(&mut self.spare.tape);
        let place = |len: usize| Place::new(self.doc, start, (len + usize::from(len < text.len())) as u32);
        let is_known = self.batch.tapes.restore(start, &mut tape);
        let len = if is_known { Some(line_len(text)) } else { scan_line(text, &mut tape).map(|len| len as usize) };
        let Some(len) = len else {
            let len = line_len(text);
            let line = text.get(..len).unwrap_or(text);
            if self.recovers && scan(line, &mut tape).is_err() {
                self.spare.tape = tape;
                return self.damaged_lines(text, start, is_end);
            }
            self.spare.tape = tape;
            let whole = place(len);
            return LineReading::single(len, self.read_record(line, start, whole));
        };
        let whole = place(len);
        let base = self.begin_record(text.get(..len).unwrap_or(text), start, tape.is_ascii());
        let format = self.read_scanned(&mut tape, text, base, whole, Slice::Whole);
        if self.saves_tapes {
            self.batch.tapes.save(start, &tape);
        }
        self.end_record(tape);
        self.scanned_start = Some(start);
        LineReading::single(len, format)
    }

    /// Reads an event on several lines; `None` if the first line is one by itself.
    pub fn multiline_event(&mut self, text: &[u8], start: u64) -> Option<LineReading> {
        let mut tape = std::mem::take(&mut self.spare.tape);
        let joined = match scan_line(text, &mut tape) {
            Some(_) => None,
            None => framing::join_event_lines(text, start).filter(|(plain, _)| scan(plain, &mut tape).is_ok()),
        };
        let Some((plain, runs)) = joined else {
            self.spare.tape = tape;
            return None;
        };
        self.in_lines = true;
        self.begin_record(text, start, false);
        let whole = Place::new(self.doc, start, text.len() as u32);
        let base = RecordBase::of_runs(self.doc, &runs);
        let format = self.read_scanned(&mut tape, &plain, base, whole, Slice::Whole);
        self.end_record(tape);
        Some(LineReading::multiline(text.len(), format))
    }

    /// Reads the values in damaged lines.
    fn damaged_lines(&mut self, text: &[u8], start: u64, is_end: bool) -> LineReading {
        let found = damage::recover(text, is_end, &|val| self.is_record(val));
        if found.needs_more {
            return LineReading { needs_more: true, ..LineReading::multiline(0, None) };
        }
        self.batch.search_references(text.get(..found.len).unwrap_or(text));
        let whole = Place::new(self.doc, start, (found.len + usize::from(found.len < text.len())) as u32);
        for one in &found.damages {
            let len = match one.kind {
                DamageKind::TruncatedPrefix | DamageKind::NulBytes => {
                    u32::try_from(one.span.len()).unwrap_or(u32::MAX)
                }
                DamageKind::GluedValues | DamageKind::ControlCharacters => 1,
            };
            let at = Place::new(self.doc, start + one.first as u64, len);
            let row = Row::of_place(at, self.batch.records);
            let variant = match one.kind {
                DamageKind::NulBytes if is_end && one.span.end == text.len() => 1,
                DamageKind::NulBytes if found.parts.is_empty() => 0,
                DamageKind::NulBytes => 2,
                _ => 0,
            };
            let finding = Finding::new(code_of(one.kind), row).variant(variant).arg(one.count);
            self.batch.record_findings.push(finding.with_partner(whole).act(RepairAct::RepairText));
        }
        let mut format = None;
        let many = found.parts.len() > 1;
        for part in found.parts {
            let read = match part {
                RecoveredPart::Value(span, escaped) => {
                    let at = start + span.start as u64;
                    let place = if many { Place::new(self.doc, at, span.len() as u32) } else { whole };
                    self.recovered_value(text.get(span).unwrap_or_default(), at, place, escaped)
                }
                RecoveredPart::Unreadable(span, fault) => {
                    let lost = text.get(span.clone()).unwrap_or_default();
                    let base = self.begin_record(lost, start + span.start as u64, false);
                    self.report_unreadable(Fault { at: fault.at - span.start as u32, ..fault }, lost, base);
                    if let Some(truncated) = &mut self.batch.truncated {
                        let end = if found.len < text.len() { whole.end() } else { start + found.len as u64 };
                        truncated.partner =
                            Some(Place::new(self.doc, base.offset(0), (end - base.offset(0)) as u32));
                    }
                    self.batch.records += 1;
                    None
                }
            };
            format = format.or(read);
        }
        LineReading::multiline(found.len, format)
    }

    /// Reads a value of a damaged line. It is not edited before the line is repaired.
    fn recovered_value(
        &mut self,
        bytes: &[u8],
        start: u64,
        whole: Place,
        escaped: Option<EscapedText>,
    ) -> Option<&'static dyn Format> {
        self.begin_record(bytes, start, false);
        self.flags.set(Flags::FROZEN | Flags::DAMAGED);
        let runs = escaped.as_ref().map(|escaped| escaped.runs_from(start)).unwrap_or_default();
        let (text, base) = match &escaped {
            Some(escaped) => (&escaped.text[..], RecordBase::of_runs(self.doc, &runs)),
            None => (bytes, RecordBase::new(self.doc, start)),
        };
        let mut tape = std::mem::take(&mut self.spare.tape);
        let format = scan(text, &mut tape).ok();
        let format = format.and_then(|()| self.read_scanned(&mut tape, text, base, whole, Slice::Whole));
        self.end_record(tape);
        format
    }

    /// True if a value is a record of the document.
    fn is_record(&self, root: Val<'_>) -> bool {
        let Some(val) = pointer::resolve(root, &self.options.pointer) else { return false };
        match self.reading {
            RecordReading::Format(format) => format.accepts(val) && format.detect(&Probe::new(val)) > 0,
            RecordReading::Each => {
                self.options.format.or_else(|| detect::of_record(val, self.options.dialect)).is_some()
            }
            RecordReading::Document => false,
        }
    }

    /// `ascii`: the bytes are known to be ASCII.
    fn begin_record<'b>(&mut self, bytes: &[u8], start: u64, ascii: bool) -> RecordBase<'b> {
        let base = RecordBase::new(self.doc, start);
        self.batch.report_truncated();
        self.flags = Flags::default();
        self.scanned_start = None;
        if !ascii {
            self.check_utf8(bytes, base);
        }
        base
    }

    fn read_scanned(
        &mut self,
        tape: &mut Tape,
        bytes: &[u8],
        base: RecordBase<'_>,
        whole: Place,
        slice: Slice<'_>,
    ) -> Option<&'static dyn Format> {
        let from = self.batch.record_findings.len();
        self.batch.may_refer |= tape.has_replaylint_ref();
        if tape.is_odd() {
            self.oddities(tape, base);
        }
        let odd = self.batch.record_findings.len();
        let root = tape.root(bytes)?;
        let format = self.read_value(root, base, whole, slice);
        if odd > from
            && let Some(format) = format
        {
            let rest = self.batch.record_findings.split_off(odd);
            let found = self.batch.record_findings.split_off(from).into_iter();
            self.batch.record_findings.extend(found.filter_map(|finding| unsendable(format, root, base, finding)));
            self.batch.record_findings.extend(rest);
        }
        format
    }

    fn end_record(&mut self, mut tape: Tape) {
        tape.shrink(KEEP_NODES);
        self.spare.tape = tape;
        self.batch.records += 1;
    }

    /// Reads a scanned record, or a part of a large one.
    pub fn read_value(
        &mut self,
        root: Val<'_>,
        base: RecordBase<'_>,
        extent: Place,
        slice: Slice<'_>,
    ) -> Option<&'static dyn Format> {
        let steps = if slice == Slice::Synthetic { &[][..] } else { &self.options.pointer };
        let Some(val) = pointer::resolve(root, steps) else {
            self.unrecognised(root, base);
            return None;
        };
        let format = match self.reading {
            RecordReading::Format(format) => Some(format),
            RecordReading::Each => self.options.format.or_else(|| detect::of_record(val, self.options.dialect)),
            RecordReading::Document => detect::of_document(val, self.options.dialect),
        };
        let Some(format) = format else {
            self.unrecognised(val, base);
            return None;
        };
        if self.in_lines && matches!(self.reading, RecordReading::Format(_)) && !format.accepts(val) {
            self.foreign_record(base.of(val));
            return Some(format);
        }
        self.announce_format(format.info());
        let before = self.batch.rows.len();
        let record = Record { number: self.batch.records, val, base, extent, slice };
        format.layout().read(&record, self);
        // A format named by the user was not detected.
        if self.options.format.is_some()
            && slice == Slice::Whole
            && self.batch.rows.len() == before
            && !format.info().histories.span_records()
            && format.detect(&Probe::new(val)) == 0
        {
            self.foreign_record(base.of(val));
        }
        Some(format)
    }

    /// Announces the format of the next items to the visitor.
    fn announce_format(&mut self, info: &'static FormatInfo) {
        if !self.format.is_some_and(|before| std::ptr::eq(before, info)) {
            self.format = Some(info);
            self.visitor.begin(info);
        }
    }

    /// Reports a record that no format recognises.
    pub fn unrecognised(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        let row = Row::of_place(base.of(val), self.batch.records);
        self.batch.record_findings.push(unrecognised::unrecognised_record(unsupported::find_row(val), row));
    }

    /// Reports a record of another format than its neighbours; the history may lack its content.
    fn foreign_record(&mut self, at: Place) {
        let row = Row::of_place(at, self.batch.records);
        self.batch.record_findings.push(unrecognised::foreign_record(row));
        self.batch.broken = true;
    }

    /// Reports bytes that are not UTF-8.
    pub fn check_utf8(&mut self, bytes: &[u8], base: RecordBase<'_>) {
        if simdutf8::basic::from_utf8(bytes).is_err()
            && let Err(error) = simdutf8::compat::from_utf8(bytes)
        {
            let at = error.valid_up_to() as u32;
            let len = error.error_len().unwrap_or(bytes.len() - at as usize) as u32;
            let row = Row::of_place(base.place(at, at + len), self.batch.records);
            self.batch
                .record_findings
                .push(Finding::new(codes::INVALID_UTF8, row).never("the intended character is not known"));
            self.flags = Flags::FROZEN;
        }
    }

    /// Reports duplicate keys and lone surrogates.
    pub fn oddities(&mut self, tape: &mut Tape, base: RecordBase<'_>) {
        for &(oddity, at) in tape.oddities() {
            let (code, len) = match oddity {
                Oddity::DuplicateKey => (codes::DUPLICATE_KEY, 1),
                Oddity::LoneSurrogate => (codes::LONE_SURROGATE, 6),
            };
            let row = Row::of_place(base.place(at, at + len), self.batch.records);
            self.batch.record_findings.push(Finding::new(code, row).never("the intended text is not known"));
        }
    }

    /// True for a line that is not JSON, but whose id and parent can be read.
    fn is_linked(&self, line: &[u8]) -> bool {
        let RecordReading::Format(format) = self.reading else { return false };
        // With several values on a line, the readable ones would be lost.
        let is_line = line.trim_ascii_start().starts_with(b"{");
        is_line && format.info().placeholder.is_some_and(|placeholder| placeholder(line).is_some())
    }

    fn report_unreadable(&mut self, fault: Fault, bytes: &[u8], base: RecordBase<'_>) {
        self.batch.search_references(bytes);
        let at = base.offset(fault.at.min(bytes.len() as u32));
        let row = Row::of_place(Place::new(self.doc, at, u32::from(u64::from(fault.at) < bytes.len() as u64)), 0);
        let row = Row { record: self.batch.records, ..row };
        let what = fault.kind as u32;
        let finding = Finding::new(codes::INVALID_JSON, row).arg(what).never("the intended text is not known");
        self.batch.truncated = Some(finding);
        self.batch.keeps_chain = self.in_lines && self.is_linked(bytes);
        if fault.kind != FaultKind::EndsEarly {
            self.batch.report_truncated();
        }
    }
}

/// The rule that reports damage.
fn code_of(kind: DamageKind) -> Code {
    match kind {
        DamageKind::GluedValues => codes::SHARED_LINE,
        DamageKind::TruncatedPrefix => codes::RECORD_AFTER_TRUNCATED_ONE,
        DamageKind::ControlCharacters => codes::RAW_CONTROL_CHARACTER,
        DamageKind::NulBytes => codes::NUL_BYTES,
    }
}

/// Adjusts the finding of a lone surrogate by whether the format sends its text; `None` if it does not.
fn unsendable(
    format: &'static dyn Format,
    record: Val<'_>,
    base: RecordBase<'_>,
    finding: Finding,
) -> Option<Finding> {
    let at = base.relative(finding.row.at.start).filter(|_| finding.code == codes::LONE_SURROGATE);
    match at.map_or(TextUse::Sent, |at| format.info().text_use(record, at)) {
        TextUse::Sent => Some(finding),
        TextUse::Replaceable => Some(finding.variant(1).act(RepairAct::ReplaceCharacter)),
        TextUse::Unsent => None,
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

    fn report(&mut self, finding: Finding) {
        self.batch.items.push(finding);
    }

    fn newest_first(&self) -> Option<bool> {
        self.options.newest_first
    }
}
