//! The default repair of some records of a document in which each is a history by itself: those for which a plan does not
//! show what the repair does. The others need not be repaired to be reported.

use std::collections::HashSet;
use std::io;

use crate::format::HistoryScope;
use crate::judge::{JudgedDoc, Options, WeighedFinding};
use crate::place::{DocId, Place};
use crate::repair::{self, FixOptions};
use crate::source::{CachedReader, Container, GrowableBytes, ReadAt};

use super::fix_outcome::{PredictedFix, fix_outcomes};

/// Most bytes of records that are repaired in memory.
const MOST: u64 = 32 << 20;

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

/// Repairs the records with a finding that is `doubtful`, where none is about the text of a line; `None` if a repair of the whole document may differ from that, or is
/// as cheap.
pub(super) fn repair_some<T>(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<T>,
    doubtful: &dyn Fn(&WeighedFinding) -> bool,
    options: &Options,
    threads: usize,
) -> io::Result<Option<Trial>> {
    let Container::Lines { start } = found.container else { return Ok(None) };
    let is_apart = found.format.is_some_and(|format| {
        format.info().histories == HistoryScope::PerRecord && format.info().editor.is_none()
    });
    if !is_apart {
        return Ok(None);
    }
    let lines = lines_of(id, bytes, start, found, doubtful)?;
    let size: u64 = lines.iter().map(|line| u64::from(line.len)).sum();
    if lines.len() < 2 || size > MOST.min(bytes.len() / 2) {
        return Ok(None);
    }
    let (mut text, mut line_text) = (Vec::with_capacity(size as usize + 1), Vec::new());
    // The places of lines in the text.
    let mut copied: Vec<(Place, u64)> = Vec::with_capacity(lines.len());
    for line in lines {
        bytes.read_into(line.start, line.len as usize, &mut line_text)?;
        copied.push((line, text.len() as u64));
        text.extend_from_slice(&line_text);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    let in_text = |at: Place| {
        let (line, to) = copied.get(copied.partition_point(|(line, _)| line.start <= at.start).checked_sub(1)?)?;
        (at.start < line.end()).then(|| to + (at.start - line.start))
    };
    let own: Vec<(usize, u64, &WeighedFinding)> = found
        .findings
        .iter()
        .enumerate()
        .filter_map(|(number, judged)| Some((number, in_text(judged.finding.row.at)?, judged)))
        .collect();
    let total = text.len() as u64;
    let fixed = repair::fix(id, &GrowableBytes::new(text), options, &FixOptions::default(), threads)?;
    let is_alike = |((_, at, judged), tried): (&(usize, u64, &WeighedFinding), &WeighedFinding)| {
        (judged.finding.code, judged.finding.variant, *at)
            == (tried.finding.code, tried.finding.variant, tried.finding.row.at.start)
    };
    // Items in other records can matter.
    let tried = &fixed.before.findings;
    if own.len() != tried.len() || !own.iter().zip(tried).all(is_alike) {
        return Ok(None);
    }
    let (outcomes, resolved) = fix_outcomes(&fixed, total);
    Ok(Some(Trial {
        outcomes: own.iter().map(|(number, ..)| *number).zip(outcomes).collect(),
        histories: own.iter().filter_map(|(.., judged)| judged.history).collect(),
        resolved,
    }))
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
