//! What a store that is not edited takes instead: an update, in the words of the program that keeps the store.

use crate::history::Code;

use super::correcting::Problems;
use super::record::Stored;

/// An update for a store that only its own program can write.
pub struct Handover {
    /// What the user calls with it.
    pub call: &'static str,
    /// Whether a finding is one that it mends.
    pub mends: fn(Code) -> bool,
    /// The update as JSON, for the problems in a record; `None` if there is none.
    pub update: fn(&Stored<'_>, &Problems) -> Option<Vec<u8>>,
}
