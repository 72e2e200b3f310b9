//! Records that could not be read, for no fault of their own.

use std::fmt;

use crate::source::bug::Bug;

/// What becomes of a panic while a record is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Panics {
    /// It goes on to the caller.
    #[default]
    Propagate,
    /// The doc cannot be read.
    Fail,
    /// The record is skipped as one that cannot be read.
    Skip,
}

/// A record that could not be read, for no fault of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Number of the record, from 0.
    pub record: u32,
    pub bug: Bug,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {} is skipped: {}", u64::from(self.record) + 1, self.bug)
    }
}
