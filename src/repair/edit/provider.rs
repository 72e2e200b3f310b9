//! The provider that the header of a session names. An agent goes on with the one of the session, and cannot if its
//! settings no longer have it.

use std::io;

use crate::format::KeptLines;
use crate::history::Row;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::place::{DocId, Edit, Patch};
use crate::rule::Loss;
use crate::source::{Container, ReadAt, lines};

use super::padding;
use super::padding::{LONGER, PINNED};
use crate::repair::{Action, Cause, Change, FixOptions};

/// The header of a log.
pub(in crate::repair) struct Header<'h> {
    pub kept: &'h dyn KeptLines,
    /// Where the log's own lines begin.
    pub own: u64,
    /// Its lines may not move.
    pub stays: bool,
}

/// What sets the provider, or why it is not set.
#[derive(Default)]
pub(in crate::repair) struct Set {
    pub edits: Vec<Edit>,
    pub change: Option<Change>,
    pub left: Option<&'static str>,
}

/// Sets the provider that was asked for.
pub(in crate::repair) fn set(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    header: &Header<'_>,
    wanted: &FixOptions,
) -> io::Result<Set> {
    let (Some(name), Container::Lines { start } | Container::Document { start }) = (&wanted.provider, container)
    else {
        return Ok(Set::default());
    };
    let line = lines::around(bytes, id, start, header.own.max(start))?;
    let (mut text, mut tape, mut edits) = (Vec::new(), Tape::new(), Vec::new());
    bytes.read_into(line.start, line.len as usize, &mut text)?;
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let at = root.and_then(|root| header.kept.provider(root, name, Base::new(id, line.start), &mut edits));
    let Some(at) = at.filter(|_| !edits.is_empty()) else { return Ok(Set::default()) };
    if header.stays {
        let mut patch = Patch::default();
        patch.add(edits);
        edits = padding::pad(id, bytes, container, &patch, header.kept)?.edits(id).to_vec();
        let left = if wanted.pinned { Some(PINNED) } else { edits.is_empty().then_some(LONGER) };
        if left.is_some() {
            return Ok(Set { left, ..Set::default() });
        }
    }
    let change = Change {
        cause: Cause::Flag("--set-provider"),
        row: Row::of_place(at, 0),
        other: None,
        action: Action::Rewrite,
        loss: Loss::Lossless,
        what: "set the model provider",
        history: None,
    };
    Ok(Set { edits, change: Some(change), left: None })
}
