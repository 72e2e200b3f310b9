//! The preview of a repair: each change with the line of its item, and a summary of all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::judge::Options;
use replaylint::internals::repair;
use replaylint::internals::repair::{Action, FixOptions, Reasoning};
use replaylint::internals::report::{Diagnostic, Style, changes};
use serde_json::Value;

use super::outputs::sample_texts;
use super::reports::{json, run};
use crate::support::{DOC, STYLE, growable_text, preview, repair};

/// All files of the samples.
fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let below = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = below(folder).flat_map(below).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn every_change_has_the_line_of_its_item() {
    let mut seen = BTreeSet::new();
    let narrow = Style { width: 60, ..STYLE };
    for path in samples() {
        let Ok(text) = fs::read(&path).map(|text| growable_text(&text)) else { continue };
        for reasoning in [Reasoning::Auto, Reasoning::Strip] {
            let wanted = FixOptions { reasoning, warnings: true, ..FixOptions::default() };
            let fixed = repair::fix(DOC, &text, &Options::default(), &wanted, 1).expect("memory reads");
            let notes = changes::notes(DOC, "sample", &text, &fixed).expect("memory reads");
            let page = preview(&text, &fixed, &notes, narrow);
            for note in &notes {
                // By its type, or where it has none by its id.
                let (kind, id) = note.item.split_once(' ').unwrap_or((&note.item, "message"));
                let name = id.rsplit(' ').next().unwrap_or(id);
                let sign = match note.action {
                    Action::Drop | Action::Move => "- ",
                    Action::Stub => "+ ",
                    Action::Rewrite | Action::Strip => "  ",
                };
                let is_it = |line: &str| {
                    let rest = line.strip_prefix(sign);
                    rest.is_some_and(|rest| {
                        sign == "+ "
                            || rest.starts_with(kind)
                            || rest.contains(name)
                            || rest.starts_with("a value")
                    })
                };
                let is_copied = notes.iter().any(|other| other.at == note.at && other.action == Action::Drop);
                let shows = page.lines().any(is_it) || is_copied && note.action != Action::Drop;
                // Damage has no item.
                let is_item = note.item != "bytes" && !note.item.starts_with("a field");
                assert!(shows || !is_item, "{} {:?} {}:\n{page}", path.display(), note.action, note.item);
                seen.insert(note.action.name());
            }
            let is_item = |line: &&str| line.starts_with("- ") || line.starts_with("+ ");
            let wide =
                page.lines().filter(is_item).find(|line| !line.contains("\": ") && line.chars().count() > 60);
            assert_eq!(wide, None, "{}", path.display());
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["drop", "move", "rewrite", "strip", "stub"]);
}

#[test]
fn the_summary_adds_up_the_changes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let args = ["fix", "--isolated", "--orphans", "drop", "formats"];
    let report = json(&run(&folder, &[&args[..], &["--output-format", "json"]].concat()));
    let changes = report["changes"].as_array().expect("a list");
    let of = |key: &str, value: &str| changes.iter().filter(|change| change[key] == value).count() as u64;
    let lost = report["summary"]["lost"].as_array().expect("a list");
    let sum = |key: &str| lost.iter().filter_map(|lost| lost[key].as_u64()).sum::<u64>();
    assert_eq!(sum("count"), of("loss", "lossy"));
    assert_eq!(report["summary"]["added"], of("action", "stub"));
    assert!(changes.iter().any(|change| change["turn"] == 2), "{changes:?}");
    let output = run(&folder, &args);
    let output = String::from_utf8(output.stderr).expect("UTF-8");
    // The sentences of the summary are wrapped.
    let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.contains(&format!("{} items removed", of("action", "drop"))), "{output}");
    let (_, loses) = output.split_once(" Loses: ").expect("a sentence");
    for kind in lost.iter().filter(|kind| kind["count"] == 1) {
        assert!(
            loses.contains(kind["kind"].as_str().unwrap_or_default()) || kind["kind"] == "part of an item",
            "{loses}"
        );
    }
}

/// The findings that `fix --fix-warnings` is said to resolve are resolved by it, also with `--lossless`.
#[test]
fn a_fix_behind_a_flag_is_made_with_the_flag() {
    let options = Options::default();
    let needs_flag = |left: &&Diagnostic| left.fix.as_ref().is_some_and(|fix| fix.flag == Some("--fix-warnings"));
    for lossless in [false, true] {
        let wanted = FixOptions { lossless, ..FixOptions::default() };
        let with_flag = FixOptions { warnings: true, ..wanted.clone() };
        let mut promised = 0;
        for (name, text) in sample_texts() {
            let first = repair(&text, &options, &wanted);
            let offered = first.remaining.iter().filter(needs_flag).map(|left| &left.message);
            let offered: Vec<&String> = offered.collect();
            let fixed = repair::fix(DOC, &growable_text(&first.text), &options, &with_flag, 1);
            let fixed = fixed.expect("memory reads");
            let made = fixed.before.findings.len().saturating_sub(fixed.remaining().findings.len());
            assert!(made >= offered.len(), "{name}, lossless: {lossless}: {made} of {offered:?}");
            promised += offered.len();
        }
        assert!(promised > 10, "{promised}");
    }
}

/// A request with unanswered calls, each in a turn of its own.
fn request_with_open_calls(calls: usize) -> String {
    let turn = |n: usize| {
        format!(
            r#"{{"type":"message","role":"user","content":"do {n}"}},{{"type":"function_call","call_id":"call_{n}","name":"f","arguments":"{{}}"}}"#
        )
    };
    let turns: Vec<String> = (0..calls).map(turn).collect();
    let last = r#"{"type":"message","role":"user","content":"and?"}"#;
    format!(r#"{{"model":"gpt-4.1","input":[{},{last}]}}"#, turns.join(","))
}

#[test]
fn hunks_of_a_kind_are_counted_after_the_first_three() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, calls| fs::write(folder.path().join(name), request_with_open_calls(calls)).expect("written");
    let shown = |args: &[&str]| {
        let out = run(folder.path(), &[&["fix", "--isolated"], args].concat());
        String::from_utf8(out.stdout).expect("UTF-8")
    };
    let heads = |page: &str| page.lines().filter(|line| line.starts_with("RL101 ")).count();
    write("a.json", 20);
    let page = shown(&["a.json"]);
    assert_eq!(heads(&page), 3, "{page}");
    assert!(page.contains("… and 17 more like this (show with --all): RL101 add a placeholder output"), "{page}");
    assert_eq!(page.matches("the API says").count(), 1, "{page}");
    let all = shown(&["--all", "a.json"]);
    assert!(heads(&all) == 20 && !all.contains("more like this"), "{all}");
    // Over files, too.
    write("a.json", 2);
    write("b.json", 2);
    let page = shown(&["a.json", "b.json"]);
    assert!(heads(&page) == 3 && page.contains("… and 1 more like this"), "{page}");
}

#[test]
fn the_command_repeats_the_flags_of_the_preview() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("my log.json"), request_with_open_calls(1)).expect("written");
    let out = run(
        folder.path(),
        &["fix", "--isolated", "--orphans", "drop", "--dropped", "d.jsonl", "--all", "my log.json"],
    );
    let output = String::from_utf8(out.stderr).expect("UTF-8");
    assert!(output.contains("Loses: 1 function call (71 bytes).\n"), "{output}");
    let command = "Run `replaylint fix -w --orphans drop --dropped d.jsonl --isolated 'my log.json'`.";
    assert!(output.contains(command), "{output}");
    let report: Value =
        json(&run(folder.path(), &["fix", "--isolated", "--output-format", "json", "my log.json"]));
    assert_eq!(report["changes"][0]["loss"], "adds");
    assert_eq!(report["changes"][0]["turn"], 1);
    assert_eq!(report["summary"]["lost"], serde_json::json!([]));
}
