//! Panics while a record is read are bugs of this program: the results of the record are discarded, and reading
//! continues.

use crate::source::bug;

use super::Visitor;
use super::batch::Batch;
use super::skipped_records::{PanicPolicy, SkippedRecord};
use super::stage::Stage;

/// Reads a record; `None` if that panics and the policy is not to propagate.
pub(super) fn catch_panics<'o, V: Visitor, R>(
    panics: PanicPolicy,
    stage: &mut Stage<'o, V>,
    read: impl FnOnce(&mut Stage<'o, V>) -> R,
) -> Option<R> {
    if panics == PanicPolicy::Propagate {
        return Some(read(stage));
    }
    let before = BatchLengths::of(&stage.batch);
    match bug::catch_panic(|| read(stage)) {
        Ok(done) => Some(done),
        Err(bug) => {
            before.restore(&mut stage.batch);
            stage.batch.bugs.push(SkippedRecord { record: before.records, bug });
            stage.batch.broken = true;
            stage.batch.records = before.records + 1;
            None
        }
    }
}

/// The lengths of a batch before a record is read.
struct BatchLengths {
    rows: usize,
    marks: usize,
    items: usize,
    record_findings: usize,
    records: u32,
}

impl BatchLengths {
    fn of(batch: &Batch) -> BatchLengths {
        BatchLengths {
            rows: batch.rows.len(),
            marks: batch.marks.len(),
            items: batch.items.len(),
            record_findings: batch.record_findings.len(),
            records: batch.records,
        }
    }

    fn restore(&self, batch: &mut Batch) {
        batch.rows.truncate(self.rows);
        batch.marks.truncate(self.marks);
        batch.items.truncate(self.items);
        batch.record_findings.truncate(self.record_findings);
    }
}
