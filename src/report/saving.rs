//! What `slim` makes of a log, for programs. No content is in it.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::rebuild::slim::restore::Restored;
use crate::rebuild::slim::{KeptBody, Slim};

/// Version of the contract.
const VERSION: u32 = 1;

/// One log, and what was made of it.
pub struct Saving<'s> {
    pub path: &'s str,
    /// Bytes of the file.
    pub before: u64,
    /// Bytes of the log with everything in it.
    pub full: u64,
    pub after: u64,
    pub restored: Option<&'s Restored>,
    pub slim: Option<&'s Slim>,
    /// Why nothing is made of it.
    pub refused: Option<&'s str>,
    /// The file that was written, and the one that holds what it was.
    pub written: Option<String>,
    pub backup: Option<String>,
}

impl Saving<'_> {
    pub fn value(&self) -> Value {
        let saved = self.slim.map(|slim| slim.saved).unwrap_or_default();
        let kept: Vec<Value> = self.slim.iter().flat_map(|slim| &slim.kept).map(kept).collect();
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
            "references_put_back": self.restored.filter(|it| it.broken.is_empty()).map_or(0, |it| it.references),
            "references_in_other_bytes": self.restored.filter(|it| it.broken.is_empty()).map_or(0, |it| it.in_other_bytes),
            "stayed": kept,
            "refused": self.refused,
            "written": self.written,
            "backup": self.backup,
        })
    }
}

/// A body that stayed, and where it first differs from what its history gives.
fn kept(kept: &KeptBody) -> Value {
    let KeptBody { record, pointer, request, difference } = kept;
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
