//! The keys of a config file: what each may hold, and what it is for. Parsing, the JSON Schema and the file that `init`
//! writes are made of this table.

use super::misuse::Misuse;
use super::names::{ORDERS, USAGES, format, formats, order, target, targets, usage};
use super::selection::known;
use super::values::{duration, moment, size, steps, version};

/// What a key may hold.
#[derive(Clone, Copy)]
pub enum Kind {
    Flag,
    /// A string that passes the check.
    Text(Check),
    /// One of a few names.
    Name(fn() -> Vec<&'static str>, Check),
    List(Check),
    Globs,
    /// Rules, and tables that each ignore a finding.
    Ignore,
    /// A table of rules and severities.
    Severity,
    /// Tables with settings for some files.
    Files,
}

type Check = fn(&str) -> Result<(), Misuse>;

pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// It may also be said of some files.
    pub of_files: bool,
    pub about: &'static str,
    pub example: &'static str,
}

const fn key(name: &'static str, kind: Kind, of_files: bool, about: &'static str, example: &'static str) -> Key {
    Key { name, kind, of_files, about, example }
}

fn any(_: &str) -> Result<(), Misuse> {
    Ok(())
}

#[rustfmt::skip]
pub const KEYS: [Key; 24] = [
    key("target", Kind::Name(targets, |text| target(text).map(drop)), true,
        "API to judge for (see `replaylint targets`)", "\"azure\""),
    key("format", Kind::Name(formats, |text| format(text).map(drop)), true,
        "Stored format (see `replaylint formats`); else it is detected", "\"chat-request\""),
    key("store", Kind::Flag, true, "Whether the server stores items, if the file does not say", "false"),
    key("as", Kind::Name(|| USAGES.to_vec(), |text| usage(text).map(drop)), true,
        "Treat files as requests or as logs", "\"log\""),
    key("model", Kind::Text(any), true, "Model, if the file does not name it", "\"gpt-5.1\""),
    key("effort", Kind::Text(any), true, "Reasoning effort, if the file does not say", "\"high\""),
    key("agent-version", Kind::Text(|text| version(text).map(drop)), true,
        "Version of the agent that is to resume a session", "\"2.1.80\""),
    key("select", Kind::List(known), true, "Run only these rules: codes (RL102), prefixes (RL1), names", "[\"RL1\", \"RL2\"]"),
    key("extend-select", Kind::List(known), true, "Run these rules, too", "[\"RL311\"]"),
    key("ignore", Kind::Ignore, true,
        "Skip these rules; a table ignores a single finding: rule, reason, and path, id or pointer", "[\"RL311\"]"),
    key("proven", Kind::List(known), true,
        "Report findings of these rules as errors: the server has rejected the history for them", "[\"RL204\"]"),
    key("severity", Kind::Severity, true, "Severities of rules: error, warning or info", "{ RL311 = \"info\" }"),
    key("schema", Kind::Text(any), true,
        "Check each item against this JSON Schema instead of the provider's; relative to this file", "\"item.schema.json\""),
    key("pointer", Kind::Text(|text| steps(text).map(drop)), true,
        "JSON Pointer to the conversation, in each record", "\"/request/body\""),
    key("order", Kind::Name(|| ORDERS.to_vec(), |text| order(text).map(drop)), true,
        "Order of a page of items, if the file does not say", "\"newest-first\""),
    key("all-branches", Kind::Flag, true, "Check every branch of a session, not just the current one", "true"),
    key("max-item-age", Kind::Text(|text| duration(text).map(drop)), true,
        "Report references to server-side items older than this", "\"30d\""),
    key("now", Kind::Text(|text| moment(text).map(drop)), true,
        "Time to count ages from, instead of the clock", "\"2026-01-31\""),
    key("max-record-size", Kind::Text(|text| size(text).map(drop)), true,
        "Do not read records larger than this", "\"512M\""),
    key("exclude", Kind::Globs, false, "Skip what matches below a folder", "[\"archive/\"]"),
    key("ext", Kind::List(any), false, "File extensions to read in folders", "[\"json\", \"jsonl\"]"),
    key("no-ignore", Kind::Flag, false, "Also read what .gitignore and .ignore files name", "true"),
    key("deny-warnings", Kind::Flag, false, "Exit with 1 on warnings, too", "true"),
    key("files", Kind::Files, false, "Settings for some files only; the first entry whose paths match is used", ""),
];

/// The keys of a table that ignores a finding.
pub const IGNORE_KEYS: [(&str, &str); 5] = [
    ("rule", "Rule, by code, prefix or name"),
    ("path", "Glob of the files, relative to this file"),
    ("id", "Item id or call id of the finding"),
    ("pointer", "JSON Pointer of the finding, in its record"),
    ("reason", "Why the finding is accepted"),
];

/// Keys whose values in `[[files]]` are added to those of the top of the file.
pub const LAYERED: [&str; 5] = ["select", "extend-select", "ignore", "proven", "severity"];

pub const SEVERITIES: [&str; 3] = ["error", "warning", "info"];

pub fn by_name(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

impl Kind {
    /// What a value of another type should have been.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Flag => "true or false",
            Kind::Text(_) | Kind::Name(..) => "a string",
            Kind::List(_) | Kind::Globs => "an array of strings",
            Kind::Ignore => "an array of rules",
            Kind::Severity => "a table",
            Kind::Files => "an array of tables",
        }
    }
}
