//! Reading the lines of one chunk: record by record, each at most as long as it may be.

use std::io;

use crate::format::Format;
use crate::source::{bug, lines};

use super::batch::Batch;
use super::doc::Run;
use super::gathered::{Chunk, Marks};
use super::guard::guarded;
use super::line::Line;
use super::stage::Stage;
use super::{Reading, Scanned, Take, detect, paths, spread};

/// The lines of a chunk, from one record on.
struct Rest<'t> {
    bytes: &'t [u8],
    /// Where they begin in the doc.
    from: u64,
    /// Nothing follows them.
    is_end: bool,
}

impl<'e, T: Take> Run<'e, T> {
    /// Reads the lines of one chunk.
    pub fn chunk(
        &self,
        start: u64,
        n: usize,
        buf: &mut Vec<u8>,
        stage: &mut Stage<'e, T::Visitor<'e>>,
    ) -> io::Result<Chunk<T::Gathered>> {
        let limit = self.options.max_record;
        let read = lines::read(self.bytes, start, n, limit, buf)?;
        let is_end = read.start + read.bytes.len() as u64 >= self.bytes.len();
        let mut own = Reading::new(self.container);
        stage.batch = Batch::default();
        let mut at = match n {
            0 => 0,
            _ => (self.free_from(start, &read)? - read.start).min(read.bytes.len() as u64) as usize,
        };
        let mut marks = Marks::default();
        marks.pass(0, read.bytes.get(..at).unwrap_or_default(), false);
        while let Some((rest, &first)) = read.bytes.get(at..).and_then(|rest| Some((rest, rest.first()?))) {
            if first.is_ascii_whitespace() {
                at += 1;
                marks.between(first, at);
                continue;
            }
            let Some(skip) = self.container.record_in(rest) else {
                at += line_len(rest);
                continue;
            };
            at += skip;
            let bytes = rest.get(skip..).unwrap_or_default();
            let rest = Rest { bytes, from: read.start + at as u64, is_end };
            // A chunk holds lines of any length that fits in it.
            let len = if limit < lines::CHUNK { line_len(rest.bytes) } else { 0 };
            let line = if len as u64 > limit {
                stage.too_long(rest.from);
                Line::one(len, None)
            } else {
                let done = guarded(self.options.panics, stage, |stage| self.next(&rest, stage, &mut own));
                done.transpose()?.unwrap_or_else(|| Line::one(line_len(rest.bytes), None))
            };
            marks.pass(at, bytes.get(..line.len).unwrap_or(bytes), line.is_one);
            at += line.len;
        }
        if let Some(at) = read.too_long {
            stage.too_long(at);
            marks.newlines += 1;
        }
        Ok(Chunk { start: read.start, marks, batch: std::mem::take(&mut stage.batch), own })
    }

    /// Reads the record that lines begin with.
    fn next(
        &self,
        rest: &Rest<'_>,
        stage: &mut Stage<'e, T::Visitor<'e>>,
        own: &mut Reading<T::Gathered>,
    ) -> io::Result<Line> {
        let Rest { bytes, from, is_end } = *rest;
        bug::provoke(bytes);
        let spread = self.container.event_in(bytes).and_then(|len| bytes.get(..len));
        let event = spread.and_then(|lines| stage.event(lines, from));
        let mut line = event.unwrap_or_else(|| stage.line(bytes, from, is_end));
        if line.starved {
            let mut more = Vec::new();
            spread::text_from(self.bytes, from, &mut more)?;
            // What is not complete now is longer than such a value may be.
            line = stage.line(&more, from, true);
        }
        own.format = own.format.or(line.format);
        if let Some(format) = line.format
            && matches!(stage.reading(), detect::Reading::Each)
        {
            let (batch, scanned) = stage.last(bytes, from);
            self.record_histories(batch, scanned, format, own);
        }
        Ok(line)
    }

    /// Where the first record of a chunk begins, or the line after one that reaches into it from the chunk before.
    fn free_from(&self, start: u64, read: &lines::Lines<'_>) -> io::Result<u64> {
        let begins = read.bytes.trim_ascii_start().first();
        let is_plain = begins.is_none_or(|first| *first == b'{') || !self.recovers();
        if is_plain { Ok(read.start) } else { spread::first_free(self.bytes, start, read.start) }
    }

    /// Hands over the histories of a record that is one by itself.
    fn record_histories(
        &self,
        batch: &mut Batch,
        scanned: Option<Scanned<'_>>,
        format: &'static dyn Format,
        own: &mut Reading<T::Gathered>,
    ) {
        let info = format.info();
        let mut assembler = self.assembler(info, Some(format));
        let mut done = Vec::new();
        batch.assemble(&mut assembler, |history, _| done.push(history));
        if self.take.wants_nodes() {
            self.take.nodes(paths::of(assembler, done, self.id), &mut own.gathered);
        } else {
            done.into_iter().for_each(|history| self.history(history, &batch.items, info, scanned, own));
        }
        batch.items.clear();
    }
}

/// Length of the first line, without its end.
fn line_len(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}
