//! The index of items that are elsewhere in a doc: full items of references, and recorded responses that show which
//! reasoning preceded an item. Built only for the ids that a history lacks.

use foldhash::{HashMap, HashSet};

use crate::place::Place;

use super::{Family, Flags, History, ItemFlags, Kind, NONE};

/// A full item elsewhere in the doc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredItem {
    pub at: Place,
    /// The item is inside a JSON string, so its bytes cannot be copied as they are.
    pub embedded: bool,
    /// It is in a recorded response: if no reasoning comes before it there, it was made without.
    pub recorded: bool,
    /// The reasoning right before it in its recorded response.
    pub reasoning: Option<PrecedingReasoning>,
}

/// Reasoning in a recorded response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrecedingReasoning {
    pub at: Place,
    pub id: u64,
    pub embedded: bool,
}

/// A recorded response, as requests that build on it need it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredResponse {
    /// Unix seconds; 0 if it is not known.
    pub time: u32,
    /// Unanswered calls of its output.
    pub open: Vec<UnansweredCall>,
}

/// A call without an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnansweredCall {
    pub at: Place,
    pub key: u64,
}

/// Full items of a doc, by the fingerprints of their ids, and recorded responses by theirs.
#[derive(Debug, Default)]
pub struct StoredItems {
    items: HashMap<u64, StoredItem>,
    responses: HashMap<u64, StoredResponse>,
}

impl StoredItems {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.responses.is_empty()
    }

    pub fn item(&self, id: u64) -> Option<&StoredItem> {
        self.items.get(&id)
    }

    /// True if the full item is in the doc as plain JSON, so that its bytes can be copied.
    pub fn can_copy(&self, id: u64) -> bool {
        self.items.get(&id).is_some_and(|item| !item.embedded)
    }

    /// The reasoning that preceded this item in a recorded response.
    pub fn reasoning(&self, id: u64) -> Option<&PrecedingReasoning> {
        self.items.get(&id).and_then(|item| item.reasoning.as_ref())
    }

    /// A recorded response of the doc.
    pub fn response(&self, id: u64) -> Option<&StoredResponse> {
        self.responses.get(&id)
    }

    /// Collects the wanted ids from a history. The first full item is used; a recorded one adds its reasoning.
    pub fn collect(&mut self, history: &History, wanted: &HashSet<u64>) {
        if let Some(response) = history.settings.response.filter(|response| wanted.contains(&response.id)) {
            let open = open_calls(history).collect();
            self.responses.entry(response.id).or_insert(StoredResponse { time: response.time, open });
        }
        for group in &history.groups {
            let reasoning =
                history.rows_in(group.reasoning()).last().filter(|row| row.has_id() && !row.is_reference());
            for row in history.rows_in(group.all()) {
                if !wanted.contains(&row.id) || row.is_reference() {
                    continue;
                }
                let recorded = row.has(Flags::RECORDED);
                let reasoning =
                    reasoning.filter(|reasoning| recorded && reasoning.id != row.id).map(|reasoning| {
                        PrecedingReasoning {
                            at: reasoning.at,
                            id: reasoning.id,
                            embedded: reasoning.has(Flags::EMBEDDED),
                        }
                    });
                let item = StoredItem { at: row.at, embedded: row.has(Flags::EMBEDDED), recorded, reasoning };
                let known = self.items.entry(row.id).or_insert(item);
                known.recorded |= item.recorded;
                known.reasoning = known.reasoning.or(item.reasoning);
            }
        }
    }

    /// Merges another index into this one, whose entries take precedence.
    pub fn merge(&mut self, other: StoredItems) {
        for (id, response) in other.responses {
            self.responses.entry(id).or_insert(response);
        }
        for (id, item) in other.items {
            let known = self.items.entry(id).or_insert(item);
            known.recorded |= item.recorded;
            known.reasoning = known.reasoning.or(item.reasoning);
        }
    }
}

/// Calls of a recorded response that a client must answer and that have no output in the history.
fn open_calls(history: &History) -> impl Iterator<Item = UnansweredCall> + '_ {
    let open = history.pairs.iter().filter(|pair| pair.call != NONE && pair.output == NONE);
    let calls = open.map(|pair| history.row(pair.call));
    let owed = calls.filter(|call| {
        let of_a_client =
            call.is_client_call() && call.kind != Kind::Program && call.kind.family() != Some(Family::Approval);
        call.has(Flags::RECORDED) && call.key != 0 && of_a_client && !call.has(ItemFlags::OWNED)
    });
    owed.map(|call| UnansweredCall { at: call.at, key: call.key })
}
