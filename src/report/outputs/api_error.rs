//! The answer that the provider would have given, so that a mock server or a test can ask `replaylint` through a pipe
//! whether a request is one: `null` if it would pass, else the HTTP status and the body of the error. One line a
//! conversation: a document or a log gives one, JSON Lines of requests give one a line, in order.
//!
//! The first error (with `--deny-warnings`, the first warning, too) is the answer: a provider reads the body before its items, and the items in order. Where no text
//! of the provider was seen the words are ours, and the code says so: `replaylint_rl105`.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::Code;
use crate::rules::container::truncated_last_line;
use crate::target::Severity;

use super::json::write_compact;
use crate::report::{Diagnostic, Report, Seen, Style, Summary};

pub(in crate::report) struct ApiError {
    refused: bool,
    /// Warnings are refused as errors are.
    strict: bool,
}

impl Report for ApiError {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        if !doc.apart || doc.records == 0 {
            return self.line(self.first(&doc.diagnostics, doc.apart), out);
        }
        let mut by_record = vec![None; doc.records as usize];
        for record in doc.diagnostics.chunk_by(|a, b| a.record == b.record) {
            // Places come in order, so a record's findings stand together.
            let first = record.first().map_or(0, |first| first.record as usize);
            if let Some(slot) = first.checked_sub(1).and_then(|ix| by_record.get_mut(ix)) {
                *slot = self.first(record, true);
            }
        }
        by_record.into_iter().try_for_each(|error| self.line(error, out))
    }

    fn finish(&mut self, _: &Summary, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn answer(&self) -> Option<bool> {
        Some(self.refused)
    }
}

impl ApiError {
    pub fn new(style: Style) -> Self {
        ApiError { refused: false, strict: style.denies_warnings }
    }

    /// The finding that is answered with.
    fn first<'d>(&self, diagnostics: &'d [Diagnostic], request: bool) -> Option<&'d Diagnostic> {
        let least = if self.strict { Severity::Warning } else { Severity::Error };
        let refuses = |d: &&Diagnostic| d.severity >= least || request && d.rule == TRUNCATED;
        diagnostics.iter().filter(refuses).min_by_key(|d| (d.history.is_some(), d.spot.span.0))
    }

    fn line(&mut self, error: Option<&Diagnostic>, out: &mut dyn Write) -> io::Result<()> {
        self.refused |= error.is_some();
        write_compact(&error.map(answer), out)?;
        out.write_all(b"\n")
    }
}

/// A request that ends early is none, though a log that does may go on.
const TRUNCATED: Code = truncated_last_line::RULE.code;

fn answer(error: &Diagnostic) -> Value {
    let (message, code) = match &error.api_message {
        Some(api) => (api, error.error_code.map(str::to_owned)),
        None => (&error.message, Some(format!("replaylint_{}", error.rule.to_string().to_ascii_lowercase()))),
    };
    let body = json!({ "message": message, "type": error.error_type, "param": error.error_param, "code": code });
    json!({ "status": error.status, "error": body })
}
