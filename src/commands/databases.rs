//! Repairing databases in place: all sessions of one are written together, once the last of them was looked at.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::options::Misuse;
use crate::repair::Fixed;
use crate::report::changes::ChangeNote;
use crate::report::command_line::CommandLine;
use crate::source::outputs::commit;
use crate::source::outputs::commit::Replace;
use crate::source::sqlite::{self, Changed, Id, Key};
use crate::source::{Doc, display_name, display_path};

use super::dropped::Dropped;
use super::run::outcome::unwritten;
use super::run::products::say_lost;
use super::{Failure, talk};

/// The repair of a database.
pub(super) struct Plan<'d> {
    wanted: Vec<Wanted<'d>>,
    sessions: Vec<(&'d Key, Vec<Changed>)>,
    disputed: Vec<Disputed<'d>>,
}

/// The changes to a history: what becomes of each of its rows; `None` if it stays as it is.
struct Wanted<'d> {
    key: &'d Key,
    rows: BTreeMap<Id, Option<Changed>>,
}

/// A session of which nothing is written: its branches share a row, and need different repairs of it.
struct Disputed<'d> {
    key: &'d Key,
    row: Id,
}

impl<'d> Plan<'d> {
    /// What the repairs of the histories of a database ask for.
    pub fn of(docs: impl Iterator<Item = (&'d Doc, &'d Fixed)>) -> io::Result<Plan<'d>> {
        let wanted: Vec<Wanted<'d>> =
            docs.filter_map(|(doc, fixed)| Wanted::of(doc, fixed).transpose()).collect::<io::Result<_>>()?;
        let mut plan = Plan { wanted: Vec::new(), sessions: Vec::new(), disputed: Vec::new() };
        for parts in wanted.chunk_by(|a, b| a.key.is_same_session(b.key)) {
            plan.add(parts);
        }
        Ok(Plan { wanted, ..plan })
    }

    /// Puts the changes to the branches of a session together. A row that several of them share must become the same in
    /// all.
    fn add(&mut self, parts: &[Wanted<'d>]) {
        let Some(first) = parts.first() else { return };
        let mut rows: BTreeMap<&Id, &Option<Changed>> = BTreeMap::new();
        for (id, change) in parts.iter().flat_map(|part| &part.rows) {
            if rows.insert(id, change).is_some_and(|other| other != change) {
                self.disputed.push(Disputed { key: first.key, row: id.clone() });
                return;
            }
        }
        let changes: Vec<Changed> = rows.into_values().flatten().cloned().collect();
        if !changes.is_empty() {
            self.sessions.push((first.key, changes));
        }
    }

    /// Sessions that are not written, and why.
    pub fn disputes(&self) -> impl Iterator<Item = String> + '_ {
        self.disputed.iter().map(|Disputed { key, row }| {
            format!(
                "{key}: row {row} belongs to more than one {}, and they need different repairs of it; nothing was written",
                key.store().part.0
            )
        })
    }

    /// Whether the changes to a history were not made, by its number.
    pub fn stays(&self, number: usize, written: bool) -> bool {
        let Some(wanted) = self.wanted.get(number) else { return false };
        let is_disputed = self.disputed.iter().any(|disputed| disputed.key.is_same_session(wanted.key));
        wanted.rows.values().any(Option::is_some) && (is_disputed || !written)
    }

    /// Why the database would not be written.
    pub fn refusal(&self, database: &Path) -> io::Result<Option<Failure>> {
        if self.sessions.is_empty() {
            return Ok(None);
        }
        Ok(sqlite::refusal(database, &self.sessions)?.map(unwritten))
    }

    /// Writes the database, once what is `removed` from each history is kept.
    pub fn write<'n>(
        &self,
        database: &Path,
        how: Replace,
        removed: impl Iterator<Item = (&'n Doc, &'n [ChangeNote])>,
        dropped: Option<&Dropped>,
        quiet: bool,
    ) -> Result<(), Failure> {
        commit::sweep_around(database);
        if self.sessions.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        for ((doc, notes), number) in removed.zip(0..) {
            if let Some(dropped) = dropped.filter(|_| !self.stays(number, true)) {
                let appended = dropped.append(notes, &*doc.bytes);
                kept.extend(appended.map_err(|error| dropped.unsaved(doc, &error))?);
            }
        }
        let written = sqlite::write(database, &self.sessions, how);
        if let (Err(_), Some(dropped)) = (&written, dropped) {
            kept.iter().rev().for_each(|appended| dropped.take_back(appended));
        }
        let replaced = written.map_err(unwritten)?;
        say_lost(&database.to_string_lossy(), &replaced.lost);
        if !quiet {
            let backup =
                replaced.backup.map(|path| format!("; backup: {}", display_path(&path))).unwrap_or_default();
            talk(&format!("{}: fixed{backup}", display_path(database)));
        }
        Ok(())
    }
}

impl<'d> Wanted<'d> {
    /// The changes that a repair asks for; `None` if the doc is not from a database.
    fn of(doc: &'d Doc, fixed: &Fixed) -> io::Result<Option<Wanted<'d>>> {
        let Some(cells) = &doc.cells else { return Ok(None) };
        let changed = cells.changed(doc.id, &*doc.bytes, &doc.segments, fixed.patch.edits(doc.id))?;
        let mut rows: BTreeMap<Id, Option<Changed>> =
            cells.cells.iter().map(|cell| (cell.id.clone(), None)).collect();
        rows.extend(changed.into_iter().map(|change| (change.id.clone(), Some(change))));
        Ok(Some(Wanted { key: &cells.key, rows }))
    }
}

/// A database is repaired where it is, or not at all.
pub(super) fn only_in_place(doc: &Doc, flag: &str) -> Failure {
    let what = format!("{}: {flag} does not work on a database", display_name(&doc.label));
    let repair = CommandLine::new("fix").flag("-w").on(&doc.label);
    let convert = CommandLine::new("convert").with("--to", "chat").on(&doc.label);
    Misuse::new(format!("{what}; `{repair}` repairs it, and `{convert}` prints its history")).into()
}
