//! What a doc knows about items that its histories miss: full items behind references, and recorded responses that show
//! which reasoning headed an item. Gathered only if something was missed, and only for what was missed.

use std::collections::{HashMap, HashSet};

use crate::place::Place;

use super::{Family, Flags, History, ItemFlags, Kind, NONE};

/// A full item that is somewhere in the doc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownItem {
    pub at: Place,
    /// The item lies in a JSON string, so its bytes cannot be copied as they are.
    pub embedded: bool,
    /// It is in a recorded response: if no reasoning comes before it there, none was made.
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

/// A recorded response, as far as requests that build on it must know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownResponse {
    /// Unix seconds; 0 if nothing tells.
    pub time: u32,
    /// Calls that its output leaves open.
    pub open: Vec<Open>,
}

/// A call that nothing answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open {
    pub at: Place,
    pub key: u64,
}

/// Full items of a doc, by the fingerprints of their ids, and recorded responses by theirs.
#[derive(Debug, Default)]
pub struct Known {
    items: HashMap<u64, KnownItem>,
    responses: HashMap<u64, KnownResponse>,
}

impl Known {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.responses.is_empty()
    }

    pub fn item(&self, id: u64) -> Option<&KnownItem> {
        self.items.get(&id)
    }

    /// The full item is in the doc as JSON of its own, so that its bytes can be copied.
    pub fn can_copy(&self, id: u64) -> bool {
        self.items.get(&id).is_some_and(|item| !item.embedded)
    }

    /// The reasoning that headed this item in a recorded response.
    pub fn head(&self, id: u64) -> Option<&Head> {
        self.items.get(&id).and_then(|item| item.head.as_ref())
    }

    /// A recorded response of the doc.
    pub fn response(&self, id: u64) -> Option<&KnownResponse> {
        self.responses.get(&id)
    }

    /// Takes from a history what is wanted. The first full item holds; a recorded one says more than another.
    pub fn gather(&mut self, history: &History, wanted: &HashSet<u64>) {
        if let Some(response) = history.settings.response.filter(|response| wanted.contains(&response.id)) {
            let open = open_calls(history).collect();
            self.responses.entry(response.id).or_insert(KnownResponse { time: response.time, open });
        }
        for group in &history.groups {
            let head = history.among(group.reasoning()).last().filter(|row| row.has_id() && !row.is_reference());
            for row in history.among(group.all()) {
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
        for (id, response) in other.responses {
            self.responses.entry(id).or_insert(response);
        }
        for (id, item) in other.items {
            let known = self.items.entry(id).or_insert(item);
            known.recorded |= item.recorded;
            known.head = known.head.or(item.head);
        }
    }
}

/// Calls of a recorded response that a client must answer, and that nothing in the history answers.
fn open_calls(history: &History) -> impl Iterator<Item = Open> + '_ {
    let open = history.pairs.iter().filter(|pair| pair.call != NONE && pair.output == NONE);
    let calls = open.map(|pair| history.row(pair.call));
    let owed = calls.filter(|call| {
        let of_a_client =
            call.is_client_call() && call.kind != Kind::Program && call.kind.family() != Some(Family::Approval);
        call.has(Flags::RECORDED) && call.key != 0 && of_a_client && !call.has(ItemFlags::OWNED)
    });
    owed.map(|call| Open { at: call.at, key: call.key })
}
