//! Strings that a conversion may lose because they mean nothing to the model, by format and path, each with its reason.
//! They are in `testdata/conserved.toml`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// A row of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcuseRow {
    /// Names of formats, or of files of theirs (`format/file`), separated by spaces; `*` for all.
    pub format: String,
    /// A pattern: `*` matches a part of a segment, `**` anything.
    pub path: String,
    /// Targets of the conversion, separated by spaces; `None`: all.
    pub to: Option<String>,
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcuseTables {
    /// Strings that a conversion neither writes nor reports.
    pub convert: Vec<ExcuseRow>,
    /// Strings around a dropped item in its record: the item is in the list of dropped items, its record is not.
    pub fix: Vec<ExcuseRow>,
    /// Strings that may differ in equal histories, besides those that are not converted.
    pub diff: Vec<ExcuseRow>,
    /// Marks of failure that requests cannot express.
    pub marks: Vec<ExcuseRow>,
}

pub fn tables() -> ExcuseTables {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/conserved.toml");
    let text = fs::read_to_string(&path).expect("the tables");
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// True if a path matches a pattern.
pub fn fits(pattern: &str, path: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(left) = path.strip_prefix(head) else { return false };
    let (rest, deep) = rest.strip_prefix('*').map_or((rest, false), |rest| (rest, true));
    let end = if deep { left.len() } else { left.find('/').unwrap_or(left.len()) };
    (0..=end).filter(|n| left.is_char_boundary(*n)).any(|n| fits(rest, &left[n..]))
}

#[test]
fn patterns_fit_paths() {
    assert!(fits("{user}/**/text", "{user}/message{user}/content/*{text}/text"));
    assert!(fits("**", "/a") && fits("/*", "/a") && fits("/a", "/a"));
    assert!(!fits("/*", "/a/b") && !fits("/a", "/a/b") && !fits("**/b", "/a"));
}
