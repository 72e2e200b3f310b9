//! Repairs of stores whose records are translated, where they lie. The plan speaks of messages that were made of records;
//! what was copied into them is known, so an item that goes is taken out where it came from, a text that changes is
//! changed there, and a result that is missing is written as the store writes one.

mod draft;
mod fill;
mod lines;
mod rewrite;
mod traced;
mod view;

use std::collections::HashSet;
use std::io;

use crate::format::Editor;
use crate::history::Row;
use crate::place::{DocId, Patch, Place};
use crate::read;
use crate::rule::Loss;
use crate::source::ReadAt;

use super::plan::history_plan::HistoryPlan;
use super::{Action, Change};

pub(super) use draft::{Draft, Planned};
pub(super) use fill::fill;
pub(super) use view::View;

/// What plans come to in a store.
#[derive(Default)]
pub(super) struct Written {
    pub patch: Patch,
    /// Records that change.
    pub touched: Vec<Place>,
    /// Links of other lines, which change with what goes or comes.
    pub relinked: Vec<Change>,
}

/// Writes what plans say. Their rows lie in the text that was made of the records; the places of their changes are led
/// back to where that came from.
pub(super) fn write(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &read::Options,
    editor: &'static Editor,
    plans: &mut [HistoryPlan],
) -> io::Result<Written> {
    // What was made of the records says where it came from; it is made once.
    read::fill(id, bytes, options)?;
    let Some(view) = View::of(id, bytes) else { return Ok(Written::default()) };
    let mut written = Written::default();
    for plan in plans.iter_mut() {
        for change in &mut plan.changes {
            change.row.at = view.origin(change.row.at);
            change.other = change.other.map(|at| view.origin(at));
        }
    }
    let planned = plans.iter().flat_map(|plan| {
        let dialect = plan.info.dialect;
        plan.fates.iter().map(move |(row, fate)| Planned { row, fate, dialect })
    });
    let mut seen = HashSet::new();
    // Branches share what comes before their fork.
    let planned: Vec<Planned<'_>> = planned.filter(|one| seen.insert(one.row.at)).collect();
    // What cannot be made was found before, and planned without.
    let (draft, _) = Draft::of(&view, editor, &planned);
    let done = rewrite::all(&view, editor, draft)?;
    written.touched = done.touched;
    written.patch.add(done.edits);
    let changes = plans.iter().flat_map(|plan| &plan.changes);
    let cause = |cause: Place| changes.clone().find(|change| cause.contains(&change.row.at));
    for (line, because) in done.relinked {
        let change = cause(because).or_else(|| plans.iter().find_map(|plan| plan.changes.first()));
        written.relinked.extend(change.map(|change| Change {
            row: Row::of_place(line.0, line.1),
            other: None,
            action: Action::Rewrite,
            what: "link it to the line that is now before it",
            loss: Loss::Lossless,
            ..*change
        }));
    }
    Ok(written)
}
