//! Components: rows that the repair of one finding can change, with all findings on them. Findings of different
//! components are independent, so each component is repaired by itself.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use foldhash::{HashMap, HashSet};

use crate::history::{History, NONE, Row};
use crate::place::Place;

use super::defect::Defect;
use crate::repair::disjoint_sets::DisjointSets;
use crate::repair::plan::memo::HistoryMemo;

/// Findings, and the rows that their repair can change.
pub(super) struct Component<'g> {
    pub defects: Vec<Defect<'g>>,
    /// Stretches of rows, in order and disjoint.
    pub stretches: Vec<Range<u32>>,
}

/// Components, of which one is made at a time: there may be as many as findings.
pub(super) struct Components<'g> {
    /// The findings on the request around the items.
    request: Vec<Defect<'g>>,
    defects: Vec<Defect<'g>>,
    /// The component of each finding, and the finding's number.
    order: Peekable<IntoIter<(usize, usize)>>,
    /// Stretches, with their components.
    stretches: Peekable<IntoIter<(Range<u32>, usize)>>,
}

impl<'g> Iterator for Components<'g> {
    type Item = Component<'g>;

    fn next(&mut self) -> Option<Component<'g>> {
        if !self.request.is_empty() {
            return Some(Component { defects: std::mem::take(&mut self.request), stretches: Vec::new() });
        }
        let (first, component) = self.stretches.next()?;
        let more = std::iter::from_fn(|| self.stretches.next_if(|(_, of)| *of == component));
        let stretches = std::iter::once(first).chain(more.map(|(stretch, _)| stretch)).collect();
        let own = std::iter::from_fn(|| self.order.next_if(|(of, _)| *of == component));
        let defects = own.filter_map(|(_, number)| self.defects.get(number).cloned()).collect();
        Some(Component { defects, stretches })
    }
}

/// Groups the rows of a history into components.
pub(super) struct ComponentMap<'h> {
    history: &'h History,
    memo: &'h HistoryMemo,
    /// Cache of stretches, by first row.
    known: RefCell<BTreeMap<u32, u32>>,
}

impl<'h> ComponentMap<'h> {
    pub fn new(history: &'h History, memo: &'h HistoryMemo) -> Self {
        ComponentMap { history, memo, known: RefCell::default() }
    }

    /// The components of some findings, in the order of their first rows. Findings on the request around the items
    /// form the first component, which has no rows.
    pub fn components<'g>(&self, mut defects: Vec<Defect<'g>>) -> Components<'g> {
        let request: Vec<Defect<'g>> = defects.extract_if(.., |defect| defect.at == NONE).collect();
        let mut stretches: Vec<(Range<u32>, usize)> = Vec::with_capacity(defects.len());
        // A group may be as long as its history, and each of its items may have a finding.
        let mut seen: HashMap<u32, usize> = HashMap::default();
        let mut sets = DisjointSets::new(defects.len());
        for (number, defect) in defects.iter().enumerate() {
            let around = self.related_rows(defect.at);
            let first = *seen.entry(around.start).or_insert(number);
            sets.join(first, number);
            let touched = self.affected_stretches(defect, around, first != number);
            stretches.extend(touched.into_iter().map(|stretch| (stretch, number)));
        }
        stretches.sort_unstable_by_key(|(stretch, number)| (stretch.start, stretch.end, *number));
        stretches.dedup_by(|(stretch, number), (last, first)| {
            let meet = stretch.start < last.end;
            if meet {
                last.end = last.end.max(stretch.end);
                sets.join(*first, *number);
            }
            meet
        });
        // Sets by their first stretches.
        let mut ranks: HashMap<usize, usize> = HashMap::default();
        for (_, number) in &mut stretches {
            let next = ranks.len();
            *number = *ranks.entry(sets.find(*number)).or_insert(next);
        }
        stretches.sort_by_key(|(_, rank)| *rank);
        let of = |number: usize| Some((*ranks.get(&sets.find(number))?, number));
        let mut order: Vec<(usize, usize)> = (0..defects.len()).filter_map(of).collect();
        order.sort_unstable();
        Components {
            request,
            defects,
            order: order.into_iter().peekable(),
            stretches: stretches.into_iter().peekable(),
        }
    }

    /// The stretches that the repair of a finding can change: `own` is the one around it. The pairs in it are
    /// looked up unless they were `seen` before.
    fn affected_stretches(&self, defect: &Defect, own: Range<u32>, seen: bool) -> Vec<Range<u32>> {
        let partner = defect.judged.finding.partner.and_then(|at| self.index_of(at));
        let mut rows: HashSet<u32> = partner.into_iter().collect();
        for ix in own.clone().filter(|_| !seen) {
            if let Some(pair) = self.memo.pair_of(&self.history.pairs, ix) {
                rows.extend([pair.call, pair.output, pair.twin].into_iter().filter(|ix| *ix != NONE));
            }
        }
        rows.extend(self.memo.claimed_by(&self.history.call_patterns.references, defect.at));
        let mut all = vec![own.clone()];
        let mut far: Vec<u32> = rows.into_iter().filter(|ix| !own.contains(ix)).collect();
        far.sort_unstable();
        for ix in far {
            if all.last().is_none_or(|last| !last.contains(&ix)) {
                all.push(self.related_rows(ix));
            }
        }
        all
    }

    /// The rows that belong together with a row: of messages, a step with its results; of items, a group, the
    /// outputs after it, and the group that its reasoning may have preceded.
    pub fn related_rows(&self, ix: u32) -> Range<u32> {
        let known = self.known.borrow().range(..=ix).next_back().map(|(start, end)| *start..*end);
        if let Some(known) = known.filter(|known| known.contains(&ix)) {
            return known;
        }
        let around = self.find_related_rows(ix);
        self.known.borrow_mut().insert(around.start, around.end);
        around
    }

    fn find_related_rows(&self, ix: u32) -> Range<u32> {
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
        if ix as usize >= rows.len() {
            // It continues an item elsewhere.
            return ix..ix + 1;
        }
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
                && let Some(next) = self.end_of_next_group(group.start)
            {
                end = end.max(next);
            }
        }
        end += rows.iter().skip(end as usize).take_while(|row| is_output(row)).count() as u32;
        start..end
    }

    /// End of the group that reasoning without an item may have preceded.
    fn end_of_next_group(&self, lonely: u32) -> Option<u32> {
        let groups = &self.history.groups;
        let at = groups.partition_point(|group| group.start <= lonely);
        groups.get(at).filter(|next| !next.has_reasoning()).map(|next| next.end)
    }

    /// Stretches with their neighbours: the rows directly before and after them, and all that belongs to those.
    pub fn with_neighbours(&self, stretches: &[Range<u32>]) -> Vec<Range<u32>> {
        let count = self.history.rows.len() as u32;
        let mut all: Vec<Range<u32>> = Vec::new();
        for stretch in stretches {
            let start = stretch.start.checked_sub(1).map_or(0, |before| self.related_rows(before).start);
            let end = if stretch.end < count { self.related_rows(stretch.end).end } else { count };
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
