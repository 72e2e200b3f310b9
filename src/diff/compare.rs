//! Comparison of two documents, history by history: items and request settings.

use std::io;

use crate::judge::Options;
use crate::place::DocId;
use crate::source::ReadAt;

use super::align::{Alignment, EntryStatus, align};
use super::entries::{self, HistoryEntries, UnsentEntry, Vocabulary};
use super::entry::Entry;
use super::history_pairs;
use super::renames::Rename;
use super::settings;
use super::values::ValueChange;

/// A document to compare, and how it is read.
#[derive(Clone, Copy)]
pub struct DiffSide<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    pub options: &'s Options,
}

/// The parts that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiffScope {
    /// Items, instructions, and the settings of requests.
    #[default]
    All,
    /// Items and instructions only.
    Items,
}

/// A history of one document.
#[derive(Clone, Debug)]
pub struct HistoryInfo {
    /// Its number in the document, from 0.
    pub number: usize,
    /// Its name in the document; `None` if it has none.
    pub label: Option<Box<str>>,
    pub is_branch: bool,
}

/// The differences of two histories, of which one may be missing.
#[derive(Debug, Default)]
pub struct HistoryComparison {
    pub histories: (Option<HistoryInfo>, Option<HistoryInfo>),
    pub before: Vec<Entry>,
    pub after: Vec<Entry>,
    pub statuses: Vec<EntryStatus>,
    /// Ids that are renamed consistently.
    pub renames: Vec<Rename>,
    pub settings: Vec<ValueChange>,
    /// Entries of each side that its agent does not send. They are not differences.
    pub unsent: [Vec<UnsentEntry>; 2],
    /// True if both are requests of one dialect, which a provider may have cached.
    pub are_requests: bool,
}

/// The differences of two documents.
pub struct DocDiff {
    /// Differences by history; one without a partner is compared with an empty one.
    pub differences: Vec<HistoryComparison>,
    /// Number of records of each side that could not be read, and may differ.
    pub unread: [u32; 2],
    /// Number of histories of each side.
    pub histories: [usize; 2],
    /// Histories without names are in another order.
    pub reordered: bool,
}

/// Compares two documents.
pub fn compare(before: DiffSide<'_>, after: DiffSide<'_>, scope: DiffScope) -> io::Result<DocDiff> {
    let read = |side: DiffSide<'_>, words| entries::read(side.id, side.bytes, side.options, words);
    let ((mut old, unread_old), (mut new, unread_new)) =
        (read(before, Vocabulary::Own)?, read(after, Vocabulary::Own)?);
    let histories = [old.len(), new.len()];
    let mut dialects = old.iter().chain(&new).map(|history| history.dialect);
    let first = dialects.next();
    if dialects.any(|other| Some(other) != first) {
        // Items of two dialects are compared by meaning, in a shared vocabulary.
        (old, new) = (read(before, Vocabulary::Shared)?.0, read(after, Vocabulary::Shared)?.0);
    }
    let (pairs, reordered) = history_pairs::pair(&old, &new);
    let (mut old, mut new) = (numbered(old), numbered(new));
    let mut differences = Vec::new();
    for (a, b) in pairs {
        let (a, b) = (a.and_then(|a| old.get_mut(a)?.take()), b.and_then(|b| new.get_mut(b)?.take()));
        differences.push(diff_histories(a, b, scope));
    }
    Ok(DocDiff { differences, unread: [unread_old, unread_new], histories, reordered })
}

fn numbered(history: Vec<HistoryEntries>) -> Vec<Option<(usize, HistoryEntries)>> {
    history.into_iter().enumerate().map(Some).collect()
}

fn diff_histories(
    before: Option<(usize, HistoryEntries)>,
    after: Option<(usize, HistoryEntries)>,
    scope: DiffScope,
) -> HistoryComparison {
    let found = |history: &Option<(usize, HistoryEntries)>| {
        let (number, history) = history.as_ref()?;
        Some(HistoryInfo { number: *number, label: history.label.clone(), is_branch: history.is_branch })
    };
    let histories = (found(&before), found(&after));
    let is_request = |history: &Option<(usize, HistoryEntries)>| {
        history.as_ref().is_some_and(|(_, history)| history.is_request)
    };
    let are_requests = is_request(&before) && is_request(&after);
    let parts = |history: Option<(usize, HistoryEntries)>| {
        history.map(|(_, history)| (history.members, history.entries, history.unsent))
    };
    // Settings are compared only if both histories exist.
    let both = before.is_some() && after.is_some();
    let ((old, before, old_unsent), (new, after, new_unsent)) =
        (parts(before).unwrap_or_default(), parts(after).unwrap_or_default());
    let settings = if both && scope == DiffScope::All { settings::changes(&old, &new) } else { Vec::new() };
    let Alignment { statuses, renames } = align(&before, &after);
    let unsent = [old_unsent, new_unsent];
    HistoryComparison { histories, before, after, statuses, renames, settings, unsent, are_requests }
}

/// Number of entries by status, and of other differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffCounts {
    pub same: u64,
    pub changed: u64,
    pub moved: u64,
    pub added: u64,
    pub removed: u64,
    /// Renamed ids.
    pub renamed: u64,
    pub settings: u64,
    /// Histories without a partner.
    pub unpaired: u64,
}

impl HistoryComparison {
    pub fn count(&self) -> DiffCounts {
        let (renamed, settings) = (self.renames.len() as u64, self.settings.len() as u64);
        let unpaired = u64::from(!self.is_paired());
        let mut count = DiffCounts { renamed, settings, unpaired, ..DiffCounts::default() };
        for fate in &self.statuses {
            match fate {
                EntryStatus::Same(..) => count.same += 1,
                EntryStatus::Changed(..) => count.changed += 1,
                EntryStatus::Moved(..) => count.moved += 1,
                EntryStatus::Removed(_) => count.removed += 1,
                EntryStatus::Added(_) => count.added += 1,
            }
        }
        count
    }

    pub fn is_paired(&self) -> bool {
        self.histories.0.is_some() && self.histories.1.is_some()
    }
}

impl DiffCounts {
    pub fn has_differences(&self) -> bool {
        self.has_item_differences() || self.renamed + self.settings + self.unpaired > 0
    }

    pub fn has_item_differences(&self) -> bool {
        self.changed + self.moved + self.added + self.removed > 0
    }

    pub fn add(&mut self, other: DiffCounts) {
        self.same += other.same;
        self.changed += other.changed;
        self.moved += other.moved;
        self.added += other.added;
        self.removed += other.removed;
        self.renamed += other.renamed;
        self.settings += other.settings;
        self.unpaired += other.unpaired;
    }
}
