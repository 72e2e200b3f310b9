//! Repairs of stores in place. Each sample is broken in every way that `formats::nets` knows, and repaired: the result can
//! be read, a second run changes nothing, every line's parent exists, and a repaired prefix stays as it is while the log
//! grows.

use std::collections::{BTreeMap, BTreeSet};

use replaylint::internals::formats;
use replaylint::internals::judge::Options;
use replaylint::internals::place::Pieces;
use replaylint::internals::read;
use replaylint::internals::repair;
use replaylint::internals::repair::{DocRepair, FixOptions, Orphans};
use replaylint::internals::source::{PatchedView, ReadAt};
use replaylint::internals::target::Severity;
use serde_json::Value;

use crate::formats::nets::{FAULTS, samples};
use crate::support::{DOC, diagnostics, growable_text, print_report};

/// The text of a placeholder result.
const STUB: &[u8] = b"no result was recorded";

/// A broken sample, repaired.
struct RepairedSample {
    fixed: DocRepair,
    text: Vec<u8>,
}

fn repair_sample(text: &[u8], options: &Options, wanted: &FixOptions) -> RepairedSample {
    let bytes = growable_text(text);
    let fixed = repair::fix(DOC, &bytes, options, wanted, 1).expect("memory reads");
    let view = PatchedView::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, bytes.len()));
    let mut text = Vec::new();
    view.read_into(0, view.len() as usize, &mut text).expect("memory reads");
    RepairedSample { fixed, text }
}

/// The values of a text: its lines, or the document.
fn values(text: &[u8]) -> Option<Vec<Value>> {
    if let Ok(value) = serde_json::from_slice(text) {
        return Some(vec![value]);
    }
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Ids that lines name as their parents, and no line has.
fn dangling_parents(values: &[Value], name: &str, parent: &str) -> BTreeSet<String> {
    let all = |key: &str| -> BTreeSet<String> {
        values.iter().filter_map(|line| Some(line.get(key)?.as_str()?.to_owned())).collect()
    };
    all(parent).difference(&all(name)).cloned().collect()
}

/// A sample of a format that is repaired in place, broken in every way that `formats::nets` knows.
pub struct Sample {
    pub format: String,
    pub options: Options,
    /// True if the file is one document, false for lines.
    pub is_document: bool,
    pub broken: Vec<String>,
}

/// The samples in files whose names are accepted.
pub fn broken_samples(is_wanted: fn(&str) -> bool) -> Vec<Sample> {
    let wanted = samples().into_iter().filter(|(_, file, _)| is_wanted(file));
    let sample = |(own, _, text): (String, String, Vec<u8>)| {
        let format = formats::by_name(&own).filter(|format| format.info().editor.is_some())?;
        let named = Some(format).filter(|format| format.info().is_explicit_only);
        let options =
            Options { read: read::Options { format: named, ..Default::default() }, ..Options::default() };
        let text = String::from_utf8(text).expect("UTF-8");
        let (value, is_document) = match serde_json::from_str::<Value>(&text) {
            Ok(value) => (value, true),
            Err(_) => (text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).collect(), false),
        };
        let written = |value: Value| match value.as_array().filter(|_| !is_document) {
            Some(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
            None => value.to_string(),
        };
        let broken = FAULTS.iter().flat_map(|(_, broken)| broken(&value)).map(written).collect();
        Some(Sample { format: own, options, is_document, broken })
    };
    wanted.filter_map(sample).collect()
}

/// Calls `visit` with each broken sample of a format that is repaired in place, and the options to read it with.
fn for_each_broken_sample(visit: &mut dyn FnMut(&str, &[u8], &Options)) {
    let is_wanted = |file: &str| file.starts_with("rich.") || file.starts_with("unanswered.");
    for Sample { format, options, broken, .. } in broken_samples(is_wanted) {
        broken.iter().for_each(|text| visit(&format, text.as_bytes(), &options));
    }
}

#[test]
fn in_place_repairs_are_readable_and_idempotent() {
    let drop = FixOptions { orphans: Orphans::Drop, ..FixOptions::default() };
    let warnings = FixOptions { warnings: true, ..FixOptions::default() };
    let (mut repairs, mut unrepaired, mut faults) = (0, 0, Vec::new());
    for_each_broken_sample(&mut |own, text, options| {
        for wanted in [&FixOptions::default(), &drop, &warnings] {
            let first = repair_sample(text, options, wanted);
            if first.fixed.bug.is_some() {
                faults.push(format!("{own}: {:?}\n{}", first.fixed.bug, String::from_utf8_lossy(text)));
            }
            if let Some(why) = first.fixed.abandoned.values().find(|why| why.contains("does not converge")) {
                faults.push(format!("{own}: {why}\n{}", String::from_utf8_lossy(text)));
            }
            let is_open = |severity| severity == Severity::Error;
            let has =
                first.fixed.before.findings.iter().any(|judged| is_open(judged.severity) && judged.has_fix());
            if first.fixed.patch.is_empty() {
                unrepaired += usize::from(has);
                continue;
            }
            repairs += 1;
            let shown_texts =
                || format!("{own}:\n{}\n{}", String::from_utf8_lossy(text), String::from_utf8_lossy(&first.text));
            let (Some(before), Some(after)) = (values(text), values(&first.text)) else {
                faults.push(format!("cannot be read: {}", shown_texts()));
                continue;
            };
            if !repair_sample(&first.text, options, wanted).fixed.patch.is_empty() {
                faults.push(format!("a second run changes it: {}", shown_texts()));
            }
            for (name, parent) in [("id", "parentId"), ("uuid", "parentUuid")] {
                let more = dangling_parents(&after, name, parent);
                if !more.is_subset(&dangling_parents(&before, name, parent)) {
                    faults.push(format!("the parent of a line is missing: {}", shown_texts()));
                }
            }
        }
    });
    println!("{repairs} repaired, {unrepaired} unchanged");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty(), "{} faults:\n{shown}", faults.len());
    assert!(repairs > unrepaired, "{repairs} repaired, {unrepaired} unchanged");
}

/// A repair that ends before the last lines is the same without these lines.
#[test]
fn a_repaired_prefix_stays_while_the_log_grows() {
    let (mut stable, mut faults) = (0, Vec::new());
    for_each_broken_sample(&mut |own, text, options| {
        let wanted = FixOptions::default();
        let whole = repair_sample(text, options, &wanted);
        let ends: Vec<usize> =
            text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
        let edits = whole.fixed.patch.edits(DOC);
        let Some(last) = edits.last().map(|edit| edit.at.end() as usize).filter(|_| ends.len() > 1) else {
            return;
        };
        // The line of the last edit, and the one after it.
        for end in ends.iter().copied().filter(|end| *end > last).skip(1) {
            let part = text.get(..end).unwrap_or_default();
            let again = repair_sample(part, options, &wanted);
            let rest = text.len() - end;
            let expected = whole.text.get(..whole.text.len() - rest).unwrap_or_default();
            // A call at the end may still be running: it is left alone, or answered where a copy of it is not.
            let is_open = again.fixed.before.findings.iter().any(|judged| judged.severity == Severity::Info);
            let stubs = |text: &[u8]| memchr::memmem::find_iter(text, STUB).count();
            if is_open || stubs(&again.text) > stubs(expected) {
                continue;
            }
            if again.text != expected {
                faults.push(format!(
                    "{own}, up to {end}:\n{}\n{}\n{}",
                    String::from_utf8_lossy(part),
                    String::from_utf8_lossy(expected),
                    String::from_utf8_lossy(&again.text)
                ));
            } else {
                stable += 1;
            }
        }
    });
    println!("{stable} unchanged prefixes");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && stable > 100, "{} faults, {stable} unchanged prefixes:\n{shown}", faults.len());
}

/// A conversation is repaired alike, whether it is alone in its file or with one for another provider.
#[test]
fn conversations_of_one_file_are_repaired_independently() {
    let wanted = FixOptions::default();
    let (mut stable, mut faults) = (BTreeMap::new(), Vec::new());
    let documents: Vec<Sample> = broken_samples(|_| true).into_iter().filter(|one| one.is_document).collect();
    for of_format in documents.chunk_by(|one, other| one.format == other.format) {
        let next = of_format.iter().cycle().skip(1);
        for (Sample { format, options, broken, .. }, other) in of_format.iter().zip(next) {
            let following = other.broken.iter().cycle().skip(other.broken.len() / 2);
            for (first, second) in broken.iter().zip(following) {
                let alone = [first, second].map(|text| repair_sample(text.as_bytes(), options, &wanted));
                let together = repair_sample(format!("{first}\n{second}\n").as_bytes(), options, &wanted);
                let is_read = |one: &RepairedSample, histories| {
                    let before = &one.fixed.before;
                    before.histories == histories && before.format_name() == Some(format.as_str())
                };
                // Alone, it keeps all that its format is recognised by.
                let is_unabridged = |one: &RepairedSample| is_read(one, 1) && one.fixed.abandoned.is_empty();
                if !is_read(&together, 2) || !alone.iter().all(is_unabridged) {
                    continue;
                }
                let expected: Vec<u8> = alone.iter().flat_map(|alone| [&alone.text[..], b"\n"].concat()).collect();
                if together.text == expected {
                    *stable.entry(format.clone()).or_insert(0) += usize::from(!together.fixed.patch.is_empty());
                } else {
                    let texts = [expected, together.text].map(|text| String::from_utf8_lossy(&text).into_owned());
                    faults.push(format!("{format}:\n{first}\n{second}\n{}\n{}", texts[0], texts[1]));
                }
            }
        }
    }
    println!("{stable:?}");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && stable.len() > 3, "{} faults, {stable:?} repaired alike:\n{shown}", faults.len());
}

/// A file of one JSON value stays one, also where a log of one line could get another line: in a store of files.
#[test]
fn json_stays_one_value() {
    let mut changed = 0;
    for (format, file, text) in samples().into_iter().filter(|(_, file, _)| file.ends_with(".json")) {
        let value: Value = serde_json::from_slice(&text).expect("JSON");
        for text in [text, serde_json::to_vec(&value).expect("JSON")] {
            let repaired = repair_sample(&text, &Options::default(), &FixOptions::default());
            let is_one = serde_json::from_slice::<Value>(&repaired.text).is_ok();
            assert!(is_one, "{format}/{file}: {}", String::from_utf8_lossy(&repaired.text));
            changed += usize::from(!repaired.fixed.patch.is_empty());
        }
    }
    assert!(changed > 50, "only {changed}");
}

#[test]
fn a_lone_event_names_its_folder() {
    let text = std::fs::read("testdata/openhands/one_call.json").expect("a sample");
    let repaired = repair_sample(&text, &Options::default(), &FixOptions::default());
    assert!(repaired.text == text);
    let printed = print_report(&diagnostics(&text, &Options::default()));
    assert!(printed.contains("give the folder"), "{printed}");
}
