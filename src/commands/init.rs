//! `init`: writes a config file with all keys as comments, and with what was found below its folder.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Component, Path};

use crate::convert;
use crate::options::{CONFIG, KEYS, Kind};
use crate::report::printable_json;
use crate::report::words::count;
use crate::source::inputs::globs::absolute;
use crate::source::outputs::product::{Existing, NewFile};
use crate::source::{Doc, display_name, display_path, words};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::unwritten;
use super::{Failure, Outcome, Run, complain};

/// Files of one format that lie below the same folder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    /// The first folder on the way to them; none for files beside the config file.
    folder: Option<String>,
    format: &'static str,
    target: &'static str,
}

pub fn init(run: &Run, folder: &Path, existing: Existing, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let path = if folder == Path::new(".") { CONFIG.into() } else { folder.join(CONFIG) };
    // Whether the file may be written shows before all others are read.
    let mut file = NewFile::create(&path, false, existing).map_err(unwritten)?;
    let (found, failed) = found(run, folder)?;
    file.write_all(text(&found).as_bytes())?;
    file.save().map_err(unwritten)?;
    let all: u64 = found.values().sum();
    writeln!(
        out,
        "Wrote {}; {} found. All settings are comments: remove the # of those that you want.",
        display_path(&path),
        count(all, "conversation file")
    )?;
    Ok(run.outcome(failed, false))
}

/// How many files of each kind there are.
fn found(run: &Run, folder: &Path) -> Result<(BTreeMap<Kept, u64>, bool), Failure> {
    let Inputs { all, mut failed, .. } = run.inputs()?;
    let mut found = BTreeMap::new();
    let work = |doc: io::Result<Doc>, threads: usize| {
        let doc = doc?;
        let checked = convert::check(doc.id, &*doc.bytes, run.lints.of(&doc.label), threads)?;
        let format = checked.format.map(|format| (format.info().name, checked.targets.first().copied()));
        Ok((doc.label.clone(), format))
    };
    let root = absolute(folder);
    run.each_doc(&all, work, |input, read: io::Result<(String, _)>| {
        match read {
            Ok((label, Some((format, target)))) => {
                let folder = first_folder(&root, &absolute(Path::new(&label)));
                let kept = Kept { folder, format, target: target.unwrap_or_default() };
                *found.entry(kept).or_default() += 1;
            }
            Ok((_, None)) => {}
            Err(error) => {
                complain(&words(&label_of(input), &error));
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

/// The text of a config file.
fn text(found: &BTreeMap<Kept, u64>) -> String {
    let mut text = String::from(
        "# How replaylint checks the conversations below this folder. The command line wins over this file.\n\
         # `replaylint config PATH` prints what is in force for a file.\n",
    );
    if !found.is_empty() {
        text.push_str("#\n# Found here:\n");
    }
    for (kept, files) in found {
        let place =
            kept.folder.as_deref().map_or(String::new(), |folder| format!(" in {}/", display_name(folder)));
        let target = if kept.target.is_empty() { String::new() } else { format!(", judged for {}", kept.target) };
        text.push_str(&format!("#   {}{place}: {}{target}\n", count(*files, "file"), kept.format));
    }
    for key in KEYS.iter().filter(|key| !matches!(key.kind, Kind::Files)) {
        text.push_str(&format!("\n# {}.\n# {} = {}\n", key.about, key.name, key.example));
    }
    text.push_str("\n# Settings for some files only. The first entry whose paths match a file is used.\n");
    let mut apart: Vec<(&str, &str)> =
        found.keys().filter_map(|kept| Some((kept.folder.as_deref()?, kept.target))).collect();
    apart.retain(|(_, target)| !target.is_empty());
    apart.dedup();
    if apart.is_empty() {
        apart.push(("logs", "azure"));
    }
    for (folder, target) in apart {
        let paths = printable_json(serde_json::Value::String(format!("{folder}/**")).to_string());
        text.push_str(&format!("#\n# [[files]]\n# paths = [{paths}]\n# target = \"{target}\"\n"));
    }
    text.push_str(
        "\n# One finding that is accepted, and why.\n#\n# [[ignore]]\n# rule = \"RL101\"\n# path = \"logs/cut.json\"\n\
         # id = \"call_1\"\n# reason = \"the run was stopped on purpose\"\n",
    );
    text
}
