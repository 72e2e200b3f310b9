//! What a request of an event stream sent: the stream is read for the format that knows what its events add up to.

use std::io;

use crate::format::Record;
use crate::format::requests::{Asked, Refused, Requests, Sent};
use crate::place::DocId;
use crate::read::records::Entry;
use crate::read::{Options, records};
use crate::source::ReadAt;

/// Rebuilds what was sent, or would be sent.
pub fn rebuild(
    id: DocId,
    bytes: &dyn ReadAt,
    requests: &dyn Requests,
    options: &Options,
    asked: &Asked<'_>,
) -> io::Result<Result<Sent, Refused>> {
    let mut rebuild = requests.rebuild(*asked);
    let each = |take: &mut dyn FnMut(&Entry<'_>) -> bool| {
        records::each(id, bytes, options.format, options.max_record, &mut |entry| Ok(take(entry))).map(drop)
    };
    each(&mut |entry| match record(entry) {
        Some(record) => rebuild.take(&record, bytes),
        None => true,
    })?;
    match rebuild.taken() {
        Err(refused) => return Ok(Err(refused)),
        Ok(false) => {}
        Ok(true) => each(&mut |entry| match record(entry) {
            Some(record) => rebuild.take_later(&record),
            None => true,
        })?,
    }
    Ok(Ok(rebuild.finish(bytes)))
}

/// The record of an entry, if it is one of a log that names its requests.
fn record<'e>(entry: &Entry<'e>) -> Option<Record<'e>> {
    entry.format.and_then(|format| format.info().requests)?;
    Some(entry.record(entry.val?))
}
