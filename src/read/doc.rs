//! Reading one doc, from its bytes to its histories.

use std::io;
use std::sync::Mutex;

use crate::format::agent::ResumeEffect;
use crate::format::{Assembler, Format, FormatInfo, Mark, Slice};
use crate::history::codes::truncated_last_line::{COMPRESSED, TERMINATED, UNTERMINATED};
use crate::history::codes::unknown_format::{EMPTY, TEXT};
use crate::history::finding::RepairAct;
use crate::history::tree::MissingLinks;
use crate::history::{Finding, History, Remedy, RequestFlags, Row, Usage, codes};
use crate::json::{FaultKind, SavedTapes, ScratchBuffers, Tape};
use crate::place::{DocId, Place};
use crate::source::bytes::loaded::LoadedBytes;
use crate::source::split::{DocumentPiece, SplitError, split_at};
use crate::source::{Container, FileFault, ReadAt, framing, lines, parallel};

use super::batch::Batch;
use super::detect::{self, Detection, LineSample};
use super::source_records::{ScannedRecords, SourceRecords};
use super::stage::Stage;
use super::{
    DocReading, FoundHistory, HistorySource, Options, PanicPolicy, ReadConsumer, branches, coverage, file_faults,
    large_document, last_line, paths, unrecognised,
};

/// Called with the output so far, in the order of the doc, so that it need not be kept until the end.
pub type Emit<'e, T> = &'e mut dyn FnMut(&mut T) -> io::Result<()>;

/// Reads a doc on up to `threads` threads.
pub fn read<T: ReadConsumer>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    take: &T,
    emit: Emit<'_, T::Output>,
) -> io::Result<DocReading<T::Output>> {
    let mut scratch = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut scratch;
    let loaded = LoadedBytes::load(bytes, text)?;
    let bytes = loaded.as_ref().map_or(bytes, |loaded| loaded as &dyn ReadAt);
    let (container, is_scanned) = framing::sniff_into(bytes, tape)?;
    if !is_scanned {
        // The tape of megabytes of a longer document.
        tape.shrink(ScratchBuffers::NODES);
    }
    let known = detect::options_for_hints(bytes, options);
    let faults = file_faults::place_faults(id, bytes)?;
    let options = known.as_ref().unwrap_or(options);
    let scanned = is_scanned.then_some(tape);
    DocReader { id, bytes, options, threads, take, container, faults }.read_all(scanned, emit)
}

/// Reads a doc that this program wrote, so that its framing is known. `scanned` is the tape of a document that was scanned.
pub fn read_synthetic<T: ReadConsumer>(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    options: &Options,
    threads: usize,
    take: &T,
    scanned: Option<&mut Tape>,
) -> io::Result<DocReading<T::Output>> {
    DocReader { id, bytes, options, threads, take, container, faults: Vec::new() }
        .read_all(scanned, &mut |_| Ok(()))
}

/// The reader of one doc.
pub(super) struct DocReader<'e, T> {
    pub id: DocId,
    pub bytes: &'e dyn ReadAt,
    pub options: &'e Options,
    threads: usize,
    pub take: &'e T,
    pub container: Container,
    /// Faults of the files that the doc consists of, each with the line of the file.
    faults: Vec<(Place, FileFault)>,
}

impl<'e, T: ReadConsumer> DocReader<'e, T> {
    /// `scanned` is the tape of a document that was scanned to find its framing.
    fn read_all(
        &self,
        scanned: Option<&mut Tape>,
        emit: Emit<'_, T::Output>,
    ) -> io::Result<DocReading<T::Output>> {
        let mut all = DocReading::new(self.container);
        if self.container.bom_len() > 0 {
            let at = Place::new(self.id, 0, self.container.bom_len() as u32);
            let finding = Finding::new(codes::BYTE_ORDER_MARK, Row::of_place(at, 0));
            self.raise(finding.remedy(Remedy::One(RepairAct::Drop)), &mut all);
        }
        match self.container {
            Container::Document { start }
                if self.bytes.len() - start <= framing::MAX_WHOLE_DOCUMENT.min(self.options.max_record)
                    && !self.bytes.is_truncated() =>
            {
                self.read_document(start, scanned, &mut all)?;
            }
            Container::Document { start } => self.read_large_document(start, &mut all)?,
            Container::Lines { start } | Container::Events { start } => self.read_lines(start, &mut all, emit)?,
            Container::Utf16 { little } => {
                let finding = Finding::on_doc(codes::INVALID_UTF8, self.id).variant(1).arg(u32::from(little));
                self.raise(finding.never("convert the file with another program first"), &mut all);
            }
            Container::Empty => self.raise(unrecognised::unrecognised_doc(EMPTY, self.id), &mut all),
            Container::Binary => self.raise(unrecognised::binary(self.bytes, self.id)?, &mut all),
            Container::Text => self.raise(unrecognised::unrecognised_doc(TEXT, self.id), &mut all),
        }
        for (line, fault) in &self.faults {
            self.raise(file_faults::finding(*line, fault), &mut all);
        }
        Ok(all)
    }

    /// Raises a finding, unless a fault of its file explains it.
    pub fn raise(&self, finding: Finding, all: &mut DocReading<T::Output>) {
        if !file_faults::explain(&self.faults, &finding) {
            self.take.raise(finding, &mut all.output);
        }
    }

    pub fn stage(&self, reading: detect::RecordReading) -> Stage<'e, T::Visitor<'e>> {
        Stage::new(self.options, self.take.visitor(), self.id, reading).recovering(self.recovers())
    }

    /// `format` is that of the records; `None` if they were merged or translated.
    pub fn assembler(&self, info: &FormatInfo, format: Option<&'static dyn Format>) -> Assembler {
        let assembler = Assembler::new(info, self.take.wants_nodes()).with_unsent(self.options.unsent);
        match format {
            Some(format) => assembler.with_custom_assembler(format),
            None => assembler,
        }
    }

    fn read_document(
        &self,
        start: u64,
        scanned: Option<&mut Tape>,
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        let mut copy = Vec::new();
        let text = self.bytes.borrow_or_read(start, (self.bytes.len() - start) as usize, &mut copy)?;
        let reading = self.options.format.map_or(detect::RecordReading::Document, detect::RecordReading::Format);
        let mut stage = self.stage(reading);
        let whole = Place::new(self.id, start, text.len() as u32);
        let format = match scanned {
            Some(tape) => stage.read_scanned_record(tape, text, start, whole),
            None => stage.read_record(text, start, whole),
        };
        stage.batch.report_truncated();
        if !format.is_some_and(|format| format.layout().is_synthetic()) {
            // Nothing is made from the record: a long one's tape is not kept while its history is judged.
            let mut batch = std::mem::take(&mut stage.batch);
            drop(stage);
            return self.finish_batch(&mut batch, format, ScannedRecords::None, all);
        }
        let (batch, scanned) = stage.last_record(text, start);
        self.finish_batch(batch, format, scanned.map_or(ScannedRecords::None, ScannedRecords::Document), all)
    }

    /// Reads a large document element by element.
    fn read_large_document(&self, start: u64, all: &mut DocReading<T::Output>) -> io::Result<()> {
        let limit = self.options.max_record;
        let at = |offset| Row::of_place(Place::new(self.id, offset, 0), 0);
        let found = match self.options.format {
            Some(format) => Ok(format),
            // The format is that of the value at the pointer.
            None if !self.options.pointer.is_empty() => Err(None),
            None => large_document::detect_format(self.id, self.bytes, start, self.options)?,
        };
        let format = found.ok();
        if self.options.reads_at_once(format) {
            if self.bytes.len() - start <= limit {
                return self.read_document(start, None, all);
            }
            (all.records, all.format) = (1, format);
            self.raise(unrecognised::invalid_json(FaultKind::TooLong, at(start)), all);
            return Ok(());
        }
        let reading = format.map_or(detect::RecordReading::Each, detect::RecordReading::Format);
        let mut stage = self.stage(reading);
        let whole = Place::new(self.id, start, 0);
        let splits = |key: &str| format.is_none_or(|format| format.info().has_items_in(key));
        let done = split_at(self.bytes, self.id, start, limit, &splits, |piece, tape| {
            let (bytes, base, slice) = match piece {
                DocumentPiece::Element { section, bytes, base, .. } => (bytes, base, Slice::Element { section }),
                DocumentPiece::Head { bytes, base } => (bytes, base, Slice::Rest),
            };
            stage.batch.may_refer |= tape.has_replaylint_ref();
            stage.check_utf8(bytes, base);
            if tape.is_odd() {
                stage.oddities(tape, base);
            }
            match tape.root(bytes) {
                Some(root) if format.is_some() => {
                    let (marks, rows) = (stage.batch.marks.len(), stage.batch.rows.len() as u32);
                    stage.read_value(root, base, whole, slice);
                    // What surrounds the lists is read last, and begins the history.
                    if slice == Slice::Rest {
                        stage.batch.begin_with_marks(marks, rows);
                    }
                }
                Some(root) if slice == Slice::Rest => {
                    let row = Row::of_place(base.of(root), 0);
                    let finding = unrecognised::unrecognised_record(found.err().flatten(), row);
                    stage.batch.record_findings.push(finding);
                }
                _ => {}
            }
            true
        });
        // What follows an error is not read.
        stage.batch.may_refer |= done.is_err();
        match done {
            Ok(()) => {}
            Err(SplitError::Io(error)) => return Err(error),
            Err(SplitError::Fault(FaultKind::EndsEarly, _)) if self.bytes.is_truncated() => {
                stage.batch.record_findings.push(last_line::truncated_file(self.id, self.bytes));
            }
            Err(SplitError::Fault(what, offset)) => {
                stage.batch.record_findings.push(unrecognised::invalid_json(what, at(offset)));
            }
            Err(SplitError::TooLong(offset)) => {
                stage.batch.record_findings.push(unrecognised::too_long(Place::new(self.id, offset, 0), 0));
            }
        }
        stage.batch.records = 1;
        self.finish_batch(&mut stage.batch, format, ScannedRecords::None, all)
    }

    /// Assembles the histories of a doc that was read as one record, which is `scanned` if it is in memory.
    fn finish_batch(
        &self,
        batch: &mut Batch,
        format: Option<&'static dyn Format>,
        scanned: ScannedRecords<'_>,
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        all.records = batch.records;
        all.may_refer |= batch.may_refer;
        all.format = format;
        if let Some(format) = format {
            let mut assembler = self.assembler(format.info(), Some(format));
            let mut histories = Vec::new();
            batch.assemble(&mut assembler, &mut histories);
            self.finish(assembler, histories, &batch.items, (format, scanned), all)?;
        }
        for finding in batch.record_findings.drain(..) {
            self.raise(finding, all);
        }
        Ok(())
    }

    fn read_lines(
        &self,
        start: u64,
        all: &mut DocReading<T::Output>,
        emit: Emit<'_, T::Output>,
    ) -> io::Result<()> {
        // The tapes of lines at the start of the first chunk.
        let mut detected = Mutex::new(SavedTapes::default());
        let reading = match self.options.format {
            Some(format) if format.info().histories.span_records() => Some(detect::RecordReading::Format(format)),
            Some(_) => Some(detect::RecordReading::Each),
            None => {
                let mut head = Vec::new();
                let first = lines::read_sample(self.bytes, start, self.options.max_record, &mut head)?;
                let mut sample = LineSample::new(first.bytes, first.start, &self.options.pointer);
                let answer = detect::detect_lines(self.container, &mut sample, self.options);
                detected = sample.tapes.into();
                match answer {
                    Detection::Read(reading) => Some(reading),
                    Detection::Unreadable if matches!(self.container, Container::Lines { .. }) => None,
                    // One finding about the doc, instead of one about each of its records.
                    answer => {
                        all.may_refer = true;
                        self.raise(
                            unrecognised::unrecognised_lines(answer, self.container, self.id, first.start),
                            all,
                        );
                        return Ok(());
                    }
                }
            }
        };
        let reading = reading.unwrap_or(detect::RecordReading::Each);
        let mut assembler = match reading {
            detect::RecordReading::Format(format) => {
                all.format = Some(format);
                Some((self.assembler(format.info(), Some(format)), format))
            }
            detect::RecordReading::Each | detect::RecordReading::Document => None,
        };
        let mut items: Vec<Finding> = Vec::new();
        let mut ended = Vec::new();
        let mut truncated: Option<Finding> = None;
        let mut line = 1;
        let mut failed = None;
        let chunks = lines::chunk_count(self.bytes.len(), start);
        // A translation reads the records again; those of a small doc are still in memory.
        let is_translated =
            matches!(reading, detect::RecordReading::Format(format) if format.layout().is_translated());
        let saves_tapes = is_translated && chunks == 1 && self.bytes.in_memory().is_some();
        let mut tapes = SavedTapes::default();
        parallel::run_in_order(
            self.threads,
            chunks,
            || (Vec::new(), self.stage(reading).saving_tapes(saves_tapes)),
            |(buf, stage), n| {
                let tapes = detected.lock().ok().filter(|_| n == 0).map(|mut tapes| std::mem::take(&mut *tapes));
                self.read_chunk(start, n, tapes.unwrap_or_default(), buf, stage)
            },
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
                    && let Some(damage) = truncated.take()
                {
                    self.raise(Finding { partner: None, ..damage }, all);
                    if let Some((assembler, _)) = &mut assembler {
                        assembler.mark(Mark::Unreadable(damage.row.at, damage.row.record));
                        assembler.mark_broken();
                    }
                }
                let records = all.records;
                chunk.batch.renumber(records);
                if let (Some(skipped), PanicPolicy::Fail) = (chunk.batch.bugs.first(), self.options.panics) {
                    failed = Some(io::Error::other(format!(
                        "record {}: {}",
                        u64::from(skipped.record) + 1,
                        skipped.bug
                    )));
                    return false;
                }
                truncated = chunk.batch.truncated.take();
                tapes = std::mem::take(&mut chunk.batch.tapes);
                if let Some((assembler, _)) = &mut assembler {
                    chunk.batch.assemble(assembler, &mut ended);
                    items.append(&mut chunk.batch.items);
                }
                for finding in std::mem::take(&mut chunk.batch.record_findings) {
                    self.raise(finding, all);
                }
                all.join(chunk, self.take);
                failed = emit(&mut all.output).err();
                failed.is_none()
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        let is_truncated = self.bytes.is_truncated();
        if let (None, false, detect::RecordReading::Format(format)) = (&truncated, is_truncated, reading) {
            let missing = last_line::missing_newline(self.id, self.bytes, format, all.records)?;
            missing.into_iter().for_each(|finding| self.raise(finding, all));
        }
        if let Some(mut truncated) = truncated {
            truncated.code = codes::TRUNCATED_LAST_LINE;
            truncated.variant = match (is_truncated, last_line::has_newline(self.bytes)?) {
                (true, _) => COMPRESSED,
                (false, true) => TERMINATED,
                (false, false) => UNTERMINATED,
            };
            truncated.remedy = Remedy::One(RepairAct::Drop);
            self.raise(truncated, all);
            // An agent writes a result right after its call: the truncated line may be one.
            if let Some((assembler, _)) = assembler.as_mut().filter(|(_, format)| format.layout().is_translated())
            {
                assembler.mark_broken();
            }
        } else if is_truncated {
            self.raise(last_line::truncated_file(self.id, self.bytes), all);
        }
        match assembler {
            Some((mut assembler, format)) => {
                if !self.faults.is_empty() {
                    assembler.mark_broken();
                }
                self.finish(assembler, ended, &items, (format, ScannedRecords::Lines(&tapes)), all)
            }
            None => Ok(()),
        }
    }

    /// Passes on the histories of a doc: those that have `ended`, and those that its records form together, such
    /// as branches of a tree or messages of a stream.
    fn finish(
        &self,
        mut from: Assembler,
        ended: Vec<History>,
        items: &[Finding],
        (format, scanned): (&'static dyn Format, ScannedRecords<'_>),
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        if let Some(table) = format.layout().reduction() {
            let records = SourceRecords { bytes: self.bytes, places: &from.take_fragments(), scanned };
            return self.read_merged(&records, format, table, all);
        }
        match format.layout().thread_reader() {
            Some(reader) => self.read_translated(&mut from, (format, scanned), reader(), all),
            None => self.finish_assembled(from, ended, items, format.info(), all),
        }
    }

    /// Passes on the assembled histories.
    pub fn finish_assembled(
        &self,
        mut from: Assembler,
        ended: Vec<History>,
        items: &[Finding],
        info: &'static FormatInfo,
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        if let Some(effect) = branches::effect_of_missing_parent(&from, info, self.options) {
            from.set_missing_links(match effect {
                ResumeEffect::ReadsInOrder => MissingLinks::InOrder,
                _ => MissingLinks::Cut,
            });
        }
        if self.take.wants_nodes() {
            self.raise_misfits(&mut from, all);
            self.take.nodes(paths::into_nodes(from, ended, self.id), &mut all.output);
            return Ok(());
        }
        let ended: Vec<History> = ended.into_iter().chain(from.finish()).collect();
        let source = HistorySource { scanned: None, is_alone: ended.len() == 1 };
        ended.into_iter().for_each(|history| self.emit_history(history, items, info, source, all));
        self.raise_misfits(&mut from, all);
        let Some((histories, findings)) = branches::histories_of_tree(&mut from, info, self.options) else {
            return Ok(());
        };
        let emit = |history| self.emit_history(history, items, info, HistorySource::default(), all);
        histories.into_iter().for_each(emit);
        findings.into_iter().for_each(|finding| self.raise(finding, all));
        Ok(())
    }

    /// Raises the findings of a format that assembles its events itself.
    fn raise_misfits(&self, from: &mut Assembler, all: &mut DocReading<T::Output>) {
        let misfits = from.custom_assembler().map(|own| own.finish(self.bytes));
        misfits.into_iter().flatten().for_each(|finding| self.raise(finding, all));
    }

    /// True if damaged lines are read as far as possible.
    pub fn recovers(&self) -> bool {
        matches!(self.container, Container::Lines { .. })
    }

    pub fn emit_history(
        &self,
        mut history: History,
        items: &[Finding],
        info: &'static FormatInfo,
        source: HistorySource<'_>,
        all: &mut DocReading<T::Output>,
    ) {
        let number = all.histories;
        all.histories += 1;
        all.items += history.rows.len() as u64;
        all.slimmed |= history.settings.slimmed;
        let settings = &mut history.settings;
        if self.options.coverage {
            settings.conversion_losses.extend(settings.unsent.iter().filter_map(coverage::unsent_note));
        }
        all.unsent.append(&mut settings.unsent);
        let is_session = settings.usage == Usage::Log && self.options.usage == Some(Usage::Request);
        settings.facts.set_if(RequestFlags::SESSION, is_session);
        settings.usage = self.options.usage.unwrap_or(settings.usage);
        // The result of an open call may be in a file that could not be read.
        settings.sends_open_calls &= self.options.usage.is_none() && self.faults.is_empty();
        settings.effort = settings.effort.or(self.options.effort);
        if self.bytes.is_truncated() {
            // Results of the last calls may be in the missing part, or all that is in a list.
            (settings.usage, settings.broken, settings.empty) = (Usage::Log, true, None);
        }
        self.take
            .history(FoundHistory { history, info, number, items, source, bytes: self.bytes }, &mut all.output);
    }
}
