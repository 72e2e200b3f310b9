//! Reads logs whose records are not items of a provider, with the reader of their dialect.

use std::io;
use std::ops::RangeInclusive;

use crate::dialect::{LogReader, LogThread};
use crate::place::DocId;
use crate::read::records;
use crate::source::ReadAt;

/// The records of a doc, or some of them.
pub struct LogRecords<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    /// The range of offsets of the records to read.
    pub within: RangeInclusive<u64>,
    /// The largest record to read, in bytes.
    pub limit: u64,
}

/// Reads the records, in order.
pub fn read(records: &LogRecords<'_>, mut reader: Box<dyn LogReader>) -> io::Result<LogThread> {
    let LogRecords { id, bytes, within, limit } = records;
    records::each_value(*id, *bytes, *limit, &mut |val, base| {
        let at = base.of(val);
        if at.end() > *within.start() && at.start <= *within.end() {
            reader.read(val, base);
        }
        at.start <= *within.end()
    })?;
    Ok(reader.finish())
}
