//! From arguments to inputs. A folder gives every file below it whose name may be a transcript's, hidden folders
//! included, sorted by bytes, each file once, but for what ignore files name; links to folders are not followed. Names
//! never decide a format, and what is named as an argument is always read.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use super::archive::Member;
use super::filter::{Filter, Filters};
use super::globs::absolute;
use super::ignored::Ignores;
use super::special;
use crate::source::outputs::journal::is_journal;
use crate::source::sqlite::{Key, is_database};

/// A list of findings that are known. It is ours, so nobody is told that it holds no conversation.
pub const BASELINE: &str = ".replaylint-baseline.json";

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
#[error("{}", crate::source::words(&path.to_string_lossy(), error))]
pub struct WalkError {
    pub path: PathBuf,
    pub error: io::Error,
}

/// What a walk gave.
#[derive(Debug, Default)]
pub struct Walked {
    pub inputs: Vec<Input>,
    pub errors: Vec<WalkError>,
    pub passed: Passed,
}

/// What a walk met and did not take, though its name may be a transcript's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    pub files: u64,
    pub folders: u64,
    /// Each of them, and why.
    pub each: Vec<(PathBuf, String)>,
}

/// Turns arguments into inputs, in argument order. Errors do not end the walk.
pub fn walk(arguments: &[PathBuf], filters: &dyn Filters) -> Walked {
    let mut found = Walk { filters, known: HashMap::new(), found: Walked::default(), seen: HashSet::new() };
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if !found.found.inputs.contains(&Input::Stdin) {
                found.found.inputs.push(Input::Stdin);
            }
            continue;
        }
        match std::fs::metadata(argument) {
            Ok(meta) if meta.is_dir() => found.folder(argument),
            Ok(_) => found.file(argument.clone(), true),
            Err(error) => found.found.errors.push(WalkError { path: argument.clone(), error }),
        }
    }
    found.found
}

struct Walk<'f> {
    filters: &'f dyn Filters,
    /// The filters of folders that were met.
    known: HashMap<PathBuf, Arc<Filter>>,
    found: Walked,
    seen: HashSet<PathBuf>,
}

impl Walk<'_> {
    fn file(&mut self, path: PathBuf, named: bool) {
        let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if self.seen.insert(real) {
            self.found.inputs.push(Input::File { path, named });
        }
    }

    fn filter(&mut self, folder: &Path) -> Arc<Filter> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let filter = self.filters.of_folder(folder);
        self.known.insert(folder.to_owned(), filter.clone());
        filter
    }

    fn folder(&mut self, root: &Path) {
        let from = absolute(root);
        let mut ignores = Ignores::above(&from);
        let mut files = Vec::new();
        // For each folder on the way to an entry but the first, the filter that did not leave it out.
        let mut above: Vec<Arc<Filter>> = Vec::new();
        let mut entries = WalkDir::new(root).into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    self.found.errors.push(WalkError {
                        path: e.path().unwrap_or(root).to_owned(),
                        error: e.into_io_error().unwrap_or_else(|| io::Error::other("cannot be listed")),
                    });
                    continue;
                }
            };
            let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let path = if below.as_os_str().is_empty() { from.clone() } else { from.join(below) };
            let depth = entry.depth();
            ignores.come_to(depth);
            // The folder that was named is walked even if a glob matches it.
            if depth == 0 {
                ignores.enter(&path, depth);
                continue;
            }
            above.truncate(depth - 1);
            let filter = self.filter(path.parent().unwrap_or(&from));
            let is_folder = entry.file_type().is_dir();
            // What is below a folder that this filter did not leave out needs no look at the folders above it.
            let excluded = match above.last() {
                Some(last) if Arc::ptr_eq(last, &filter) => filter.excludes_itself(&path),
                _ => filter.excludes(&path),
            };
            if excluded {
                if is_folder {
                    entries.skip_current_dir();
                }
                continue;
            }
            if entry.file_name() == BASELINE || is_journal(entry.path()) {
                continue;
            }
            let is_link = entry.path_is_symlink();
            // A link is what it leads to; one that leads nowhere is met like a file that cannot be opened.
            let kind =
                if is_link { std::fs::metadata(entry.path()).ok().map(|meta| meta.file_type()) } else { None };
            let kind = kind.unwrap_or(entry.file_type());
            let wanted = kind.is_dir() || filter.takes(&path);
            let why = match () {
                () if is_link && kind.is_dir() => Some("a link to a folder".to_owned()),
                () if filter.takes_all => None,
                () if wanted || is_folder => ignores.why(&path, is_folder),
                () => None,
            };
            if let Some(why) = why {
                self.pass(entry.path(), kind.is_dir(), why);
                if is_folder {
                    entries.skip_current_dir();
                }
                continue;
            }
            if is_folder {
                ignores.enter(&path, depth);
                above.push(filter);
            } else if let Some(what) = special::name(kind) {
                if wanted {
                    self.pass(entry.path(), false, what.to_owned());
                }
            } else {
                let maybe = || filter.may_be_database(&path) && is_database(&path);
                if wanted || maybe() && (filter.takes_all || ignores.why(&path, false).is_none()) {
                    files.push(entry.into_path());
                }
            }
        }
        files.sort_unstable_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        for path in files {
            self.file(path, false);
        }
    }

    fn pass(&mut self, path: &Path, is_folder: bool, why: String) {
        // Every repository has one, and nobody misses it.
        if path.file_name().is_some_and(|name| name == ".git") {
            return;
        }
        match is_folder {
            true => self.found.passed.folders += 1,
            false => self.found.passed.files += 1,
        }
        self.found.passed.each.push((path.to_owned(), why));
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
    use super::super::globs::Glob;
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        dir
    }

    fn names(root: &Path, walked: &Walked) -> Vec<String> {
        let name = |input: &Input| match input {
            Input::File { path, .. } => path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned(),
            _ => "-".to_owned(),
        };
        walked.inputs.iter().map(name).collect()
    }

    #[test]
    fn a_folder_gives_transcripts_in_byte_order_once() {
        let of = ["b.jsonl", "a.json.gz", "B.json", ".hidden/x.ndjson", "notes.md", "binary", "z.TXT"];
        let dir = tree(&of.map(|name| (name, "x")));
        let root = dir.path();
        let exclude = Glob::new(root, "B.*").expect("a glob");
        let filter = Arc::new(Filter::new(vec![Arc::new(exclude)], &[], false));
        let walked = walk(&[root.to_owned(), root.join("b.jsonl"), root.join("none")], &filter);
        assert_eq!(names(root, &walked), [".hidden/x.ndjson", "a.json.gz", "b.jsonl", "z.TXT"]);
        assert_eq!((walked.errors.len(), walked.passed), (1, Passed::default()));
    }

    #[test]
    fn ignore_files_hold_as_in_git_and_for_what_is_named_they_do_not() {
        let dir = tree(&[
            (".git/config.json", "x"),
            (".gitignore", "build/\n*.json\n!keep.json\n"),
            (".ignore", "old/\n"),
            ("a.json", "x"),
            ("keep.json", "x"),
            ("build/x.jsonl", "x"),
            ("old/x.jsonl", "x"),
            ("sub/.gitignore", "!b.json\nc.jsonl\n"),
            ("sub/b.json", "x"),
            ("sub/c.jsonl", "x"),
            ("sub/d.jsonl", "x"),
            ("node_modules/p/q.json", "x"),
            // Another repository within does not know of the outer one's rules.
            ("inner/.git/HEAD", "x"),
            ("inner/e.json", "x"),
        ]);
        let root = dir.path();
        let filter = Arc::new(Filter::default());
        let walked = walk(&[root.to_owned()], &filter);
        assert_eq!(names(root, &walked), ["inner/e.json", "keep.json", "sub/b.json", "sub/d.jsonl"]);
        assert_eq!((walked.passed.files, walked.passed.folders), (2, 3));
        let named = walk(&[root.join("a.json"), root.join("build"), root.join("node_modules")], &filter);
        assert_eq!(names(root, &named), ["a.json", "build/x.jsonl"]);
        assert_eq!(named.passed.files, 1, "node_modules/p/q.json is still a *.json");
        let all = walk(&[root.to_owned()], &Arc::new(Filter::new(Vec::new(), &[], true)));
        assert_eq!(all.inputs.len(), 10);
        assert_eq!(all.passed, Passed::default());
    }

    #[test]
    fn a_gitignore_outside_of_a_repository_does_not_hold() {
        let dir = tree(&[(".gitignore", "*\n"), ("a.json", "x"), ("sub/.ignore", "*\n"), ("sub/b.json", "x")]);
        let walked = walk(&[dir.path().to_owned()], &Arc::new(Filter::default()));
        assert_eq!(names(dir.path(), &walked), ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_followed_and_links_to_folders_are_not() {
        let dir = tree(&[("real/a.json", "x"), ("walked/b.json", "x")]);
        let root = dir.path().join("walked");
        std::os::unix::fs::symlink(dir.path().join("real"), root.join("folder")).expect("a link");
        std::os::unix::fs::symlink(dir.path().join("real/a.json"), root.join("file.json")).expect("a link");
        std::os::unix::fs::symlink(&root, root.join("loop")).expect("a link");
        let walked = walk(std::slice::from_ref(&root), &Arc::new(Filter::default()));
        assert_eq!(names(&root, &walked), ["b.json", "file.json"]);
        assert_eq!(walked.passed.folders, 2);
        let named = walk(&[root.join("folder")], &Arc::new(Filter::default()));
        assert_eq!(named.inputs.len(), 1);
    }
}
