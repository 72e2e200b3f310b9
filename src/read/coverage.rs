//! Coverage of a store by its translated messages. Written text records the origin of each of its spans; a string
//! or a true flag that no span covers, and that the format does not name as unsent, is lost in conversion.

use std::io;

use crate::format::Format;
use crate::format::unsent_paths::{PathMember, reason};
use crate::history::{Finding, Flags, UnsentItem};
use crate::json::edit::RecordBase;
use crate::json::provenance::{Provenance, ProvenanceSpan};
use crate::json::{NodeKind, Tape, Val, scan};
use crate::message::LossKind;
use crate::place::Place;

use super::source_records::SourceRecords;

/// Ranges of a doc that messages were made from, in order and disjoint.
struct CoveredPlaces(Vec<(u64, u64)>);

impl CoveredPlaces {
    /// Includes the places of known losses, which are not reported again.
    fn of(parts: &[HistoryProvenance<'_>]) -> CoveredPlaces {
        let made = parts.iter().flat_map(|part| part.spans).filter(|span| is_traced(span)).map(|span| span.from);
        // Of a result that loses only its error mark, the rest may be covered.
        let is_whole = |finding: &&Finding| finding.code != LossKind::ERROR_MARK.code;
        let lost = parts.iter().flat_map(|part| part.lost).filter(is_whole).map(|finding| finding.row.at);
        let unsent = parts.iter().flat_map(|part| part.unsent).filter_map(|own| Some(own.at?.0));
        let known = lost.chain(unsent);
        let mut all: Vec<(u64, u64)> = made.chain(known).map(|at| (at.start, at.end())).collect();
        all.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (start, end) in all {
            match merged.last_mut().filter(|last| start <= last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => merged.push((start, end)),
            }
        }
        CoveredPlaces(merged)
    }

    fn contains(&self, at: Place) -> bool {
        let ix = self.0.partition_point(|(from, _)| *from <= at.start);
        ix.checked_sub(1).and_then(|ix| self.0.get(ix)).is_some_and(|(_, to)| at.end() <= *to)
    }

    fn touches(&self, at: Place) -> bool {
        let ix = self.0.partition_point(|(_, to)| *to <= at.start);
        self.0.get(ix).is_some_and(|(from, _)| *from < at.end())
    }
}

/// True if a span copies or respells the text at its place.
fn is_traced(span: &ProvenanceSpan) -> bool {
    span.provenance != Provenance::Named
}

/// The provenance of a translated history.
pub(super) struct HistoryProvenance<'p> {
    /// The spans of its text.
    pub spans: &'p [ProvenanceSpan],
    /// Its known losses.
    pub lost: &'p [Finding],
    /// Items of its store that are not sent.
    pub unsent: &'p [UnsentItem],
}

/// The note about an unsent item when the history is converted; `None` if it has no place.
pub(super) fn unsent_note(own: &UnsentItem) -> Option<Finding> {
    let (at, record) = own.at?;
    let kind = if own.is_lost { LossKind::NOT_TRANSLATED } else { LossKind::NOT_SENT };
    Some(kind.to_finding(at, record).never(own.reason))
}

/// The losses of these records beyond the known ones, by history.
pub(super) fn find_losses(
    records: &SourceRecords<'_>,
    format: &'static dyn Format,
    parts: &[HistoryProvenance<'_>],
) -> io::Result<Vec<Vec<Finding>>> {
    let mut lost: Vec<Vec<Finding>> = parts.iter().map(|_| Vec::new()).collect();
    let mut owners: Vec<(u64, usize)> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        owners.extend(part.spans.iter().filter(|span| is_traced(span)).map(|span| (span.from.start, n)));
    }
    owners.sort_unstable();
    let covered = CoveredPlaces::of(parts);
    records.for_each(&mut |ix, record| {
        let mut found = Vec::new();
        let mut walk = CoverageWalk {
            covered: &covered,
            format,
            record: record.number,
            flags: Flags::NONE,
            lost: &mut found,
        };
        walk.value(record.val, record.base, &mut Vec::new());
        let start = records.places.get(ix).map_or(0, |(at, _)| at.start);
        for finding in found {
            if let Some(own) = lost.get_mut(owner(&owners, finding.row.at.start, start)) {
                own.push(finding);
            }
        }
    })?;
    Ok(lost)
}

/// The history that a value belongs to: that of the text before it in its record (which begins at `record`), else
/// that of the text after it.
fn owner(owners: &[(u64, usize)], at: u64, record: u64) -> usize {
    let next = owners.partition_point(|(start, _)| *start <= at);
    let before = next.checked_sub(1).and_then(|ix| owners.get(ix));
    let found = before.filter(|(start, _)| *start >= record).or(owners.get(next)).or(before);
    found.map_or(0, |(_, n)| *n)
}

/// Collects the values of a record that are not covered.
struct CoverageWalk<'w> {
    covered: &'w CoveredPlaces,
    format: &'static dyn Format,
    record: u32,
    flags: Flags,
    lost: &'w mut Vec<Finding>,
}

/// The degree to which the text in a value is covered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Coverage {
    /// It contains no text, or only text that is never sent.
    Empty,
    Lost,
    /// At least some of it is in a message.
    Written,
}

impl CoverageWalk<'_> {
    fn value<'v>(&mut self, val: Val<'v>, base: RecordBase<'_>, steps: &mut Vec<PathMember<'v>>) -> Coverage {
        let before = self.lost.len();
        let mut outcome = Coverage::Empty;
        match val.kind() {
            NodeKind::Object => {
                for member in val.members() {
                    steps.push((val, member.key.decode().into_owned()));
                    outcome = outcome.max(self.value(member.val, base, steps));
                    steps.pop();
                }
            }
            NodeKind::Array => {
                for element in val.elements() {
                    outcome = outcome.max(self.value(element, base, steps));
                }
            }
            NodeKind::String if val.as_str().is_some_and(|text| !text.is_blank()) => {
                return self.string(val, base, steps);
            }
            _ if val.as_bool() == Some(true) => {
                return match self.covered.contains(base.of(val)) {
                    true => Coverage::Written,
                    false => self.add_loss(val, base, steps),
                };
            }
            _ => return Coverage::Empty,
        }
        // A value that is lost as a whole is one loss.
        if outcome == Coverage::Lost && self.lost.len() > before + 1 && !steps.is_empty() {
            self.lost.truncate(before);
            self.add(val, base);
        }
        outcome
    }

    fn string(&mut self, val: Val<'_>, base: RecordBase<'_>, steps: &mut Vec<PathMember<'_>>) -> Coverage {
        let inside = base.place(val.start() + 1, val.end().saturating_sub(1));
        if self.covered.contains(inside) {
            return Coverage::Written;
        }
        if !self.covered.touches(inside) {
            return self.add_loss(val, base, steps);
        }
        // Partly covered: of embedded JSON the rest is searched, of a data URL only the media type is missing.
        let Some(text) = val.text() else { return Coverage::Written };
        let mut tape = Tape::new();
        if matches!(text.first(), Some(b'{' | b'[')) && scan(&text, &mut tape).is_ok() {
            let Some(root) = tape.root(&text) else { return Coverage::Written };
            let runs = base.runs_within(val);
            let inner = RecordBase::of_runs(base.doc(), &runs);
            let mut below: Vec<PathMember<'_>> = steps.clone();
            let flags = std::mem::replace(&mut self.flags, Flags::EMBEDDED);
            self.value(root, inner, &mut below);
            self.flags = flags;
        }
        Coverage::Written
    }

    fn add_loss(&mut self, val: Val<'_>, base: RecordBase<'_>, steps: &[PathMember<'_>]) -> Coverage {
        if reason(self.format.info().unsent, steps, val).is_some() {
            return Coverage::Empty;
        }
        self.add(val, base);
        Coverage::Lost
    }

    fn add(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        let mut finding = LossKind::NOT_TRANSLATED.to_finding(base.of(val), self.record);
        finding.row.flags = self.flags;
        self.lost.push(finding);
    }
}
