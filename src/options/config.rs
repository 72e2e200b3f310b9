//! A config file, once it is read: `replaylint.toml`, or `[tool.replaylint]` in `pyproject.toml`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::rule::Rule;
use crate::source::inputs::globs::Glob;
use crate::target::Severity;

use super::about::FileOptions;
use super::selection::matches;

/// Name of the config file.
pub const CONFIG: &str = "replaylint.toml";
/// A file of others that may hold a table of ours.
pub const PYPROJECT: &str = "pyproject.toml";

/// A config file.
#[derive(Debug, Default)]
pub struct Config {
    /// The file as it is printed.
    pub label: String,
    /// The folder that its globs are relative to.
    pub folder: PathBuf,
    pub about: FileOptions,
    pub exclude: Vec<Written<Arc<Glob>>>,
    pub ext: Vec<String>,
    pub no_ignore: bool,
    pub deny_warnings: bool,
    pub severity: Severities,
    /// Settings for some files only; the first whose globs match holds.
    pub files: Vec<ForFiles>,
    pub waivers: Vec<Waiver>,
    /// All that it says, in order.
    pub said: Vec<Said>,
}

/// What stands on a line of the file.
#[derive(Debug)]
pub struct Written<T> {
    pub line: usize,
    pub what: T,
}

#[derive(Debug, Default)]
pub struct ForFiles {
    pub paths: Vec<Written<Glob>>,
    pub about: FileOptions,
    pub severity: Severities,
    pub said: Vec<Said>,
}

impl ForFiles {
    pub fn fits(&self, path: &std::path::Path) -> bool {
        // Each glob learns whether it is of any use, so all are asked.
        self.paths.iter().filter(|glob| glob.what.is_match(path)).count() > 0
    }
}

/// A key and its value, as they are written.
#[derive(Clone, Debug)]
pub struct Said {
    pub line: usize,
    pub key: String,
    pub value: String,
}

/// Severities of rules, as written: the last that fits holds.
#[derive(Debug, Default)]
pub struct Severities(pub Vec<(String, Severity)>);

impl Severities {
    pub fn of(&self, rule: &Rule) -> Option<Severity> {
        self.0.iter().rev().find(|(selector, _)| matches(selector, rule)).map(|(_, severity)| *severity)
    }
}

/// A finding that is ignored on purpose.
#[derive(Debug)]
pub struct Waiver {
    pub line: usize,
    pub rule: String,
    pub path: Option<Glob>,
    pub id: Option<String>,
    pub pointer: Option<String>,
    pub reason: String,
    used: AtomicBool,
}

impl Waiver {
    pub fn new(line: usize, rule: String, reason: String) -> Waiver {
        Waiver { line, rule, path: None, id: None, pointer: None, reason, used: AtomicBool::new(false) }
    }

    /// A finding was ignored because of it.
    pub fn use_it(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }
}
