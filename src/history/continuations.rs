//! Items that are stored in several elements: a hosted call and the result that belongs to it, a call that is announced
//! once more when it runs, reasoning that is stored once for each of its summaries. One row represents the item; the
//! others continue it: no rule counts them, and they are removed and changed with their item.

use foldhash::{HashMap, HashSet};

use super::flags::{Flags, ItemFlags};
use super::kind::Kind;
use super::row::Row;

/// Keeps the tie to an item's id apart from the tie to a call's key.
const SALT: u64 = 0x517c_c1b7_2722_0a95;

/// The key that ties a row to the item with this id.
pub fn tie_of_id(id: u64) -> u64 {
    (id ^ SALT).max(1)
}

/// A copy of a row that continues the item named by `tie`.
pub fn continuation(row: Row, tie: u64) -> Row {
    let flags = row.flags.only(Flags::FROZEN | Flags::EMBEDDED | Flags::FOREIGN) | Flags::CONTINUES;
    let item_flags = ItemFlags::NONE;
    Row { kind: Kind::Unknown, item_kind: Kind::Unknown, id: 0, key: tie, flags, item_flags, ..row }
}

/// Removes the rows that continue others from a history and returns them. Of rows that may be about the same item, all
/// but the first continue it.
pub fn extract_continuations(rows: &mut Vec<Row>) -> Vec<Row> {
    if !rows.iter().any(|row| row.has(Flags::CONTINUES) || row.has(ItemFlags::SHARED)) {
        return Vec::new();
    }
    let mut seen: HashSet<u64> = HashSet::default();
    let mut taken = Vec::new();
    rows.retain(|row| {
        let again = row.has(ItemFlags::SHARED) && row.has_id() && !seen.insert(row.id);
        if again {
            taken.push(continuation(*row, tie_of_id(row.id)));
        } else if row.has(Flags::CONTINUES) {
            taken.push(*row);
        }
        !again && !row.has(Flags::CONTINUES)
    });
    taken
}

/// The indices of rows that continue others, by their tie.
pub struct Continuations {
    rows: HashMap<u64, Vec<u32>>,
}

impl Continuations {
    /// `rows` are those that continue others; the first of them has the index `from`.
    pub fn of(rows: &[Row], from: u32) -> Self {
        let mut by_tie: HashMap<u64, Vec<u32>> = HashMap::default();
        for (row, ix) in rows.iter().zip(from..) {
            by_tie.entry(row.key).or_default().push(ix);
        }
        Continuations { rows: by_tie }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows that continue this one.
    pub fn of_item(&self, row: &Row) -> impl Iterator<Item = u32> + '_ {
        ties(row).into_iter().flatten().filter_map(|tie| self.rows.get(&tie)).flatten().copied()
    }

    /// Removes the rows that continue this one, so that they are not found for a copy of it.
    pub fn take_of_item(&mut self, row: &Row) -> Vec<u32> {
        ties(row).into_iter().flatten().filter_map(|tie| self.rows.remove(&tie)).flatten().collect()
    }
}

/// Those of `rows` that continue none of `items`: their item is not in the history.
pub fn unmatched<'r>(rows: &'r [Row], items: &[Row]) -> Vec<&'r Row> {
    if rows.is_empty() {
        return Vec::new();
    }
    let known: HashSet<u64> = items.iter().flat_map(ties).flatten().collect();
    rows.iter().filter(|row| !known.contains(&row.key)).collect()
}

/// The ties by which others may continue a row: those of its id and of its call's key.
fn ties(row: &Row) -> [Option<u64>; 2] {
    [row.has_id().then(|| tie_of_id(row.id)), (row.kind.is_call() && row.key != 0).then_some(row.key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Place};

    fn row(n: u64, kind: Kind, id: u64, key: u64, item_flags: ItemFlags) -> Row {
        Row { kind, item_kind: kind, id, key, item_flags, ..Row::of_place(Place::new(DocId(0), n, 1), 0) }
    }

    #[test]
    fn results_belong_to_items_and_announcements_to_calls() {
        let none = ItemFlags::NONE;
        let mut rows = vec![
            row(0, Kind::Reasoning, 7, 0, ItemFlags::SHARED),
            row(1, Kind::Reasoning, 7, 0, ItemFlags::SHARED),
            row(2, Kind::FunctionCall, 0, 9, none),
            continuation(row(3, Kind::Unknown, 0, 0, none), 9),
            continuation(row(4, Kind::Unknown, 0, 0, none), tie_of_id(9)),
            row(5, Kind::FunctionCallOutput, 0, 9, none),
        ];
        let others = extract_continuations(&mut rows);
        assert_eq!((rows.len(), others.len()), (3, 3));
        let continued = Continuations::of(&others, 3);
        assert_eq!(continued.of_item(&rows[0]).collect::<Vec<_>>(), [3]);
        assert_eq!(continued.of_item(&rows[1]).collect::<Vec<_>>(), [4]);
        assert_eq!(continued.of_item(&rows[2]).count(), 0);
        assert_eq!(unmatched(&others, &rows).iter().map(|row| row.at.start).collect::<Vec<_>>(), [4]);
    }
}
