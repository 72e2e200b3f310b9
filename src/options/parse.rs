//! Parsing of config files. Errors are reported with their line and column.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::source::display_name;
use crate::source::inputs::globs::Glob;
use crate::target::Severity;

use super::config::{Config, ConfigSetting, FileSection, LineValue, SeverityOverrides, Waiver};
use super::file_options::FileOptions;
use super::keys::{ConfigKey, IGNORE_KEYS, KEYS, KeyKind, SEVERITIES, by_name};
use super::selection::check_selector;
use super::spelling::{suggest, unknown_name};
use super::usage_error::UsageError;

/// The text of a config file.
pub(super) struct ConfigSource<'t> {
    pub text: &'t str,
    /// The name of the file as printed.
    pub label: &'t str,
    /// The folder of the file.
    pub folder: &'t Path,
}

type TomlValue<'t> = Spanned<DeValue<'t>>;
type TomlTable<'t> = DeTable<'t>;

/// A parsed value.
enum ConfigValue {
    Flag(bool),
    Text(String),
    List(Vec<LineValue<String>>),
}

impl ConfigSource<'_> {
    /// Parses the file, or the table at the path `within` it; `None` if there is no such table.
    pub fn config(&self, within: &[&str]) -> Result<Option<Config>, UsageError> {
        let parsed = DeTable::parse(self.text).map_err(|error| self.error(error.span(), error.message()))?;
        let mut table = parsed.get_ref();
        for step in within {
            match table.get(*step).and_then(|value| value.get_ref().as_table()) {
                Some(below) => table = below,
                None => return Ok(None),
            }
        }
        let mut config =
            Config { label: self.label.to_owned(), folder: self.folder.to_owned(), ..Config::default() };
        for (name, value) in table {
            let key = self.key(name.get_ref(), name.span(), false)?;
            if !matches!(key.kind, KeyKind::Files) {
                config.settings.push(self.setting(key, name.span(), value));
            }
            match (key.name, key.kind) {
                (_, KeyKind::Files) => config.files = self.files(key, value)?,
                (_, KeyKind::Severity) => config.severity = self.severities(key, value)?,
                (_, KeyKind::Ignore) => {
                    (config.options.ignore, config.waivers) = self.ignore_entries(key, value)?
                }
                (_, KeyKind::Globs) => {
                    let globs = self.strings(key, value)?.into_iter();
                    config.exclude = globs.map(|glob| self.glob(glob, Arc::new)).collect::<Result<_, _>>()?;
                }
                (name, _) => match (name, self.config_value(key, value)?) {
                    ("ext", ConfigValue::List(list)) => config.ext = texts(list),
                    ("no-ignore", ConfigValue::Flag(flag)) => config.no_ignore = flag,
                    ("deny-warnings", ConfigValue::Flag(flag)) => config.deny_warnings = flag,
                    (_, given) => self.set(&mut config.options, key, given),
                },
            }
        }
        config.settings.sort_by_key(|said| said.line);
        Ok(Some(config))
    }

    fn files(&self, key: &ConfigKey, value: &TomlValue<'_>) -> Result<Vec<FileSection>, UsageError> {
        let entries = value.get_ref().as_array().ok_or_else(|| self.type_error(key, value))?;
        let mut all = Vec::new();
        for entry in entries {
            let table = entry.get_ref().as_table().ok_or_else(|| self.type_error(key, entry))?;
            let mut files = FileSection::default();
            for (name, value) in table {
                if name.get_ref() == "paths" {
                    let globs = self.list("paths", value)?.into_iter();
                    files.paths = globs.map(|glob| self.glob(glob, |glob| glob)).collect::<Result<_, _>>()?;
                    continue;
                }
                let key = self.key(name.get_ref(), name.span(), true)?;
                files.settings.push(self.setting(key, name.span(), value));
                match key.kind {
                    KeyKind::Severity => files.severity = self.severities(key, value)?,
                    KeyKind::Ignore => {
                        let (rules, waivers) = self.ignore_entries(key, value)?;
                        if !waivers.is_empty() {
                            let usage_error = self
                                .error(Some(value.span()), "[[files]] can ignore rules, but not single findings");
                            return Err(usage_error.help("put [[ignore]] with a path at the top of the file"));
                        }
                        files.options.ignore = rules;
                    }
                    _ => {
                        let given = self.config_value(key, value)?;
                        self.set(&mut files.options, key, given);
                    }
                }
            }
            if files.paths.is_empty() {
                return Err(self
                    .error(Some(entry.span()), "[[files]] has no paths")
                    .help("add paths = [\"logs/**\"]"));
            }
            files.settings.sort_by_key(|said| said.line);
            all.push(files);
        }
        Ok(all)
    }

    fn severities(&self, key: &ConfigKey, value: &TomlValue<'_>) -> Result<SeverityOverrides, UsageError> {
        let table = value.get_ref().as_table().ok_or_else(|| self.type_error(key, value))?;
        let mut lines: Vec<(usize, (String, Severity))> = Vec::new();
        for (name, value) in table {
            check_selector(name.get_ref()).map_err(|usage_error| self.with_position(name.span(), usage_error))?;
            let severity = match value.get_ref().as_str() {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                Some("info") => Severity::Info,
                Some(other) => {
                    return Err(
                        self.with_position(value.span(), unknown_name("severity", other, SEVERITIES.to_vec()))
                    );
                }
                None => return Err(self.error(Some(value.span()), "a severity must be a string")),
            };
            lines.push((name.span().start, (name.get_ref().to_string(), severity)));
        }
        // The table is sorted by its keys; the last one in the file takes precedence.
        lines.sort_by_key(|(start, _)| *start);
        Ok(SeverityOverrides(lines.into_iter().map(|(_, severity)| severity).collect()))
    }

    /// Parses the ignored rules, and accepted single findings.
    fn ignore_entries(
        &self,
        key: &ConfigKey,
        value: &TomlValue<'_>,
    ) -> Result<(Vec<String>, Vec<Waiver>), UsageError> {
        let entries = value.get_ref().as_array().ok_or_else(|| self.type_error(key, value))?;
        let (mut rules, mut waivers) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.get_ref() {
                DeValue::String(rule) => {
                    check_selector(rule).map_err(|usage_error| self.with_position(entry.span(), usage_error))?;
                    rules.push(rule.to_string());
                }
                DeValue::Table(table) => waivers.push(self.waiver(table, entry.span())?),
                _ => return Err(self.type_error(key, entry)),
            }
        }
        Ok((rules, waivers))
    }

    fn waiver(&self, table: &TomlTable<'_>, span: Range<usize>) -> Result<Waiver, UsageError> {
        let mut waiver = Waiver::new(self.line(span.start), String::new(), String::new());
        for (name, value) in table {
            let text = value.get_ref().as_str();
            let text = text.ok_or_else(|| self.error(Some(value.span()), &format!("{name} must be a string")))?;
            match name.get_ref().as_ref() {
                "rule" => {
                    check_selector(text).map_err(|usage_error| self.with_position(value.span(), usage_error))?;
                    text.clone_into(&mut waiver.rule);
                }
                "reason" => text.trim().clone_into(&mut waiver.reason),
                "id" => waiver.id = Some(text.to_owned()),
                "pointer" => {
                    super::values::parse_pointer(text)
                        .map_err(|usage_error| self.with_position(value.span(), usage_error))?;
                    waiver.pointer = Some(text.to_owned());
                }
                "path" => {
                    let glob = LineValue { line: self.line(value.span().start), value: text.to_owned() };
                    waiver.path = Some(self.glob(glob, |glob| glob)?.value);
                }
                other => {
                    let names: Vec<&str> = IGNORE_KEYS.iter().map(|(name, _)| *name).collect();
                    return Err(self.with_position(name.span(), unknown_name("key of [[ignore]]", other, names)));
                }
            }
        }
        let missing = match &waiver {
            Waiver { rule, .. } if rule.is_empty() => "a rule",
            Waiver { reason, .. } if reason.is_empty() => "a reason",
            Waiver { path: None, id: None, pointer: None, .. } => "a path, an id or a pointer",
            _ => return Ok(waiver),
        };
        let usage_error = self.error(Some(span), &format!("[[ignore]] needs {missing}"));
        Err(usage_error.help("ignore = [\"RL311\"] skips a rule everywhere"))
    }

    fn config_value(&self, key: &ConfigKey, value: &TomlValue<'_>) -> Result<ConfigValue, UsageError> {
        let check = |text: &str, span, check: fn(&str) -> Result<(), UsageError>| {
            check(text).map_err(|usage_error| self.with_position(span, usage_error))
        };
        match (key.kind, value.get_ref()) {
            (KeyKind::Flag, DeValue::Boolean(flag)) => Ok(ConfigValue::Flag(*flag)),
            (KeyKind::Text(passes) | KeyKind::Name(_, passes), DeValue::String(text)) => {
                check(text, value.span(), passes)?;
                Ok(ConfigValue::Text(text.to_string()))
            }
            (KeyKind::List(passes), DeValue::Array(entries)) => {
                let list = self.strings(key, value)?;
                for (entry, text) in entries.iter().zip(&list) {
                    check(&text.value, entry.span(), passes)?;
                }
                Ok(ConfigValue::List(list))
            }
            _ => Err(self.type_error(key, value)),
        }
    }

    fn set(&self, options: &mut FileOptions, key: &ConfigKey, given: ConfigValue) {
        match (key.name, given) {
            ("format", ConfigValue::Text(text)) => options.format = Some(text),
            ("target", ConfigValue::Text(text)) => options.target = Some(text),
            ("store", ConfigValue::Flag(flag)) => options.store = Some(flag),
            ("as", ConfigValue::Text(text)) => options.usage = Some(text),
            ("model", ConfigValue::Text(text)) => options.model = Some(text),
            ("agent-version", ConfigValue::Text(text)) => options.agent_version = Some(text),
            ("effort", ConfigValue::Text(text)) => options.effort = Some(text),
            ("pointer", ConfigValue::Text(text)) => options.pointer = Some(text),
            ("order", ConfigValue::Text(text)) => options.order = Some(text),
            ("max-record-size", ConfigValue::Text(text)) => options.max_record_size = Some(text),
            ("schema", ConfigValue::Text(text)) => options.schema = Some(self.folder.join(PathBuf::from(text))),
            ("max-item-age", ConfigValue::Text(text)) => options.max_item_age = Some(text),
            ("now", ConfigValue::Text(text)) => options.now = Some(text),
            ("all-branches", ConfigValue::Flag(flag)) => options.all_branches = flag,
            ("select", ConfigValue::List(list)) => options.select = texts(list),
            ("extend-select", ConfigValue::List(list)) => options.extend_select = texts(list),
            ("proven", ConfigValue::List(list)) => options.proven = texts(list),
            _ => {}
        }
    }

    fn strings(&self, key: &ConfigKey, value: &TomlValue<'_>) -> Result<Vec<LineValue<String>>, UsageError> {
        self.list(key.name, value)
    }

    fn list(&self, name: &str, value: &TomlValue<'_>) -> Result<Vec<LineValue<String>>, UsageError> {
        let wrong = |value: &TomlValue<'_>| {
            let what = format!("{name} must be an array of strings, not {}", type_of(value.get_ref()));
            self.error(Some(value.span()), &what)
        };
        let entries = value.get_ref().as_array().ok_or_else(|| wrong(value))?;
        let text = |entry: &TomlValue<'_>| {
            let text = entry.get_ref().as_str().ok_or_else(|| wrong(entry))?;
            Ok(LineValue { line: self.line(entry.span().start), value: text.to_owned() })
        };
        entries.iter().map(text).collect()
    }

    fn glob<T>(&self, glob: LineValue<String>, made: impl Fn(Glob) -> T) -> Result<LineValue<T>, UsageError> {
        let LineValue { line, value } = glob;
        let glob = Glob::new(self.folder, &value).map_err(|error| {
            UsageError::new(format!("{}:{line}: not a valid glob: {error}", display_name(self.label)))
        })?;
        Ok(LineValue { line, value: made(glob) })
    }

    fn key(&self, name: &str, span: Range<usize>, of_files: bool) -> Result<&'static ConfigKey, UsageError> {
        let known: Vec<&str> =
            KEYS.iter().filter(|key| key.is_for_files || !of_files).map(|key| key.name).collect();
        match by_name(name) {
            Some(key) if key.is_for_files || !of_files => Ok(key),
            Some(_) => {
                let what = format!("{name} applies to all files, so it is not allowed in [[files]]");
                Err(self.error(Some(span), &what).help("put it at the top of the file"))
            }
            None => {
                let plain = name.replace('_', "-");
                let hint =
                    suggest(&plain, &known).map(|key| format!("did you mean '{key}'? ")).unwrap_or_default();
                let usage_error = self.error(Some(span), &format!("unknown key '{name}'"));
                Err(usage_error.help(format!("{hint}known: {}", known.join(", "))))
            }
        }
    }

    fn setting(&self, key: &ConfigKey, name: Range<usize>, value: &TomlValue<'_>) -> ConfigSetting {
        let written = self.text.get(value.span()).unwrap_or_default();
        // A table may be written in several parts of the file.
        let value = match value.get_ref() {
            DeValue::Table(table) => {
                let one = |(name, value): (&Spanned<_>, &TomlValue<'_>)| {
                    let name: &std::borrow::Cow<'_, str> = name.get_ref();
                    format!("{name} = {}", self.text.get(value.span()).unwrap_or_default())
                };
                format!("{{ {} }}", table.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            _ => written.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        ConfigSetting { line: self.line(name.start), key: key.name.to_owned(), value }
    }

    fn type_error(&self, key: &ConfigKey, value: &TomlValue<'_>) -> UsageError {
        let what = format!("{} must be {}, not {}", key.name, key.kind.name(), type_of(value.get_ref()));
        self.error(Some(value.span()), &what).help(format!("example: {} = {}", key.name, key.example))
    }

    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    fn error(&self, span: Option<Range<usize>>, what: &str) -> UsageError {
        self.with_position(span.unwrap_or(0..0), UsageError::new(what))
    }

    /// Adds the position of an error to its message.
    fn with_position(&self, span: Range<usize>, usage_error: UsageError) -> UsageError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let place = format!("{}:{}:{column}", display_name(self.label), self.line(span.start));
        UsageError { message: format!("{place}: {}", usage_error.message), ..usage_error }
    }
}

fn texts(list: Vec<LineValue<String>>) -> Vec<String> {
    list.into_iter().map(|text| text.value).collect()
}

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
