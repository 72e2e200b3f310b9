//! A hunk: the items that a finding changes, between their neighbours, in the order of the history.

use std::io::{self, Write};

use foldhash::HashSet;

use crate::diff::item::{DiffLine, Sign};
use crate::history::Row;
use crate::place::Place;
use crate::read::TextReader;
use crate::repair::{Action, DocRepair, IndexedRow, Surroundings};
use crate::source::ReadAt;

use crate::report::Style;
use crate::report::changes::{ChangeNote, Paint, ValueDisplay, hunk_lines, placeholder};
use crate::report::diagnose::dialect_of;
use crate::report::item_line;
use crate::report::words::{count, truncate};

/// The repair of a document.
pub struct RepairView<'r> {
    pub fixed: &'r DocRepair,
    /// The notes on its changes, or on those that are shown, in the order of the changes.
    pub notes: &'r [ChangeNote],
    pub bytes: &'r dyn ReadAt,
}

impl RepairView<'_> {
    /// The note on the change of this number, if there is one.
    pub(super) fn note(&self, number: usize) -> Option<&ChangeNote> {
        let at = self.notes.binary_search_by_key(&number, |note| note.number as usize).ok()?;
        self.notes.get(at)
    }
}

/// Changes of one hunk that are shown.
const MAX_CHANGES: usize = 24;

/// The position of a line: the number of its item, and before, at or after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    ix: u32,
    side: u8,
}

const BEFORE: u8 = 0;
const AT: u8 = 1;
const AFTER: u8 = 2;

/// Renders items as lines.
pub(super) struct ItemRenderer<'r> {
    repair: &'r RepairView<'r>,
    texts: TextReader<'r>,
    content: bool,
    style: Style,
    paint: Paint,
}

impl<'r> ItemRenderer<'r> {
    pub fn new(repair: &'r RepairView<'r>, content: bool, style: Style) -> ItemRenderer<'r> {
        let texts = TextReader::new(repair.bytes, dialect_of(&repair.fixed.before));
        ItemRenderer { repair, texts, content, style, paint: Paint { color: style.color } }
    }

    /// An item on one line; `name` if it can't be read.
    fn item(&self, row: &Row, name: &str) -> String {
        // For a translated store, the item as it is sent.
        let row = self.around(row.at).map_or(*row, |around| around.row);
        let line =
            self.texts.with_item(&row, |item| item_line::of_row(&row, item, self.texts.ids(item), self.content));
        line.unwrap_or_else(|| name.to_owned())
    }

    fn around(&self, at: Place) -> Option<Surroundings> {
        self.repair.fixed.surroundings.get(&at)
    }

    fn neighbour(&self, one: &IndexedRow) -> (Position, DiffLine) {
        (Position { ix: one.ix, side: AT }, line(Sign::Same, self.item(&one.row, one.row.kind.name())))
    }

    /// The item beside which something is inserted, and the side.
    fn anchor_side(&self, anchor: Place) -> Option<(Surroundings, u8)> {
        let around = self.around(anchor)?;
        let edits = self.repair.fixed.patch.edits(anchor.doc);
        let first = edits.partition_point(|edit| edit.at.start < anchor.start);
        let is_before = edits.get(first).is_some_and(|edit| edit.at.start == anchor.start && edit.at.len == 0);
        Some((around, if is_before { BEFORE } else { AFTER }))
    }
}

fn line(sign: Sign, text: String) -> DiffLine {
    DiffLine { sign, text, marks: Vec::new() }
}

/// The lines of the changes for a finding.
pub(super) struct Hunk {
    /// The turn of the conversation, in words.
    pub turn: Option<String>,
    lines: Vec<(Option<Position>, DiffLine)>,
    /// Adjacent items: between them there may be a message that contains the later one.
    neighbours: HashSet<(u32, u32)>,
    /// Changes that are not shown.
    left_out: usize,
}

impl Hunk {
    /// The hunk of changes that belong together.
    pub fn of(painter: &ItemRenderer<'_>, notes: &[&ChangeNote]) -> io::Result<Hunk> {
        let mut hunk = Hunk {
            turn: None,
            lines: Vec::new(),
            neighbours: HashSet::default(),
            left_out: notes.len().saturating_sub(MAX_CHANGES),
        };
        let around = notes.iter().find_map(|note| painter.around(note.at));
        hunk.turn = around.and_then(|around| turn(painter, &around));
        let mut context: Vec<(Position, DiffLine)> = Vec::new();
        for same in notes.get(..MAX_CHANGES).unwrap_or(notes).chunk_by(|a, b| a.at == b.at) {
            hunk.change(painter, same, &mut context)?;
        }
        for (position, line) in context {
            let is_there =
                |(at, line): &(Option<Position>, DiffLine)| *at == Some(position) && line.sign != Sign::Added;
            if !hunk.lines.iter().any(is_there) {
                hunk.lines.push((Some(position), line));
            }
        }
        hunk.lines.sort_by_key(|(position, _)| *position);
        Ok(hunk)
    }

    /// Adds the lines of the changes to an item, and its neighbours.
    fn change(
        &mut self,
        painter: &ItemRenderer<'_>,
        same: &[&ChangeNote],
        context: &mut Vec<(Position, DiffLine)>,
    ) -> io::Result<()> {
        let Some(first) = same.first() else { return Ok(()) };
        let around = painter.around(first.at);
        let here = around.map(|around| Position { ix: around.ix, side: AT });
        let is = |action| same.iter().any(|note| note.action == action);
        let is_removed = is(Action::Drop) || is(Action::Move);
        let changes = is(Action::Rewrite) || is(Action::Strip);
        if let Some(around) = around.filter(|_| is_removed || changes) {
            let both = [around.before, around.after].into_iter().flatten();
            context.extend(both.map(|one| painter.neighbour(&one)));
            self.join(&around);
        }
        if is_removed {
            self.lines.push((here, line(Sign::Removed, painter.item(&first.row, &first.item))));
        } else if changes {
            let show = ValueDisplay { masked: !painter.content, width: painter.style.width };
            let RepairView { fixed, bytes, .. } = painter.repair;
            self.lines.push((here, line(Sign::Same, painter.item(&first.row, &first.item))));
            let rewritten: Vec<ChangeNote> =
                same.iter().filter(|note| note.action != Action::Stub).map(|note| (*note).clone()).collect();
            let lines = hunk_lines(&rewritten, *bytes, &fixed.patch, &|_| None, &show)?;
            self.lines.extend(lines.into_iter().map(|line| (here, line)));
        }
        for note in same.iter().filter(|note| matches!(note.action, Action::Move | Action::Stub)) {
            let added = match note.action {
                Action::Stub => match placeholder(painter.repair.fixed, painter.repair.bytes, note) {
                    Some(stub) => item_line::of_added(&stub, painter.content),
                    // The store writes it in a form of its own.
                    None => format!("placeholder result for {}", note.item),
                },
                // An item that is removed after all moves nowhere.
                _ if is(Action::Drop) => continue,
                _ => painter.item(&note.row, &note.item),
            };
            let anchor_side = painter.anchor_side(note.other_at.unwrap_or(note.at));
            let position = anchor_side.map(|(around, side)| Position { ix: around.ix, side });
            if let Some((around, side)) = anchor_side {
                let next = if side == BEFORE { around.before } else { around.after };
                context.extend(next.map(|one| painter.neighbour(&one)));
                context.push(painter.neighbour(&IndexedRow { ix: around.ix, row: around.row }));
                self.join(&around);
            }
            self.lines.push((position, line(Sign::Added, added)));
        }
        Ok(())
    }

    /// Notes that an item and its neighbours are adjacent.
    fn join(&mut self, around: &Surroundings) {
        self.neighbours.extend(around.before.map(|before| (before.ix, around.ix)));
        self.neighbours.extend(around.after.map(|after| (around.ix, after.ix)));
    }

    /// Writes the lines, with a gap where items are left out.
    pub fn write(&self, painter: &ItemRenderer<'_>, out: &mut dyn Write) -> io::Result<()> {
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
            let line = DiffLine { text: clip(line, width), ..line.clone() };
            match line.sign {
                Sign::Same | Sign::Gap => writeln!(out, "  {}", paint.dim(&line.text))?,
                Sign::Removed => writeln!(out, "{}", paint.removed(&line))?,
                Sign::Added => writeln!(out, "{}", paint.added(&line))?,
            }
        }
        if self.left_out > 0 {
            writeln!(out, "  {}", paint.dim(&format!("… {} …", count(self.left_out as u64, "more item"))))?;
        }
        Ok(())
    }
}

/// The text of a line, cut to the width unless it has marks.
fn clip(line: &DiffLine, width: usize) -> String {
    match line.marks.is_empty() {
        true => truncate(&line.text, width.saturating_sub(2)),
        false => line.text.clone(),
    }
}

/// The turn of an item in words: its number, and the beginning of the user's message.
fn turn(painter: &ItemRenderer<'_>, around: &Surroundings) -> Option<String> {
    let excerpt =
        |row: &Row| painter.texts.with_item(row, |item| item_line::excerpt(item, painter.content)).flatten();
    match (around.turn, around.prompt.as_ref().and_then(excerpt)) {
        (0, _) => None,
        (turn, Some(excerpt)) => Some(format!("turn {turn}, after {excerpt}")),
        (turn, None) => Some(format!("turn {turn}")),
    }
}
