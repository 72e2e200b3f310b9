//! `convert --to` a session of another agent: written to standard output, to a file, or where the agent finds it. The next
//! step is printed to standard error.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::carry::Destination;
use crate::history::time::format_iso;
use crate::place::DocId;
use crate::report::words::{count, to_printable};
use crate::source::display_path;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::sqlite::agents_database;

use super::carry_output::CarryOutput;
use super::convert::{Conversion, ConvertRun, convert_each, convert_restored};
use super::run::Inputs;
use super::run::products;
use super::run::products::OutputPath;
use super::{Failure, Outcome, Run, print_error, print_note};

/// The text of a converted session, and where it belongs.
struct SessionFile {
    text: Vec<u8>,
    destination: Destination,
}

pub fn carry(
    run: &Run,
    conversion: &Conversion,
    carry_output: &CarryOutput,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored_counts: ignored } = run.inputs()?;
    let planned = match &conversion.output {
        Some(copies) if !copies.is_folder() => copies.planned_files(&inputs, false)?,
        _ => Vec::new(),
    };
    products::check_collisions(run, &mut inputs, planned)?;
    let mut session = ConvertRun::new(run, failed, ignored);
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
            carried.extend(each.map(|(text, destination)| SessionFile { text, destination }));
        }
        session.record(input, done)?;
    }
    let mut messages = Vec::new();
    match &conversion.output {
        _ if carry_output.install => {
            for carried in &carried {
                messages.push(install(carry_output, carried).map_err(|error| match error {
                    CommitError::Exists(path) => {
                        print_error(&format!(
                            "{}: already exists; --install never overwrites a file",
                            display_path(&path)
                        ));
                    }
                    error => print_error(&error.to_string()),
                }));
            }
        }
        Some(copies) if copies.is_folder() => {
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
        for carried in carried.iter().filter(|carried| carried.destination.left_out > 0) {
            let left_out = count(u64::from(carried.destination.left_out), "earlier turn");
            print_note(&format!("Left out {left_out} (--last)."));
        }
        messages.into_iter().flatten().for_each(|line| print_note(&line));
    }
    Ok(outcome)
}

/// Writes a session where the agent finds it, and returns the next step.
fn install(carry_output: &CarryOutput, carried: &SessionFile) -> Result<String, CommitError> {
    let missing = || CommitError::Io { path: PathBuf::from("~"), error: io::ErrorKind::NotFound.into() };
    let path = carry_output.home(&carried.destination).ok_or_else(missing)?;
    save(&carried.text, &path, ExistingFile::Refuse)?;
    let resume = (carry_output.writer.resume)(&carried.destination, &path.to_string_lossy());
    Ok(format!("Installed {}. Resume with `{resume}`.", home_path(&path)))
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
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let failed = |error| CommitError::Io { path: folder.to_owned(), error };
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = NewFile::create(path, true, existing)?;
    file.write_all(text).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save().map(drop)
}

/// The next step for a session that was written to a file or to standard output.
fn next_step(carry_output: &CarryOutput, carried: &SessionFile, path: Option<&Path>) -> String {
    let (writer, destination) = (carry_output.writer, &carried.destination);
    let file = path.map_or("FILE".into(), |path| path.to_string_lossy());
    if let Some(import) = writer.import {
        let resume = (writer.resume)(destination, &file);
        return format!("Import it with `{}`, then resume with `{resume}`.", import(&file));
    }
    match carry_output.home(destination) {
        Some(home) => {
            let resume = (writer.resume)(destination, &home_path(&home));
            format!("Save it as {} (or use --install), then resume with `{resume}`.", home_path(&home))
        }
        None => format!("Use it in {} with `{}`.", writer.agent, (writer.resume)(destination, &file)),
    }
}

/// A path with the home directory written as `~`.
fn home_path(path: &Path) -> String {
    let below = env::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
    let text = match below {
        Some(below) => format!("~/{}", below.to_string_lossy()),
        None => path.to_string_lossy().into_owned(),
    };
    // The user copies the path, so only control characters are masked.
    if text.chars().any(char::is_control) { to_printable(&text) } else { text }
}
