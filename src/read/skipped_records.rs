//! Records that were skipped because of a panic.

use std::fmt;

use crate::source::bug::Bug;

/// What to do about a panic while a record is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PanicPolicy {
    /// Propagate it to the caller.
    #[default]
    Propagate,
    /// Fail to read the doc.
    Fail,
    /// Skip the record as unreadable.
    Skip,
}

/// A record that was skipped because of a panic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedRecord {
    /// Number of the record, from 0.
    pub record: u32,
    pub bug: Bug,
}

impl fmt::Display for SkippedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {} is skipped: {}", u64::from(self.record) + 1, self.bug)
    }
}
