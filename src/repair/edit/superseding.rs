//! Stores whose messages are written once more: what is there stays as it is, and the corrected message comes after it. In a
//! document, it replaces the message.

use std::collections::HashSet;
use std::io;

use crate::format::correcting::{Correction, Problems, Written};
use crate::format::translate::Stored;
use crate::format::{Editor, Format};
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::judge::Judged;
use crate::place::{DocId, Edit, Place, With};
use crate::read;
use crate::rule::Loss;
use crate::source::{Container, Patched, ReadAt, lines};

use super::text::TextEdits;
use crate::repair::{Action, Cause, Change, FixOptions, Refusal};

const ELSEWHERE: &str = "the fix cannot handle a message like this one; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// What was found, in the records of which the messages were made.
pub(in crate::repair) fn problems(judged: &[&Judged], bytes: &dyn ReadAt) -> Problems {
    let origin = |at: Place| bytes.room().map_or(at, |room| room.origin(at));
    Problems::new(judged.iter().map(|judged| (origin(judged.finding.row.at), judged.finding.partner.map(origin))))
}

/// Why what is left was not corrected.
pub(in crate::repair) fn left<'j>(judged: impl Iterator<Item = &'j Judged>, wanted: &FixOptions) -> TextEdits {
    let mut made = TextEdits::default();
    let left: Vec<&Judged> = judged.filter(|judged| wanted.takes(judged, &mut made.refusals)).collect();
    made.refusals.extend(left.into_iter().map(|judged| Refusal::of(judged, ELSEWHERE)));
    made
}

/// The edits that correct what was found in such a store.
pub(in crate::repair) fn edits<'j>(
    id: DocId,
    view: &Patched<'_>,
    container: Container,
    format: &'static dyn Format,
    judged: impl Iterator<Item = &'j Judged>,
    wanted: &FixOptions,
) -> io::Result<TextEdits> {
    let mut made = TextEdits::default();
    let Some(corrector) = format.editor().and_then(Editor::messages) else { return Ok(made) };
    let wanted: Vec<&Judged> = judged.filter(|judged| wanted.takes(judged, &mut made.refusals)).collect();
    if wanted.is_empty() {
        return Ok(made);
    }
    // The messages that were judged are made of the records, which says where each came from.
    read::fill(id, view, &read::Options { format: Some(format), ..read::Options::default() })?;
    let problems = problems(&wanted, view);
    let mut text = Vec::new();
    view.read_into(0, usize::try_from(view.len()).map_err(io::Error::other)?, &mut text)?;
    let (mut corrector, mut tape) = (corrector(), Tape::new());
    let mut last = None;
    let mut take = |start: usize, record: &[u8], number: u32| {
        if scan(record, &mut tape).is_ok()
            && let Some(val) = tape.root(record)
        {
            let base = Base::new(id, start as u64);
            last = Some(base.of(val));
            corrector.take(&Stored { val, base, number });
        }
    };
    let is_document = matches!(container, Container::Document { .. });
    match container {
        Container::Document { start } => take(start as usize, text.get(start as usize..).unwrap_or_default(), 0),
        Container::Lines { start } => {
            let start = start as usize;
            for (number, (at, line)) in lines::split(text.get(start..).unwrap_or_default()).enumerate() {
                take(start + at, line, u32::try_from(number).unwrap_or(u32::MAX));
            }
        }
        _ => return Ok(made),
    }
    let (corrections, end) = corrector.finish(&problems);
    let solved: HashSet<usize> = corrections.iter().flat_map(|one| one.problems.iter().copied()).collect();
    let left = wanted.iter().enumerate().filter(|(ix, _)| !solved.contains(ix));
    made.refusals.extend(left.map(|(_, judged)| Refusal::of(judged, ELSEWHERE)));
    let mut added = Vec::new();
    for Correction { at, record, written, near, problems, what, answers } in corrections {
        for judged in problems.iter().filter_map(|ix| wanted.get(*ix)) {
            let finding = judged.finding;
            let mut row = finding.row;
            (row.at, row.record) = (at, record);
            let cause = Cause::Rule(finding.code, finding.variant, finding.row.at);
            let again = matches!(written, Written::Again(_));
            let action = if answers && again { Action::Stub } else { Action::Rewrite };
            let loss = if answers { Loss::Lossless } else { judged.loss };
            let other = match &written {
                Written::Again(_) => last.filter(|_| !is_document),
                Written::Edits(_) => near,
            };
            made.changes.push(Change { cause, row, other, action, loss, what, history: judged.history });
        }
        match written {
            Written::Edits(edits) => made.edits.extend(edits),
            Written::Again(text) if is_document => made.edits.push(Edit::replace(at, text)),
            Written::Again(text) => added.extend([&text, &b"\n"[..]].concat()),
        }
    }
    if added.is_empty() {
        return Ok(made);
    }
    if text.last().is_some_and(|last| *last != b'\n') {
        added.insert(0, b'\n');
    }
    added.extend(end.map(|line| [&line, &b"\n"[..]].concat()).unwrap_or_default());
    made.edits.push(Edit { at: Place::new(id, view.len(), 0), with: vec![With::text(added)] });
    Ok(made)
}
