//! What a check may promise, found out on the records that would change alone: where each record is a conversation by
//! itself, no other one has a say. It says the same as planning the whole doc, or nothing.

use std::io;

use crate::fix::{self, FixOptions, Fixed};
use crate::format::Format;
use crate::judge::{Judged, JudgedDoc, Options};
use crate::place::{DocId, Place};
use crate::source::{Container, ReadAt, lines};

use super::Diagnostic;
use super::kept::keep;

/// More bytes of records than this are not copied.
const MOST: u64 = 64 << 20;

/// Plans the default repair of the records with a finding that it takes away. `None` if that may differ from what
/// planning the whole doc gives.
pub(super) fn plan(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<()>,
    options: &Options,
    threads: usize,
    diagnostics: &mut [Diagnostic],
) -> io::Result<Option<u64>> {
    let Some(part) = Part::of(id, bytes, found)? else { return Ok(None) };
    let fixed = fix::fix(id, &part.text, options, &FixOptions::default(), threads)?;
    let mut own = Vec::new();
    let mut told = Vec::new();
    for (judged, diagnostic) in found.judged.iter().zip(diagnostics) {
        if let Some(at) = part.place(judged.finding.row.at) {
            own.push((judged, at));
            told.push(diagnostic);
        }
    }
    let is_same = is_settled(&fixed, found)
        && own.len() == fixed.before.judged.len()
        && own.iter().zip(&fixed.before.judged).all(|((judged, at), alone)| is_same(judged, *at, alone));
    Ok(is_same.then(|| keep(&fixed, part.text.len() as u64, told)))
}

/// The records were read as they are in the doc, and nothing was given up: what is given up may depend on the others.
fn is_settled(fixed: &Fixed, found: &JudgedDoc<()>) -> bool {
    let name = |format: Option<&'static dyn Format>| format.map(|format| format.info().name);
    matches!(fixed.before.container, Container::Lines { .. })
        && name(fixed.before.format) == name(found.format)
        && fixed.before.alone
        && fixed.left().alone
        && fixed.given_up.is_empty()
        && fixed.bug.is_none()
}

/// Whether a finding of the doc is one of its part.
fn is_same(judged: &Judged, at: Place, alone: &Judged) -> bool {
    let (own, other) = (&judged.finding, &alone.finding);
    (own.code, own.variant, own.remedy, own.arg, own.field)
        == (other.code, other.variant, other.remedy, other.arg, other.field)
        && at == other.row.at
        && (judged.severity, judged.target.name) == (alone.severity, alone.target.name)
        && (judged.loss, judged.flattens) == (alone.loss, alone.flattens)
}

/// Some lines of a doc, as a doc.
struct Part {
    /// Where each line lies in the doc, and where its text starts here.
    lines: Vec<(Place, u64)>,
    text: Vec<u8>,
}

impl Part {
    /// The first line, which says what the doc is, and the lines with a finding that is fixed by default. `None` if these
    /// cannot speak for themselves.
    fn of(id: DocId, bytes: &dyn ReadAt, found: &JudgedDoc<()>) -> io::Result<Option<Part>> {
        let Container::Lines { start } = found.container else { return Ok(None) };
        let is_plain = found.format.is_some_and(|format| {
            !format.info().histories.span_records() && format.teller().is_none() && format.reduction().is_none()
        });
        let fixable = || found.judged.iter().filter(|judged| judged.is_fixed_by_default());
        if !is_plain || !found.alone || bytes.is_cut() || fixable().any(|judged| judged.history.is_none()) {
            return Ok(None);
        }
        let first = lines::around(bytes, id, start, start)?;
        let mut places = vec![first];
        for judged in fixable() {
            let at = judged.finding.row.at;
            if places.last().is_none_or(|last| !last.contains(&at)) {
                let line = lines::around(bytes, id, start, at.start)?;
                if !line.contains(&at) || places.last().is_some_and(|last| line.start < last.end()) {
                    return Ok(None);
                }
                places.push(line);
            }
        }
        // One line would be a document.
        if places.len() == 1 && first.end() < bytes.len() {
            places.push(lines::around(bytes, id, start, first.end())?);
        }
        if places.iter().map(|line| u64::from(line.len)).sum::<u64>() > MOST {
            return Ok(None);
        }
        let mut part = Part { lines: Vec::with_capacity(places.len()), text: Vec::new() };
        let mut line_text = Vec::new();
        for line in places {
            bytes.read_into(line.start, line.len as usize, &mut line_text)?;
            part.lines.push((line, part.text.len() as u64));
            part.text.append(&mut line_text);
        }
        Ok(Some(part))
    }

    /// Where a place of the doc is here.
    fn place(&self, at: Place) -> Option<Place> {
        let ix = self.lines.partition_point(|(line, _)| line.start <= at.start).checked_sub(1)?;
        let (line, from) = self.lines.get(ix)?;
        (at.start < line.end()).then(|| Place { start: from + (at.start - line.start), ..at })
    }
}
