//! In-place repair of databases: all sessions of a database are written together, after the last one was judged.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::options::UsageError;
use crate::repair::DocRepair;
use crate::report::changes::ChangeNote;
use crate::report::command_line::CommandLine;
use crate::source::outputs::commit;
use crate::source::outputs::commit::ReplaceOptions;
use crate::source::sqlite::{self, CellChange, HistoryKey, RowId};
use crate::source::{Doc, display_name};

use super::Failure;
use super::dropped_items::DroppedItems;
use super::run::outcome::commit_failure;
use super::run::products::report_lost_metadata;

/// The repair of a database.
pub(super) struct DatabasePlan<'d> {
    histories: Vec<HistoryChanges<'d>>,
    sessions: Vec<(&'d HistoryKey, Vec<CellChange>)>,
    conflicts: Vec<RowConflict<'d>>,
}

/// The changes to each row of a history; `None` for a row that does not change.
struct HistoryChanges<'d> {
    key: &'d HistoryKey,
    rows: BTreeMap<RowId, Option<CellChange>>,
}

/// A row that the branches of a session share and would repair differently; the session is not written.
struct RowConflict<'d> {
    key: &'d HistoryKey,
    row: RowId,
}

impl<'d> DatabasePlan<'d> {
    /// Plans the repairs of the histories of a database.
    pub fn of(docs: impl Iterator<Item = (&'d Doc, &'d DocRepair)>) -> io::Result<DatabasePlan<'d>> {
        let histories: Vec<HistoryChanges<'d>> = docs
            .filter_map(|(doc, fixed)| HistoryChanges::of(doc, fixed).transpose())
            .collect::<io::Result<_>>()?;
        let mut plan = DatabasePlan { histories: Vec::new(), sessions: Vec::new(), conflicts: Vec::new() };
        for parts in histories.chunk_by(|a, b| a.key.is_same_session(b.key)) {
            plan.add(parts);
        }
        Ok(DatabasePlan { histories, ..plan })
    }

    /// Merges the changes to the branches of a session. A row that several branches share must change in the same way.
    fn add(&mut self, parts: &[HistoryChanges<'d>]) {
        let Some(first) = parts.first() else { return };
        let mut rows: BTreeMap<&RowId, &Option<CellChange>> = BTreeMap::new();
        for (id, change) in parts.iter().flat_map(|part| &part.rows) {
            if rows.insert(id, change).is_some_and(|other| other != change) {
                self.conflicts.push(RowConflict { key: first.key, row: id.clone() });
                return;
            }
        }
        let changes: Vec<CellChange> = rows.into_values().flatten().cloned().collect();
        if !changes.is_empty() {
            self.sessions.push((first.key, changes));
        }
    }

    /// Messages about sessions that are not written.
    pub fn conflict_messages(&self) -> impl Iterator<Item = String> + '_ {
        self.conflicts.iter().map(|RowConflict { key, row }| {
            format!(
                "{key}: row {row} is shared by more than one {} and would be repaired differently in each; the session was not changed",
                key.store().part.0
            )
        })
    }

    /// True if the changes to a history, by its number, were not written.
    pub fn is_skipped(&self, number: usize, written: bool) -> bool {
        let Some(wanted) = self.histories.get(number) else { return false };
        let is_disputed = self.conflicts.iter().any(|disputed| disputed.key.is_same_session(wanted.key));
        wanted.rows.values().any(Option::is_some) && (is_disputed || !written)
    }

    /// Why the database cannot be written; `None` if it can.
    pub fn refusal(&self, database: &Path) -> io::Result<Option<Failure>> {
        if self.sessions.is_empty() {
            return Ok(None);
        }
        Ok(sqlite::refusal(database, &self.sessions)?.map(commit_failure))
    }

    /// Appends what is `removed` from each history to the dropped items, then writes the database. Returns the path of
    /// the backup, if there is one; `None` if nothing changes.
    pub fn write<'n>(
        &self,
        database: &Path,
        how: &ReplaceOptions,
        removed: impl Iterator<Item = (&'n Doc, &'n [ChangeNote])>,
        dropped: Option<&DroppedItems>,
    ) -> Result<Option<Option<PathBuf>>, Failure> {
        commit::sweep_folder_of(database);
        if self.sessions.is_empty() {
            return Ok(None);
        }
        let mut kept = Vec::new();
        for ((doc, notes), number) in removed.zip(0..) {
            if let Some(dropped) = dropped.filter(|_| !self.is_skipped(number, true)) {
                let appended = dropped.append(notes, &*doc.bytes);
                kept.extend(appended.map_err(|error| dropped.unsaved_error(doc, &error))?);
            }
        }
        let written = sqlite::write(database, &self.sessions, how);
        if let (Err(_), Some(dropped)) = (&written, dropped) {
            kept.iter().rev().for_each(|appended| dropped.undo_append(appended));
        }
        let replaced = written.map_err(commit_failure)?;
        report_lost_metadata(&database.to_string_lossy(), &replaced.lost);
        Ok(Some(replaced.backup))
    }
}

impl<'d> HistoryChanges<'d> {
    /// The changes of a repair; `None` if the document is not from a database.
    fn of(doc: &'d Doc, fixed: &DocRepair) -> io::Result<Option<HistoryChanges<'d>>> {
        let Some(cells) = &doc.cells else { return Ok(None) };
        let changed = cells.cell_changes(doc.id, &*doc.bytes, &doc.segments, fixed.patch.edits(doc.id))?;
        let mut rows: BTreeMap<RowId, Option<CellChange>> =
            cells.cells.iter().map(|cell| (cell.id.clone(), None)).collect();
        rows.extend(changed.into_iter().map(|change| (change.id.clone(), Some(change))));
        Ok(Some(HistoryChanges { key: &cells.key, rows }))
    }
}

/// The error for a `flag` that cannot be combined with a database.
pub(super) fn in_place_only_error(doc: &Doc, flag: &str) -> Failure {
    let what = format!("{}: {flag} does not work on a database", display_name(&doc.label));
    let repair = CommandLine::new("fix").flag("-w").on_input(&doc.label);
    let convert = CommandLine::new("convert").with("--to", "chat").on_input(&doc.label);
    UsageError::new(format!("{what}; `{repair}` repairs it, and `{convert}` prints its history")).into()
}
