//! Two regression tables for the readers: which formats claim each sample, and what is found in each store's sample when
//! one thing in it is broken. A rewritten reader must give the same tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::format::Probe;
use replaylint::internals::formats::{self, FORMATS};
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::{self, FindingsOnly, Options};
use replaylint::internals::read;
use serde_json::Value;

use crate::support::{DOC, growable_text};

/// The samples: format, name of the file, text.
pub fn samples() -> Vec<(String, String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let files = walkdir::WalkDir::new(&root).min_depth(2).max_depth(2).sort_by_file_name();
    let files = files.into_iter().filter_entry(|entry| !entry.path().starts_with(root.join("snapshots")));
    let sample = |entry: walkdir::DirEntry| {
        let own = entry.path().strip_prefix(&root).ok()?.components().next()?;
        let own = own.as_os_str().to_string_lossy().into_owned();
        Some((own, entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).ok()?))
    };
    files.flatten().filter(|entry| entry.file_type().is_file()).filter_map(sample).collect()
}

#[test]
fn samples_are_claimed_as_before() {
    let mut table = String::new();
    for (own, file, text) in samples() {
        let mut claims: Vec<(u32, &str)> = Vec::new();
        let whole = [text.trim_ascii()];
        let records = match scan(whole[0], &mut Tape::new()) {
            Ok(()) => whole.to_vec(),
            Err(_) => text.split(|b| *b == b'\n').collect(),
        };
        let mut tape = Tape::new();
        for record in records {
            let record = record.strip_prefix(b"data:").unwrap_or(record).trim_ascii();
            if scan(record, &mut tape).is_err() {
                continue;
            }
            let Some(root) = tape.root(record) else { continue };
            let probe = Probe::new(root);
            claims.resize(FORMATS.len(), (0, ""));
            for (claim, format) in claims.iter_mut().zip(FORMATS) {
                *claim = (claim.0 + u32::from(format.detect(&probe)), format.info().name);
            }
        }
        claims.retain(|(score, _)| *score > 0);
        claims.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        write!(table, "{own}/{file}:").expect("a string");
        for (score, name) in claims.iter().take(2) {
            write!(table, " {name} {score}").expect("a string");
        }
        table.push('\n');
    }
    compare("claims", &table);
}

/// A kind of fault: the value once for each place where it can be.
pub type SampleFault = fn(&Value) -> Vec<Value>;

pub const FAULTS: [(&str, SampleFault); 5] = [
    ("left out", without_elements),
    ("doubled", with_doubled_elements),
    ("renamed", with_renamed_texts),
    ("emptied", with_emptied_texts),
    ("repeated", repeated),
];

/// Without an element of a list.
fn without_elements(value: &Value) -> Vec<Value> {
    let without = |list: &Value, n: usize| {
        let elements = list.as_array().into_iter().flatten().enumerate();
        elements.filter(|(other, _)| *other != n).map(|(_, element)| element.clone()).collect()
    };
    elements(value).iter().map(|(list, n)| with_edit(value, list, |list| without(list, *n))).collect()
}

/// With an element of a list twice.
fn with_doubled_elements(value: &Value) -> Vec<Value> {
    let twice = |list: &Value, n: usize| {
        let elements = list.as_array().into_iter().flatten().enumerate();
        elements.flat_map(|(other, element)| vec![element.clone(); 1 + usize::from(other == n)]).collect()
    };
    elements(value).iter().map(|(list, n)| with_edit(value, list, |list| twice(list, *n))).collect()
}

/// With another text in one place of a text that occurs in several, so that an id loses its partner.
fn with_renamed_texts(value: &Value) -> Vec<Value> {
    let texts = texts(value);
    let again = |text: &&str| texts.iter().filter(|(_, other)| other == text).count() > 1;
    let rename = |text: &Value| Value::from(format!("{}0", text.as_str().unwrap_or_default()));
    let ids = texts.iter().filter(|(_, text)| again(&text.as_str()));
    ids.map(|(pointer, _)| with_edit(value, pointer, rename)).collect()
}

/// With an empty text in the place of one text.
fn with_emptied_texts(value: &Value) -> Vec<Value> {
    texts(value).iter().map(|(pointer, _)| with_edit(value, pointer, |_| Value::from(""))).collect()
}

/// With everything twice: appended to itself.
pub fn repeated(value: &Value) -> Vec<Value> {
    let mut value = value.clone();
    repeat_lists(&mut value, 2);
    vec![value]
}

/// Repeats the elements of a list, or of each list that is a member, so many times. False if there are none.
pub fn repeat_lists(value: &mut Value, copies: usize) -> bool {
    let lists: Vec<&mut Vec<Value>> = match value {
        Value::Array(elements) => vec![elements],
        Value::Object(members) => members.values_mut().filter_map(Value::as_array_mut).collect(),
        _ => Vec::new(),
    };
    let mut is_repeated = false;
    for list in lists.into_iter().filter(|list| !list.is_empty()) {
        *list = list.iter().cycle().take(list.len() * copies).cloned().collect();
        is_repeated = true;
    }
    is_repeated
}

fn with_edit(value: &Value, pointer: &str, edit: impl Fn(&Value) -> Value) -> Value {
    let mut value = value.clone();
    let part = value.pointer_mut(pointer).expect("a place in it");
    *part = edit(part);
    value
}

/// The elements of all lists: the pointer of the list, and their number.
fn elements(value: &Value) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    visit(value, String::new(), &mut |pointer, value| {
        let count = value.as_array().map_or(0, Vec::len);
        all.extend((0..count).map(|n| (pointer.to_owned(), n)));
    });
    all
}

/// All texts, with their pointers.
fn texts(value: &Value) -> Vec<(String, String)> {
    let mut all = Vec::new();
    visit(value, String::new(), &mut |pointer, value| {
        all.extend(value.as_str().map(|text| (pointer.to_owned(), text.to_owned())));
    });
    all
}

fn visit(value: &Value, pointer: String, see: &mut dyn FnMut(&str, &Value)) {
    see(&pointer, value);
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| visit(value, format!("{pointer}/{n}"), see));
        }
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            visit(value, format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), see);
        }),
        _ => {}
    }
}

#[test]
fn faults_are_found_as_before() {
    let mut table = String::new();
    for (own, _, text) in samples().into_iter().filter(|(_, file, _)| file.starts_with("rich.")) {
        let named = formats::by_name(&own).filter(|format| format.info().is_explicit_only);
        let options =
            Options { read: read::Options { format: named, ..Default::default() }, ..Options::default() };
        let Ok(text) = String::from_utf8(text) else { continue };
        let (value, is_lines) = match serde_json::from_str::<Value>(&text) {
            Ok(value) => (value, false),
            Err(_) => (text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).collect(), true),
        };
        let codes = |value: &Value| {
            let text = match value.as_array().filter(|_| is_lines) {
                Some(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
                None => value.to_string(),
            };
            let found = judge::judge(DOC, &growable_text(text.as_bytes()), &options, 1, &FindingsOnly)
                .expect("memory reads");
            let mut codes: BTreeMap<String, usize> = BTreeMap::new();
            found
                .findings
                .iter()
                .for_each(|judged| *codes.entry(judged.finding.code.to_string()).or_default() += 1);
            codes
        };
        let sound = codes(&value);
        writeln!(table, "{own}").expect("a string");
        for (fault, broken) in FAULTS {
            let mut more: BTreeMap<String, usize> = BTreeMap::new();
            let broken = broken(&value);
            for codes in broken.iter().map(codes) {
                for (code, count) in codes {
                    let more = more.entry(code.clone()).or_default();
                    *more += usize::from(count > sound.get(&code).copied().unwrap_or_default());
                }
            }
            more.retain(|_, count| *count > 0);
            let more: Vec<String> = more.iter().map(|(code, count)| format!(" {code} {count}")).collect();
            writeln!(table, "  {fault}, {} times:{}", broken.len(), more.join(",")).expect("a string");
        }
    }
    compare("faults", &table);
}

/// Compares a table with `testdata/nets/<name>.snap`.
fn compare(name: &str, table: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/nets"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, table));
}
