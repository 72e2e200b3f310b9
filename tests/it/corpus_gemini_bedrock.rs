//! Recorded requests to the Gemini API and to Bedrock's Converse, as in `corpus`: what was accepted carries no error and
//! is not changed, what was refused for its history is an error in the provider's words.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use replaylint::fix::FixOptions;
use replaylint::lint::Options;
use replaylint::target::Severity;
use replaylint::targets;

use crate::corpus::{Recorded, corpus, manifest};
use crate::support::{diagnostics, repair};

/// Recorded requests of a stored format, with the model that their URL names: the body does not.
pub fn requests(root: &Path, format: &str, target: &str) -> Vec<(Recorded, Options)> {
    let rows = manifest(root).into_iter().filter(|row| row.format == format && !row.gold.is_empty());
    let model = |url: &str| {
        let (_, rest) = url.split_once("/models/").or_else(|| url.split_once("/model/"))?;
        Some(rest.split([':', '/', '?', '%']).next()?.to_owned())
    };
    let options = |row: &Recorded| Options {
        target: targets::by_name(target),
        model: model(&row.url),
        ..Options::default()
    };
    rows.map(|row| (options(&row), row)).map(|(options, row)| (row, options)).collect()
}

/// Numbers of accepted requests and of history rejections.
fn judge(format: &str, target: &str) -> Option<(u32, u32)> {
    let root = corpus()?;
    let (mut accepted, mut warned, mut refused) = (0, 0, 0);
    let mut codes: BTreeMap<String, u32> = BTreeMap::new();
    for (row, options) in requests(&root, format, target) {
        let text = fs::read(root.join(&row.path)).expect("readable");
        let found = diagnostics(&text, &options);
        let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        if row.gold == "accepted" {
            assert!(errors.is_empty(), "{}: {errors:?}", row.path);
            let repaired = repair(&text, &options, &FixOptions::default());
            assert!(repaired.fixed.patch.is_empty(), "{}: fix changes it: {:?}", row.path, repaired.notes);
            let warnings = found.iter().filter(|d| d.severity == Severity::Warning);
            warnings.for_each(|d| *codes.entry(d.rule.to_string()).or_default() += 1);
            accepted += 1;
            warned += u32::from(found.iter().any(|d| d.severity == Severity::Warning));
        } else if row.history_related {
            let said = row.api_error.clone().unwrap_or_default();
            let quoted = errors.iter().any(|error| error.api_message.as_ref() == Some(&said));
            assert!(quoted, "{}: {said} is not among {errors:?}", row.path);
            refused += 1;
        } else {
            assert!(errors.is_empty(), "{}: no matter of history: {errors:?}", row.path);
        }
    }
    println!(
        "{format}: {accepted} accepted, {warned} with a warning {codes:?}; {refused} refused for their history"
    );
    assert!(warned * 100 <= accepted * 15, "{warned} of {accepted} carry a warning");
    Some((accepted, refused))
}

#[test]
fn gemini() {
    if let Some((accepted, refused)) = judge("gemini-contents", "gemini") {
        assert!(accepted >= 50, "{accepted}");
        assert_eq!(refused, 0);
    }
}

#[test]
fn bedrock() {
    if let Some((accepted, refused)) = judge("bedrock-converse", "bedrock") {
        assert!(accepted >= 20, "{accepted}");
        assert_eq!(refused, 1);
    }
}
