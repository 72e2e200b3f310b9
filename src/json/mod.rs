//! JSON as bytes: a strict scanner, the tape it fills, pointers, edits on places, and lines and columns.
//!
//! A `serde_json::Value` folds duplicate keys, rewrites numbers and escapes, and refuses what a linter must point at.
//! Here bytes are kept, and values are only looked at.

mod block;
pub mod canonical;
#[allow(clippy::indexing_slicing, reason = "not yet proven or replaced")]
mod duplicates;
pub mod edit;
pub mod fault;
#[allow(clippy::indexing_slicing, reason = "not yet proven or replaced")]
mod keys;
pub mod locate;
pub mod mend;
pub mod pieces;
pub mod pointer;
pub mod readable;
#[allow(clippy::indexing_slicing, reason = "the scanner's cursor is checked where it moves")]
pub mod scan;
pub mod spare;
pub mod spot;
pub mod steps;
pub mod string;
#[allow(clippy::indexing_slicing, reason = "not yet proven or replaced")]
pub mod tape;

pub use fault::{Fault, What};
pub use keys::KeySet;
pub use readable::readable;
pub use scan::{scan, scan_prefix};
pub use spare::Spare;
pub use string::{Str, fingerprint, fingerprint_of};
pub use tape::{Member, NodeKind, Oddity, Tape, Val};
