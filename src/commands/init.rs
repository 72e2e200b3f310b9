//! `init`: writes a config file that sets the targets of the files below its folder as they are now detected, so that no later
//! file or version changes them, with all other keys as comments.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Component, Path};

use crate::convert;
use crate::options::{CONFIG, KEYS, KeyKind};
use crate::report::printable_json;
use crate::report::words::count;
use crate::source::inputs::globs::absolute;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{Doc, describe_error, display_name, display_path};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::commit_failure;
use super::{Failure, Outcome, Run, print_error};

/// Files of one format below the same folder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FileGroup {
    /// The first folder of their path; `None` for files beside the config file.
    folder: Option<String>,
    format: &'static str,
    target: &'static str,
}

pub fn init(run: &Run, folder: &Path, existing: ExistingFile, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let path = if folder == Path::new(".") { CONFIG.into() } else { folder.join(CONFIG) };
    // Fails early if the file cannot be written.
    let mut file = NewFile::create(&path, false, existing).map_err(commit_failure)?;
    let (found, failed) = count_files(run, folder)?;
    file.write_all(config_text(&found).as_bytes())?;
    file.save().map_err(commit_failure)?;
    let all: u64 = found.values().sum();
    let found = match targets(&found) {
        FoundTargets::None => format!("found {}. All", count(all, "conversation file")),
        FoundTargets::One(target) => {
            format!("found {}, checked against {target}. Other", count(all, "conversation file"))
        }
        FoundTargets::ByFolder(_) => {
            format!("found {}, with a target by folder. Other", count(all, "conversation file"))
        }
    };
    writeln!(
        out,
        "Wrote {}; {found} settings are commented out: remove the # to enable one.",
        display_path(&path)
    )?;
    Ok(run.outcome(failed, false))
}

/// Counts the files of each group.
fn count_files(run: &Run, folder: &Path) -> Result<(BTreeMap<FileGroup, u64>, bool), Failure> {
    let Inputs { all, mut failed, .. } = run.inputs()?;
    let mut found = BTreeMap::new();
    let work = |doc: io::Result<Doc>, threads: usize| {
        let doc = doc?;
        let checked = convert::check(doc.id, &*doc.bytes, run.lints.options_for(&doc.label), threads)?;
        let format = checked.format.map(|format| (format.info().name, checked.targets.first().copied()));
        Ok((doc.label.clone(), format))
    };
    let root = absolute(folder);
    run.each_doc(&all, work, |input, read: io::Result<(String, _)>| {
        match read {
            Ok((label, Some((format, target)))) => {
                let folder = first_folder(&root, &absolute(Path::new(&label)));
                let group = FileGroup { folder, format, target: target.unwrap_or_default() };
                *found.entry(group).or_default() += 1;
            }
            Ok((_, None)) => {}
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                failed = true;
            }
        }
        true
    });
    Ok((found, failed))
}

fn first_folder(root: &Path, path: &Path) -> Option<String> {
    let mut below = path.strip_prefix(root).ok()?.components();
    let first = below.next()?;
    below.next().and(match first {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    })
}

/// The targets of the files that were found.
enum FoundTargets<'f> {
    /// None, or several where a pattern cannot tell them apart.
    None,
    One(&'static str),
    /// Of the folders whose files have one target.
    ByFolder(BTreeMap<&'f str, &'static str>),
}

fn targets(found: &BTreeMap<FileGroup, u64>) -> FoundTargets<'_> {
    let all: BTreeSet<&'static str> = found.keys().map(|group| group.target).collect();
    if let Some(target) = all.first().filter(|target| all.len() == 1 && !target.is_empty()) {
        return FoundTargets::One(target);
    }
    let mut folders: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
    for group in found.keys() {
        group.folder.iter().for_each(|folder| {
            folders.entry(folder).or_default().insert(group.target);
        });
    }
    // Signs of a pattern in the name of a folder would match others.
    let is_plain = |folder: &str| !folder.contains(['*', '?', '[', ']', '{', '}', '!', '\\']);
    let single = folders.into_iter().filter(|(folder, targets)| targets.len() == 1 && is_plain(folder));
    let single: BTreeMap<&str, &'static str> = single
        .filter_map(|(folder, targets)| {
            Some((folder, targets.into_iter().next().filter(|target| !target.is_empty())?))
        })
        .collect();
    if single.is_empty() { FoundTargets::None } else { FoundTargets::ByFolder(single) }
}

/// The text of a config file.
fn config_text(found: &BTreeMap<FileGroup, u64>) -> String {
    let mut text = String::from(
        "# How replaylint checks the conversations below this folder. The command line overrides this file.\n\
         # `replaylint config PATH` shows the effective settings for a file.\n",
    );
    if !found.is_empty() {
        text.push_str("#\n# Found here:\n");
    }
    for (group, files) in found {
        let place =
            group.folder.as_deref().map_or(String::new(), |folder| format!(" in {}/", display_name(folder)));
        let target =
            if group.target.is_empty() { String::new() } else { format!(", checked against {}", group.target) };
        text.push_str(&format!("#   {}{place}: {}{target}\n", count(*files, "file"), group.format));
    }
    let targets = targets(found);
    for key in KEYS.iter().filter(|key| !matches!(key.kind, KeyKind::Files)) {
        match targets {
            FoundTargets::One(target) if key.name == "target" => {
                text.push_str(&format!(
                    "\n# {}. It is that of the files that were found here.\ntarget = \"{target}\"\n",
                    key.description
                ));
            }
            _ => text.push_str(&format!("\n# {}.\n# {} = {}\n", key.description, key.name, key.example)),
        }
    }
    text.push_str("\n# Settings for some files only. The first entry with a matching path applies.\n");
    let (folders, mark) = match targets {
        FoundTargets::ByFolder(folders) => (folders, ""),
        _ => (BTreeMap::from([("logs", "azure")]), "# "),
    };
    for (folder, target) in folders {
        let paths = printable_json(serde_json::Value::String(format!("{folder}/**")).to_string());
        text.push_str(&format!("#\n{mark}[[files]]\n{mark}paths = [{paths}]\n{mark}target = \"{target}\"\n"));
    }
    text.push_str(
        "\n# An accepted finding, and the reason.\n#\n# [[ignore]]\n# rule = \"RL101\"\n# path = \"logs/cut.json\"\n\
         # id = \"call_1\"\n# reason = \"the run was stopped on purpose\"\n",
    );
    text
}
