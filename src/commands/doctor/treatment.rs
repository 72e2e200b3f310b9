//! The repair of a session: what it would change and lose, and writing it.

use std::io;
use std::path::PathBuf;

use crate::history::{Code, turns};
use crate::judge::{self, HistoryVisitor, JudgedHistory};
use crate::place::{DocId, Pieces};
use crate::repair::FixOptions;
use crate::report::Diagnostic;
use crate::report::change_counts::ChangeCounts;
use crate::source::outputs::backup::BackupPlace;
use crate::source::outputs::commit::ReplaceOptions;
use crate::source::{PatchedView, ReadAt};
use crate::target::Severity;

use crate::commands::backup_folders::folder_of_run;
use crate::commands::fix::plan::{RepairOutcome, RepairPlanner};
use crate::commands::fix::{self, Repairs};
use crate::commands::run::products::OutputMode;
use crate::commands::{Failure, Run};

use super::copy;
use super::session::{InstalledCopy, Session};

/// The planned repair of a session.
pub(super) struct Treatment {
    outcome: Option<RepairOutcome>,
    options: FixOptions,
    /// It is written to a copy, because lines of the session may not move.
    pub is_copy: bool,
    pub counts: ChangeCounts,
    /// The errors that remain.
    pub remaining: Vec<Diagnostic>,
    /// The user's turns that the session does not send, and that its repair sends again; `None` without a repair.
    pub turns_lost: Option<u32>,
}

/// The result of a repair that was written.
pub(super) struct RepairResult {
    pub backup: Option<PathBuf>,
    pub copy: Option<InstalledCopy>,
    pub errors_left: u64,
}

/// What was done about a session.
pub(super) enum TreatmentOutcome {
    Repaired(RepairResult),
    /// Nothing was written, and why.
    Left(String),
}

impl Treatment {
    /// Plans the repair that leaves the fewest errors: the default one; else with the fixes that have to be requested;
    /// else in a copy, if the lines of the session may not move.
    pub fn plan(run: &Run, session: &Session) -> io::Result<Treatment> {
        let mut best = Plan::new(run, session, FixOptions::default())?;
        if !best.errors.is_empty() {
            let mut codes: Vec<Code> = best.errors.iter().map(|error| error.rule).collect();
            codes.dedup();
            let requested = FixOptions { selected: codes, ..FixOptions::default() };
            best = best.or_better(|| Plan::new(run, session, requested))?;
        }
        if !best.errors.is_empty() && best.outcome.fixed.has_numbered_lines {
            let copied = FixOptions { writes_copy: true, ..best.options.clone() };
            best = best.or_better(|| Plan::new(run, session, copied))?;
        }
        let Plan { outcome, options, errors } = best;
        let mut counts = ChangeCounts::default();
        counts.add(&outcome.fixed);
        let turns_lost = match outcome.fixed.patch.is_empty() {
            true => None,
            false => Some(lost_turns(run, &outcome)?),
        };
        let is_copy = options.writes_copy;
        Ok(Treatment { outcome: Some(outcome), options, is_copy, counts, remaining: errors, turns_lost })
    }

    /// The repaired copy, if one is needed and was written before.
    pub fn find_copy(&self) -> io::Result<Option<InstalledCopy>> {
        self.outcome.as_ref().filter(|_| self.is_copy).map_or(Ok(None), copy::find)
    }

    /// Writes the repair; `None` if it could not be written, which was reported.
    pub fn apply(
        mut self,
        run: &Run,
        session: &Session,
        force: bool,
    ) -> Result<(Treatment, Option<RepairResult>), Failure> {
        let Some(outcome) = self.outcome.take() else { return Ok((self, None)) };
        let errors_left = self.remaining.len() as u64;
        if self.is_copy {
            let copy = copy::install(&outcome)?;
            return Ok((self, Some(RepairResult { backup: None, copy: Some(copy), errors_left })));
        }
        let backups = BackupPlace::Folder(folder_of_run()?.into());
        let repairs = Repairs {
            options: self.options.clone(),
            to: OutputMode::InPlace(ReplaceOptions { backups, force, is_live: true }),
            dropped: None,
            all: false,
            yes: true,
        };
        let written = fix::write_one(run, &repairs, &session.input, outcome)?;
        let result = written.map(|replaced| RepairResult { backup: replaced.backup, copy: None, errors_left });
        Ok((self, result))
    }
}

/// A repair, and the errors that it leaves.
struct Plan {
    outcome: RepairOutcome,
    options: FixOptions,
    errors: Vec<Diagnostic>,
}

impl Plan {
    fn new(run: &Run, session: &Session, options: FixOptions) -> io::Result<Plan> {
        let inputs = std::slice::from_ref(&session.input);
        let doc = run.open(DocId(0), &session.input)?;
        let outcome = RepairPlanner::new(run, &options, inputs).plan(doc, run.threads)?;
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let errors = outcome.remaining.diagnostics.iter().filter(is_error).cloned().collect();
        Ok(Plan { outcome, options, errors })
    }

    /// Another plan, if it leaves fewer errors.
    fn or_better(self, other: impl FnOnce() -> io::Result<Plan>) -> io::Result<Plan> {
        let other = other()?;
        Ok(if other.errors.len() < self.errors.len() { other } else { self })
    }
}

/// The user's turns that only the repaired session sends.
fn lost_turns(run: &Run, outcome: &RepairOutcome) -> io::Result<u32> {
    let doc = &outcome.doc;
    let count = |bytes: &dyn ReadAt| -> io::Result<u32> {
        let options = run.lints.options_for(&doc.label);
        Ok(judge::judge(doc.id, bytes, options, run.threads, &TurnCounter)?.outputs.iter().sum())
    };
    let pieces = Pieces::new(outcome.fixed.patch.edits(doc.id), doc.id, doc.bytes.len());
    let repaired = PatchedView::new(&*doc.bytes, pieces);
    Ok(count(&repaired)?.saturating_sub(count(&*doc.bytes)?))
}

/// Counts the user's turns of each history.
struct TurnCounter;

impl HistoryVisitor for TurnCounter {
    type Output = u32;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<u32> {
        Some(turns::TurnCounter::count(&case.cx.history.rows))
    }

    fn renumber(_: &mut u32, _: u32) {}
}
