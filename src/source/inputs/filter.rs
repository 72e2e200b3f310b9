//! The files below a folder that a walk accepts.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::archive::{self, ArchiveMember};
use super::globs::{Glob, absolute};
use crate::source::outputs::journal;

/// File extensions that a walk accepts, each also followed by `.gz` or `.zst`.
pub const EXTENSIONS: [&str; 5] = ["json", "jsonl", "ndjson", "sse", "txt"];

/// Decides which files a walk accepts.
#[derive(Debug, Default)]
pub struct Filter {
    exclude: Vec<Arc<Glob>>,
    endings: Option<Vec<String>>,
    /// Also read what `.gitignore` and `.ignore` files exclude, and the folders `.git` and `node_modules`.
    pub includes_ignored: bool,
}

/// The filter that applies in each folder.
pub trait FolderFilters {
    fn of_folder(&self, folder: &Path) -> Arc<Filter>;
}

impl FolderFilters for Arc<Filter> {
    fn of_folder(&self, _: &Path) -> Arc<Filter> {
        self.clone()
    }
}

impl Filter {
    /// `endings` replace [`EXTENSIONS`] if not empty.
    pub fn new(exclude: Vec<Arc<Glob>>, endings: &[String], includes_ignored: bool) -> Self {
        let endings: Vec<String> =
            endings.iter().map(|e| e.trim_start_matches('.').to_ascii_lowercase()).collect();
        Filter { exclude, endings: (!endings.is_empty()).then_some(endings), includes_ignored }
    }

    /// The files of an archive that a walk would accept. `None` if the file is not an archive.
    pub fn members(&self, path: &Path) -> Option<io::Result<Vec<ArchiveMember>>> {
        if !archive::is_archive(path) {
            return None;
        }
        let within = absolute(path);
        Some(archive::members(path, |name| self.accepts(name) && !self.excludes(&within.join(name))))
    }

    /// True if an absolute path is excluded.
    pub fn excludes(&self, path: &Path) -> bool {
        // Each glob records whether it has matched, so all are tried.
        self.exclude.iter().filter(|glob| glob.is_match(path)).count() > 0
    }

    /// The same for a path in a folder that is known not to be excluded.
    pub(super) fn excludes_itself(&self, path: &Path) -> bool {
        self.exclude.iter().filter(|glob| glob.is_match_itself(path)).count() > 0
    }

    /// True if a file may be a database: no extensions were requested, and it is not named like a backup.
    pub(super) fn may_be_database(&self, path: &Path) -> bool {
        self.endings.is_none() && journal::backup_stem(path).is_none()
    }

    pub(super) fn accepts(&self, path: &Path) -> bool {
        // Endings are ASCII; the rest of the name may be any bytes.
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()) else {
            return false;
        };
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.') {
            Some((_, ending)) => match &self.endings {
                Some(wanted) => wanted.iter().any(|w| w == ending),
                None => EXTENSIONS.contains(&ending),
            },
            None => false,
        }
    }
}
