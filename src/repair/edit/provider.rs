//! The provider in the header of a session. An agent resumes a session with this provider, and fails if its
//! settings no longer contain it.

use std::io;

use crate::format::NumberedLines;
use crate::history::Row;
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::place::{DocId, Edit, Patch};
use crate::rule::Loss;
use crate::source::{Container, ReadAt, lines};

use super::padding;
use super::padding::{LINE_GROWS, PINNED};
use crate::repair::{Action, Cause, FixOptions, ItemChange};

/// The header of a log.
pub(in crate::repair) struct LogHeader<'h> {
    pub kept: &'h dyn NumberedLines,
    /// Offset of the log's own lines, after those of its parent.
    pub own: u64,
    /// True if its lines must keep their places.
    pub has_fixed_lines: bool,
}

/// The edits that set the provider, or the reason for which it is not set.
#[derive(Default)]
pub(in crate::repair) struct ProviderEdit {
    pub edits: Vec<Edit>,
    pub change: Option<ItemChange>,
    pub refusal: Option<&'static str>,
}

/// Sets the provider that the user requested.
pub(in crate::repair) fn set_provider(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    header: &LogHeader<'_>,
    fix_options: &FixOptions,
) -> io::Result<ProviderEdit> {
    let (Some(name), Container::Lines { start } | Container::Document { start }) =
        (&fix_options.provider, container)
    else {
        return Ok(ProviderEdit::default());
    };
    let line = lines::line_at(bytes, id, start, header.own.max(start))?;
    let (mut text, mut tape, mut edits) = (Vec::new(), Tape::new(), Vec::new());
    bytes.read_into(line.start, line.len as usize, &mut text)?;
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let at =
        root.and_then(|root| header.kept.set_provider(root, name, RecordBase::new(id, line.start), &mut edits));
    let Some(at) = at.filter(|_| !edits.is_empty()) else { return Ok(ProviderEdit::default()) };
    if header.has_fixed_lines {
        let mut patch = Patch::default();
        patch.add(edits);
        edits = padding::pad(id, bytes, container, &patch, header.kept)?.edits(id).to_vec();
        let refusal = if fix_options.pinned { Some(PINNED) } else { edits.is_empty().then_some(LINE_GROWS) };
        if refusal.is_some() {
            return Ok(ProviderEdit { refusal, ..ProviderEdit::default() });
        }
    }
    let change = ItemChange {
        cause: Cause::Flag("--set-provider"),
        row: Row::of_place(at, 0),
        anchor: None,
        action: Action::Rewrite,
        loss: Loss::Lossless,
        description: "set the model provider",
        history: None,
        images: None,
    };
    Ok(ProviderEdit { edits, change: Some(change), refusal: None })
}
