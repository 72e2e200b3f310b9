//! Stored fields that no reader knows: each name of a member in a sample of a format must occur in the code of its reader, or
//! be in `testdata/fields.toml` as one that a request does not need. A field that an agent begins to store fails here, when
//! a sample with it is added.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::formats::FORMATS;
use replaylint::internals::judge::Options;
use serde::Deserialize;
use serde_json::Value;

use crate::rules::corpus::{corpus, manifest};
use crate::support::memory::{check_of, growable_text};

/// Members that need no reader.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldTables {
    /// Members whose values are data of tools or of users, in every format: what is in them is not looked at.
    free: BTreeSet<String>,
    /// Members that a request needs in no format, such as numbers of tokens.
    everywhere: BTreeSet<String>,
    /// By format: members that a request does not need.
    unneeded: BTreeMap<String, BTreeSet<String>>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source_files(under: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(under).sort_by_file_name().into_iter().flatten();
    files.map(|entry| entry.into_path()).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Names of members in code: `name::x`, and the identifiers in its strings.
fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = text.split("name::").skip(1).map(|rest| rest.trim_start_matches("r#"));
    let named = named.map(|rest| rest.split(|c| !is_part(c)).next().unwrap_or_default());
    let strings = text.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
    named.chain(strings.flat_map(|string| string.split(|c| !is_part(c)))).collect()
}

/// The names of members in the code that reads each format: its folder, the folders of its dialects, and what formats share.
fn words_of_readers(texts: &BTreeMap<PathBuf, String>) -> BTreeMap<&'static str, BTreeSet<&str>> {
    let (formats, dialects) = (root().join("src/formats"), root().join("src/dialects"));
    let shared = [
        formats.clone(),
        formats.join("agents"),
        formats.join("threads"),
        root().join("src/format"),
        root().join("src/message"),
        dialects.clone(),
    ];
    let reader = |name: &'static str| {
        let row = format!("name: \"{name}\"");
        let file = texts.iter().find(|(path, text)| path.starts_with(&formats) && text.contains(&row))?.0;
        let folder = file.parent()?;
        let own: Vec<&String> =
            texts.iter().filter(|(path, _)| path.starts_with(folder)).map(|(_, text)| text).collect();
        let is_used = |path: &Path| {
            let dialect = path.strip_prefix(&dialects).ok().and_then(|rest| rest.iter().next()?.to_str());
            dialect.is_some_and(|dialect| own.iter().any(|text| text.contains(&format!("dialects::{dialect}::"))))
        };
        let is_read = |path: &Path| {
            path.starts_with(folder)
                || path.parent().is_some_and(|own| shared.iter().any(|one| one == own))
                || is_used(path)
        };
        let all = texts.iter().filter(|(path, _)| is_read(path)).flat_map(|(_, text)| words(text));
        Some((name, all.collect()))
    };
    FORMATS.iter().filter_map(|format| reader(format.info().name)).collect()
}

/// True if a key is a name, and not an id or other data.
fn is_field(key: &str) -> bool {
    let digits = key.chars().filter(char::is_ascii_digit).count();
    let is_word = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && key.len() <= 40;
    is_word
        && digits < 3
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && !key.ends_with(|c: char| c.is_ascii_digit())
}

/// The names of members in a value, outside of free content.
fn collect(val: &Value, free: &BTreeSet<String>, names: &mut BTreeSet<String>) {
    match val {
        Value::Object(members) => {
            for (name, val) in members {
                if is_field(name) {
                    names.insert(name.clone());
                }
                if !free.contains(name) {
                    collect(val, free, names);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|val| collect(val, free, names)),
        _ => {}
    }
}

fn sample_files() -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(root().join("testdata/formats")).sort_by_file_name().into_iter().flatten();
    let own = all.map(|entry| entry.into_path()).filter(|path| path.is_file());
    let own = own.filter(|path| !path.starts_with(root().join("testdata/formats/snapshots")));
    let beside = corpus().into_iter().flat_map(|corpus| {
        let rows = manifest(&corpus).into_iter();
        rows.map(move |row| corpus.join(&row.path)).collect::<Vec<_>>()
    });
    own.chain(beside).collect()
}

/// Larger files are skipped, in bytes.
const LARGE: u64 = 128 << 10;

#[test]
fn stored_fields_are_read_or_known_to_be_unneeded() {
    let text = fs::read_to_string(root().join("testdata/fields.toml")).expect("the tables");
    let tables: FieldTables = toml::from_str(&text).unwrap_or_else(|error| panic!("fields.toml: {error}"));
    let texts = source_files(&root().join("src")).into_iter();
    let texts: BTreeMap<PathBuf, String> =
        texts.map(|path| (path.clone(), fs::read_to_string(path).expect("readable"))).collect();
    let words = words_of_readers(&texts);
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for path in sample_files() {
        if !fs::metadata(&path).is_ok_and(|meta| meta.len() < LARGE) {
            continue;
        }
        let text = fs::read(&path).expect("readable");
        let Some(format) = check_of(&growable_text(&text), &Options::default()).format else { continue };
        let names = &mut found.entry(format.info().name).or_default();
        match serde_json::from_slice::<Value>(&text) {
            Ok(val) => collect(&val, &tables.free, names),
            Err(_) => {
                let lines = text.split(|byte| *byte == b'\n');
                lines
                    .filter_map(|line| serde_json::from_slice(line).ok())
                    .for_each(|val: Value| collect(&val, &tables.free, names));
            }
        }
    }
    let none = BTreeSet::new();
    let mut unknown = Vec::new();
    for (format, names) in &found {
        let unneeded = tables.unneeded.get(*format).unwrap_or(&none);
        let Some(read) = words.get(format) else { continue };
        let is_known =
            |name: &str| unneeded.contains(name) || tables.everywhere.contains(name) || read.contains(name);
        let own: Vec<&str> = names.iter().map(String::as_str).filter(|name| !is_known(name)).collect();
        if !own.is_empty() {
            unknown.push(format!("{format} = {own:?}"));
        }
    }
    if let Some(folder) = std::env::var_os("REPLAYLINT_SILENT") {
        fs::write(Path::new(&folder).join("fields.txt"), unknown.join("\n")).expect("writable");
    }
    assert!(unknown.is_empty(), "stored, not read, and not in testdata/fields.toml:\n{}", unknown.join("\n"));
}
