//! Rebuilds a request of an event stream, by the format that knows how events add up to one.

use std::io;

use crate::format::Record;
use crate::format::requests::{RebuildError, RebuildQuery, RebuiltRequest, RequestLog};
use crate::place::DocId;
use crate::read::records::RecordEntry;
use crate::read::{Options, records};
use crate::source::ReadAt;

/// Rebuilds the request that was sent, or would be sent next.
pub fn rebuild(
    id: DocId,
    bytes: &dyn ReadAt,
    requests: &dyn RequestLog,
    options: &Options,
    asked: &RebuildQuery<'_>,
) -> io::Result<Result<RebuiltRequest, RebuildError>> {
    let mut rebuild = requests.rebuilder(*asked);
    let each = |take: &mut dyn FnMut(&RecordEntry<'_>) -> bool| {
        records::for_each(id, bytes, options.format, options.max_record, &mut |entry| Ok(take(entry))).map(drop)
    };
    each(&mut |entry| match record(entry) {
        Some(record) => rebuild.push(&record, bytes),
        None => true,
    })?;
    match rebuild.end_first_pass() {
        Err(refused) => return Ok(Err(refused)),
        Ok(false) => {}
        Ok(true) => each(&mut |entry| match record(entry) {
            Some(record) => rebuild.push_second_pass(&record),
            None => true,
        })?,
    }
    Ok(Ok(rebuild.finish(bytes)))
}

/// The record of an entry, if it is one of a log that names its requests.
fn record<'e>(entry: &RecordEntry<'e>) -> Option<Record<'e>> {
    entry.format.and_then(|format| format.info().requests)?;
    Some(entry.record(entry.val?))
}
