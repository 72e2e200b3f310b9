//! Baselines: findings that are known and not reported again. A file of them is compared with what a run finds, doc by
//! doc: first by fingerprint, which rests on ids; what is left of a file then by likeness, one for one, because a run that
//! is recorded again has other ids and the same faults.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::options::{self, Misuse};
use crate::report::command_line::CommandLine;
use crate::report::words::count;
use crate::report::{Mark, Seen, marks, write_compact};
use crate::source::inputs::globs::absolute;
use crate::source::inputs::walk::BASELINE;
use crate::source::outputs::product::{Existing, NewFile};
use crate::source::{display_name, display_path, words};
use crate::target::Severity;

use super::notice::complain;
use super::outcome::{Failure, unwritten};

/// Known findings.
pub struct Baseline {
    path: PathBuf,
    /// Paths of files are relative to it.
    folder: PathBuf,
    pub(in crate::commands) entries: Vec<Entry>,
    /// The entries of each fingerprint and of each likeness, which both name the path.
    of_fingerprint: HashMap<String, Vec<usize>>,
    of_likeness: HashMap<String, Vec<usize>>,
    /// Entries that a finding was compared with and fits.
    met: Vec<bool>,
    /// Files that were looked at.
    looked: HashSet<String>,
    /// Findings that no entry fits.
    pub(in crate::commands) new: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::commands) struct Entry {
    pub path: String,
    pub rule: String,
    fingerprint: String,
    likeness: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    findings: Vec<Entry>,
}

impl Baseline {
    /// The findings that a file lists.
    pub fn read(path: &Path) -> Result<Baseline, Misuse> {
        let label = options::label(path);
        let text = std::fs::read(path).map_err(|error| {
            Misuse::new(words(&label, &error))
                .help(format!("`{}` makes a baseline of what is found now", command("baseline write", path)))
        })?;
        let wrong =
            |why: &dyn std::fmt::Display| Misuse::new(format!("{}: not a baseline: {why}", display_name(&label)));
        let written: Written = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        if written.version != 1 {
            return Err(wrong(&format_args!("version {} is not known", written.version)));
        }
        Ok(Baseline::of(path, written.findings))
    }

    pub(in crate::commands) fn of(path: &Path, entries: Vec<Entry>) -> Baseline {
        let folder = absolute(path).parent().map(Path::to_owned).unwrap_or_default();
        let met = vec![false; entries.len()];
        let (mut of_fingerprint, mut of_likeness) = (HashMap::new(), HashMap::new());
        // The first of equal ones is taken first: from the end of its list.
        for (n, entry) in entries.iter().enumerate().rev() {
            let own: &mut Vec<usize> = of_fingerprint.entry(entry.fingerprint.clone()).or_default();
            own.push(n);
            let like: &mut Vec<usize> = of_likeness.entry(entry.likeness.clone()).or_default();
            like.push(n);
        }
        let (looked, new) = (HashSet::new(), Vec::new());
        Baseline { path: path.to_owned(), folder, entries, of_fingerprint, of_likeness, met, looked, new }
    }

    /// The next entry that fits and that no finding has yet: from now on it is met.
    fn next(&mut self, mark: &Mark, by_id: bool) -> Option<&mut Entry> {
        let all = match by_id {
            true => self.of_fingerprint.get_mut(&mark.fingerprint),
            false => self.of_likeness.get_mut(&mark.likeness),
        };
        let all = all?;
        let n = std::iter::from_fn(|| all.pop()).find(|n| self.met.get(*n) == Some(&false))?;
        *self.met.get_mut(n)? = true;
        self.entries.get_mut(n)
    }

    /// Takes out of what was found in a doc what is known. Gives how much that is.
    pub(in crate::commands) fn take(&mut self, seen: &mut Seen) -> u64 {
        let path = self.path_of(&seen.path);
        let marks = marks(&seen.diagnostics, &path);
        // Notes fail nothing, so there is nothing to know of them.
        let counting = marks.into_iter().zip(&seen.diagnostics).enumerate();
        let mut open: Vec<(usize, Mark)> = counting
            .filter(|(_, (_, found))| found.severity != Severity::Info)
            .map(|(n, (mark, _))| (n, mark))
            .collect();
        let mut known: HashSet<usize> = HashSet::new();
        for by_id in [true, false] {
            open.retain(|(n, mark)| {
                let Some(fitting) = self.next(mark, by_id) else { return true };
                // Its ids are others now.
                fitting.fingerprint.clone_from(&mark.fingerprint);
                known.insert(*n);
                false
            });
        }
        for (n, Mark { fingerprint, likeness }) in open {
            let Some(found) = seen.diagnostics.get(n) else { continue };
            let rule = found.rule.to_string();
            self.new.push(Entry { path: path.clone(), rule, fingerprint, likeness });
        }
        let mut numbers = 0..;
        seen.diagnostics.retain(|_| numbers.next().is_some_and(|n| !known.contains(&n)));
        self.looked.insert(path);
        known.len() as u64
    }

    /// Entries whose findings are gone, with their files or without.
    pub(in crate::commands) fn stale(&self) -> Vec<&Entry> {
        let is_gone = |entry: &Entry| {
            let file = entry.path.split(": ").next().unwrap_or(&entry.path);
            self.looked.contains(&entry.path) || !self.folder.join(file).exists()
        };
        let left = self.entries.iter().zip(&self.met).filter(|(_, met)| !**met);
        left.map(|(entry, _)| entry).filter(|entry| is_gone(entry)).collect()
    }

    /// Says that the file lists findings that are gone.
    pub fn say_stale(&self) {
        let stale = self.stale().len();
        if stale > 0 {
            let (path, entries) = (display_path(&self.path), count(stale as u64, "entry"));
            let are = if stale == 1 { "is" } else { "are" };
            complain(&format!(
                "{path}: {entries} {are} no longer found; `{}` removes them",
                command("baseline prune", &self.path)
            ));
        }
    }

    fn path_of(&self, label: &str) -> String {
        let path = absolute(Path::new(label));
        let below = path.strip_prefix(&self.folder).unwrap_or(&path);
        below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }

    /// Writes the file anew. Gives how many files its entries are about.
    pub(in crate::commands) fn save(&self, mut entries: Vec<Entry>) -> Result<usize, Failure> {
        entries.sort_unstable();
        let files: HashSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        let mut file = NewFile::create(&self.path, false, Existing::Replace).map_err(unwritten)?;
        write_entries(&entries, &mut file)?;
        file.save().map_err(unwritten)?;
        Ok(files.len())
    }
}

/// A command about a baseline.
fn command(name: &str, path: &Path) -> CommandLine {
    let line = CommandLine::new(name).on_all();
    match path == Path::new(BASELINE) {
        true => line,
        false => line.with("--baseline", &path.to_string_lossy()),
    }
}

/// One finding a line, so that a diff shows what has changed.
fn write_entries(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\n\"version\": 1,\n\"findings\": [")?;
    for (n, entry) in entries.iter().enumerate() {
        out.write_all(if n > 0 { b",\n" } else { b"\n" })?;
        write_compact(entry, out)?;
    }
    writeln!(out, "\n]\n}}")
}
