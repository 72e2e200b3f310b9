//! Files that a run writes, besides those it repairs in place. Before anything is written, it is checked that no input is
//! overwritten, and no file written twice.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use foldhash::HashMap;

use crate::options::UsageError;
use crate::read::invalid_json;
use crate::source::identity::FileIdentity;
use crate::source::outputs::commit::{CommitError, ReplaceOptions};
use crate::source::outputs::new_file::ExistingFile;
use crate::source::sqlite::HistoryCells;
use crate::source::{Doc, Input, display_name, display_path};

use super::labels::label_of;
use super::outcome::commit_failure;
use crate::commands::{Failure, Run, print_error};

/// The path of `-o`: a file, or a folder for several inputs or if it is given as one.
#[derive(Clone, Debug)]
pub struct OutputPath {
    pub to: PathBuf,
    pub existing: ExistingFile,
}

/// The delivery of a changed text.
#[derive(Clone, Debug)]
pub enum OutputMode {
    /// Nothing is written; the changes are shown.
    Preview,
    /// As a patch, to standard output.
    Patch,
    /// As SQL for the database that the file was exported from, to standard output.
    Sql,
    /// The file is replaced, with a backup in the same folder.
    InPlace(ReplaceOptions),
    /// To this file, or to this folder for several inputs.
    Copy(OutputPath),
    /// As a copy, where the agent finds it.
    Install,
    /// The text goes to standard output, and everything else to standard error.
    Stream,
}

impl OutputMode {
    /// True if the text goes to standard output.
    ///
    /// # Errors
    ///
    /// If there are several inputs.
    pub(in crate::commands) fn is_stream(&self, several: bool) -> Result<bool, UsageError> {
        let is_stream = matches!(self, OutputMode::Stream);
        if is_stream && several {
            return Err(several_inputs_error());
        }
        Ok(is_stream)
    }
}

pub(in crate::commands) fn several_inputs_error() -> UsageError {
    UsageError::new("several inputs cannot be written to standard output")
        .help("use -o DIR to write one file per input")
}

/// A file that the run will write.
pub(in crate::commands) struct PlannedFile {
    path: PathBuf,
    /// The flag that specifies the file, or the input that is copied.
    description: String,
    kind: PlannedKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlannedKind {
    /// Overwritten only with `--force`.
    Product(ExistingFile),
    /// Overwritten, because each run writes it again.
    Report,
    /// Appended to.
    List,
}

impl PlannedFile {
    pub fn product(path: &Path, existing: ExistingFile) -> PlannedFile {
        PlannedFile { path: path.to_owned(), description: "-o".to_owned(), kind: PlannedKind::Product(existing) }
    }

    pub fn page(path: &Path) -> PlannedFile {
        PlannedFile {
            path: path.to_owned(),
            description: "--output-format html".to_owned(),
            kind: PlannedKind::Report,
        }
    }

    pub fn list(path: &Path, flag: &str) -> PlannedFile {
        PlannedFile { path: path.to_owned(), description: flag.to_owned(), kind: PlannedKind::List }
    }
}

impl OutputPath {
    /// True if the path is an existing folder, or ends with a separator.
    pub(in crate::commands) fn is_folder(&self) -> bool {
        let last = self.to.as_os_str().as_encoded_bytes().last();
        self.to.is_dir() || last.is_some_and(|last| std::path::is_separator(char::from(*last)))
    }

    /// The files that are written for the inputs.
    pub(in crate::commands) fn planned_files(
        &self,
        run: &Run,
        inputs: &[Input],
        several: bool,
    ) -> Result<Vec<PlannedFile>, Failure> {
        if !several && !self.is_folder() {
            return Ok(vec![PlannedFile::product(&self.to, self.existing)]);
        }
        if fs::metadata(&self.to).is_ok_and(|meta| !meta.is_dir()) {
            let usage_error =
                UsageError::new(format!("{}: not a folder, but there are several inputs", display_path(&self.to)));
            return Err(usage_error.help("use -o DIR to write one file per input").into());
        }
        let copy = |from: &Path| PlannedFile {
            path: self.to.join(path_below(run, from)),
            description: format!("the copy of {}", display_path(from)),
            kind: PlannedKind::Product(self.existing),
        };
        Ok(inputs
            .iter()
            .flat_map(|input| match input {
                Input::Stdin => vec![copy(Path::new("-"))],
                Input::File { path, .. } => vec![copy(path)],
                Input::Member { member, .. } => vec![copy(&member.path())],
                Input::Log { paths, .. } => paths.iter().map(|path| copy(path)).collect(),
                Input::Tree { paths, .. } => paths.first().map(|path| copy(path)).into_iter().collect(),
                Input::History { path, key, .. } => vec![copy(&key.output_path(path))],
            })
            .collect())
    }

    /// The path to write the result for a document to.
    pub(in crate::commands) fn path_for(&self, run: &Run, doc: &Doc, several: bool) -> PathBuf {
        if !several && !self.is_folder() {
            return self.to.clone();
        }
        let product = doc.cells.as_ref().map(HistoryCells::output_path);
        let from = doc.path.as_deref().or(product.as_deref()).unwrap_or(Path::new("-"));
        self.to.join(path_below(run, from))
    }
}

/// True if outputs are written to a folder.
pub(in crate::commands) fn has_several_outputs(run: &Run, inputs: &[Input]) -> bool {
    inputs.len() > 1
        || inputs.iter().any(|input| matches!(input, Input::Log { paths, .. } if paths.len() > 1))
        || run.paths.iter().any(|path| path.is_dir())
}

/// The path of a copy in the output folder: that of the file below the argument through which it was found, or its name if
/// it is the argument. A path of a list is kept whole, because a list often names many files of one name. A file of an
/// archive is in a folder named like the archive.
fn path_below(run: &Run, from: &Path) -> PathBuf {
    let below = run.paths.iter().enumerate().find_map(|(at, argument)| {
        let below = from.strip_prefix(argument).ok()?;
        match argument.is_dir() {
            _ if at >= run.listed_from => Some(from.to_owned()),
            true => Some(below.to_owned()),
            // Joining an empty path would add a separator.
            false if below.as_os_str().is_empty() => Some(argument.file_name()?.into()),
            false => Some(Path::new(argument.file_name()?).join(below)),
        }
    });
    let below = below.or_else(|| from.file_name().map(PathBuf::from)).unwrap_or_else(|| from.to_owned());
    // The names in an archive may lead out of the folder.
    below.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// Checks that no input, and no other file that the user may want to keep, is overwritten. A report of an earlier run
/// that was found in a folder is removed from the inputs.
///
/// # Errors
///
/// If a file would be overwritten, or written twice.
pub(in crate::commands) fn check_collisions(
    run: &Run,
    inputs: &mut Vec<Input>,
    mut planned: Vec<PlannedFile>,
) -> Result<(), Failure> {
    for output in &run.outputs {
        if let Some(path) = &output.file {
            let description =
                if run.report_flag { "-o".to_owned() } else { format!("--output-format {}", output.name) };
            planned.push(PlannedFile { path: path.clone(), description, kind: PlannedKind::Report });
        }
    }
    if planned.is_empty() {
        return Ok(());
    }
    let mut written: HashMap<FileIdentity, &PlannedFile> = HashMap::default();
    let mut folders: HashMap<PathBuf, &PlannedFile> = HashMap::default();
    for plan in &planned {
        let Some(identity) = FileIdentity::of(&plan.path) else { continue };
        if let Some(other) = written.insert(identity, plan) {
            return Err(collision_error(other, plan));
        }
        folders.extend(plan.path.ancestors().skip(1).map(|folder| (folder.to_owned(), plan)));
    }
    // One copy cannot be both a file and the folder of another.
    if let Some((plan, other)) = planned.iter().find_map(|plan| Some((plan, *folders.get(&plan.path)?))) {
        return Err(collision_error(plan, other));
    }
    let clash = |path: &Path| FileIdentity::of(path).and_then(|identity| written.get(&identity).copied());
    for path in &run.also_read {
        if let Some(plan) = clash(path) {
            return Err(input_error(path, plan));
        }
    }
    let mut error = None;
    inputs.retain(|input| {
        let (paths, named) = match input {
            Input::Stdin => return true,
            Input::File { path, named } => (std::slice::from_ref(path), *named),
            Input::Member { member, named } => (std::slice::from_ref(&member.archive), *named),
            Input::Log { paths, named, .. } | Input::Tree { paths, named, .. } => (paths.as_slice(), *named),
            Input::History { path, named, .. } => (std::slice::from_ref(path), *named),
        };
        let Some((path, plan)) = paths.iter().find_map(|path| Some((path, clash(path)?))) else { return true };
        let own = !named && plan.kind != PlannedKind::Product(ExistingFile::Replace) && !is_conversation(path);
        if !own {
            error = Some(input_error(path, plan));
        } else if run.verbose {
            print_error(&format!(
                "{}: skipped, because {} is written to it",
                display_name(&label_of(input)),
                plan.description
            ));
        }
        !own
    });
    if let Some(error) = error {
        return Err(error);
    }
    planned.iter().try_for_each(check_existing)
}

fn check_existing(plan: &PlannedFile) -> Result<(), Failure> {
    let there = fs::metadata(&plan.path).is_ok_and(|meta| meta.is_file());
    match plan.kind {
        PlannedKind::Product(ExistingFile::Refuse) if there => {
            Err(commit_failure(CommitError::Exists(plan.path.clone())))
        }
        PlannedKind::Report if there && is_conversation(&plan.path) => {
            let path = display_path(&plan.path);
            let usage_error =
                UsageError::new(format!("{path}: contains a conversation, which the report would overwrite"));
            Err(usage_error.help(format!("use another file for {}", plan.description)).into())
        }
        _ => Ok(()),
    }
}

fn collision_error(a: &PlannedFile, b: &PlannedFile) -> Failure {
    let usage_error = UsageError::new(format!(
        "{} and {} would both be written to {}",
        a.description,
        b.description,
        display_path(&a.path)
    ));
    let is_copy = |plan: &PlannedFile| matches!(plan.kind, PlannedKind::Product(_)) && plan.description != "-o";
    let help = match is_copy(a) && is_copy(b) {
        true => "run it once for each, or specify a folder that contains both",
        false => "specify a different file for each",
    };
    usage_error.help(help).into()
}

fn input_error(path: &Path, plan: &PlannedFile) -> Failure {
    let usage_error = UsageError::new(format!(
        "{}: is an input, but {} would be written to it",
        display_path(path),
        plan.description
    ));
    let in_place = matches!(plan.kind, PlannedKind::Product(_));
    usage_error
        .help(if in_place { "use -w to replace the file and keep a backup" } else { "use another file" })
        .into()
}

/// True if the beginning of a file looks like a conversation, which the user may want to keep.
fn is_conversation(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(invalid_json::HEAD).read_to_end(&mut head));
    read.is_ok() && invalid_json::looks_like_conversation(&head, &[]).unwrap_or(true)
}

/// Reports metadata of a replaced file that was lost.
pub(in crate::commands) fn report_lost_metadata(name: &str, lost: &[String]) {
    if !lost.is_empty() {
        let name = display_name(name);
        print_error(&format!("{name}: written, but not preserved: {}", lost.join("; ")));
    }
}
