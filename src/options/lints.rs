//! How each doc is to be linted: by the command line, and where that is silent by the config file nearest to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::history::Code;
use crate::judge;
use crate::read;
use crate::report::command_line::file_of;
use crate::rules;
use crate::source::display_name;
use crate::source::inputs::filter::{Filter, Filters};
use crate::source::inputs::globs::{Glob, absolute};
use crate::target::Severity;

use super::about::{FileOptions, judge_options};
use super::config::{Config, ForFiles, Waiver};
use super::configs::{Configs, Lookup};
use super::misuse::Misuse;
use super::spelling::{distance, nearest};

/// What the command line says about the files of folders.
#[derive(Debug, Default)]
pub struct Walking {
    pub exclude: Vec<Arc<Glob>>,
    pub ext: Vec<String>,
    pub no_ignore: bool,
}

/// How docs are to be linted.
pub struct Lints {
    typed: FileOptions,
    walking: Walking,
    skips_bugs: bool,
    /// Where no config file holds.
    plain: judge::Options,
    configs: Configs<Known>,
    /// The filter where no config file holds.
    plain_filter: OnceLock<Arc<Filter>>,
    /// What is wrong with config files that a walk met.
    wrong: Mutex<Vec<Misuse>>,
}

/// A config file with what was typed over it.
struct Known {
    config: Config,
    all: judge::Options,
    /// For each entry of `[[files]]`.
    some: Vec<judge::Options>,
    filter: Arc<Filter>,
}

/// What holds for a doc.
#[derive(Clone, Copy)]
pub struct InForce<'l> {
    pub options: &'l judge::Options,
    pub config: Option<&'l Config>,
    pub files: Option<&'l ForFiles>,
}

impl InForce<'_> {
    /// The severity that the config file gives to findings of a rule.
    pub fn severity(&self, code: Code) -> Option<Severity> {
        let rule = rules::by_code(code)?;
        let of_files = self.files.and_then(|files| files.severity.of(rule));
        of_files.or_else(|| self.config?.severity.of(rule))
    }

    /// Whether the config file changes what findings count as, or accepts some.
    pub fn settles(&self) -> bool {
        let has_own = self.config.is_some_and(|config| !config.severity.0.is_empty());
        has_own || self.files.is_some_and(|files| !files.severity.0.is_empty()) || !self.waivers().is_empty()
    }

    pub fn denies_warnings(&self) -> bool {
        self.config.is_some_and(|config| config.deny_warnings)
    }

    pub fn waivers(&self) -> &[Waiver] {
        self.config.map_or(&[], |config| &config.waivers)
    }
}

impl Lints {
    pub fn new(typed: FileOptions, walking: Walking, lookup: Lookup) -> Result<Self, Misuse> {
        let plain = judge_options(&[&typed])?;
        let wrong = Mutex::new(Vec::new());
        let configs = Configs::new(lookup);
        Ok(Lints { typed, walking, skips_bugs: false, plain, configs, plain_filter: OnceLock::new(), wrong })
    }

    /// A record at which a bug of ours shows is skipped, and the rest of its file is read.
    pub fn skip_bugs(&mut self) {
        self.skips_bugs = true;
        self.plain.read.panics = read::Panics::Skip;
    }

    /// Reads the config file that holds for a path.
    pub fn load(&self, path: &Path) -> Result<(), Misuse> {
        self.known(&absolute(path)).map(drop)
    }

    /// The options for a path as it is printed. Config files that are wrong are left to [`Lints::load`].
    pub fn of(&self, label: &str) -> &judge::Options {
        self.in_force(label).options
    }

    /// All that holds for a path as it is printed.
    pub fn in_force(&self, label: &str) -> InForce<'_> {
        let path = absolute(Path::new(file_of(label)));
        let Ok(Some(known)) = self.known(&path) else {
            return InForce { options: &self.plain, config: None, files: None };
        };
        let of_files = known.config.files.iter().zip(&known.some).find(|(files, _)| files.fits(&path));
        InForce {
            options: of_files.map_or(&known.all, |(_, options)| options),
            config: Some(&known.config),
            files: of_files.map(|(files, _)| files),
        }
    }

    /// The filter for a file, or what is below a folder that contains it.
    fn known(&self, path: &Path) -> Result<Option<&Known>, Misuse> {
        self.configs.of(path.parent().unwrap_or(path), |config| self.over(config))
    }

    /// Puts what was typed over a config file.
    fn over(&self, config: Config) -> Result<Known, Misuse> {
        let options = |places: &[&FileOptions]| {
            let mut options = judge_options(places)?;
            if self.skips_bugs {
                options.read.panics = read::Panics::Skip;
            }
            Ok::<_, Misuse>(options)
        };
        let all = options(&[&self.typed, &config.about])?;
        let some = config.files.iter().map(|files| options(&[&self.typed, &files.about, &config.about]));
        let some = some.collect::<Result<_, _>>()?;
        let filter = self.filter(Some(&config));
        Ok(Known { config, all, some, filter })
    }

    fn filter(&self, config: Option<&Config>) -> Arc<Filter> {
        let own = config.into_iter().flat_map(|config| &config.exclude).map(|glob| glob.what.clone());
        let exclude = self.walking.exclude.iter().cloned().chain(own).collect();
        let ext = if self.walking.ext.is_empty() { config.map(|config| &config.ext) } else { None };
        let takes_all = self.walking.no_ignore || config.is_some_and(|config| config.no_ignore);
        Arc::new(Filter::new(exclude, ext.unwrap_or(&self.walking.ext), takes_all))
    }

    /// The config files that a walk met and that are wrong.
    pub fn wrong(&self) -> Vec<Misuse> {
        std::mem::take(&mut *self.wrong.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Globs of config files that nothing matched, though all below their folder was walked.
    pub fn idle_globs(&self, walked: &[PathBuf]) -> Vec<String> {
        let walked: Vec<PathBuf> = walked.iter().map(|folder| absolute(folder)).collect();
        let mut idle = Vec::new();
        for known in self.configs.all() {
            let config = &known.config;
            if !walked.iter().any(|folder| config.folder.starts_with(folder)) {
                continue;
            }
            let of_files = config.files.iter().flat_map(|files| &files.paths).map(|glob| (glob.line, &glob.what));
            let excluded = config.exclude.iter().map(|glob| (glob.line, &*glob.what));
            for (line, glob) in excluded.chain(of_files).filter(|(_, glob)| !glob.has_met()) {
                let hint = other_name(&config.folder, glob.text());
                let hint =
                    hint.map(|other| format!("; did you mean '{}'?", display_name(&other))).unwrap_or_default();
                idle.push(format!(
                    "{}:{line}: warning: '{}' matches no file{hint}",
                    display_name(&config.label),
                    display_name(glob.text())
                ));
            }
        }
        idle
    }

    /// Entries of `[[ignore]]` that nothing matched, though every file that they may be about was read.
    pub fn idle_waivers(&self, walked: &[PathBuf]) -> Vec<String> {
        let walked: Vec<PathBuf> = walked.iter().map(|folder| absolute(folder)).collect();
        let mut idle = BTreeSet::new();
        if !self.typed.select.is_empty() || !self.typed.ignore.is_empty() {
            // A rule that does not run finds nothing.
            return Vec::new();
        }
        for known in self.configs.all() {
            let config = &known.config;
            let whole = walked.iter().any(|folder| config.folder.starts_with(folder));
            for waiver in config.waivers.iter().filter(|waiver| !waiver.is_used()) {
                if whole || waiver.path.as_ref().is_some_and(Glob::has_met) {
                    let (label, line, rule) = (display_name(&config.label), waiver.line, &waiver.rule);
                    idle.insert(format!(
                        "{label}:{line}: warning: [[ignore]] of {rule} matches no finding; remove it"
                    ));
                }
            }
        }
        idle.into_iter().collect()
    }
}

impl Filters for Lints {
    fn of_folder(&self, folder: &Path) -> Arc<Filter> {
        // What holds in a folder holds for any file in it.
        match self.known(&absolute(folder).join("-")) {
            Ok(Some(known)) => known.filter.clone(),
            Ok(None) => self.plain_filter.get_or_init(|| self.filter(None)).clone(),
            Err(misuse) => {
                let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
                if wrong.iter().all(|other| other.message != misuse.message) {
                    wrong.push(misuse);
                }
                self.filter(None)
            }
        }
    }
}

/// The glob with its first name replaced by one that is there and looks like it.
fn other_name(folder: &Path, glob: &str) -> Option<String> {
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
    (distance(first, name) <= 2).then(|| format!("{name}/{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, typed: FileOptions, path: &str) -> (Option<&'static str>, bool) {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join("replaylint.toml"), text).expect("a file");
        let lints = Lints::new(typed, Walking::default(), Lookup::Nearest).expect("options");
        let options = lints.of(&dir.path().join(path).to_string_lossy()).clone();
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
