//! The first stage: records become rows and marks, and a visitor sees their items. It knows no history and runs on any
//! number of threads.

use crate::dialect::Item;
use crate::format::{Assembler, Format, FormatInfo, Mark, Probe, Record, Sink, Slice, TextAt};
use crate::formats::unread;
use crate::history::{Act, Finding, Flags, History, Row, codes};
use crate::json::edit::Base;
use crate::json::scan::scan_line;
use crate::json::{Fault, Oddity, Tape, Val, What, pointer, scan};
use crate::place::{DocId, Place};

use super::detect::{self, Reading};
use super::{Options, Visitor, unknown};

/// What one stretch of records gave.
#[derive(Default)]
pub struct Batch {
    pub rows: Vec<Row>,
    /// (number of rows before it, mark)
    pub marks: Vec<(u32, Mark)>,
    /// Findings on items, in the order of the doc.
    pub items: Vec<Finding>,
    /// Findings on records and bytes.
    pub raised: Vec<Finding>,
    pub records: u32,
    /// The last record ends early: it is cut if it is the last one of the doc, else damaged.
    pub cut: Option<Finding>,
    /// A record could not be read.
    pub broken: bool,
}

/// Reads records. One a thread.
pub struct Stage<'o, V> {
    options: &'o Options,
    doc: DocId,
    reading: Reading,
    visitor: V,
    /// The format of the record before.
    format: Option<&'static FormatInfo>,
    tape: Tape,
    pub batch: Batch,
    /// Set on all items of the record at hand.
    flags: Flags,
    /// Records are lines or events: one of another kind may be among them.
    in_lines: bool,
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
            tape: Tape::new(),
            batch: Batch::default(),
            flags: Flags::default(),
            in_lines: false,
        }
    }

    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Reads one whole record. `valid` says that its bytes are known to be UTF-8. Returns the format that read it.
    pub fn record(&mut self, bytes: &[u8], start: u64, whole: Place, valid: bool) -> Option<&'static dyn Format> {
        let base = self.begin_record(bytes, start, valid);
        let mut tape = std::mem::take(&mut self.tape);
        let format = match scan(bytes, &mut tape) {
            Ok(()) => self.scanned(&mut tape, bytes, base, whole),
            Err(fault) => {
                self.unreadable(fault, bytes, base);
                None
            }
        };
        self.end_record(tape);
        format
    }

    /// Reads the record that a text starts with, up to the end of its line. Returns the line's length without its end,
    /// and the format that read it.
    pub fn line(&mut self, text: &[u8], start: u64, valid: bool) -> (usize, Option<&'static dyn Format>) {
        self.in_lines = true;
        let mut tape = std::mem::take(&mut self.tape);
        let place = |len: usize| Place::new(self.doc, start, (len + usize::from(len < text.len())) as u32);
        let Some(len) = scan_line(text, &mut tape).map(|len| len as usize) else {
            self.tape = tape;
            let len = memchr::memchr(b'\n', text).unwrap_or(text.len());
            let whole = place(len);
            return (len, self.record(&text[..len], start, whole, valid));
        };
        let whole = place(len);
        let base = self.begin_record(&text[..len], start, valid);
        let format = self.scanned(&mut tape, text, base, whole);
        self.end_record(tape);
        (len, format)
    }

    fn begin_record<'b>(&mut self, bytes: &[u8], start: u64, valid: bool) -> Base<'b> {
        let base = Base::new(self.doc, start);
        self.batch.damage_cut();
        self.flags = Flags::default();
        if !valid {
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
    ) -> Option<&'static dyn Format> {
        let from = self.batch.raised.len();
        if tape.is_odd() {
            self.oddities(tape, base);
        }
        let odd = self.batch.raised.len();
        let root = tape.root(bytes)?;
        let format = self.value(root, base, whole, Slice::Whole);
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
        self.tape = tape;
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
        let Some(val) = pointer::resolve(root, &self.options.pointer) else {
            self.unknown(root, base);
            return None;
        };
        let format = match self.reading {
            Reading::By(format) => Some(format),
            Reading::Each => self.options.format.or_else(|| detect::of_record(val)),
            Reading::Document => detect::of_document(val),
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
        format.read(&record, self);
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
        if let Err(error) = simdutf8::compat::from_utf8(bytes) {
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

    fn unreadable(&mut self, fault: Fault, bytes: &[u8], base: Base<'_>) {
        let padding = bytes.iter().all(|b| *b == 0);
        let at = base.offset(fault.at.min(bytes.len() as u32));
        let row = Row::of_place(Place::new(self.doc, at, u32::from(u64::from(fault.at) < bytes.len() as u64)), 0);
        let row = Row { record: self.batch.records, ..row };
        let what = if padding { What::EndsEarly } else { fault.what };
        let finding =
            Finding::new(codes::INVALID_JSON, row).arg(what as u32).never("the intended text is not known");
        if what == What::EndsEarly {
            self.batch.cut = Some(finding);
        } else {
            self.batch.raised.push(finding);
            self.batch.broken = true;
        }
    }
}

/// Half of a surrogate pair, in a record of a format that knows which texts are sent.
fn unsendable(format: &dyn Format, record: Val<'_>, base: Base<'_>, finding: Finding) -> Option<Finding> {
    let at = base.relative(finding.row.at.start).filter(|_| finding.code == codes::LONE_SURROGATE);
    match at.map_or(TextAt::Sent, |at| format.text_at(record, at)) {
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

impl Batch {
    /// More comes behind the record that ends early, so it is damage.
    pub fn damage_cut(&mut self) {
        if let Some(cut) = self.cut.take() {
            self.raised.push(cut);
            self.broken = true;
        }
    }

    /// Puts rows and marks into an assembler; hands out the histories that end.
    pub fn assemble(&mut self, assembler: &mut Assembler, mut done: impl FnMut(History, &[Finding])) {
        let mut at = 0;
        for (before, mark) in self.marks.drain(..) {
            assembler.rows(&self.rows[at..before as usize]);
            at = before as usize;
            if let Some(history) = assembler.mark(mark) {
                done(history, &self.items);
            }
        }
        assembler.rows(&self.rows[at..]);
        if self.broken {
            assembler.broken();
        }
        self.rows.clear();
    }
}
