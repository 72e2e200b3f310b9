//! Lines with the same name. Readers use one of them; the others are changed in the same way, or else one of them
//! would be used instead, with the old defect.

use std::io;

use foldhash::{HashMap, HashSet};

use crate::json::edit::RecordBase;
use crate::json::{Tape, fingerprint_of, scan};
use crate::place::{Edit, Place};
use crate::source::ReadAt;

use super::lines::{LinkedLine, LinkedLines};
use crate::repair::{Action, Cause, ItemChange};

/// Repeats the edits on the message of a line on the other lines of its name with the same message. Nothing if
/// more than the message is edited.
pub fn repeat_on_copies(
    bytes: &dyn ReadAt,
    lines: &LinkedLines,
    ix: u32,
    edits: &[Edit],
    changes: &[ItemChange],
) -> io::Result<(Vec<Edit>, Vec<ItemChange>)> {
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
            let mut change = ItemChange { anchor: change.anchor.map(moved), ..change.clone() };
            (change.row.at, change.row.record) = (moved(change.row.at), line.record);
            if change.action == Action::Move {
                (change.action, change.anchor) = (Action::Drop, None);
                change.description = "drop the copy of the moved result";
            }
            if let Cause::Rule(_, _, found) = &mut change.cause {
                *found = moved(*found);
            }
            change
        }));
    }
    Ok((all, listed))
}

/// Why findings in a disputed line are not fixed.
pub const DISPUTED: &str =
    "another line with the same uuid has different content, and it is not known which of them was sent";

/// Lines of one name with different messages, which stay unchanged.
#[derive(Default)]
pub struct DisputedLines {
    /// Cached answers by name.
    known: HashMap<u64, bool>,
    /// Disputed lines found so far, in order.
    lines: Vec<Place>,
}

impl DisputedLines {
    /// True if another line of the same name has a different message. Must be called with lines in order.
    pub fn check_line(&mut self, bytes: &dyn ReadAt, lines: &LinkedLines, ix: u32) -> io::Result<bool> {
        let LinkedLine { name, at, .. } = *lines.line(ix);
        if lines.copies(ix).next().is_none() {
            return Ok(false);
        }
        let is_disputed = match self.known.get(&name) {
            Some(known) => *known,
            None => {
                let mut messages = HashSet::default();
                for ix in lines.copies(ix).chain([ix]) {
                    messages.extend(message(bytes, lines.line(ix))?.map(|(_, text)| fingerprint_of(&text)));
                }
                messages.len() > 1
            }
        };
        self.known.insert(name, is_disputed);
        if is_disputed && self.lines.last() != Some(&at) {
            self.lines.push(at);
        }
        Ok(is_disputed)
    }

    /// True if a place is in one of the disputed lines found so far.
    pub fn contains(&self, at: Place) -> bool {
        let before = self.lines.partition_point(|line| line.start <= at.start);
        before.checked_sub(1).and_then(|ix| self.lines.get(ix)).is_some_and(|line| line.contains(&at))
    }
}

/// The place of the message of a line, and its text.
fn message(bytes: &dyn ReadAt, line: &LinkedLine) -> io::Result<Option<(Place, Box<[u8]>)>> {
    let (text, mut tape) = (line.text(bytes)?, Tape::new());
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(root
        .and_then(|root| root.get("message"))
        .map(|message| (RecordBase::new(line.at.doc, line.at.start).of(message), message.raw().into())))
}
