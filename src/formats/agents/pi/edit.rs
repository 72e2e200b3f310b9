//! How a session is repaired where it lies: a result is an entry of its own, and entries are linked by their ids.

use crate::dialects::responses::STUB;
use crate::format::{Editor, Links, OpenCall, Results, filled, placeholder, raw};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(Results::Messages(result)) };

static LINKS: Links = Links {
    name: "id",
    parent: "parentId",
    others: &[&["targetId"], &["fromId"], &["firstKeptEntryId"]],
    // The ids of its entries are the first eight digits of a UUID.
    new_name: |one, _| format!("{:08x}", one >> 32),
};

/// An entry of an extension, which the model never sees.
pub(super) fn unreadable(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"type":"custom","id":$,"parentId":$,"timestamp":$,"customType":"unreadable"}"#;
    placeholder(line, template, &["id", "parentId", "timestamp"])
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let entry = if open.record.get("id").is_some() { r#""id":null,"parentId":null,"# } else { "" };
    Some(filled(
        r#"{"type":"message",$"timestamp":$,"message":{"role":"toolResult","toolCallId":$,"toolName":$,"content":[{"type":"text","text":$}],"isError":true,"timestamp":$}}"#,
        &[
            entry.as_bytes(),
            raw(open.record, &[&["timestamp"]]),
            open.raw(&[&["id"]]),
            open.raw(&[&["name"]]),
            &string::quoted(STUB),
            raw(open.record, &[&["message", "timestamp"]]),
        ],
    ))
}
