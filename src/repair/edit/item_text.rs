//! Changes to the text of one item, independent of its record.

use std::io;

use crate::dialect::{Dialect, EditRefusal, TextChange as Text};
use crate::history::Row;
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::place::{DocId, Edit, Patch, Place, ReplacementPart};
use crate::source::ReadAt;

/// The edits, on the text of an item alone, that make several changes one after another: each sees the result of
/// those before it, so adjacent changes do not conflict. All are made, or none.
pub(in crate::repair) fn item_edits(
    dialect: &dyn Dialect,
    id: DocId,
    text: &[u8],
    changes: &[Text],
) -> Result<Vec<Edit>, EditRefusal> {
    const NO_JSON: EditRefusal = EditRefusal("the item cannot be read");
    let mut all = Patch::default();
    let mut tape = Tape::new();
    for change in changes {
        let now = all.apply(id, text);
        let item = scan(&now, &mut tape).ok().and_then(|()| tape.root(&now)).ok_or(NO_JSON)?;
        let mut edits = Vec::new();
        dialect.edit(change, item, RecordBase::new(id, 0), &mut edits)?;
        let mut next = Patch::default();
        next.add(edits);
        all = all.then(&next, |_| text.len() as u64);
    }
    Ok(all.edits(id).to_vec())
}

/// The placeholder result of a call. The plan asks for none that cannot be written.
pub(in crate::repair) fn stub_text(dialect: &dyn Dialect, bytes: &dyn ReadAt, call: &Row) -> io::Result<Vec<u8>> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    bytes.read_into(call.at.start, call.at.len as usize, &mut text)?;
    let call = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(call.and_then(|call| dialect.stub(call).ok()).unwrap_or_default())
}

/// The text content of a message, as a block.
pub(in crate::repair) fn message_text_block(bytes: &dyn ReadAt, message: &Row) -> io::Result<Vec<u8>> {
    let (mut text, mut tape) = (Vec::new(), Tape::new());
    bytes.read_into(message.at.start, message.at.len as usize, &mut text)?;
    let message = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let content = message.and_then(|message| message.get("content")).map_or(&b"\"\""[..], |content| content.raw());
    Ok([br#"{"type":"text","text":"#, content, b"}"].concat())
}

/// The line end of a line, or the one to use if it has none.
pub(super) fn line_end(text: &[u8]) -> &'static str {
    if text.ends_with(b"\r\n") { "\r\n" } else { "\n" }
}

/// Inserts new lines after the line with this text, which may itself be removed.
pub(in crate::repair) fn insert_lines_after(
    line: Place,
    text: &[u8],
    goes: bool,
    new_lines: Vec<Vec<ReplacementPart>>,
    out: &mut Vec<Edit>,
) {
    let at = Place::new(line.doc, line.end(), 0);
    for (n, mut with) in new_lines.into_iter().enumerate() {
        match text.ends_with(b"\n") {
            true => with.push(ReplacementPart::text(line_end(text))),
            // The last line of the doc has no line end, so the new line begins with one, unless it replaces the
            // last line.
            false if goes && n == 0 => {}
            false => with.insert(0, ReplacementPart::text(line_end(text))),
        }
        out.push(Edit { at, with });
    }
}
