//! Every stored format: the records or messages of each file in `testdata/formats` are repeated, unchanged and with new
//! ids, and the work of every command is linear in their number.

use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::repair::FixOptions;
use replaylint::internals::source::GrowableBytes;
use serde_json::Value;

use crate::linear::commands::{run_commands, superlinear_commands};
use crate::repair::stores::{Sample, broken_samples};
use crate::support::work::{CountedDoc, Work, grows_linearly};
use crate::support::{repair, repair_of};

const FEW: usize = 100;
const MANY: usize = 4 * FEW;

/// Replaces the ids in a value (of records, messages, calls and parents) by those of a copy.
fn renumber(value: &mut Value, copy: usize) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                let key = key.to_ascii_lowercase();
                let is_id = ["id", "ids", "uuid", "parent", "parentuuid"].contains(&key.as_str())
                    || ["_id", "call_id", "callid", "useid", "messageid", "parentid"]
                        .iter()
                        .any(|end| key.ends_with(end));
                let of_session = key.contains("session") || key.contains("thread") || key.contains("conversation");
                match value {
                    Value::String(text) if is_id && !of_session => text.push_str(&format!("_{copy}")),
                    _ => renumber(value, copy),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| renumber(value, copy)),
        _ => {}
    }
}

/// The list of a document with the most text; its elements are assumed to be the messages.
fn largest_list(value: &mut Value) -> Option<&mut Vec<Value>> {
    fn path_of(value: &Value) -> Option<(usize, Vec<String>)> {
        let inner = |key: String, value: &Value| {
            path_of(value).map(|(size, mut path)| {
                path.insert(0, key);
                (size, path)
            })
        };
        match value {
            Value::Array(list) if list.iter().any(Value::is_object) => Some((value.to_string().len(), Vec::new())),
            Value::Array(list) => {
                list.iter().enumerate().filter_map(|(n, value)| inner(n.to_string(), value)).max()
            }
            Value::Object(members) => members.iter().filter_map(|(key, value)| inner(key.clone(), value)).max(),
            _ => None,
        }
    }
    let (_, path) = path_of(value)?;
    let mut at = value;
    for step in path {
        at = if at.is_array() { at.get_mut(step.parse::<usize>().ok()?)? } else { at.get_mut(&step)? };
    }
    at.as_array_mut()
}

/// At least `count` elements, whole copies of those of a list, so that each size ends with the same element; `renumbered` gives
/// each copy new ids.
fn repeat_elements(list: &[Value], count: usize, renumbered: bool) -> Vec<Value> {
    let copies = count.div_ceil(list.len().max(1));
    let mut out = Vec::with_capacity(copies * list.len());
    for copy in 0..copies {
        for value in list {
            let mut value = value.clone();
            if renumbered && copy > 0 {
                renumber(&mut value, copy);
            }
            out.push(value);
        }
    }
    out
}

/// Maximum growth of the work for four times the records. A file that has just outgrown the sample for recognition, or a
/// buffer, is read once more, and the few records of a rebuilt request may all come before a compaction; quadratic work
/// would grow sixteenfold.
const MAX_FACTOR: u64 = 15;

/// A file with at least `count` records or messages; `None` if it has none to repeat.
fn grow(text: &str, count: usize, renumbered: bool) -> Option<String> {
    if let Ok(mut document) = serde_json::from_str::<Value>(text) {
        let list = largest_list(&mut document)?;
        *list = repeat_elements(list, count, renumbered);
        return Some(document.to_string());
    }
    let lines: Option<Vec<Value>> =
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).ok()).collect();
    // The first line of many sessions is about the file, and is there once.
    let lines = lines?;
    let (first, rest) = lines.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let lines = std::iter::once(first.clone()).chain(repeat_elements(rest, count, renumbered));
    Some(lines.map(|line| line.to_string() + "\n").collect())
}

fn sample_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let folders = fs::read_dir(root).expect("testdata").flatten().map(|entry| entry.path());
    let folders = folders.filter(|path| path.is_dir() && !path.ends_with("snapshots"));
    let mut sample_files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).expect("testdata").flatten())
        .map(|file| file.path())
        .collect();
    sample_files.sort();
    sample_files
}

fn assert_stores_linear(part: usize, renumbered: bool) {
    let (mut failures, mut grown) = (Vec::new(), 0);
    for path in sample_files().into_iter().skip(part).step_by(PARTS) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let work = |count: usize| {
            let text = grow(&text, count, renumbered)?;
            Some(run_commands(&text, &text, "chat"))
        };
        let Some((few, many)) = work(FEW).zip(work(MANY)) else { continue };
        grown += usize::from(many.items > 2 * few.items);
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display().to_string();
        failures.extend(superlinear_commands(&name, &few, &many, MAX_FACTOR));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(grown >= 10, "only {grown} files have more items when they are repeated");
}

/// Number of parts that the files are divided into.
const PARTS: usize = 4;

#[test]
fn the_first_half_of_the_stores_is_linear() {
    (0..2).for_each(|part| assert_stores_linear(part, true));
}

#[test]
fn the_second_half_of_the_stores_is_linear() {
    (2..PARTS).for_each(|part| assert_stores_linear(part, true));
}

#[test]
fn the_first_half_of_the_stores_with_repeated_ids_is_linear() {
    (0..2).for_each(|part| assert_stores_linear(part, false));
}

#[test]
fn the_second_half_of_the_stores_with_repeated_ids_is_linear() {
    (2..PARTS).for_each(|part| assert_stores_linear(part, false));
}

/// Each conversation of a file is repaired independently: the work for one does not depend on the number of others.
#[test]
fn many_broken_conversations_of_one_file_are_linear() {
    let mut seen = Vec::new();
    for Sample { format, options, is_document, broken } in broken_samples(|_| true) {
        if !is_document || seen.contains(&format) {
            continue;
        }
        let repairs = |text: &str| {
            let repaired = repair(format!("{text}\n{text}\n").as_bytes(), &options, &FixOptions::default());
            repaired.fixed.before.histories == 2 && !repaired.fixed.patch.is_empty()
        };
        let Some(text) = broken.iter().find(|text| repairs(text)) else { continue };
        let work = |count: usize| {
            let doc = GrowableBytes::new(CountedDoc(format!("{text}\n").repeat(count).into_bytes()));
            let (work, repaired) = Work::of(|| repair_of(&doc, &options, &FixOptions::default()));
            assert_eq!(repaired.fixed.before.histories as usize, count, "{format}");
            work
        };
        grows_linearly(&format, work(FEW), work(MANY));
        seen.push(format);
    }
    assert!(seen.len() > 5, "{seen:?}");
}
