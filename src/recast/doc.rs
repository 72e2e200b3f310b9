//! One doc, from its bytes to the converted conversations.

use std::io;

use crate::convert::Taker;
use crate::dialect::BLOCK;
use crate::format::{FormatInfo, Histories};
use crate::history::{Code, Finding, Flags, Row};
use crate::json::Tape;
use crate::json::edit::Base;
use crate::json::{pointer, scan};
use crate::lint::detect::{self, Reading};
use crate::lint::{self, Judged, OnHistory, Texts};
use crate::place::{DocId, Place};
use crate::rule::Cx;
use crate::source::{Container, ReadAt, framing, lines, parallel};
use crate::target::Severity;

use super::foreign::Items;
use super::record::{Caster, Made, is_log, too_long};
use super::{Recast, Recasting};

/// Takes what comes out, in order; ends the conversion by failing.
pub type Each<'e> = &'e mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Converts a doc on up to `threads` threads.
pub fn recast(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &Recasting<'_>,
    threads: usize,
    each: Each<'_>,
) -> io::Result<Recast> {
    let container = framing::sniff(bytes)?;
    let mut all = Recast::new(container);
    match container {
        Container::Document { start } => document(id, bytes, how, start, threads, &mut all, each)?,
        Container::Lines { start } => lines(id, bytes, how, start, threads, &mut all, each)?,
        Container::Events { .. } => log(id, bytes, how, threads, &mut all, each)?,
        _ => {
            let mut caster = Caster::new(id, how);
            let variant = match container {
                Container::Empty => 1,
                Container::Binary => 2,
                _ => 3,
            };
            caster.fail(Finding::on_doc(Code(4), id).variant(variant));
            all.take(caster.made, how);
        }
    }
    Ok(all)
}

fn document(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &Recasting<'_>,
    start: u64,
    threads: usize,
    all: &mut Recast,
    each: Each<'_>,
) -> io::Result<()> {
    let mut caster = Caster::new(id, how);
    let len = bytes.len() - start;
    if len > how.options.max_record {
        caster.fail(too_long(id, start, 0));
    } else {
        let mut text = Vec::new();
        bytes.read_into(start, len as usize, &mut text)?;
        if how.options.format.map_or_else(|| tells_log(&text, &how.options.pointer), is_log) {
            return log(id, bytes, how, threads, all, each);
        }
        caster.record(&text, start, true);
    }
    each(&caster.made.out)?;
    all.take(caster.made, how);
    Ok(())
}

/// A log of one line looks like a document.
fn tells_log(text: &[u8], steps: &[String]) -> bool {
    let mut tape = Tape::new();
    let root = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
    let val = root.and_then(|root| pointer::resolve(root, steps));
    val.and_then(detect::of_document).is_some_and(is_log)
}

fn lines(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &Recasting<'_>,
    start: u64,
    threads: usize,
    all: &mut Recast,
    each: Each<'_>,
) -> io::Result<()> {
    let log_told = match how.options.format {
        Some(format) => is_log(format),
        None => {
            let mut head = Vec::new();
            let first = lines::read(bytes, start, 0, how.options.max_record, &mut head)?;
            matches!(detect::of_lines(first.bytes, &how.options.pointer), Some(Reading::By(_)))
        }
    };
    if log_told {
        return log(id, bytes, how, threads, all, each);
    }
    let mut failed = None;
    let mut line = 1;
    parallel::in_order(
        threads,
        lines::chunks(bytes.len(), start),
        || (Vec::new(), Caster::new(id, how)),
        |(buf, caster), n| chunk(bytes, start, n, buf, caster),
        |chunk| {
            let told = chunk.and_then(|(from, newlines, made)| {
                if newlines > 0 {
                    all.lines.push((from, line));
                }
                line += newlines;
                each(&made.out)?;
                all.take(made, how);
                Ok(())
            });
            failed = told.err();
            failed.is_none()
        },
    );
    failed.map_or(Ok(()), Err)
}

/// The lines of one chunk: where it starts, how many there are, and what they gave.
fn chunk(
    bytes: &dyn ReadAt,
    start: u64,
    n: usize,
    buf: &mut Vec<u8>,
    caster: &mut Caster<'_>,
) -> io::Result<(u64, u64, Made)> {
    let read = lines::read(bytes, start, n, caster.how.options.max_record, buf)?;
    let mut newlines = 0;
    for (at, line) in lines::split(read.bytes) {
        newlines += 1;
        if !line.trim_ascii().is_empty() {
            caster.record(line, read.start + at as u64, false);
        }
    }
    if let Some(at) = read.too_long {
        caster.fail(too_long(caster.id, at, caster.made.records));
        caster.made.records += 1;
    }
    Ok((read.start, newlines, std::mem::take(&mut caster.made)))
}

/// A history of a log, as the engine put it together.
pub struct Kept {
    pub info: &'static FormatInfo,
    pub rows: Vec<Row>,
    pub model: Option<Box<str>>,
    /// Whether the server stores items, where the log says.
    pub stored: Option<bool>,
}

/// Keeps the histories that the engine puts together.
pub struct Keep;

impl OnHistory for Keep {
    type Made = Kept;

    fn history(&self, cx: &Cx<'_>, info: &'static FormatInfo, _: &[Judged], _: u32) -> Option<Kept> {
        let settings = &cx.history.settings;
        Some(Kept { info, rows: cx.history.rows.clone(), model: settings.model.clone(), stored: settings.store })
    }

    fn renumber(_: &mut Kept, _: u32) {}
}

/// A log: the engine puts its history together, and each item is read again from its place.
fn log(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &Recasting<'_>,
    threads: usize,
    all: &mut Recast,
    each: Each<'_>,
) -> io::Result<()> {
    let mut found = lint::lint(id, bytes, how.options, threads, &Keep)?;
    let mut caster = Caster::new(id, how);
    // What could not be read is in none of the histories.
    for judged in found.judged.iter().filter(|j| j.history.is_none() && j.severity == Severity::Error) {
        caster.fail(judged.finding);
    }
    // Of a tree, the live branch; `rebuild` gives the others.
    let one = found.format.is_some_and(|format| format.info().histories == Histories::Tree);
    for kept in found.made.iter().take(if one { 1 } else { usize::MAX }) {
        let foreign = Items::of(id, bytes, kept, found.format, how.options)?;
        let texts = Texts::new(bytes, kept.info.dialect);
        let mut lost = Vec::new();
        let taker = match foreign {
            Some(items) => {
                let mut taker = items.taker(&how.plan);
                lost = items.give(&mut taker);
                taker
            }
            None => {
                let mut taker = Taker::new(kept.info.dialect, &how.plan);
                // A message brings its blocks.
                for row in kept.rows.iter().filter(|row| row.part != BLOCK) {
                    let embedded = row.has(Flags::EMBEDDED);
                    texts.item(row, |val| taker.item(val, Base::new(id, row.at.start), embedded));
                }
                taker
            }
        };
        let mut result = Vec::new();
        let mut converted = taker.finish(kept.model.as_deref(), &how.plan, &mut result);
        converted.losses.extend(lost);
        let at = kept.rows.first().map_or(Place::new(id, 0, 0), |row| row.at);
        // Rows stand in the order of the history, which need not be that of the doc.
        let mut starts: Vec<(u64, u32)> = kept.rows.iter().map(|row| (row.at.start, row.record)).collect();
        starts.sort_unstable();
        let record_of = |place: Place| {
            let ix = starts.partition_point(|(start, _)| *start <= place.start);
            ix.checked_sub(1).map_or(0, |ix| starts[ix].1)
        };
        caster.deliver(converted, &mut result, kept.info, at, &record_of);
    }
    each(&caster.made.out)?;
    caster.made.records = found.records;
    caster.made.format = found.format;
    all.take(caster.made, how);
    all.lines = std::mem::take(&mut found.lines);
    Ok(())
}

impl Recast {
    /// Adds what comes next, counted from where this ended.
    fn take(&mut self, made: Made, how: &Recasting<'_>) {
        let before = how.number(self.converted, self.met);
        let room = how.most.saturating_sub(self.judged.len());
        for mut judged in made.judged.into_iter().take(room) {
            judged.finding.row.record += self.records;
            judged.history = judged.history.map(|n| n + before);
            self.judged.push(judged);
        }
        self.format = self.format.or(made.format);
        self.records += made.records;
        self.converted += made.converted;
        self.met += made.met;
        self.items += made.items;
        self.failed += made.failed;
        for (sum, more) in self.counts.iter_mut().zip(made.counts) {
            *sum += more;
        }
    }
}
