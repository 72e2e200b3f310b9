//! The default repair of some records of a document in which each is a history by itself: those for which a plan does not
//! show what the repair does. The others need not be repaired to be reported.

use std::io;

use foldhash::HashSet;

use crate::judge::{JudgedDoc, Options, WeighedFinding};
use crate::place::{DocId, Place};
use crate::repair::{self, FixOptions};
use crate::source::{CachedReader, Container, GrowableBytes, ReadAt, parallel};

use super::fix_outcome::{PredictedFix, fix_outcomes};

/// Bytes of records that are repaired at once, so that memory does not depend on how many there are. A batch has records
/// enough to be recognised as the document is.
const BATCH: u64 = 4 << 20;

/// The outcome of a repair of some records.
#[derive(Default)]
pub(super) struct Trial {
    /// The outcomes of their findings, by the number of the finding in the document.
    pub outcomes: Vec<(usize, PredictedFix)>,
    /// The histories in these records.
    pub histories: HashSet<u32>,
    /// Number of errors and warnings that the repair resolves.
    pub resolved: u64,
}

impl Trial {
    fn plus(mut self, mut other: Trial) -> Trial {
        self.outcomes.append(&mut other.outcomes);
        self.histories.extend(other.histories);
        self.resolved += other.resolved;
        self
    }
}

/// Repairs the records with a finding that is `doubtful`, where none is about the text of a line; `None` if a repair of the
/// whole document may differ from that.
pub(super) fn repair_some<T>(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<T>,
    doubtful: &dyn Fn(&WeighedFinding) -> bool,
    options: &Options,
    threads: usize,
) -> io::Result<Option<Trial>> {
    let Container::Lines { start } = found.container else { return Ok(None) };
    if !found.format.is_some_and(|format| format.info().has_separate_records()) {
        return Ok(None);
    }
    let lines = lines_of(id, bytes, start, found, doubtful)?;
    if lines.len() < 2 {
        return Ok(None);
    }
    let starts = found.findings.iter().map(|judged| judged.finding.row.at.start);
    let mut by_offset: Vec<(u64, usize)> = starts.zip(0..).collect();
    by_offset.sort_unstable();
    let batches = batches(&lines);
    let threads_each = if batches.len() > 1 { 1 } else { threads };
    let repair = LineRepair { id, bytes, findings: &found.findings, by_offset, options, threads: threads_each };
    let mut all = Some(Trial::default());
    let mut failure = None;
    parallel::run_in_order(
        threads,
        batches.len(),
        || (),
        |(), n| repair.run(batches.get(n).copied().unwrap_or_default()),
        |batch| {
            match batch {
                Ok(batch) => all = all.take().zip(batch).map(|(all, batch)| all.plus(batch)),
                Err(error) => failure = Some(error),
            }
            all.is_some() && failure.is_none()
        },
    );
    failure.map_or(Ok(all), Err)
}

/// Splits lines into batches of at least two.
fn batches(lines: &[Place]) -> Vec<&[Place]> {
    let mut batches = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let mut size = 0;
        let fits = |line: &&Place| {
            size += u64::from(line.len);
            size <= BATCH
        };
        let count = rest.iter().take_while(fits).count().max(2);
        let count = if rest.len() <= count + 1 { rest.len() } else { count };
        let (batch, others) = rest.split_at(count);
        batches.push(batch);
        rest = others;
    }
    batches
}

/// The repair of lines of a document, as a document of their own.
struct LineRepair<'r> {
    id: DocId,
    bytes: &'r dyn ReadAt,
    /// The findings of the document.
    findings: &'r [WeighedFinding],
    /// Their offsets and numbers, by offset.
    by_offset: Vec<(u64, usize)>,
    options: &'r Options,
    threads: usize,
}

impl LineRepair<'_> {
    /// Repairs lines; `None` if their findings are others than in the document.
    fn run(&self, lines: &[Place]) -> io::Result<Option<Trial>> {
        let size: u64 = lines.iter().map(|line| u64::from(line.len)).sum();
        let (mut text, mut line_text) = (Vec::with_capacity(size as usize + 1), Vec::new());
        // Numbers of the findings, and their offsets in the text.
        let mut own: Vec<(usize, u64)> = Vec::new();
        for line in lines {
            self.bytes.read_into(line.start, line.len as usize, &mut line_text)?;
            let from = self.by_offset.partition_point(|(at, _)| *at < line.start);
            let inside = self.by_offset.iter().skip(from).take_while(|(at, _)| *at < line.end());
            own.extend(inside.map(|(at, number)| (*number, text.len() as u64 + (at - line.start))));
            text.extend_from_slice(&line_text);
            if !text.ends_with(b"\n") {
                text.push(b'\n');
            }
        }
        own.sort_unstable();
        let finding = |number: usize| self.findings.get(number);
        let total = text.len() as u64;
        let text = GrowableBytes::new(text);
        let fixed = repair::fix(self.id, &text, self.options, &FixOptions::default(), self.threads)?;
        let is_alike = |(own, tried): (&(usize, u64), &WeighedFinding)| {
            let (number, at) = *own;
            finding(number).is_some_and(|judged| {
                (judged.finding.code, judged.finding.variant, at)
                    == (tried.finding.code, tried.finding.variant, tried.finding.row.at.start)
            })
        };
        // Items in other records can matter.
        let tried = &fixed.before.findings;
        if own.len() != tried.len() || !own.iter().zip(tried).all(is_alike) {
            return Ok(None);
        }
        let (outcomes, resolved) = fix_outcomes(&fixed, total);
        Ok(Some(Trial {
            outcomes: own.iter().map(|(number, _)| *number).zip(outcomes).collect(),
            histories: own.iter().filter_map(|(number, _)| finding(*number)?.history).collect(),
            resolved,
        }))
    }
}

/// The lines of the doubtful findings, in order. Of one line alone it would not be known that it is one of several: another
/// one comes with it.
fn lines_of<T>(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    found: &JudgedDoc<T>,
    doubtful: &dyn Fn(&WeighedFinding) -> bool,
) -> io::Result<Vec<Place>> {
    let cached = CachedReader::new(bytes, found.container, &found.lines);
    let mut offsets: Vec<u64> = found
        .findings
        .iter()
        .filter(|judged| doubtful(judged))
        .map(|judged| judged.finding.row.at.start)
        .collect();
    offsets.sort_unstable();
    let mut lines: Vec<Place> = Vec::new();
    for offset in offsets {
        if lines.last().is_none_or(|line| line.end() <= offset) {
            lines.push(cached.line_around(id, start, offset)?);
        }
    }
    if let [only] = *lines {
        if only.end() < bytes.len() {
            lines.push(cached.line_around(id, start, only.end())?);
        } else if only.start > start {
            lines.insert(0, cached.line_around(id, start, only.start - 1)?);
        }
    }
    Ok(lines)
}
