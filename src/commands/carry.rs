//! `convert --to` a session of another agent: written to standard output, to a file, or where the agent finds it. How to
//! go on with it is said on standard error.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::carry::Destination;
use crate::history::time::iso;
use crate::place::DocId;
use crate::report::words::{count, printable};
use crate::source::display_path;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::product::{Existing, NewFile};
use crate::source::sqlite::made;

use super::carry_output::CarryOutput;
use super::convert::{Conversion, Session, in_any_number, in_full};
use super::run::Inputs;
use super::run::products;
use super::run::products::Copies;
use super::{Failure, Outcome, Run, complain, talk};

/// A session that was written.
struct Carried {
    text: Vec<u8>,
    destination: Destination,
}

pub fn carry(
    run: &Run,
    conversion: &Conversion,
    carry_output: &CarryOutput,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored } = run.inputs()?;
    let planned = match &conversion.output {
        Some(copies) if !copies.is_folder() => copies.planned(&inputs, false)?,
        _ => Vec::new(),
    };
    products::guard(run, &mut inputs, planned)?;
    let mut session = Session::new(run, failed, ignored);
    let mut carried = Vec::new();
    for input in &inputs {
        let doc = run.open(DocId(0), input);
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let done = in_full(run, doc, |doc| {
            in_any_number(run, conversion, doc, run.threads, &mut |made| {
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
            carried.extend(each.map(|(text, destination)| Carried { text, destination }));
        }
        session.take(input, done)?;
    }
    let mut says = Vec::new();
    match &conversion.output {
        _ if carry_output.install => {
            for carried in &carried {
                says.push(installed(carry_output, carried).map_err(|error| match error {
                    CommitError::Exists(path) => {
                        complain(&format!(
                            "{}: already exists; --install never replaces a file",
                            display_path(&path)
                        ));
                    }
                    error => complain(&error.to_string()),
                }));
            }
        }
        Some(copies) if copies.is_folder() => {
            for carried in &carried {
                let name = Path::new(&carried.destination.file).file_name().unwrap_or_default();
                says.push(written(carry_output, carried, &copies.to.join(name), copies));
            }
        }
        to => match (carried.as_slice(), to) {
            ([], _) => {}
            ([only], Some(copies)) => says.push(written(carry_output, only, &copies.to, copies)),
            ([only], None) => {
                out.write_all(&only.text)?;
                out.flush()?;
                says.push(Ok(after(carry_output, only, None)));
            }
            (several, Some(copies)) if made::is_database_name(&copies.to) && carry_output.keeps_rows() => {
                says.push(database(several, copies));
            }
            (several, _) => {
                complain(&format!(
                    "{}: a file holds one session; use `-o DIR/` to write each to its own file",
                    count(several.len() as u64, "conversation")
                ));
                says.push(Err(()));
            }
        },
    }
    session.failed |= says.iter().any(Result::is_err);
    let outcome = session.finish(conversion, out)?;
    if !run.quiet {
        for carried in carried.iter().filter(|carried| carried.destination.left_out > 0) {
            let left_out = count(u64::from(carried.destination.left_out), "earlier turn");
            talk(&format!("Left out {left_out} (--last)."));
        }
        says.into_iter().flatten().for_each(|line| talk(&line));
    }
    Ok(outcome)
}

/// Puts a session where the agent finds it.
fn installed(carry_output: &CarryOutput, carried: &Carried) -> Result<String, CommitError> {
    let missing = || CommitError::Io { path: PathBuf::from("~"), error: io::ErrorKind::NotFound.into() };
    let path = carry_output.home(&carried.destination).ok_or_else(missing)?;
    save(&carried.text, &path, Existing::Refuse)?;
    let resume = (carry_output.writer.resume)(&carried.destination, &path.to_string_lossy());
    Ok(format!("Installed {}. Resume with `{resume}`.", shown(&path)))
}

fn written(carry_output: &CarryOutput, carried: &Carried, path: &Path, copies: &Copies) -> Result<String, ()> {
    if made::is_database_name(path) && carry_output.keeps_rows() {
        return database(std::slice::from_ref(carried), copies);
    }
    match save(&carried.text, path, copies.existing) {
        Ok(()) => Ok(after(carry_output, carried, Some(path))),
        Err(error) => {
            complain(&error.to_string());
            Err(())
        }
    }
}

fn database(several: &[Carried], copies: &Copies) -> Result<String, ()> {
    let sessions: Vec<made::Session<'_>> = several
        .iter()
        .map(|carried| made::Session {
            id: &carried.destination.id,
            lines: &carried.text,
            began: iso(carried.destination.began).replace('T', " ").replace('Z', ""),
        })
        .collect();
    let saved = made::agents(&sessions)
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
            complain(&error.to_string());
            Err(())
        }
    }
}

fn save(text: &[u8], path: &Path, existing: Existing) -> Result<(), CommitError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let failed = |error| CommitError::Io { path: folder.to_owned(), error };
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = NewFile::create(path, true, existing)?;
    file.write_all(text).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save().map(drop)
}

/// What is left to do with a session that was written to a file, or to standard output.
fn after(carry_output: &CarryOutput, carried: &Carried, path: Option<&Path>) -> String {
    let (writer, destination) = (carry_output.writer, &carried.destination);
    let file = path.map_or("FILE".into(), |path| path.to_string_lossy());
    if let Some(import) = writer.import {
        let resume = (writer.resume)(destination, &file);
        return format!("Import it with `{}`, then resume with `{resume}`.", import(&file));
    }
    match carry_output.home(destination) {
        Some(home) => {
            let resume = (writer.resume)(destination, &shown(&home));
            format!("Save it as {} (or use --install), then resume with `{resume}`.", shown(&home))
        }
        None => format!("Use it in {} with `{}`.", writer.agent, (writer.resume)(destination, &file)),
    }
}

/// A path with the user's home written as `~`.
fn shown(path: &Path) -> String {
    let below = env::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
    let text = match below {
        Some(below) => format!("~/{}", below.to_string_lossy()),
        None => path.to_string_lossy().into_owned(),
    };
    // A path is to be copied: it is only masked where it would do something to a terminal.
    if text.chars().any(char::is_control) { printable(&text) } else { text }
}
