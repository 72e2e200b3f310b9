//! `doctor`: finds the sessions that their agent cannot resume as they were, says what is wrong with the newest one,
//! repairs it, and prints the command that resumes it.

mod client_faults;
mod copy;
mod description;
mod json;
mod scan;
mod session;
mod treatment;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::options::UsageError;
use crate::report::command_line::CommandLine;
use crate::report::words::write_wrapped;
use crate::source::display_path;
use crate::source::outputs::commit;

use super::agent_folders::agent_stores;
use super::run::consent;
use super::{Failure, Outcome, Run, stderr};

use description::{ResumeHint, describe, write_healthy, write_others};
use scan::Scan;
use session::Session;
use treatment::{RepairResult, Treatment, TreatmentOutcome};

/// Options of `doctor` besides those of all commands.
pub struct DoctorOptions {
    /// A file, a folder, a database, or the id of a session; `None` for all sessions of all agents.
    pub session: Option<PathBuf>,
    /// Only sessions of these agents; of all, if there are none.
    pub agents: Vec<String>,
    /// Repairs are written without asking.
    pub yes: bool,
    /// Files that may be in use are written, too.
    pub force: bool,
    pub json: bool,
}

/// Looks for broken sessions, and repairs the newest one.
pub fn doctor(mut run: Run, options: &DoctorOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut scan = match &options.session {
        Some(path) if path.exists() => {
            run.paths = vec![path.clone()];
            let inputs = run.inputs()?;
            let mut scan = Scan { failed: inputs.failed, ..Scan::default() };
            scan.add(&run, &inputs.all, None);
            if scan.agents.is_empty() && !scan.failed {
                return Err(unknown_file_error(path).into());
            }
            scan
        }
        Some(name) => scan_by_id(&mut run, options, &name.to_string_lossy())?,
        None => {
            let mut scan = Scan::default();
            for store in agent_stores(&options.agents, false)? {
                run.paths.clone_from(&store.folders);
                let inputs = run.inputs()?;
                scan.failed |= inputs.failed;
                scan.add(&run, &inputs.all, Some(&store));
            }
            scan
        }
    };
    scan.finish(&run)?;
    let mut treatments = Vec::new();
    // Only the JSON document describes the repair of every session.
    for session in scan.broken.iter().take(if options.json { usize::MAX } else { 1 }) {
        treatments.push(Treatment::plan(&run, session)?);
    }
    if !options.json {
        match scan.broken.first().zip(treatments.first()) {
            None => write_healthy(&scan, options.session.is_some(), run.style.width, out)?,
            Some((session, treatment)) => {
                let text = describe(session, treatment);
                write_wrapped(&text, run.style.width, "", "", out)?;
                write_others(&scan, run.style.width, out)?;
                client_faults::write(&scan, run.style.width, out)?;
                out.flush()?;
            }
        }
    }
    let done = match scan.broken.first() {
        Some(session) => Some(treat(&run, options, session, treatments.remove(0), out)?),
        None => None,
    };
    let is_left = done.as_ref().is_some_and(|(_, done)| match done {
        TreatmentOutcome::Repaired(result) => result.errors_left > 0,
        TreatmentOutcome::Left(_) => true,
    });
    if options.json {
        json::write(&scan, done.as_ref(), &treatments, out)?;
    }
    Ok(run.outcome(scan.failed, is_left))
}

/// The session with this id, or whose file has this name, in the folders of the agents.
fn scan_by_id(run: &mut Run, options: &DoctorOptions, name: &str) -> Result<Scan, Failure> {
    let mut scan = Scan::default();
    for store in agent_stores(&options.agents, false)? {
        run.paths.clone_from(&store.folders);
        let mut inputs = run.inputs()?.all;
        inputs.retain(|input| session::is_named(input, store.agent, name));
        scan.add(run, &inputs, Some(&store));
    }
    if scan.agents.is_empty() {
        let what = format!("no session '{}' in the folders of the agents", display_path(Path::new(name)));
        return Err(UsageError::new(what)
            .help("name the file of the session, or its id; `replaylint doctor` looks at all sessions")
            .into());
    }
    Ok(scan)
}

fn unknown_file_error(path: &Path) -> UsageError {
    let check = CommandLine::new("check").on_input(&path.to_string_lossy());
    UsageError::new(format!("{}: not a session of a known agent", display_path(path)))
        .help(format!("`{check}` checks any conversation"))
}

/// Repairs the chosen session if the user agrees, and prints what comes next.
fn treat(
    run: &Run,
    options: &DoctorOptions,
    session: &Session,
    treatment: Treatment,
    out: &mut dyn Write,
) -> Result<(Treatment, TreatmentOutcome), Failure> {
    let print = |text: &str, out: &mut dyn Write| match options.json {
        true => Ok(()),
        false => writeln!(out).and_then(|()| write_wrapped(text, run.style.width, "", "", out)),
    };
    let left = |why: String,
                treatment: Treatment,
                out: &mut dyn Write|
     -> Result<(Treatment, TreatmentOutcome), Failure> {
        print(&why, out)?;
        Ok((treatment, TreatmentOutcome::Left(why)))
    };
    if treatment.counts.total() == 0 {
        let check = CommandLine::new("check").on_input(&session.label);
        let why = format!("Nothing was written. `{check}` shows where the errors are.");
        return left(why, treatment, out);
    }
    let is_recent = session.paths().iter().any(|path| commit::is_recently_modified(path));
    if is_recent && !options.force && !treatment.is_copy {
        let doctor = CommandLine::new("doctor").on_input(&session.argument());
        let why = format!(
            "Nothing was written: the session was modified in the last 10 seconds, so {} may be running. Close it, \
             then run `{doctor}` (--force repairs it anyway).",
            session.agent.name
        );
        return left(why, treatment, out);
    }
    let agrees = options.yes || !options.json && consent::is_interactive() && ask()?;
    if !agrees {
        let doctor = CommandLine::new("doctor").flag("--yes").on_input(&session.argument());
        return left(format!("Nothing was written. `{doctor}` repairs it."), treatment, out);
    }
    let (treatment, result) = treatment.apply(run, session, options.force)?;
    let Some(result) = result else {
        return left("Nothing was written.".to_owned(), treatment, out);
    };
    if !options.json {
        write_result(&result, session, run.style.width, out)?;
    }
    Ok((treatment, TreatmentOutcome::Repaired(result)))
}

fn ask() -> io::Result<bool> {
    let mut to = stderr();
    write!(to, "\nRepair it? [y/N] ")?;
    consent::read_answer(&mut to)
}

fn write_result(result: &RepairResult, session: &Session, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    write_wrapped(&description::describe_result(result, session), width, "", "", out)?;
    match ResumeHint::of(session, result.copy.as_ref()) {
        ResumeHint::Command { line, needs_folder } => {
            let place = if needs_folder { " in its working directory" } else { "" };
            writeln!(out, "\nResume it{place} with:\n\n  {line}")
        }
        ResumeHint::List => writeln!(out, "\nResume it from the list of sessions in {}.", session.agent.name),
        ResumeHint::Unknown => Ok(()),
    }
}
