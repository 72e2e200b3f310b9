//! Paths excluded by `.gitignore` and `.ignore` files, as Git and ripgrep read them, and folders that are always
//! skipped. Hidden folders are not: agents store transcripts in them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::json::steps;

/// Folders with many files and never a transcript.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// The ignore files that apply in a folder: its own and those of the folders above it.
#[derive(Default)]
pub(super) struct IgnoreStack {
    levels: Vec<IgnoreLevel>,
}

/// A folder with ignore files, or a repository.
struct IgnoreLevel {
    /// Depth below the folder that is walked; `None` for that folder and those above it.
    depth: Option<NonZeroUsize>,
    /// `.ignore`, which takes precedence over `.gitignore` and applies in any folder.
    own: Option<Gitignore>,
    /// `.gitignore` and `.git/info/exclude`; they apply within the repository.
    git: Option<Gitignore>,
    is_repository: bool,
}

impl IgnoreStack {
    /// The ignore files above a folder that is walked.
    pub fn above(folder: &Path) -> Self {
        let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
        above.reverse();
        IgnoreStack { levels: above.into_iter().filter_map(|folder| IgnoreLevel::of(folder, 0)).collect() }
    }

    /// Removes the levels of folders that the walk has left, now that it is at something at this depth.
    pub fn pop_to_depth(&mut self, depth: usize) {
        while self.levels.last().and_then(|level| level.depth).is_some_and(|own| own.get() >= depth) {
            self.levels.pop();
        }
    }

    /// Adds the level of a folder that the walk enters.
    pub fn enter(&mut self, folder: &Path, depth: usize) {
        self.levels.extend(IgnoreLevel::of(folder, depth));
    }

    /// The reason why the current path of the walk is ignored; `None` if it is not.
    pub fn reason(&self, path: &Path, is_folder: bool) -> Option<String> {
        let name = path.file_name().unwrap_or_default();
        if is_folder && SKIPPED.iter().any(|skipped| name == *skipped) {
            return Some("read only if named as an argument".to_owned());
        }
        let around = || self.levels.iter().rev().inspect(|_| steps::count());
        let verdict = |ignore: &Gitignore| match ignore.matched(path, is_folder) {
            Match::None => None,
            Match::Whitelist(_) => Some(None),
            Match::Ignore(glob) => {
                let file =
                    glob.from().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
                Some(Some(format!("'{}' in {file}", glob.original())))
            }
        };
        if let Some(verdict) = around().find_map(|level| level.own.as_ref().and_then(verdict)) {
            return verdict;
        }
        let mut within = Vec::new();
        let mut is_within = false;
        for level in around() {
            within.push(level);
            is_within |= level.is_repository;
            if is_within {
                break;
            }
        }
        within.into_iter().filter(|_| is_within).find_map(|level| level.git.as_ref().and_then(verdict)).flatten()
    }
}

impl IgnoreLevel {
    /// `None` for a folder without ignore files, as most are.
    fn of(folder: &Path, depth: usize) -> Option<IgnoreLevel> {
        let is_repository = folder.join(".git").exists();
        let mut git = vec![folder.join(".gitignore")];
        if is_repository {
            git.insert(0, folder.join(".git/info/exclude"));
        }
        let (own, git) = (read(folder, &[folder.join(".ignore")]), read(folder, &git));
        let says_something = own.is_some() || git.is_some() || is_repository;
        says_something.then_some(IgnoreLevel { depth: NonZeroUsize::new(depth), own, git, is_repository })
    }
}

/// The rules of those files that exist. A line that is not a valid glob is skipped, as in Git.
fn read(folder: &Path, files: &[PathBuf]) -> Option<Gitignore> {
    let mut there = files.iter().filter(|file| file.is_file()).peekable();
    there.peek()?;
    let mut builder = GitignoreBuilder::new(folder);
    there.for_each(|file| drop(builder.add(file)));
    builder.build().ok()
}
