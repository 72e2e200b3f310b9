//! How a session is repaired where it lies: a result is a line of its own.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled, raw};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(Results::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let (name, id, said) = (open.raw(&[&["name"], &["tool"]]), open.raw(&[&["id"]]), string::quoted(STUB));
    Some(match open.record.at(&["metadata", "timestamp"]) {
        Some(_) => filled(
            r#"{"role":"tool","name":$,"tool_call_id":$,"content":$,"metadata":{"timestamp":$}}"#,
            &[name, id, &said, raw(open.record, &[&["metadata", "timestamp"]])],
        ),
        None => filled(r#"{"role":"tool","name":$,"tool_call_id":$,"content":$}"#, &[name, id, &said]),
    })
}
