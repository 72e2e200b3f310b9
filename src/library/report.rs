//! `check` on bytes.

use serde::Serialize;

use crate::convert;
use crate::judge::JudgedDoc;
use crate::place::DocId;
use crate::report;
use crate::report::contract::{self, Diagnostic, Input, Summary};
use crate::report::prediction::predictions;
use crate::report::{ContentDisplay, DocReport, FindingSample};
use crate::source::{BorrowedBytes, GrowableBytes};

use super::error::Error;
use super::options::Options;

/// The id of the only document of a call.
pub(super) const DOC: DocId = DocId(0);

/// The findings in a document. It serialises to the output of `check --output-format json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the JSON contract.
    pub version: u32,
    /// Counts of the findings.
    pub summary: Summary,
    /// The format that the document was read as.
    pub inputs: Vec<Input>,
    /// All diagnostics, in the order of the document.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// True if the provider would reject the document.
    pub fn has_errors(&self) -> bool {
        self.summary.errors > 0
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error")
    }

    pub(super) fn new<T>(doc: &JudgedDoc<T>, name: &str, diagnostics: Vec<report::Diagnostic>) -> Self {
        let seen = DocReport::new(name, doc, diagnostics);
        let mut summary = report::RunSummary { files: 1, ..report::RunSummary::of(&seen.diagnostics) };
        summary.add_doc(&seen);
        Report {
            version: contract::VERSION,
            summary: (&summary).into(),
            inputs: vec![(&seen).into()],
            diagnostics: seen.diagnostics.iter().map(Diagnostic::from).collect(),
        }
    }
}

/// Checks what a provider would reject in a document: JSON or JSON Lines, in any format that the command line reads.
///
/// ```
/// use replaylint::{Options, check};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let body = br#"{"model": "gpt-5", "input": [
///     {"role": "user", "content": "What is the weather in Rome?"},
///     {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
/// ]}"#;
/// let report = check(body, &Options::new())?;
/// let error = report.errors().next().unwrap();
/// assert_eq!((error.rule.as_str(), error.line, error.pointer.as_str()), ("RL101", 3, "/input/1"));
/// assert_eq!(error.api_message.as_deref(), Some("No tool output found for function call call_1."));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the document is larger than the address space. Problems in it, even invalid JSON, are diagnostics.
pub fn check(document: &[u8], options: &Options) -> Result<Report, Error> {
    match options.list {
        None => check_document(document, options),
        Some(dialect) => {
            let mut report = check_document(&dialect.request(document), options)?;
            dialect.relocate(&mut report.diagnostics);
            Ok(report)
        }
    }
}

fn check_document(document: &[u8], options: &Options) -> Result<Report, Error> {
    let bytes = GrowableBytes::new(BorrowedBytes(document));
    let mut found = convert::check(DOC, &bytes, &options.judge, 1)?;
    let promises = predictions::predict(DOC, &bytes, &mut found, &options.judge, 1, false)?;
    let diagnostics =
        promises.diagnose(DOC, &options.name, &bytes, &found, &FindingSample::all(), ContentDisplay::None)?;
    let mut report = Report::new(&found, &options.name, diagnostics);
    report.summary.fixable = promises.resolved;
    Ok(report)
}
