//! Repair of a session in place: a missing result becomes a new event.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template, raw_member};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor::of(ResultStorage::Messages(result));

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let id = open.raw_member(&[&["toolCallId"]]);
    // A call without `toolCallId` is part of an older message, and its result would be a message.
    (id != b"null").then(|| {
        fill_template(
            r#"{"type":"context.append_loop_event","event":{"type":"tool.result","parentUuid":$,"toolCallId":$,"result":{"output":$,"isError":true}},"time":$}"#,
            &[open.raw_member(&[&["uuid"], &["toolCallId"]]), id, &string::quoted(STUB), raw_member(open.record, &[&["time"]])],
        )
    })
}
