//! What a store holds that no message was made of. Written text knows where each of its stretches came from; a string or a
//! true flag that none of them covers, and that the format does not name as unsent, is lost in conversion.

use std::io;

use crate::format::Format;
use crate::format::unsent::{Step, reason};
use crate::history::{Finding, Flags, Unsent};
use crate::json::edit::Base;
use crate::json::provenance::{Provenance, Span};
use crate::json::{NodeKind, Tape, Val, scan};
use crate::message::LossKind;
use crate::place::Place;
use crate::source::ReadAt;

use super::pieces;

/// Stretches of a doc that messages were made of, in order, none of which touch.
struct Covered(Vec<(u64, u64)>);

impl Covered {
    /// What is in the place of a known loss is not reported again.
    fn of(parts: &[Part<'_>]) -> Covered {
        let made = parts.iter().flat_map(|part| part.spans).filter(|span| says(span)).map(|span| span.from);
        // Of a result without its mark the rest may be said.
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
        Covered(merged)
    }

    fn holds(&self, at: Place) -> bool {
        let ix = self.0.partition_point(|(from, _)| *from <= at.start);
        ix.checked_sub(1).and_then(|ix| self.0.get(ix)).is_some_and(|(_, to)| at.end() <= *to)
    }

    fn touches(&self, at: Place) -> bool {
        let ix = self.0.partition_point(|(_, to)| *to <= at.start);
        self.0.get(ix).is_some_and(|(from, _)| *from < at.end())
    }
}

/// Whether a stretch of written text says something of the place that is named for it.
fn says(span: &Span) -> bool {
    span.provenance != Provenance::Named
}

/// A history that records were translated to.
pub(super) struct Part<'p> {
    /// Where its text came from.
    pub spans: &'p [Span],
    /// What it is known to lose.
    pub lost: &'p [Finding],
    /// What its store holds and it does not send.
    pub unsent: &'p [Unsent],
}

/// What is said of something that is not sent where the history is converted.
pub(super) fn note(own: &Unsent) -> Option<Finding> {
    let (at, record) = own.at?;
    let kind = if own.is_lost { LossKind::LEFT_OUT } else { LossKind::NOT_SENT };
    Some(kind.found(at, record).never(own.why))
}

/// What is lost of these records besides what is known, by their histories.
pub(super) fn lost(
    bytes: &dyn ReadAt,
    records: &[(Place, u32)],
    format: &'static dyn Format,
    parts: &[Part<'_>],
) -> io::Result<Vec<Vec<Finding>>> {
    let mut lost: Vec<Vec<Finding>> = parts.iter().map(|_| Vec::new()).collect();
    let mut owners: Vec<(u64, usize)> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        owners.extend(part.spans.iter().filter(|span| says(span)).map(|span| (span.from.start, n)));
    }
    owners.sort_unstable();
    let covered = Covered::of(parts);
    pieces::each(bytes, records, &mut |ix, record| {
        let mut found = Vec::new();
        let mut walk =
            Walk { covered: &covered, format, record: record.number, flags: Flags::NONE, lost: &mut found };
        walk.value(record.val, record.base, &mut Vec::new());
        let start = records.get(ix).map_or(0, |(at, _)| at.start);
        for finding in found {
            if let Some(own) = lost.get_mut(owner(&owners, finding.row.at.start, start)) {
                own.push(finding);
            }
        }
    })?;
    Ok(lost)
}

/// The history that a value belongs to: the one that the text before it in its record is of, else the text after it.
/// `record` is where that begins.
fn owner(owners: &[(u64, usize)], at: u64, record: u64) -> usize {
    let next = owners.partition_point(|(start, _)| *start <= at);
    let before = next.checked_sub(1).and_then(|ix| owners.get(ix));
    let found = before.filter(|(start, _)| *start >= record).or(owners.get(next)).or(before);
    found.map_or(0, |(_, n)| *n)
}

/// Looks through a record for what is not covered.
struct Walk<'w> {
    covered: &'w Covered,
    format: &'static dyn Format,
    record: u32,
    flags: Flags,
    lost: &'w mut Vec<Finding>,
}

/// What a value holds of text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Accounted {
    /// Nothing, or only what is never sent.
    Empty,
    Lost,
    /// Some of it is in a message.
    Written,
}

impl Walk<'_> {
    fn value<'v>(&mut self, val: Val<'v>, base: Base<'_>, steps: &mut Vec<Step<'v>>) -> Accounted {
        let before = self.lost.len();
        let mut outcome = Accounted::Empty;
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
                return match self.covered.holds(base.of(val)) {
                    true => Accounted::Written,
                    false => self.lose(val, base, steps),
                };
            }
            _ => return Accounted::Empty,
        }
        // What is lost as a whole is one loss.
        if outcome == Accounted::Lost && self.lost.len() > before + 1 && !steps.is_empty() {
            self.lost.truncate(before);
            self.add(val, base);
        }
        outcome
    }

    fn string(&mut self, val: Val<'_>, base: Base<'_>, steps: &mut Vec<Step<'_>>) -> Accounted {
        let inside = base.place(val.start() + 1, val.end().saturating_sub(1));
        if self.covered.holds(inside) {
            return Accounted::Written;
        }
        if !self.covered.touches(inside) {
            return self.lose(val, base, steps);
        }
        // A part of it was taken: of JSON in it the rest is looked through, of an address only its type is missing.
        let Some(text) = val.text() else { return Accounted::Written };
        let mut tape = Tape::new();
        if matches!(text.first(), Some(b'{' | b'[')) && scan(&text, &mut tape).is_ok() {
            let Some(root) = tape.root(&text) else { return Accounted::Written };
            let runs = base.runs_within(val);
            let inner = Base::of_runs(base.doc(), &runs);
            let mut below: Vec<Step<'_>> = steps.clone();
            let flags = std::mem::replace(&mut self.flags, Flags::EMBEDDED);
            self.value(root, inner, &mut below);
            self.flags = flags;
        }
        Accounted::Written
    }

    fn lose(&mut self, val: Val<'_>, base: Base<'_>, steps: &[Step<'_>]) -> Accounted {
        if reason(self.format.info().unsent, steps, val).is_some() {
            return Accounted::Empty;
        }
        self.add(val, base);
        Accounted::Lost
    }

    fn add(&mut self, val: Val<'_>, base: Base<'_>) {
        let mut finding = LossKind::LEFT_OUT.found(base.of(val), self.record);
        finding.row.flags = self.flags;
        self.lost.push(finding);
    }
}
