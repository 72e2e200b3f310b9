//! What the plan asks of a history again and again: found in one walk over its rows, the first time that it is asked.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::history::{Flags, Group, Row};
use crate::place::Place;

#[derive(Default)]
pub(super) struct Once {
    fixed: OnceCell<Vec<u32>>,
    places: OnceCell<HashSet<Place>>,
}

impl Once {
    /// Whether an item of the group lies in a record that is not edited.
    pub fn has_fixed(&self, rows: &[Row], group: &Group) -> bool {
        let all = || (0..).zip(rows).filter(|(_, row)| is_fixed_in_place(row)).map(|(ix, _)| ix).collect();
        let fixed: &Vec<u32> = self.fixed.get_or_init(all);
        let next = fixed.partition_point(|ix| *ix < group.start);
        fixed.get(next).is_some_and(|ix| *ix < group.end)
    }

    /// Whether one of the rows is the item at a place.
    pub fn holds(&self, rows: &[Row], at: Place) -> bool {
        self.places.get_or_init(|| rows.iter().map(|row| row.at).collect()).contains(&at)
    }
}

pub(super) fn is_fixed_in_place(row: &Row) -> bool {
    row.has(Flags::FROZEN) || row.has(Flags::EMBEDDED)
}
