//! Reads logs whose records are not items of a provider, with the reader of their dialect.

use std::io;
use std::ops::RangeInclusive;

use crate::dialect::{LogReader, LogThread};
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::place::DocId;
use crate::read::records::{self, RecordLayout};
use crate::source::{Container, ReadAt, framing};

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
    let held = records::for_each(*id, *bytes, None, *limit, &mut |entry| {
        if entry.place.end() > *within.start()
            && entry.place.start <= *within.end()
            && let Some(val) = entry.val
        {
            reader.read(val, entry.base);
        }
        Ok(entry.place.start <= *within.end())
    })?;
    // A log of one record looks like a document.
    if let (RecordLayout::SingleDocument, Container::Document { start }) = (held, framing::sniff(*bytes)?)
        && bytes.len() - start <= *limit
    {
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
        if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
            reader.read(root, RecordBase::new(*id, start));
        }
    }
    Ok(reader.finish())
}
