//! Privacy: canaries in every text, key, role, type, id, URL and file name of every stored format, against every output
//! of every command. Off a terminal and without `--show-content` none of them is printed.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;

use super::reports::run;

/// It has the form of no provider's id, and identifies a person after its twelfth character.
pub const CANARY: &str = "x-customer-0001-CANARY for Alice";

/// Members with the name of a tool, which is its interface: reports show it, except with `--mask-names`.
const TOOL_NAME_MEMBERS: [&str; 8] =
    ["name", "toolName", "tool", "tool_name", "function_name", "functionName", "displayName", "title"];
/// Members whose last value is also replaced alone, in an otherwise unchanged file.
pub const DECISIVE_MEMBERS: [&str; 5] = ["type", "role", "id", "status", "model"];

fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats")
}

/// Writes JSON, with canaries in it.
struct CanaryWriter<'s> {
    /// True if a string, given its key, is replaced.
    string: &'s mut dyn FnMut(&str, &str) -> bool,
    /// True if unpublished keys are replaced.
    keys: bool,
    /// True if members are added to objects, one of them twice.
    more: bool,
}

impl CanaryWriter<'_> {
    fn write(&mut self, val: &Value, key: &str, out: &mut String) {
        match val {
            Value::Object(members) => {
                out.push('{');
                for (n, (key, val)) in members.iter().enumerate() {
                    let comma = if n > 0 { "," } else { "" };
                    let name = match self.keys && !words().contains(key.as_str()) {
                        true => format!("{CANARY} {key}"),
                        false => key.clone(),
                    };
                    write!(out, "{comma}{}:", Value::from(name)).expect("written");
                    self.write(val, key, out);
                }
                if self.more {
                    let comma = if members.is_empty() { "" } else { "," };
                    write!(out, r#"{comma}"{CANARY}":"{CANARY}","{CANARY}":1,"x_CANARY":{{"{CANARY}":[]}}"#)
                        .expect("written");
                }
                out.push('}');
            }
            Value::Array(elements) => {
                out.push('[');
                for (n, element) in elements.iter().enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    self.write(element, key, out);
                }
                out.push(']');
            }
            Value::String(text) if (self.string)(key, text) => out.push_str(&format!("\"{CANARY}\"")),
            other => out.push_str(&other.to_string()),
        }
    }
}

/// The published words, which may be printed.
pub fn words() -> &'static HashSet<&'static str> {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| include_str!("../../../schemas/words/published.txt").lines().collect());
    &WORDS
}

/// A file as its lines or its document: text before JSON, and JSON if there is any.
fn records(path: &Path) -> Vec<(String, Option<Value>)> {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned();
    let is_document = path.extension().is_some_and(|ending| ending == "json");
    let parts: Vec<&str> = if is_document { vec![&text] } else { text.split('\n').collect() };
    let part = |part: &str| {
        let (before, json) = part.strip_prefix("data: ").map_or(("", part), |json| ("data: ", json));
        match serde_json::from_str(json) {
            Ok(val) => (before.to_owned(), Some(val)),
            Err(_) => (part.to_owned(), None),
        }
    };
    parts.into_iter().map(part).collect()
}

/// The places of canaries in a file.
#[derive(Clone, Copy, Debug)]
pub enum CanaryPlacement {
    /// Texts, paths and URLs.
    Texts,
    /// All strings that are not published words.
    Strings,
    /// Keys that are not published.
    Keys,
    /// Members that no schema has.
    NewMembers,
    /// The last value of a member of this name, whatever it is.
    Last(&'static str),
}

pub fn canary_placements() -> impl Iterator<Item = CanaryPlacement> {
    [CanaryPlacement::Texts, CanaryPlacement::Strings, CanaryPlacement::Keys, CanaryPlacement::NewMembers]
        .into_iter()
        .chain(DECISIVE_MEMBERS.map(CanaryPlacement::Last))
}

fn count(val: &Value, key: &str, member: &str) -> usize {
    match val {
        Value::Object(members) => members.iter().map(|(key, val)| count(val, key, member)).sum(),
        Value::Array(elements) => elements.iter().map(|element| count(element, key, member)).sum(),
        Value::String(_) => usize::from(key == member),
        _ => 0,
    }
}

pub fn plant_canaries(records: &[(String, Option<Value>)], placement: CanaryPlacement) -> Option<String> {
    let words = words();
    let all: usize = match placement {
        CanaryPlacement::Last(member) => {
            records.iter().flat_map(|(_, val)| val).map(|val| count(val, "", member)).sum()
        }
        _ => 1,
    };
    let mut seen = 0;
    let mut string = |key: &str, text: &str| match placement {
        CanaryPlacement::Texts => {
            text.contains([' ', '/', '.']) && !words.contains(text) && !TOOL_NAME_MEMBERS.contains(&key)
        }
        CanaryPlacement::Strings => !words.contains(text) && !TOOL_NAME_MEMBERS.contains(&key),
        CanaryPlacement::Keys | CanaryPlacement::NewMembers => false,
        CanaryPlacement::Last(member) => {
            seen += usize::from(key == member);
            key == member && seen == all
        }
    };
    let mut writer = CanaryWriter {
        string: &mut string,
        keys: matches!(placement, CanaryPlacement::Keys),
        more: matches!(placement, CanaryPlacement::NewMembers),
    };
    let mut out = String::new();
    for (n, (before, val)) in records.iter().enumerate() {
        out.push_str(if n > 0 { "\n" } else { "" });
        out.push_str(before);
        if let Some(val) = val {
            writer.write(val, "", &mut out);
        }
    }
    (all > 0).then_some(out)
}

/// Writes files with canaries into a folder. Returns pairs of an original and its version with all strings replaced.
pub fn write_planted_files(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let canary_placements: Vec<CanaryPlacement> = canary_placements().collect();
    let mut pairs = Vec::new();
    for entry in walkdir::WalkDir::new(formats()).sort_by_file_name() {
        let path = entry.expect("readable").into_path();
        let is_text = |ending: &str| ["json", "jsonl", "sse", "txt"].contains(&ending);
        let Some(ending) = path.extension().and_then(|ending| ending.to_str()).filter(|ending| is_text(ending))
        else {
            continue;
        };
        let records = records(&path);
        let name = path.strip_prefix(formats()).expect("below").with_extension("");
        for (n, placement) in canary_placements.iter().enumerate() {
            let Some(text) = plant_canaries(&records, *placement) else { continue };
            let to = folder.join(&name).join(format!("{n}.{ending}"));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
            std::fs::write(&to, text).expect("written");
            if matches!(placement, CanaryPlacement::Strings) {
                pairs.push((path.clone(), to));
            }
        }
    }
    assert!(pairs.len() > 100);
    pairs
}

/// The first lines of a text with canaries.
fn leaks(text: &str) -> Vec<String> {
    let lines: BTreeSet<String> =
        text.lines().filter(|line| line.contains("CANARY")).map(|line| line.chars().take(300).collect()).collect();
    lines.into_iter().take(8).collect()
}

/// Asserts that no command prints a canary over a folder, with all outputs. Returns what they print.
pub fn print_without_leaks(files: &Path, inputs: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().join("reports");
    std::fs::create_dir(&reports).expect("made");
    let outputs: Vec<String> = replaylint::internals::report::OUTPUTS
        .iter()
        .map(|(name, _)| format!("--output-format={name}={}", reports.join(name).display()))
        .collect();
    let checks = ["check", "-v", "--statistics"];
    let mut check: Vec<&str> = checks.to_vec();
    check.extend(outputs.iter().map(String::as_str));
    let converted = folder.path().join("converted").display().to_string();
    let mut printed = String::new();
    for args in [
        &check[..],
        &["fix"],
        &["fix", "--output-format", "json", "--orphans", "stub", "--reasoning", "strip"],
        &["fix", "--output-format", "html", "--orphans", "stub", "--reasoning", "strip"],
        &["tree", "--output-format", "json"],
        &["tree", "--output-format", "html"],
        &["tree"],
        &["convert", "-v", "--to", "openai-chat", "-o", &converted],
    ] {
        let output = run(files, &[args, inputs].concat());
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            assert_eq!(leaks(&text), [""; 0], "{args:?}");
            printed.push_str(&text);
        }
    }
    for (name, _) in replaylint::internals::report::OUTPUTS {
        let text = std::fs::read_to_string(reports.join(name)).expect("a report");
        assert_eq!(leaks(&text), [""; 0], "{name}");
        // An API returns at most one error.
        assert!(text.len() > if *name == "api-error" { 4 } else { 1000 }, "{name}: {} bytes", text.len());
    }
    printed
}

#[test]
fn no_command_prints_a_canary_of_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("files");
    let pairs = write_planted_files(&files);
    let printed = print_without_leaks(&files, &["."]);
    // The commands read the values that they mask.
    assert!(printed.contains(" chars)") && printed.contains("x-customer-0…"));
    for (whole, other) in pairs.iter().step_by(16) {
        let (whole, other) = (whole.display().to_string(), other.display().to_string());
        for args in [
            &["diff", &whole, &other][..],
            &["diff", "--output-format", "json", &other, &whole],
            &["diff", "--output-format", "html", &other, &whole],
            &["explain", "--error", "No tool output found for function call call_1.", &other],
        ] {
            let output = run(&files, args);
            let text = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned());
            assert_eq!(leaks(&text.concat()), [""; 0], "{args:?}");
        }
    }
    let shown = run(&files, &["check", "--show-content", "responses-request"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(CANARY), "--show-content shows it");
}

#[test]
fn names_of_tools_are_masked_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"CANARY_tool","input":{}}]},{"role":"user","content":"Go on"}],"tools":[{"name":"CANARY_tool","input_schema":{"type":"object"}}]}"#;
    std::fs::write(folder.path().join("a.json"), text).expect("written");
    let other = text.replace("CANARY_tool", "CANARY_other");
    std::fs::write(folder.path().join("b.json"), other).expect("written");
    let printed = |args: &[&str]| {
        let output = run(folder.path(), args);
        [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned()).concat()
    };
    assert!(printed(&["diff", "a.json", "b.json"]).contains("CANARY_tool"));
    for args in [
        &["diff", "--mask-names", "a.json", "b.json"][..],
        &["diff", "--mask-names", "--output-format", "json", "a.json", "b.json"],
        &["check", "--mask-names", "-v", "--output-format", "json", "."],
    ] {
        let text = printed(args);
        assert!(!text.contains("CANARY") && !text.is_empty(), "{text}");
    }
}

/// The words of the program's sources and of the SDKs, sorted.
fn published() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut words = BTreeSet::new();
    let mut add = |word: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.:/-".contains(&byte);
        let begins =
            word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$');
        if begins && (2..=60).contains(&word.len()) && word.bytes().all(is_part) {
            words.insert(word.to_owned());
        }
    };
    fn strings(val: &Value, add: &mut dyn FnMut(&str)) {
        match val {
            Value::Object(members) => members.iter().for_each(|(key, val)| {
                add(key);
                strings(val, add);
            }),
            Value::Array(elements) => elements.iter().for_each(|element| strings(element, add)),
            Value::String(text) => add(text),
            _ => {}
        }
    }
    let read = |path: &Path| std::fs::read_to_string(path).expect("readable");
    for entry in ["schemas", "testdata/sdk_keys"].iter().flat_map(|folder| root.join(folder).read_dir()).flatten()
    {
        let path = entry.expect("readable").path();
        // The names of our own settings do not occur in conversations.
        let is_own = |name: &std::ffi::OsStr| {
            ["config.v1.json", "doctor.v1.json", "evidence.v1.json"].iter().any(|own| name == *own)
        };
        if path.file_name().is_some_and(is_own) {
            continue;
        }
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => strings(&serde_json::from_str(&read(&path)).expect("JSON"), &mut add),
            Some("txt") => {
                let text = read(&path);
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                lines.flat_map(|line| line.split([' ', '.', '[', ']'])).for_each(&mut add);
            }
            _ => {}
        }
    }
    // The sources of a format do not occur in documents.
    let sources = regex::Regex::new(r"Upstream \{[^}]*\}").expect("a pattern");
    let literal = regex::Regex::new(r#""((?:[^"\\]|\\.)*)""#).expect("a pattern");
    const ROOMS: [&str; 16] = [
        "dialect",
        "dialects",
        "format",
        "formats",
        "history",
        "message",
        "rules",
        "schema",
        "convert",
        "carry",
        "rebuild",
        "source/sqlite",
        "target",
        "targets",
        "diff",
        "rule",
    ];
    for entry in walkdir::WalkDir::new(root.join("src")) {
        let path = entry.expect("readable").into_path();
        let own = path.strip_prefix(root.join("src")).expect("below").with_extension("");
        // The names in templates do not occur in documents.
        let is_code = path.extension().is_some_and(|ending| ending == "rs") && !own.ends_with("rule/template");
        if !is_code || !ROOMS.iter().any(|room| own.starts_with(room)) {
            continue;
        }
        let text = read(&path);
        // Unit tests contain invented words.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = sources.replace_all(code, "");
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            literal.captures_iter(line).for_each(|found| add(&found[1]));
        }
    }
    // Keys that formats and schemas look for.
    let table = read(&root.join("src/json/names.rs"));
    let names = table.split("\nnames! {").nth(1).and_then(|rest| rest.split('}').next()).expect("a table");
    names.split_whitespace().map(|name| name.trim_start_matches("r#")).for_each(&mut add);
    words
}

/// A word that reports show is one of a schema or of the program itself, never one of a conversation.
/// `UPDATE_README=1` writes the list anew.
#[test]
fn published_words_are_those_of_schemas_and_sources() {
    let published = published();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/words/published.txt");
    if std::env::var_os("UPDATE_README").is_some() {
        let lines: String = published.iter().map(|word| format!("{word}\n")).collect();
        std::fs::write(&path, lines).expect("written");
    }
    let text = std::fs::read_to_string(&path).expect("readable");
    let strange: Vec<&str> = text.lines().filter(|word| !published.contains(*word)).collect();
    assert_eq!(strange, [""; 0], "words of the list that nothing publishes; UPDATE_README=1 writes it anew");
    let listed: HashSet<&str> = text.lines().collect();
    let missing: Vec<&String> = published.iter().filter(|word| !listed.contains(word.as_str())).collect();
    assert_eq!(missing, [""; 0], "published words that are not in the list; UPDATE_README=1 writes it anew");
    for known in ["function_call", "tool_result", "functionResponse", "toolUseId", "reasoning_content"] {
        assert!(text.lines().any(|word| word == known), "{known}");
    }
}
