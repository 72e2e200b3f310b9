//! Changes to the text of one item, apart from the record that it lies in.

use std::io;

use crate::dialect::{Cannot, Dialect, TextChange as Text};
use crate::history::Row;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::place::{DocId, Edit, Patch, Pieces, Place, With};
use crate::source::ReadAt;

/// The edits, on the text of an item alone, that make several changes, one after the other: each sees what those before
/// it made, so that changes side by side do not meet. All are made, or none.
pub(in crate::repair) fn edits_of(
    dialect: &dyn Dialect,
    id: DocId,
    text: &[u8],
    changes: &[Text],
) -> Result<Vec<Edit>, Cannot> {
    const NO_JSON: Cannot = Cannot("the item cannot be read");
    let mut all = Patch::default();
    let mut tape = Tape::new();
    for change in changes {
        let now = patched(text, &all, id);
        let item = scan(&now, &mut tape).ok().and_then(|()| tape.root(&now)).ok_or(NO_JSON)?;
        let mut edits = Vec::new();
        dialect.edit(change, item, Base::new(id, 0), &mut edits)?;
        let mut next = Patch::default();
        next.add(edits);
        all = all.then(&next, |_| text.len() as u64);
    }
    Ok(all.edits(id).to_vec())
}

/// A text after a patch to it alone.
pub(in crate::repair) fn patched(text: &[u8], patch: &Patch, id: DocId) -> Vec<u8> {
    let pieces = Pieces::new(patch.edits(id), id, text.len() as u64);
    let mut out = Vec::with_capacity(text.len());
    // Nothing in it can fail.
    let _: Result<(), std::convert::Infallible> = pieces.walk(0, pieces.len(), |piece| {
        match piece {
            With::Text(new) => out.extend_from_slice(new),
            With::Copy(at) => {
                out.extend_from_slice(text.get(at.start as usize..at.end() as usize).unwrap_or_default());
            }
        }
        Ok(())
    });
    out
}

/// The result that claims nothing, for a call. The plan asks for none that cannot be made up.
pub(in crate::repair) fn stub(dialect: &dyn Dialect, bytes: &dyn ReadAt, call: &Row) -> io::Result<Vec<u8>> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    bytes.read_into(call.at.start, call.at.len as usize, &mut text)?;
    let call = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(call.and_then(|call| dialect.stub(call).ok()).unwrap_or_default())
}

/// The text that is all of a message, as a block.
pub(in crate::repair) fn said(bytes: &dyn ReadAt, message: &Row) -> io::Result<Vec<u8>> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    bytes.read_into(message.at.start, message.at.len as usize, &mut text)?;
    let message = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let content = message.and_then(|message| message.get("content")).map_or(&b"\"\""[..], |content| content.raw());
    Ok([br#"{"type":"text","text":"#, content, b"}"].concat())
}

/// How a line ends, or would if it is the last one.
pub(super) fn line_end(text: &[u8]) -> &'static str {
    if text.ends_with(b"\r\n") { "\r\n" } else { "\n" }
}

/// New lines come to stand after the one with this text, which may go.
pub(in crate::repair) fn lines_after(
    line: Place,
    text: &[u8],
    goes: bool,
    fresh: Vec<Vec<With>>,
    out: &mut Vec<Edit>,
) {
    let at = Place::new(line.doc, line.end(), 0);
    for (n, mut with) in fresh.into_iter().enumerate() {
        match text.ends_with(b"\n") {
            true => with.push(With::text(line_end(text))),
            // The last line of the doc has no end: the new one brings one in front. One that goes leaves its own.
            false if goes && n == 0 => {}
            false => with.insert(0, With::text(line_end(text))),
        }
        out.push(Edit { at, with });
    }
}
