//! `fix --agents`: repairs the stored sessions of all agents, with one folder of backups, and prints a summary per agent.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use crate::options::UsageError;
use crate::report::change_counts::ChangeCounts;
use crate::report::command_line::CommandLine;
use crate::report::words::{count, write_wrapped};
use crate::report::{DocReport, RunSummary};
use crate::source::display_name;
use crate::source::outputs::backup::BackupPlace;
use crate::source::outputs::commit::ReplaceOptions;
use crate::target::Severity;

use crate::commands::agent_folders::{AgentStore, abbreviate_home, agent_stores};
use crate::commands::backup_folders::folder_of_run;
use crate::commands::run::Inputs;
use crate::commands::run::consent::Consent;
use crate::commands::run::products::OutputMode;
use crate::commands::{Failure, Outcome, Run};

use super::plan::RepairOutcome;
use super::{FixRun, Repairs};

/// Maximum number of sessions that are named.
const MAX_NAMED: usize = 5;

/// The repairs of the sessions of one agent.
struct AgentRepairs {
    name: &'static str,
    folders: Vec<String>,
    sessions: u64,
    /// Sessions with a repair, and its changes.
    changed: u64,
    counts: ChangeCounts,
    /// Sessions that were not written because they had just been modified.
    in_use: Vec<String>,
    /// Sessions whose repair could not be written, for any reason.
    unwritten: u64,
    /// Sessions with errors that the repair does not resolve.
    broken: Vec<String>,
    summary: RunSummary,
}

/// Repairs the sessions of the agents with these names; of all agents, if there are none.
pub fn fix_agents(
    mut run: Run,
    mut repairs: Repairs,
    names: &[String],
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    if run.outputs.iter().any(|output| output.file.is_some() || output.name != "text") {
        return Err(UsageError::new("fix --agents prints text only").into());
    }
    let stores = agent_stores(names, run.allow_empty)?;
    let backups = match &mut repairs.to {
        OutputMode::InPlace(ReplaceOptions { backups: place @ BackupPlace::Beside, .. }) => {
            let folder: Arc<Path> = folder_of_run()?.into();
            *place = BackupPlace::Folder(folder.clone());
            Some(folder)
        }
        _ => None,
    };
    let is_preview = matches!(repairs.to, OutputMode::Preview);
    let mut consent = Consent::for_run(!is_preview, repairs.yes);
    let (mut failed, mut found) = (false, false);
    let mut all = Vec::new();
    for store in &stores {
        run.paths.clone_from(&store.folders);
        let Inputs { all: inputs, failed: unread, .. } = run.inputs()?;
        let mut session = FixRun::new(&run, &repairs, &inputs, true, unread)?;
        (session.is_summed, session.consent) = (true, consent);
        let sessions = Cell::new(0);
        let is_session = |done: &RepairOutcome| {
            let is_session = store.has(done.fixed.before.format);
            sessions.set(sessions.get() + u64::from(is_session));
            is_session
        };
        session.repair(&inputs, &is_session, out)?;
        consent = session.consent;
        failed |= session.failed;
        let done = AgentRepairs::new(session, store, sessions.get());
        found |= done.unwritten > 0 || !done.broken.is_empty() || is_preview && done.changed > 0;
        if !run.quiet {
            done.write(is_preview, run.style.width, out)?;
            writeln!(out)?;
        }
        all.push(done);
    }
    if !run.quiet {
        let replaced = backups.filter(|folder| folder.exists());
        write_end(&all, is_preview, names, replaced.as_deref(), run.style.width, out)?;
    }
    Ok(run.outcome(failed, found))
}

impl AgentRepairs {
    fn new(session: FixRun<'_>, store: &AgentStore, sessions: u64) -> AgentRepairs {
        let is_broken =
            |seen: &&DocReport| seen.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        let changed: BTreeSet<&str> = session.changes.iter().map(|note| &*note.path).collect();
        AgentRepairs {
            name: store.agent.name,
            folders: store.folders.iter().map(|path| abbreviate_home(&path.to_string_lossy())).collect(),
            sessions,
            changed: changed.len() as u64,
            in_use: session.recently_modified.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            unwritten: session.unwritten,
            broken: session.remaining.iter().filter(is_broken).map(|seen| seen.path.clone()).collect(),
            counts: session.counts,
            summary: session.summary,
        }
    }

    fn write(&self, is_preview: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let folders: Vec<String> = self.folders.iter().map(|folder| display_name(folder).into_owned()).collect();
        writeln!(out, "{}: {} in {}", self.name, count(self.sessions, "session"), folders.join(", "))?;
        let mut line = |text: &str| write_wrapped(text, width, "  ", "    ", out);
        if self.changed == 0 && self.unwritten == 0 && self.broken.is_empty() {
            line("Nothing to fix.")?;
        }
        if self.changed > 0 {
            let done = if is_preview { "Would fix" } else { "Fixed" };
            let resolved = self.counts.resolved_words().map(|words| format!(" ({words})")).unwrap_or_default();
            let changed = count(self.changed, "session");
            line(&format!("{done} {changed}{resolved}: {}.", self.counts.words()))?;
            let loses = if is_preview { "Would lose" } else { "Lost" };
            match self.counts.lost.is_empty() {
                true => line("No content is lost.")?,
                false => line(&format!("{loses}: {}.", self.counts.lost.words()))?,
            }
        }
        if !self.in_use.is_empty() {
            let (n, names) = (self.in_use.len() as u64, named(&self.in_use));
            line(&format!(
                "Skipped {}, modified in the last 10 seconds (--force overrides): {names}",
                count(n, "session")
            ))?;
        }
        if let Some(others @ 1..) = self.unwritten.checked_sub(self.in_use.len() as u64) {
            line(&format!("Not written: {}.", count(others, "session")))?;
        }
        if let Some(first) = self.broken.first() {
            let errors = count(self.summary.errors, "error");
            let doctor = CommandLine::new("doctor").on_input(&abbreviate_home(first));
            let remain = if is_preview { "would remain" } else { "remain" };
            let sessions = count(self.broken.len() as u64, "session");
            line(&format!("{errors} {remain} in {sessions}: {} (`{doctor}` says why)", named(&self.broken)))?;
        }
        Ok(())
    }
}

/// The first of some sessions, and the number of the others.
fn named(paths: &[String]) -> String {
    let first = paths.iter().take(MAX_NAMED).map(|path| display_name(&abbreviate_home(path)).into_owned());
    let first = first.collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Writes the totals, where the backups are, and the next step.
fn write_end(
    all: &[AgentRepairs],
    is_preview: bool,
    names: &[String],
    backups: Option<&Path>,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let agents = all.iter().filter(|one| one.changed > 0);
    let agents: Vec<String> = agents.map(|one| format!("{} {}", one.name, one.changed)).collect();
    let changed: u64 = all.iter().map(|one| one.changed).sum();
    if changed == 0 {
        return writeln!(out, "Nothing {} fixed.", if is_preview { "would be" } else { "was" });
    }
    let done = if is_preview { "Would fix" } else { "Fixed" };
    let lossless = all.iter().all(|one| one.counts.lost.is_empty());
    let lossless = if lossless { ". No content is lost" } else { "" };
    let total = format!("{done} {}: {}{lossless}.", count(changed, "session"), agents.join(", "));
    write_wrapped(&total, width, "", "", out)?;
    if is_preview {
        let fix = CommandLine::new("fix").flag("-w");
        let fix = match names {
            [] => fix.flag("--agents"),
            names => fix.with("--agents", &names.join(",")),
        };
        return writeln!(out, "Run `{}`.", fix.on_nothing());
    }
    if let Some(folder) = backups {
        let folder = abbreviate_home(&folder.to_string_lossy());
        writeln!(out, "Backups: {}", display_name(&folder))?;
        writeln!(out, "Undo: {}", CommandLine::new("fix").flag("--undo").on_input(&folder))?;
    }
    Ok(())
}
