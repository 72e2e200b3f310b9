//! The diff of a repair for people: finding by finding what goes, comes, moves and changes, an item a line, between the
//! items that stay. Hunks of one kind are counted after the first few: a thousand of them say no more than three.

mod hunk;

use std::collections::HashMap;
use std::io::{self, Write};

use crate::place::Place;
use crate::repair::{Action, Cause};
use crate::source::display_name;

use super::changes::{ChangeNote, Paint};
use super::words::{cut, grouped, wrapped};
use super::{Content, Style};

pub use hunk::Repair;
use hunk::{Hunk, Painter};

/// Hunks of one kind that are shown.
const SHOWN: u64 = 3;

/// The diff of all docs, as it is written.
pub struct Preview {
    style: Style,
    /// Hunks that are shown of a kind.
    most: u64,
    /// Of each kind how many hunks there were, and its number in the order in which kinds were met.
    kinds: HashMap<Kind, (u64, usize)>,
    /// What the provider says to the hunk before.
    said: Option<(String, String)>,
}

/// What hunks of one kind have in common: the rule or the flag, and what is done.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kind {
    rule: String,
    action: Action,
    what: &'static str,
}

impl Preview {
    /// `all` shows every hunk.
    pub fn new(style: Style, all: bool) -> Preview {
        Preview { style, most: if all { u64::MAX } else { SHOWN }, kinds: HashMap::new(), said: None }
    }

    /// Writes the hunks of a doc.
    pub fn doc(&mut self, repair: &Repair<'_>, content: Content, out: &mut dyn Write) -> io::Result<()> {
        let shown = content == Content::Shown;
        let painter = Painter::new(repair, shown, self.style);
        for notes in hunks(repair.notes) {
            let Some(first) = notes.first() else { continue };
            let kind = Kind { rule: first.rule.clone(), action: first.action, what: first.what };
            let next = self.kinds.len();
            let (count, _) = self.kinds.entry(kind).or_insert((0, next));
            *count += 1;
            if *count <= self.most {
                let hunk = Hunk::of(&painter, &notes)?;
                self.heads(&notes, hunk.turn.as_deref(), out)?;
                hunk.write(&painter, out)?;
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// Says how many hunks were not shown.
    pub fn finish(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more: Vec<_> = self.kinds.iter().filter(|(_, (count, _))| *count > self.most).collect();
        more.sort_by_key(|(_, (_, number))| *number);
        for (Kind { rule, what, .. }, (count, _)) in &more {
            let more = grouped(count - self.most);
            let line = format!("… and {more} more like this (--all shows them): {rule} {what}");
            wrapped(&line, self.style.width, "", "  ").iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        if more.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// What was found, where, in which turn, what the provider says, and what is done about it.
    fn heads(&mut self, notes: &[&ChangeNote], turn: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = notes.first() else { return Ok(()) };
        let (width, paint) = (self.style.width, Paint { color: self.style.color });
        let mut causes: Vec<&ChangeNote> = Vec::new();
        for note in notes {
            if causes.iter().all(|cause| cause.cause != note.cause || cause.rule != note.rule) {
                causes.push(note);
            }
        }
        for (n, cause) in causes.iter().enumerate() {
            let head = format!("{} {}", cause.rule, cause.reason.as_deref().unwrap_or(&cause.item));
            let spot = &first.spot;
            let place =
                format!("{}:{}:{} {}", display_name(&first.path), spot.line, spot.column, first.where_in_doc());
            let free = width.checked_sub(head.chars().count() + place.chars().count() + 2).filter(|_| n == 0);
            match free {
                Some(free) => writeln!(out, "{}{:free$}  {}", paint.bold(&head), "", paint.dim(&place))?,
                None => {
                    for line in wrapped(&head, width, "", "  ") {
                        writeln!(out, "{}", paint.bold(&line))?;
                    }
                    if n == 0 {
                        writeln!(out, "  {}", paint.dim(&place))?;
                    }
                }
            }
        }
        if let Some(turn) = turn {
            writeln!(out, "  {}", cut(turn, width.saturating_sub(2)))?;
        }
        for api in causes.iter().filter_map(|cause| Some((cause.rule.clone(), cause.api_message.clone()?))) {
            let shape = Some((api.0, shape(&api.1)));
            if self.said != shape {
                let says = format!("the API says: {}", api.1);
                wrapped(&says, width, "  ", "    ").iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
            self.said = shape;
        }
        let mut told: Vec<String> = Vec::new();
        // What is added says itself what it is.
        for note in notes.iter().filter(|note| note.action != Action::Stub) {
            let line = format!("{}{}", note.what, note.loss.mark());
            if !told.contains(&line) {
                wrapped(&line, width, "  ", "    ").iter().try_for_each(|line| writeln!(out, "{line}"))?;
                told.push(line);
            }
        }
        Ok(())
    }
}

/// A sentence without its ids and numbers.
fn shape(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| match word.contains(|c: char| c.is_ascii_digit() || c == '_') {
        true => "#",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The changes of each hunk: what is made for one finding, wherever it is, and what is made to one item.
fn hunks(notes: &[ChangeNote]) -> Vec<Vec<&ChangeNote>> {
    let mut hunks: Vec<Vec<&ChangeNote>> = Vec::new();
    let mut of_place: HashMap<Place, usize> = HashMap::new();
    let mut of_cause: HashMap<Cause, usize> = HashMap::new();
    for note in notes {
        // What a flag asks for has nothing else to do with it.
        let is_found = matches!(note.cause, Cause::Rule(..));
        let known = of_place.get(&note.at).or_else(|| of_cause.get(&note.cause).filter(|_| is_found));
        let number = known.copied().unwrap_or(hunks.len());
        of_place.entry(note.at).or_insert(number);
        of_cause.entry(note.cause).or_insert(number);
        match hunks.get_mut(number) {
            Some(hunk) => hunk.push(note),
            None => hunks.push(vec![note]),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_differ_in_ids_are_one() {
        assert_eq!(shape("No output for call call_1."), shape("No output for call call_rome."));
        assert_ne!(shape("No output for call call_1."), shape("No call for output call_1."));
    }
}
