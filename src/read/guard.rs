//! A panic while a record is read is a bug of ours: what was read of the record is taken back, and the reading goes on.

use std::fmt;

use crate::source::bug::{self, Bug};

use super::Visitor;
use super::stage::{Batch, Stage};

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

/// Reads a record; `None` if that panics.
pub(super) fn guarded<'o, V: Visitor, R>(
    panics: Panics,
    stage: &mut Stage<'o, V>,
    read: impl FnOnce(&mut Stage<'o, V>) -> R,
) -> Option<R> {
    if panics == Panics::Propagate {
        return Some(read(stage));
    }
    let before = Lengths::of(&stage.batch);
    match bug::caught(|| read(stage)) {
        Ok(done) => Some(done),
        Err(bug) => {
            before.restore(&mut stage.batch);
            stage.batch.bugs.push(Skipped { record: before.records, bug });
            stage.batch.broken = true;
            stage.batch.records = before.records + 1;
            None
        }
    }
}

/// How much there was of a batch.
struct Lengths {
    rows: usize,
    marks: usize,
    items: usize,
    raised: usize,
    records: u32,
}

impl Lengths {
    fn of(batch: &Batch) -> Lengths {
        Lengths {
            rows: batch.rows.len(),
            marks: batch.marks.len(),
            items: batch.items.len(),
            raised: batch.raised.len(),
            records: batch.records,
        }
    }

    fn restore(&self, batch: &mut Batch) {
        batch.rows.truncate(self.rows);
        batch.marks.truncate(self.marks);
        batch.items.truncate(self.items);
        batch.raised.truncate(self.raised);
    }
}
