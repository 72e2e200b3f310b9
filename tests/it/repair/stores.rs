//! Repairs of stores in place. Each sample is broken in every way that the nets know, and repaired: what is written can be
//! read, a second run changes nothing, no line follows one that is not there, and what was repaired once stays as it is
//! while the log grows.

use std::collections::{BTreeMap, BTreeSet};

use replaylint::internals::formats;
use replaylint::internals::judge::Options;
use replaylint::internals::place::Pieces;
use replaylint::internals::read;
use replaylint::internals::repair;
use replaylint::internals::repair::{FixOptions, Fixed, Orphans};
use replaylint::internals::source::{Patched, ReadAt};
use replaylint::internals::target::Severity;
use serde_json::Value;

use crate::formats::nets::{FAULTS, samples};
use crate::support::{DOC, roomy};

/// What a result says that claims nothing.
const STUB: &[u8] = b"no result was recorded";

/// A broken sample, repaired.
struct Repaired {
    fixed: Fixed,
    text: Vec<u8>,
}

fn repaired(text: &[u8], options: &Options, wanted: &FixOptions) -> Repaired {
    let bytes = roomy(text);
    let fixed = repair::fix(DOC, &bytes, options, wanted, 1).expect("memory reads");
    let view = Patched::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, bytes.len()));
    let mut text = Vec::new();
    view.read_into(0, view.len() as usize, &mut text).expect("memory reads");
    Repaired { fixed, text }
}

/// The values of a text: its lines, or the document.
fn values(text: &[u8]) -> Option<Vec<Value>> {
    if let Ok(value) = serde_json::from_slice(text) {
        return Some(vec![value]);
    }
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Names of lines that are followed, and are not there.
fn dangling(values: &[Value], name: &str, parent: &str) -> BTreeSet<String> {
    let all = |key: &str| -> BTreeSet<String> {
        values.iter().filter_map(|line| Some(line.get(key)?.as_str()?.to_owned())).collect()
    };
    all(parent).difference(&all(name)).cloned().collect()
}

/// A sample of a format that is repaired in place, broken in every way that the nets know.
pub struct Sample {
    pub format: String,
    pub options: Options,
    /// It is one document.
    pub is_document: bool,
    pub broken: Vec<String>,
}

/// The samples in files that these are.
pub fn broken_samples(is_wanted: fn(&str) -> bool) -> Vec<Sample> {
    let wanted = samples().into_iter().filter(|(_, file, _)| is_wanted(file));
    let sample = |(own, _, text): (String, String, Vec<u8>)| {
        let format = formats::by_name(&own).filter(|format| format.info().editor.is_some())?;
        let named = Some(format).filter(|format| format.info().named_only);
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

/// Calls `see` with each broken sample of a format that is repaired in place, and the options to read it with.
fn each(see: &mut dyn FnMut(&str, &[u8], &Options)) {
    for Sample { format, options, broken, .. } in broken_samples(|file| file.starts_with("rich.")) {
        broken.iter().for_each(|text| see(&format, text.as_bytes(), &options));
    }
}

#[test]
fn what_is_repaired_in_place_is_sound() {
    let drop = FixOptions { orphans: Orphans::Drop, ..FixOptions::default() };
    let warnings = FixOptions { warnings: true, ..FixOptions::default() };
    let (mut done, mut left, mut faults) = (0, 0, Vec::new());
    each(&mut |own, text, options| {
        for wanted in [&FixOptions::default(), &drop, &warnings] {
            let first = repaired(text, options, wanted);
            if first.fixed.bug.is_some() {
                faults.push(format!("{own}: {:?}\n{}", first.fixed.bug, String::from_utf8_lossy(text)));
            }
            let is_open = |severity| severity == Severity::Error;
            let has = first.fixed.before.judged.iter().any(|judged| is_open(judged.severity) && judged.has_fix());
            if first.fixed.patch.is_empty() {
                left += usize::from(has);
                continue;
            }
            done += 1;
            let told =
                || format!("{own}:\n{}\n{}", String::from_utf8_lossy(text), String::from_utf8_lossy(&first.text));
            let (Some(before), Some(after)) = (values(text), values(&first.text)) else {
                faults.push(format!("cannot be read: {}", told()));
                continue;
            };
            if !repaired(&first.text, options, wanted).fixed.patch.is_empty() {
                faults.push(format!("a second run changes it: {}", told()));
            }
            for (name, parent) in [("id", "parentId"), ("uuid", "parentUuid")] {
                let more = dangling(&after, name, parent);
                if !more.is_subset(&dangling(&before, name, parent)) {
                    faults.push(format!("a line follows one that is not there: {}", told()));
                }
            }
        }
    });
    println!("{done} repaired, {left} left as they were");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty(), "{} faults:\n{shown}", faults.len());
    assert!(done > left, "{done} repaired, {left} left as they were");
}

/// Where a repair ends before the last lines, it is the same without these.
#[test]
fn what_was_repaired_stays_while_the_log_grows() {
    let (mut held, mut faults) = (0, Vec::new());
    each(&mut |own, text, options| {
        let wanted = FixOptions::default();
        let whole = repaired(text, options, &wanted);
        let ends: Vec<usize> =
            text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
        let edits = whole.fixed.patch.edits(DOC);
        let Some(last) = edits.last().map(|edit| edit.at.end() as usize).filter(|_| ends.len() > 1) else {
            return;
        };
        // The line of the last edit, and the one after it.
        for end in ends.iter().copied().filter(|end| *end > last).skip(1) {
            let part = text.get(..end).unwrap_or_default();
            let again = repaired(part, options, &wanted);
            let rest = text.len() - end;
            let expected = whole.text.get(..whole.text.len() - rest).unwrap_or_default();
            // A call at the end may still run: it is left alone, or answered where a copy of it is not.
            let is_open = again.fixed.before.judged.iter().any(|judged| judged.severity == Severity::Info);
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
                held += 1;
            }
        }
    });
    println!("{held} held");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && held > 100, "{} faults of {held}:\n{shown}", faults.len());
}

/// Whether a file is of one conversation or of several, sent to several providers, each is repaired alike.
#[test]
fn conversations_of_one_file_are_repaired_as_each_by_itself() {
    let wanted = FixOptions::default();
    let (mut held, mut faults) = (BTreeMap::new(), Vec::new());
    let documents: Vec<Sample> = broken_samples(|_| true).into_iter().filter(|one| one.is_document).collect();
    for of_format in documents.chunk_by(|one, other| one.format == other.format) {
        let next = of_format.iter().cycle().skip(1);
        for (Sample { format, options, broken, .. }, other) in of_format.iter().zip(next) {
            let behind = other.broken.iter().cycle().skip(other.broken.len() / 2);
            for (first, second) in broken.iter().zip(behind) {
                let alone = [first, second].map(|text| repaired(text.as_bytes(), options, &wanted));
                let together = repaired(format!("{first}\n{second}\n").as_bytes(), options, &wanted);
                let is_read = |one: &Repaired, histories| {
                    let before = &one.fixed.before;
                    before.histories == histories && before.format_name() == Some(format.as_str())
                };
                // Of a file of its own nothing is taken that tells what it is.
                let is_whole = |one: &Repaired| is_read(one, 1) && one.fixed.given_up.is_empty();
                if !is_read(&together, 2) || !alone.iter().all(is_whole) {
                    continue;
                }
                let expected: Vec<u8> = alone.iter().flat_map(|alone| [&alone.text[..], b"\n"].concat()).collect();
                if together.text == expected {
                    *held.entry(format.clone()).or_insert(0) += usize::from(!together.fixed.patch.is_empty());
                } else {
                    let texts = [expected, together.text].map(|text| String::from_utf8_lossy(&text).into_owned());
                    faults.push(format!("{format}:\n{first}\n{second}\n{}\n{}", texts[0], texts[1]));
                }
            }
        }
    }
    println!("{held:?}");
    let shown: String = faults.iter().take(3).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && held.len() > 3, "{} faults, {held:?} held:\n{shown}", faults.len());
}
