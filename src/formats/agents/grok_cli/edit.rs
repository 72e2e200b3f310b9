//! Repair of a session in place: a missing result becomes a new line.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(ResultStorage::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(fill_template(
        r#"{"type":"tool_result","tool_call_id":$,"content":$,"is_error":true}"#,
        &[open.raw_member(&[&["id"]]), &string::quoted(STUB)],
    ))
}
