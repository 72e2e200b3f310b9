//! Reading one doc, from its bytes to its histories.

use std::io;

use crate::format::reduction::Reduction;
use crate::format::translate::ThreadReader;
use crate::format::{Assembler, Format, FormatInfo, Mark, Slice};
use crate::history::codes::unknown::{EMPTY, TEXT};
use crate::history::finding::Act;
use crate::history::{Finding, History, Remedy, Row, Usage, codes};
use crate::json::What;
use crate::place::{DocId, Place};
use crate::source::split::{Piece, SplitError, split};
use crate::source::{Container, Made, ReadAt, framing, lines, parallel};

use super::batch::Batch;
use super::detect::{self, Answer};
use super::stage::Stage;
use super::{
    Found, Options, Panics, Reading, Take, branches, coverage, large, last_line, paths, reduced, translated,
    unknown,
};

/// Takes what was gathered so far, in the order of the doc, so that it need not be kept until the end.
pub type Emit<'e, T> = &'e mut dyn FnMut(&mut T) -> io::Result<()>;

/// Reads a doc on up to `threads` threads.
pub fn read<T: Take>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    take: &T,
    emit: Emit<'_, T::Gathered>,
) -> io::Result<Reading<T::Gathered>> {
    let (container, known) = (framing::sniff(bytes)?, detect::known(bytes, options));
    Run { id, bytes, options: known.as_ref().unwrap_or(options), threads, take, container }.all(emit)
}

/// Reads a doc that was made here, so that what it lies in is known.
pub fn read_made<T: Take>(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    options: &Options,
    threads: usize,
    take: &T,
) -> io::Result<Reading<T::Gathered>> {
    Run { id, bytes, options, threads, take, container }.all(&mut |_| Ok(()))
}

/// The reading of one doc.
pub(super) struct Run<'e, T> {
    pub id: DocId,
    pub bytes: &'e dyn ReadAt,
    pub options: &'e Options,
    threads: usize,
    pub take: &'e T,
    pub container: Container,
}

impl<'e, T: Take> Run<'e, T> {
    fn all(&self, emit: Emit<'_, T::Gathered>) -> io::Result<Reading<T::Gathered>> {
        let mut all = Reading::new(self.container);
        if self.container.mark() > 0 {
            let at = Place::new(self.id, 0, self.container.mark() as u32);
            let finding = Finding::new(codes::BYTE_ORDER_MARK, Row::of_place(at, 0));
            self.raise(finding.remedy(Remedy::One(Act::Drop)), &mut all);
        }
        match self.container {
            Container::Document { start }
                if self.bytes.len() - start <= framing::WHOLE_DOCUMENT.min(self.options.max_record)
                    && !self.bytes.is_cut() =>
            {
                self.document(start, &mut all)?;
            }
            Container::Document { start } => self.large_document(start, &mut all)?,
            Container::Lines { start } | Container::Events { start } => self.lines(start, &mut all, emit)?,
            Container::Utf16 { little } => {
                let finding = Finding::on_doc(codes::INVALID_UTF8, self.id).variant(1).arg(u32::from(little));
                self.raise(finding.never("convert the file with another program first"), &mut all);
            }
            Container::Empty => self.raise(unknown::doc(EMPTY, self.id), &mut all),
            Container::Binary => self.raise(unknown::binary(self.bytes, self.id)?, &mut all),
            Container::Text => self.raise(unknown::doc(TEXT, self.id), &mut all),
        }
        Ok(all)
    }

    fn raise(&self, finding: Finding, all: &mut Reading<T::Gathered>) {
        self.take.raise(finding, &mut all.gathered);
    }

    fn stage(&self, reading: detect::Reading) -> Stage<'e, T::Visitor<'e>> {
        Stage::new(self.options, self.take.visitor(), self.id, reading).recovering(self.recovers())
    }

    /// `format` is the one of the records, if they are assembled as they are.
    pub fn assembler(&self, info: &FormatInfo, format: Option<&'static dyn Format>) -> Assembler {
        let assembler = Assembler::new(info, self.take.wants_nodes()).gathering_unsent(self.options.unsent);
        match format {
            Some(format) => assembler.by(format),
            None => assembler,
        }
    }

    fn document(&self, start: u64, all: &mut Reading<T::Gathered>) -> io::Result<()> {
        let mut copy = Vec::new();
        let text = match self.bytes.in_memory() {
            Some(bytes) => bytes.get(start as usize..).unwrap_or_default(),
            None => {
                self.bytes.read_into(start, (self.bytes.len() - start) as usize, &mut copy)?;
                &copy
            }
        };
        let reading = self.options.format.map_or(detect::Reading::Document, detect::Reading::By);
        let mut stage = self.stage(reading);
        let whole = Place::new(self.id, start, text.len() as u32);
        let format = stage.record(text, start, whole);
        stage.batch.damage_cut();
        self.close(&mut stage.batch, format, all)
    }

    /// A document that is read element by element.
    fn large_document(&self, start: u64, all: &mut Reading<T::Gathered>) -> io::Result<()> {
        let limit = self.options.max_record;
        let format = match self.options.format {
            Some(format) => Some(format),
            None => large::format_of(self.id, self.bytes, start, self.options)?,
        };
        // A translation is put together from all of the document.
        if format.is_some_and(|format| format.layout().is_translated()) {
            if self.bytes.len() - start <= limit {
                return self.document(start, all);
            }
            (all.records, all.format) = (1, format);
            self.raise(unknown::fault(What::TooLong, Row::of_place(Place::new(self.id, start, 0), 0)), all);
            return Ok(());
        }
        let reading = format.map_or(detect::Reading::Each, detect::Reading::By);
        let mut stage = self.stage(reading);
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
                stage.batch.raised.push(last_line::cut_short(self.id, self.bytes));
            }
            Err(SplitError::Fault(what, offset)) => {
                stage.batch.raised.push(unknown::fault(what, at(offset)));
            }
            Err(SplitError::TooLong(offset)) => {
                stage.batch.raised.push(unknown::too_long(Place::new(self.id, offset, 0), 0));
            }
        }
        stage.batch.records = 1;
        stage.batch.may_refer = true;
        self.close(&mut stage.batch, format, all)
    }

    /// Assembles, and ends, a doc that was read as one record.
    fn close(
        &self,
        batch: &mut Batch,
        format: Option<&'static dyn Format>,
        all: &mut Reading<T::Gathered>,
    ) -> io::Result<()> {
        all.records = batch.records;
        all.may_refer |= batch.may_refer;
        all.format = format;
        if let Some(format) = format {
            let mut assembler = self.assembler(format.info(), Some(format));
            assembler.begin();
            let mut histories = Vec::new();
            batch.assemble(&mut assembler, |history, _| histories.push(history));
            self.end(assembler, histories, &batch.items, format, all)?;
        }
        for finding in batch.raised.drain(..) {
            self.raise(finding, all);
        }
        Ok(())
    }

    fn lines(&self, start: u64, all: &mut Reading<T::Gathered>, emit: Emit<'_, T::Gathered>) -> io::Result<()> {
        let reading = match self.options.format {
            Some(format) if format.info().histories.span_records() => Some(detect::Reading::By(format)),
            Some(_) => Some(detect::Reading::Each),
            None => {
                let mut head = Vec::new();
                let first = lines::read(self.bytes, start, 0, self.options.max_record, &mut head)?;
                match detect::of(self.container, first.bytes, self.options) {
                    Answer::Read(reading) => Some(reading),
                    Answer::Unreadable if matches!(self.container, Container::Lines { .. }) => None,
                    // One word about the doc, instead of one about each of its records.
                    answer => {
                        all.may_refer = true;
                        self.raise(unknown::of_answer(answer, self.container, self.id, first.start), all);
                        return Ok(());
                    }
                }
            }
        };
        let reading = reading.unwrap_or(detect::Reading::Each);
        let mut assembler = match reading {
            detect::Reading::By(format) => {
                all.format = Some(format);
                Some((self.assembler(format.info(), Some(format)), format))
            }
            detect::Reading::Each | detect::Reading::Document => None,
        };
        let mut items: Vec<Finding> = Vec::new();
        let mut ended = Vec::new();
        let mut cut: Option<Finding> = None;
        let mut line = 1;
        let mut failed = None;
        let chunks = lines::chunks(self.bytes.len(), start);
        parallel::in_order(
            self.threads,
            chunks,
            || (Vec::new(), self.stage(reading)),
            |(buf, stage), n| self.chunk(start, n, buf, stage),
            |chunk| {
                let mut chunk = match chunk {
                    Ok(chunk) => chunk,
                    Err(error) => {
                        failed = Some(error);
                        return false;
                    }
                };
                all.lines.extend(chunk.marks.of_doc(chunk.start, line));
                line += chunk.marks.newlines;
                if chunk.batch.records > 0
                    && let Some(damage) = cut.take()
                {
                    self.raise(Finding { partner: None, ..damage }, all);
                    if let Some((assembler, _)) = &mut assembler {
                        assembler.mark(Mark::Lost(damage.row.at, damage.row.record));
                        assembler.broken();
                    }
                }
                let records = all.records;
                chunk.batch.renumber(records);
                if let (Some(met), Panics::Fail) = (chunk.batch.bugs.first(), self.options.panics) {
                    failed = Some(io::Error::other(format!("record {}: {}", u64::from(met.record) + 1, met.bug)));
                    return false;
                }
                cut = chunk.batch.cut.take();
                if let Some((assembler, _)) = &mut assembler {
                    chunk.batch.assemble(assembler, |history, _| ended.push(history));
                    items.append(&mut chunk.batch.items);
                }
                for finding in std::mem::take(&mut chunk.batch.raised) {
                    self.raise(finding, all);
                }
                all.join(chunk, self.take);
                failed = emit(&mut all.gathered).err();
                failed.is_none()
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        let is_cut = self.bytes.is_cut();
        if let (None, false, detect::Reading::By(format)) = (&cut, is_cut, reading) {
            let missing = last_line::missing_end(self.id, self.bytes, format, all.records)?;
            missing.into_iter().for_each(|finding| self.raise(finding, all));
        }
        if let Some(mut cut) = cut {
            cut.code = codes::TRUNCATED_LAST_LINE;
            cut.variant = u8::from(is_cut);
            cut.remedy = Remedy::One(Act::Drop);
            self.raise(cut, all);
            // An agent writes a result right after its call: it may be what was cut off.
            if let Some((assembler, _)) = assembler.as_mut().filter(|(_, format)| format.layout().is_translated())
            {
                assembler.broken();
            }
        } else if is_cut {
            self.raise(last_line::cut_short(self.id, self.bytes), all);
        }
        match assembler {
            Some((assembler, format)) => self.end(assembler, ended, &items, format, all),
            None => Ok(()),
        }
    }

    /// Ends a doc: hands over its histories, and what its records make together, the branches of a tree or a stream of
    /// events. `ended` are the histories that ended on the way.
    fn end(
        &self,
        mut from: Assembler,
        ended: Vec<History>,
        items: &[Finding],
        format: &'static dyn Format,
        all: &mut Reading<T::Gathered>,
    ) -> io::Result<()> {
        if let Some(table) = format.layout().reduction() {
            return self.reduced(&from.pieces(), format, table, all);
        }
        match format.layout().thread_reader() {
            Some(reader) => self.translated(&mut from, format, reader(), all),
            None => self.assembled(from, ended, items, format.info(), all),
        }
    }

    /// Hands over what was assembled.
    fn assembled(
        &self,
        mut from: Assembler,
        ended: Vec<History>,
        items: &[Finding],
        info: &'static FormatInfo,
        all: &mut Reading<T::Gathered>,
    ) -> io::Result<()> {
        if self.take.wants_nodes() {
            self.misfits(&mut from, all);
            self.take.nodes(paths::of(from, ended, self.id), &mut all.gathered);
            return Ok(());
        }
        for history in ended.into_iter().chain(from.finish()) {
            self.history(history, items, info, None, all);
        }
        self.misfits(&mut from, all);
        let Some((histories, findings)) = branches::of_tree(&mut from, info, self.options) else {
            return Ok(());
        };
        histories.into_iter().for_each(|history| self.history(history, items, info, None, all));
        findings.into_iter().for_each(|finding| self.raise(finding, all));
        Ok(())
    }

    /// Raises what does not fit among events that the format itself assembles.
    fn misfits(&self, from: &mut Assembler, all: &mut Reading<T::Gathered>) {
        let misfits = from.own().map(|own| own.finish(self.bytes));
        misfits.into_iter().flatten().for_each(|finding| self.raise(finding, all));
    }

    /// Reads what the records of a store are translated into.
    fn translated(
        &self,
        from: &mut Assembler,
        format: &'static dyn Format,
        reader: Box<dyn ThreadReader>,
        all: &mut Reading<T::Gathered>,
    ) -> io::Result<()> {
        let room = self.bytes.room().ok_or_else(|| io::Error::other("there is no room for a translation"))?;
        let covering = self.options.coverage.then_some(format as &'static dyn Format);
        let (written, histories) =
            translated::write(self.bytes, &from.pieces(), reader, from.is_broken(), covering)?;
        let made = room.keep(Made::new(self.bytes.len(), self.container, written));
        let mut stage = self.stage(detect::Reading::By(format));
        for history in histories {
            let info = history.info;
            translated::read(history, self.id, made, &mut stage);
            let (mut assembler, mut ended) = (self.assembler(info, None), Vec::new());
            let mut batch = std::mem::take(&mut stage.batch);
            batch.assemble(&mut assembler, |history, _| ended.push(history));
            batch.raised.drain(..).for_each(|finding| self.raise(finding, all));
            self.assembled(assembler, ended, &batch.items, info, all)?;
        }
        Ok(())
    }

    /// Reads what events add up to.
    fn reduced(
        &self,
        events: &[(Place, u32)],
        format: &'static dyn Format,
        table: &'static Reduction,
        all: &mut Reading<T::Gathered>,
    ) -> io::Result<()> {
        let room =
            self.bytes.room().ok_or_else(|| io::Error::other("there is no room for what events add up to"))?;
        let reduced = reduced::reduce(self.bytes, events, table)?;
        let made = room.keep(Made::new(self.bytes.len(), self.container, reduced.written));
        let mut stage = self.stage(detect::Reading::By(format));
        for (span, record) in reduced.messages {
            let start = made.start() + span.start as u64;
            stage.made(made.text().get(span).unwrap_or_default(), start, record);
        }
        let (mut assembler, mut ended) = (self.assembler(format.info(), None), Vec::new());
        stage.batch.assemble(&mut assembler, |history, _| ended.push(history));
        match self.take.wants_nodes() {
            true => self.take.nodes(paths::of(assembler, ended, self.id), &mut all.gathered),
            false => {
                for history in ended {
                    self.history(history, &stage.batch.items, format.info(), None, all);
                }
            }
        }
        for finding in stage.batch.raised.drain(..).chain(reduced.findings) {
            self.raise(finding, all);
        }
        Ok(())
    }

    /// Damaged lines are read as far as they can be.
    pub fn recovers(&self) -> bool {
        matches!(self.container, Container::Lines { .. })
    }

    pub fn history(
        &self,
        mut history: History,
        items: &[Finding],
        info: &'static FormatInfo,
        record: Option<super::Scanned<'_>>,
        all: &mut Reading<T::Gathered>,
    ) {
        let number = all.histories;
        all.histories += 1;
        all.items += history.rows.len() as u64;
        all.slimmed |= history.settings.slimmed;
        let settings = &mut history.settings;
        if self.options.coverage {
            settings.lost.extend(settings.unsent.iter().filter_map(coverage::note));
        }
        all.unsent.append(&mut settings.unsent);
        settings.usage = self.options.usage.unwrap_or(settings.usage);
        settings.effort = settings.effort.or(self.options.effort);
        if self.bytes.is_cut() {
            // What answers the last calls may be in what was cut off.
            (settings.usage, settings.broken) = (Usage::Log, true);
        }
        self.take.history(Found { history, info, number, items, record }, &mut all.gathered);
    }
}
