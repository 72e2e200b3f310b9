//! The changes of all rounds as one list: places in the original bytes, each change once.

use foldhash::HashSet;

use crate::place::{Pieces, Place};

use super::{Action, Cause, ItemChange, SkippedGroup};

/// Maps the places of a change of a later round, which are in patched bytes, back to the original bytes.
pub(super) fn change_to_original(mut change: ItemChange, pieces: &Pieces, round: usize) -> ItemChange {
    if round > 0 {
        change.row.at = pieces.original(change.row.at);
        change.anchor = change.anchor.map(|other| pieces.original(other));
        if let Cause::Rule(_, _, at) = &mut change.cause {
            *at = pieces.original(*at);
        }
    }
    change
}

/// Maps the place of a skipped group of a later round back to the original bytes.
pub(super) fn group_to_original(left: SkippedGroup, pieces: &Pieces, round: usize) -> SkippedGroup {
    if round > 0 { SkippedGroup { at: pieces.original(left.at), ..left } } else { left }
}

/// Removes duplicates; for an item that is dropped in the end, only that is listed.
pub(super) fn dedup_changes(mut changes: Vec<ItemChange>) -> Vec<ItemChange> {
    let dropped: HashSet<Place> =
        changes.iter().filter(|change| change.action == Action::Drop).map(|change| change.row.at).collect();
    let mut seen = HashSet::default();
    changes.retain(|change| {
        // A change of the request around the item is not one of the item.
        let of_request =
            change.action == Action::Rewrite && change.anchor.is_some_and(|at| at.contains(&change.row.at));
        let stays = change.action == Action::Drop || of_request || !dropped.contains(&change.row.at);
        let rule = match change.cause {
            Cause::Rule(code, ..) => Some(code),
            Cause::Flag(_) => None,
        };
        // A placeholder without an id may be the output of any of the calls without one, so each is listed.
        let is_shared = change.action == Action::Stub && change.row.key == 0;
        is_shared || stays && seen.insert((change.row.at, change.action, change.description, rule))
    });
    changes.sort_by_key(|change| (change.row.at.order(), change.action));
    changes
}
