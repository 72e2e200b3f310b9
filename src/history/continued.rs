//! Items that are stored in several elements: a hosted call and the result that belongs to it, a call that is announced
//! once more when it runs, reasoning that is stored once for each of its summaries. One row stands for the item; the
//! others continue it: no rule counts them, and they go and change with their item.

use std::collections::{HashMap, HashSet};

use super::flags::{Flags, ItemFlags};
use super::kind::Kind;
use super::row::Row;

/// Keeps the tie to an item's id apart from the tie to a call's key.
const SALT: u64 = 0x517c_c1b7_2722_0a95;

/// What ties a row to the item with this id.
pub fn tie_of_id(id: u64) -> u64 {
    (id ^ SALT).max(1)
}

/// Makes a row one that continues the item which `tie` names.
pub fn continuing(row: Row, tie: u64) -> Row {
    let flags = row.flags.only(Flags::FROZEN | Flags::EMBEDDED | Flags::FOREIGN) | Flags::CONTINUES;
    let item = ItemFlags::NONE;
    Row { kind: Kind::Unknown, of: Kind::Unknown, id: 0, key: tie, flags, item, ..row }
}

/// Takes the rows that continue others out of a history. Of those that may tell of the same item, all but the first do.
pub fn take_continuing(rows: &mut Vec<Row>) -> Vec<Row> {
    if !rows.iter().any(|row| row.has(Flags::CONTINUES) || row.has(ItemFlags::SHARED)) {
        return Vec::new();
    }
    let mut seen: HashSet<u64> = HashSet::new();
    let mut taken = Vec::new();
    rows.retain(|row| {
        let again = row.has(ItemFlags::SHARED) && row.has_id() && !seen.insert(row.id);
        if again {
            taken.push(continuing(*row, tie_of_id(row.id)));
        } else if row.has(Flags::CONTINUES) {
            taken.push(*row);
        }
        !again && !row.has(Flags::CONTINUES)
    });
    taken
}

/// The indices of rows that continue others, by what ties them.
pub struct Continued {
    rows: HashMap<u64, Vec<u32>>,
}

impl Continued {
    /// `rows` are those that continue others; the first of them has the index `from`.
    pub fn of(rows: &[Row], from: u32) -> Self {
        let mut by_tie: HashMap<u64, Vec<u32>> = HashMap::new();
        for (row, ix) in rows.iter().zip(from..) {
            by_tie.entry(row.key).or_default().push(ix);
        }
        Continued { rows: by_tie }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows that continue this one.
    pub fn behind(&self, row: &Row) -> impl Iterator<Item = u32> + '_ {
        ties(row).into_iter().flatten().filter_map(|tie| self.rows.get(&tie)).flatten().copied()
    }
}

/// Those of `rows` that continue none of `items`: what they belong to is not in the history.
pub fn stray<'r>(rows: &'r [Row], items: &[Row]) -> Vec<&'r Row> {
    if rows.is_empty() {
        return Vec::new();
    }
    let known: HashSet<u64> = items.iter().flat_map(ties).flatten().collect();
    rows.iter().filter(|row| !known.contains(&row.key)).collect()
}

/// What ties others to a row: a call's key, an item's id.
fn ties(row: &Row) -> [Option<u64>; 2] {
    [row.has_id().then(|| tie_of_id(row.id)), (row.kind.is_call() && row.key != 0).then_some(row.key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Place};

    fn row(n: u64, kind: Kind, id: u64, key: u64, item: ItemFlags) -> Row {
        Row { kind, of: kind, id, key, item, ..Row::of_place(Place::new(DocId(0), n, 1), 0) }
    }

    #[test]
    fn results_belong_to_items_and_announcements_to_calls() {
        let none = ItemFlags::NONE;
        let mut rows = vec![
            row(0, Kind::Reasoning, 7, 0, ItemFlags::SHARED),
            row(1, Kind::Reasoning, 7, 0, ItemFlags::SHARED),
            row(2, Kind::FunctionCall, 0, 9, none),
            continuing(row(3, Kind::Unknown, 0, 0, none), 9),
            continuing(row(4, Kind::Unknown, 0, 0, none), tie_of_id(9)),
            row(5, Kind::FunctionCallOutput, 0, 9, none),
        ];
        let others = take_continuing(&mut rows);
        assert_eq!((rows.len(), others.len()), (3, 3));
        let continued = Continued::of(&others, 3);
        assert_eq!(continued.behind(&rows[0]).collect::<Vec<_>>(), [3]);
        assert_eq!(continued.behind(&rows[1]).collect::<Vec<_>>(), [4]);
        assert_eq!(continued.behind(&rows[2]).count(), 0);
        assert_eq!(stray(&others, &rows).iter().map(|row| row.at.start).collect::<Vec<_>>(), [4]);
    }
}
