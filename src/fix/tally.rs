//! What is left of a group, in numbers. A group may be as long as its history, and each of its items may have a finding
//! that asks what mode the group can have: it is counted once, and each item that goes is subtracted.

use std::collections::HashMap;

use crate::history::{Group, Row};
use crate::rule::Cx;

use super::plan::Plan;

/// How many of the items that a group's mode speaks of there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Items that cannot lose their ids.
    pub bound: u32,
    /// Reasoning among them.
    pub bound_reasoning: u32,
    /// Items that no reference can be made of.
    pub unreferable: u32,
    /// Items that are not reasoning, and say something without their ids.
    pub others: u32,
    /// Items that flattening takes away.
    pub lost: u32,
}

impl Tally {
    fn of(cx: &Cx<'_>, row: &Row) -> Tally {
        let bound = !cx.can_detach(std::iter::once(row));
        let reasoning = row.is_reasoning();
        Tally {
            bound: bound.into(),
            bound_reasoning: (bound && reasoning && !cx.goes_with_its_id(row)).into(),
            unreferable: cx.unreferable(std::iter::once(row)).is_some().into(),
            others: (!reasoning && !cx.goes_with_its_id(row)).into(),
            lost: (reasoning || row.goes_with_its_id()).into(),
        }
    }

    fn with(self, other: Tally, change: fn(u32, u32) -> u32) -> Tally {
        Tally {
            bound: change(self.bound, other.bound),
            bound_reasoning: change(self.bound_reasoning, other.bound_reasoning),
            unreferable: change(self.unreferable, other.unreferable),
            others: change(self.others, other.others),
            lost: change(self.lost, other.lost),
        }
    }
}

/// By the first row of the group.
pub(super) type Tallies = HashMap<u32, Tally>;

impl Plan<'_> {
    /// The numbers of what is left of a group.
    pub(super) fn tally(&self, group: &Group) -> Tally {
        let count = || {
            let rows = self.touched(group).map(|(_, row)| Tally::of(self.cx, row));
            rows.fold(Tally::default(), |sum, row| sum.with(row, |a, b| a + b))
        };
        *self.tallies.borrow_mut().entry(group.start).or_insert_with(count)
    }

    /// An item goes that was counted.
    pub(super) fn uncount(&mut self, ix: u32) {
        let row = self.cx.row(ix);
        let group = self.cx.history.group_of(ix).filter(|_| row.is_model_made());
        if let Some(tally) = group.and_then(|group| self.tallies.get_mut().get_mut(&group.start)) {
            *tally = tally.with(Tally::of(self.cx, row), u32::saturating_sub);
        }
    }
}
