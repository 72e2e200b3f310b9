//! The diff of a repair for people: for each finding the items that are removed, added, moved and changed, between the
//! items that stay. Hunks of one kind are counted after the first few: a thousand of them say no more than three.

mod hunk;

use std::io::{self, Write};

use foldhash::HashMap;

use crate::repair::Action;
use crate::source::display_name;

use super::changes::{ChangeNote, Paint};
use super::hunks::{HunkKind, SHOWN_PER_KIND, hunks};
use super::words::{group_digits, truncate, wrap, write_wrapped};
use super::{ContentDisplay, Style};

pub use hunk::RepairView;
use hunk::{Hunk, ItemRenderer};

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

impl Preview {
    /// `all` shows every hunk.
    pub fn new(style: Style, all: bool) -> Preview {
        Preview {
            style,
            limit: if all { u64::MAX } else { SHOWN_PER_KIND },
            kinds: HashMap::default(),
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
        let changes = &repair.fixed.changes;
        for numbers in hunks(changes) {
            let Some(first) = numbers.first().and_then(|first| changes.get(*first)) else { continue };
            let kind = HunkKind::of(first.cause, first.action, first.description);
            let next = self.kinds.len();
            let (count, _) = self.kinds.entry(kind).or_insert((0, next));
            *count += 1;
            if *count <= self.limit {
                let notes: Vec<&ChangeNote> = numbers.iter().filter_map(|number| repair.note(*number)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_differ_in_ids_are_one() {
        assert_eq!(without_ids("No output for call call_1."), without_ids("No output for call call_rome."));
        assert_ne!(without_ids("No output for call call_1."), without_ids("No call for output call_1."));
    }
}
