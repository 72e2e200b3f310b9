//! Lines that have one name. Readers keep one of them; what becomes of it becomes of the others, too, or one of those
//! would count instead, with what was wrong with it.

use std::io;

use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::place::{Edit, Place};
use crate::source::ReadAt;

use super::super::{Action, Cause, Change};
use super::lines::{Line, Lines};

/// What is done to the message of a line, done to the lines of its name that hold the same message. Nothing, if more than
/// the message is edited.
pub fn repeated(
    bytes: &dyn ReadAt,
    lines: &Lines,
    ix: u32,
    edits: &[Edit],
    changes: &[Change],
) -> io::Result<(Vec<Edit>, Vec<Change>)> {
    let (mut all, mut listed) = (Vec::new(), Vec::new());
    let mut copies = lines.copies(ix).peekable();
    if copies.peek().is_none() {
        return Ok((all, listed));
    }
    let Some((own, text)) = message(bytes, lines.line(ix))? else { return Ok((all, listed)) };
    if !edits.iter().all(|edit| own.contains(&edit.at)) {
        return Ok((all, listed));
    }
    for other in copies {
        let line = lines.line(other);
        let Some((at, _)) = message(bytes, line)?.filter(|(_, same)| *same == text) else { continue };
        let moved = |place: Place| match own.contains(&place) {
            true => Place { start: at.start + (place.start - own.start), ..place },
            false => place,
        };
        all.extend(edits.iter().map(|edit| Edit { at: moved(edit.at), with: edit.with.clone() }));
        listed.extend(changes.iter().map(|change| {
            let mut change = Change { other: change.other.map(moved), ..*change };
            (change.row.at, change.row.record) = (moved(change.row.at), line.record);
            if change.action == Action::Move {
                (change.action, change.other) = (Action::Drop, None);
                change.what = "drop the copy of the moved result";
            }
            if let Cause::Rule(_, _, found) = &mut change.cause {
                *found = moved(*found);
            }
            change
        }));
    }
    Ok((all, listed))
}

/// Where the message of a line lies, and its text.
fn message(bytes: &dyn ReadAt, line: &Line) -> io::Result<Option<(Place, Box<[u8]>)>> {
    let (text, mut tape) = (line.text(bytes)?, Tape::new());
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(root
        .and_then(|root| root.get("message"))
        .map(|message| (Base::new(line.at.doc, line.at.start).of(message), message.raw().into())))
}
