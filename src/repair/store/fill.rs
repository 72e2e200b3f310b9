//! What a store itself lacks, apart from what its messages say: its editor fills it in, where the records lie.

use std::collections::HashSet;
use std::io;

use crate::format::Format;
use crate::format::translate::Stored;
use crate::history::{Act, Remedy};
use crate::judge::Judged;
use crate::place::Place;
use crate::read;
use crate::source::ReadAt;

use super::view::View;
use crate::repair::edit::text::{TextEdits, change};
use crate::repair::{Action, FixOptions};

/// The edits for findings of the store itself.
pub(in crate::repair) fn fill<'j>(
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    judged: impl Iterator<Item = &'j Judged>,
    options: &read::Options,
    wanted: &FixOptions,
) -> io::Result<TextEdits> {
    let mut all = TextEdits::default();
    let Some(fill) = format.and_then(|format| format.info().editor?.fill) else { return Ok(all) };
    let asks = |judged: &&Judged| matches!(judged.finding.remedy, Remedy::One(Act::Stored(_)));
    let asked: Vec<&Judged> =
        judged.filter(asks).filter(|judged| wanted.takes(judged, &mut all.refusals)).collect();
    let Some(first) = asked.first() else { return Ok(all) };
    let doc = first.finding.row.at.doc;
    read::fill(doc, bytes, options)?;
    let Some(view) = View::of(doc, bytes) else { return Ok(all) };
    let places: Vec<Place> = asked.iter().map(|judged| view.origin(judged.finding.row.at)).collect();
    let wanted: HashSet<Place> = places.iter().copied().collect();
    let mut done = HashSet::new();
    for (judged, at) in asked.into_iter().zip(places) {
        if let Some(record) = view.record(at).filter(|record| done.insert(record.at.start))
            && let Some(val) = record.root()
        {
            let stored = Stored { val, base: record.base(), number: judged.finding.row.record };
            fill(&stored, &|at| wanted.contains(&at), &mut all.edits);
        }
        all.changes.push(change(judged, at, Action::Rewrite));
        all.touched.push(at);
    }
    Ok(all)
}
