//! JSON as bytes: a strict scanner, the tape it fills, pointers, edits on places, and lines and columns.
//!
//! A `serde_json::Value` folds duplicate keys, rewrites numbers and escapes, and refuses what a linter must point
//! at. Here the bytes are kept, and values are views of them.

mod block;
pub mod builder;
pub mod canonical;
#[allow(clippy::indexing_slicing, reason = "nodes refer to each other by numbers that the scanner gave them")]
mod duplicates;
pub mod edit;
pub mod fault;
#[allow(clippy::indexing_slicing, reason = "the scanner's cursor is checked where it moves")]
mod grammar;
#[allow(clippy::indexing_slicing, reason = "tables that are made as they are compiled")]
mod key_words;
#[allow(clippy::indexing_slicing, reason = "a table that is made as it is compiled")]
mod keys;
pub mod locate;
pub mod member_match;
#[allow(clippy::indexing_slicing, reason = "tables that are made as they are compiled, and numbers of their rows")]
mod names;
pub mod pointer;
pub mod provenance;
pub mod salvage;
mod saved_tapes;
#[allow(clippy::indexing_slicing, reason = "the scanner's cursor is checked where it moves")]
pub mod scan;
pub mod scratch;
pub mod steps;
pub mod string;
#[allow(clippy::indexing_slicing, reason = "nodes refer to each other by numbers that the scanner gave them")]
pub mod tape;
pub mod value_edit;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub use fault::{Fault, FaultKind};
pub use keys::KeySet;
pub use names::{ByName, KeyName, NameSet, name};
pub use salvage::salvage;
pub use saved_tapes::SavedTapes;
pub use scan::{scan, scan_prefix};
pub use scratch::ScratchBuffers;
pub use string::{Str, fingerprint, fingerprint_of};
pub use tape::{Member, MemberKey, NodeKind, Oddity, Tape, Val};

/// True if a text is one JSON value.
pub fn is_json(text: &[u8]) -> bool {
    scan(text, &mut ScratchBuffers::acquire().tape).is_ok()
}

/// True if a value is a string that contains a JSON object.
pub fn is_object_text(val: Val<'_>) -> bool {
    let text = val.text().filter(|text| val.is_string() && text.trim_ascii_start().starts_with(b"{"));
    text.is_some_and(|text| {
        let ScratchBuffers { tape, .. } = &mut ScratchBuffers::acquire();
        scan(&text, tape).is_ok() && tape.root(&text).is_some_and(|root| root.is_object())
    })
}
