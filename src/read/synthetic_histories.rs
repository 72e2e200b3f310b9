//! Histories that are read from text that was made from the records: translated stores and merged events.

use std::io;

use crate::format::reduction::Reduction;
use crate::format::translate::ThreadReader;
use crate::format::{Assembler, Format};
use crate::source::SyntheticText;
use crate::source::bytes::synthetic::SyntheticSlot;

use super::doc::DocReader;
use super::source_records::{ScannedRecords, SourceRecords};
use super::{DocReading, HistorySource, ReadConsumer, detect, merged_events, paths, translation};

impl<T: ReadConsumer> DocReader<'_, T> {
    /// Where the text goes.
    fn slot(&self) -> io::Result<&SyntheticSlot> {
        self.bytes.synthetic_slot().ok_or_else(|| io::Error::other("these bytes have no slot for synthetic text"))
    }

    /// Translates the records of a store, and reads the result.
    pub fn read_translated(
        &self,
        from: &mut Assembler,
        (format, scanned): (&'static dyn Format, ScannedRecords<'_>),
        reader: Box<dyn ThreadReader>,
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        let slot = self.slot()?;
        let covering = self.options.coverage.then_some(format as &'static dyn Format);
        let records = SourceRecords { bytes: self.bytes, places: &from.take_fragments(), scanned };
        let (written, histories) = translation::write(&records, reader, from.is_broken(), covering)?;
        let synthetic = slot.set(SyntheticText::new(self.bytes.len(), self.container, written));
        let mut stage = self.stage(detect::RecordReading::Format(format));
        for history in histories {
            let info = history.info;
            translation::read(history, self.id, synthetic, &mut stage);
            let (mut assembler, mut ended) = (self.assembler(info, None), Vec::new());
            let mut batch = std::mem::take(&mut stage.batch);
            batch.assemble(&mut assembler, &mut ended);
            batch.record_findings.drain(..).for_each(|finding| self.raise(finding, all));
            self.finish_assembled(assembler, ended, &batch.items, info, all)?;
        }
        Ok(())
    }

    /// Merges events into messages, and reads these.
    pub fn read_merged(
        &self,
        events: &SourceRecords<'_>,
        format: &'static dyn Format,
        table: &'static Reduction,
        all: &mut DocReading<T::Output>,
    ) -> io::Result<()> {
        let slot = self.slot()?;
        let reduced = merged_events::reduce(events, table)?;
        let synthetic = slot.set(SyntheticText::new(self.bytes.len(), self.container, reduced.written));
        let mut stage = self.stage(detect::RecordReading::Format(format));
        for (span, record) in reduced.messages {
            let start = synthetic.start() + span.start as u64;
            stage.merged_message(synthetic.text().get(span).unwrap_or_default(), start, record);
        }
        let (mut assembler, mut ended) = (self.assembler(format.info(), None), Vec::new());
        stage.batch.assemble(&mut assembler, &mut ended);
        match self.take.wants_nodes() {
            true => self.take.nodes(paths::into_nodes(assembler, ended, self.id), &mut all.output),
            false => {
                for history in ended {
                    self.emit_history(history, &stage.batch.items, format.info(), HistorySource::default(), all);
                }
            }
        }
        for finding in stage.batch.record_findings.drain(..).chain(reduced.findings) {
            self.raise(finding, all);
        }
        Ok(())
    }
}
