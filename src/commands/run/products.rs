//! What a run writes besides the files that it repairs in place. Nothing is written over what the same run reads, or
//! twice to one file; that is found out before anything is written.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::options::Misuse;
use crate::read::broken;
use crate::source::identity::Identity;
use crate::source::outputs::commit::{CommitError, Replace};
use crate::source::outputs::product::Existing;
use crate::source::sqlite::Cells;
use crate::source::{Doc, Input, display_name, display_path};

use super::labels::label_of;
use super::outcome::unwritten;
use crate::commands::{Failure, Run, complain};

/// Where products go: to a file, or to a folder, where there are several inputs or it is named as one.
#[derive(Clone, Debug)]
pub struct Copies {
    pub to: PathBuf,
    pub existing: Existing,
}

/// Where a changed text goes.
#[derive(Clone, Debug)]
pub enum Destination {
    /// Nowhere: what would change is shown.
    Preview,
    /// As a patch, to standard output.
    Patch,
    /// Over the file, with a backup beside it.
    InPlace(Replace),
    /// To this file; for several inputs to this folder.
    Copy(Copies),
    /// To standard output, as it is: everything else goes to standard error.
    Stream,
}

impl Destination {
    /// Whether the text goes to standard output, which takes one only.
    pub(in crate::commands) fn is_stream(&self, several: bool) -> Result<bool, Misuse> {
        let is_stream = matches!(self, Destination::Stream);
        if is_stream && several {
            return Err(several_to_stream());
        }
        Ok(is_stream)
    }
}

pub(in crate::commands) fn several_to_stream() -> Misuse {
    Misuse::new("several inputs cannot be written to standard output")
        .help("-o DIR writes one file per input to DIR")
}

/// A file that the run will write.
pub(in crate::commands) struct Planned {
    path: PathBuf,
    /// What is written there: the flag that names it, or the copy of which input.
    what: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only replaced if that was asked for.
    Product(Existing),
    /// Replaced, for it is made again each time.
    Report,
    /// Appended to.
    List,
}

impl Planned {
    pub fn product(path: &Path, existing: Existing) -> Planned {
        Planned { path: path.to_owned(), what: "-o".to_owned(), kind: Kind::Product(existing) }
    }

    pub fn page(path: &Path) -> Planned {
        Planned { path: path.to_owned(), what: "--output-format html".to_owned(), kind: Kind::Report }
    }

    pub fn list(path: &Path, flag: &str) -> Planned {
        Planned { path: path.to_owned(), what: flag.to_owned(), kind: Kind::List }
    }
}

impl Copies {
    /// Whether a folder is named: one that is there, or by a separator at the end.
    pub(in crate::commands) fn is_folder(&self) -> bool {
        let last = self.to.as_os_str().as_encoded_bytes().last();
        self.to.is_dir() || last.is_some_and(|last| std::path::is_separator(char::from(*last)))
    }

    /// The files that are written for the inputs.
    pub(in crate::commands) fn planned(&self, inputs: &[Input], several: bool) -> Result<Vec<Planned>, Failure> {
        if !several && !self.is_folder() {
            return Ok(vec![Planned::product(&self.to, self.existing)]);
        }
        if fs::metadata(&self.to).is_ok_and(|meta| !meta.is_dir()) {
            let misuse =
                Misuse::new(format!("{}: not a folder, but there are several inputs", display_path(&self.to)));
            return Err(misuse.help("-o DIR writes one file per input to DIR").into());
        }
        let copy = |from: &Path| Planned {
            path: copy_path(&self.to, from, true),
            what: format!("the copy of {}", display_path(from)),
            kind: Kind::Product(self.existing),
        };
        Ok(inputs
            .iter()
            .flat_map(|input| match input {
                Input::Stdin => vec![copy(Path::new("-"))],
                Input::File { path, .. } => vec![copy(path)],
                Input::Member { member, .. } => vec![copy(&member.path())],
                Input::Log { paths, .. } => paths.iter().map(|path| copy(path)).collect(),
                Input::Tree { paths, .. } => paths.first().map(|path| copy(path)).into_iter().collect(),
                Input::History { path, key, .. } => vec![copy(&key.product(path))],
            })
            .collect())
    }

    /// Where what is made of a doc goes; the folders on the way there are made.
    pub(in crate::commands) fn place(&self, doc: &Doc, several: bool) -> Result<PathBuf, Failure> {
        let product = doc.cells.as_ref().map(Cells::product);
        let from = doc.path.as_deref().or(product.as_deref()).unwrap_or(Path::new("-"));
        let path = copy_path(&self.to, from, several || self.is_folder());
        if path != self.to
            && let Some(folder) = path.parent()
        {
            let failed = |error| CommitError::Io { path: folder.to_owned(), error };
            fs::create_dir_all(folder).map_err(failed).map_err(unwritten)?;
        }
        Ok(path)
    }
}

/// Whether products go to a folder.
pub(in crate::commands) fn are_several(run: &Run, inputs: &[Input]) -> bool {
    inputs.len() > 1
        || inputs.iter().any(|input| matches!(input, Input::Log { paths, .. } if paths.len() > 1))
        || run.paths.iter().any(|path| path.is_dir())
}

/// Below the folder the path stays as it was given; what leads out of it is left out.
fn copy_path(to: &Path, from: &Path, below: bool) -> PathBuf {
    if !below {
        return to.to_owned();
    }
    let inside: PathBuf = from.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    to.join(inside)
}

/// Makes sure that nothing which is read, and nothing that a user may want to keep, is written over. A report of an
/// earlier run that a walk met is not read.
pub(in crate::commands) fn guard(
    run: &Run,
    inputs: &mut Vec<Input>,
    mut planned: Vec<Planned>,
) -> Result<(), Failure> {
    for output in &run.outputs {
        if let Some(path) = &output.file {
            let what = if run.report_flag { "-o".to_owned() } else { format!("--output-format {}", output.name) };
            planned.push(Planned { path: path.clone(), what, kind: Kind::Report });
        }
    }
    let mut written: HashMap<Identity, &Planned> = HashMap::new();
    let mut folders: HashMap<PathBuf, &Planned> = HashMap::new();
    for plan in &planned {
        let Some(identity) = Identity::of(&plan.path) else { continue };
        if let Some(other) = written.insert(identity, plan) {
            return Err(twice(other, plan));
        }
        folders.extend(plan.path.ancestors().skip(1).map(|folder| (folder.to_owned(), plan)));
    }
    // One copy cannot be both a file and the folder of another.
    if let Some((plan, other)) = planned.iter().find_map(|plan| Some((plan, *folders.get(&plan.path)?))) {
        return Err(twice(plan, other));
    }
    let clash = |path: &Path| Identity::of(path).and_then(|identity| written.get(&identity).copied());
    for path in &run.also_read {
        if let Some(plan) = clash(path) {
            return Err(is_input(path, plan));
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
        let own = !named && plan.kind != Kind::Product(Existing::Replace) && !is_conversation(path);
        if !own {
            error = Some(is_input(path, plan));
        } else if run.verbose {
            complain(&format!(
                "{}: not read, because {} is written there",
                display_name(&label_of(input)),
                plan.what
            ));
        }
        !own
    });
    if let Some(error) = error {
        return Err(error);
    }
    planned.iter().try_for_each(check_existing)
}

fn check_existing(plan: &Planned) -> Result<(), Failure> {
    let there = fs::metadata(&plan.path).is_ok_and(|meta| meta.is_file());
    match plan.kind {
        Kind::Product(Existing::Refuse) if there => Err(unwritten(CommitError::Exists(plan.path.clone()))),
        Kind::Report if there && is_conversation(&plan.path) => {
            let path = display_path(&plan.path);
            let misuse = Misuse::new(format!("{path}: contains a conversation, which a report would replace"));
            Err(misuse.help(format!("choose another file for {}", plan.what)).into())
        }
        _ => Ok(()),
    }
}

fn twice(a: &Planned, b: &Planned) -> Failure {
    let misuse =
        Misuse::new(format!("{} and {} would both be written to {}", a.what, b.what, display_path(&a.path)));
    misuse.help("each needs a file of its own").into()
}

fn is_input(path: &Path, plan: &Planned) -> Failure {
    let misuse =
        Misuse::new(format!("{}: is an input, but {} would be written to it", display_path(path), plan.what));
    let in_place = matches!(plan.kind, Kind::Product(_));
    misuse.help(if in_place { "use -w to replace a file and keep a backup" } else { "choose another file" }).into()
}

/// Whether a file is one that users may want to keep: its beginning is recognised.
fn is_conversation(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(broken::HEAD).read_to_end(&mut head));
    read.is_ok() && broken::looks_like_conversation(&head, &[]).unwrap_or(true)
}

/// Says what a written file could not keep of the one that it replaced.
pub(in crate::commands) fn say_lost(name: &str, lost: &[String]) {
    if !lost.is_empty() {
        let name = display_name(name);
        complain(&format!("{name}: written, but these could not be kept: {}", lost.join("; ")));
    }
}
