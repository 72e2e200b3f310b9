//! Lines that have one name. Readers keep one of them; what becomes of it becomes of the others, too, or one of those
//! would count instead, with what was wrong with it.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::json::edit::Base;
use crate::json::{Tape, fingerprint_of, scan};
use crate::place::{Edit, Place};
use crate::source::ReadAt;

use super::lines::{Line, Lines};
use crate::repair::{Action, Cause, Change};

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

/// Why nothing is done about what is in such a line.
pub const DISPUTED: &str =
    "another line with its uuid says something else, and it is not known which of them was sent";

/// Lines of one name that say different things: they stay as they are.
#[derive(Default)]
pub struct Disputes {
    /// By name, as far as it was asked for.
    known: HashMap<u64, bool>,
    /// Those that were asked for, in order.
    lines: Vec<Place>,
}

impl Disputes {
    /// Whether another line of the same name has another message. Lines are asked for in order, and all of a name are
    /// read once.
    pub fn ask(&mut self, bytes: &dyn ReadAt, lines: &Lines, ix: u32) -> io::Result<bool> {
        let Line { name, at, .. } = *lines.line(ix);
        if lines.copies(ix).next().is_none() {
            return Ok(false);
        }
        let is_disputed = match self.known.get(&name) {
            Some(known) => *known,
            None => {
                let mut messages = HashSet::new();
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

    /// Whether a place is in one of the lines that were asked for.
    pub fn hold(&self, at: Place) -> bool {
        let before = self.lines.partition_point(|line| line.start <= at.start);
        before.checked_sub(1).and_then(|ix| self.lines.get(ix)).is_some_and(|line| line.contains(&at))
    }
}

/// Where the message of a line lies, and its text.
fn message(bytes: &dyn ReadAt, line: &Line) -> io::Result<Option<(Place, Box<[u8]>)>> {
    let (text, mut tape) = (line.text(bytes)?, Tape::new());
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    Ok(root
        .and_then(|root| root.get("message"))
        .map(|message| (Base::new(line.at.doc, line.at.start).of(message), message.raw().into())))
}
