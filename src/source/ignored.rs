//! What `.gitignore` and `.ignore` files say about paths, as Git and ripgrep read them, and the folders that nobody
//! looks into. Hidden folders are not among them: transcripts lie in such.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Folders that never hold transcripts, and many files.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// The ignore files that hold in a folder, and in those above it.
#[derive(Default)]
pub(super) struct Ignores {
    levels: Vec<Level>,
}

struct Level {
    folder: PathBuf,
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
        Ignores { levels: above.into_iter().map(Level::of).collect() }
    }

    /// The walk has come to a folder.
    pub fn enter(&mut self, folder: &Path) {
        while self.levels.last().is_some_and(|level| !folder.starts_with(&level.folder) || level.folder == folder)
        {
            self.levels.pop();
        }
        self.levels.push(Level::of(folder));
    }

    /// Why a path below the folder that was entered last, or a folder around that one, is ignored.
    pub fn why(&self, path: &Path, is_folder: bool) -> Option<String> {
        let name = path.file_name().unwrap_or_default();
        if is_folder && SKIPPED.iter().any(|skipped| name == *skipped) {
            return Some("read only if it is named".to_owned());
        }
        let around = || self.levels.iter().rev().filter(|level| path.starts_with(&level.folder));
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
    fn of(folder: &Path) -> Level {
        let is_repository = folder.join(".git").exists();
        let mut git = vec![folder.join(".gitignore")];
        if is_repository {
            git.insert(0, folder.join(".git/info/exclude"));
        }
        Level {
            folder: folder.to_owned(),
            own: read(folder, &[folder.join(".ignore")]),
            git: read(folder, &git),
            is_repository,
        }
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
