//! A hunk: the items that a finding changes, between their neighbours, in the order of the history.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::diff::item::{Line, Sign};
use crate::history::Row;
use crate::place::Place;
use crate::read::Texts;
use crate::repair::{Action, Fixed, Numbered, Surroundings};
use crate::source::ReadAt;

use crate::report::Style;
use crate::report::changes::{ChangeNote, Paint, Shown, hunk, stub};
use crate::report::diagnose::dialect_of;
use crate::report::item_line;
use crate::report::words::cut;

/// A repair of a doc.
pub struct Repair<'r> {
    pub fixed: &'r Fixed,
    /// By place.
    pub notes: &'r [ChangeNote],
    pub bytes: &'r dyn ReadAt,
}

/// Changes of one hunk that are shown.
const MOST: usize = 24;

/// Where a line belongs: by the number of the item, and before it, at it, or after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    ix: u32,
    side: u8,
}

const BEFORE: u8 = 0;
const AT: u8 = 1;
const AFTER: u8 = 2;

/// Makes the lines of items.
pub(super) struct Painter<'r> {
    repair: &'r Repair<'r>,
    texts: Texts<'r>,
    content: bool,
    style: Style,
    paint: Paint,
}

impl<'r> Painter<'r> {
    pub fn new(repair: &'r Repair<'r>, content: bool, style: Style) -> Painter<'r> {
        let texts = Texts::new(repair.bytes, dialect_of(&repair.fixed.before));
        Painter { repair, texts, content, style, paint: Paint { color: style.color } }
    }

    /// An item on one line; its name, where it can't be read.
    fn item(&self, row: &Row, name: &str) -> String {
        // Of a translated store, the item as it is sent.
        let row = self.around(row.at).map_or(row, |around| &around.row);
        let line =
            self.texts.item(row, |item| item_line::of_row(row, item, self.texts.called(item), self.content));
        line.unwrap_or_else(|| name.to_owned())
    }

    fn around(&self, at: Place) -> Option<&'r Surroundings> {
        self.repair.fixed.around.get(&at)
    }

    fn neighbour(&self, one: &Numbered) -> (Position, Line) {
        (Position { ix: one.ix, side: AT }, line(Sign::Same, self.item(&one.row, one.row.kind.name())))
    }

    /// Where something is put that comes beside an item.
    fn beside(&self, anchor: Place) -> Option<(&'r Surroundings, u8)> {
        let around = self.around(anchor)?;
        let edits = self.repair.fixed.patch.edits(anchor.doc);
        let first = edits.partition_point(|edit| edit.at.start < anchor.start);
        let is_in_front = edits.get(first).is_some_and(|edit| edit.at.start == anchor.start && edit.at.len == 0);
        Some((around, if is_in_front { BEFORE } else { AFTER }))
    }
}

fn line(sign: Sign, text: String) -> Line {
    Line { sign, text, marks: Vec::new() }
}

/// The lines of what a finding changes.
pub(super) struct Hunk {
    /// The place in the conversation.
    pub turn: Option<String>,
    lines: Vec<(Option<Position>, Line)>,
    /// Items that follow one another: between them there may be a message that holds the later one.
    neighbours: HashSet<(u32, u32)>,
    /// Changes that are not shown.
    left_out: usize,
}

impl Hunk {
    pub fn of(painter: &Painter<'_>, notes: &[&ChangeNote]) -> io::Result<Hunk> {
        let mut hunk = Hunk {
            turn: None,
            lines: Vec::new(),
            neighbours: HashSet::new(),
            left_out: notes.len().saturating_sub(MOST),
        };
        let around = notes.iter().find_map(|note| painter.around(note.at));
        hunk.turn = around.and_then(|around| turn(painter, around));
        let mut context: Vec<(Position, Line)> = Vec::new();
        for same in notes.get(..MOST).unwrap_or(notes).chunk_by(|a, b| a.at == b.at) {
            hunk.change(painter, same, &mut context)?;
        }
        for (position, line) in context {
            let is_there =
                |(at, line): &(Option<Position>, Line)| *at == Some(position) && line.sign != Sign::Added;
            if !hunk.lines.iter().any(is_there) {
                hunk.lines.push((Some(position), line));
            }
        }
        hunk.lines.sort_by_key(|(position, _)| *position);
        Ok(hunk)
    }

    /// Adds the lines of what is done to an item, and its neighbours.
    fn change(
        &mut self,
        painter: &Painter<'_>,
        same: &[&ChangeNote],
        context: &mut Vec<(Position, Line)>,
    ) -> io::Result<()> {
        let Some(first) = same.first() else { return Ok(()) };
        let around = painter.around(first.at);
        let here = around.map(|around| Position { ix: around.ix, side: AT });
        let is = |action| same.iter().any(|note| note.action == action);
        let goes = is(Action::Drop) || is(Action::Move);
        let changes = is(Action::Rewrite) || is(Action::Strip);
        if let Some(around) = around.filter(|_| goes || changes) {
            let both = [around.before, around.after].into_iter().flatten();
            context.extend(both.map(|one| painter.neighbour(&one)));
            self.join(around);
        }
        if goes {
            self.lines.push((here, line(Sign::Removed, painter.item(&first.row, &first.item))));
        } else if changes {
            let show = Shown { masked: !painter.content, width: painter.style.width };
            let Repair { fixed, bytes, .. } = painter.repair;
            self.lines.push((here, line(Sign::Same, painter.item(&first.row, &first.item))));
            let rewritten: Vec<ChangeNote> =
                same.iter().filter(|note| note.action != Action::Stub).map(|note| (*note).clone()).collect();
            let lines = hunk(&rewritten, *bytes, &fixed.patch, &|_| None, &show)?;
            self.lines.extend(lines.into_iter().map(|line| (here, line)));
        }
        for note in same.iter().filter(|note| matches!(note.action, Action::Move | Action::Stub)) {
            let added = match note.action {
                Action::Stub => match stub(painter.repair.fixed, painter.repair.bytes, note) {
                    Some(stub) => item_line::of_added(&stub, painter.content),
                    // The store writes it in a form of its own.
                    None => format!("placeholder result for {}", note.item),
                },
                // What is dropped in the end moves nowhere.
                _ if is(Action::Drop) => continue,
                _ => painter.item(&note.row, &note.item),
            };
            let beside = painter.beside(note.other_at.unwrap_or(note.at));
            let position = beside.map(|(around, side)| Position { ix: around.ix, side });
            if let Some((around, side)) = beside {
                let next = if side == BEFORE { around.before } else { around.after };
                context.extend(next.map(|one| painter.neighbour(&one)));
                context.push(painter.neighbour(&Numbered { ix: around.ix, row: around.row }));
                self.join(around);
            }
            self.lines.push((position, line(Sign::Added, added)));
        }
        Ok(())
    }

    /// An item and its neighbours follow one another.
    fn join(&mut self, around: &Surroundings) {
        self.neighbours.extend(around.before.map(|before| (before.ix, around.ix)));
        self.neighbours.extend(around.after.map(|after| (around.ix, after.ix)));
    }

    pub fn write(&self, painter: &Painter<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (paint, width) = (&painter.paint, painter.style.width);
        let mut last: Option<u32> = None;
        for (position, line) in &self.lines {
            let ix = position.map(|position| position.ix);
            if let (Some(last), Some(ix)) = (last, ix)
                && ix > last + 1
                && !self.neighbours.contains(&(last, ix))
            {
                writeln!(out, "  {}", paint.dim("…"))?;
            }
            last = ix.or(last);
            let line = Line { text: clipped(line, width), ..line.clone() };
            match line.sign {
                Sign::Same | Sign::Gap => writeln!(out, "  {}", paint.dim(&line.text))?,
                Sign::Removed => writeln!(out, "{}", paint.removed(&line))?,
                Sign::Added => writeln!(out, "{}", paint.added(&line))?,
            }
        }
        if self.left_out > 0 {
            writeln!(out, "  {}", paint.dim(&format!("… {} more items …", self.left_out)))?;
        }
        Ok(())
    }
}

/// The text of a line, cut to the width. What is marked within it stays whole.
fn clipped(line: &Line, width: usize) -> String {
    match line.marks.is_empty() {
        true => cut(&line.text, width.saturating_sub(2)),
        false => line.text.clone(),
    }
}

/// The turn of an item: its number, and how what the user said in it begins.
fn turn(painter: &Painter<'_>, around: &Surroundings) -> Option<String> {
    let said = |row: &Row| painter.texts.item(row, |item| item_line::said(item, painter.content)).flatten();
    match (around.turn, around.asked.as_ref().and_then(said)) {
        (0, _) => None,
        (turn, Some(said)) => Some(format!("turn {turn}, after {said}")),
        (turn, None) => Some(format!("turn {turn}")),
    }
}
