//! JSON Lines: for each document, as soon as it is done, its input and its diagnostics, the same objects as in the
//! JSON report; the summary is last.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::json::{change_value, counts_value, input_value, put, put_losses, summary_value, write_compact};
use crate::report::change_counts::ChangeCounts;
use crate::report::changes::ChangeNote;
use crate::report::contract;
use crate::report::contract::VERSION;
use crate::report::{Diagnostic, DiagnosticSink, DocReport, Reporter, RunSummary};

/// The output `jsonl`.
#[derive(Default)]
pub(in crate::report) struct JsonLinesReporter {
    /// The changes of `fix`, and their totals.
    repairs: Option<(Vec<Value>, ChangeCounts)>,
}

impl Reporter for JsonLinesReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        line(&json!({ "input": input_value(doc) }), out)?;
        self.add_diagnostics(&doc.diagnostics, out)
    }

    fn sink(&mut self) -> Option<&mut dyn DiagnosticSink> {
        Some(self)
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let mut last = json!({ "version": VERSION, "summary": summary_value(summary) });
        if let Some((changes, counts)) = self.repairs.take() {
            changes.iter().try_for_each(|change| line(&json!({ "change": change }), out))?;
            if let Some(summary) = last.get_mut("summary") {
                put_losses(summary, &counts);
            }
            put(&mut last, "fixed", counts_value(&counts));
        }
        line(&last, out)
    }

    fn add_repairs(&mut self, changes: &[ChangeNote], counts: &ChangeCounts) {
        self.repairs = Some((changes.iter().map(change_value).collect(), counts.clone()));
    }
}

impl DiagnosticSink for JsonLinesReporter {
    fn add_diagnostics(&mut self, more: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
        more.iter().try_for_each(|diagnostic| line(&contract::Diagnostic::from(diagnostic), out))
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_compact(value, out)?;
    out.write_all(b"\n")
}
