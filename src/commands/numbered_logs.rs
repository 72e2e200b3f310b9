//! Logs whose lines cannot move because forks refer to them: their forks, and flattened copies.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::format::Format;
use crate::formats::SESSION_WRITERS;
use crate::options::UsageError;
use crate::repair::flatten::FlatCopy;
use crate::report::command_line::CommandLine;
use crate::source::lineage::LogFamily;
use crate::source::outputs::commit::{self, CommitError};
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{Doc, Input, ReadAt, display_name, display_path};

use super::agent_environment::home_path;
use super::carry_output::{agent_folder, already_installed};
use super::lineage::FileLineageReader;
use super::run::outcome::commit_failure;
use super::run::products::OutputPath;
use super::{Failure, Run, print_note};

/// The forks of the inputs.
pub(super) struct ForkIndex<'r> {
    run: &'r Run,
    inputs: &'r [Input],
    /// Read when it is first needed.
    family: Mutex<Option<LogFamily<'r>>>,
}

impl<'r> ForkIndex<'r> {
    pub(super) fn new(run: &'r Run, inputs: &'r [Input]) -> Self {
        ForkIndex { run, inputs, family: Mutex::new(None) }
    }

    /// Paths of the files that continue from a part of a document, as printed.
    pub(super) fn forks_of(&self, doc: &Doc) -> Vec<String> {
        let segments = doc.segments.iter().filter(|segment| !segment.is_base).map(|segment| &segment.path);
        let paths: Vec<&PathBuf> = doc.path.iter().chain(segments).collect();
        let Ok(mut family) = self.family.lock() else { return Vec::new() };
        let family =
            family.get_or_insert_with(|| LogFamily::new(&FileLineageReader, &self.run.lookup, self.inputs));
        let forks = paths.iter().flat_map(|path| family.forks(path));
        let forks = forks.filter(|builder| !paths.contains(&builder));
        forks.map(|builder| display_path(&builder)).collect()
    }
}

/// Writes a changed document to a stream. `numbered` is the format of a log whose lines cannot move, which is written
/// flattened.
pub(super) fn write_body(
    doc: &Doc,
    view: &dyn ReadAt,
    numbered: Option<&'static dyn Format>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if !doc.segments.is_empty() {
        let what = format!(
            "{}: the session consists of several files; use -o DIR/ to write a copy",
            display_name(&doc.label)
        );
        return Err(UsageError::new(what).into());
    }
    match numbered
        .and_then(|format| format.info().numbered_lines)
        .map(|kept| FlatCopy::of(view, kept))
        .transpose()?
        .flatten()
    {
        Some(flat) => flat.write(out)?,
        None => commit::copy(view, out)?,
    }
    Ok(())
}

/// A flattened copy of a log whose lines cannot move, and its file name; `None` if there is no such copy.
fn flatten<'v>(
    doc: &Doc,
    view: &'v dyn ReadAt,
    format: &'static dyn Format,
) -> Result<Option<(FlatCopy<'v>, String)>, Failure> {
    let Some(kept) = format.info().numbered_lines else { return Ok(None) };
    let Some(flat) = FlatCopy::of(view, kept)? else { return Ok(None) };
    let last = doc.segments.last().map(|segment| doc.of_segment(segment));
    let doc = last.as_ref().unwrap_or(doc);
    let old = doc.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let name = flat.file_name(&old.unwrap_or_default());
    Ok(Some((flat, name)))
}

/// Writes a flattened copy of a log whose lines cannot move, and prints the next step. Returns its path, and the metadata
/// of a replaced file that was lost; `None` if there is no such copy.
pub(super) fn write_flattened(
    run: &Run,
    copies: &OutputPath,
    doc: &Doc,
    view: &dyn ReadAt,
    format: &'static dyn Format,
    several: bool,
) -> Result<Option<(PathBuf, Vec<String>)>, Failure> {
    let Some((flat, name)) = flatten(doc, view, format)? else { return Ok(None) };
    let mut path = copies.path_for(run, doc, several);
    if several || copies.is_folder() {
        path.set_file_name(&name);
    }
    let mut file = NewFile::create_with_folders(&path, copies.existing).map_err(commit_failure)?;
    flat.write(&mut file)?;
    let lost = file.save().map_err(commit_failure)?;
    if !run.quiet {
        let named = path.file_name().is_some_and(|own| own.to_string_lossy() == name);
        let rename = if named { String::new() } else { format!("rename it to {}, ", display_name(&name)) };
        print_note(&format!(
            "{}: a copy in one file with a new session id; {rename}move it into the sessions folder (or use --install), \
             then run `{}`",
            display_path(&path),
            flat.resume_command()
        ));
    }
    Ok(Some((path, lost)))
}

/// Writes a flattened copy of a log where its agent finds it, and prints the command that resumes it. The original is not
/// changed, and no file is replaced.
///
/// # Errors
///
/// If the session is edited in place, or its agent has no folder.
pub(super) fn install_flattened(
    run: &Run,
    doc: &Doc,
    view: &dyn ReadAt,
    format: Option<&'static dyn Format>,
) -> Result<(), Failure> {
    let label = display_name(&doc.label);
    let Some(format) = format else {
        let in_place = CommandLine::new("fix").flag("-w").on_input(&doc.label);
        return Err(UsageError::new(format!("{label}: is repaired in place; use `{in_place}`")).into());
    };
    let Some((flat, name)) = flatten(doc, view, format)? else {
        let what = format!("{label}: has no session header, without which no copy of it can be resumed");
        return Err(UsageError::new(what).into());
    };
    let writer = SESSION_WRITERS.iter().find(|writer| writer.format == format.info().name);
    let sessions = writer.and_then(|writer| Some(agent_folder(writer)?.join(writer.home.as_ref()?.sessions)));
    let Some(sessions) = sessions else {
        return Err(UsageError::new(format!("{label}: the folder of sessions is unknown; use -o DIR")).into());
    };
    let path = sessions.join(flat.folder(&name)).join(name);
    let mut file = NewFile::create_with_folders(&path, ExistingFile::Refuse).map_err(not_replaced)?;
    flat.write(&mut file)?;
    file.save().map_err(not_replaced)?;
    if !run.quiet {
        print_note(&format!(
            "{label}: installed a copy with a new session id as {}. Resume with `{}`.",
            home_path(&path),
            flat.resume_command()
        ));
    }
    Ok(())
}

/// The failure of `--install`, which has no `--force`.
fn not_replaced(error: CommitError) -> Failure {
    match error {
        CommitError::Exists(path) => UsageError::new(already_installed(&path)).into(),
        error => commit_failure(error),
    }
}
