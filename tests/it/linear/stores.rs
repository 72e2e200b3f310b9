//! Every stored format, grown: the records or messages of each file in `testdata/formats` are repeated, as they are and
//! with ids of their own, and the work of every command grows with their number.

use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::repair::FixOptions;
use replaylint::internals::source::Roomy;
use serde_json::Value;

use crate::linear::commands::{grown, run};
use crate::repair::stores::{Sample, broken_samples};
use crate::support::work::{Counted, Work, grows_linearly};
use crate::support::{repair, repair_of};

const FEW: usize = 100;
const MANY: usize = 4 * FEW;

/// The ids in a value become those of a copy: whatever names a record, a message, a call or a parent.
fn renumber(value: &mut Value, copy: usize) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                let key = key.to_ascii_lowercase();
                let names = ["id", "ids", "uuid", "parent", "parentuuid"].contains(&key.as_str())
                    || ["_id", "call_id", "callid", "useid", "messageid", "parentid"]
                        .iter()
                        .any(|end| key.ends_with(end));
                let of_session = key.contains("session") || key.contains("thread") || key.contains("conversation");
                match value {
                    Value::String(text) if names && !of_session => text.push_str(&format!("_{copy}")),
                    _ => renumber(value, copy),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| renumber(value, copy)),
        _ => {}
    }
}

/// The list of a document that holds most text; its elements are taken for its messages.
fn largest(value: &mut Value) -> Option<&mut Vec<Value>> {
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

/// So many elements, made of copies of these.
fn copies(list: &[Value], count: usize, own_ids: bool) -> Vec<Value> {
    let mut out = Vec::with_capacity(count);
    for copy in 0..count.div_ceil(list.len().max(1)) {
        for value in list.iter().take(count - out.len()) {
            let mut value = value.clone();
            if own_ids && copy > 0 {
                renumber(&mut value, copy);
            }
            out.push(value);
        }
    }
    out
}

/// Files are of any size: one that has just outgrown the sample by which formats are recognised, or the first piece of a
/// buffer, costs a reading more, and the few records of a rebuilt request may all come before a compaction. With the square
/// it would be sixteen times as much.
const MOST: u64 = 15;

/// A file with so many records or messages; `None` if it has nothing to repeat.
fn grow(text: &str, count: usize, own_ids: bool) -> Option<String> {
    if let Ok(mut document) = serde_json::from_str::<Value>(text) {
        let list = largest(&mut document)?;
        *list = copies(list, count, own_ids);
        return Some(document.to_string());
    }
    let lines: Option<Vec<Value>> =
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).ok()).collect();
    // The first line of many sessions is about the file, and is there once.
    let lines = lines?;
    let (first, rest) = lines.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let lines = std::iter::once(first.clone()).chain(copies(rest, count, own_ids));
    Some(lines.map(|line| line.to_string() + "\n").collect())
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let folders = fs::read_dir(root).expect("testdata").flatten().map(|entry| entry.path());
    let folders = folders.filter(|path| path.is_dir() && !path.ends_with("snapshots"));
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).expect("testdata").flatten())
        .map(|file| file.path())
        .collect();
    files.sort();
    files
}

fn stores_are_linear(part: usize, own_ids: bool) {
    let (mut faults, mut grew) = (Vec::new(), 0);
    for path in files().into_iter().skip(part).step_by(PARTS) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let done = |count: usize| {
            let text = grow(&text, count, own_ids)?;
            Some(run(&text, &text, "chat"))
        };
        let Some((few, many)) = done(FEW).zip(done(MANY)) else { continue };
        grew += usize::from(many.items > 2 * few.items);
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display().to_string();
        faults.extend(grown(&name, &few, &many, MOST));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(grew >= 10, "only {grew} files hold more items when they are repeated");
}

/// The files are dealt to so many tests.
const PARTS: usize = 4;

#[test]
fn stores_of_one_kind_of_record_are_linear() {
    (0..2).for_each(|part| stores_are_linear(part, true));
}

#[test]
fn the_other_stores_are_linear() {
    (2..PARTS).for_each(|part| stores_are_linear(part, true));
}

#[test]
fn stores_that_repeat_their_ids_are_linear() {
    (0..2).for_each(|part| stores_are_linear(part, false));
}

#[test]
fn the_other_stores_that_repeat_their_ids_are_linear() {
    (2..PARTS).for_each(|part| stores_are_linear(part, false));
}

/// Each conversation of a file is repaired by itself: what that reads has nothing to do with how many others there are.
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
        let done = |count: usize| {
            let doc = Roomy::new(Counted(format!("{text}\n").repeat(count).into_bytes()));
            let (work, repaired) = Work::of(|| repair_of(&doc, &options, &FixOptions::default()));
            assert_eq!(repaired.fixed.before.histories as usize, count, "{format}");
            work
        };
        grows_linearly(&format, done(FEW), done(MANY));
        seen.push(format);
    }
    assert!(seen.len() > 5, "{seen:?}");
}
