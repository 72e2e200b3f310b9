//! Components: rows that the repair of one finding can touch, with all findings on them. What is found of different
//! components is independent, so each is repaired by itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::history::{History, NONE, Row};
use crate::place::Place;

use super::wanted::Wanted;
use crate::repair::plan::memo::Once;

/// Some findings, and the rows that their repair can touch.
pub(super) struct Component {
    pub wanted: Vec<Wanted>,
    /// In order, apart from each other.
    pub stretches: Vec<Range<u32>>,
}

/// What is asked of a history whose rows are put into components.
pub(super) struct Map<'h> {
    history: &'h History,
    once: &'h Once,
    /// Stretches that were asked for, by their first rows.
    known: RefCell<BTreeMap<u32, u32>>,
}

impl<'h> Map<'h> {
    pub fn new(history: &'h History, once: &'h Once) -> Self {
        Map { history, once, known: RefCell::default() }
    }

    /// The components of some findings, in the order of their first rows. Findings on the request around the items are one
    /// without rows, the first.
    pub fn components(&self, wanted: Vec<Wanted>) -> Vec<Component> {
        let mut request = Vec::new();
        let mut stretches: Vec<(Range<u32>, usize)> = Vec::new();
        let mut own = Vec::new();
        // A group may be as long as its history, and each of its items may have a finding.
        let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
        let mut links: Vec<(usize, usize)> = Vec::new();
        for wanted in wanted {
            if wanted.at == NONE {
                request.push(wanted);
                continue;
            }
            let number = own.len();
            for stretch in self.touched(&wanted, &mut |start| match seen.entry(start) {
                std::collections::btree_map::Entry::Occupied(first) => {
                    links.push((*first.get(), number));
                    true
                }
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(number);
                    false
                }
            }) {
                stretches.push((stretch, number));
            }
            own.push(wanted);
        }
        let mut sets = Sets::new(own.len());
        links.into_iter().for_each(|(a, b)| sets.join(a, b));
        stretches.sort_unstable_by_key(|(stretch, number)| (stretch.start, stretch.end, *number));
        let mut merged: Vec<(Range<u32>, usize)> = Vec::new();
        for (stretch, number) in stretches {
            match merged.last_mut().filter(|(last, _)| stretch.start < last.end) {
                Some((last, first)) => {
                    last.end = last.end.max(stretch.end);
                    sets.join(*first, number);
                }
                None => merged.push((stretch, number)),
            }
        }
        let mut by_set: BTreeMap<usize, Component> = BTreeMap::new();
        let mut order: Vec<usize> = Vec::new();
        for (stretch, number) in merged {
            let set = sets.of(number);
            let component = by_set.entry(set).or_insert_with(|| {
                order.push(set);
                Component { wanted: Vec::new(), stretches: Vec::new() }
            });
            component.stretches.push(stretch);
        }
        for (number, wanted) in own.into_iter().enumerate() {
            if let Some(component) = by_set.get_mut(&sets.of(number)) {
                component.wanted.push(wanted);
            }
        }
        let of_request = Component { wanted: request, stretches: Vec::new() };
        let all = std::iter::once(of_request).filter(|component| !component.wanted.is_empty());
        all.chain(order.into_iter().filter_map(|set| by_set.remove(&set))).collect()
    }

    /// The stretches that a repair of a finding can touch. `is_seen` says whether a stretch was looked at before, by its
    /// first row.
    fn touched(&self, wanted: &Wanted, is_seen: &mut dyn FnMut(u32) -> bool) -> Vec<Range<u32>> {
        let own = self.around(wanted.at);
        let partner = wanted.judged.finding.partner.and_then(|at| self.index_of(at));
        let mut rows: HashSet<u32> = partner.into_iter().collect();
        let again = is_seen(own.start);
        for ix in own.clone().filter(|_| !again) {
            if let Some(pair) = self.once.pair_of(&self.history.pairs, ix) {
                rows.extend([pair.call, pair.output, pair.twin].into_iter().filter(|ix| *ix != NONE));
            }
        }
        rows.extend(self.once.claimed_by(&self.history.shapes.claims, wanted.at));
        let mut all = vec![own.clone()];
        let mut far: Vec<u32> = rows.into_iter().filter(|ix| !own.contains(ix)).collect();
        far.sort_unstable();
        for ix in far {
            if all.last().is_none_or(|last| !last.contains(&ix)) {
                all.push(self.around(ix));
            }
        }
        all
    }

    /// The rows that belong together with one: of messages a step with its answers; of items a group, the outputs after
    /// it, and the group that its reasoning may have headed.
    pub fn around(&self, ix: u32) -> Range<u32> {
        let known = self.known.borrow().range(..=ix).next_back().map(|(start, end)| *start..*end);
        if let Some(known) = known.filter(|known| known.contains(&ix)) {
            return known;
        }
        let around = self.found_around(ix);
        self.known.borrow_mut().insert(around.start, around.end);
        around
    }

    fn found_around(&self, ix: u32) -> Range<u32> {
        let history = self.history;
        let messages = &history.messages;
        if let Some(number) = messages.number_of(ix) {
            let step = messages.step_of(number).or_else(|| messages.step_answered_in(number));
            let (first, last) = match step {
                Some(step) => (step.model.start, step.answers.end.max(step.model.end) - 1),
                None => (number, number),
            };
            return messages.get(first).row..messages.get(last).end;
        }
        let rows = &history.rows;
        let is_output = |row: &Row| row.is_client_output();
        let mut start = ix;
        let outputs = rows.iter().take(ix as usize + 1).rev().take_while(|row| is_output(row)).count() as u32;
        if outputs > 0 {
            start = ix + 1 - outputs;
        }
        let before = if outputs > 0 { start.checked_sub(1) } else { Some(ix) };
        let group = before.and_then(|before| history.group_of(before)).filter(|group| group.end >= start);
        let mut end = ix + 1;
        if let Some(group) = group {
            start = start.min(group.start);
            end = end.max(group.end);
            if !group.has_members()
                && let Some(next) = self.after(group.start)
            {
                end = end.max(next);
            }
        }
        end += rows.iter().skip(end as usize).take_while(|row| is_output(row)).count() as u32;
        start..end
    }

    /// Where the group ends that reasoning without an item may have headed.
    fn after(&self, lonely: u32) -> Option<u32> {
        let groups = &self.history.groups;
        let at = groups.partition_point(|group| group.start <= lonely);
        groups.get(at).filter(|next| !next.has_reasoning()).map(|next| next.end)
    }

    /// Stretches with what is right before and right after them: all of it that belongs together.
    pub fn with_neighbours(&self, stretches: &[Range<u32>]) -> Vec<Range<u32>> {
        let count = self.history.rows.len() as u32;
        let mut all: Vec<Range<u32>> = Vec::new();
        for stretch in stretches {
            let start = stretch.start.checked_sub(1).map_or(0, |before| self.around(before).start);
            let end = if stretch.end < count { self.around(stretch.end).end } else { count };
            match all.last_mut().filter(|last| start <= last.end) {
                Some(last) => last.end = last.end.max(end),
                None => all.push(start..end),
            }
        }
        all
    }

    fn index_of(&self, at: Place) -> Option<u32> {
        let row = Row::of_place(at, 0);
        let ix = self.history.index_of(&row);
        self.history.rows.get(ix as usize).filter(|row| row.at == at).map(|_| ix)
    }
}

/// Which findings belong together.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Sets((0..count).collect())
    }

    fn of(&mut self, mut n: usize) -> usize {
        while let Some(&up) = self.0.get(n).filter(|up| **up != n) {
            let over = self.0.get(up).copied().unwrap_or(up);
            if let Some(place) = self.0.get_mut(n) {
                *place = over;
            }
            n = up;
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        if let Some(place) = self.0.get_mut(a.max(b)) {
            *place = a.min(b);
        }
    }
}
