//! The JSON report: the contract for programs, described by `schemas/report.v1.json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::source::bytes::spool::{Spool, SpoolSink};
use crate::source::is_hidden;

use crate::report::change_counts::ChangeCounts;
use crate::report::changes::ChangeNote;
use crate::report::contract;
use crate::report::contract::VERSION;
use crate::report::{Diagnostic, DiagnosticSink, DocReport, Reporter, RunSummary};

/// The output `json`.
#[derive(Default)]
pub(in crate::report) struct JsonReporter {
    inputs: JsonList,
    diagnostics: JsonList,
    /// The changes of `fix`, and their totals.
    repairs: Option<(Value, ChangeCounts)>,
}

impl Reporter for JsonReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        self.inputs.push(&contract::Input::from(doc))?;
        self.add_diagnostics(&doc.diagnostics, out)
    }

    fn sink(&mut self) -> Option<&mut dyn DiagnosticSink> {
        Some(self)
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let (inputs, diagnostics) = (self.inputs.close()?, self.diagnostics.close()?);
        let mut report = json!({ "version": VERSION, "summary": summary_value(summary) });
        if let Some((changes, counts)) = self.repairs.take() {
            if let Some(summary) = report.get_mut("summary") {
                put_losses(summary, &counts);
            }
            put(&mut report, "changes", changes);
            put(&mut report, "fixed", counts_value(&counts));
        }
        // The lists may be long, and are serialised already: they are written after the other members.
        let head = printable_json(serde_json::to_string_pretty(&report)?);
        out.write_all(head.strip_suffix("\n}").unwrap_or(&head).as_bytes())?;
        write_list("inputs", &inputs, out)?;
        write_list("diagnostics", &diagnostics, out)?;
        out.write_all(b"\n}\n")
    }

    fn add_repairs(&mut self, changes: &[ChangeNote], counts: &ChangeCounts) {
        self.repairs = Some((changes.iter().map(change_value).collect(), counts.clone()));
    }
}

impl DiagnosticSink for JsonReporter {
    fn add_diagnostics(&mut self, more: &[Diagnostic], _: &mut dyn Write) -> io::Result<()> {
        more.iter().try_for_each(|own| self.diagnostics.push(&contract::Diagnostic::from(own)))
    }
}

/// A list of a report, serialised as it grows.
struct JsonList {
    text: Vec<u8>,
    /// Receives the beginning of a long text.
    outlet: SpoolSink,
}

impl Default for JsonList {
    fn default() -> Self {
        JsonList { text: Vec::new(), outlet: SpoolSink::open() }
    }
}

impl JsonList {
    fn push(&mut self, element: &impl Serialize) -> io::Result<()> {
        const BETWEEN: &[u8] = b"\n    ";
        let element = printable_json(serde_json::to_string_pretty(element)?);
        if !self.text.is_empty() {
            self.text.push(b',');
        }
        // No string of JSON contains a line feed.
        for line in element.split('\n') {
            self.text.extend_from_slice(BETWEEN);
            self.text.extend_from_slice(line.as_bytes());
        }
        if self.text.len() > self.outlet.threshold() {
            self.outlet.spill_from(&mut self.text);
        }
        Ok(())
    }

    /// All of its elements.
    fn close(&mut self) -> io::Result<Spool> {
        let JsonList { text, outlet, .. } = std::mem::take(self);
        outlet.finish(text)
    }
}

/// Writes a list as the next member of the report.
fn write_list(name: &str, elements: &Spool, out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\n  \"{name}\": [")?;
    elements.copy_to(out)?;
    out.write_all(if elements.is_empty() { b"]" } else { b"\n  ]" })
}

/// Writes a report and ends the line.
pub fn write_pretty(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(printable_json(serde_json::to_string_pretty(report)?).as_bytes())?;
    out.write_all(b"\n")
}

/// Writes a value on one line, without a line feed.
pub fn write_compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(printable_json(serde_json::to_string(value)?).as_bytes())
}

/// JSON with hidden characters as escapes. Apart from line feeds, only strings contain any.
pub fn printable_json(json: String) -> String {
    let is_raw = |c: char| is_hidden(c) && c != '\n';
    if !json.contains(is_raw) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match c {
            c if is_raw(c) => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
            c => out.push(c),
        }
    }
    out
}

/// A summary as JSON.
pub fn summary_value(summary: &RunSummary) -> Value {
    json!(contract::Summary::from(summary))
}

/// An input as JSON: its format and targets.
pub fn input_value(doc: &DocReport) -> Value {
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
pub fn counts_value(counts: &ChangeCounts) -> Value {
    json!(contract::Repaired::from(counts))
}

/// Puts into a summary what changes remove and add.
pub(in crate::report) fn put_losses(summary: &mut Value, counts: &ChangeCounts) {
    put(summary, "lost", json!(counts.lost.list()));
    put(summary, "added", json!(counts.stubbed));
}

/// Puts a member into an object, after the others.
pub(in crate::report) fn put(object: &mut Value, key: &str, member: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), member);
    }
}
