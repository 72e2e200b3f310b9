//! What the user means: arguments, the config file and the environment put together. Below this module nothing knows
//! flags.

mod spelling;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use crate::format::Format;
use crate::formats;
use crate::history::{Code, Effort, Usage, Version, time};
use crate::json::pointer;
use crate::judge::{self, Enabled};
use crate::read;
use crate::rule::{Age, Rule};
use crate::rules::RULES;
use crate::schema::Schemas;
use crate::source::words;
use crate::target::Target;
use crate::targets;

pub use spelling::{distance, meant, nearest, unknown, unknown_of};

/// Something that was asked for and does not exist or does not fit.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Misuse {
    pub fn new(message: impl Into<String>) -> Self {
        Misuse { message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What may be said about files, on the command line or in the config file. The command line wins.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FileOptions {
    pub format: Option<String>,
    pub target: Option<String>,
    pub store: Option<bool>,
    #[serde(rename = "as")]
    pub usage: Option<String>,
    pub model: Option<String>,
    /// The version of the agent that is to go on with a session.
    pub agent_version: Option<String>,
    pub effort: Option<String>,
    pub pointer: Option<String>,
    pub order: Option<String>,
    pub select: Vec<String>,
    pub ignore: Vec<String>,
    /// Rules in whose words the server has rejected the history: their findings are errors.
    pub proven: Vec<String>,
    /// Bytes, or with `k`, `M`, `G` after it.
    pub max_record_size: Option<String>,
    /// A file with a JSON Schema for one item, instead of the provider's.
    pub schema: Option<PathBuf>,
    /// A number with `s`, `m`, `h`, `d` or `w` after it.
    pub max_item_age: Option<String>,
    /// A time to count from instead of the clock's.
    pub now: Option<String>,
    pub all_branches: bool,
}

impl FileOptions {
    /// What this says, and where it is silent what the other says.
    fn or(self, other: &FileOptions) -> FileOptions {
        let list = |own: Vec<String>, other: &[String]| if own.is_empty() { other.to_vec() } else { own };
        FileOptions {
            format: self.format.or_else(|| other.format.clone()),
            target: self.target.or_else(|| other.target.clone()),
            store: self.store.or(other.store),
            usage: self.usage.or_else(|| other.usage.clone()),
            model: self.model.or_else(|| other.model.clone()),
            agent_version: self.agent_version.or_else(|| other.agent_version.clone()),
            effort: self.effort.or_else(|| other.effort.clone()),
            pointer: self.pointer.or_else(|| other.pointer.clone()),
            order: self.order.or_else(|| other.order.clone()),
            select: list(self.select, &other.select),
            proven: list(self.proven, &other.proven),
            ignore: self.ignore.into_iter().chain(other.ignore.iter().cloned()).collect(),
            max_record_size: self.max_record_size.or_else(|| other.max_record_size.clone()),
            schema: self.schema.or_else(|| other.schema.clone()),
            max_item_age: self.max_item_age.or_else(|| other.max_item_age.clone()),
            now: self.now.or_else(|| other.now.clone()),
            all_branches: self.all_branches || other.all_branches,
        }
    }
}

/// The config file, `replaylint.toml`.
#[derive(Debug, Default)]
pub struct Config {
    pub about: FileOptions,
    pub exclude: Vec<String>,
    pub ext: Vec<String>,
    pub deny_warnings: bool,
    /// Settings for some files only; the first whose globs match holds.
    files: Vec<ForFiles>,
}

#[derive(Debug)]
struct ForFiles {
    paths: Vec<GlobMatcher>,
    about: FileOptions,
}

/// Name of the config file.
pub const CONFIG: &str = "replaylint.toml";

impl Config {
    /// The file that was named, else the nearest one from the working folder upwards, else nothing.
    pub fn find(named: Option<&Path>, isolated: bool) -> Result<Config, Misuse> {
        if let Some(path) = named {
            return Config::read(path);
        }
        let nearest = || {
            let here = std::env::current_dir().ok()?;
            here.ancestors().map(|folder| folder.join(CONFIG)).find(|path| path.is_file())
        };
        match nearest().filter(|_| !isolated) {
            Some(path) => Config::read(&path),
            None => Ok(Config::default()),
        }
    }

    fn read(path: &Path) -> Result<Config, Misuse> {
        let failed = |error: &dyn std::fmt::Display| {
            Misuse::new(format!("{}: {error}", path.display()))
                .help("--isolated runs without a config file; docs/targets.md lists its keys")
        };
        let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
        Config::parse(&text).map_err(|e| failed(&e))
    }

    /// What the text of a config file says.
    pub fn parse(text: &str) -> Result<Config, String> {
        let words = |e: toml::de::Error| e.to_string().trim().to_owned();
        let mut table: toml::Table = text.parse().map_err(words)?;
        let mut take = |key: &str| table.remove(key);
        let list = |value: Option<toml::Value>| -> Result<Vec<String>, String> {
            value.map_or(Ok(Vec::new()), |value| value.try_into().map_err(words))
        };
        let (exclude, ext) = (list(take("exclude"))?, list(take("ext"))?);
        let deny_warnings = take("deny-warnings").map_or(Ok(false), |value| value.try_into().map_err(words))?;
        let files: Vec<toml::Table> = take("files").map_or(Ok(Vec::new()), |v| v.try_into().map_err(words))?;
        let mut for_files = Vec::new();
        for mut entry in files {
            let globs = list(entry.remove("paths"))?;
            let glob = |glob: &String| {
                let built = GlobBuilder::new(glob).literal_separator(false).build();
                built.map(|glob| glob.compile_matcher()).map_err(|e| e.to_string())
            };
            let paths = globs.iter().map(glob).collect::<Result<Vec<_>, _>>()?;
            for_files.push(ForFiles { paths, about: entry.try_into().map_err(words)? });
        }
        Ok(Config { about: table.try_into().map_err(words)?, exclude, ext, deny_warnings, files: for_files })
    }
}

/// How docs are to be linted: the same for all, but for those that the config file names.
pub struct Lints {
    all: judge::Options,
    some: Vec<(Vec<GlobMatcher>, judge::Options)>,
}

impl Lints {
    pub fn new(told: &FileOptions, config: &Config) -> Result<Self, Misuse> {
        let all = judge_options(&told.clone().or(&config.about))?;
        let mut some = Vec::new();
        for entry in &config.files {
            let about = told.clone().or(&entry.about).or(&config.about);
            some.push((entry.paths.clone(), judge_options(&about)?));
        }
        Ok(Lints { all, some })
    }

    /// A record at which a bug of ours shows is skipped, and the rest of its file is read.
    pub fn skip_bugs(&mut self) {
        let all = std::iter::once(&mut self.all).chain(self.some.iter_mut().map(|(_, options)| options));
        all.for_each(|options| options.read.panics = read::Panics::Skip);
    }

    /// The options for a path as it is printed.
    pub fn of(&self, path: &str) -> &judge::Options {
        // A history of a database is printed as `agents.db: session …`, and configured as its file.
        let file = path.split_once(": session ").map_or(path, |(file, _)| file);
        let fits = |globs: &[GlobMatcher]| globs.iter().any(|glob| glob.is_match(path) || glob.is_match(file));
        self.some.iter().find(|(globs, _)| fits(globs)).map_or(&self.all, |(_, options)| options)
    }
}

fn judge_options(about: &FileOptions) -> Result<judge::Options, Misuse> {
    let target = about.target.as_deref().map(target).transpose()?;
    let dialect = target.map(|target| target.dialect);
    Ok(judge::Options {
        read: read::Options { dialect, ..read_options(about)? },
        target,
        store: about.store,
        model: about.model.clone(),
        agent_version: about.agent_version.as_deref().map(agent_version).transpose()?,
        schemas: about.schema.as_deref().map_or(Ok(Schemas::Official), schema)?,
        age: age(about)?,
        enabled: enabled(&about.select, &about.ignore, &about.proven)?,
    })
}

fn read_options(about: &FileOptions) -> Result<read::Options, Misuse> {
    Ok(read::Options {
        format: about.format.as_deref().map(format).transpose()?,
        pointer: about.pointer.as_deref().map_or(Ok(Vec::new()), steps)?,
        newest_first: about.order.as_deref().map(order).transpose()?,
        max_record: about.max_record_size.as_deref().map_or(Ok(1 << 30), size)?,
        panics: read::Panics::Fail,
        all_branches: about.all_branches,
        usage: about.usage.as_deref().map(usage).transpose()?,
        effort: about.effort.as_deref().map(|effort| Effort::of(effort.as_bytes())),
        dialect: None,
    })
}

pub fn format(name: &str) -> Result<&'static dyn Format, Misuse> {
    formats::by_name(name).ok_or_else(|| {
        let mut names: Vec<&str> = formats::FORMATS.iter().map(|format| format.info().name).collect();
        // A format of two sorts of files has two rows.
        names.dedup();
        unknown("format", name, names)
    })
}

pub fn target(name: &str) -> Result<&'static Target, Misuse> {
    targets::by_name(name)
        .ok_or_else(|| unknown("target", name, targets::TARGETS.iter().map(|target| target.name).collect()))
}

fn agent_version(text: &str) -> Result<Version, Misuse> {
    Version::parse(text)
        .ok_or_else(|| Misuse::new(format!("not a version: {text}")).help("a version is numbers and dots: 2.1.80"))
}

fn usage(name: &str) -> Result<Usage, Misuse> {
    match name {
        "request" => Ok(Usage::Request),
        "log" => Ok(Usage::Log),
        _ => Err(unknown("use", name, vec!["request", "log"])),
    }
}

fn order(name: &str) -> Result<bool, Misuse> {
    match name {
        "newest-first" => Ok(true),
        "oldest-first" => Ok(false),
        _ => Err(unknown("order", name, vec!["newest-first", "oldest-first"])),
    }
}

/// The user's own schema for items.
fn schema(path: &Path) -> Result<Schemas, Misuse> {
    let failed = |error: &dyn std::fmt::Display| {
        Misuse::new(format!("{}: {error}", path.display()))
            .help("--schema takes a JSON Schema that describes one item and needs no other file")
    };
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    Schemas::own(&text).map_err(|e| failed(&e))
}

pub fn steps(text: &str) -> Result<Vec<String>, Misuse> {
    pointer::parse(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a JSON Pointer"))
            .help("a pointer begins with '/', as in --pointer /data/request")
    })
}

/// A number of bytes, as a record or an image may have, up to 4 GiB: offsets within a record have 32 bits.
pub fn size(text: &str) -> Result<u64, Misuse> {
    let bytes = bytes(text).filter(|n| *n <= u64::from(u32::MAX));
    bytes.ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a valid size"))
            .help("a size is a number of bytes up to 4G, as in 512M")
    })
}

/// A size of any length.
pub fn large_size(text: &str) -> Result<u64, Misuse> {
    bytes(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a valid size")).help("a size is a number of bytes, as in 512M or 64G")
    })
}

fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.trim_end_matches(['B', 'b']).split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "k" | "K")) => (digits, 10),
        Some((digits, "M" | "m")) => (digits, 20),
        Some((digits, "G" | "g")) => (digits, 30),
        Some((digits, "T" | "t")) => (digits, 40),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift)).filter(|n| *n > 0)
}

/// How old stored items may be, and what time it is.
fn age(about: &FileOptions) -> Result<Option<Age>, Misuse> {
    let now = about.now.as_deref().map(moment).transpose()?;
    let Some(most) = about.max_item_age.as_deref().map(duration).transpose()? else { return Ok(None) };
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |past| past.as_secs());
    Ok(Some(Age { most, now: now.map_or_else(clock, |now| u64::try_from(now).unwrap_or(0)) }))
}

/// A span of time, in seconds.
fn duration(text: &str) -> Result<u64, Misuse> {
    time::span(text, 1).and_then(|seconds| u64::try_from(seconds).ok()).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a duration"))
            .help("a duration is a number with s, m, h, d or w, as in --max-item-age 30d")
    })
}

/// A time, as Unix seconds; a day alone means its beginning in UTC.
pub fn moment(text: &str) -> Result<i64, Misuse> {
    time::parse(text).ok_or_else(|| {
        Misuse::new(format!("'{text}' is not a time"))
            .help("a time is Unix seconds, or a date as in --now 2026-01-31T12:00:00Z")
    })
}

/// `RL102`, a prefix such as `RL1`, or a name.
fn matches(selector: &str, rule: &Rule) -> bool {
    let code = rule.code.to_string();
    let prefix = selector.len() > 2 && code.to_ascii_lowercase().starts_with(&selector.to_ascii_lowercase());
    selector.eq_ignore_ascii_case("all") || prefix || selector == rule.name
}

pub fn enabled(select: &[String], ignore: &[String], proven: &[String]) -> Result<Enabled, Misuse> {
    for selector in select.iter().chain(ignore).chain(proven) {
        if !RULES.iter().any(|rule| matches(selector, rule)) {
            let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
            let hint = meant(selector, &names).map(|name| format!("did you mean '{name}'? ")).unwrap_or_default();
            return Err(Misuse::new(format!("unknown rule '{selector}'"))
                .help(format!("{hint}rules are selected by code (RL102), prefix (RL1) or name (orphan-output)")));
        }
    }
    let any = |list: &[String], rule: &Rule| list.iter().any(|selector| matches(selector, rule));
    let enabled = Enabled::new(|rule| (select.is_empty() || any(select, rule)) && !any(ignore, rule));
    Ok(enabled.proving(selected(proven)))
}

/// The rules that were asked for by name.
pub fn selected(select: &[String]) -> Vec<Code> {
    let wanted = |rule: &&&'static Rule| select.iter().any(|selector| matches(selector, rule));
    RULES.iter().filter(wanted).map(|rule| rule.code).collect()
}

/// Paths listed in a file or on standard input, one a line. Names are bytes, where the system says so.
pub fn listed(path: &Path) -> Result<Vec<PathBuf>, Misuse> {
    let failed = |error: std::io::Error| Misuse::new(words(&path.display(), &error));
    let text = match path.as_os_str() == "-" {
        true => {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text).map(|_| text)
        }
        false => std::fs::read(path),
    };
    let text = text.map_err(failed)?;
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty()).map(|line| of_bytes(line).ok_or_else(|| not_utf8(path))).collect()
}

#[cfg(unix)]
fn of_bytes(name: &[u8]) -> Option<PathBuf> {
    Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into())
}

#[cfg(not(unix))]
fn of_bytes(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

fn not_utf8(path: &Path) -> Misuse {
    Misuse::new(format!("{}: a name in the list is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_file() {
        let config = Config::parse(
            "target = \"azure\"\nignore = [\"RL311\"]\n[[files]]\npaths = [\"logs/**\"]\ntarget = \"codex\"\n",
        )
        .expect("a config");
        let lints = Lints::new(&FileOptions::default(), &config).expect("options");
        assert_eq!(lints.of("a.json").target.map(|t| t.name), Some("azure"));
        assert_eq!(lints.of("logs/x/a.jsonl").target.map(|t| t.name), Some("codex"));
        assert!(!lints.of("logs/x/a.jsonl").enabled.has(Code(311)));
        let told = FileOptions { target: Some("xai".to_owned()), ..FileOptions::default() };
        let lints = Lints::new(&told, &config).expect("options");
        assert_eq!(lints.of("logs/x/a.jsonl").target.map(|t| t.name), Some("xai"));
    }

    #[test]
    fn unknown_keys_and_names_are_errors() {
        assert!(Config::parse("tagret = \"azure\"").is_err());
        assert!(Config::parse("[[files]]\npaths = [\"a\"]\nx = 1").is_err());
        let misuse = target("open-ai").expect_err("unknown");
        assert!(misuse.help.is_some_and(|help| help.starts_with("did you mean 'openai'?")));
    }

    #[test]
    fn rules_are_selected_by_code_prefix_and_name() {
        let of = |select: &[&str], ignore: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            enabled(&own(select), &own(ignore), &[]).ok()
        };
        let some = of(&["RL1", "duplicate-id"], &["rl103"]).expect("rules");
        assert!(some.has(Code(101)) && some.has(Code(301)) && !some.has(Code(103)) && !some.has(Code(201)));
        assert!(of(&["RL999"], &[]).is_none());
    }

    #[test]
    fn ages_and_times_are_read() {
        assert_eq!(duration("30d").ok(), Some(2_592_000));
        assert!(duration("1y").is_err() && moment("soon").is_err());
        assert_eq!(moment("2026-01-31T13:00:00+01:00").ok(), Some(1_769_860_800));
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("512M").ok(), Some(512 << 20));
        assert_eq!(size("100").ok(), Some(100));
        assert_eq!(large_size("2T").ok(), Some(2 << 40));
        assert!(large_size("x").is_err() && large_size("0G").is_err());
        assert!(size("5G").is_err() && size("x").is_err() && size("0").is_err());
    }
}
