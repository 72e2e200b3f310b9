//! The JSON report: the contract for programs, described by `schemas/report.v1.json`.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::repair::{ChangeNote, Counts, change_value};
use super::{Diagnostic, Report, Seen, Spot, Summary};

/// Version of the contract.
pub(super) const VERSION: u32 = 1;

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
        self.repairs = Some((changes.iter().map(change_value).collect(), counts.value()));
    }
}

/// Writes a report and ends the line.
pub fn write_pretty(report: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}

pub fn summary_value(summary: &Summary) -> Value {
    json!({
        "files": summary.files,
        "histories": summary.histories,
        "items": summary.items,
        "errors": summary.errors,
        "warnings": summary.warnings,
        "fixable": summary.fixable,
        "skipped": summary.skipped,
    })
}

/// What a file was read as, and judged for.
pub fn input_value(doc: &Seen) -> Value {
    json!({
        "path": doc.path,
        "format": doc.format,
        "targets": doc.targets,
        "histories": doc.histories,
        "items": doc.items,
    })
}

pub fn diagnostic_value(diagnostic: &Diagnostic) -> Value {
    let mut value = Map::new();
    let mut set = |key: &str, member: Value| value.insert(key.to_owned(), member);
    set("rule", json!(diagnostic.rule.to_string()));
    set("name", json!(diagnostic.name));
    set("severity", json!(diagnostic.severity.name()));
    set("message", json!(diagnostic.message));
    set("path", json!(diagnostic.path));
    set("history", json!(diagnostic.history));
    set("record", json!(diagnostic.record));
    for (key, member) in spot_members(&diagnostic.spot) {
        set(key, member);
    }
    set("id", json!(diagnostic.id));
    set("call_id", json!(diagnostic.call_id));
    let related = diagnostic.related.iter().map(|related| {
        let mut value: Map<String, Value> =
            spot_members(&related.spot).into_iter().map(|(key, member)| (key.to_owned(), member)).collect();
        value.insert("message".to_owned(), json!(related.message));
        Value::Object(value)
    });
    set("related", Value::Array(related.collect()));
    set("api_message", json!(diagnostic.api_message));
    set("evidence", json!(diagnostic.evidence.name()));
    set("target", json!(diagnostic.target));
    let fix = diagnostic.fix.as_ref().map(
        |fix| json!({ "title": fix.title, "loss": fix.loss.name(), "default": fix.default, "flag": fix.flag }),
    );
    set("fix", json!(fix));
    set("no_fix", json!(diagnostic.no_fix));
    Value::Object(value)
}

fn spot_members(spot: &Spot) -> Vec<(&'static str, Value)> {
    let mut members = vec![
        ("line", json!(spot.line)),
        ("column", json!(spot.column)),
        ("span", json!({ "start": spot.span.0, "end": spot.span.1 })),
        ("pointer", json!(spot.pointer)),
    ];
    if let Some(inner) = &spot.inner_pointer {
        members.push(("inner_pointer", json!(inner)));
    }
    members
}
