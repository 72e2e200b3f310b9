//! The difference of two histories on single lines that can be searched: one for each change, or one for all of them.

use std::io::{self, Write};

use crate::diff::align::EntryStatus;
use crate::diff::compare::{DiffCounts, HistoryComparison};
use crate::diff::renames::RenamedIds;

use super::changes::{Paint, ValueDisplay};
use super::history_diff;
use super::value_changes::{self, ValueNote};

/// The names of the two files, and what is shown of their values.
pub struct ConciseDiff<'n> {
    pub before: &'n str,
    pub after: &'n str,
    pub masked: bool,
    /// True if there are several conversations, which are named.
    pub names_histories: bool,
}

impl ConciseDiff<'_> {
    /// Writes a line for each change: the file, the place, and what changed.
    pub fn write(&self, difference: &HistoryComparison, out: &mut dyn Write) -> io::Result<()> {
        let show = ValueDisplay { masked: self.masked, width: usize::MAX };
        let paint = Paint { color: false };
        let (_, after) = &difference.histories;
        let file = if after.is_some() { self.after } else { self.before };
        let history = history_diff::heading(difference);
        let name = if self.names_histories { format!("{file}:{history}") } else { file.to_owned() };
        if !difference.is_paired() {
            writeln!(out, "{file}:{history}")?;
        }
        for line in history_diff::continuation_lines(difference) {
            writeln!(out, "{name}: {line}")?;
        }
        for change in &difference.settings {
            let note = ValueNote::new(change, &show);
            writeln!(out, "{name}: setting {}", value_changes::sentence(change, &note, &paint))?;
        }
        for rename in &difference.renames {
            let (words, place) = history_diff::rename_words(difference, rename);
            writeln!(out, "{}:{place}: {words}", self.after)?;
        }
        for line in history_diff::unsent_lines(difference) {
            writeln!(out, "{name}: {line}")?;
        }
        let renames = RenamedIds::of(&difference.renames);
        for fate in difference.statuses.iter().filter(|fate| !matches!(fate, EntryStatus::Same(..))) {
            let words = history_diff::entry_words(difference, fate);
            let place = history_diff::entry_place(difference, fate);
            let file = if matches!(fate, EntryStatus::Removed(_)) { self.before } else { self.after };
            let changes = history_diff::value_changes(difference, fate, &renames);
            if changes.is_empty() {
                writeln!(out, "{file}:{place}: {words}")?;
            }
            for change in &changes {
                let note = ValueNote::new(change, &show);
                writeln!(out, "{file}:{place}: {words}: {}", value_changes::sentence(change, &note, &paint))?;
            }
        }
        Ok(())
    }
}

/// Writes how much of a history differs, on one line.
pub fn write_stat(difference: &HistoryComparison, out: &mut dyn Write) -> io::Result<()> {
    let count = difference.count();
    if !count.has_differences() {
        return Ok(());
    }
    // The heading says that it is only on one side.
    let count = DiffCounts { unpaired: 0, ..count };
    writeln!(out, "{}: {}", history_diff::heading(difference), history_diff::summary_words(&count, false))
}
