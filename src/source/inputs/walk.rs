//! Turning arguments into inputs. A folder gives all files below it whose names may be those of transcripts,
//! hidden folders included, except those excluded by ignore files; sorted by bytes, each file once. Links to
//! folders are not followed. Names never decide a format, and a file named as an argument is always read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use walkdir::WalkDir;

use super::archive::ArchiveMember;
use super::filter::{Filter, FolderFilters};
use super::globs::absolute;
use super::ignore_files::IgnoreStack;
use super::special_files;
use crate::source::sqlite::{HistoryKey, is_database};

/// The default baseline file. It is skipped silently.
pub const BASELINE: &str = ".replaylint-baseline.json";

/// An input to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File {
        path: PathBuf,
        /// Named as an argument, not found in a walk: then it must be a transcript.
        named: bool,
    },
    /// A file in an archive.
    Member {
        member: ArchiveMember,
        named: bool,
    },
    /// Files of one log, in order. The log is named by the last one.
    Log {
        /// Files of other logs, or parts of them, that this log continues.
        base: Vec<PrecedingFile>,
        paths: Vec<PathBuf>,
        named: bool,
    },
    /// Files in folders that are one session of a format, in order. The first is that of the session, a message or
    /// an event.
    Tree {
        format: &'static str,
        paths: Vec<PathBuf>,
        named: bool,
    },
    /// A history of a database.
    History {
        path: PathBuf,
        key: HistoryKey,
        named: bool,
    },
}

impl Input {
    /// The database of a history.
    pub fn database(&self) -> Option<&Path> {
        match self {
            Input::History { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// A file whose content precedes that of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrecedingFile {
    pub path: PathBuf,
    /// The number of its bytes that do; `None` for all.
    pub bytes: Option<u64>,
}

/// An argument, or something below one, that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}", crate::source::describe_error(&path.to_string_lossy(), error))]
pub struct WalkError {
    pub path: PathBuf,
    pub error: io::Error,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct WalkResult {
    pub inputs: Vec<Input>,
    pub errors: Vec<WalkError>,
    pub passed: SkippedPaths,
}

/// Files and folders that a walk skipped although they may contain transcripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedPaths {
    pub files: u64,
    pub folders: u64,
    /// Each path and the reason.
    pub each: Vec<(PathBuf, String)>,
}

/// Turns arguments into inputs, in argument order. Errors do not end the walk.
pub fn walk(arguments: &[PathBuf], filters: &dyn FolderFilters) -> WalkResult {
    let mut walk = PathWalk {
        filters,
        filter_cache: HashMap::default(),
        result: WalkResult::default(),
        seen: HashSet::default(),
    };
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if !walk.result.inputs.contains(&Input::Stdin) {
                walk.result.inputs.push(Input::Stdin);
            }
            continue;
        }
        match std::fs::metadata(argument) {
            Ok(meta) if meta.is_dir() => walk.walk_folder(argument),
            Ok(_) => walk.add_file(argument.clone(), true),
            Err(error) => walk.result.errors.push(WalkError { path: argument.clone(), error }),
        }
    }
    walk.result
}

struct PathWalk<'f> {
    filters: &'f dyn FolderFilters,
    /// The filters of visited folders.
    filter_cache: HashMap<PathBuf, Arc<Filter>>,
    result: WalkResult,
    seen: HashSet<PathBuf>,
}

impl PathWalk<'_> {
    fn add_file(&mut self, path: PathBuf, named: bool) {
        let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        self.add_real_file(real, path, named);
    }

    fn add_real_file(&mut self, real: PathBuf, path: PathBuf, named: bool) {
        if self.seen.insert(real) {
            self.result.inputs.push(Input::File { path, named });
        }
    }

    fn folder_filter(&mut self, folder: &Path) -> Arc<Filter> {
        if let Some(filter_cache) = self.filter_cache.get(folder) {
            return filter_cache.clone();
        }
        let filter = self.filters.of_folder(folder);
        self.filter_cache.insert(folder.to_owned(), filter.clone());
        filter
    }

    fn walk_folder(&mut self, root: &Path) {
        let from = absolute(root);
        let mut ignores = IgnoreStack::above(&from);
        let mut files = Vec::new();
        // For each folder above an entry but the first, the filter that did not exclude it.
        let mut above: Vec<Arc<Filter>> = Vec::new();
        let mut entries = WalkDir::new(root).into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    self.result.errors.push(WalkError {
                        path: e.path().unwrap_or(root).to_owned(),
                        error: e.into_io_error().unwrap_or_else(|| io::Error::other("cannot be listed")),
                    });
                    continue;
                }
            };
            let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let path = if below.as_os_str().is_empty() { from.clone() } else { from.join(below) };
            let depth = entry.depth();
            ignores.pop_to_depth(depth);
            // The argument itself is walked even if a glob matches it.
            if depth == 0 {
                ignores.enter(&path, depth);
                continue;
            }
            above.truncate(depth - 1);
            let filter = self.folder_filter(path.parent().unwrap_or(&from));
            let is_folder = entry.file_type().is_dir();
            // Below a folder that this filter did not exclude, the folders above need not be checked again.
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
            if entry.file_name() == BASELINE {
                continue;
            }
            let is_link = entry.path_is_symlink();
            // A link is treated as its target; a dangling one as a file that cannot be opened.
            let kind =
                if is_link { std::fs::metadata(entry.path()).ok().map(|meta| meta.file_type()) } else { None };
            let kind = kind.unwrap_or(entry.file_type());
            let wanted = kind.is_dir() || filter.accepts(&path);
            let why = match () {
                () if is_link && kind.is_dir() => Some("a symbolic link to a folder".to_owned()),
                () if filter.includes_ignored => None,
                () if wanted || is_folder => ignores.reason(&path, is_folder),
                () => None,
            };
            if let Some(why) = why {
                self.skip(entry.path(), kind.is_dir(), why);
                if is_folder {
                    entries.skip_current_dir();
                }
                continue;
            }
            if is_folder {
                ignores.enter(&path, depth);
                above.push(filter);
            } else if let Some(what) = special_files::type_name(kind) {
                if wanted {
                    self.skip(entry.path(), false, what.to_owned());
                }
            } else {
                let maybe = || filter.may_be_database(&path) && is_database(&path);
                if wanted || maybe() && (filter.includes_ignored || ignores.reason(&path, false).is_none()) {
                    files.push((entry.into_path(), is_link));
                }
            }
        }
        files.sort_unstable_by(|(a, _), (b, _)| {
            a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes())
        });
        // The last folder, and its real path.
        let mut folder: Option<(PathBuf, Option<PathBuf>)> = None;
        for (path, is_link) in files {
            let (Some(parent), Some(name)) = (path.parent().filter(|_| !is_link), path.file_name()) else {
                self.add_file(path, false);
                continue;
            };
            if folder.as_ref().is_none_or(|(last, _)| last != parent) {
                folder = Some((parent.to_owned(), std::fs::canonicalize(parent).ok()));
            }
            match folder.as_ref().and_then(|(_, real)| real.as_ref()) {
                Some(real) => self.add_real_file(real.join(name), path, false),
                None => self.add_file(path, false),
            }
        }
    }

    fn skip(&mut self, path: &Path, is_folder: bool, why: String) {
        // Every repository has one; it is not worth reporting.
        if path.file_name().is_some_and(|name| name == ".git") {
            return;
        }
        match is_folder {
            true => self.result.passed.folders += 1,
            false => self.result.passed.files += 1,
        }
        self.result.passed.each.push((path.to_owned(), why));
    }
}

/// Replaces files by the logs that they are part of. `log` returns the files that a log continues and all its own
/// files; `None` for a file that is a log by itself. The files of a joined log are no longer inputs of their own.
pub fn join_logs(
    inputs: Vec<Input>,
    mut log: impl FnMut(&Path) -> Option<(Vec<PrecedingFile>, Vec<PathBuf>)>,
) -> Vec<Input> {
    let mut taken: HashSet<PathBuf> = HashSet::default();
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

    fn names(root: &Path, walked: &WalkResult) -> Vec<String> {
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
        assert_eq!((walked.errors.len(), walked.passed), (1, SkippedPaths::default()));
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
        assert_eq!(all.passed, SkippedPaths::default());
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
