//! Which entry of one history is which of the other: by identity first, then by what it says, and last by where it
//! stands between others that are known.

use std::collections::HashMap;
use std::collections::VecDeque;

use super::entries::Entry;

/// What became of an entry, by its index before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Became {
    Same(usize, usize),
    Changed(usize, usize),
    /// It stands elsewhere; the flag says that it changed, too.
    Moved(usize, usize, bool),
    Removed(usize),
    Added(usize),
}

/// The fates of all entries, in the order of the history after; what is removed stands where it stood.
pub fn align(before: &[Entry], after: &[Entry]) -> Vec<Became> {
    let mut partner: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    // Ids tell, first those that say the same; what has none, or another one, is told by what it says.
    let unchanged = |entry: &Entry| if entry.key == 0 { 0 } else { entry.key.rotate_left(1) ^ entry.hash };
    for of in [unchanged, |entry: &Entry| entry.key, |entry: &Entry| entry.hash, |entry: &Entry| entry.loose] {
        match_by(before, after, &mut partner, &mut taken, of);
    }
    let kept = longest_rising(&partner);
    pair_in_gaps(before, after, &mut partner, &mut taken, &kept);
    let kept = longest_rising(&partner);
    let mut fates = Vec::new();
    let mut back: Vec<Option<usize>> = vec![None; after.len()];
    for (a, b) in partner.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
        back[b] = Some(a);
    }
    let mut at = 0;
    let removed_to = |at: &mut usize, to: usize, fates: &mut Vec<Became>| {
        fates.extend((*at..to).filter(|a| partner[*a].is_none()).map(Became::Removed));
        *at = (*at).max(to);
    };
    for (b, a) in back.iter().enumerate() {
        let Some(a) = *a else {
            fates.push(Became::Added(b));
            continue;
        };
        let changed = before[a].hash != after[b].hash;
        if !kept[a] {
            fates.push(Became::Moved(a, b, changed));
            continue;
        }
        removed_to(&mut at, a, &mut fates);
        fates.push(if changed { Became::Changed(a, b) } else { Became::Same(a, b) });
    }
    removed_to(&mut at, before.len(), &mut fates);
    fates
}

fn match_by(
    before: &[Entry],
    after: &[Entry],
    partner: &mut [Option<usize>],
    taken: &mut [bool],
    of: impl Fn(&Entry) -> u64,
) {
    let mut free: HashMap<u64, VecDeque<usize>> = HashMap::new();
    for (b, entry) in after.iter().enumerate().filter(|(b, entry)| !taken[*b] && of(entry) != 0) {
        free.entry(of(entry)).or_default().push_back(b);
    }
    for (a, entry) in before.iter().enumerate() {
        if partner[a].is_none()
            && let Some(b) = free.get_mut(&of(entry)).and_then(VecDeque::pop_front)
        {
            partner[a] = Some(b);
            taken[b] = true;
        }
    }
}

/// Which entries keep their order: a longest run of partners that only rises.
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

/// Between two entries that are known, what is left on both sides and is of one kind was changed.
fn pair_in_gaps(
    before: &[Entry],
    after: &[Entry],
    partner: &mut [Option<usize>],
    taken: &mut [bool],
    kept: &[bool],
) {
    let anchors: Vec<(usize, usize)> = (0..before.len())
        .filter(|a| kept[*a])
        .filter_map(|a| Some((a, partner[a]?)))
        .chain([(before.len(), after.len())])
        .collect();
    let (mut from_a, mut from_b) = (0, 0);
    for (to_a, to_b) in anchors {
        let mut b = from_b;
        for a in from_a..to_a {
            if partner[a].is_some() {
                continue;
            }
            let found = (b..to_b).find(|b| !taken[*b] && after[*b].kind == before[a].kind);
            if let Some(found) = found {
                (partner[a], taken[found]) = (Some(found), true);
                b = found + 1;
            }
        }
        (from_a, from_b) = (to_a + 1, to_b + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;

    /// `kind:key:content`; a key of 0 is none.
    fn entries(words: &str) -> Vec<Entry> {
        let entry = |word: &str| {
            let parts: Vec<&str> = word.split(':').collect();
            let hash = crate::json::string::fingerprint_of(parts[2].as_bytes());
            Entry {
                kind: parts[0].to_owned(),
                id: None,
                key: parts[1].parse().unwrap_or(0),
                hash,
                loose: hash,
                text: Vec::new(),
                at: Place::default(),
                record: 1,
                pointer: String::new(),
            }
        };
        words.split_whitespace().map(entry).collect()
    }

    #[test]
    fn entries_find_themselves() {
        let before = entries("m:0:a c:1:x o:2:y m:0:b m:0:z");
        let after = entries("m:0:a m:0:new c:1:changed m:0:b o:2:y");
        assert_eq!(
            align(&before, &after),
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
        let before = entries("m:0:a m:0:old m:0:c");
        let after = entries("m:0:a m:0:new m:0:c");
        assert_eq!(align(&before, &after), [Became::Same(0, 0), Became::Changed(1, 1), Became::Same(2, 2)]);
        assert_eq!(align(&before, &before).len(), 3);
        assert_eq!(align(&[], &after).len(), 3);
    }

    #[test]
    fn equal_entries_keep_their_order() {
        let same = entries("m:0:a m:0:a m:0:a");
        let fates = align(&same, &same);
        assert_eq!(fates, [Became::Same(0, 0), Became::Same(1, 1), Became::Same(2, 2)]);
    }
}
