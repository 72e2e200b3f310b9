//! Linting one doc, from its bytes to its findings.

use std::collections::HashSet;
use std::io;

use crate::format::{Assembler, Format, FormatInfo, Slice};
use crate::history::{Code, Finding, History, Known, Row, Usage};
use crate::json::{Tape, What, scan};
use crate::place::{DocId, Place};
use crate::rules::unknown_format::{BINARY, EMPTY, TEXT};
use crate::source::split::{Piece, SplitError, split};
use crate::source::{Container, ReadAt, framing, lines, parallel};

use super::branches;
use super::detect::{self, Answer, Reading};
use super::gathered::{Chunk, Gathered};
use super::judge::of_live_rows;
use super::stage::{Batch, Stage};
use super::streams;
use super::unknown;
use super::{Bench, DocLint, Judged, OnHistory, Options, Texts};

/// Lints a doc on up to `threads` threads.
pub fn lint<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    on: &H,
) -> io::Result<DocLint<H::Made>> {
    gathering(id, bytes, options, threads, on, &mut |_| Ok(()))
}

/// Takes what was made so far, in the order of the doc, so that it need not be kept until the end.
pub type Emit<'e, T> = &'e mut dyn FnMut(&mut Vec<T>) -> io::Result<()>;

/// The same, and hands over what is made of histories as it goes on.
pub fn gathering<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    on: &H,
    emit: Emit<'_, H::Made>,
) -> io::Result<DocLint<H::Made>> {
    let container = framing::sniff(bytes)?;
    let nothing = Known::default();
    Run { id, bytes, options, threads, on, container, format: None, known: &nothing, wanted: None }.both(emit)
}

/// Lints a doc that was made here, so that it need not be told what it lies in.
pub fn lint_made<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    options: &Options,
    on: &H,
) -> io::Result<DocLint<H::Made>> {
    let nothing = Known::default();
    Run { id, bytes, options, threads: 1, on, container, format: None, known: &nothing, wanted: None }
        .both(&mut |_| Ok(()))
}

struct Run<'e, H> {
    id: DocId,
    bytes: &'e dyn ReadAt,
    options: &'e Options,
    threads: usize,
    on: &'e H,
    container: Container,
    /// The format of the lines, if it is known.
    format: Option<&'static dyn Format>,
    known: &'e Known,
    /// Only gather full items with these ids.
    wanted: Option<&'e HashSet<u64>>,
}

impl<H> Clone for Run<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Run<'_, H> {}

impl<H: OnHistory> Run<'_, H> {
    /// One pass, and others where that missed something.
    fn both(self, emit: Emit<'_, H::Made>) -> io::Result<DocLint<H::Made>> {
        let (container, options) = (self.container, self.options);
        let mut first = self.pass(emit)?;
        if first.wanted.is_empty() {
            return Ok(first.finish(container, options));
        }
        // It may stand elsewhere in the doc: look for it, and judge again if it does.
        let wanted = std::mem::take(&mut first.wanted);
        let found = Run { wanted: Some(&wanted), ..self }.pass(emit)?.known;
        if found.is_empty() {
            return Ok(first.finish(container, options));
        }
        Ok(Run { known: &found, ..self }.pass(emit)?.finish(container, options))
    }

    fn pass(&self, emit: Emit<'_, H::Made>) -> io::Result<Gathered<H::Made>> {
        let mut all = Gathered::default();
        if self.container.mark() > 0 {
            let at = Place::new(self.id, 0, self.container.mark() as u32);
            self.raise(
                Finding::new(Code(7), Row::of_place(at, 0))
                    .remedy(crate::history::Remedy::One(crate::history::Act::Drop)),
                &mut all,
            );
        }
        match self.container {
            Container::Document { start }
                if self.bytes.len() - start <= framing::WHOLE_DOCUMENT && !self.bytes.is_cut() =>
            {
                self.document(start, &mut all)?;
            }
            Container::Document { start } => self.large_document(start, &mut all)?,
            Container::Lines { start } | Container::Events { start } => self.lines(start, &mut all, emit)?,
            Container::Utf16 { little } => {
                let finding = Finding::on_doc(Code(5), self.id).variant(1).arg(u32::from(little));
                self.raise(finding.never("convert the file with another program first"), &mut all);
            }
            Container::Empty => self.raise(unknown::doc(EMPTY, self.id), &mut all),
            Container::Binary => self.raise(unknown::doc(BINARY, self.id), &mut all),
            Container::Text => self.raise(unknown::doc(TEXT, self.id), &mut all),
        }
        Ok(all)
    }

    /// The compressed file that the bytes come from is truncated, between two records or in the only one.
    fn cut_short(&self) -> Finding {
        let end = Row::of_place(Place::new(self.id, self.bytes.len(), 0), 0);
        Finding::new(Code(3), end).variant(1).never("the rest of the text is not known")
    }

    /// A finding on bytes or a record: the same for every target.
    fn raise(&self, finding: Finding, all: &mut Gathered<H::Made>) {
        let Some(rule) = crate::rules::by_code(finding.code).filter(|rule| self.options.enabled.has(rule.code))
        else {
            return;
        };
        let target = self.options.target.unwrap_or(crate::targets::TARGETS[0]);
        if let Some(severity) = rule.variant(finding.variant).levels.stored {
            let loss = rule.variant(finding.variant).loss;
            all.judged.push(Judged { finding, severity, target, history: None, loss, flattens: false });
        }
    }

    fn document(&self, start: u64, all: &mut Gathered<H::Made>) -> io::Result<()> {
        let mut text = Vec::new();
        self.bytes.read_into(start, (self.bytes.len() - start) as usize, &mut text)?;
        let reading = self.options.format.or(self.format).map_or(Reading::Document, Reading::By);
        let mut stage = Stage::new(self.options, &self.options.enabled, self.id, reading);
        let whole = Place::new(self.id, start, text.len() as u32);
        let valid = simdutf8::basic::from_utf8(&text).is_ok();
        let format = stage.record(&text, start, whole, valid);
        stage.batch.damage_cut();
        self.close(&mut stage.batch, format, all);
        Ok(())
    }

    /// A document that is read element by element.
    fn large_document(&self, start: u64, all: &mut Gathered<H::Made>) -> io::Result<()> {
        let limit = self.options.max_record;
        let format = match self.options.format.or(self.format) {
            Some(format) => Some(format),
            None => self.format_of_large(start)?,
        };
        let reading = format.map_or(Reading::Each, Reading::By);
        let mut stage = Stage::new(self.options, &self.options.enabled, self.id, reading);
        let whole = Place::new(self.id, start, 0);
        let done = split(self.bytes, self.id, start, limit, |piece, tape| {
            let (bytes, base, slice) = match piece {
                Piece::Element { section, bytes, base, .. } => (bytes, base, Slice::Element { section }),
                Piece::Head { bytes, base } => (bytes, base, Slice::Head),
            };
            stage.check_utf8(bytes, base);
            if tape.is_odd() {
                stage.oddities(tape, base);
            }
            if let Some(root) = tape.root(bytes)
                && (format.is_some() || slice == Slice::Head)
            {
                stage.value(root, base, whole, slice);
            }
            true
        });
        let at = |at| Row::of_place(Place::new(self.id, at, 0), 0);
        match done {
            Ok(()) => {}
            Err(SplitError::Io(error)) => return Err(error),
            Err(SplitError::Fault(What::EndsEarly, _)) if self.bytes.is_cut() => {
                stage.batch.raised.push(self.cut_short());
            }
            Err(SplitError::Fault(what, offset)) => {
                stage.batch.raised.push(fault(what, at(offset)));
            }
            Err(SplitError::TooLong(offset)) => {
                stage.batch.raised.push(fault(What::TooLong, at(offset)));
            }
        }
        stage.batch.records = 1;
        self.close(&mut stage.batch, format, all);
        Ok(())
    }

    /// Tells the format from the beginning of a document up to the first element of each of its arrays.
    fn format_of_large(&self, start: u64) -> io::Result<Option<&'static dyn Format>> {
        let mut found = None;
        let mut failed = None;
        let mut text = Vec::new();
        let mut probe = Tape::new();
        let done = split(self.bytes, self.id, start, self.options.max_record, |piece, _| {
            let Piece::Element { section, index: 0, bytes, base } = piece else { return true };
            let end = base.offset(0) + bytes.len() as u64;
            if end - start > 64 << 20 {
                return false;
            }
            if let Err(error) = self.bytes.read_into(start, (end - start) as usize, &mut text) {
                failed = Some(error);
                return false;
            }
            text.extend_from_slice(if section.is_empty() { b"]" } else { b"]}" });
            if scan(&text, &mut probe).is_ok() {
                found = probe.root(&text).and_then(detect::of_document);
            }
            found.is_none()
        });
        match (failed, done) {
            (Some(error), _) | (None, Err(SplitError::Io(error))) => Err(error),
            _ => Ok(found),
        }
    }

    /// Assembles, and ends, a doc that was read as one record.
    fn close(&self, batch: &mut Batch, format: Option<&'static dyn Format>, all: &mut Gathered<H::Made>) {
        all.records = batch.records;
        all.format = format;
        if let Some(format) = format {
            let mut assembler = Assembler::new(format.info());
            assembler.begin();
            let mut histories = Vec::new();
            batch.assemble(&mut assembler, |history, _| histories.push(history));
            histories.extend(assembler.finish());
            for history in histories {
                self.history(history, &batch.items, format.info(), all);
            }
            self.tree(&mut assembler, &batch.items, format.info(), all);
        }
        for finding in batch.raised.drain(..) {
            self.raise(finding, all);
        }
    }

    fn lines(&self, start: u64, all: &mut Gathered<H::Made>, emit: Emit<'_, H::Made>) -> io::Result<()> {
        let reading = match self.options.format.or(self.format) {
            Some(format) if format.info().histories.span_records() => Some(Reading::By(format)),
            Some(_) => Some(Reading::Each),
            None => {
                let mut head = Vec::new();
                let first = lines::read(self.bytes, start, 0, self.options.max_record, &mut head)?;
                match detect::of(self.container, first.bytes, &self.options.pointer) {
                    Answer::Read(reading) => Some(reading),
                    Answer::Unreadable if matches!(self.container, Container::Lines { .. }) => None,
                    // One word about the doc, instead of one about each of its records.
                    answer => {
                        self.raise(unknown::of_answer(answer, self.container, self.id, first.start), all);
                        return Ok(());
                    }
                }
            }
        };
        let reading = reading.unwrap_or(Reading::Each);
        let mut assembler = match reading {
            Reading::By(format) => {
                all.format = Some(format);
                Some((Assembler::new(format.info()), format.info()))
            }
            Reading::Each | Reading::Document => None,
        };
        let mut items: Vec<Finding> = Vec::new();
        let mut cut: Option<Finding> = None;
        let mut line = 1;
        let mut failed = None;
        let chunks = lines::chunks(self.bytes.len(), start);
        parallel::in_order(
            self.threads,
            chunks,
            || (Vec::new(), Stage::new(self.options, &self.options.enabled, self.id, reading)),
            |(buf, stage), n| self.chunk(start, n, buf, stage),
            |chunk| {
                let mut chunk = match chunk {
                    Ok(chunk) => chunk,
                    Err(error) => {
                        failed = Some(error);
                        return false;
                    }
                };
                if chunk.newlines > 0 {
                    all.lines.push((chunk.start, line));
                }
                line += chunk.newlines;
                if chunk.batch.records > 0
                    && let Some(damage) = cut.take()
                {
                    self.raise(damage, all);
                    if let Some((assembler, _)) = &mut assembler {
                        assembler.broken();
                    }
                }
                let records = all.records;
                chunk.renumber(records, all.histories);
                for made in &mut chunk.own.made {
                    H::renumber(made, all.histories);
                    H::renumber_records(made, records);
                }
                cut = chunk.batch.cut.take();
                if let Some((assembler, _)) = &mut assembler {
                    chunk.batch.assemble(assembler, |_, _| {});
                    items.append(&mut chunk.batch.items);
                }
                for finding in std::mem::take(&mut chunk.batch.raised) {
                    self.raise(finding, all);
                }
                all.take(chunk);
                failed = emit(&mut all.made).err();
                failed.is_none()
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        let is_cut = self.bytes.is_cut();
        if let Some(mut cut) = cut {
            cut.code = Code(3);
            cut.variant = u8::from(is_cut);
            cut.remedy = crate::history::Remedy::One(crate::history::Act::Drop);
            self.raise(cut, all);
        } else if is_cut {
            self.raise(self.cut_short(), all);
        }
        if let Some((mut assembler, info)) = assembler {
            if let Some(history) = assembler.finish() {
                self.history(history, &items, info, all);
            }
            self.tree(&mut assembler, &items, info, all);
        }
        Ok(())
    }

    /// Judges what the records of a doc make together: the branches of a tree, and the tree; a stream of events.
    fn tree(
        &self,
        from: &mut Assembler,
        items: &[Finding],
        info: &'static FormatInfo,
        all: &mut Gathered<H::Made>,
    ) {
        let misfits = streams::of_stream(from, self.bytes);
        misfits.into_iter().for_each(|finding| self.raise(finding, all));
        let Some((histories, findings)) = branches::of_tree(from, info, self.options.all_branches) else { return };
        histories.into_iter().for_each(|history| self.history(history, items, info, all));
        findings.into_iter().for_each(|finding| self.raise(finding, all));
        branches::once_a_place(&mut all.judged);
    }

    fn chunk(&self, start: u64, n: usize, buf: &mut Vec<u8>, stage: &mut Stage<'_>) -> io::Result<Chunk<H::Made>> {
        let read = lines::read(self.bytes, start, n, self.options.max_record, buf)?;
        let valid = simdutf8::basic::from_utf8(read.bytes).is_ok();
        let mut own = Gathered::default();
        let mut newlines = 0;
        stage.batch = Batch::default();
        let mut at = 0;
        while let Some(&first) = read.bytes.get(at) {
            if first.is_ascii_whitespace() {
                newlines += u64::from(first == b'\n');
                at += 1;
                continue;
            }
            let Some(skip) = self.container.record_in(&read.bytes[at..]) else {
                at += memchr::memchr(b'\n', &read.bytes[at..]).unwrap_or(read.bytes.len() - at);
                continue;
            };
            at += skip;
            let (len, format) = stage.line(&read.bytes[at..], read.start + at as u64, valid);
            at += len;
            own.format = own.format.or(format);
            if let Some(format) = format
                && matches!(stage.reading(), Reading::Each)
            {
                self.record_histories(&mut stage.batch, format.info(), &mut own);
            }
        }
        if let Some(at) = read.too_long {
            let row = Row { record: stage.batch.records, ..Row::of_place(Place::new(self.id, at, 0), 0) };
            stage.batch.damage_cut();
            stage.batch.raised.push(fault(What::TooLong, row));
            stage.batch.broken = true;
            stage.batch.records += 1;
        }
        Ok(Chunk { start: read.start, newlines, batch: std::mem::take(&mut stage.batch), own })
    }

    /// Judges the histories of a record that is one by itself.
    fn record_histories(&self, batch: &mut Batch, info: &'static FormatInfo, own: &mut Gathered<H::Made>) {
        let mut assembler = Assembler::new(info);
        let mut done = Vec::new();
        batch.assemble(&mut assembler, |history, _| done.push(history));
        for history in done {
            self.history(history, &batch.items, info, own);
        }
        batch.items.clear();
    }

    fn history(
        &self,
        mut history: History,
        items: &[Finding],
        info: &'static FormatInfo,
        all: &mut Gathered<H::Made>,
    ) {
        let number = all.histories;
        all.histories += 1;
        all.items += history.rows.len() as u64;
        all.slimmed |= history.settings.slimmed;
        all.unsent.append(&mut history.settings.unsent);
        if let Some(wanted) = self.wanted {
            all.known.gather(&history, wanted);
            return;
        }
        let settings = &mut history.settings;
        settings.usage = self.options.usage.unwrap_or(settings.usage);
        settings.effort = settings.effort.or(self.options.effort);
        if self.bytes.is_cut() {
            // What answers the last calls may be in what was cut off.
            (settings.usage, settings.broken) = (Usage::Log, true);
        }
        let items = if items.is_empty() { Vec::new() } else { of_live_rows(&history, items) };
        let bench = Bench::new(&history, info, self.options);
        all.judged_for(bench.target.name);
        let texts = Texts::new(self.bytes, info.dialect);
        let cx = bench.cx(&texts, self.known);
        if !self.on.judges() {
            all.made.extend(self.on.history(&cx, info, &[], number));
            return;
        }
        let (judged, unheaded) = bench.judge(&cx, &items, &self.options.enabled, number);
        all.made.extend(self.on.history(&cx, info, &judged, number));
        all.judged.extend(judged);
        if self.known.is_empty() {
            if info.records_responses {
                all.wanted.extend(unheaded);
            }
            all.wanted.extend(history.rows.iter().filter(|row| row.is_reference()).map(|row| row.id));
            all.wanted.extend(history.settings.previous.map(|previous| previous.id));
        }
    }
}

fn fault(what: What, row: Row) -> Finding {
    Finding::new(Code(1), row).arg(what as u32).never("the intended text is not known")
}
