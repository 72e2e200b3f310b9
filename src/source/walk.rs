//! From arguments to inputs. A folder gives every file below it whose name may be a transcript's, hidden folders
//! included (transcripts live in hidden, ignored ones), sorted by bytes, each file once. Names never decide a format.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use super::archive::{self, Member};
use super::sqlite::{Key, is_database};

/// Endings that a walk takes, each also with `.gz` and `.zst` after it.
pub const ENDINGS: [&str; 5] = ["json", "jsonl", "ndjson", "sse", "txt"];

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File {
        path: PathBuf,
        /// Named as an argument, not met in a walk: then it must be a transcript.
        named: bool,
    },
    /// A file in an archive.
    Member {
        member: Member,
        named: bool,
    },
    /// Files that are one log, in order; the last one gives it its name.
    Log {
        /// Files, or parts of them, that belong to other logs and come before.
        base: Vec<Earlier>,
        paths: Vec<PathBuf>,
        named: bool,
    },
    /// Files in folders that are one session of a format, in order: its own file, a message or an event is the first.
    Tree {
        format: &'static str,
        paths: Vec<PathBuf>,
        named: bool,
    },
    /// A history of a database.
    History {
        path: PathBuf,
        key: Key,
        named: bool,
    },
}

impl Input {
    /// The database that it is a history of.
    pub fn database(&self) -> Option<&Path> {
        match self {
            Input::History { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// A file whose content comes before that of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    pub path: PathBuf,
    /// As many of its bytes; all if not said.
    pub bytes: Option<u64>,
}

/// An argument, or something below one, that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}", super::words(&path.display(), error))]
pub struct WalkError {
    pub path: PathBuf,
    pub error: io::Error,
}

/// What a walk takes and leaves out.
#[derive(Debug, Default)]
pub struct Filter {
    exclude: GlobSet,
    endings: Option<Vec<String>>,
}

impl Filter {
    /// `exclude` are globs on the path as printed or on a name in it; `endings` replace [`ENDINGS`] if not empty.
    pub fn new(exclude: &[String], endings: &[String]) -> Result<Self, globset::Error> {
        let mut set = GlobSetBuilder::new();
        for glob in exclude {
            set.add(Glob::new(glob)?);
        }
        let endings: Vec<String> =
            endings.iter().map(|e| e.trim_start_matches('.').to_ascii_lowercase()).collect();
        Ok(Filter { exclude: set.build()?, endings: (!endings.is_empty()).then_some(endings) })
    }

    /// The files of an archive that a walk would take, if the input is one that was named.
    pub fn members(&self, input: &Input) -> Option<Result<Vec<Input>, WalkError>> {
        let Input::File { path, named: true } = input else { return None };
        if !archive::is_archive(path) {
            return None;
        }
        let found = archive::members(path, |name| self.takes(name) && !self.excludes(name));
        let found =
            found.map(|all| all.into_iter().map(|member| Input::Member { member, named: false }).collect());
        Some(found.map_err(|error| WalkError { path: path.clone(), error }))
    }

    fn excludes(&self, path: &Path) -> bool {
        !self.exclude.is_empty()
            && (self.exclude.is_match(path) || path.file_name().is_some_and(|name| self.exclude.is_match(name)))
    }

    /// Whether a file may be a database: its name is none that endings were asked for, and no backup's.
    fn may_be_database(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_backup = name.rsplit_once(".bak").is_some_and(|(_, rest)| {
            rest.is_empty() || rest.strip_prefix('.').is_some_and(|number| number.parse::<u32>().is_ok())
        });
        self.endings.is_none() && !is_backup
    }

    fn takes(&self, path: &Path) -> bool {
        // Endings are ASCII; the rest of the name may be any bytes.
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()) else {
            return false;
        };
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.') {
            Some((_, ending)) => match &self.endings {
                Some(wanted) => wanted.iter().any(|w| w == ending),
                None => ENDINGS.contains(&ending),
            },
            None => false,
        }
    }
}

/// Turns arguments into inputs, in argument order. Errors do not end the walk.
pub fn walk(arguments: &[PathBuf], filter: &Filter) -> (Vec<Input>, Vec<WalkError>) {
    let mut found = Walk { filter, inputs: Vec::new(), errors: Vec::new(), seen: HashSet::new() };
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if !found.inputs.contains(&Input::Stdin) {
                found.inputs.push(Input::Stdin);
            }
            continue;
        }
        match std::fs::metadata(argument) {
            Ok(meta) if meta.is_dir() => found.folder(argument),
            Ok(_) => found.file(argument.clone(), true),
            Err(error) => found.errors.push(WalkError { path: argument.clone(), error }),
        }
    }
    (found.inputs, found.errors)
}

struct Walk<'f> {
    filter: &'f Filter,
    inputs: Vec<Input>,
    errors: Vec<WalkError>,
    seen: HashSet<PathBuf>,
}

impl Walk<'_> {
    fn file(&mut self, path: PathBuf, named: bool) {
        let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if self.seen.insert(real) {
            self.inputs.push(Input::File { path, named });
        }
    }

    fn folder(&mut self, root: &Path) {
        let mut files = Vec::new();
        let entries = WalkDir::new(root).follow_links(true).into_iter();
        // The folder that was named is walked even if a glob matches it.
        for entry in entries.filter_entry(|e| e.depth() == 0 || !self.filter.excludes(e.path())) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => {
                    let path = entry.into_path();
                    if self.filter.takes(&path) || self.filter.may_be_database(&path) && is_database(&path) {
                        files.push(path);
                    }
                }
                Ok(_) => {}
                // A link that leads back up is no error: what it leads to is walked already.
                Err(e) if e.loop_ancestor().is_some() => {}
                Err(e) => self.errors.push(WalkError {
                    path: e.path().unwrap_or(root).to_owned(),
                    error: e.into_io_error().unwrap_or_else(|| io::Error::other("cannot be listed")),
                }),
            }
        }
        files.sort_unstable_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        for path in files {
            self.file(path, false);
        }
    }
}

/// Puts files together: `log` gives what a file goes on from, and all files of its log, if it is not a log alone. A file of
/// a log that is put together is no input of its own.
pub fn together(
    inputs: Vec<Input>,
    mut log: impl FnMut(&Path) -> Option<(Vec<Earlier>, Vec<PathBuf>)>,
) -> Vec<Input> {
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut out = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Input::File { path, named } = &input else {
            out.push(input);
            continue;
        };
        if taken.contains(path) {
            continue;
        }
        match log(path) {
            Some((base, paths)) => {
                taken.extend(paths.iter().cloned());
                out.push(Input::Log { base, paths, named: *named });
            }
            None => out.push(input),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_transcripts_in_byte_order_once() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let root = dir.path();
        std::fs::create_dir(root.join(".hidden"))?;
        for name in ["b.jsonl", "a.json.gz", "B.json", ".hidden/x.ndjson", "notes.md", "binary", "z.TXT"] {
            std::fs::write(root.join(name), "x")?;
        }
        let filter = Filter::new(&["B.*".to_owned()], &[]).expect("globs");
        let (inputs, errors) = walk(&[root.to_owned(), root.join("b.jsonl"), root.join("none")], &filter);
        let names: Vec<_> = inputs
            .iter()
            .map(|i| match i {
                Input::File { path, .. } => path.strip_prefix(root).unwrap_or(path).display().to_string(),
                Input::Stdin | Input::Log { .. } | Input::Tree { .. } => "-".to_owned(),
                Input::History { .. } | Input::Member { .. } => "-".to_owned(),
            })
            .collect();
        assert_eq!(names, [".hidden/x.ndjson", "a.json.gz", "b.jsonl", "z.TXT"]);
        assert_eq!(errors.len(), 1);
        Ok(())
    }
}
