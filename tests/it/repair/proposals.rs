//! What a report proposes for a finding can be made alone: it leaves JSON behind, heals that finding in each of our cases,
//! and breaks nothing.

use std::collections::HashSet;

use replaylint::internals::format::Format;
use replaylint::internals::history::Code;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::Fixed;
use replaylint::internals::report::Replacement;
use replaylint::internals::report::proposal::propose;
use replaylint::internals::report::{self, Content, Diagnostic};
use replaylint::internals::source::ReadAt;
use replaylint::internals::target::Severity;

use serde_json::Value;

use crate::support::{DOC, check_of, is_json, is_readable, roomy};

/// How much a proposal is looked at: the cases are short.
const MOST: usize = 200;

fn errors(found: &[Diagnostic]) -> usize {
    found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

fn told(text: &[u8], options: &Options) -> Vec<Diagnostic> {
    told_of(&roomy(text), options)
}

fn told_of(bytes: &dyn ReadAt, options: &Options) -> Vec<Diagnostic> {
    let found = check_of(bytes, options);
    report::diagnose(DOC, "case", bytes, &found, Content::None).expect("memory reads")
}

fn apply(text: &[u8], proposal: &[Replacement]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for replacement in proposal {
        let (start, end) = replacement.spot.span;
        out.extend_from_slice(&text[at..start as usize]);
        out.extend_from_slice(replacement.text.as_bytes());
        at = end as usize;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// A rule, how much its finding weighed, and the text after its proposal.
type Alone = (Code, Severity, Vec<u8>);

/// What is proposed for a text, with content in it, and what comes of each proposal that is made alone.
fn made_alone(text: &[u8], options: &Options, fixed: &Fixed) -> (Vec<Diagnostic>, Vec<Alone>) {
    let mut before = told(text, options);
    propose(DOC, &roomy(text), fixed, true, &mut before).expect("memory reads");
    let proposed = before.iter().filter(|diagnostic| !diagnostic.proposal.is_empty()).take(MOST);
    let after = proposed
        .map(|diagnostic| (diagnostic.rule, diagnostic.severity, apply(text, &diagnostic.proposal)))
        .collect();
    (before, after)
}

/// However broken a history is, a proposal leaves JSON behind, and tells nothing.
pub fn guard(name: &str, text: &[u8], options: &Options, fixed: &Fixed) {
    for (rule, _, after) in made_alone(text, options, fixed).1 {
        assert!(!is_json(text) || after.trim_ascii().is_empty() || is_readable(&after), "{name}: {rule}");
    }
    let mut masked = told(text, options);
    propose(DOC, &roomy(text), fixed, false, &mut masked).expect("memory reads");
    leaks_nothing(name, text, &masked);
}

/// A proposal heals its finding, and breaks nothing else.
pub fn heals(name: &str, text: &[u8], options: &Options, fixed: &Fixed) {
    let (before, made) = made_alone(text, options, fixed);
    for (rule, severity, after) in made {
        let left = told(&after, options);
        // What was an error may remain as a warning: a reference in place of an item may.
        let weighs = |d: &&Diagnostic| d.rule == rule && d.severity >= severity;
        let of_rule = |found: &[Diagnostic]| found.iter().filter(weighs).count();
        assert!(of_rule(&left) < of_rule(&before), "{name}: the proposal for {rule} does not heal it");
        assert!(errors(&left) <= errors(&before), "{name}: the proposal for {rule} breaks more");
    }
}

/// Texts of messages, arguments and outputs; and what any report may tell, such as ids.
fn content(value: &Value, key: &str, out: &mut HashSet<String>, tellable: &mut HashSet<String>) {
    match value {
        Value::String(text) => {
            let may_be_told = TELLABLE.contains(&key) || key.to_lowercase().ends_with("id");
            if may_be_told { tellable } else { out }.insert(text.clone());
        }
        Value::Array(list) => list.iter().for_each(|value| content(value, key, out, tellable)),
        Value::Object(map) => map.iter().for_each(|(key, value)| content(value, key, out, tellable)),
        _ => {}
    }
}

/// What every report tells.
const TELLABLE: [&str; 4] = ["type", "role", "status", "model"];

/// Without content in it, a proposal puts in none.
fn leaks_nothing(name: &str, text: &[u8], told: &[Diagnostic]) {
    let (mut secrets, mut tellable) = (HashSet::new(), HashSet::new());
    let whole = serde_json::Deserializer::from_slice(text).into_iter::<Value>().map_while(Result::ok);
    // The lines after one that is broken, too.
    let lines = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    for record in whole.chain(lines) {
        content(&record, "", &mut secrets, &mut tellable);
    }
    // An id of a line that only this program can still read.
    for at in memchr::memmem::find_iter(text, b"id\":\"") {
        let rest = &text[at + 5..];
        let end = memchr::memchr(b'"', rest).unwrap_or(0);
        tellable.insert(String::from_utf8_lossy(&rest[..end]).into_owned());
    }
    // Damage to a key makes a text of an id that another item still has.
    secrets.retain(|secret| secret.len() > 3 && !tellable.iter().any(|told| told.contains(secret.as_str())));
    for replacement in told.iter().flat_map(|diagnostic| &diagnostic.proposal) {
        let text = replacement.text.replace("no result was recorded; execution status unknown", "");
        let leaked = secrets.iter().find(|secret| text.contains(secret.as_str()));
        assert_eq!(leaked, None, "{name}: {}", replacement.text);
    }
}

/// Nearly all default repairs of our cases can be proposed, and half of them without content: what is moved, and an answer
/// in a line of a log, whose envelope is that of the line before it, brings some.
#[test]
fn nearly_all_repairs_are_proposed() {
    let (mut fixable, mut without, mut proposed, mut masked) = (0, 0, 0, 0);
    for (_, text) in crate::report::outputs::texts() {
        let options = Options::default();
        let bytes = roomy(&text);
        let fixed = crate::support::repair_of(&bytes, &options, &Default::default()).fixed;
        let mut found = told_of(&bytes, &options);
        // A result is moved with all that it says.
        let rewrites = |format: &&'static dyn Format| format.info().editor.is_some();
        let copies = check_of(&bytes, &options).format.as_ref().is_some_and(rewrites);
        let of_content = |d: &&Diagnostic| d.fix.as_ref().is_some_and(|fix| fix.default) && !copies;
        without += found.iter().filter(of_content).count();
        fixable += found.iter().filter(|d| d.fix.as_ref().is_some_and(|fix| fix.default)).count();
        for (content, count) in [(true, &mut proposed), (false, &mut masked)] {
            propose(DOC, &bytes, &fixed, content, &mut found).expect("memory reads");
            let counts = content || !copies;
            *count += found.iter().filter(|d| counts && !d.proposal.is_empty()).count();
        }
    }
    println!("{fixable} findings with a default repair, {proposed} proposed, {masked} without content");
    assert!(fixable > 30 && proposed * 100 >= fixable * 95 && masked * 100 >= without * 50);
}

/// Offsets of what was unpacked, or put together, are none of the file that an editor opens.
#[test]
fn only_what_lies_in_the_file_is_proposed() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = "A sentence that is long enough for a reference to be shorter than it, twice over and once more.";
    let items = format!(r#"{{"role":"user","content":"{said}"}},{{"role":"user","content":"{said} Again."}}"#);
    let orphan = r#"{"type":"function_call_output","call_id":"call_1","output":"x"}"#;
    let log = format!(
        "{{\"model\":\"gpt-5.5\",\"input\":[{items}]}}\n{{\"model\":\"gpt-5.5\",\"input\":[{items},{orphan}]}}\n"
    );
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("whole.jsonl"), &log).expect("written");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, log.as_bytes()).expect("packed");
    std::fs::write(file("packed.jsonl.gz"), packed.finish().expect("packed")).expect("written");
    crate::report::reports::run(folder.path(), &["slim", "--isolated", "-o", "slimmed.jsonl", "whole.jsonl"]);
    for (name, offered) in [("whole.jsonl", true), ("packed.jsonl.gz", false), ("slimmed.jsonl", false)] {
        let args = ["check", "--isolated", "--output-format", "sarif", name];
        let output = crate::report::reports::run(folder.path(), &args);
        let sarif: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "RL102", "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(result["fixes"].is_array(), offered, "{name}");
    }
}
