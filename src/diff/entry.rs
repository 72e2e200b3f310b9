//! An entry to compare: an item of a history, or a member of its request.

use std::borrow::Cow;

use crate::json::string::fingerprint_of;
use crate::message::RawJson;
use crate::place::Place;

use super::equivalence::SHARED;
use super::forms::Purpose;
use super::meaning::{self, Id, Meaning};

/// An item of a history, or a member of its request.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The type of an item, or its role; the name of a member.
    pub kind: String,
    pub id: Option<String>,
    /// All ids of the item, in any order.
    pub ids: Vec<Id>,
    /// A hash that identifies the entry on both sides; 0 if nothing does.
    pub key: u64,
    /// A hash of the key and the text.
    pub text_hash: u64,
    pub grammar: EntryGrammar,
    pub text: RawJson,
    /// Its place in the document.
    pub at: Place,
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
}

/// The format of the text of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryGrammar {
    /// An item of a dialect.
    Item(&'static str),
    /// A member of a request of a dialect.
    Member(&'static str),
    /// In the vocabulary that all dialects share.
    Shared,
}

impl EntryGrammar {
    pub fn dialect(self) -> &'static str {
        match self {
            EntryGrammar::Item(dialect) | EntryGrammar::Member(dialect) => dialect,
            EntryGrammar::Shared => SHARED,
        }
    }
}

impl Entry {
    pub fn new(
        kind: String,
        id: Option<String>,
        grammar: EntryGrammar,
        text: Vec<u8>,
        at: Place,
        record: u32,
    ) -> Self {
        let named = matches!(grammar, EntryGrammar::Member(_));
        let key = match &id {
            Some(id) => key_of(&kind, id),
            None if named => fingerprint_of(kind.as_bytes()),
            None => 0,
        };
        let text_hash =
            fingerprint_of(&text) ^ key.rotate_left(1) ^ fingerprint_of(kind.as_bytes()).rotate_left(2);
        Entry {
            kind,
            id,
            ids: Vec::new(),
            key,
            text_hash,
            grammar,
            text: RawJson::new(text),
            at,
            record,
            pointer: String::new(),
        }
    }

    /// The meaning of the entry, or that of the prompt that a provider makes of it. This parses its text.
    pub fn meaning(&self, purpose: Purpose) -> Meaning {
        let text = &self.text.bytes();
        match self.grammar {
            EntryGrammar::Item(dialect) => meaning::of_item(dialect, purpose, text),
            EntryGrammar::Member(dialect) => meaning::of_member(dialect, purpose, &self.kind, text),
            EntryGrammar::Shared => meaning::of_shared(&self.kind, text, &self.ids),
        }
    }

    /// The key of the entry with another id.
    pub fn key_with_id(&self, id: &str) -> u64 {
        key_of(&self.kind, id)
    }
}

/// The text of an entry; empty without one.
pub fn text_of(entry: Option<&Entry>) -> Cow<'_, [u8]> {
    entry.map_or(Cow::default(), |entry| entry.text.bytes())
}

/// A hash of kind and id. The kind of a call does not include the name of its tool.
fn key_of(kind: &str, id: &str) -> u64 {
    let kind = kind.split_once(" of ").map_or(kind, |(what, _)| what);
    fingerprint_of(format!("{kind}\n{id}").as_bytes())
}

/// A function that returns the number of the record at a place, from 1.
pub(super) type RecordLookup<'l> = &'l dyn Fn(Place) -> u32;
