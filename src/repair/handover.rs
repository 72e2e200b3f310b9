//! Repairs that only the program that owns a store can write: the user hands them over to it.

use std::io;

use crate::format::handover::Problems;
use crate::format::translate::ParsedRecord;
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::judge::WeighedFinding;
use crate::place::{DocId, Place};
use crate::read;
use crate::source::{Container, ReadAt};
use crate::target::Severity;

use super::DocRepair;

/// A call that the user makes, with its argument as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoverUpdate {
    pub call: &'static str,
    pub payload: Vec<u8>,
}

/// The update that fixes the findings that a repair leaves in a doc of one record; `None` if its format has no
/// such call or nothing is left to fix.
pub fn build_update(id: DocId, bytes: &dyn ReadAt, fixed: &DocRepair) -> io::Result<Option<HandoverUpdate>> {
    let left = fixed.remaining();
    let Some((format, handover)) = left.format.and_then(|format| Some((format, format.info().handover?))) else {
        return Ok(None);
    };
    let is_mended =
        |judged: &&WeighedFinding| judged.severity >= Severity::Warning && (handover.repairs)(judged.finding.code);
    let mended: Vec<&WeighedFinding> = left.findings.iter().filter(is_mended).collect();
    if mended.is_empty() {
        return Ok(None);
    }
    read::merge_events(id, bytes, &read::Options { format: Some(format), ..read::Options::default() })?;
    let origin = |at: Place| bytes.origin(at);
    let places = mended.iter().map(|judged| (origin(judged.finding.row.at), judged.finding.partner.map(origin)));
    let problems = Problems::new(places);
    let start = match fixed.before.container {
        Container::Document { start } | Container::Lines { start } => start,
        _ => return Ok(None),
    };
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    bytes.read_into(start, usize::try_from(bytes.len() - start).map_err(io::Error::other)?, &mut text)?;
    let Some(val) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(None) };
    let payload = (handover.update)(&ParsedRecord { val, base: RecordBase::new(id, start), number: 0 }, &problems);
    Ok(payload.map(|payload| HandoverUpdate { call: handover.call, payload }))
}
