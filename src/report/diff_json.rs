//! The difference of two histories, for programs.

use crate::diff::align::EntryStatus;
use crate::diff::compare::{DiffCounts, HistoryComparison, HistoryInfo};
use crate::diff::continuation::{CacheBreak, Continuation, continuation};
use crate::diff::entries::UnsentEntry;
use crate::diff::entry::Entry;
use crate::diff::equivalence::IdKind;
use crate::diff::renames::RenamedIds;
use crate::diff::values::ValueChange;

use super::{contract, diff_contract, history_diff, mask, value_changes};

/// The difference of two documents; content is masked unless it is shown.
pub fn diff(differences: &[HistoryComparison], reordered: bool, shows_content: bool) -> diff_contract::Diff {
    let mut sum = DiffCounts::default();
    differences.iter().for_each(|difference| sum.add(difference.count()));
    let history = |difference: &HistoryComparison| history_diff(difference, !shows_content);
    diff_contract::Diff {
        version: contract::VERSION,
        summary: sum.into(),
        reordered,
        histories: differences.iter().map(history).collect(),
    }
}

fn history_diff(difference: &HistoryComparison, masked: bool) -> diff_contract::HistoryDiff {
    let side = |entry: Option<&Entry>| {
        entry.map(|entry| diff_contract::Side {
            record: entry.record,
            pointer: entry.pointer.clone(),
            bytes: entry.text.size() as u64,
        })
    };
    let renamed = RenamedIds::of(&difference.renames);
    let differ = difference.statuses.iter().filter(|fate| !matches!(fate, EntryStatus::Same(..)));
    let entries = differ.map(|fate| {
        let (_, before, after) = history_diff::sides(difference, fate);
        let named = after.or(before);
        let (action, changed) = match fate {
            EntryStatus::Same(..) => ("same", false),
            EntryStatus::Changed(..) => ("changed", true),
            EntryStatus::Moved(.., changed) => ("moved", *changed),
            EntryStatus::Removed(_) => ("removed", false),
            EntryStatus::Added(_) => ("added", false),
        };
        diff_contract::EntryDiff {
            action,
            changed,
            kind: named.map(|entry| mask::phrase(&entry.kind)).unwrap_or_default(),
            id: named.and_then(|entry| entry.id.as_deref().map(mask::id)),
            before: side(before),
            after: side(after),
            changes: changes(difference, fate, &renamed)
                .iter()
                .map(|change| value_changes::value_diff(change, masked))
                .collect(),
        }
    });
    let renames = difference.renames.iter().map(|rename| diff_contract::RenamedId {
        of: match rename.tie {
            IdKind::Call => "call",
            IdKind::Item => "item",
        },
        before: mask::id(&rename.before),
        after: mask::id(&rename.after),
        items: rename.places as u64,
    });
    let found = |found: &Option<HistoryInfo>| found.as_ref().map(|found| found.number as u64);
    let (before, after) = &difference.histories;
    let settings = difference.settings.iter();
    let Continuation { appended, cache_break, .. } = continuation(difference);
    let label = after.as_ref().or(before.as_ref()).and_then(|found| found.label.as_deref());
    diff_contract::HistoryDiff {
        before: found(before),
        after: found(after),
        label: label.map(mask::label),
        summary: difference.count().into(),
        appended: appended as u64,
        cache: cache_break.map(|at| cache(difference, at)),
        entries: entries.collect(),
        renamed: renames.collect(),
        settings: settings.map(|change| value_changes::setting_diff(change, masked)).collect(),
        unsent: unsent_diffs(&difference.unsent),
    }
}

/// The members that changed; of an item that is only on one side, all of it.
fn changes(difference: &HistoryComparison, fate: &EntryStatus, renamed: &RenamedIds<'_>) -> Vec<ValueChange> {
    let text = |entry: Option<&Entry>| entry.map(|entry| entry.text.bytes().into_owned());
    match (fate, history_diff::sides(difference, fate)) {
        (EntryStatus::Added(_) | EntryStatus::Removed(_), (_, before, after)) => {
            vec![ValueChange { before: text(before), after: text(after), ..ValueChange::default() }]
        }
        _ => history_diff::value_changes(difference, fate, renamed),
    }
}

fn cache(difference: &HistoryComparison, at: CacheBreak) -> diff_contract::CacheLoss {
    match at {
        CacheBreak::Setting(n) => {
            let of = difference.settings.get(n).map(|change| value_changes::setting(&change.of));
            diff_contract::CacheLoss { at: of.unwrap_or_default(), pointer: None, kept: 0 }
        }
        CacheBreak::Entry(n) => {
            let sides = difference.statuses.get(n).map(|fate| history_diff::sides(difference, fate));
            let entry = sides.and_then(|(_, before, after)| after.or(before));
            diff_contract::CacheLoss {
                at: entry.map(|entry| mask::phrase(&entry.kind)).unwrap_or_default(),
                pointer: entry.map(|entry| entry.pointer.clone()),
                kept: n as u64,
            }
        }
    }
}

fn unsent_diffs([before, after]: &[Vec<UnsentEntry>; 2]) -> Vec<diff_contract::UnsentDiff> {
    let left = |side, left: &UnsentEntry| diff_contract::UnsentDiff {
        side,
        reason: left.why,
        record: left.record,
        pointer: left.pointer.clone(),
        bytes: u64::from(left.at.len),
    };
    let before = before.iter().map(|own| left("before", own));
    before.chain(after.iter().map(|own| left("after", own))).collect()
}
