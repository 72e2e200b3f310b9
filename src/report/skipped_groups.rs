//! Groups that a flag (`--reasoning`, `--account-changed`, `--max-image-bytes`) leaves unchanged, and why.

use std::io::{self, Write};

use foldhash::HashMap;

use crate::place::DocId;
use crate::repair::{DocRepair, Reasoning};
use crate::source::{ReadAt, display_name};

use super::command_line::fill_commands;
use super::locator::locate_places;

/// Places that are listed for one reason; the rest is counted.
const LISTED: usize = 20;

/// The groups of a document that are left unchanged for one reason.
#[derive(Clone, Debug)]
pub struct SkippedGroups {
    path: String,
    why: &'static str,
    /// Line and column of each group's first item.
    at: Vec<(u64, u64)>,
}

/// The groups of a document that are left unchanged, by reason.
pub fn notes(id: DocId, label: &str, bytes: &dyn ReadAt, fixed: &DocRepair) -> io::Result<Vec<SkippedGroups>> {
    if fixed.skipped_groups.is_empty() {
        return Ok(Vec::new());
    }
    let wanted: Vec<_> = fixed.skipped_groups.iter().map(|left| (left.at, left.flags)).collect();
    let locations = locate_places(id, bytes, fixed.before.container, &fixed.before.lines, &wanted)?;
    let mut notes: Vec<SkippedGroups> = Vec::new();
    let mut by_reason: HashMap<&'static str, usize> = HashMap::default();
    for left in &fixed.skipped_groups {
        let location = locations.get(&left.at).map(|location| (location.line, location.column));
        let n = *by_reason.entry(left.reason).or_insert(notes.len());
        match notes.get_mut(n) {
            Some(note) => note.at.extend(location),
            None => notes.push(SkippedGroups {
                path: label.to_owned(),
                why: left.reason,
                at: Vec::from_iter(location),
            }),
        }
    }
    Ok(notes)
}

/// Writes a line for each group.
pub fn write(notes: &[SkippedGroups], reasoning: Reasoning, out: &mut dyn Write) -> io::Result<()> {
    let what = match reasoning {
        Reasoning::Inline => "not inlined",
        Reasoning::Reference => "not referenced",
        _ => "not changed",
    };
    for note in notes {
        let (path, why) = (display_name(&note.path), fill_commands(note.why, &note.path, ""));
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
