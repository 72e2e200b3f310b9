//! Proposals: each can be applied alone. The result is JSON, the finding is gone in each of our cases, and nothing else
//! breaks.

use std::collections::HashSet;

use replaylint::internals::format::Format;
use replaylint::internals::history::Code;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::DocRepair;
use replaylint::internals::report::Replacement;
use replaylint::internals::report::proposal::propose;
use replaylint::internals::report::{self, ContentDisplay, Diagnostic};
use replaylint::internals::source::ReadAt;
use replaylint::internals::target::Severity;

use serde_json::Value;

use crate::support::{DOC, check_of, growable_text, is_json, is_readable};

/// Maximum number of proposals that are applied per text; the cases are short.
const MAX_PROPOSALS: usize = 200;

fn errors(found: &[Diagnostic]) -> usize {
    found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

fn diagnose(text: &[u8], options: &Options) -> Vec<Diagnostic> {
    diagnose_bytes(&growable_text(text), options)
}

fn diagnose_bytes(bytes: &dyn ReadAt, options: &Options) -> Vec<Diagnostic> {
    let found = check_of(bytes, options);
    report::diagnose(DOC, "case", bytes, &found, ContentDisplay::None).expect("memory reads")
}

fn apply(text: &[u8], proposal: &[Replacement]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for replacement in proposal {
        let (start, end) = replacement.location.span;
        out.extend_from_slice(&text[at..start as usize]);
        out.extend_from_slice(replacement.text.as_bytes());
        at = end as usize;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// A rule, the severity of its finding, and the text after its proposal is applied.
type AppliedProposal = (Code, Severity, Vec<u8>);

/// The diagnostics of a text with their proposals, and the result of each proposal applied alone.
fn apply_each_proposal(
    text: &[u8],
    options: &Options,
    fixed: &DocRepair,
) -> (Vec<Diagnostic>, Vec<AppliedProposal>) {
    let mut before = diagnose(text, options);
    propose(DOC, &growable_text(text), fixed, true, &mut before).expect("memory reads");
    let proposed = before.iter().filter(|diagnostic| !diagnostic.proposal.is_empty()).take(MAX_PROPOSALS);
    let after = proposed
        .map(|diagnostic| (diagnostic.rule, diagnostic.severity, apply(text, &diagnostic.proposal)))
        .collect();
    (before, after)
}

/// Asserts that proposals for any history, however broken, result in JSON and leak no content.
pub fn assert_sound(name: &str, text: &[u8], options: &Options, fixed: &DocRepair) {
    for (rule, _, after) in apply_each_proposal(text, options, fixed).1 {
        assert!(!is_json(text) || after.trim_ascii().is_empty() || is_readable(&after), "{name}: {rule}");
    }
    let mut masked = diagnose(text, options);
    propose(DOC, &growable_text(text), fixed, false, &mut masked).expect("memory reads");
    assert_nothing_leaked(name, text, &masked);
}

/// Asserts that a proposal repairs its finding, and breaks nothing else.
pub fn assert_repairing(name: &str, text: &[u8], options: &Options, fixed: &DocRepair) {
    let (before, applied) = apply_each_proposal(text, options, fixed);
    for (rule, severity, after) in applied {
        let remaining = diagnose(&after, options);
        // An error may remain as a warning, as a reference in place of an item does.
        let weighs = |d: &&Diagnostic| d.rule == rule && d.severity >= severity;
        let of_rule = |found: &[Diagnostic]| found.iter().filter(weighs).count();
        assert!(of_rule(&remaining) < of_rule(&before), "{name}: the proposal for {rule} does not repair it");
        assert!(errors(&remaining) <= errors(&before), "{name}: the proposal for {rule} breaks more");
    }
}

/// Collects texts of messages, arguments and outputs in `out`, and what any report may contain, such as ids, in
/// `reportable`.
fn collect_content(value: &Value, key: &str, out: &mut HashSet<String>, reportable: &mut HashSet<String>) {
    match value {
        Value::String(text) => {
            let is_reportable = REPORTABLE.contains(&key) || key.to_lowercase().ends_with("id");
            if is_reportable { reportable } else { out }.insert(text.clone());
        }
        Value::Array(list) => list.iter().for_each(|value| collect_content(value, key, out, reportable)),
        Value::Object(map) => map.iter().for_each(|(key, value)| collect_content(value, key, out, reportable)),
        _ => {}
    }
}

/// Keys whose values every report contains.
const REPORTABLE: [&str; 4] = ["type", "role", "status", "model"];

/// Asserts that proposals without content contain none.
fn assert_nothing_leaked(name: &str, text: &[u8], masked: &[Diagnostic]) {
    let (mut secrets, mut reportable) = (HashSet::new(), HashSet::new());
    let whole = serde_json::Deserializer::from_slice(text).into_iter::<Value>().map_while(Result::ok);
    // Also the lines after a broken one.
    let lines = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    for record in whole.chain(lines) {
        collect_content(&record, "", &mut secrets, &mut reportable);
    }
    // Ids of damaged lines that only this program can read.
    for at in memchr::memmem::find_iter(text, b"id\":\"") {
        let rest = &text[at + 5..];
        let end = memchr::memchr(b'"', rest).unwrap_or(0);
        reportable.insert(String::from_utf8_lossy(&rest[..end]).into_owned());
    }
    // A damaged key turns an id that another item still has into text.
    secrets.retain(|secret| secret.len() > 3 && !reportable.iter().any(|known| known.contains(secret.as_str())));
    for replacement in masked.iter().flat_map(|diagnostic| &diagnostic.proposal) {
        let text = replacement.text.replace("no result was recorded; execution status unknown", "");
        let leaked = secrets.iter().find(|secret| text.contains(secret.as_str()));
        assert_eq!(leaked, None, "{name}: {}", replacement.text);
    }
}

/// Nearly all default repairs of our cases can be proposed, and half of them without content: moved items contain some,
/// and so do results in logs, whose lines copy the envelope of the line before.
#[test]
fn nearly_all_repairs_are_proposed() {
    let (mut fixable, mut without, mut proposed, mut masked) = (0, 0, 0, 0);
    for (_, text) in crate::report::outputs::sample_texts() {
        let options = Options::default();
        let bytes = growable_text(&text);
        let fixed = crate::support::repair_of(&bytes, &options, &Default::default()).fixed;
        let mut found = diagnose_bytes(&bytes, &options);
        // A result is moved with its content.
        let rewrites = |format: &&'static dyn Format| format.info().editor.is_some();
        let copies = check_of(&bytes, &options).format.as_ref().is_some_and(rewrites);
        let of_content = |d: &&Diagnostic| d.fix.as_ref().is_some_and(|fix| fix.default) && !copies;
        without += found.iter().filter(of_content).count();
        fixable += found.iter().filter(|d| d.fix.as_ref().is_some_and(|fix| fix.default)).count();
        for (with_content, count) in [(true, &mut proposed), (false, &mut masked)] {
            propose(DOC, &bytes, &fixed, with_content, &mut found).expect("memory reads");
            let counts = with_content || !copies;
            *count += found.iter().filter(|d| counts && !d.proposal.is_empty()).count();
        }
    }
    println!("{fixable} findings with a default repair, {proposed} proposed, {masked} without content");
    assert!(fixable > 30 && proposed * 100 >= fixable * 95 && masked * 100 >= without * 50);
}

/// Offsets in unpacked or restored text are not offsets in the file that an editor opens.
#[test]
fn unpacked_and_restored_text_gets_no_proposals() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "A sentence that is long enough for a reference to be shorter than it, twice over and once more.";
    let items = format!(r#"{{"role":"user","content":"{text}"}},{{"role":"user","content":"{text} Again."}}"#);
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
