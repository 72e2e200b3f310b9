//! One thing that is compared: an item of a history, or a member of the request around it.

use std::borrow::Cow;

use crate::json::string::fingerprint_of;
use crate::message::Raw;
use crate::place::Place;

use super::said::{self, Id, Said};
use super::same::SHARED;

/// One thing of a history, or of the request around it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The type of an item, or who says what; of a member of a request, its name.
    pub kind: String,
    pub id: Option<String>,
    /// All its ids, in any order.
    pub ids: Vec<Id>,
    /// Tells the same thing on both sides; 0 if nothing does.
    pub key: u64,
    /// The same for what is written in the same way.
    pub written: u64,
    pub grammar: Grammar,
    pub text: Raw,
    /// Where it is.
    pub at: Place,
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
}

/// How the text of an entry is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grammar {
    /// An item of a dialect.
    Item(&'static str),
    /// A member of a request of a dialect.
    Member(&'static str),
    /// In the words that all dialects share.
    Shared,
}

impl Grammar {
    pub fn dialect(self) -> &'static str {
        match self {
            Grammar::Item(dialect) | Grammar::Member(dialect) => dialect,
            Grammar::Shared => SHARED,
        }
    }
}

impl Entry {
    pub fn new(kind: String, id: Option<String>, grammar: Grammar, text: Vec<u8>, at: Place, record: u32) -> Self {
        let named = matches!(grammar, Grammar::Member(_));
        let key = match &id {
            Some(id) => key_of(&kind, id),
            None if named => fingerprint_of(kind.as_bytes()),
            None => 0,
        };
        let written = fingerprint_of(&text) ^ key.rotate_left(1) ^ fingerprint_of(kind.as_bytes()).rotate_left(2);
        Entry {
            kind,
            id,
            ids: Vec::new(),
            key,
            written,
            grammar,
            text: Raw::new(text),
            at,
            record,
            pointer: String::new(),
        }
    }

    /// What it says. This reads its text.
    pub fn said(&self) -> Said {
        let text = &self.text.bytes();
        match self.grammar {
            Grammar::Item(dialect) => said::of_item(dialect, text),
            Grammar::Member(dialect) => said::of_member(dialect, &self.kind, text),
            Grammar::Shared => said::of_shared(&self.kind, text, &self.ids),
        }
    }

    /// The key that it has under another id.
    pub fn key_by(&self, id: &str) -> u64 {
        key_of(&self.kind, id)
    }
}

/// The text of an entry, if there is one.
pub fn text_of(entry: Option<&Entry>) -> Cow<'_, [u8]> {
    entry.map_or(Cow::default(), |entry| entry.text.bytes())
}

/// A call is the same by its id, whatever its tool is called on the other side.
fn key_of(kind: &str, id: &str) -> u64 {
    let kind = kind.split_once(" of ").map_or(kind, |(what, _)| what);
    fingerprint_of(format!("{kind}\n{id}").as_bytes())
}

/// The number of the record of a place, from 1.
pub(super) type Locate<'l> = &'l dyn Fn(Place) -> u32;
