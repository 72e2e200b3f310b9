//! Baselines: known findings, which are not reported again. The entries are matched with the findings of each document by
//! fingerprint, which depends on ids; then the rest by likeness, one for one, because a conversation that is recorded again
//! has other ids and the same findings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::options::{self, UsageError};
use crate::report::command_line::CommandLine;
use crate::report::words::count;
use crate::report::{BaselineKey, DocReport, baseline_keys, write_compact};
use crate::source::inputs::globs::absolute;
use crate::source::inputs::walk::BASELINE;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{describe_error, display_name, display_path};
use crate::target::Severity;

use super::notice::print_error;
use super::outcome::{Failure, commit_failure};

/// A baseline of known findings.
pub struct Baseline {
    path: PathBuf,
    /// The folder that paths of entries are relative to.
    folder: PathBuf,
    pub(in crate::commands) entries: Vec<BaselineEntry>,
    /// Indices of entries by fingerprint and by likeness; both include the path.
    by_fingerprint: HashMap<String, Vec<usize>>,
    by_likeness: HashMap<String, Vec<usize>>,
    /// True for entries that a finding matched.
    matched: Vec<bool>,
    /// Paths that were checked.
    checked_paths: HashSet<String>,
    /// Findings without an entry.
    pub(in crate::commands) new: Vec<BaselineEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::commands) struct BaselineEntry {
    pub path: String,
    pub rule: String,
    fingerprint: String,
    likeness: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    findings: Vec<BaselineEntry>,
}

impl Baseline {
    /// Reads a baseline file.
    pub fn read(path: &Path) -> Result<Baseline, UsageError> {
        let label = options::label(path);
        let text = std::fs::read(path).map_err(|error| {
            UsageError::new(describe_error(&label, &error))
                .help(format!("create one with `{}`", baseline_command("baseline write", path)))
        })?;
        let wrong = |why: &dyn std::fmt::Display| {
            UsageError::new(format!("{}: not a baseline: {why}", display_name(&label)))
        };
        let written: BaselineFile = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        if written.version != 1 {
            return Err(wrong(&format_args!("unknown version {}", written.version)));
        }
        Ok(Baseline::from_entries(path, written.findings))
    }

    pub(in crate::commands) fn from_entries(path: &Path, entries: Vec<BaselineEntry>) -> Baseline {
        let folder = absolute(path).parent().map(Path::to_owned).unwrap_or_default();
        let matched = vec![false; entries.len()];
        let (mut by_fingerprint, mut by_likeness) = (HashMap::default(), HashMap::default());
        // The first of equal entries is matched first, from the end of its list.
        for (n, entry) in entries.iter().enumerate().rev() {
            let own: &mut Vec<usize> = by_fingerprint.entry(entry.fingerprint.clone()).or_default();
            own.push(n);
            let like: &mut Vec<usize> = by_likeness.entry(entry.likeness.clone()).or_default();
            like.push(n);
        }
        let (checked_paths, new) = (HashSet::default(), Vec::new());
        Baseline {
            path: path.to_owned(),
            folder,
            entries,
            by_fingerprint,
            by_likeness,
            matched,
            checked_paths,
            new,
        }
    }

    /// Matches the next entry that fits and is not matched yet.
    fn next_match(&mut self, mark: &BaselineKey, by_id: bool) -> Option<&mut BaselineEntry> {
        let all = match by_id {
            true => self.by_fingerprint.get_mut(&mark.fingerprint),
            false => self.by_likeness.get_mut(&mark.likeness),
        };
        let all = all?;
        let n = std::iter::from_fn(|| all.pop()).find(|n| self.matched.get(*n) == Some(&false))?;
        *self.matched.get_mut(n)? = true;
        self.entries.get_mut(n)
    }

    /// Removes known findings from a report, and returns their number.
    pub(in crate::commands) fn remove_known(&mut self, seen: &mut DocReport) -> u64 {
        let path = self.path_of(&seen.path);
        let marks = baseline_keys(&seen.diagnostics, &path);
        // Notes do not fail a run, so baselines do not list them.
        let numbered = marks.into_iter().zip(&seen.diagnostics).enumerate();
        let mut open: Vec<(usize, BaselineKey)> = numbered
            .filter(|(_, (_, found))| found.severity != Severity::Info)
            .map(|(n, (mark, _))| (n, mark))
            .collect();
        let mut known: HashSet<usize> = HashSet::default();
        for by_id in [true, false] {
            open.retain(|(n, mark)| {
                let Some(entry) = self.next_match(mark, by_id) else { return true };
                // Its ids may have changed.
                entry.fingerprint.clone_from(&mark.fingerprint);
                known.insert(*n);
                false
            });
        }
        for (n, BaselineKey { fingerprint, likeness }) in open {
            let Some(found) = seen.diagnostics.get(n) else { continue };
            let rule = found.rule.to_string();
            self.new.push(BaselineEntry { path: path.clone(), rule, fingerprint, likeness });
        }
        let mut numbers = 0..;
        seen.diagnostics.retain(|_| numbers.next().is_some_and(|n| !known.contains(&n)));
        self.checked_paths.insert(path);
        known.len() as u64
    }

    /// Entries whose findings, or files, no longer exist.
    pub(in crate::commands) fn stale(&self) -> Vec<&BaselineEntry> {
        let is_gone = |entry: &BaselineEntry| {
            let file = entry.path.split(": ").next().unwrap_or(&entry.path);
            self.checked_paths.contains(&entry.path) || !self.folder.join(file).exists()
        };
        let left = self.entries.iter().zip(&self.matched).filter(|(_, matched)| !**matched);
        left.map(|(entry, _)| entry).filter(|entry| is_gone(entry)).collect()
    }

    /// Reports the number of stale entries.
    pub fn report_stale(&self) {
        let stale = self.stale().len();
        if stale > 0 {
            let (path, entries) = (display_path(&self.path), count(stale as u64, "entry"));
            let are = if stale == 1 { "is" } else { "are" };
            print_error(&format!(
                "{path}: {entries} {are} no longer found; remove with `{}`",
                baseline_command("baseline prune", &self.path)
            ));
        }
    }

    fn path_of(&self, label: &str) -> String {
        let path = absolute(Path::new(label));
        let below = path.strip_prefix(&self.folder).unwrap_or(&path);
        below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }

    /// Writes the file, and returns the number of files in its entries.
    pub(in crate::commands) fn save(&self, mut entries: Vec<BaselineEntry>) -> Result<usize, Failure> {
        entries.sort_unstable();
        let files: HashSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        let mut file = NewFile::create(&self.path, false, ExistingFile::Replace).map_err(commit_failure)?;
        write_entries(&entries, &mut file)?;
        file.save().map_err(commit_failure)?;
        Ok(files.len())
    }
}

/// A command for a baseline.
fn baseline_command(name: &str, path: &Path) -> CommandLine {
    let line = CommandLine::new(name).on_all_inputs();
    match path == Path::new(BASELINE) {
        true => line,
        false => line.with("--baseline", &path.to_string_lossy()),
    }
}

/// Writes one finding per line, so that diffs are readable.
fn write_entries(entries: &[BaselineEntry], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\n\"version\": 1,\n\"findings\": [")?;
    for (n, entry) in entries.iter().enumerate() {
        out.write_all(if n > 0 { b",\n" } else { b"\n" })?;
        write_compact(entry, out)?;
    }
    writeln!(out, "\n]\n}}")
}
