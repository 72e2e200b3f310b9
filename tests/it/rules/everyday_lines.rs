//! Lines of logs, terminals and threads that are no provider's message about a history: `explain --error` recognises none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use replaylint::internals::report::recognise::Recogniser;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EverydayLines {
    values: BTreeMap<String, Vec<String>>,
    kind: Vec<LineKind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineKind {
    name: String,
    lines: Vec<String>,
}

/// The maximum number of variants of a line.
const VARIANTS: usize = 9;

impl EverydayLines {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/everyday.toml");
        toml::from_str(&std::fs::read_to_string(path).expect("testdata")).expect("TOML")
    }

    /// One variant of a line: names in braces are replaced by values, all else is kept.
    fn fill(&self, line: &str, variant: usize) -> String {
        let (mut out, mut rest, mut names) = (String::new(), line, 0);
        while let Some(at) = rest.find('{') {
            let (before, inner) = (&rest[..at], &rest[at + 1..]);
            out.push_str(before);
            let values = inner.find('}').and_then(|end| Some((end, self.values.get(&inner[..end])?)));
            match values {
                Some((end, values)) => {
                    out.push_str(&values[(variant + names * 2) % values.len()]);
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
fn everyday_lines_are_not_recognised() {
    let everyday = EverydayLines::read();
    let recogniser = Recogniser::new();
    let (mut seen, mut templates, mut known) = (BTreeSet::new(), 0, Vec::new());
    for kind in &everyday.kind {
        templates += kind.lines.len();
        for line in &kind.lines {
            for text in (0..VARIANTS).map(|variant| everyday.fill(line, variant)) {
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
