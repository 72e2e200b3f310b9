//! Counts of the remaining items of a group. A group may be as long as its history, and each of its items may have
//! a finding that asks which mode the group can have: it is counted once, and each dropped item is subtracted.

use foldhash::HashMap;

use crate::history::Row;
use crate::rule::RuleContext;

/// Counts of the items of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::repair) struct GroupTally {
    /// Items that cannot lose their ids.
    pub bound: u32,
    /// Items that no reference can be made of.
    pub unreferable: u32,
    /// Items that flattening removes.
    pub lost: u32,
}

impl GroupTally {
    pub fn of(cx: &RuleContext<'_>, row: &Row) -> GroupTally {
        let bound = !cx.can_detach(std::iter::once(row));
        let reasoning = row.is_reasoning();
        GroupTally {
            bound: bound.into(),
            unreferable: cx.reference_obstacle(std::iter::once(row)).is_some().into(),
            lost: (reasoning || row.depends_on_id()).into(),
        }
    }

    pub fn with(self, other: GroupTally, change: fn(u32, u32) -> u32) -> GroupTally {
        GroupTally {
            bound: change(self.bound, other.bound),
            unreferable: change(self.unreferable, other.unreferable),
            lost: change(self.lost, other.lost),
        }
    }
}

/// Counts by the first row of the group.
pub(super) type GroupTallies = HashMap<u32, GroupTally>;
