//! Sessions of Claude Code, damaged in the ways that users report, one line at a time: each damage is found, and repaired
//! in place so that a second run changes nothing. All other lines are unchanged, and the chain is complete.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::history::Version;
use replaylint::internals::judge::Options;
use replaylint::internals::read;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::{corpus, manifest};
use crate::support::{check, diagnostics, repair};

/// Largest session file that is damaged, in bytes, and the maximum number of places for each kind of damage.
const LARGEST: u64 = 420_000;
const PLACES: usize = 4;

fn own_sessions() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats/claude-code");
    ["parallel.jsonl", "never-sent.jsonl", "agent-a0ad4f4.jsonl"]
        .map(|name| (name.to_owned(), fs::read(folder.join(name)).expect("testdata")))
        .into()
}

fn recorded_sessions() -> Vec<(String, Vec<u8>)> {
    let Some(root) = corpus() else { return Vec::new() };
    let sessions = manifest(&root).into_iter().filter(|file| file.format == "claude-code");
    let paths: BTreeSet<PathBuf> = sessions.map(|file| root.join(file.path)).collect();
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a file of the corpus"));
    let small = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= LARGEST);
    paths.into_iter().filter(small).map(read).collect()
}

/// SessionLines of a text, with their JSON.
fn lines(text: &[u8]) -> Vec<(String, Value)> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(|line| (line.to_owned(), serde_json::from_str(line).unwrap_or(Value::Null))).collect()
}

fn text(lines: &[(String, Value)]) -> Vec<u8> {
    lines.iter().flat_map(|(line, _)| [line.as_bytes(), b"\n"].concat()).collect()
}

fn is_claude_code(text: &[u8]) -> bool {
    check(text, &Options::default()).format.is_some_and(|format| format.info().name == "claude-code")
}

/// For a version that neither answers calls nor sends what no link leads to.
fn old_version() -> Options {
    let read = read::Options { agent_version: Some(Version(2, 1, 60)), ..read::Options::default() };
    Options { read, ..Options::default() }
}

fn errors(text: &[u8]) -> Vec<String> {
    let found = diagnostics(text, &old_version()).into_iter();
    found
        .filter(|found| found.severity == Severity::Error)
        .map(|found| format!("{}: {}", found.rule, found.message))
        .collect()
}

/// True if a finding is repaired by default.
fn is_found(text: &[u8]) -> bool {
    let wanted = FixOptions::default();
    check(text, &old_version()).findings.iter().any(|judged| wanted.selects(judged))
}

const MAIN: [&str; 2] = ["user", "assistant"];

fn kind(line: &Value) -> &str {
    line["type"].as_str().unwrap_or_default()
}

fn blocks<'v>(line: &'v Value, kind: &'v str) -> impl Iterator<Item = &'v Value> {
    line["message"]["content"].as_array().into_iter().flatten().filter(move |block| block["type"] == kind)
}

type SessionLines = Vec<(String, Value)>;

fn set(lines: &mut SessionLines, ix: usize, change: impl FnOnce(&mut Value)) {
    let (line, value) = &mut lines[ix];
    change(value);
    *line = value.to_string();
}

fn relink(lines: &mut SessionLines, from: &Value, to: &Value) {
    for ix in 0..lines.len() {
        if lines[ix].1["parentUuid"] == *from && !from.is_null() {
            set(lines, ix, |line| line["parentUuid"] = to.clone());
        }
    }
}

/// The lines of the main chain, from the last one upwards.
fn chain(lines: &SessionLines) -> Vec<usize> {
    let names: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(ix, (_, line))| Some((line["uuid"].as_str()?, ix))).collect();
    let is_main = |line: &Value| MAIN.contains(&kind(line)) && line["isSidechain"] != true;
    let mut at = lines.iter().rposition(|(_, line)| is_main(line));
    let mut found = Vec::new();
    while let Some(ix) = at.filter(|_| found.len() <= lines.len()) {
        found.push(ix);
        at = lines[ix].1["parentUuid"].as_str().and_then(|name| names.get(name).copied());
    }
    found.reverse();
    found
}

/// One way to damage a session at a line of its chain; `None` where it does not apply.
type SessionDamage = (&'static str, fn(&SessionLines, &[usize], usize) -> Option<SessionLines>);

const DAMAGES: [SessionDamage; 8] = [
    ("a lost line", |lines, chain, n| {
        let mut out = lines.clone();
        let is_first = !chain[..n].iter().any(|ix| MAIN.contains(&kind(&lines[*ix].1)));
        (!is_first && n + 1 < chain.len()).then(|| drop(out.remove(chain[n])))?;
        Some(out)
    }),
    ("a parent that was never written", |lines, chain, n| {
        let mut out = lines.clone();
        let is_first = !chain[..n].iter().any(|ix| MAIN.contains(&kind(&lines[*ix].1)));
        let applies = !is_first && lines[chain[n]].1["parentUuid"].is_string();
        applies.then(|| {
            set(&mut out, chain[n], |line| line["parentUuid"] = json!("00000000-dead-4000-8000-000000000000"))
        })?;
        Some(out)
    }),
    ("a lost result", |lines, chain, n| {
        let (mut out, line) = (lines.clone(), &lines[chain[n]].1);
        let applies = blocks(line, "tool_result").count() == 1
            && chain[n..]
                .iter()
                .any(|ix| blocks(&lines[*ix].1, "text").next().is_some() && kind(&lines[*ix].1) == "assistant");
        applies.then(|| drop(out.remove(chain[n])))?;
        relink(&mut out, &line["uuid"], &line["parentUuid"]);
        Some(out)
    }),
    ("a lost call", |lines, chain, n| {
        let (mut out, line) = (lines.clone(), &lines[chain[n]].1);
        let applies = blocks(line, "tool_use").count() == 1 && n + 1 < chain.len();
        applies.then(|| drop(out.remove(chain[n])))?;
        relink(&mut out, &line["uuid"], &line["parentUuid"]);
        Some(out)
    }),
    ("thinking after the line that followed it", |lines, chain, n| {
        let (first, second) = (&lines[*chain.get(n)?].1, &lines[*chain.get(n + 1)?].1);
        let applies = blocks(first, "thinking").next().is_some()
            && first["message"]["id"] == second["message"]["id"]
            && blocks(second, "thinking").next().is_none()
            && blocks(second, "text").all(|block| !block["text"].as_str().unwrap_or_default().trim().is_empty());
        applies.then_some(())?;
        let mut out = lines.clone();
        relink(&mut out, &second["uuid"], &first["uuid"]);
        set(&mut out, chain[n + 1], |line| line["parentUuid"] = first["parentUuid"].clone());
        set(&mut out, chain[n], |line| line["parentUuid"] = second["uuid"].clone());
        Some(out)
    }),
    ("an empty signature", |lines, chain, n| sign(lines, chain[n], "")),
    ("a cut signature", |lines, chain, n| sign(lines, chain[n], "EqQBCkYIBxgCKkBbVxJm1kR9")),
    ("NUL in a result", |lines, chain, n| {
        blocks(&lines[chain[n]].1, "tool_result").next()?;
        let mut out = lines.clone();
        set(&mut out, chain[n], |line| line["message"]["content"][0]["content"] = json!("ELF\u{0}\u{0}\\u0000"));
        Some(out)
    }),
];

fn sign(lines: &SessionLines, ix: usize, signature: &str) -> Option<SessionLines> {
    let first = lines[ix].1["message"]["content"][0]["type"] == "thinking";
    let mut out = lines.clone();
    first.then(|| set(&mut out, ix, |line| line["message"]["content"][0]["signature"] = json!(signature)))?;
    Some(out)
}

/// Members by which lines refer to each other.
const LINKS: [&str; 5] = ["parentUuid", "logicalParentUuid", "sourceToolAssistantUUID", "leafUuid", "messageId"];

/// A line without the members that a repair may change.
fn without_links(line: &Value) -> Value {
    let mut line = line.clone();
    if let Some(line) = line.as_object_mut() {
        LINKS.iter().for_each(|key| drop(line.remove(*key)));
    }
    line
}

/// Asserts that each line of a repaired session is a new result, or a line of the damaged one with other links or blocks.
fn assert_lines_preserved(name: &str, before: &SessionLines, after: &SessionLines) {
    let texts: BTreeSet<&str> = before.iter().map(|(line, _)| line.as_str()).collect();
    let linked: BTreeSet<String> = before.iter().map(|(_, line)| without_links(line).to_string()).collect();
    let names: BTreeSet<&str> = before.iter().filter_map(|(_, line)| line["uuid"].as_str()).collect();
    for (text, line) in after.iter().filter(|(text, _)| !texts.contains(text.as_str())) {
        let is_new = line["uuid"].as_str().is_some_and(|uuid| !names.contains(uuid));
        let is_result = blocks(line, "tool_result").count() == 1 && kind(line) == "user";
        let is_linked = linked.contains(&without_links(line).to_string());
        let is_edited = line["message"]["content"].is_array() && !is_new;
        assert!(is_linked || is_edited || is_new && is_result, "{name}: {text}");
        assert!(
            !is_new
                || line["sessionId"] == before[before.len() - 1].1["sessionId"]
                || before.len() < 2
                || is_result,
            "{name}: {text}"
        );
    }
}

/// Parents that are not in the file.
fn dangling_parents(lines: &SessionLines) -> BTreeSet<String> {
    let names: BTreeSet<&str> = lines.iter().filter_map(|(_, line)| line["uuid"].as_str()).collect();
    let parents = lines.iter().filter_map(|(_, line)| line["parentUuid"].as_str());
    parents.filter(|parent| !names.contains(parent)).map(str::to_owned).collect()
}

#[derive(Default)]
struct DamageTally {
    made: usize,
    found: usize,
    repaired: usize,
}

#[test]
fn damaged_sessions_are_found_and_repaired_in_place() {
    let mut tallies: BTreeMap<&str, DamageTally> = BTreeMap::new();
    let mut missed = Vec::new();
    for (name, bytes) in own_sessions().into_iter().chain(recorded_sessions()) {
        // Sessions with errors, or read as another format, cannot show that a damage is found.
        if !is_claude_code(&bytes) || is_found(&bytes) || !errors(&bytes).is_empty() {
            continue;
        }
        let whole = lines(&bytes);
        let chain = chain(&whole);
        let (known, broken) = (dangling_parents(&whole), whole.iter().any(|(_, line)| line.is_null()));
        if broken {
            continue;
        }
        for (damage, apply) in DAMAGES {
            let places: Vec<(usize, SessionLines)> =
                (0..chain.len()).filter_map(|n| Some((n, apply(&whole, &chain, n)?))).collect();
            let step = places.len().div_ceil(PLACES).max(1);
            for (n, damaged) in places.into_iter().step_by(step) {
                let label = format!("{damage} at line {} of {name}", chain[n] + 1);
                let before = text(&damaged);
                let tally = tallies.entry(damage).or_default();
                tally.made += 1;
                if !is_found(&before) {
                    missed.push(format!("not found: {label} {:?}", errors(&before)));
                    continue;
                }
                tally.found += 1;
                let fixed = repair(&before, &old_version(), &FixOptions::default());
                let after = lines(&fixed.text);
                assert_lines_preserved(&label, &damaged, &after);
                let again = repair(&fixed.text, &old_version(), &FixOptions::default());
                assert!(again.fixed.patch.is_empty(), "{label}: a second run still edits: {:?}", again.notes);
                let left = errors(&fixed.text);
                let is_whole = dangling_parents(&after).is_subset(&known);
                match left.is_empty() && is_whole {
                    true => tally.repaired += 1,
                    false => missed.push(format!("not repaired: {label} {left:?} {:?}", dangling_parents(&after))),
                }
            }
        }
    }
    let mut all = DamageTally::default();
    for (damage, tally) in &tallies {
        println!("{damage}: {} made, {} found, {} repaired", tally.made, tally.found, tally.repaired);
        all.made += tally.made;
        all.found += tally.found;
        all.repaired += tally.repaired;
    }
    missed.iter().for_each(|missed| println!("{missed}"));
    assert_eq!(tallies.len(), DAMAGES.len(), "each damage was made somewhere");
    assert!(all.found * 100 >= all.made * 99, "{} of {} found: {missed:#?}", all.found, all.made);
    assert!(all.repaired * 100 >= all.found * 99, "{} of {} repaired: {missed:#?}", all.repaired, all.found);
}

/// Types of lines that never reach the model.
#[test]
fn lines_that_are_never_sent_have_no_findings() {
    for (name, bytes) in
        own_sessions().into_iter().chain(recorded_sessions()).filter(|(_, bytes)| is_claude_code(bytes))
    {
        let lines = lines(&bytes);
        for found in diagnostics(&bytes, &Options::default()) {
            let line = &lines[found.record.saturating_sub(1) as usize].1;
            // Cycles, duplicate names, unknown types and the end of the file concern lines, not their content.
            let of_links = ["RL602", "RL603", "RL004", "RL012", "RL664", "RL665", "RL690"]
                .contains(&found.rule.to_string().as_str());
            let is_sent = MAIN.contains(&kind(line)) && line["isApiErrorMessage"] != true;
            assert!(is_sent || of_links, "{name}:{}: {} {}", found.record, found.rule, found.message);
        }
    }
}

/// Texts and signatures of thinking are the same in the file and in the request.
#[test]
fn thinking_and_texts_reach_a_request_as_they_were() {
    let options = replaylint::Options::new();
    let mut converted = 0;
    for (name, bytes) in
        own_sessions().into_iter().chain(recorded_sessions()).filter(|(_, bytes)| is_claude_code(bytes))
    {
        let lines = lines(&bytes);
        let Ok(made) = replaylint::convert(&bytes, replaylint::Dialect::Anthropic, &options) else { continue };
        let Some(request) = made.text.split(|byte| *byte == b'\n').next() else { continue };
        let Ok(request) = serde_json::from_slice::<Value>(request) else { continue };
        converted += 1;
        let messages = request["messages"].as_array().expect("messages");
        for kind in ["thinking", "redacted_thinking", "text", "tool_use", "tool_result"] {
            let stored: Vec<&Value> = lines.iter().flat_map(|(_, line)| blocks(line, kind)).collect();
            let sent = messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
            for block in sent.filter(|block| block["type"] == kind) {
                // A content that is only a text becomes a block.
                let plain = || lines.iter().any(|(_, line)| line["message"]["content"] == block["text"]);
                // The last call may have no result yet.
                let is_placeholder = block["content"] == "no result was recorded; execution status unknown";
                assert!(stored.contains(&block) || is_placeholder || kind == "text" && plain(), "{name}: {block}");
            }
        }
        let on_chain: BTreeSet<usize> = chain(&lines).into_iter().collect();
        let is_sent = |signature: &Value| {
            let sent = messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
            sent.into_iter().any(|block| &block["signature"] == signature)
        };
        for ix in on_chain {
            for block in blocks(&lines[ix].1, "thinking") {
                assert!(is_sent(&block["signature"]), "{name}: line {} lost its thinking", ix + 1);
            }
        }
    }
    assert!(converted > 0);
}
