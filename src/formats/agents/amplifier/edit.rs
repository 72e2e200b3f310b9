//! Repair of a session in place: a missing result becomes a new line.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template, raw_member};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(ResultStorage::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let (name, id, content) =
        (open.raw_member(&[&["name"], &["tool"]]), open.raw_member(&[&["id"]]), string::quoted(STUB));
    Some(match open.record.at(&["metadata", "timestamp"]) {
        Some(_) => fill_template(
            r#"{"role":"tool","name":$,"tool_call_id":$,"content":$,"metadata":{"timestamp":$}}"#,
            &[name, id, &content, raw_member(open.record, &[&["metadata", "timestamp"]])],
        ),
        None => fill_template(r#"{"role":"tool","name":$,"tool_call_id":$,"content":$}"#, &[name, id, &content]),
    })
}
