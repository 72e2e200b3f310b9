//! How a session is repaired where it lies: a result is an event of its own.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled, raw};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(Results::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let id = open.raw(&[&["toolCallId"]]);
    // A call of an older message lies in that, and its result would be a message.
    (id != b"null").then(|| {
        filled(
            r#"{"type":"context.append_loop_event","event":{"type":"tool.result","parentUuid":$,"toolCallId":$,"result":{"output":$,"isError":true}},"time":$}"#,
            &[open.raw(&[&["uuid"], &["toolCallId"]]), id, &string::quoted(STUB), raw(open.record, &[&["time"]])],
        )
    })
}
