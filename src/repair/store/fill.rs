//! Fills in what the records of a store lack, apart from the content of messages.

use std::io;

use foldhash::HashSet;

use crate::format::Format;
use crate::format::translate::ParsedRecord;
use crate::history::{Remedy, RepairAct};
use crate::judge::WeighedFinding;
use crate::place::Place;
use crate::read;
use crate::source::ReadAt;

use super::view::StoreView;
use crate::repair::edit::text::{TextEdits, change_for};
use crate::repair::{Action, FixOptions};

/// The edits for findings about the records of a store.
pub(in crate::repair) fn fill<'j>(
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    judged: impl Iterator<Item = &'j WeighedFinding>,
    options: &read::Options,
    fix_options: &FixOptions,
) -> io::Result<TextEdits> {
    let mut all = TextEdits::default();
    let Some(fill) = format.and_then(|format| format.info().editor?.fill) else { return Ok(all) };
    let asks = |judged: &&WeighedFinding| matches!(judged.finding.remedy, Remedy::One(RepairAct::RepairStored(_)));
    let asked: Vec<&WeighedFinding> =
        judged.filter(asks).filter(|judged| fix_options.accepts(judged, &mut all.refusals)).collect();
    let Some(first) = asked.first() else { return Ok(all) };
    let doc = first.finding.row.at.doc;
    read::merge_events(doc, bytes, options)?;
    let Some(view) = StoreView::of(doc, bytes) else { return Ok(all) };
    let places: Vec<Place> = asked.iter().map(|judged| view.origin(judged.finding.row.at)).collect();
    let places_to_fill: HashSet<Place> = places.iter().copied().collect();
    let mut done = HashSet::default();
    for (judged, at) in asked.into_iter().zip(places) {
        if let Some(record) = view.record(at).filter(|record| done.insert(record.at.start))
            && let Some(val) = record.root()
        {
            let stored = ParsedRecord { val, base: record.base(), number: judged.finding.row.record };
            fill(&stored, &|at| places_to_fill.contains(&at), &mut all.edits);
        }
        all.changes.push(change_for(judged, at, Action::Rewrite));
        all.touched.push(at);
    }
    Ok(all)
}
