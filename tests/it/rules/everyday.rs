//! Lines of logs, terminals and threads that no provider said for a history: `explain --error` knows none of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use replaylint::internals::report::recognise::Recogniser;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Everyday {
    values: BTreeMap<String, Vec<String>>,
    kind: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    name: String,
    lines: Vec<String>,
}

/// A line is filled in so many ways, at most.
const WAYS: usize = 9;

impl Everyday {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/everyday.toml");
        toml::from_str(&std::fs::read_to_string(path).expect("testdata")).expect("TOML")
    }

    /// The line with the values of its names in one of the ways; what is no name stays.
    fn filled(&self, line: &str, way: usize) -> String {
        let (mut out, mut rest, mut names) = (String::new(), line, 0);
        while let Some(at) = rest.find('{') {
            let (before, inner) = (&rest[..at], &rest[at + 1..]);
            out.push_str(before);
            let values = inner.find('}').and_then(|end| Some((end, self.values.get(&inner[..end])?)));
            match values {
                Some((end, values)) => {
                    out.push_str(&values[(way + names * 2) % values.len()]);
                    rest = &inner[end + 1..];
                    names += 1;
                }
                None => {
                    out.push('{');
                    rest = inner;
                }
            }
        }
        out + rest
    }
}

#[test]
fn everyday_lines_stay_unknown() {
    let everyday = Everyday::read();
    let recogniser = Recogniser::new();
    let (mut seen, mut templates, mut known) = (BTreeSet::new(), 0, Vec::new());
    for kind in &everyday.kind {
        templates += kind.lines.len();
        for line in &kind.lines {
            for text in (0..WAYS).map(|way| everyday.filled(line, way)) {
                if !seen.insert(text.clone()) {
                    continue;
                }
                if let Some(found) = recogniser.recognise(&text).first() {
                    known.push(format!("{}: '{}': {text}", kind.name, found.template));
                }
            }
        }
    }
    println!("{} of {} everyday lines are taken for an error, {templates} templates", known.len(), seen.len());
    assert!(seen.len() >= 1000 && templates >= 120, "{} lines of {templates} templates", seen.len());
    assert!(known.is_empty(), "{}", known.join("\n"));
}
