//! Reading the lines of one chunk, record by record.

use std::io;

use crate::format::Format;
use crate::json::SavedTapes;
use crate::source::bug;
use crate::source::lines::{self, line_len};

use super::batch::Batch;
use super::chunk_reading::{ChunkReading, LineMarks};
use super::doc::DocReader;
use super::line::LineReading;
use super::panic_guard::catch_panics;
use super::stage::Stage;
use super::{DocReading, HistorySource, ReadConsumer, ScannedRecord, detect, multiline, paths};

/// The lines of a chunk from one record on.
struct RemainingLines<'t> {
    bytes: &'t [u8],
    /// Offset of the first one in the doc.
    from: u64,
    /// The doc ends with them.
    is_end: bool,
}

impl<'e, T: ReadConsumer> DocReader<'e, T> {
    /// Reads the lines of one chunk, of which some may have been scanned before.
    pub fn read_chunk(
        &self,
        start: u64,
        n: usize,
        tapes: SavedTapes,
        buf: &mut Vec<u8>,
        stage: &mut Stage<'e, T::Visitor<'e>>,
    ) -> io::Result<ChunkReading<T::Output>> {
        let limit = self.options.max_record;
        let read = lines::read_chunk(self.bytes, start, n, limit, buf)?;
        let is_end = read.start + read.bytes.len() as u64 >= self.bytes.len();
        let mut own = DocReading::new(self.container);
        stage.batch.tapes = tapes;
        let mut at = match n {
            0 => 0,
            _ => (self.first_record_start(start, &read)? - read.start).min(read.bytes.len() as u64) as usize,
        };
        let mut marks = LineMarks::default();
        marks.pass(0, read.bytes.get(..at).unwrap_or_default(), false);
        while let Some((rest, &first)) = read.bytes.get(at..).and_then(|rest| Some((rest, rest.first()?))) {
            if first.is_ascii_whitespace() {
                at += 1;
                marks.pass_byte(first, at);
                continue;
            }
            let Some(skip) = self.container.record_start(rest) else {
                at += line_len(rest);
                continue;
            };
            at += skip;
            let bytes = rest.get(skip..).unwrap_or_default();
            let rest = RemainingLines { bytes, from: read.start + at as u64, is_end };
            // Lines within a chunk may exceed a limit smaller than the chunk.
            let len = if limit < lines::CHUNK { line_len(rest.bytes) } else { 0 };
            let line = if len as u64 > limit {
                stage.too_long(rest.from);
                LineReading::single(len, None)
            } else {
                let done =
                    catch_panics(self.options.panics, stage, |stage| self.read_record(&rest, stage, &mut own));
                done.transpose()?.unwrap_or_else(|| LineReading::single(line_len(rest.bytes), None))
            };
            marks.pass(at, bytes.get(..line.len).unwrap_or(bytes), line.is_single_line);
            at += line.len;
        }
        if let Some(at) = read.too_long {
            stage.too_long(at);
            marks.newlines += 1;
        }
        // The next chunk will have about as many.
        let next = if is_end { Batch::default() } else { stage.batch.with_same_room() };
        Ok(ChunkReading { start: read.start, marks, batch: std::mem::replace(&mut stage.batch, next), own })
    }

    /// Reads the first record of lines.
    fn read_record(
        &self,
        rest: &RemainingLines<'_>,
        stage: &mut Stage<'e, T::Visitor<'e>>,
        own: &mut DocReading<T::Output>,
    ) -> io::Result<LineReading> {
        let RemainingLines { bytes, from, is_end } = *rest;
        bug::panic_for_test(bytes);
        let spread = self.container.event_len(bytes).and_then(|len| bytes.get(..len));
        let event = spread.and_then(|lines| stage.multiline_event(lines, from));
        let mut line = event.unwrap_or_else(|| stage.read_line(bytes, from, is_end));
        if line.needs_more {
            let mut more = Vec::new();
            multiline::read_multiline(self.bytes, from, &mut more)?;
            // A value that is still incomplete exceeds the limit for multi-line values.
            line = stage.read_line(&more, from, true);
        }
        own.format = own.format.or(line.format);
        if let Some(format) = line.format
            && matches!(stage.reading, detect::RecordReading::Each)
        {
            let (batch, scanned) = stage.last_record(bytes, from);
            self.record_histories(batch, scanned, format, own);
        }
        Ok(line)
    }

    /// Offset of the first record of a chunk, after a multi-line value that reaches into it from the chunk before.
    fn first_record_start(&self, start: u64, read: &lines::LineChunk<'_>) -> io::Result<u64> {
        let begins = read.bytes.trim_ascii_start().first();
        let is_plain = begins.is_none_or(|first| *first == b'{') || !self.recovers();
        if is_plain { Ok(read.start) } else { multiline::skip_multiline(self.bytes, start, read.start) }
    }

    /// Passes on the histories of a record that is a history by itself.
    fn record_histories(
        &self,
        batch: &mut Batch,
        scanned: Option<ScannedRecord<'_>>,
        format: &'static dyn Format,
        own: &mut DocReading<T::Output>,
    ) {
        let info = format.info();
        let mut assembler = self.assembler(info, Some(format));
        let mut done = Vec::new();
        batch.assemble(&mut assembler, &mut done);
        if self.take.wants_nodes() {
            self.take.nodes(paths::into_nodes(assembler, done, self.id), &mut own.output);
        } else {
            let source = HistorySource { scanned, is_alone: done.len() == 1 };
            done.into_iter().for_each(|history| self.emit_history(history, &batch.items, info, source, own));
        }
        batch.items.clear();
    }
}
