//! Alignment of the entries of two histories: by identity first, then by meaning, and last by position between aligned
//! entries.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use super::entry::Entry;
use super::forms::Purpose;
use super::meaning::Meaning;
use super::renames::{Rename, Renames};

/// The status of an entry, with its index before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryStatus {
    /// It has the same meaning.
    Same(usize, usize),
    Changed(usize, usize),
    /// Its position changed; the flag is true if its content changed as well.
    Moved(usize, usize, bool),
    Removed(usize),
    Added(usize),
}

/// The alignment of two histories.
#[derive(Debug, Default)]
pub struct Alignment {
    /// Statuses in the order of the history after; removed entries are at their former position.
    pub statuses: Vec<EntryStatus>,
    /// Renamed ids.
    pub renames: Vec<Rename>,
}

/// Aligns the entries of two histories.
pub fn align(before: &[Entry], after: &[Entry]) -> Alignment {
    let mut pairs = EntryPairs::new(before, after);
    // Most entries are copies: identical text is not parsed.
    pairs.match_by(MatchMode::All, |_, entry, _| entry.text_hash);
    if pairs.partner.iter().any(Option::is_none) || pairs.is_matched.contains(&false) {
        pairs.pair_by_meaning();
    }
    let kept = longest_increasing(&pairs.partner);
    pairs.pair_in_gaps(&kept);
    let kept = longest_increasing(&pairs.partner);
    let statuses = pairs.statuses(&kept);
    Alignment { statuses, renames: pairs.renames.into_list() }
}

/// The entries with equal keys that are paired.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchMode {
    All,
    /// Only those whose key is unique on both sides.
    Unique,
}

/// The pairs found so far.
struct EntryPairs<'e> {
    before: &'e [Entry],
    after: &'e [Entry],
    partner: Vec<Option<usize>>,
    is_matched: Vec<bool>,
    /// The meanings of entries whose text differs, for each side.
    meanings: [Vec<Option<Meaning>>; 2],
    renames: Renames,
    /// True if the meaning is the same, by the index before.
    is_same: Vec<bool>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each entry of its side, and numbers are counted over them"
)]
impl<'e> EntryPairs<'e> {
    fn new(before: &'e [Entry], after: &'e [Entry]) -> Self {
        EntryPairs {
            before,
            after,
            partner: vec![None; before.len()],
            is_matched: vec![false; after.len()],
            meanings: [vec![None; before.len()], vec![None; after.len()]],
            renames: Renames::default(),
            is_same: vec![false; before.len()],
        }
    }

    /// Pairs entries with different text: with the same id first, then with a renamed id, which must be consistent.
    fn pair_by_meaning(&mut self) {
        self.read_meanings();
        self.match_by(MatchMode::All, |_, entry, meaning| match entry.key {
            0 => meaning.hash,
            key => key.rotate_left(1) ^ meaning.hash,
        });
        self.keep_ids();
        let renames = std::mem::take(&mut self.renames);
        self.match_by(
            MatchMode::Unique,
            |before, _, meaning| {
                if renames.is_open(before, &meaning.ids) { meaning.hash } else { 0 }
            },
        );
        self.renames = renames;
        self.propagate_ids();
        self.match_in_order();
        let renames = std::mem::take(&mut self.renames);
        self.match_by(MatchMode::All, |before, entry, _| {
            let renamed = entry.id.as_deref().filter(|_| before).and_then(|id| renames.of(id));
            renamed.map_or(entry.key, |id| entry.key_with_id(&id))
        });
        self.renames = renames;
        // Entries with the same meaning whose id now refers to something else.
        self.match_by(MatchMode::All, |_, _, meaning| meaning.hash);
        self.match_by(MatchMode::All, |_, _, meaning| meaning.loose);
    }

    /// Reads the meanings of unpaired entries; paired ones are equal.
    fn read_meanings(&mut self) {
        for (a, entry) in self.before.iter().enumerate() {
            match self.partner[a] {
                Some(_) => self.is_same[a] = true,
                None => self.meanings[0][a] = Some(entry.meaning(Purpose::Meaning)),
            }
        }
        for (b, entry) in self.after.iter().enumerate().filter(|(b, _)| !self.is_matched[*b]) {
            self.meanings[1][b] = Some(entry.meaning(Purpose::Meaning));
        }
    }

    /// Pairs unpaired entries with equal keys, in order. The key 0 matches nothing.
    fn match_by(&mut self, which: MatchMode, of: impl Fn(bool, &Entry, &Meaning) -> u64) {
        let none = Meaning::default();
        let meaning = |side: usize, n: usize| self.meanings[side][n].as_ref().unwrap_or(&none);
        let left = (0..self.before.len()).filter(|a| self.partner[*a].is_none());
        let olds: Vec<(u64, usize)> = left.map(|a| (of(true, &self.before[a], meaning(0, a)), a)).collect();
        let mut free: HashMap<u64, VecDeque<usize>> = HashMap::default();
        for (b, entry) in self.after.iter().enumerate().filter(|(b, _)| !self.is_matched[*b]) {
            let own = of(false, entry, meaning(1, b));
            if own != 0 {
                free.entry(own).or_default().push_back(b);
            }
        }
        if which == MatchMode::Unique {
            let mut times: HashMap<u64, u32> = HashMap::default();
            olds.iter().for_each(|(own, _)| *times.entry(*own).or_default() += 1);
            free.retain(|own, list| list.len() == 1 && times.get(own) == Some(&1));
        }
        for (own, a) in olds {
            if let Some(b) = free.get_mut(&own).and_then(VecDeque::pop_front) {
                (self.partner[a], self.is_matched[b]) = (Some(b), true);
            }
        }
    }

    /// Pairs entries with the same meaning one by one: a call determines the id of its result.
    fn match_in_order(&mut self) {
        let under = |key: u64, meaning: &Meaning| key.rotate_left(1) ^ meaning.hash;
        let mut by_said: HashMap<u64, VecDeque<usize>> = HashMap::default();
        let mut by_key: HashMap<u64, VecDeque<usize>> = HashMap::default();
        for (b, meaning) in self.meanings[1].iter().enumerate().filter(|(b, _)| !self.is_matched[*b]) {
            let Some(meaning) = meaning else { continue };
            by_said.entry(meaning.hash).or_default().push_back(b);
            by_key.entry(under(self.after[b].key, meaning)).or_default().push_back(b);
        }
        for (a, entry) in self.before.iter().enumerate() {
            let Some(meaning) = self.meanings[0][a].as_ref().filter(|_| self.partner[a].is_none()) else {
                continue;
            };
            let (list, is_renamed) = match entry.id.as_deref().and_then(|id| self.renames.of(id)) {
                Some(id) => (by_key.get_mut(&under(entry.key_with_id(&id), meaning)), true),
                None if self.renames.is_open(true, &meaning.ids) => (by_said.get_mut(&meaning.hash), false),
                None => continue,
            };
            // Entries that are paired, or whose id belongs to another one, are skipped.
            let fits = |b: &usize| {
                let open = |after: &Meaning| is_renamed || self.renames.is_open(false, &after.ids);
                !self.is_matched[*b] && self.meanings[1][*b].as_ref().is_some_and(open)
            };
            let found = list.and_then(|list| std::iter::from_fn(|| list.pop_front()).find(fits));
            if let Some(b) = found
                && let Some(after) = &self.meanings[1][b]
            {
                (self.partner[a], self.is_matched[b]) = (Some(b), true);
                self.is_same[a] = self.renames.record(meaning, after, (a, b));
            }
        }
    }

    /// Keeps the ids of entries with identical text, or with the same meaning and id.
    fn keep_ids(&mut self) {
        for (a, entry) in self.before.iter().enumerate() {
            match (self.partner[a], &self.meanings[0][a]) {
                (Some(_), None) => self.renames.keep(&entry.ids),
                (Some(b), Some(meaning)) => {
                    let after: HashSet<_> = self.meanings[1][b].iter().flat_map(|after| &after.ids).collect();
                    let kept: Vec<_> = meaning.ids.iter().filter(|id| after.contains(id)).cloned().collect();
                    self.renames.keep(&kept);
                }
                (None, _) => {}
            }
        }
        self.propagate_ids();
    }

    /// Records the ids of entries with the same meaning; an inconsistent id makes its entry a change.
    fn propagate_ids(&mut self) {
        for (a, before) in self.meanings[0].iter().enumerate() {
            if let (Some(b), Some(before), false) = (self.partner[a], before, self.is_same[a])
                && let Some(after) = &self.meanings[1][b]
            {
                self.is_same[a] = self.renames.record(before, after, (a, b));
            }
        }
    }

    /// Pairs unpaired entries of one kind between two aligned ones, as changed.
    fn pair_in_gaps(&mut self, kept: &[bool]) {
        let (before, after) = (self.before, self.after);
        let anchors: Vec<(usize, usize)> = (0..before.len())
            .filter(|a| kept[*a])
            .filter_map(|a| Some((a, self.partner[a]?)))
            .chain([(before.len(), after.len())])
            .collect();
        let (mut from_a, mut from_b) = (0, 0);
        for (to_a, to_b) in anchors {
            let mut free: HashMap<&str, VecDeque<usize>> = HashMap::default();
            for b in (from_b..to_b).filter(|b| !self.is_matched[*b]) {
                free.entry(&after[b].kind).or_default().push_back(b);
            }
            let mut least = from_b;
            for (a, entry) in before.iter().enumerate().take(to_a).skip(from_a) {
                let Some(list) = free.get_mut(&*entry.kind).filter(|_| self.partner[a].is_none()) else {
                    continue;
                };
                // Pairs keep their order.
                while list.front().is_some_and(|b| *b < least) {
                    list.pop_front();
                }
                if let Some(b) = list.pop_front() {
                    (self.partner[a], self.is_matched[b]) = (Some(b), true);
                    least = b + 1;
                }
            }
            (from_a, from_b) = (to_a + 1, to_b + 1);
        }
    }

    fn statuses(&self, kept: &[bool]) -> Vec<EntryStatus> {
        let mut fates = Vec::new();
        let mut back: Vec<Option<usize>> = vec![None; self.after.len()];
        for (a, b) in self.partner.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
            back[b] = Some(a);
        }
        let mut at = 0;
        let removed_to = |at: &mut usize, to: usize, fates: &mut Vec<EntryStatus>| {
            fates.extend((*at..to).filter(|a| self.partner[*a].is_none()).map(EntryStatus::Removed));
            *at = (*at).max(to);
        };
        for (b, a) in back.iter().enumerate() {
            let Some(a) = *a else {
                fates.push(EntryStatus::Added(b));
                continue;
            };
            let changed = !self.is_same[a] && self.before[a].text_hash != self.after[b].text_hash;
            if !kept[a] {
                fates.push(EntryStatus::Moved(a, b, changed));
                continue;
            }
            removed_to(&mut at, a, &mut fates);
            fates.push(if changed { EntryStatus::Changed(a, b) } else { EntryStatus::Same(a, b) });
        }
        removed_to(&mut at, self.before.len(), &mut fates);
        fates
    }
}

/// True for the entries that keep their order: a longest increasing subsequence of partners.
#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each entry, and numbers are counted over them"
)]
fn longest_increasing(partner: &[Option<usize>]) -> Vec<bool> {
    // For each length, the last entry of the sequence with the lowest partner; for each entry, its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; partner.len()];
    for (a, b) in partner.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
        let at = ends.partition_point(|end| partner[*end] < Some(b));
        previous[a] = at.checked_sub(1).map(|n| ends[n]);
        if at == ends.len() { ends.push(a) } else { ends[at] = a }
    }
    let mut kept = vec![false; partner.len()];
    let mut at = ends.last().copied();
    while let Some(a) = at {
        kept[a] = true;
        at = previous[a];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::entry::EntryGrammar;
    use crate::place::Place;

    fn entry(kind: &str, id: Option<&str>, text: String) -> Entry {
        let grammar = EntryGrammar::Item("responses");
        Entry::new(kind.to_owned(), id.map(str::to_owned), grammar, text.into_bytes(), Place::default(), 1)
    }

    /// `kind:id:content`; an empty id is none.
    fn entries(words: &str) -> Vec<Entry> {
        let of = |word: &str| {
            let parts: Vec<&str> = word.split(':').collect();
            let id = Some(parts[1]).filter(|id| !id.is_empty());
            let own = id.map(|id| format!(r#""call_id":"{id}","#)).unwrap_or_default();
            let entry = entry(parts[0], id, format!(r#"{{{own}"type":"{}","x":"{}"}}"#, parts[0], parts[2]));
            let ids = id.iter().map(|id| (crate::diff::equivalence::IdKind::Call, id.as_bytes().into())).collect();
            Entry { ids, ..entry }
        };
        words.split_whitespace().map(of).collect()
    }

    fn fates(before: &str, after: &str) -> Vec<EntryStatus> {
        align(&entries(before), &entries(after)).statuses
    }

    fn renamed(before: &str, after: &str) -> Vec<(String, String, usize)> {
        let renames = align(&entries(before), &entries(after)).renames;
        renames.into_iter().map(|rename| (rename.before, rename.after, rename.places)).collect()
    }

    #[test]
    fn entries_are_aligned() {
        assert_eq!(
            fates("m::a c:1:x o:2:y m::b m::z", "m::a m::new c:1:changed m::b o:2:y"),
            [
                EntryStatus::Same(0, 0),
                EntryStatus::Added(1),
                EntryStatus::Changed(1, 2),
                EntryStatus::Same(3, 3),
                EntryStatus::Moved(2, 4, false),
                EntryStatus::Removed(4),
            ]
        );
    }

    #[test]
    fn entries_between_equal_ones_are_changed() {
        assert_eq!(
            fates("m::a m::old m::c", "m::a m::new m::c"),
            [EntryStatus::Same(0, 0), EntryStatus::Changed(1, 1), EntryStatus::Same(2, 2)]
        );
        assert_eq!(fates("m::a m::b", "m::a m::b").len(), 2);
        assert_eq!(fates("", "m::a m::b").len(), 2);
    }

    #[test]
    fn equal_entries_keep_their_order() {
        let same = "m::a m::a m::a";
        assert_eq!(fates(same, same), [EntryStatus::Same(0, 0), EntryStatus::Same(1, 1), EntryStatus::Same(2, 2)]);
    }

    #[test]
    fn an_id_that_is_renamed_everywhere_is_no_change() {
        let (before, after) = ("m::a c:1:x o:1:y c:2:x o:2:y", "m::a c:8:x o:8:y c:9:x o:9:y");
        assert!(fates(before, after).iter().all(|fate| matches!(fate, EntryStatus::Same(..))));
        assert_eq!(renamed(before, after), [("1".into(), "8".into(), 2), ("2".into(), "9".into(), 2)]);
        // The result changed, and is still the result of the call.
        let after = "m::a c:8:x o:8:z c:9:x o:9:y";
        assert_eq!(fates(before, after)[2], EntryStatus::Changed(2, 2));
    }

    #[test]
    fn an_inconsistent_id_is_a_change() {
        let fates_of_result = |before: &str, after: &str| fates(before, after)[1];
        assert_eq!(fates_of_result("c:1:x o:1:y", "c:1:x o:2:y"), EntryStatus::Changed(1, 1));
        assert_eq!(renamed("c:1:x o:1:y", "c:1:x o:2:y"), []);
        // One id for two.
        assert_eq!(renamed("c:1:x o:1:y c:2:z o:2:w", "c:1:x o:1:y c:1:z o:1:w"), []);
    }

    #[test]
    fn removed_entries_do_not_shift_renames() {
        let (before, after) = ("c:1:a o:1:ok c:2:b o:2:ok c:3:c o:3:ok", "c:7:a o:7:ok c:9:c o:9:ok");
        assert_eq!(renamed(before, after), [("1".into(), "7".into(), 2), ("3".into(), "9".into(), 2)]);
        let removed: Vec<EntryStatus> =
            fates(before, after).into_iter().filter(|fate| !matches!(fate, EntryStatus::Same(..))).collect();
        assert_eq!(removed, [EntryStatus::Removed(2), EntryStatus::Removed(3)]);
    }
}
