//! What is left of a group, in numbers. A group may be as long as its history, and each of its items may have a finding
//! that asks what mode the group can have: it is counted once, and each item that goes is subtracted.

use std::collections::HashMap;

use crate::history::Row;
use crate::rule::Cx;

/// How many of the items that a group's mode speaks of there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::repair) struct Tally {
    /// Items that cannot lose their ids.
    pub bound: u32,
    /// Items that no reference can be made of.
    pub unreferable: u32,
    /// Items that flattening takes away.
    pub lost: u32,
}

impl Tally {
    pub fn of(cx: &Cx<'_>, row: &Row) -> Tally {
        let bound = !cx.can_detach(std::iter::once(row));
        let reasoning = row.is_reasoning();
        Tally {
            bound: bound.into(),
            unreferable: cx.unreferable(std::iter::once(row)).is_some().into(),
            lost: (reasoning || row.goes_with_its_id()).into(),
        }
    }

    pub fn with(self, other: Tally, change: fn(u32, u32) -> u32) -> Tally {
        Tally {
            bound: change(self.bound, other.bound),
            unreferable: change(self.unreferable, other.unreferable),
            lost: change(self.lost, other.lost),
        }
    }
}

/// By the first row of the group.
pub(super) type Tallies = HashMap<u32, Tally>;
