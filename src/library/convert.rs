//! `convert` on bytes.

use serde::Serialize;

use crate::convert::{ConvertOptions, ConvertPlan, convert_doc};
use crate::dialect::OutputShape;
use crate::report::{ContentDisplay, diagnose};
use crate::source::{BorrowedBytes, GrowableBytes};

use super::dialect::Dialect;
use super::error::Error;
use super::options::Options;
use super::report::{DOC, Report};

/// Histories as requests of another dialect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Converted {
    /// One request per history, each on a line.
    #[serde(skip)]
    pub text: Vec<u8>,
    /// Number of converted histories.
    pub histories: u32,
    /// Number of records that could not be converted.
    pub failed: u32,
    /// Everything that was lost, with its source location.
    pub losses: Report,
}

impl Converted {
    /// True if something that the model saw is lost.
    pub fn loses(&self) -> bool {
        self.failed > 0 || self.losses.summary.warnings > 0
    }
}

/// Converts the histories of a document to requests of another dialect. Losses are reported; nothing is dropped
/// silently.
///
/// ```
/// use replaylint::{Dialect, Options, convert};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let body = br#"{"model": "gpt-5", "input": [{"role": "user", "content": "Hello"}]}"#;
/// let converted = convert(body, Dialect::Chat, &Options::new())?;
/// assert_eq!(converted.text, b"{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}\n");
/// assert!(!converted.loses());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the document is larger than the address space.
pub fn convert(document: &[u8], to: Dialect, options: &Options) -> Result<Converted, Error> {
    let Some(from) = options.list else { return convert_document(document, to, options) };
    let mut converted = convert_document(&from.request(document), to, options)?;
    from.relocate(&mut converted.losses.diagnostics);
    Ok(converted)
}

fn convert_document(document: &[u8], to: Dialect, options: &Options) -> Result<Converted, Error> {
    let bytes = GrowableBytes::new(BorrowedBytes(document));
    let plan = ConvertPlan {
        model: options.judge.model.clone(),
        target: options.judge.target,
        ..ConvertPlan::to(to.grammar(), OutputShape::Request)
    };
    let how = ConvertOptions::new(&options.judge, plan);
    let mut text = Vec::new();
    let done = convert_doc(DOC, &bytes, &how, 1, &mut |request| {
        text.extend_from_slice(request);
        Ok(())
    })?;
    let (histories, failed) = (done.converted, done.failed);
    let found = done.into_judged_doc();
    let diagnostics = diagnose(DOC, &options.name, &bytes, &found, ContentDisplay::None)?;
    Ok(Converted { text, histories, failed, losses: Report::new(&found, &options.name, diagnostics) })
}
