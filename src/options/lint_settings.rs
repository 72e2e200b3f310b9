//! The options for each document, from the command line and the nearest config file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::history::Code;
use crate::judge;
use crate::read;
use crate::report::command_line::file_of_label;
use crate::rules;
use crate::source::display_name;
use crate::source::inputs::filter::{Filter, FolderFilters};
use crate::source::inputs::globs::{Glob, absolute, absolute_from};
use crate::target::Severity;

use super::config::{Config, FileSection, Waiver};
use super::configs::{ConfigCache, ConfigLookup};
use super::file_options::{FileOptions, judge_options};
use super::spelling::{edit_distance, nearest};
use super::usage_error::UsageError;

/// Options of the command line for files in folders.
#[derive(Debug, Default)]
pub struct WalkOptions {
    pub exclude: Vec<Arc<Glob>>,
    pub ext: Vec<String>,
    pub no_ignore: bool,
}

/// The options for all documents of a run.
pub struct LintSettings {
    command_line: FileOptions,
    walking: WalkOptions,
    skips_bugs: bool,
    /// The options where no config file applies.
    defaults: judge::Options,
    configs: ConfigCache<ResolvedConfig>,
    /// The folder that paths are relative to: asking for it takes longer than finding the config file of a path.
    here: PathBuf,
    /// The filter where no config file applies.
    default_filter: OnceLock<Arc<Filter>>,
    /// Errors of config files that were found in folders.
    errors: Mutex<Vec<UsageError>>,
}

/// A config file, with the command line applied.
struct ResolvedConfig {
    config: Config,
    all: judge::Options,
    /// For each entry of `[[files]]`.
    some: Vec<judge::Options>,
    filter: Arc<Filter>,
}

/// The options that apply to a document, and their sources.
#[derive(Clone, Copy)]
pub struct EffectiveOptions<'l> {
    pub options: &'l judge::Options,
    pub config: Option<&'l Config>,
    pub files: Option<&'l FileSection>,
}

impl EffectiveOptions<'_> {
    /// The severity that the config file sets for a rule; `None` if it sets none.
    pub fn severity(&self, code: Code) -> Option<Severity> {
        let rule = rules::by_code(code)?;
        let of_files = self.files.and_then(|files| files.severity.for_rule(rule));
        of_files.or_else(|| self.config?.severity.for_rule(rule))
    }

    /// True if the config file sets severities or accepts findings.
    pub fn has_overrides(&self) -> bool {
        let has_severities = self.config.is_some_and(|config| !config.severity.0.is_empty());
        has_severities
            || self.files.is_some_and(|files| !files.severity.0.is_empty())
            || !self.waivers().is_empty()
    }

    pub fn denies_warnings(&self) -> bool {
        self.config.is_some_and(|config| config.deny_warnings)
    }

    pub fn waivers(&self) -> &[Waiver] {
        self.config.map_or(&[], |config| &config.waivers)
    }
}

impl LintSettings {
    pub fn new(command_line: FileOptions, walking: WalkOptions, lookup: ConfigLookup) -> Result<Self, UsageError> {
        let defaults = judge_options(&[&command_line])?;
        let errors = Mutex::new(Vec::new());
        let configs = ConfigCache::new(lookup);
        Ok(LintSettings {
            command_line,
            walking,
            skips_bugs: false,
            defaults,
            configs,
            here: absolute(Path::new(".")),
            default_filter: OnceLock::new(),
            errors,
        })
    }

    /// Skips records that cause a panic, instead of failing the file.
    pub fn skip_bugs(&mut self) {
        self.skips_bugs = true;
        self.defaults.read.panics = read::PanicPolicy::Skip;
    }

    /// Loads the config file that applies to a path.
    pub fn load(&self, path: &Path) -> Result<(), UsageError> {
        self.config_for(&absolute_from(&self.here, path)).map(drop)
    }

    /// The options for a path as printed. Invalid config files are reported by [`LintSettings::load`].
    pub fn options_for(&self, label: &str) -> &judge::Options {
        self.effective(label).options
    }

    /// The options for a path as printed, and their sources.
    pub fn effective(&self, label: &str) -> EffectiveOptions<'_> {
        let path = absolute_from(&self.here, Path::new(file_of_label(label)));
        let Ok(Some(known)) = self.config_for(&path) else {
            return EffectiveOptions { options: &self.defaults, config: None, files: None };
        };
        let of_files = known.config.files.iter().zip(&known.some).find(|(files, _)| files.applies_to(&path));
        EffectiveOptions {
            options: of_files.map_or(&known.all, |(_, options)| options),
            config: Some(&known.config),
            files: of_files.map(|(files, _)| files),
        }
    }

    /// The config file that applies to a file; `None` if there is none.
    fn config_for(&self, path: &Path) -> Result<Option<&ResolvedConfig>, UsageError> {
        self.configs.for_folder(path.parent().unwrap_or(path), |config| self.resolve(config))
    }

    /// Applies the command line to a config file.
    fn resolve(&self, config: Config) -> Result<ResolvedConfig, UsageError> {
        let options = |places: &[&FileOptions]| {
            let mut options = judge_options(places)?;
            if self.skips_bugs {
                options.read.panics = read::PanicPolicy::Skip;
            }
            Ok::<_, UsageError>(options)
        };
        let all = options(&[&self.command_line, &config.options])?;
        let some =
            config.files.iter().map(|files| options(&[&self.command_line, &files.options, &config.options]));
        let some = some.collect::<Result<_, _>>()?;
        let filter = self.filter(Some(&config));
        Ok(ResolvedConfig { config, all, some, filter })
    }

    fn filter(&self, config: Option<&Config>) -> Arc<Filter> {
        let own = config.into_iter().flat_map(|config| &config.exclude).map(|glob| glob.value.clone());
        let exclude = self.walking.exclude.iter().cloned().chain(own).collect();
        let ext = if self.walking.ext.is_empty() { config.map(|config| &config.ext) } else { None };
        let includes_ignored = self.walking.no_ignore || config.is_some_and(|config| config.no_ignore);
        Arc::new(Filter::new(exclude, ext.unwrap_or(&self.walking.ext), includes_ignored))
    }

    /// Takes the errors of config files that were found in folders.
    pub fn take_errors(&self) -> Vec<UsageError> {
        std::mem::take(&mut *self.errors.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Warnings about globs of config files that matched no file, although their whole folder was read.
    pub fn unused_globs(&self, walked: &[PathBuf]) -> Vec<String> {
        let walked: Vec<PathBuf> = walked.iter().map(|folder| absolute(folder)).collect();
        let mut warnings = Vec::new();
        for known in self.configs.all() {
            let config = &known.config;
            if !walked.iter().any(|folder| config.folder.starts_with(folder)) {
                continue;
            }
            let of_files = config.files.iter().flat_map(|files| &files.paths).map(|glob| (glob.line, &glob.value));
            let excluded = config.exclude.iter().map(|glob| (glob.line, &*glob.value));
            for (line, glob) in excluded.chain(of_files).filter(|(_, glob)| !glob.has_matched()) {
                let hint = similar_name(&config.folder, glob.text());
                let hint =
                    hint.map(|other| format!("; did you mean '{}'?", display_name(&other))).unwrap_or_default();
                warnings.push(format!(
                    "{}:{line}: warning: '{}' matches no file{hint}",
                    display_name(&config.label),
                    display_name(glob.text())
                ));
            }
        }
        warnings
    }

    /// Warnings about entries of `[[ignore]]` that matched no finding, although every file that they apply to was read.
    pub fn unused_waivers(&self, walked: &[PathBuf]) -> Vec<String> {
        let walked: Vec<PathBuf> = walked.iter().map(|folder| absolute(folder)).collect();
        let mut warnings = BTreeSet::new();
        if !self.command_line.select.is_empty() || !self.command_line.ignore.is_empty() {
            // Entries of disabled rules cannot match.
            return Vec::new();
        }
        for known in self.configs.all() {
            let config = &known.config;
            let is_complete = walked.iter().any(|folder| config.folder.starts_with(folder));
            for waiver in config.waivers.iter().filter(|waiver| !waiver.is_used()) {
                if is_complete || waiver.path.as_ref().is_some_and(Glob::has_matched) {
                    let (label, line, rule) = (display_name(&config.label), waiver.line, &waiver.rule);
                    warnings.insert(format!(
                        "{label}:{line}: warning: [[ignore]] of {rule} matches no finding; remove it"
                    ));
                }
            }
        }
        warnings.into_iter().collect()
    }
}

impl FolderFilters for LintSettings {
    fn of_folder(&self, folder: &Path) -> Arc<Filter> {
        // The filter of a folder is that of any file in it.
        match self.config_for(&absolute(folder).join("-")) {
            Ok(Some(known)) => known.filter.clone(),
            Ok(None) => self.default_filter.get_or_init(|| self.filter(None)).clone(),
            Err(usage_error) => {
                let mut wrong = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
                if wrong.iter().all(|other| other.message != usage_error.message) {
                    wrong.push(usage_error);
                }
                self.filter(None)
            }
        }
    }
}

/// The glob with its first component replaced with an existing name that is similar; `None` if there is none.
fn similar_name(folder: &Path, glob: &str) -> Option<String> {
    let (first, rest) = glob.split_once('/')?;
    if first.contains(['*', '?', '[', '{']) || folder.join(first).exists() {
        return None;
    }
    let there: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let name = nearest(first, there.iter().map(String::as_str).collect(), 1).into_iter().next()?;
    (edit_distance(first, name) <= 2).then(|| format!("{name}/{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, typed: FileOptions, path: &str) -> (Option<&'static str>, bool) {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("replaylint.toml"), text).expect("a file");
        let lints = LintSettings::new(typed, WalkOptions::default(), ConfigLookup::Nearest).expect("options");
        let options = lints.options_for(&dir.path().join(path).to_string_lossy()).clone();
        (options.target.map(|target| target.name), options.enabled.has(Code(311)))
    }

    const TEXT: &str =
        "target = \"azure\"\nignore = [\"RL311\"]\n[[files]]\npaths = [\"logs/**\"]\ntarget = \"codex\"\n";

    #[test]
    fn the_command_line_wins_over_the_file() {
        assert_eq!(of(TEXT, FileOptions::default(), "a.json"), (Some("azure"), false));
        assert_eq!(of(TEXT, FileOptions::default(), "logs/x/a.jsonl"), (Some("codex"), false));
        let typed = || FileOptions {
            target: Some("xai".to_owned()),
            extend_select: vec!["RL311".to_owned()],
            ..FileOptions::default()
        };
        assert_eq!(of(TEXT, typed(), "logs/x/a.jsonl"), (Some("xai"), true));
    }
}
