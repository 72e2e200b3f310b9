//! What a store that is not edited takes instead: an update, in the words of the program that keeps the store.

use std::collections::HashMap;

use crate::history::Code;
use crate::place::Place;

use super::record::Stored;

/// An update for a store that only its own program can write.
pub struct Handover {
    /// What the user calls with it.
    pub call: &'static str,
    /// Whether a finding is one that it mends.
    pub mends: fn(Code) -> bool,
    /// The update as JSON, for the problems in a record; `None` if there is none.
    pub update: fn(&Stored<'_>, &Problems) -> Option<Vec<u8>>,
}

/// The places of what is to be corrected, which are those of JSON values: one holds another, or has nothing to do with it.
pub struct Problems {
    /// With the number of the problem, by where they start, the longest first.
    sorted: Vec<(Place, usize)>,
    /// For each the next one before it that holds it.
    holders: Vec<Option<usize>>,
    /// By the number of the problem: the other place that it is about.
    partners: Vec<Option<Place>>,
}

impl Problems {
    /// Each problem with the other place that it is about.
    pub fn new(places: impl IntoIterator<Item = (Place, Option<Place>)>) -> Problems {
        let (places, partners): (Vec<Place>, Vec<Option<Place>>) = places.into_iter().unzip();
        let mut sorted: Vec<(Place, usize)> = places.into_iter().enumerate().map(|(ix, at)| (at, ix)).collect();
        sorted.sort_by_key(|(at, _)| (at.start, std::cmp::Reverse(at.len)));
        let mut holders = Vec::with_capacity(sorted.len());
        let mut open: Vec<(usize, Place)> = Vec::new();
        for (n, (at, _)) in sorted.iter().enumerate() {
            while open.pop_if(|(_, holder)| !holder.contains(at)).is_some() {}
            holders.push(open.last().map(|(holder, _)| *holder));
            open.push((n, *at));
        }
        Problems { sorted, holders, partners }
    }

    /// Where the result of a call is that has one in another place, by the problems of the call.
    pub fn result(&self, numbers: &[usize]) -> Option<Place> {
        numbers.iter().find_map(|ix| self.partners.get(*ix).copied().flatten())
    }

    /// The problems that start where a value does, by their numbers.
    pub fn at(&self, place: Place) -> Vec<usize> {
        let from = self.sorted.partition_point(|(at, _)| at.start < place.start);
        let own = self.sorted.iter().skip(from).take_while(|(at, _)| at.start == place.start);
        numbers(own.map(|(_, ix)| *ix))
    }

    /// The problems in a value, and those of what holds it, by their numbers.
    pub fn around(&self, place: Place) -> Vec<usize> {
        let from = self.sorted.partition_point(|(at, _)| at.start < place.start);
        let inner = self.sorted.iter().skip(from).take_while(|(at, _)| at.start < place.end());
        let before = from.checked_sub(1);
        let holders = std::iter::successors(before, |n| self.holders.get(*n).copied().flatten());
        let holders = holders.filter_map(|n| self.sorted.get(n));
        let touches = |(at, ix): &(Place, usize)| (place.contains(at) || at.contains(&place)).then_some(*ix);
        numbers(inner.chain(holders).filter_map(touches))
    }
}

fn numbers(problems: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = problems.collect();
    numbers.sort_unstable();
    numbers
}

/// Where the calls and the results of each id are, in the order of the store.
pub struct Uses<P> {
    of: HashMap<Box<str>, [Vec<P>; 2]>,
}

impl<P> Default for Uses<P> {
    fn default() -> Self {
        Uses { of: HashMap::new() }
    }
}

impl<P: Copy + Ord> Uses<P> {
    pub fn add_call(&mut self, id: &str, at: P) {
        self.add(id, 0, at);
    }

    pub fn add_result(&mut self, id: &str, at: P) {
        self.add(id, 1, at);
    }

    fn add(&mut self, id: &str, which: usize, at: P) {
        if let Some(places) = self.of.entry(id.into()).or_default().get_mut(which) {
            places.push(at);
        }
    }

    /// The first result from a place on, unless a call uses the id again before it, also from a place on.
    pub fn late(&self, id: &str, results_from: P, calls_from: P) -> Option<P> {
        let [calls, results] = self.of.get(id)?;
        let first = |places: &[P], from: P| places.get(places.partition_point(|at| *at < from)).copied();
        let result = first(results, results_from)?;
        first(calls, calls_from).is_none_or(|again| result < again).then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    #[test]
    fn problems_are_found_in_a_value_and_around_it() {
        let place = |start: u64, end: u64| Place::new(DocId(0), start, (end - start) as u32);
        let problems =
            Problems::new([(30, 40), (10, 50), (12, 20), (60, 70), (30, 35)].map(|(a, b)| (place(a, b), None)));
        assert_eq!(problems.around(place(30, 40)), [0, 1, 4]);
        assert_eq!(problems.around(place(32, 34)), [0, 1, 4]);
        assert_eq!(problems.around(place(37, 39)), [0, 1]);
        assert_eq!(problems.around(place(21, 29)), [1]);
        assert_eq!(problems.around(place(0, 80)), [0, 1, 2, 3, 4]);
        assert_eq!(problems.around(place(51, 59)), [0; 0]);
        assert_eq!(problems.at(place(30, 31)), [0, 4]);
        assert_eq!(problems.at(place(31, 40)), [0; 0]);
    }

    #[test]
    fn a_result_belongs_to_the_last_call_before_it() {
        let mut uses = Uses::default();
        uses.add_call("a", 1);
        uses.add_call("a", 5);
        uses.add_result("a", 7);
        uses.add_result("b", 3);
        assert_eq!((uses.late("a", 2, 2), uses.late("a", 6, 6)), (None, Some(7)));
        assert_eq!((uses.late("b", 2, 2), uses.late("b", 4, 4), uses.late("c", 0, 0)), (Some(3), None, None));
    }
}
