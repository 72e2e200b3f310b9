//! What a doc knows about items that its histories miss: full items behind references, and recorded responses that show
//! which reasoning headed an item. Gathered only if something was missed, and only for what was missed.

use std::collections::{HashMap, HashSet};

use crate::place::Place;

use super::{Flags, History};

/// A full item that stands somewhere in the doc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownItem {
    pub at: Place,
    /// The item lies in a JSON string, so its bytes cannot be copied as they are.
    pub embedded: bool,
    /// It stands in a recorded response: if no reasoning stands before it there, none was made.
    pub recorded: bool,
    /// The reasoning right before it in the recorded response that it is part of.
    pub head: Option<Head>,
}

/// Reasoning in a recorded response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub at: Place,
    pub id: u64,
    pub embedded: bool,
}

/// Full items of a doc, by the fingerprints of their ids.
#[derive(Debug, Default)]
pub struct Known {
    items: HashMap<u64, KnownItem>,
}

impl Known {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn item(&self, id: u64) -> Option<&KnownItem> {
        self.items.get(&id)
    }

    /// The full item stands in the doc as JSON of its own, so that its bytes can be copied.
    pub fn can_copy(&self, id: u64) -> bool {
        self.items.get(&id).is_some_and(|item| !item.embedded)
    }

    /// The reasoning that headed this item in a recorded response.
    pub fn head(&self, id: u64) -> Option<&Head> {
        self.items.get(&id).and_then(|item| item.head.as_ref())
    }

    /// Takes from a history what is wanted. The first full item holds; a recorded one says more than another.
    pub fn gather(&mut self, history: &History, wanted: &HashSet<u64>) {
        for group in &history.groups {
            let head = history.rows[group.reasoning()].last().filter(|row| row.has_id() && !row.is_reference());
            for row in &history.rows[group.all()] {
                if !wanted.contains(&row.id) || row.is_reference() {
                    continue;
                }
                let recorded = row.has(Flags::RECORDED);
                let head = head.filter(|head| recorded && head.id != row.id).map(|head| Head {
                    at: head.at,
                    id: head.id,
                    embedded: head.has(Flags::EMBEDDED),
                });
                let item = KnownItem { at: row.at, embedded: row.has(Flags::EMBEDDED), recorded, head };
                let known = self.items.entry(row.id).or_insert(item);
                known.recorded |= item.recorded;
                known.head = known.head.or(item.head);
            }
        }
    }

    /// Puts two gatherings together; what was there holds.
    pub fn merge(&mut self, other: Known) {
        for (id, item) in other.items {
            let known = self.items.entry(id).or_insert(item);
            known.recorded |= item.recorded;
            known.head = known.head.or(item.head);
        }
    }
}
