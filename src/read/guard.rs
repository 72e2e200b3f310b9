//! A panic while a record is read is a bug of ours: what was read of the record is taken back, and the reading goes on.

use crate::source::bug;

use super::Visitor;
use super::batch::Batch;
use super::skipped::{Panics, Skipped};
use super::stage::Stage;

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
