//! The keys of a config file, with their types and descriptions. Parsing, the JSON Schema and the file that `init` writes
//! use this table.

use super::names::{ORDERS, USAGES, format, formats, order, target, targets, usage};
use super::selection::check_selector;
use super::usage_error::UsageError;
use super::values::{parse_duration, parse_pointer, parse_size, parse_time, parse_version};

/// The type of a value.
#[derive(Clone, Copy)]
pub enum KeyKind {
    Flag,
    /// A string that passes a check.
    Text(ValueCheck),
    /// One of a few names.
    Name(fn() -> Vec<&'static str>, ValueCheck),
    List(ValueCheck),
    Globs,
    /// Rules, and tables that each accept a finding.
    Ignore,
    /// A table of rules and severities.
    Severity,
    /// Tables with settings for some files.
    Files,
}

type ValueCheck = fn(&str) -> Result<(), UsageError>;

/// A key of a config file.
pub struct ConfigKey {
    pub name: &'static str,
    pub kind: KeyKind,
    /// True if the key is also allowed in `[[files]]`.
    pub is_for_files: bool,
    pub description: &'static str,
    pub example: &'static str,
}

const fn key(
    name: &'static str,
    kind: KeyKind,
    is_for_files: bool,
    description: &'static str,
    example: &'static str,
) -> ConfigKey {
    ConfigKey { name, kind, is_for_files, description, example }
}

fn accept_any(_: &str) -> Result<(), UsageError> {
    Ok(())
}

#[rustfmt::skip]
pub const KEYS: [ConfigKey; 24] = [
    key("target", KeyKind::Name(targets, |text| target(text).map(drop)), true,
        "API to check against (see `replaylint targets`)", "\"azure\""),
    key("format", KeyKind::Name(formats, |text| format(text).map(drop)), true,
        "Stored format (see `replaylint formats`), instead of the detected one", "\"chat-request\""),
    key("store", KeyKind::Flag, true, "Whether the server stores items, if the file does not specify it", "false"),
    key("as", KeyKind::Name(|| USAGES.to_vec(), |text| usage(text).map(drop)), true,
        "Treat files as requests or as logs", "\"log\""),
    key("model", KeyKind::Text(accept_any), true, "Model, if the file does not specify it", "\"gpt-5.1\""),
    key("effort", KeyKind::Text(accept_any), true, "Reasoning effort, if the file does not specify it", "\"high\""),
    key("agent-version", KeyKind::Text(|text| parse_version(text).map(drop)), true,
        "Agent version that will resume the session", "\"2.1.80\""),
    key("select", KeyKind::List(check_selector), true, "Enable only these rules: codes (RL102), prefixes (RL1) or names", "[\"RL1\", \"RL2\"]"),
    key("extend-select", KeyKind::List(check_selector), true, "Enable these rules in addition to the selected ones", "[\"RL311\"]"),
    key("ignore", KeyKind::Ignore, true,
        "Disable these rules; a table accepts a single finding: rule, reason, and path, id or pointer", "[\"RL311\"]"),
    key("proven", KeyKind::List(check_selector), true,
        "Treat these rules as errors, because the server rejected this request for them", "[\"RL204\"]"),
    key("severity", KeyKind::Severity, true, "Severities of rules: error, warning or info", "{ RL311 = \"info\" }"),
    key("schema", KeyKind::Text(accept_any), true,
        "Check each item against this JSON Schema instead of the provider's; relative to this file", "\"item.schema.json\""),
    key("pointer", KeyKind::Text(|text| parse_pointer(text).map(drop)), true,
        "JSON Pointer to the conversation in each record", "\"/request/body\""),
    key("order", KeyKind::Name(|| ORDERS.to_vec(), |text| order(text).map(drop)), true,
        "Order of a page of items, if the file does not specify it", "\"newest-first\""),
    key("all-branches", KeyKind::Flag, true, "Check every branch of a session, not just the current one", "true"),
    key("max-item-age", KeyKind::Text(|text| parse_duration(text).map(drop)), true,
        "Report references to server-side items older than this", "\"30d\""),
    key("now", KeyKind::Text(|text| parse_time(text).map(drop)), true,
        "Time to use as \"now\" when computing ages", "\"2026-01-31\""),
    key("max-record-size", KeyKind::Text(|text| parse_size(text).map(drop)), true,
        "Do not read records larger than this", "\"512M\""),
    key("exclude", KeyKind::Globs, false, "Skip files in folders that match", "[\"archive/\"]"),
    key("ext", KeyKind::List(accept_any), false, "File extensions to read in folders", "[\"json\", \"jsonl\"]"),
    key("no-ignore", KeyKind::Flag, false, "Also read files excluded by .gitignore and .ignore", "true"),
    key("deny-warnings", KeyKind::Flag, false, "Exit with 1 on warnings as well", "true"),
    key("files", KeyKind::Files, false, "Settings for some files only; the first entry with a matching path applies", ""),
];

/// The keys of a table that accepts a finding.
pub const IGNORE_KEYS: [(&str, &str); 5] = [
    ("rule", "Rule, by code, prefix or name"),
    ("path", "Glob of the files, relative to this file"),
    ("id", "Item id or call id of the finding"),
    ("pointer", "JSON Pointer of the finding in its record"),
    ("reason", "Why the finding is accepted"),
];

/// Keys whose values in `[[files]]` are added to those of the top of the file.
pub const LAYERED: [&str; 5] = ["select", "extend-select", "ignore", "proven", "severity"];

pub const SEVERITIES: [&str; 3] = ["error", "warning", "info"];

pub fn by_name(name: &str) -> Option<&'static ConfigKey> {
    KEYS.iter().find(|key| key.name == name)
}

impl KeyKind {
    /// The expected type, for messages.
    pub fn name(self) -> &'static str {
        match self {
            KeyKind::Flag => "true or false",
            KeyKind::Text(_) | KeyKind::Name(..) => "a string",
            KeyKind::List(_) | KeyKind::Globs => "an array of strings",
            KeyKind::Ignore => "an array of rules",
            KeyKind::Severity => "a table",
            KeyKind::Files => "an array of tables",
        }
    }
}
