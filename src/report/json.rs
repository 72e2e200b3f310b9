//! The JSON report: the contract for programs, described by `schemas/report.v1.json`.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::contract::{self, VERSION};
use super::repair::{ChangeNote, Counts};
use super::{Diagnostic, Report, Seen, Summary};

#[derive(Default)]
pub(super) struct Json {
    inputs: Vec<Value>,
    diagnostics: Vec<Value>,
    /// What `fix` did: the changes, and how many.
    repairs: Option<(Value, Value)>,
}

impl Report for Json {
    fn doc(&mut self, doc: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.inputs.push(input_value(doc));
        self.diagnostics.extend(doc.diagnostics.iter().map(diagnostic_value));
        Ok(())
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut report = json!({ "version": VERSION, "summary": summary_value(summary) });
        if let Some((changes, fixed)) = self.repairs.take() {
            report["changes"] = changes;
            report["fixed"] = fixed;
        }
        report["inputs"] = Value::Array(std::mem::take(&mut self.inputs));
        report["diagnostics"] = Value::Array(std::mem::take(&mut self.diagnostics));
        write_pretty(&report, out)
    }

    fn repairs(&mut self, changes: &[ChangeNote], counts: &Counts) {
        self.repairs = Some((changes.iter().map(change_value).collect(), counts_value(counts)));
    }
}

/// Writes a report and ends the line.
pub fn write_pretty(report: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}

/// A summary as JSON.
pub fn summary_value(summary: &Summary) -> Value {
    json!(contract::Summary::from(summary))
}

/// What a file was read as, and judged for.
pub fn input_value(doc: &Seen) -> Value {
    json!(contract::Input::from(doc))
}

/// A diagnostic as JSON.
pub fn diagnostic_value(diagnostic: &Diagnostic) -> Value {
    json!(contract::Diagnostic::from(diagnostic))
}

/// A change as JSON.
pub fn change_value(note: &ChangeNote) -> Value {
    json!(contract::Change::from(note))
}

/// How many items were changed, as JSON.
pub fn counts_value(counts: &Counts) -> Value {
    json!(contract::Repaired::from(*counts))
}
