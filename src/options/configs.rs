//! Which config file holds for a path: the nearest one upwards of it. Files are read when the first path needs them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::json::steps;
use crate::source::inputs::globs;
use crate::source::{display_path, words};

use super::config::{CONFIG, Config, PYPROJECT};
use super::misuse::Misuse;
use super::parse::Source;

/// Where config files are looked for.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// In the folder of each path and above it.
    Nearest,
    /// This file holds for all.
    Named(PathBuf),
    /// None is used.
    Isolated,
}

/// The config files of a run, each with what its reader has made of it. They stay where they are once they are read.
pub(super) struct Configs<T> {
    lookup: Lookup,
    first: OnceLock<Box<Known<T>>>,
    /// The number of the config file of each folder that was looked into.
    folders: Mutex<HashMap<PathBuf, Option<usize>>>,
}

struct Known<T> {
    path: PathBuf,
    made: T,
    next: OnceLock<Box<Known<T>>>,
}

impl<T> Configs<T> {
    pub fn new(lookup: Lookup) -> Self {
        Configs { lookup, first: OnceLock::new(), folders: Mutex::new(HashMap::new()) }
    }

    /// What was made of the config file that holds in a folder, whose path is absolute.
    pub fn of(&self, folder: &Path, make: impl Fn(Config) -> Result<T, Misuse>) -> Result<Option<&T>, Misuse> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = folders.get(folder) {
            return Ok(number.and_then(|number| self.nth(number)));
        }
        let number = match &self.lookup {
            Lookup::Isolated => None,
            Lookup::Named(path) => Some(self.number(path, &make)?.ok_or_else(|| no_table(path))?),
            Lookup::Nearest => self.nearest(folder, &folders, &make)?,
        };
        folders.insert(folder.to_owned(), number);
        Ok(number.and_then(|number| self.nth(number)))
    }

    /// `known` are the folders that were looked into.
    fn nearest(
        &self,
        folder: &Path,
        known: &HashMap<PathBuf, Option<usize>>,
        make: &impl Fn(Config) -> Result<T, Misuse>,
    ) -> Result<Option<usize>, Misuse> {
        for folder in folder.ancestors() {
            steps::count();
            if let Some(number) = known.get(folder) {
                return Ok(*number);
            }
            for name in [CONFIG, PYPROJECT] {
                let path = folder.join(name);
                if path.is_file()
                    && let Some(number) = self.number(&path, make)?
                {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// The number of a config file; `None` if it is a file of others that says nothing to us.
    fn number(&self, path: &Path, make: &impl Fn(Config) -> Result<T, Misuse>) -> Result<Option<usize>, Misuse> {
        let mut slot = &self.first;
        let mut number = 0;
        while let Some(known) = slot.get() {
            if known.path == path {
                return Ok(Some(number));
            }
            slot = &known.next;
            number += 1;
        }
        let Some(config) = read(path)? else { return Ok(None) };
        let known = Known { path: path.to_owned(), made: make(config)?, next: OnceLock::new() };
        // Only one thread is here at a time, so the slot is still free.
        Ok(slot.set(Box::new(known)).is_ok().then_some(number))
    }

    fn nth(&self, number: usize) -> Option<&T> {
        self.all().nth(number)
    }

    /// All that were read so far.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let first = self.first.get().map(|known| &**known);
        std::iter::successors(first, |known| known.next.get().map(|next| &**next)).map(|known| &known.made)
    }
}

fn no_table(path: &Path) -> Misuse {
    Misuse::new(format!("{}: has no table [tool.replaylint]", display_path(path)))
}

/// What a config file says; `None` for a `pyproject.toml` without a table of ours.
fn read(path: &Path) -> Result<Option<Config>, Misuse> {
    let label = label(path);
    let text = std::fs::read_to_string(path).map_err(|error| Misuse::new(words(&label, &error)))?;
    let folder = globs::absolute(path).parent().map(Path::to_owned).unwrap_or_default();
    let source = Source { text: &text, label: &label, folder: &folder };
    match path.file_name().is_some_and(|name| name == PYPROJECT) {
        // What else is in it, and whether it is valid, is the concern of others.
        true if !text.contains("replaylint") => Ok(None),
        true => source.config(&["tool", "replaylint"]),
        false => source.config(&[]),
    }
}

impl Config {
    /// What the text of a `replaylint.toml` in a folder says.
    pub fn parse(text: &str, folder: &Path) -> Result<Config, Misuse> {
        let source = Source { text, label: CONFIG, folder };
        Ok(source.config(&[])?.unwrap_or_default())
    }
}

/// A path as short as it can be said from the working folder.
pub fn label(path: &Path) -> String {
    let (path, here) = (globs::absolute(path), globs::absolute(Path::new(".")));
    for (ups, above) in here.ancestors().enumerate() {
        if let Ok(below) = path.strip_prefix(above) {
            // Far away, or on another branch of the tree, the whole path says more.
            let is_above = ups == 0 || path.parent() == Some(above);
            return if is_above {
                format!("{}{}", "../".repeat(ups), below.to_string_lossy())
            } else {
                path.to_string_lossy().into_owned()
            };
        }
    }
    path.to_string_lossy().into_owned()
}
