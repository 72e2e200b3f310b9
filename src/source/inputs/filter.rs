//! What a walk takes and leaves out, below a folder.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::archive::{self, Member};
use super::globs::{Glob, absolute};
use crate::source::outputs::journal;

/// Endings that a walk takes, each also with `.gz` and `.zst` after it.
pub const ENDINGS: [&str; 5] = ["json", "jsonl", "ndjson", "sse", "txt"];

/// What a walk takes and leaves out.
#[derive(Debug, Default)]
pub struct Filter {
    exclude: Vec<Arc<Glob>>,
    endings: Option<Vec<String>>,
    /// What `.gitignore` and `.ignore` name is read all the same, and what nobody looks into: `.git`, `node_modules`.
    pub takes_all: bool,
}

/// The filter that holds in each folder.
pub trait Filters {
    fn of_folder(&self, folder: &Path) -> Arc<Filter>;
}

impl Filters for Arc<Filter> {
    fn of_folder(&self, _: &Path) -> Arc<Filter> {
        self.clone()
    }
}

impl Filter {
    /// `endings` replace [`ENDINGS`] if not empty.
    pub fn new(exclude: Vec<Arc<Glob>>, endings: &[String], takes_all: bool) -> Self {
        let endings: Vec<String> =
            endings.iter().map(|e| e.trim_start_matches('.').to_ascii_lowercase()).collect();
        Filter { exclude, endings: (!endings.is_empty()).then_some(endings), takes_all }
    }

    /// The files of an archive that a walk would take, if the file is one.
    pub fn members(&self, path: &Path) -> Option<io::Result<Vec<Member>>> {
        if !archive::is_archive(path) {
            return None;
        }
        let within = absolute(path);
        Some(archive::members(path, |name| self.takes(name) && !self.excludes(&within.join(name))))
    }

    /// Whether an absolute path is left out.
    pub fn excludes(&self, path: &Path) -> bool {
        // Each glob learns whether it is of any use, so all are asked.
        self.exclude.iter().filter(|glob| glob.is_match(path)).count() > 0
    }

    /// The same for a path below a folder that is not left out.
    pub(super) fn excludes_itself(&self, path: &Path) -> bool {
        self.exclude.iter().filter(|glob| glob.is_match_itself(path)).count() > 0
    }

    /// Whether a file may be a database: its name is none that endings were asked for, and no backup's.
    pub(super) fn may_be_database(&self, path: &Path) -> bool {
        self.endings.is_none() && journal::stem(path).is_none()
    }

    pub(super) fn takes(&self, path: &Path) -> bool {
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
