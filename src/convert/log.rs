//! Logs whose records are no items of a provider: their dialect reads them as a thread.

use std::io;
use std::ops::RangeInclusive;

use crate::dialect::{Log, LogReader};
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::place::DocId;
use crate::read::records::{self, Held};
use crate::source::{Container, ReadAt, framing};

/// The records of a doc, or some of them.
pub struct Records<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    /// Records that hold some of these offsets.
    pub within: RangeInclusive<u64>,
    /// Records larger than this are passed over.
    pub limit: u64,
}

/// Reads the records, in order.
pub fn read(records: &Records<'_>, mut reader: Box<dyn LogReader>) -> io::Result<Log> {
    let Records { id, bytes, within, limit } = records;
    let held = records::each(*id, *bytes, None, *limit, &mut |entry| {
        if entry.place.end() > *within.start()
            && entry.place.start <= *within.end()
            && let Some(val) = entry.val
        {
            reader.read(val, entry.base);
        }
        Ok(entry.place.start <= *within.end())
    })?;
    // A log of one record looks like a document.
    if let (Held::One, Container::Document { start }) = (held, framing::sniff(*bytes)?)
        && bytes.len() - start <= *limit
    {
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
        if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
            reader.read(root, Base::new(*id, start));
        }
    }
    Ok(reader.finish())
}
