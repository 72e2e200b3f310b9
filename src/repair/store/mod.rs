//! Repairs of stores whose records are translated, in place. The plan is about messages that were translated from
//! records; the source of each copied text is known, so an item is removed where it came from, a text is changed
//! there, and a missing result is written as the store writes one.

mod draft;
mod fill;
mod images;
mod lines;
mod origin_map;
mod rewrite;
mod view;

use std::io;

use foldhash::HashSet;

use crate::format::Editor;
use crate::history::Row;
use crate::place::{DocId, Patch, Place};
use crate::read;
use crate::rule::Loss;
use crate::source::ReadAt;

use super::plan::history_plan::HistoryPlan;
use super::{Action, ItemChange};

pub(super) use draft::{Draft, PlannedItem};
pub(super) use fill::fill;
pub(super) use view::StoreView;

/// The edits of plans on a store.
#[derive(Default)]
pub(super) struct StorePatch {
    pub patch: Patch,
    /// Records that change.
    pub touched: Vec<Place>,
    /// Changes of the links of other lines.
    pub link_changes: Vec<ItemChange>,
}

/// Renders plans into edits on the store. Their rows are in the synthetic text; the places of their changes are
/// mapped back to the records.
pub(super) fn write(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &read::Options,
    editor: &'static Editor,
    plans: &mut [HistoryPlan],
) -> io::Result<StorePatch> {
    // The synthetic text knows its sources; it is made once.
    read::merge_events(id, bytes, options)?;
    let Some(view) = StoreView::of(id, bytes) else { return Ok(StorePatch::default()) };
    let mut written = StorePatch::default();
    let planned = plans.iter().flat_map(|plan| {
        let dialect = plan.info.dialect;
        plan.decisions.iter().map(move |(row, decision)| PlannedItem { row, decision, dialect })
    });
    let mut seen = HashSet::default();
    // Branches share what comes before their fork.
    let planned: Vec<PlannedItem<'_>> = planned.filter(|one| seen.insert(one.row.at)).collect();
    // Impossible changes were found before, and are not in the plans.
    let (mut draft, _) = Draft::of(&view, editor, &planned);
    let apart = std::mem::take(&mut draft.apart);
    for change in plans.iter_mut().flat_map(|plan| &mut plan.changes) {
        let anchor = change.anchor.map(|at| view.origin(at));
        change.anchor = anchor.or_else(|| apart.get(&change.row.at.start).copied());
        change.row.at = view.origin(change.row.at);
    }
    let done = rewrite::edits(&view, editor, draft)?;
    written.touched = done.touched;
    written.patch.add(done.edits);
    let mut changes: Vec<(usize, &ItemChange)> = plans.iter().flat_map(|plan| &plan.changes).enumerate().collect();
    let first = changes.first().map(|(_, change)| *change);
    changes.sort_by_key(|(_, change)| change.row.at.start);
    for (line, cause) in done.link_changes {
        let from = changes.partition_point(|(_, change)| change.row.at.start < cause.start);
        let inside = changes.iter().skip(from).take_while(|(_, change)| change.row.at.start < cause.end());
        let inside = inside.filter(|(_, change)| cause.contains(&change.row.at)).min_by_key(|(n, _)| n);
        let change = inside.map(|(_, change)| *change).or(first);
        written.link_changes.extend(change.map(|change| ItemChange {
            row: Row::of_place(line.0, line.1),
            anchor: None,
            action: Action::Rewrite,
            description: "link it to the new preceding line",
            loss: Loss::Lossless,
            images: None,
            ..*change
        }));
    }
    Ok(written)
}
