//! Groups: a run of reasoning and the model-made items after it, up to the next reasoning item, client output, or
//! message of a user, system or developer. A group is kept, detached, referenced, flattened or dropped as a whole:
//! stripping the id of the reasoning and keeping that of the call is the worst repair known.

use super::kind::{Class, Kind, Role};
use super::row::Row;

/// Rows `start..end`: reasoning up to `body`, then the items after it. Without reasoning, `start == body`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    pub start: u32,
    pub body: u32,
    pub end: u32,
}

impl Group {
    pub fn reasoning(&self) -> std::ops::Range<usize> {
        self.start as usize..self.body as usize
    }

    pub fn members(&self) -> std::ops::Range<usize> {
        self.body as usize..self.end as usize
    }

    pub fn all(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn has_reasoning(&self) -> bool {
        self.start < self.body
    }

    pub fn has_members(&self) -> bool {
        self.body < self.end
    }
}

/// Splits a history into groups. Rows that belong to none (users, outputs) are between them. Items of unknown types are
/// skipped: they end no group, and are never changed.
pub fn group(rows: &[Row]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut at: Option<Group> = None;
    for (ix, row) in rows.iter().enumerate() {
        let ix = ix as u32;
        if row.is_reasoning() {
            match &mut at {
                Some(group) if group.body == group.end => {
                    group.body = ix + 1;
                    group.end = ix + 1;
                }
                _ => {
                    groups.extend(at.take());
                    at = Some(Group { start: ix, body: ix + 1, end: ix + 1 });
                }
            }
        } else if row.is_model_made() {
            match &mut at {
                Some(group) => group.end = ix + 1,
                None => at = Some(Group { start: ix, body: ix, end: ix + 1 }),
            }
        } else if ends_group(row) {
            groups.extend(at.take());
        }
    }
    groups.extend(at);
    groups
}

/// True if a row ends the group before it.
pub fn ends_group(row: &Row) -> bool {
    match row.kind.class() {
        Class::Message => row.role != Role::Assistant,
        Class::Output => true,
        Class::Other => row.kind == Kind::Compaction,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Place};

    /// One letter an item: u user, a assistant, r reasoning, c call, o output, w web search, ? unknown.
    fn groups(items: &str) -> Vec<(u32, u32, u32)> {
        let rows: Vec<Row> = items
            .bytes()
            .enumerate()
            .map(|(n, letter)| {
                let mut row = Row::of_place(Place::new(DocId(0), n as u64, 1), 0);
                (row.kind, row.role) = match letter {
                    b'u' => (Kind::Message, Role::User),
                    b'a' => (Kind::Message, Role::Assistant),
                    b'r' => (Kind::Reasoning, Role::None),
                    b'c' => (Kind::FunctionCall, Role::None),
                    b'o' => (Kind::FunctionCallOutput, Role::None),
                    b'w' => (Kind::WebSearchCall, Role::None),
                    _ => (Kind::Unknown, Role::None),
                };
                row.item_kind = row.kind;
                row
            })
            .collect();
        group(&rows).iter().map(|g| (g.start, g.body, g.end)).collect()
    }

    #[test]
    fn reasoning_precedes_the_items_of_its_group() {
        assert_eq!(groups("urccoou"), [(1, 2, 4)]);
        assert_eq!(groups("urwrau"), [(1, 2, 3), (3, 4, 5)]);
        assert_eq!(groups("rrac"), [(0, 2, 4)]);
        assert_eq!(groups("rcoco"), [(0, 1, 2), (3, 3, 4)]);
        assert_eq!(groups("uru"), [(1, 2, 2)]);
        assert_eq!(groups("ua?cou"), [(1, 1, 4)]);
        assert_eq!(groups("r?c"), [(0, 1, 3)]);
        assert_eq!(groups(""), []);
    }
}
