//! JSON as bytes: a strict scanner, the tape it fills, pointers, edits on places, and lines and columns.
//!
//! A `serde_json::Value` folds duplicate keys, rewrites numbers and escapes, and refuses what a linter must point at.
//! Here bytes are kept, and values are only looked at.

mod block;
pub mod builder;
pub mod canonical;
#[allow(clippy::indexing_slicing, reason = "nodes refer to each other by numbers that the scanner gave them")]
mod duplicates;
pub mod edit;
pub mod fault;
#[allow(clippy::indexing_slicing, reason = "the scanner's cursor is checked where it moves")]
mod grammar;
#[allow(clippy::indexing_slicing, reason = "a table that is made as it is compiled")]
mod keys;
pub mod locate;
pub mod mend;
#[allow(clippy::indexing_slicing, reason = "tables that are made as they are compiled, and numbers of their rows")]
mod names;
pub mod pointer;
pub mod provenance;
pub mod readable;
#[allow(clippy::indexing_slicing, reason = "the scanner's cursor is checked where it moves")]
pub mod scan;
pub mod spare;
pub mod spot;
pub mod steps;
pub mod string;
#[allow(clippy::indexing_slicing, reason = "nodes refer to each other by numbers that the scanner gave them")]
pub mod tape;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[allow(clippy::indexing_slicing, reason = "tables that are made as they are compiled")]
mod words;

pub use fault::{Fault, What};
pub use keys::KeySet;
pub use names::{ByName, Name, NameSet, name};
pub use readable::readable;
pub use scan::{scan, scan_prefix};
pub use spare::Spare;
pub use string::{Str, fingerprint, fingerprint_of};
pub use tape::{Key, Member, NodeKind, Oddity, Tape, Val};

/// Whether a text is a whole JSON value.
pub fn is_json(text: &[u8]) -> bool {
    scan(text, &mut Tape::new()).is_ok()
}

/// Whether a value is a string that spells a JSON object.
pub fn spells_object(val: Val<'_>) -> bool {
    let mut tape = Tape::new();
    let text = val.text().filter(|text| val.is_string() && text.trim_ascii_start().starts_with(b"{"));
    text.is_some_and(|text| {
        scan(&text, &mut tape).is_ok() && tape.root(&text).is_some_and(|root| root.is_object())
    })
}
