//! `convert --to` a session of another agent: written to standard output, to a file, or where the agent finds it. The next
//! step is printed to standard error.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use foldhash::HashMap;

use crate::carry::Destination;
use crate::history::time::format_iso;
use crate::options::UsageError;
use crate::place::DocId;
use crate::report::words::count;
use crate::source::display_name;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::sqlite::agents_database;

use super::agent_environment::home_path;
use super::carry_output::{CarryOutput, already_installed};
use super::convert::{Conversion, ConvertRun, convert_each, convert_restored};
use super::run::Inputs;
use super::run::products;
use super::run::products::OutputPath;
use super::{Failure, Outcome, Run, print_error, print_note};

/// The text of a converted session, and where it belongs.
struct SessionFile {
    /// The input that it was made from.
    label: String,
    text: Vec<u8>,
    destination: Destination,
}

pub fn carry(
    run: &Run,
    conversion: &Conversion,
    carry_output: &CarryOutput,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored_counts } = run.inputs()?;
    let planned = match &conversion.output {
        Some(copies) if !copies.is_folder() => copies.planned_files(run, &inputs, false)?,
        _ => Vec::new(),
    };
    products::check_collisions(run, &mut inputs, planned)?;
    let mut session = ConvertRun::new(run, failed, ignored_counts);
    let mut carried = Vec::new();
    for input in &inputs {
        let doc = run.open(DocId(0), input);
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let done = convert_restored(run, doc, |doc| {
            convert_each(run, conversion, doc, run.threads, &mut |made| {
                let mut text = Vec::new();
                made.copy_to(&mut text)?;
                texts.extend(Some(text).filter(|text| !text.is_empty()));
                Ok(())
            })
        });
        if let Ok(done) = &done
            && !conversion.denies_file(done)
        {
            let each = texts.into_iter().zip(done.destinations.iter().cloned());
            let label = &done.label;
            carried.extend(each.map(|(text, destination)| SessionFile {
                label: label.clone(),
                text,
                destination,
            }));
        }
        session.record(input, done)?;
    }
    let is_folder = conversion.output.as_ref().is_some_and(OutputPath::is_folder);
    if carry_output.install || is_folder {
        check_names(&carried)?;
    }
    let mut messages = Vec::new();
    match &conversion.output {
        _ if carry_output.install => {
            for carried in &carried {
                messages.push(install(carry_output, carried).map_err(|error| match error {
                    CommitError::Exists(path) => print_error(&already_installed(&path)),
                    error => print_error(&error.to_string()),
                }));
            }
        }
        Some(copies) if is_folder => {
            for carried in &carried {
                let name = Path::new(&carried.destination.file).file_name().unwrap_or_default();
                messages.push(write_file(carry_output, carried, &copies.to.join(name), copies));
            }
        }
        to => match (carried.as_slice(), to) {
            ([], _) => {}
            ([only], Some(copies)) => messages.push(write_file(carry_output, only, &copies.to, copies)),
            ([only], None) => {
                out.write_all(&only.text)?;
                out.flush()?;
                messages.push(Ok(next_step(carry_output, only, None)));
            }
            (several, Some(copies))
                if agents_database::is_database_name(&copies.to) && carry_output.keeps_rows() =>
            {
                messages.push(write_database(several, copies));
            }
            (several, _) => {
                print_error(&format!(
                    "{} cannot be written to one file; use `-o DIR/` to write one file per session",
                    count(several.len() as u64, "conversation")
                ));
                messages.push(Err(()));
            }
        },
    }
    session.failed |= messages.iter().any(Result::is_err);
    let outcome = session.finish(conversion, out)?;
    if !run.quiet {
        for left_out in carried.iter().map(|carried| carried.destination.preparation.left_out).filter(|n| *n > 0) {
            print_note(&format!("Left out {} (--last).", count(u64::from(left_out), "earlier turn")));
        }
        let has_default_notes = carried.iter().any(|carried| carried.destination.preparation.has_default_notes);
        if let Some(why) = carry_output.writer.why_notes.filter(|_| has_default_notes) {
            print_note(&format!("{why}."));
        }
        messages.into_iter().flatten().for_each(|line| print_note(&line));
    }
    Ok(outcome)
}

/// Checks that no two sessions have the same file.
///
/// # Errors
///
/// If two inputs are the same session.
fn check_names(carried: &[SessionFile]) -> Result<(), UsageError> {
    let mut labels: HashMap<&str, &str> = HashMap::default();
    for SessionFile { label, destination, .. } in carried {
        if let Some(other) = labels.insert(&destination.file, label) {
            let [other, label] = [other, label].map(|label| display_name(label).into_owned());
            let what =
                format!("{other} and {label} are the same session: both would be written to {}", destination.file);
            return Err(UsageError::new(what).help("specify only one of them"));
        }
    }
    Ok(())
}

/// Writes a session where the agent finds it, and returns the next step.
fn install(carry_output: &CarryOutput, carried: &SessionFile) -> Result<String, CommitError> {
    let missing = || CommitError::Io { path: PathBuf::from("~"), error: io::ErrorKind::NotFound.into() };
    let path = carry_output.home(&carried.destination).ok_or_else(missing)?;
    save(&carried.text, &path, ExistingFile::Refuse)?;
    let resume = (carry_output.writer.resume)(&carried.destination, &path.to_string_lossy());
    let note = model_note(carry_output, &carried.destination);
    Ok(format!("Installed {}. Resume with `{resume}`{note}.", home_path(&path)))
}

fn write_file(
    carry_output: &CarryOutput,
    carried: &SessionFile,
    path: &Path,
    copies: &OutputPath,
) -> Result<String, ()> {
    if agents_database::is_database_name(path) && carry_output.keeps_rows() {
        return write_database(std::slice::from_ref(carried), copies);
    }
    match save(&carried.text, path, copies.existing) {
        Ok(()) => Ok(next_step(carry_output, carried, Some(path))),
        Err(error) => {
            print_error(&error.to_string());
            Err(())
        }
    }
}

fn write_database(several: &[SessionFile], copies: &OutputPath) -> Result<String, ()> {
    let sessions: Vec<agents_database::DatabaseSession<'_>> = several
        .iter()
        .map(|carried| agents_database::DatabaseSession {
            id: &carried.destination.id,
            lines: &carried.text,
            began: format_iso(carried.destination.started).replace('T', " ").replace('Z', ""),
        })
        .collect();
    let saved = agents_database::build(&sessions)
        .map_err(|error| CommitError::Io { path: copies.to.clone(), error })
        .and_then(|bytes| save(&bytes, &copies.to, copies.existing));
    match saved {
        Ok(()) => {
            let path = copies.to.to_string_lossy();
            let each =
                several.iter().map(|one| format!("`SQLiteSession(\"{}\", \"{path}\")`", one.destination.id));
            Ok(format!("Use it in the OpenAI Agents SDK with {}.", each.collect::<Vec<_>>().join(", ")))
        }
        Err(error) => {
            print_error(&error.to_string());
            Err(())
        }
    }
}

fn save(text: &[u8], path: &Path, existing: ExistingFile) -> Result<(), CommitError> {
    let mut file = NewFile::create_with_folders(path, existing)?;
    file.write_all(text).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save().map(drop)
}

/// The next step for a session that was written to a file or to standard output.
fn next_step(carry_output: &CarryOutput, carried: &SessionFile, path: Option<&Path>) -> String {
    let (writer, destination) = (carry_output.writer, &carried.destination);
    let file = path.map_or("FILE".into(), |path| path.to_string_lossy());
    let note = model_note(carry_output, destination);
    if let Some(import) = writer.import {
        let resume = (writer.resume)(destination, &file);
        return format!("Import it with `{}`, then resume with `{resume}`{note}.", import(&file));
    }
    match carry_output.home(destination) {
        Some(home) => {
            let resume = (writer.resume)(destination, &home_path(&home));
            format!("Save it as {} (or use --install), then resume with `{resume}`{note}.", home_path(&home))
        }
        None => format!("Use it in {} with `{}`.", writer.agent, (writer.resume)(destination, &file)),
    }
}

/// What the user should know of the model that a session names, after the command that resumes it.
fn model_note(carry_output: &CarryOutput, destination: &Destination) -> String {
    let naming = carry_output.writer.model.as_ref();
    naming.and_then(|naming| (naming.note)(destination)).map(|note| format!("; {note}")).unwrap_or_default()
}
