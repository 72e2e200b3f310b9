//! Recorded requests to the Gemini API and to Bedrock's Converse, as in `corpus`.

use std::path::Path;

use replaylint::internals::judge::Options;
use replaylint::internals::targets;

use crate::rules::corpus::{RecordedRequest, manifest};

/// Recorded requests of a stored format, with the model that their URL names: the body does not.
pub fn requests(root: &Path, format: &str, target: &str) -> Vec<(RecordedRequest, Options)> {
    let rows = manifest(root).into_iter().filter(|row| row.format == format && !row.gold.is_empty());
    let model = |url: &str| {
        let (_, rest) = url.split_once("/models/").or_else(|| url.split_once("/model/"))?;
        Some(rest.split([':', '/', '?', '%']).next()?.to_owned())
    };
    let options = |row: &RecordedRequest| Options {
        target: targets::by_name(target),
        model: model(&row.url),
        ..Options::default()
    };
    rows.map(|row| (options(&row), row)).map(|(options, row)| (row, options)).collect()
}
