//! The contents of a config file: `replaylint.toml`, or `[tool.replaylint]` in `pyproject.toml`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::rule::Rule;
use crate::source::inputs::globs::Glob;
use crate::target::Severity;

use super::file_options::FileOptions;
use super::selection::matches;

/// Name of the config file.
pub const CONFIG: &str = "replaylint.toml";
/// A file of other tools that may contain a `[tool.replaylint]` table.
pub const PYPROJECT: &str = "pyproject.toml";

/// A config file.
#[derive(Debug, Default)]
pub struct Config {
    /// The name of the file as printed.
    pub label: String,
    /// The folder that its globs are relative to.
    pub folder: PathBuf,
    pub options: FileOptions,
    pub exclude: Vec<LineValue<Arc<Glob>>>,
    pub ext: Vec<String>,
    pub no_ignore: bool,
    pub deny_warnings: bool,
    pub severity: SeverityOverrides,
    /// Entries of `[[files]]`; the first one with a matching glob applies.
    pub files: Vec<FileSection>,
    pub waivers: Vec<Waiver>,
    /// All settings at the top of the file, in order.
    pub settings: Vec<ConfigSetting>,
}

/// A value, and its line in the file.
#[derive(Debug)]
pub struct LineValue<T> {
    pub line: usize,
    pub value: T,
}

/// An entry of `[[files]]`.
#[derive(Debug, Default)]
pub struct FileSection {
    pub paths: Vec<LineValue<Glob>>,
    pub options: FileOptions,
    pub severity: SeverityOverrides,
    pub settings: Vec<ConfigSetting>,
}

impl FileSection {
    pub fn applies_to(&self, path: &std::path::Path) -> bool {
        // Every matching glob is marked as used.
        self.paths.iter().filter(|glob| glob.value.is_match(path)).count() > 0
    }
}

/// A key and its value, as written.
#[derive(Clone, Debug)]
pub struct ConfigSetting {
    pub line: usize,
    pub key: String,
    pub value: String,
}

/// Severities by rule selector, in order: the last match applies.
#[derive(Debug, Default)]
pub struct SeverityOverrides(pub Vec<(String, Severity)>);

impl SeverityOverrides {
    pub fn for_rule(&self, rule: &Rule) -> Option<Severity> {
        self.0.iter().rev().find(|(selector, _)| matches(selector, rule)).map(|(_, severity)| *severity)
    }
}

/// An accepted finding: an entry of `[[ignore]]`.
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

    /// Marks the entry as used.
    pub fn mark_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }
}
