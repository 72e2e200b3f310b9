//! The diff of a repair for people: for each finding the items that are removed, added, moved and changed, between the
//! items that stay. Hunks of one kind are counted after the first few: a thousand of them say no more than three.

mod hunk;

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Write};

use crate::history::Code;
use crate::place::Place;
use crate::repair::{Action, Cause, ItemChange};
use crate::source::display_name;

use super::changes::{ChangeNote, Paint};
use super::words::{group_digits, truncate, wrap, write_wrapped};
use super::{ContentDisplay, Style};

pub use hunk::RepairView;
use hunk::{Hunk, ItemRenderer};

/// Hunks of one kind that are shown.
const SHOWN_PER_KIND: u64 = 3;

/// The preview of all documents, while it is written.
pub struct Preview {
    style: Style,
    /// Hunks of a kind that are shown.
    limit: u64,
    /// For each kind the number of its hunks, and its position in the order of first occurrence.
    kinds: HashMap<HunkKind, (u64, usize)>,
    /// Rule and provider's message of the hunk before, without ids.
    last_message: Option<(String, String)>,
}

/// What hunks of one kind have in common: the rule or the flag, and what is done.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct HunkKind {
    rule: RuleOrFlag,
    action: Action,
    description: &'static str,
}

/// What asked for a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum RuleOrFlag {
    Rule(Code),
    Flag(&'static str),
}

impl From<Cause> for RuleOrFlag {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Rule(code, ..) => RuleOrFlag::Rule(code),
            Cause::Flag(flag) => RuleOrFlag::Flag(flag),
        }
    }
}

impl Display for RuleOrFlag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RuleOrFlag::Rule(code) => code.fmt(f),
            RuleOrFlag::Flag(flag) => f.write_str(flag),
        }
    }
}

/// For each change whether a preview of the document shows it, if it does not show all.
pub(super) fn shown_changes(changes: &[ItemChange]) -> Vec<bool> {
    let mut shown = vec![false; changes.len()];
    let mut kinds: HashMap<HunkKind, u64> = HashMap::new();
    for hunk in hunks(changes, |change| (change.row.at, change.cause)) {
        let Some(first) = hunk.first().and_then(|first| changes.get(*first)) else { continue };
        let kind = HunkKind { rule: first.cause.into(), action: first.action, description: first.description };
        let count = kinds.entry(kind).or_default();
        *count += 1;
        if *count <= SHOWN_PER_KIND {
            for number in hunk {
                shown.iter_mut().skip(number).take(1).for_each(|shown| *shown = true);
            }
        }
    }
    shown
}

impl Preview {
    /// `all` shows every hunk.
    pub fn new(style: Style, all: bool) -> Preview {
        Preview {
            style,
            limit: if all { u64::MAX } else { SHOWN_PER_KIND },
            kinds: HashMap::new(),
            last_message: None,
        }
    }

    /// Writes the hunks of a document.
    pub fn doc(
        &mut self,
        repair: &RepairView<'_>,
        content: ContentDisplay,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let shown = content == ContentDisplay::Shown;
        let painter = ItemRenderer::new(repair, shown, self.style);
        for numbers in hunks(repair.notes, |note| (note.at, note.cause)) {
            let notes: Vec<&ChangeNote> =
                numbers.into_iter().filter_map(|number| repair.notes.get(number)).collect();
            let Some(first) = notes.first() else { continue };
            let kind = HunkKind { rule: first.cause.into(), action: first.action, description: first.description };
            let next = self.kinds.len();
            let (count, _) = self.kinds.entry(kind).or_insert((0, next));
            *count += 1;
            if *count <= self.limit {
                let hunk = Hunk::of(&painter, &notes)?;
                self.write_heading(&notes, hunk.turn.as_deref(), out)?;
                hunk.write(&painter, out)?;
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// Writes how many hunks were not shown.
    pub fn finish(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut more: Vec<_> = self.kinds.iter().filter(|(_, (count, _))| *count > self.limit).collect();
        more.sort_by_key(|(_, (_, number))| *number);
        for (HunkKind { rule, description, .. }, (count, _)) in &more {
            let more = group_digits(count - self.limit);
            let line = format!("… and {more} more like this (show with --all): {rule} {description}");
            write_wrapped(&line, self.style.width, "", "  ", out)?;
        }
        if more.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Writes the heading of a hunk: the finding, its location, its turn, the provider's message, and the fix.
    fn write_heading(&mut self, notes: &[&ChangeNote], turn: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
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
            let location = &first.location;
            let place = format!(
                "{}:{}:{} {}",
                display_name(&first.path),
                location.line,
                location.column,
                first.place_in_doc()
            );
            let free = width.checked_sub(head.chars().count() + place.chars().count() + 2).filter(|_| n == 0);
            match free {
                Some(free) => writeln!(out, "{}{:free$}  {}", paint.bold(&head), "", paint.dim(&place))?,
                None => {
                    for line in wrap(&head, width, "", "  ") {
                        writeln!(out, "{}", paint.bold(&line))?;
                    }
                    if n == 0 {
                        writeln!(out, "  {}", paint.dim(&place))?;
                    }
                }
            }
        }
        if let Some(turn) = turn {
            writeln!(out, "  {}", truncate(turn, width.saturating_sub(2)))?;
        }
        for api in causes.iter().filter_map(|cause| Some((cause.rule.clone(), cause.api_message.clone()?))) {
            let shape = Some((api.0, without_ids(&api.1)));
            if self.last_message != shape {
                let says = format!("the API says: {}", api.1);
                write_wrapped(&says, width, "  ", "    ", out)?;
            }
            self.last_message = shape;
        }
        let mut written: Vec<String> = Vec::new();
        // An added item describes itself.
        for note in notes.iter().filter(|note| note.action != Action::Stub) {
            let line = note.what();
            if !written.contains(&line) {
                write_wrapped(&line, width, "  ", "    ", out)?;
                written.push(line);
            }
        }
        Ok(())
    }
}

/// A sentence without its ids and numbers.
fn without_ids(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| match word.contains(|c: char| c.is_ascii_digit() || c == '_') {
        true => "#",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The numbers of the changes of each hunk: all changes for one finding, wherever they are, and all changes to one item.
fn hunks<T>(changes: &[T], place_and_cause: impl Fn(&T) -> (Place, Cause)) -> Vec<Vec<usize>> {
    let mut hunks: Vec<Vec<usize>> = Vec::new();
    let mut of_place: HashMap<Place, usize> = HashMap::new();
    let mut of_cause: HashMap<Cause, usize> = HashMap::new();
    for (number, (at, cause)) in changes.iter().map(place_and_cause).enumerate() {
        // Changes for a flag have nothing else in common.
        let is_found = matches!(cause, Cause::Rule(..));
        let known = of_place.get(&at).or_else(|| of_cause.get(&cause).filter(|_| is_found));
        let hunk = known.copied().unwrap_or(hunks.len());
        of_place.entry(at).or_insert(hunk);
        of_cause.entry(cause).or_insert(hunk);
        match hunks.get_mut(hunk) {
            Some(hunk) => hunk.push(number),
            None => hunks.push(vec![number]),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_differ_in_ids_are_one() {
        assert_eq!(without_ids("No output for call call_1."), without_ids("No output for call call_rome."));
        assert_ne!(without_ids("No output for call call_1."), without_ids("No call for output call_1."));
    }
}
