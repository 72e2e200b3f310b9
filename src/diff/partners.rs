//! Which history of one doc is which of the other: by what the doc calls them, then by what they hold, then by where they
//! stand.

use std::collections::{HashMap, VecDeque};

use crate::json::string::fingerprint_of;

use super::entries::Told;

/// Two histories by their indices; one of them may have no partner.
pub type Pair = (Option<usize>, Option<usize>);

/// All histories of both docs in the order of the second one, those of the first that have no partner where they stood;
/// and whether some come in another order that means something.
pub fn pair(before: &[Told], after: &[Told]) -> (Vec<Pair>, bool) {
    let mut pairs = Pairs { partner: vec![None; before.len()], taken: vec![false; after.len()] };
    let label = |told: &Told| told.label.as_ref().map_or(0, |label| fingerprint_of(label.as_bytes()));
    // One name may come once a record.
    pairs.by_key(
        before,
        after,
        |told| if label(told) == 0 { 0 } else { label(told).rotate_left(1) ^ written(told) },
    );
    pairs.by_key(before, after, label);
    let labelled = pairs.taken.contains(&true);
    // Histories that are called by names have no partner but the one of that name.
    pairs.by_key(before, after, |told| if told.label.is_some() && labelled { 0 } else { written(told) });
    pairs.by_own_entry(before, after, labelled);
    pairs.by_order(before, after, labelled);
    let moved = pairs.partner.iter().zip(before).filter(|(_, told)| told.label.is_none()).filter_map(|(b, _)| *b);
    let order: Vec<usize> = moved.collect();
    (pairs.listed(), !order.is_sorted())
}

/// The same for histories that are copies.
fn written(told: &Told) -> u64 {
    let all = told.members.iter().chain(&told.entries).flat_map(|entry| entry.written.to_le_bytes());
    fingerprint_of(&all.collect::<Vec<u8>>())
}

struct Pairs {
    partner: Vec<Option<usize>>,
    taken: Vec<bool>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each history of its side, and numbers are counted over them"
)]
impl Pairs {
    /// Pairs those with one key, in order. 0 is none.
    fn by_key(&mut self, before: &[Told], after: &[Told], of: impl Fn(&Told) -> u64) {
        let mut free: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for (b, told) in after.iter().enumerate().filter(|(b, _)| !self.taken[*b]) {
            let key = of(told);
            if key != 0 {
                free.entry(key).or_default().push_back(b);
            }
        }
        for (a, told) in before.iter().enumerate() {
            if self.partner[a].is_none()
                && let Some(b) = free.get_mut(&of(told)).and_then(VecDeque::pop_front)
            {
                (self.partner[a], self.taken[b]) = (Some(b), true);
            }
        }
    }

    /// By the last entry of a history that only one of the others holds, too: branches begin alike, and grow.
    fn by_own_entry(&mut self, before: &[Told], after: &[Told], labelled: bool) {
        let named = |told: &Told| labelled && told.label.is_some();
        const MANY: usize = usize::MAX;
        let mut holders: HashMap<u64, usize> = HashMap::new();
        for (b, told) in after.iter().enumerate().filter(|(b, _)| !self.taken[*b]) {
            for entry in &told.entries {
                let holder = holders.entry(entry.written).or_insert(b);
                *holder = if *holder == b { b } else { MANY };
            }
        }
        for (a, told) in before.iter().enumerate() {
            if self.partner[a].is_some() || named(told) {
                continue;
            }
            let own =
                told.entries.iter().rev().filter_map(|entry| holders.get(&entry.written)).find(|b| **b != MANY);
            if let Some(b) = own.copied().filter(|b| !self.taken[*b] && !named(&after[*b])) {
                (self.partner[a], self.taken[b]) = (Some(b), true);
            }
        }
    }

    /// What is left, in order. Those that are called by names are not the same under another one.
    fn by_order(&mut self, before: &[Told], after: &[Told], labelled: bool) {
        let takes = |told: &Told| !labelled || told.label.is_none();
        let mut rest =
            (0..after.len()).filter(|b| !self.taken[*b] && takes(&after[*b])).collect::<Vec<_>>().into_iter();
        for (a, told) in before.iter().enumerate() {
            if self.partner[a].is_none()
                && takes(told)
                && let Some(b) = rest.next()
            {
                (self.partner[a], self.taken[b]) = (Some(b), true);
            }
        }
    }

    fn listed(&self) -> Vec<Pair> {
        let mut back: Vec<Option<usize>> = vec![None; self.taken.len()];
        for (a, b) in self.partner.iter().enumerate() {
            if let Some(b) = b {
                back[*b] = Some(a);
            }
        }
        let mut pairs = Vec::new();
        let mut from = 0;
        let gone = |from: usize, to: usize, pairs: &mut Vec<Pair>| {
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
