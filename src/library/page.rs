//! The data of an HTML page for a document, for callers that render it themselves.

use serde_json::{Value, json};

use crate::convert;
use crate::repair::fix;
use crate::report::change_counts::ChangeCounts;
use crate::report::html::draw::{self, Drawing};
use crate::report::prediction::predictions;
use crate::report::{ContentDisplay, FindingSample, changes};
use crate::source::{BorrowedBytes, GrowableBytes, ReadAt};

use super::error::Error;
use super::options::Options;
use super::report::{DOC, Report};

/// The content of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The findings, and what `fix` would change.
    Check,
    /// The changes of `fix`, and the remaining diagnostics.
    Fix,
}

/// The data of the page that `--output-format html` writes, as JSON.
///
/// # Errors
///
/// If the document is larger than the address space.
pub fn page(document: &[u8], options: &Options, view: View, content: bool) -> Result<String, Error> {
    let bytes = GrowableBytes::new(BorrowedBytes(document));
    let drawing = |command| Drawing {
        command,
        id: DOC,
        label: &options.name,
        bytes: &bytes as &dyn ReadAt,
        options: &options.judge,
        content,
    };
    let (doc, report, fixed) = match view {
        View::Check => {
            let mut found = convert::check(DOC, &bytes, &options.judge, 1)?;
            let promises = predictions::predict(DOC, &bytes, &mut found, &options.judge, 1, true)?;
            let picked = FindingSample::all();
            let diagnostics =
                promises.diagnose(DOC, &options.name, &bytes, &found, &picked, ContentDisplay::None)?;
            let doc =
                draw::draw_with_fix(drawing("check"), &found, &diagnostics, promises.repair(&found.findings))?;
            let mut report = Report::new(&found, &options.name, diagnostics);
            report.summary.fixable = promises.resolved;
            (doc, report, Value::Null)
        }
        View::Fix => {
            let fixed = fix(DOC, &bytes, &options.judge, &options.fix, 1)?;
            let notes = changes::notes(DOC, &options.name, &bytes, &fixed)?;
            let left = changes::remaining_diagnostics(DOC, &options.name, &bytes, &fixed, ContentDisplay::None)?;
            let doc = draw::draw_repair(drawing("fix"), &fixed, &notes, &left)?;
            let mut counts = ChangeCounts::default();
            counts.add(&fixed);
            let counts = json!(crate::report::contract::Repaired::from(&counts));
            (doc, Report::new(fixed.remaining(), &options.name, left), counts)
        }
    };
    Ok(format!(
        "{{\"version\":\"{}\",\"docs\":[{doc}],\"summary\":{},\"fixed\":{fixed}}}",
        env!("CARGO_PKG_VERSION"),
        json!(report.summary),
    ))
}
