//! Which entry of one history is which of the other: by identity first, then by what it says, and last by where it
//! is between others that are known.

use std::collections::{HashMap, HashSet, VecDeque};

use super::entry::Entry;
use super::renames::{Rename, Renames};
use super::said::Said;

/// What became of an entry, by its index before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Became {
    /// It says the same.
    Same(usize, usize),
    Changed(usize, usize),
    /// It is elsewhere; the flag says that it changed, too.
    Moved(usize, usize, bool),
    Removed(usize),
    Added(usize),
}

/// What became of all entries.
#[derive(Debug, Default)]
pub struct Aligned {
    /// In the order of the history after; what is removed is where it stood.
    pub fates: Vec<Became>,
    /// Ids that are others now.
    pub renames: Vec<Rename>,
}

/// Finds out what became of the entries of one history in the other.
pub fn align(before: &[Entry], after: &[Entry]) -> Aligned {
    let mut pairs = Pairs::new(before, after);
    // Most entries are copies: what is written the same is not read.
    pairs.match_by(Which::All, |_, entry, _| entry.written);
    if pairs.partner.iter().any(Option::is_none) || pairs.taken.contains(&false) {
        pairs.by_what_they_say();
    }
    let kept = longest_rising(&pairs.partner);
    pairs.pair_in_gaps(&kept);
    let kept = longest_rising(&pairs.partner);
    let fates = pairs.fates(&kept);
    Aligned { fates, renames: pairs.renames.into_list() }
}

/// Which entries are paired, of those that have the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// Those that are alone with it on either side.
    Unique,
}

/// Which entry is which, as far as it is known.
struct Pairs<'e> {
    before: &'e [Entry],
    after: &'e [Entry],
    partner: Vec<Option<usize>>,
    taken: Vec<bool>,
    /// What those entries say that are not written the same on both sides.
    said: [Vec<Option<Said>>; 2],
    renames: Renames,
    /// By the index before: it says the same.
    same: Vec<bool>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each entry of its side, and numbers are counted over them"
)]
impl<'e> Pairs<'e> {
    fn new(before: &'e [Entry], after: &'e [Entry]) -> Self {
        Pairs {
            before,
            after,
            partner: vec![None; before.len()],
            taken: vec![false; after.len()],
            said: [vec![None; before.len()], vec![None; after.len()]],
            renames: Renames::default(),
            same: vec![false; before.len()],
        }
    }

    /// Pairs what is not written the same: under one id first; then under another one, which has to fit everywhere.
    fn by_what_they_say(&mut self) {
        self.say();
        self.match_by(Which::All, |_, entry, said| match entry.key {
            0 => said.hash,
            key => key.rotate_left(1) ^ said.hash,
        });
        self.keep_ids();
        let renames = std::mem::take(&mut self.renames);
        self.match_by(
            Which::Unique,
            |before, _, said| {
                if renames.is_open(before, &said.ids) { said.hash } else { 0 }
            },
        );
        self.renames = renames;
        self.follow_ids();
        self.match_in_order();
        let renames = std::mem::take(&mut self.renames);
        self.match_by(Which::All, |before, entry, _| {
            let renamed = entry.id.as_deref().filter(|_| before).and_then(|id| renames.of(id));
            renamed.map_or(entry.key, |id| entry.key_by(&id))
        });
        self.renames = renames;
        // What says the same under an id that ties it to something else now.
        self.match_by(Which::All, |_, _, said| said.hash);
        self.match_by(Which::All, |_, _, said| said.loose);
    }

    /// Reads what is left, and believes the rest.
    fn say(&mut self) {
        for (a, entry) in self.before.iter().enumerate() {
            match self.partner[a] {
                Some(_) => self.same[a] = true,
                None => self.said[0][a] = Some(entry.said()),
            }
        }
        for (b, entry) in self.after.iter().enumerate().filter(|(b, _)| !self.taken[*b]) {
            self.said[1][b] = Some(entry.said());
        }
    }

    /// Pairs those that are left and have the same, in order. 0 is nothing.
    fn match_by(&mut self, which: Which, of: impl Fn(bool, &Entry, &Said) -> u64) {
        let none = Said::default();
        let said = |side: usize, n: usize| self.said[side][n].as_ref().unwrap_or(&none);
        let left = (0..self.before.len()).filter(|a| self.partner[*a].is_none());
        let olds: Vec<(u64, usize)> = left.map(|a| (of(true, &self.before[a], said(0, a)), a)).collect();
        let mut free: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for (b, entry) in self.after.iter().enumerate().filter(|(b, _)| !self.taken[*b]) {
            let own = of(false, entry, said(1, b));
            if own != 0 {
                free.entry(own).or_default().push_back(b);
            }
        }
        if which == Which::Unique {
            let mut times: HashMap<u64, u32> = HashMap::new();
            olds.iter().for_each(|(own, _)| *times.entry(*own).or_default() += 1);
            free.retain(|own, list| list.len() == 1 && times.get(own) == Some(&1));
        }
        for (own, a) in olds {
            if let Some(b) = free.get_mut(&own).and_then(VecDeque::pop_front) {
                (self.partner[a], self.taken[b]) = (Some(b), true);
            }
        }
    }

    /// Pairs what says the same, one by one: a call gives its result the id that this has to have.
    fn match_in_order(&mut self) {
        let under = |key: u64, said: &Said| key.rotate_left(1) ^ said.hash;
        let mut by_said: HashMap<u64, VecDeque<usize>> = HashMap::new();
        let mut by_key: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for (b, said) in self.said[1].iter().enumerate().filter(|(b, _)| !self.taken[*b]) {
            let Some(said) = said else { continue };
            by_said.entry(said.hash).or_default().push_back(b);
            by_key.entry(under(self.after[b].key, said)).or_default().push_back(b);
        }
        for (a, entry) in self.before.iter().enumerate() {
            let Some(said) = self.said[0][a].as_ref().filter(|_| self.partner[a].is_none()) else { continue };
            let (list, is_renamed) = match entry.id.as_deref().and_then(|id| self.renames.of(id)) {
                Some(id) => (by_key.get_mut(&under(entry.key_by(&id), said)), true),
                None if self.renames.is_open(true, &said.ids) => (by_said.get_mut(&said.hash), false),
                None => continue,
            };
            // What is taken, or has an id that is another one's, is not open again.
            let fits = |b: &usize| {
                let open = |after: &Said| is_renamed || self.renames.is_open(false, &after.ids);
                !self.taken[*b] && self.said[1][*b].as_ref().is_some_and(open)
            };
            let found = list.and_then(|list| std::iter::from_fn(|| list.pop_front()).find(fits));
            if let Some(b) = found
                && let Some(after) = &self.said[1][b]
            {
                (self.partner[a], self.taken[b]) = (Some(b), true);
                self.same[a] = self.renames.take(said, after, (a, b));
            }
        }
    }

    /// What is written the same, and what says the same under one id, keeps its ids.
    fn keep_ids(&mut self) {
        for (a, entry) in self.before.iter().enumerate() {
            match (self.partner[a], &self.said[0][a]) {
                (Some(_), None) => self.renames.keep(&entry.ids),
                (Some(b), Some(said)) => {
                    let after: HashSet<_> = self.said[1][b].iter().flat_map(|after| &after.ids).collect();
                    let kept: Vec<_> = said.ids.iter().filter(|id| after.contains(id)).cloned().collect();
                    self.renames.keep(&kept);
                }
                (None, _) => {}
            }
        }
        self.follow_ids();
    }

    /// Takes the ids of what says the same; those that tie something else together now are a change.
    fn follow_ids(&mut self) {
        for (a, before) in self.said[0].iter().enumerate() {
            if let (Some(b), Some(before), false) = (self.partner[a], before, self.same[a])
                && let Some(after) = &self.said[1][b]
            {
                self.same[a] = self.renames.take(before, after, (a, b));
            }
        }
    }

    /// Between two entries that are known, what is left on both sides and is of one kind was changed.
    fn pair_in_gaps(&mut self, kept: &[bool]) {
        let (before, after) = (self.before, self.after);
        let anchors: Vec<(usize, usize)> = (0..before.len())
            .filter(|a| kept[*a])
            .filter_map(|a| Some((a, self.partner[a]?)))
            .chain([(before.len(), after.len())])
            .collect();
        let (mut from_a, mut from_b) = (0, 0);
        for (to_a, to_b) in anchors {
            let mut free: HashMap<&str, VecDeque<usize>> = HashMap::new();
            for b in (from_b..to_b).filter(|b| !self.taken[*b]) {
                free.entry(&after[b].kind).or_default().push_back(b);
            }
            let mut least = from_b;
            for (a, entry) in before.iter().enumerate().take(to_a).skip(from_a) {
                let Some(list) = free.get_mut(&*entry.kind).filter(|_| self.partner[a].is_none()) else {
                    continue;
                };
                // They keep their order.
                while list.front().is_some_and(|b| *b < least) {
                    list.pop_front();
                }
                if let Some(b) = list.pop_front() {
                    (self.partner[a], self.taken[b]) = (Some(b), true);
                    least = b + 1;
                }
            }
            (from_a, from_b) = (to_a + 1, to_b + 1);
        }
    }

    fn fates(&self, kept: &[bool]) -> Vec<Became> {
        let mut fates = Vec::new();
        let mut back: Vec<Option<usize>> = vec![None; self.after.len()];
        for (a, b) in self.partner.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
            back[b] = Some(a);
        }
        let mut at = 0;
        let removed_to = |at: &mut usize, to: usize, fates: &mut Vec<Became>| {
            fates.extend((*at..to).filter(|a| self.partner[*a].is_none()).map(Became::Removed));
            *at = (*at).max(to);
        };
        for (b, a) in back.iter().enumerate() {
            let Some(a) = *a else {
                fates.push(Became::Added(b));
                continue;
            };
            let changed = !self.same[a] && self.before[a].written != self.after[b].written;
            if !kept[a] {
                fates.push(Became::Moved(a, b, changed));
                continue;
            }
            removed_to(&mut at, a, &mut fates);
            fates.push(if changed { Became::Changed(a, b) } else { Became::Same(a, b) });
        }
        removed_to(&mut at, self.before.len(), &mut fates);
        fates
    }
}

/// Which entries keep their order: a longest run of partners that only rises.
#[expect(
    clippy::indexing_slicing,
    reason = "each list has a place for each entry, and numbers are counted over them"
)]
fn longest_rising(partner: &[Option<usize>]) -> Vec<bool> {
    // For each length the entry that ends the run with the lowest partner, and for each entry the one before it.
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
    use crate::diff::entry::Grammar;
    use crate::place::Place;

    fn entry(kind: &str, id: Option<&str>, text: String) -> Entry {
        let grammar = Grammar::Item("responses");
        Entry::new(kind.to_owned(), id.map(str::to_owned), grammar, text.into_bytes(), Place::default(), 1)
    }

    /// `kind:id:content`; an empty id is none.
    fn entries(words: &str) -> Vec<Entry> {
        let of = |word: &str| {
            let parts: Vec<&str> = word.split(':').collect();
            let id = Some(parts[1]).filter(|id| !id.is_empty());
            let own = id.map(|id| format!(r#""call_id":"{id}","#)).unwrap_or_default();
            let entry = entry(parts[0], id, format!(r#"{{{own}"type":"{}","x":"{}"}}"#, parts[0], parts[2]));
            let ids = id.iter().map(|id| (crate::diff::same::Tie::Call, id.as_bytes().into())).collect();
            Entry { ids, ..entry }
        };
        words.split_whitespace().map(of).collect()
    }

    fn fates(before: &str, after: &str) -> Vec<Became> {
        align(&entries(before), &entries(after)).fates
    }

    fn renamed(before: &str, after: &str) -> Vec<(String, String, usize)> {
        let renames = align(&entries(before), &entries(after)).renames;
        renames.into_iter().map(|rename| (rename.before, rename.after, rename.places)).collect()
    }

    #[test]
    fn entries_find_themselves() {
        assert_eq!(
            fates("m::a c:1:x o:2:y m::b m::z", "m::a m::new c:1:changed m::b o:2:y"),
            [
                Became::Same(0, 0),
                Became::Added(1),
                Became::Changed(1, 2),
                Became::Same(3, 3),
                Became::Moved(2, 4, false),
                Became::Removed(4),
            ]
        );
    }

    #[test]
    fn what_stands_between_the_same_was_changed() {
        assert_eq!(
            fates("m::a m::old m::c", "m::a m::new m::c"),
            [Became::Same(0, 0), Became::Changed(1, 1), Became::Same(2, 2)]
        );
        assert_eq!(fates("m::a m::b", "m::a m::b").len(), 2);
        assert_eq!(fates("", "m::a m::b").len(), 2);
    }

    #[test]
    fn equal_entries_keep_their_order() {
        let same = "m::a m::a m::a";
        assert_eq!(fates(same, same), [Became::Same(0, 0), Became::Same(1, 1), Became::Same(2, 2)]);
    }

    #[test]
    fn an_id_that_is_renamed_everywhere_is_no_change() {
        let (before, after) = ("m::a c:1:x o:1:y c:2:x o:2:y", "m::a c:8:x o:8:y c:9:x o:9:y");
        assert!(fates(before, after).iter().all(|fate| matches!(fate, Became::Same(..))));
        assert_eq!(renamed(before, after), [("1".into(), "8".into(), 2), ("2".into(), "9".into(), 2)]);
        // Its result says something else, and is still its result.
        let after = "m::a c:8:x o:8:z c:9:x o:9:y";
        assert_eq!(fates(before, after)[2], Became::Changed(2, 2));
    }

    #[test]
    fn an_id_that_ties_something_else_is_a_change() {
        let fates_of_result = |before: &str, after: &str| fates(before, after)[1];
        assert_eq!(fates_of_result("c:1:x o:1:y", "c:1:x o:2:y"), Became::Changed(1, 1));
        assert_eq!(renamed("c:1:x o:1:y", "c:1:x o:2:y"), []);
        // One name for two.
        assert_eq!(renamed("c:1:x o:1:y c:2:z o:2:w", "c:1:x o:1:y c:1:z o:1:w"), []);
    }

    #[test]
    fn what_is_gone_does_not_shift_the_names_of_the_rest() {
        let (before, after) = ("c:1:a o:1:ok c:2:b o:2:ok c:3:c o:3:ok", "c:7:a o:7:ok c:9:c o:9:ok");
        assert_eq!(renamed(before, after), [("1".into(), "7".into(), 2), ("3".into(), "9".into(), 2)]);
        let removed: Vec<Became> =
            fates(before, after).into_iter().filter(|fate| !matches!(fate, Became::Same(..))).collect();
        assert_eq!(removed, [Became::Removed(2), Became::Removed(3)]);
    }
}
