//! How a session is repaired where it lies: a result is a line of its own.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(Results::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(filled(
        r#"{"type":"tool_result","tool_call_id":$,"content":$,"is_error":true}"#,
        &[open.raw(&[&["id"]]), &string::quoted(STUB)],
    ))
}
