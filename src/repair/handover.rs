//! Repairs that the user hands to the program that keeps a store, because nobody else can write it.

use std::io;

use crate::format::handover::Problems;
use crate::format::translate::Stored;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::judge::Judged;
use crate::place::{DocId, Place};
use crate::read;
use crate::source::{Container, ReadAt};
use crate::target::Severity;

use super::Fixed;

/// What the user calls, and with what, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub call: &'static str,
    pub with: Vec<u8>,
}

/// The update that mends what a repair leaves in a doc of one record, where its format knows one.
pub fn update(id: DocId, bytes: &dyn ReadAt, fixed: &Fixed) -> io::Result<Option<Update>> {
    let left = fixed.left();
    let Some((format, handover)) = left.format.and_then(|format| Some((format, format.info().handover?))) else {
        return Ok(None);
    };
    let is_mended =
        |judged: &&Judged| judged.severity >= Severity::Warning && (handover.mends)(judged.finding.code);
    let mended: Vec<&Judged> = left.judged.iter().filter(is_mended).collect();
    if mended.is_empty() {
        return Ok(None);
    }
    read::fill(id, bytes, &read::Options { format: Some(format), ..read::Options::default() })?;
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
    let with = (handover.update)(&Stored { val, base: Base::new(id, start), number: 0 }, &problems);
    Ok(with.map(|with| Update { call: handover.call, with }))
}
