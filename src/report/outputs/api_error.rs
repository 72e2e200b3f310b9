//! The answer that the provider would have given, so that a mock server or a test can ask `replaylint` through a pipe
//! whether a request is valid: `null` if it would pass, else the HTTP status and the body of the error. One line a
//! conversation: a document or a log gives one, JSON Lines of requests give one a line, in order.
//!
//! The first error (with `--deny-warnings`, the first warning, too) is the answer: a provider reads the body before its items, and the items in order. If no message
//! of the provider is known, the message is replaylint's, and the code says so: `replaylint_rl105`.

use std::io::{self, Write};

use crate::history::Code;
use crate::rules::container::truncated_last_line;
use crate::target::Severity;

use super::json::write_compact;
use crate::report::contract::ApiError;
use crate::report::{Diagnostic, DocReport, Reporter, RunSummary, Style};

/// The output `api-error`.
pub(in crate::report) struct ApiErrorReporter {
    refused: bool,
    /// Warnings are refused as errors are.
    strict: bool,
}

impl Reporter for ApiErrorReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        if !doc.is_per_record || doc.records == 0 {
            return self.line(self.first(&doc.diagnostics, doc.is_per_record), out);
        }
        let mut by_record = vec![None; doc.records as usize];
        for record in doc.diagnostics.chunk_by(|a, b| a.record == b.record) {
            // Findings are sorted by place, so those of a record are adjacent.
            let first = record.first().map_or(0, |first| first.record as usize);
            if let Some(slot) = first.checked_sub(1).and_then(|ix| by_record.get_mut(ix)) {
                *slot = self.first(record, true);
            }
        }
        by_record.into_iter().try_for_each(|error| self.line(error, out))
    }

    fn finish(&mut self, _: &RunSummary, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn is_refused(&self) -> Option<bool> {
        Some(self.refused)
    }
}

impl ApiErrorReporter {
    pub fn new(style: Style) -> Self {
        ApiErrorReporter { refused: false, strict: style.denies_warnings }
    }

    fn first<'d>(&self, diagnostics: &'d [Diagnostic], request: bool) -> Option<&'d Diagnostic> {
        first_refusal(diagnostics, request, if self.strict { Severity::Warning } else { Severity::Error })
    }

    fn line(&mut self, error: Option<&Diagnostic>, out: &mut dyn Write) -> io::Result<()> {
        self.refused |= error.is_some();
        write_compact(&error.map(ApiError::from), out)?;
        out.write_all(b"\n")
    }
}

/// The finding that a provider answers with: of those that are at least this severe.
pub fn first_refusal(diagnostics: &[Diagnostic], request: bool, least: Severity) -> Option<&Diagnostic> {
    let refuses = |d: &&Diagnostic| d.severity >= least || request && d.rule == TRUNCATED;
    diagnostics.iter().filter(refuses).min_by_key(|d| (d.history.is_some(), d.location.span.0))
}

/// A truncated request is invalid, though a truncated log may be continued.
const TRUNCATED: Code = truncated_last_line::RULE.code;
