//! From the text of a config file to what it says. What is wrong in it is reported with its line.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::source::display_name;
use crate::source::inputs::globs::Glob;
use crate::target::Severity;

use super::about::FileOptions;
use super::config::{Config, ForFiles, Said, Severities, Waiver, Written};
use super::keys::{IGNORE_KEYS, KEYS, Key, Kind, SEVERITIES, by_name};
use super::misuse::Misuse;
use super::selection::known;
use super::spelling::{meant, unknown};

/// A config file on its way.
pub(super) struct Source<'t> {
    pub text: &'t str,
    /// What the file is called.
    pub label: &'t str,
    /// The folder of the file.
    pub folder: &'t Path,
}

type Value<'t> = Spanned<DeValue<'t>>;
type Table<'t> = DeTable<'t>;

/// What a value gave.
enum Given {
    Flag(bool),
    Text(String),
    List(Vec<Written<String>>),
}

impl Source<'_> {
    /// What the file says, or the table of ours in it; `None` if it has none.
    pub fn config(&self, within: &[&str]) -> Result<Option<Config>, Misuse> {
        let parsed = DeTable::parse(self.text).map_err(|error| self.wrong(error.span(), error.message()))?;
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
            if !matches!(key.kind, Kind::Files) {
                config.said.push(self.said(key, name.span(), value));
            }
            match (key.name, key.kind) {
                (_, Kind::Files) => config.files = self.files(key, value)?,
                (_, Kind::Severity) => config.severity = self.severities(key, value)?,
                (_, Kind::Ignore) => (config.about.ignore, config.waivers) = self.ignored(key, value)?,
                (_, Kind::Globs) => {
                    let globs = self.strings(key, value)?.into_iter();
                    config.exclude = globs.map(|glob| self.glob(glob, Arc::new)).collect::<Result<_, _>>()?;
                }
                (name, _) => match (name, self.given(key, value)?) {
                    ("ext", Given::List(list)) => config.ext = texts(list),
                    ("no-ignore", Given::Flag(flag)) => config.no_ignore = flag,
                    ("deny-warnings", Given::Flag(flag)) => config.deny_warnings = flag,
                    (_, given) => self.set(&mut config.about, key, given),
                },
            }
        }
        config.said.sort_by_key(|said| said.line);
        Ok(Some(config))
    }

    fn files(&self, key: &Key, value: &Value<'_>) -> Result<Vec<ForFiles>, Misuse> {
        let entries = value.get_ref().as_array().ok_or_else(|| self.other_type(key, value))?;
        let mut all = Vec::new();
        for entry in entries {
            let table = entry.get_ref().as_table().ok_or_else(|| self.other_type(key, entry))?;
            let mut files = ForFiles::default();
            for (name, value) in table {
                if name.get_ref() == "paths" {
                    let globs = self.list("paths", value)?.into_iter();
                    files.paths = globs.map(|glob| self.glob(glob, |glob| glob)).collect::<Result<_, _>>()?;
                    continue;
                }
                let key = self.key(name.get_ref(), name.span(), true)?;
                files.said.push(self.said(key, name.span(), value));
                match key.kind {
                    Kind::Severity => files.severity = self.severities(key, value)?,
                    Kind::Ignore => {
                        let (rules, waivers) = self.ignored(key, value)?;
                        if !waivers.is_empty() {
                            let misuse =
                                self.wrong(Some(value.span()), "[[files]] ignores rules, not single findings");
                            return Err(misuse.help("put [[ignore]] with a path at the top of the file"));
                        }
                        files.about.ignore = rules;
                    }
                    _ => {
                        let given = self.given(key, value)?;
                        self.set(&mut files.about, key, given);
                    }
                }
            }
            if files.paths.is_empty() {
                return Err(self
                    .wrong(Some(entry.span()), "[[files]] has no paths")
                    .help("add paths = [\"logs/**\"]"));
            }
            files.said.sort_by_key(|said| said.line);
            all.push(files);
        }
        Ok(all)
    }

    fn severities(&self, key: &Key, value: &Value<'_>) -> Result<Severities, Misuse> {
        let table = value.get_ref().as_table().ok_or_else(|| self.other_type(key, value))?;
        let mut lines: Vec<(usize, (String, Severity))> = Vec::new();
        for (name, value) in table {
            known(name.get_ref()).map_err(|misuse| self.at(name.span(), misuse))?;
            let severity = match value.get_ref().as_str() {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                Some("info") => Severity::Info,
                Some(other) => {
                    return Err(self.at(value.span(), unknown("severity", other, SEVERITIES.to_vec())));
                }
                None => return Err(self.wrong(Some(value.span()), "a severity must be a string")),
            };
            lines.push((name.span().start, (name.get_ref().to_string(), severity)));
        }
        // The table is sorted by its keys; what is written last wins.
        lines.sort_by_key(|(start, _)| *start);
        Ok(Severities(lines.into_iter().map(|(_, severity)| severity).collect()))
    }

    /// Rules, and single findings.
    fn ignored(&self, key: &Key, value: &Value<'_>) -> Result<(Vec<String>, Vec<Waiver>), Misuse> {
        let entries = value.get_ref().as_array().ok_or_else(|| self.other_type(key, value))?;
        let (mut rules, mut waivers) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.get_ref() {
                DeValue::String(rule) => {
                    known(rule).map_err(|misuse| self.at(entry.span(), misuse))?;
                    rules.push(rule.to_string());
                }
                DeValue::Table(table) => waivers.push(self.waiver(table, entry.span())?),
                _ => return Err(self.other_type(key, entry)),
            }
        }
        Ok((rules, waivers))
    }

    fn waiver(&self, table: &Table<'_>, span: Range<usize>) -> Result<Waiver, Misuse> {
        let mut waiver = Waiver::new(self.line(span.start), String::new(), String::new());
        for (name, value) in table {
            let text = value.get_ref().as_str();
            let text = text.ok_or_else(|| self.wrong(Some(value.span()), &format!("{name} must be a string")))?;
            match name.get_ref().as_ref() {
                "rule" => {
                    known(text).map_err(|misuse| self.at(value.span(), misuse))?;
                    text.clone_into(&mut waiver.rule);
                }
                "reason" => text.trim().clone_into(&mut waiver.reason),
                "id" => waiver.id = Some(text.to_owned()),
                "pointer" => {
                    super::values::steps(text).map_err(|misuse| self.at(value.span(), misuse))?;
                    waiver.pointer = Some(text.to_owned());
                }
                "path" => {
                    let glob = Written { line: self.line(value.span().start), what: text.to_owned() };
                    waiver.path = Some(self.glob(glob, |glob| glob)?.what);
                }
                other => {
                    let names: Vec<&str> = IGNORE_KEYS.iter().map(|(name, _)| *name).collect();
                    return Err(self.at(name.span(), unknown("key of [[ignore]]", other, names)));
                }
            }
        }
        let missing = match &waiver {
            Waiver { rule, .. } if rule.is_empty() => "a rule",
            Waiver { reason, .. } if reason.is_empty() => "a reason",
            Waiver { path: None, id: None, pointer: None, .. } => "a path, an id or a pointer",
            _ => return Ok(waiver),
        };
        let misuse = self.wrong(Some(span), &format!("[[ignore]] needs {missing}"));
        Err(misuse.help("ignore = [\"RL311\"] skips a rule everywhere"))
    }

    fn given(&self, key: &Key, value: &Value<'_>) -> Result<Given, Misuse> {
        let check = |text: &str, span, check: fn(&str) -> Result<(), Misuse>| {
            check(text).map_err(|misuse| self.at(span, misuse))
        };
        match (key.kind, value.get_ref()) {
            (Kind::Flag, DeValue::Boolean(flag)) => Ok(Given::Flag(*flag)),
            (Kind::Text(passes) | Kind::Name(_, passes), DeValue::String(text)) => {
                check(text, value.span(), passes)?;
                Ok(Given::Text(text.to_string()))
            }
            (Kind::List(passes), DeValue::Array(entries)) => {
                let list = self.strings(key, value)?;
                for (entry, text) in entries.iter().zip(&list) {
                    check(&text.what, entry.span(), passes)?;
                }
                Ok(Given::List(list))
            }
            _ => Err(self.other_type(key, value)),
        }
    }

    fn set(&self, about: &mut FileOptions, key: &Key, given: Given) {
        match (key.name, given) {
            ("format", Given::Text(text)) => about.format = Some(text),
            ("target", Given::Text(text)) => about.target = Some(text),
            ("store", Given::Flag(flag)) => about.store = Some(flag),
            ("as", Given::Text(text)) => about.usage = Some(text),
            ("model", Given::Text(text)) => about.model = Some(text),
            ("agent-version", Given::Text(text)) => about.agent_version = Some(text),
            ("effort", Given::Text(text)) => about.effort = Some(text),
            ("pointer", Given::Text(text)) => about.pointer = Some(text),
            ("order", Given::Text(text)) => about.order = Some(text),
            ("max-record-size", Given::Text(text)) => about.max_record_size = Some(text),
            ("schema", Given::Text(text)) => about.schema = Some(self.folder.join(PathBuf::from(text))),
            ("max-item-age", Given::Text(text)) => about.max_item_age = Some(text),
            ("now", Given::Text(text)) => about.now = Some(text),
            ("all-branches", Given::Flag(flag)) => about.all_branches = flag,
            ("select", Given::List(list)) => about.select = texts(list),
            ("extend-select", Given::List(list)) => about.extend_select = texts(list),
            ("proven", Given::List(list)) => about.proven = texts(list),
            _ => {}
        }
    }

    fn strings(&self, key: &Key, value: &Value<'_>) -> Result<Vec<Written<String>>, Misuse> {
        self.list(key.name, value)
    }

    fn list(&self, name: &str, value: &Value<'_>) -> Result<Vec<Written<String>>, Misuse> {
        let wrong = |value: &Value<'_>| {
            let what = format!("{name} must be an array of strings, not {}", type_of(value.get_ref()));
            self.wrong(Some(value.span()), &what)
        };
        let entries = value.get_ref().as_array().ok_or_else(|| wrong(value))?;
        let text = |entry: &Value<'_>| {
            let text = entry.get_ref().as_str().ok_or_else(|| wrong(entry))?;
            Ok(Written { line: self.line(entry.span().start), what: text.to_owned() })
        };
        entries.iter().map(text).collect()
    }

    fn glob<T>(&self, glob: Written<String>, made: impl Fn(Glob) -> T) -> Result<Written<T>, Misuse> {
        let Written { line, what } = glob;
        let glob = Glob::new(self.folder, &what).map_err(|error| {
            Misuse::new(format!("{}:{line}: not a valid glob: {error}", display_name(self.label)))
        })?;
        Ok(Written { line, what: made(glob) })
    }

    fn key(&self, name: &str, span: Range<usize>, of_files: bool) -> Result<&'static Key, Misuse> {
        let held: Vec<&str> = KEYS.iter().filter(|key| key.of_files || !of_files).map(|key| key.name).collect();
        match by_name(name) {
            Some(key) if key.of_files || !of_files => Ok(key),
            Some(_) => {
                let what = format!("{name} is for all files, so it cannot be in [[files]]");
                Err(self.wrong(Some(span), &what).help("put it at the top of the file"))
            }
            None => {
                let plain = name.replace('_', "-");
                let hint = meant(&plain, &held).map(|key| format!("did you mean '{key}'? ")).unwrap_or_default();
                let misuse = self.wrong(Some(span), &format!("unknown key '{name}'"));
                Err(misuse.help(format!("{hint}known: {}", held.join(", "))))
            }
        }
    }

    fn said(&self, key: &Key, name: Range<usize>, value: &Value<'_>) -> Said {
        let written = self.text.get(value.span()).unwrap_or_default();
        // A table that is made of several parts of the file is put together again.
        let value = match value.get_ref() {
            DeValue::Table(table) => {
                let one = |(name, value): (&Spanned<_>, &Value<'_>)| {
                    let name: &std::borrow::Cow<'_, str> = name.get_ref();
                    format!("{name} = {}", self.text.get(value.span()).unwrap_or_default())
                };
                format!("{{ {} }}", table.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            _ => written.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        Said { line: self.line(name.start), key: key.name.to_owned(), value }
    }

    fn other_type(&self, key: &Key, value: &Value<'_>) -> Misuse {
        let what = format!("{} must be {}, not {}", key.name, key.kind.name(), type_of(value.get_ref()));
        self.wrong(Some(value.span()), &what).help(format!("as in {} = {}", key.name, key.example))
    }

    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    fn wrong(&self, span: Option<Range<usize>>, what: &str) -> Misuse {
        self.at(span.unwrap_or(0..0), Misuse::new(what))
    }

    /// What is wrong, with its place in front.
    fn at(&self, span: Range<usize>, misuse: Misuse) -> Misuse {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let place = format!("{}:{}:{column}", display_name(self.label), self.line(span.start));
        Misuse { message: format!("{place}: {}", misuse.message), ..misuse }
    }
}

fn texts(list: Vec<Written<String>>) -> Vec<String> {
    list.into_iter().map(|text| text.what).collect()
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
