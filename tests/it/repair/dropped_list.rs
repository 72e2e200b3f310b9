//! Everything that `fix` removes from a file is in the list of `--dropped`: for every case and every stored format, under
//! every set of flags, each string of the input is in the output, or listed by a change as removed.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use replaylint::internals::json::edit::RecordBase;
use replaylint::internals::json::{Tape, Val, scan};
use replaylint::internals::judge::Options;
use replaylint::internals::place::Place;
use replaylint::internals::repair::{Action, FixOptions, ImageOptions, LengthOptions, Orphans, Reasoning};
use replaylint::internals::report::changes::ChangeNote;
use replaylint::internals::rule::Loss;
use replaylint::internals::source::{Container, framing, lines};
use replaylint::internals::{formats, read, targets};

use crate::support::{DOC, RepairResult, repair};

/// Calls `visit` with each string in the records of a text, its place, and that of the object that it is a member of.
fn visit_record_strings(text: &[u8], visit: &mut dyn FnMut(Place, Place, &[u8])) {
    let mut record = |start: usize, bytes: &[u8]| {
        let mut tape = Tape::new();
        if scan(bytes, &mut tape).is_ok()
            && let Some(root) = tape.root(bytes)
        {
            let base = RecordBase::new(DOC, start as u64);
            visit_strings(root, root, &mut |val, parent| {
                visit(base.of(val), base.of(parent), &val.text().unwrap_or_default());
            });
        }
    };
    let from = |start: u64| text.get(start as usize..).unwrap_or_default();
    match framing::sniff(&text.to_vec()).expect("memory reads") {
        Container::Document { start } => record(start as usize, from(start)),
        Container::Lines { start } => {
            lines::split(from(start)).for_each(|(at, line)| record(start as usize + at, line));
        }
        _ => {}
    }
}

fn visit_strings(val: Val<'_>, parent: Val<'_>, visit: &mut dyn FnMut(Val<'_>, Val<'_>)) {
    if val.is_string() {
        visit(val, parent);
    }
    // Names of types and roles are no content.
    let kinds = ["type", "role", "kind", "part_kind", "status", "state"];
    let has_content = |key: &str| !kinds.contains(&key);
    let members = val.members().filter(|member| has_content(&String::from_utf8_lossy(&member.key.decode())));
    members.for_each(|member| visit_strings(member.val, val, visit));
    val.elements().for_each(|element| visit_strings(element, element, visit));
}

/// The strings of the JSON in a string, or the string itself.
fn inner_strings(text: &[u8]) -> Vec<Vec<u8>> {
    let mut tape = Tape::new();
    let is_json_like = matches!(text.trim_ascii().first(), Some(b'{' | b'['));
    let mut inner = Vec::new();
    if is_json_like
        && scan(text, &mut tape).is_ok()
        && let Some(root) = tape.root(text)
    {
        visit_strings(root, root, &mut |val, _| inner.extend(inner_strings(&val.text().unwrap_or_default())));
        return inner;
    }
    vec![text.to_vec()]
}

/// The strings that a repair removes without listing them.
fn unlisted_strings(before: &[u8], repaired: &RepairResult) -> Vec<String> {
    let mut remaining: HashSet<Vec<u8>> = HashSet::new();
    visit_record_strings(&repaired.text, &mut |_, _, text| {
        remaining.extend(inner_strings(text));
        // Texts of a list may be joined to one.
        remaining.extend(text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
        remaining.insert(text.to_vec());
    });
    let dropped = repaired.notes.iter().filter(|note| note.action == Action::Drop).map(|note| note.at);
    let removed = repaired.notes.iter().flat_map(|note| &note.removed).map(|(_, at)| *at);
    let listed: Vec<Place> = dropped.chain(removed).collect();
    let edits = repaired.fixed.patch.edits(DOC);
    let mut missing = Vec::new();
    visit_record_strings(before, &mut |at, parent, text| {
        let is_listed = || listed.iter().any(|place| place.contains(&at));
        // Metadata of a listed item is removed with it.
        let is_with_parent = || edits.iter().any(|edit| edit.at.contains(&parent));
        let belongs_to_listed =
            || is_with_parent() && listed.iter().any(|place| *place != parent && parent.contains(place));
        // A character of it that cannot be sent is replaced.
        let is_edited = || edits.iter().any(|edit| at.contains(&edit.at) && edit.at != at);
        // A name is replaced by another one.
        let is_renamed = || {
            let named = |note: &ChangeNote| note.loss == Loss::Lossless && note.at.contains(&at);
            edits.iter().any(|edit| edit.at == at && !edit.with.is_empty()) && repaired.notes.iter().any(named)
        };
        let is_gone = |text: &Vec<u8>| !text.is_empty() && !remaining.contains(text);
        if inner_strings(text).iter().any(is_gone)
            && !is_listed()
            && !belongs_to_listed()
            && !is_edited()
            && !is_renamed()
        {
            missing.push(String::from_utf8_lossy(text).into_owned());
        }
    });
    missing
}

/// The flags of `fix` that decide what is removed.
fn flag_sets() -> Vec<(&'static str, FixOptions)> {
    let default = FixOptions::default;
    vec![
        ("", default()),
        ("--orphans drop", FixOptions { orphans: Orphans::Drop, ..default() }),
        ("--orphans stub", FixOptions { orphans: Orphans::Stub, ..default() }),
        ("--reasoning strip", FixOptions { reasoning: Reasoning::Strip, ..default() }),
        ("--reasoning reference", FixOptions { reasoning: Reasoning::Reference, ..default() }),
        ("--reasoning inline", FixOptions { reasoning: Reasoning::Inline, ..default() }),
        ("--lossless", FixOptions { lossless: true, ..default() }),
        ("--fix-warnings", FixOptions { warnings: true, acknowledge_safety: true, ..default() }),
        (
            "--max-tokens",
            FixOptions { length: LengthOptions { max_tokens: Some(1), ..LengthOptions::default() }, ..default() },
        ),
        (
            "--max-image-bytes",
            FixOptions { images: ImageOptions { max_bytes: Some(1), ..ImageOptions::default() }, ..default() },
        ),
    ]
}

/// Inputs: name, text, and options for reading it.
fn inputs() -> Vec<(String, Vec<u8>, Options)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let files = |folder: &Path| -> Vec<_> {
        let mut paths: Vec<_> =
            fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut inputs = Vec::new();
    for path in files(&root.join("cases")).iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        let file: toml::Value =
            toml::from_str(&fs::read_to_string(path).expect("UTF-8")).expect("a file of cases");
        for case in file.get("case").and_then(toml::Value::as_array).expect("cases") {
            let word = |key: &str| case.get(key).and_then(toml::Value::as_str);
            let format = word("format").map(|name| formats::by_name(name).expect("a format"));
            let read = read::Options { format, ..read::Options::default() };
            let target = word("target").map(|name| targets::by_name(name).expect("a target"));
            let model = word("model").map(ToOwned::to_owned);
            let text = word("input").unwrap_or_default().trim_start_matches('\n').as_bytes().to_vec();
            let name = format!("{} {}", path.display(), word("name").unwrap_or_default());
            inputs.push((name, text, Options { read, target, model, ..Options::default() }));
        }
    }
    for folder in files(&root.join("formats")).iter().filter(|path| path.is_dir() && !path.ends_with("snapshots"))
    {
        for path in files(folder) {
            inputs.push((path.display().to_string(), fs::read(&path).expect("readable"), Options::default()));
        }
    }
    inputs
}

#[test]
fn everything_that_a_fix_removes_is_listed() {
    let (mut removals, mut failed) = (0, Vec::new());
    for (name, text, options) in inputs() {
        for (flags, wanted) in flag_sets() {
            let repaired = repair(&text, &options, &wanted);
            removals += repaired.notes.iter().filter(|note| note.action == Action::Drop).count();
            let missing = unlisted_strings(&text, &repaired);
            if !missing.is_empty() {
                failed.push(format!("{name} {flags}: {missing:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{} repairs:\n{}", failed.len(), failed.join("\n"));
    assert!(removals > 1000, "only {removals} items were dropped");
}

#[test]
fn dropped_items_of_stores_are_listed() {
    for (name, text) in [
        (
            "langchain-messages",
            r#"[{"type":"human","data":{"content":"a","type":"human"}},{"type":"tool","data":{"content":"only here","type":"tool","tool_call_id":"call_1","name":"f"}},{"type":"ai","data":{"content":"b","type":"ai","tool_calls":[]}}]"#,
        ),
        (
            "pydantic-ai",
            r#"[{"parts":[{"content":"a","part_kind":"user-prompt"},{"tool_name":"f","content":"only here","tool_call_id":"call_1","part_kind":"tool-return"}],"kind":"request"},{"parts":[{"content":"b","part_kind":"text"}],"kind":"response"}]"#,
        ),
    ] {
        let repaired = repair(text.as_bytes(), &Options::default(), &FixOptions::default());
        let dropped: Vec<&str> = repaired
            .notes
            .iter()
            .filter(|note| note.action == Action::Drop)
            .flat_map(|note| note.removed.iter().map(|(_, at)| *at).chain([note.at]))
            .map(|at| &text[at.start as usize..at.end() as usize])
            .collect();
        assert!(matches!(dropped.as_slice(), [one] if one.contains("only here")), "{name}: {dropped:?}");
    }
}
