//! Pairs of histories of two documents: by name, then by content, then by position.

use std::collections::VecDeque;

use foldhash::HashMap;

use crate::json::string::fingerprint_of;

use super::entries::HistoryEntries;

/// The indices of two histories, of which one may be missing.
pub type HistoryPair = (Option<usize>, Option<usize>);

/// Pairs the histories of two documents, in the order of the second one; unpaired ones of the first are at their former
/// position. The flag is true if histories without names changed their order.
pub fn pair(before: &[HistoryEntries], after: &[HistoryEntries]) -> (Vec<HistoryPair>, bool) {
    let mut pairs = HistoryPairs { partner: vec![None; before.len()], is_matched: vec![false; after.len()] };
    let label =
        |history: &HistoryEntries| history.label.as_ref().map_or(0, |label| fingerprint_of(label.as_bytes()));
    // A name may occur in several records.
    pairs.by_key(before, after, |history| {
        if label(history) == 0 { 0 } else { label(history).rotate_left(1) ^ text_hash(history) }
    });
    pairs.by_key(before, after, label);
    let labelled = pairs.is_matched.contains(&true);
    // Histories with names are paired only by name.
    pairs.by_key(
        before,
        after,
        |history| if history.label.is_some() && labelled { 0 } else { text_hash(history) },
    );
    pairs.by_unique_entry(before, after, labelled);
    pairs.by_order(before, after, labelled);
    let moved =
        pairs.partner.iter().zip(before).filter(|(_, history)| history.label.is_none()).filter_map(|(b, _)| *b);
    let order: Vec<usize> = moved.collect();
    (pairs.to_list(), !order.is_sorted())
}

/// A hash of all entries, equal for copies.
fn text_hash(history: &HistoryEntries) -> u64 {
    let all = history.members.iter().chain(&history.entries).flat_map(|entry| entry.text_hash.to_le_bytes());
    fingerprint_of(&all.collect::<Vec<u8>>())
}

struct HistoryPairs {
    partner: Vec<Option<usize>>,
    is_matched: Vec<bool>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each history of its side, and numbers are counted over them"
)]
impl HistoryPairs {
    /// Pairs histories with equal keys, in order. The key 0 matches nothing.
    fn by_key(
        &mut self,
        before: &[HistoryEntries],
        after: &[HistoryEntries],
        of: impl Fn(&HistoryEntries) -> u64,
    ) {
        let mut free: HashMap<u64, VecDeque<usize>> = HashMap::default();
        for (b, history) in after.iter().enumerate().filter(|(b, _)| !self.is_matched[*b]) {
            let key = of(history);
            if key != 0 {
                free.entry(key).or_default().push_back(b);
            }
        }
        for (a, history) in before.iter().enumerate() {
            if self.partner[a].is_none()
                && let Some(b) = free.get_mut(&of(history)).and_then(VecDeque::pop_front)
            {
                (self.partner[a], self.is_matched[b]) = (Some(b), true);
            }
        }
    }

    /// Pairs by the last entry that exactly one other history contains as well: branches begin alike, and grow.
    fn by_unique_entry(&mut self, before: &[HistoryEntries], after: &[HistoryEntries], labelled: bool) {
        let named = |history: &HistoryEntries| labelled && history.label.is_some();
        const MANY: usize = usize::MAX;
        let mut holders: HashMap<u64, usize> = HashMap::default();
        for (b, history) in after.iter().enumerate().filter(|(b, _)| !self.is_matched[*b]) {
            for entry in &history.entries {
                let holder = holders.entry(entry.text_hash).or_insert(b);
                *holder = if *holder == b { b } else { MANY };
            }
        }
        for (a, history) in before.iter().enumerate() {
            if self.partner[a].is_some() || named(history) {
                continue;
            }
            let own = history
                .entries
                .iter()
                .rev()
                .filter_map(|entry| holders.get(&entry.text_hash))
                .find(|b| **b != MANY);
            if let Some(b) = own.copied().filter(|b| !self.is_matched[*b] && !named(&after[*b])) {
                (self.partner[a], self.is_matched[b]) = (Some(b), true);
            }
        }
    }

    /// Pairs the remaining histories in order, except those with names.
    fn by_order(&mut self, before: &[HistoryEntries], after: &[HistoryEntries], labelled: bool) {
        let takes = |history: &HistoryEntries| !labelled || history.label.is_none();
        let mut rest =
            (0..after.len()).filter(|b| !self.is_matched[*b] && takes(&after[*b])).collect::<Vec<_>>().into_iter();
        for (a, history) in before.iter().enumerate() {
            if self.partner[a].is_none()
                && takes(history)
                && let Some(b) = rest.next()
            {
                (self.partner[a], self.is_matched[b]) = (Some(b), true);
            }
        }
    }

    fn to_list(&self) -> Vec<HistoryPair> {
        let mut back: Vec<Option<usize>> = vec![None; self.is_matched.len()];
        for (a, b) in self.partner.iter().enumerate() {
            if let Some(b) = b {
                back[*b] = Some(a);
            }
        }
        let mut pairs = Vec::new();
        let mut from = 0;
        let gone = |from: usize, to: usize, pairs: &mut Vec<HistoryPair>| {
            pairs.extend((from..to).filter(|a| self.partner[*a].is_none()).map(|a| (Some(a), None)));
        };
        for (b, a) in back.into_iter().enumerate() {
            if let Some(a) = a.filter(|a| *a >= from) {
                gone(from, a, &mut pairs);
                from = a;
            }
            pairs.push((a, Some(b)));
        }
        gone(from, self.partner.len(), &mut pairs);
        pairs
    }
}
