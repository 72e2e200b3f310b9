//! The report of `slim` for programs. It contains no content.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::rebuild::slim::restore::RestoredDoc;
use crate::rebuild::slim::{DivergentBody, SlimPlan};

/// Version of the contract.
const VERSION: u32 = 1;

/// The result of `slim` for one log.
pub struct SlimReport<'s> {
    pub path: &'s str,
    /// Bytes of the file.
    pub before: u64,
    /// Bytes of the log with its references expanded.
    pub full: u64,
    pub after: u64,
    pub restored: Option<&'s RestoredDoc>,
    pub slim: Option<&'s SlimPlan>,
    /// Why the log was left unchanged; `None` if it was not.
    pub refused: Option<&'s str>,
    /// The file that was written, and its backup.
    pub written: Option<String>,
    pub backup: Option<String>,
}

impl SlimReport<'_> {
    /// The result as JSON.
    pub fn value(&self) -> Value {
        let saved = self.slim.map(|slim| slim.saved).unwrap_or_default();
        let kept: Vec<Value> = self.slim.iter().flat_map(|slim| &slim.divergent).map(body_value).collect();
        json!({
            "path": self.path,
            "format": self.slim.and_then(|slim| slim.format).map(|format| format.info().name),
            "bytes_before": self.before,
            "bytes_full": self.full,
            "bytes_after": self.after,
            "records": self.slim.map(|slim| slim.records),
            "records_slimmed": saved.records,
            "lists": saved.lists,
            "items": saved.items,
            "bytes_repeated": saved.repeated,
            "bytes_of_references": saved.references,
            "references_put_back": self.restored.filter(|it| it.unresolved.is_empty()).map_or(0, |it| it.references),
            "references_in_other_bytes": self.restored.filter(|it| it.unresolved.is_empty()).map_or(0, |it| it.reformatted),
            "stayed": kept,
            "refused": self.refused,
            "written": self.written,
            "backup": self.backup,
        })
    }
}

/// A body that was not slimmed, and where it first differs from its history.
fn body_value(kept: &DivergentBody) -> Value {
    let DivergentBody { record, pointer, request, difference } = kept;
    json!({
        "record": record,
        "pointer": pointer,
        "request": request,
        "message": difference.index,
        "body": difference.body.to_string(),
        "history": difference.history.to_string(),
    })
}

/// Prints the report of a run.
pub fn print(logs: &[Value], out: &mut dyn Write) -> io::Result<()> {
    super::write_pretty(&json!({ "version": VERSION, "logs": logs }), out)
}
