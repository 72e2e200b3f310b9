//! What a flag (`--reasoning`, `--account-changed`, `--max-image-bytes`) leaves as it is, and why.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::place::DocId;
use crate::repair::{Fixed, Reasoning};
use crate::source::{ReadAt, display_name};

use super::command_line::filled;
use super::place::spots;

/// So many places of one reason are listed; the rest is counted.
const LISTED: usize = 20;

/// A group, or all groups of a doc for one reason.
#[derive(Clone, Debug)]
pub struct LeftAlone {
    path: String,
    why: &'static str,
    /// Line and column of each group's first item.
    at: Vec<(u64, u64)>,
}

/// Makes the groups of a doc readable, a note for each reason.
pub fn notes(id: DocId, label: &str, bytes: &dyn ReadAt, fixed: &Fixed) -> io::Result<Vec<LeftAlone>> {
    if fixed.left_alone.is_empty() {
        return Ok(Vec::new());
    }
    let wanted: Vec<_> = fixed.left_alone.iter().map(|left| (left.at, left.flags)).collect();
    let spots = spots(id, bytes, fixed.before.container, &fixed.before.lines, &wanted)?;
    let mut notes: Vec<LeftAlone> = Vec::new();
    let mut by_reason: HashMap<&'static str, usize> = HashMap::new();
    for left in &fixed.left_alone {
        let spot = spots.get(&left.at).map(|spot| (spot.line, spot.column));
        let n = *by_reason.entry(left.why).or_insert(notes.len());
        match notes.get_mut(n) {
            Some(note) => note.at.extend(spot),
            None => notes.push(LeftAlone { path: label.to_owned(), why: left.why, at: Vec::from_iter(spot) }),
        }
    }
    Ok(notes)
}

/// Writes a line for each group.
pub fn write(notes: &[LeftAlone], reasoning: Reasoning, out: &mut dyn Write) -> io::Result<()> {
    let what = match reasoning {
        Reasoning::Inline => "not inlined",
        Reasoning::Reference => "not referenced",
        _ => "not changed",
    };
    for note in notes {
        let (path, why) = (display_name(&note.path), filled(note.why, &note.path, ""));
        for (line, column) in note.at.iter().take(LISTED) {
            writeln!(out, "{path}:{line}:{column}: {what}: {why}")?;
        }
        let more = note.at.len().saturating_sub(LISTED);
        if more > 0 {
            writeln!(out, "{path}: {more} more {what}: {why}")?;
        }
    }
    Ok(())
}
