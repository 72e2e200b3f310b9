//! `explain --error` with a file: a path in the request leads to the line of the session, in every format; and a command
//! that is named changes the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::commands::explain::{PastedError, PrintOptions, explain_error};
use replaylint::internals::judge::Options;
use replaylint::internals::options::{ConfigLookup, FileOptions, LintSettings, WalkOptions};
use replaylint::internals::rebuild::resume::resume_doc;
use replaylint::internals::report::ContentDisplay;
use replaylint::internals::report::error_place::{ErrorReference, find_items};
use replaylint::internals::report::request_path::RequestPath;
use serde_json::Value;

use crate::report::reports::run;
use crate::source::writing::backdate;
use crate::support::{DOC, STYLE, growable_text};

/// All samples of formats.
fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let folders = fs::read_dir(root).expect("testdata").flatten().map(|entry| entry.path());
    let folders = folders.filter(|folder| folder.is_dir() && !folder.ends_with("snapshots"));
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).expect("testdata").flatten())
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// Formats whose messages are put together from several events or attributes: the first place is named, which need not
/// hold the text.
const SCATTERED: [&str; 5] =
    ["anthropic-stream", "bedrock-stream", "codex-exec-json", "openinference", "otel-genai"];

/// Strings of a message, apart from those that name what it is. `ids`: also those that pair calls and results.
fn strings(val: &Value, ids: bool, out: &mut Vec<String>) {
    const KINDS: [&str; 3] = ["role", "type", "name"];
    const IDS: [&str; 5] = ["id", "call_id", "tool_use_id", "tool_call_id", "toolUseId"];
    match val {
        Value::String(text) => out.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|val| strings(val, ids, out)),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !KINDS.contains(&key.as_str()) && (ids || !IDS.contains(&key.as_str())))
            .for_each(|(_, val)| strings(val, ids, out)),
        _ => {}
    }
}

/// Offsets of the strings that the text contains once.
fn marks(text: &str, element: &Value, ids: bool) -> Vec<usize> {
    let mut all = Vec::new();
    strings(element, ids, &mut all);
    let once = |own: String| {
        let quoted = serde_json::to_string(&own).expect("a string");
        let inner = &quoted[1..quoted.len() - 1];
        let mut at = text.match_indices(inner).filter(|_| inner.len() > 2).map(|(at, _)| at);
        at.next().filter(|_| at.next().is_none())
    };
    all.into_iter().filter_map(once).collect()
}

/// The path of a message in the words of the providers that name their list so.
fn path_text(list: &str, index: usize) -> String {
    match list {
        "input" => format!("Invalid 'input[{index}].id': 'x'"),
        "contents" => format!("* GenerateContentRequest.contents[{index}].parts: x"),
        _ => format!("messages.{index}: x"),
    }
}

#[test]
fn an_index_in_the_request_leads_to_the_line_with_its_text() {
    let options = Options::default();
    let mut wrong = Vec::new();
    // Number of messages that were found by a text, by format.
    let mut found_by_text: BTreeMap<String, usize> = BTreeMap::new();
    for file in samples() {
        let format = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let bytes = growable_text(text.as_bytes());
        let resumed = resume_doc(DOC, &bytes, &options, None, &|target| target).expect("memory reads");
        let requests = resumed.outputs.iter().filter_map(|own| Some((own, own.request.as_ref().ok()?.as_ref()?)));
        for (own, request) in requests {
            let body: Value = serde_json::from_slice(&request.body.text).expect("a body");
            let elements = body[request.list_key()].as_array().expect("a list");
            assert_eq!(elements.len(), request.item_count());
            for (index, element) in elements.iter().enumerate() {
                let path = path_text(request.list_key(), index);
                let wanted = ErrorReference { path: RequestPath::find(&path), ..ErrorReference::default() };
                let named = find_items(DOC, &bytes, &options, &wanted, Some(own.target)).expect("memory reads");
                let items: Vec<_> = named.items.iter().filter(|item| item.history == own.number).collect();
                let holds = |at: &usize| {
                    items.iter().any(|item| (item.location.span.0..=item.location.span.1).contains(&(*at as u64)))
                };
                let texts = marks(&text, element, false);
                if items.is_empty() {
                    // Instructions that the client adds are in no file.
                    if !(element["role"] == "system" && texts.is_empty()) {
                        wrong.push(format!("{}: {path}: no item", file.display()));
                    }
                } else if items.iter().all(|item| item.is_added) || SCATTERED.contains(&format.as_str()) {
                    continue;
                } else if !texts.is_empty() {
                    match marks(&text, element, true).iter().any(holds) {
                        true => *found_by_text.entry(format.clone()).or_default() += 1,
                        false => wrong.push(format!("{}: {path}: another place", file.display())),
                    }
                }
            }
        }
    }
    // The call of a tool that the server ran, and its result, are one item.
    wrong.retain(|line| !(line.contains("/coder-") && line.ends_with("another place")));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(found_by_text.len() > 45, "{found_by_text:?}");
    assert!(found_by_text.values().sum::<usize>() > 700, "{found_by_text:?}");
}

/// Messages of several providers, about several kinds of defects.
const MESSAGES: [&str; 6] = [
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "The encrypted content gAAA could not be verified.",
    "No tool output found for function call call_1.",
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` \
     block must have a corresponding `tool_result` block in the next message.",
    "paginated rollout expected ordinal 7",
    "Previous response with id 'resp_1' not found.",
];

/// The commands in a text, each on one line.
fn commands(text: &str) -> Vec<String> {
    let quoted = text.split("`replaylint ").skip(1).filter_map(|rest| rest.split_once('`'));
    let words = quoted.map(|(command, _)| command.split_whitespace().collect::<Vec<_>>().join(" "));
    words.filter(|command| command.ends_with(" FILE")).collect()
}

#[test]
fn commands_that_are_named_for_an_error_change_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut wrong, mut tried) = (Vec::new(), 0);
    // Two samples of each format; those of the first are the most varied.
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut files = samples();
    files.sort_by_key(|file| file.file_stem().is_none_or(|stem| stem != "rich"));
    for file in files {
        let count = counts.entry(file.parent().expect("a folder").to_owned()).or_default();
        *count += 1;
        if *count > 2 {
            continue;
        }
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let copy = folder.path().join(&name);
        for message in MESSAGES {
            let lints = LintSettings::new(FileOptions::default(), WalkOptions::default(), ConfigLookup::Isolated);
            let pasted = PastedError {
                text: message.to_owned(),
                path: Some(file.clone()),
                lints: lints.expect("options"),
                content: ContentDisplay::Masked,
            };
            let mut out = Vec::new();
            if explain_error(&pasted, &PrintOptions { json: false, style: STYLE }, &mut out).is_err() {
                continue;
            }
            let text = String::from_utf8(out).expect("UTF-8");
            for command in commands(&text) {
                let args: Vec<&str> =
                    command.split(' ').map(|arg| if arg == "FILE" { &name } else { arg }).collect();
                if !["fix", "rebuild"].contains(&args[0]) {
                    continue;
                }
                fs::copy(&file, &copy).expect("copied");
                backdate(&copy);
                let before = fs::read(&copy).expect("readable");
                let output = run(folder.path(), &[&args[..], &["--isolated"]].concat());
                let copies = fs::read_dir(folder.path().join("repaired")).into_iter().flatten().flatten();
                let is_other = |path: PathBuf| fs::read(path).is_ok_and(|after| after != before);
                let changed = match args[0] {
                    "rebuild" => !output.stdout.is_empty(),
                    _ if args.contains(&"-o") => copies.map(|entry| entry.path()).any(is_other),
                    _ if args.contains(&"-w") => fs::read(&copy).expect("readable") != before,
                    _ => String::from_utf8_lossy(&output.stderr).contains("Would fix"),
                };
                tried += 1;
                if !changed {
                    wrong.push(format!("{}: {command}, for: {message}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(tried > 80, "{tried}");
}
