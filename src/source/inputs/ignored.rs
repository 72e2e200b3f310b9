//! What `.gitignore` and `.ignore` files say about paths, as Git and ripgrep read them, and the folders that nobody
//! looks into. Hidden folders are not among them: transcripts lie in such.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::json::steps;

/// Folders that never hold transcripts, and many files.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// The ignore files that hold in a folder, and in those above it.
#[derive(Default)]
pub(super) struct Ignores {
    levels: Vec<Level>,
}

/// A folder with such files, or a repository.
struct Level {
    /// How far below the folder that is walked; `None` above it, and for itself.
    depth: Option<NonZeroUsize>,
    /// `.ignore`, which wins over the other; read in any folder.
    own: Option<Gitignore>,
    /// `.gitignore` and `.git/info/exclude`; they hold within the repository.
    git: Option<Gitignore>,
    is_repository: bool,
}

impl Ignores {
    /// What holds in a folder that is walked, by the folders above it.
    pub fn above(folder: &Path) -> Self {
        let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
        above.reverse();
        Ignores { levels: above.into_iter().filter_map(|folder| Level::of(folder, 0)).collect() }
    }

    /// The walk has come to something this far below its folder: those that it has left do not matter any more.
    pub fn come_to(&mut self, depth: usize) {
        while self.levels.last().and_then(|level| level.depth).is_some_and(|own| own.get() >= depth) {
            self.levels.pop();
        }
    }

    /// The walk enters the folder that it has come to.
    pub fn enter(&mut self, folder: &Path, depth: usize) {
        self.levels.extend(Level::of(folder, depth));
    }

    /// Why a path that the walk has come to is ignored.
    pub fn why(&self, path: &Path, is_folder: bool) -> Option<String> {
        let name = path.file_name().unwrap_or_default();
        if is_folder && SKIPPED.iter().any(|skipped| name == *skipped) {
            return Some("read only if it is named".to_owned());
        }
        let around = || self.levels.iter().rev().inspect(|_| steps::count());
        let said = |ignore: &Gitignore| match ignore.matched(path, is_folder) {
            Match::None => None,
            Match::Whitelist(_) => Some(None),
            Match::Ignore(glob) => {
                let file =
                    glob.from().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
                Some(Some(format!("'{}' in {file}", glob.original())))
            }
        };
        if let Some(said) = around().find_map(|level| level.own.as_ref().and_then(said)) {
            return said;
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
        within.into_iter().filter(|_| is_within).find_map(|level| level.git.as_ref().and_then(said)).flatten()
    }
}

impl Level {
    /// `None` for a folder without any of it, as most are.
    fn of(folder: &Path, depth: usize) -> Option<Level> {
        let is_repository = folder.join(".git").exists();
        let mut git = vec![folder.join(".gitignore")];
        if is_repository {
            git.insert(0, folder.join(".git/info/exclude"));
        }
        let (own, git) = (read(folder, &[folder.join(".ignore")]), read(folder, &git));
        let says_something = own.is_some() || git.is_some() || is_repository;
        says_something.then_some(Level { depth: NonZeroUsize::new(depth), own, git, is_repository })
    }
}

/// The rules of those files that are there. A line that is not a valid glob is passed over, as Git does.
fn read(folder: &Path, files: &[PathBuf]) -> Option<Gitignore> {
    let mut there = files.iter().filter(|file| file.is_file()).peekable();
    there.peek()?;
    let mut builder = GitignoreBuilder::new(folder);
    there.for_each(|file| drop(builder.add(file)));
    builder.build().ok()
}
