//! The config file that applies to a path: the nearest one upwards. Files are read when they are first needed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use foldhash::HashMap;

use crate::json::steps;
use crate::source::inputs::globs;
use crate::source::{describe_error, display_path};

use super::config::{CONFIG, Config, PYPROJECT};
use super::parse::ConfigSource;
use super::usage_error::UsageError;

/// The places in which config files are searched.
#[derive(Clone, Debug)]
pub enum ConfigLookup {
    /// In the folder of each path and above it.
    Nearest,
    /// This file applies to all paths.
    Named(PathBuf),
    /// No config file is used.
    Isolated,
}

/// The config files of a run, each with the value computed from it. Their addresses do not change.
pub(super) struct ConfigCache<T> {
    lookup: ConfigLookup,
    first: OnceLock<Box<LoadedConfig<T>>>,
    /// The number of the config file of each folder that was searched.
    folders: Mutex<HashMap<PathBuf, Option<usize>>>,
}

struct LoadedConfig<T> {
    path: PathBuf,
    value: T,
    next: OnceLock<Box<LoadedConfig<T>>>,
}

impl<T> ConfigCache<T> {
    pub fn new(lookup: ConfigLookup) -> Self {
        ConfigCache { lookup, first: OnceLock::new(), folders: Mutex::new(HashMap::default()) }
    }

    /// The value of the config file that applies in a folder, given by its absolute path; `None` without a file.
    pub fn for_folder(
        &self,
        folder: &Path,
        make: impl Fn(Config) -> Result<T, UsageError>,
    ) -> Result<Option<&T>, UsageError> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = folders.get(folder) {
            return Ok(number.and_then(|number| self.nth(number)));
        }
        let number = match &self.lookup {
            ConfigLookup::Isolated => None,
            ConfigLookup::Named(path) => Some(self.number(path, &make)?.ok_or_else(|| no_table(path))?),
            ConfigLookup::Nearest => self.nearest(folder, &folders, &make)?,
        };
        folders.insert(folder.to_owned(), number);
        Ok(number.and_then(|number| self.nth(number)))
    }

    /// The number of the nearest config file. `known` are the folders that were searched.
    fn nearest(
        &self,
        folder: &Path,
        known: &HashMap<PathBuf, Option<usize>>,
        make: &impl Fn(Config) -> Result<T, UsageError>,
    ) -> Result<Option<usize>, UsageError> {
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

    /// The number of a config file; `None` for a `pyproject.toml` without a `[tool.replaylint]` table.
    fn number(
        &self,
        path: &Path,
        make: &impl Fn(Config) -> Result<T, UsageError>,
    ) -> Result<Option<usize>, UsageError> {
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
        let known = LoadedConfig { path: path.to_owned(), value: make(config)?, next: OnceLock::new() };
        // Only one thread is here at a time, so the slot is still free.
        Ok(slot.set(Box::new(known)).is_ok().then_some(number))
    }

    fn nth(&self, number: usize) -> Option<&T> {
        self.all().nth(number)
    }

    /// The values of all files that were read so far.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let first = self.first.get().map(|known| &**known);
        std::iter::successors(first, |known| known.next.get().map(|next| &**next)).map(|known| &known.value)
    }
}

fn no_table(path: &Path) -> UsageError {
    UsageError::new(format!("{}: no table [tool.replaylint]", display_path(path)))
}

/// Reads a config file; `None` for a `pyproject.toml` without a `[tool.replaylint]` table.
fn read(path: &Path) -> Result<Option<Config>, UsageError> {
    let label = label(path);
    let text = std::fs::read_to_string(path).map_err(|error| UsageError::new(describe_error(&label, &error)))?;
    let folder = globs::absolute(path).parent().map(Path::to_owned).unwrap_or_default();
    let source = ConfigSource { text: &text, label: &label, folder: &folder };
    match path.file_name().is_some_and(|name| name == PYPROJECT) {
        // Other tables, and their validity, are not checked.
        true if !text.contains("replaylint") => Ok(None),
        true => source.config(&["tool", "replaylint"]),
        false => source.config(&[]),
    }
}

impl Config {
    /// Parses the text of a `replaylint.toml` in a folder.
    pub fn parse(text: &str, folder: &Path) -> Result<Config, UsageError> {
        let source = ConfigSource { text, label: CONFIG, folder };
        Ok(source.config(&[])?.unwrap_or_default())
    }
}

/// A path as short as possible, relative to the working folder.
pub fn label(path: &Path) -> String {
    let (path, here) = (globs::absolute(path), globs::absolute(Path::new(".")));
    for (ups, above) in here.ancestors().enumerate() {
        if let Ok(below) = path.strip_prefix(above) {
            // For distant files the absolute path is clearer.
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
