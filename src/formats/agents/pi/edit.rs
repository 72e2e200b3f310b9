//! Repair of a session in place: a missing result becomes a new entry, and entries are linked by their ids.

use crate::dialects::responses::STUB;
use crate::format::{Editor, LineLinks, OpenCall, ResultStorage, fill_template, raw_member, write_placeholder};
use crate::json::string;

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(ResultStorage::Messages(result)) };

static LINKS: LineLinks = LineLinks {
    name: "id",
    parent: "parentId",
    others: &[&["targetId"], &["fromId"], &["firstKeptEntryId"]],
    // Ids of entries are the first eight digits of a UUID.
    new_name: |one, _| format!("{:08x}", one >> 32),
};

/// An entry of an extension, which the model never sees, in the place of a line that is not JSON.
pub(super) fn placeholder_line(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"type":"custom","id":$,"parentId":$,"timestamp":$,"customType":"unreadable"}"#;
    write_placeholder(line, template, &["id", "parentId", "timestamp"])
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let entry = if open.record.get("id").is_some() { r#""id":null,"parentId":null,"# } else { "" };
    Some(fill_template(
        r#"{"type":"message",$"timestamp":$,"message":{"role":"toolResult","toolCallId":$,"toolName":$,"content":[{"type":"text","text":$}],"isError":true,"timestamp":$}}"#,
        &[
            entry.as_bytes(),
            raw_member(open.record, &[&["timestamp"]]),
            open.raw_member(&[&["id"]]),
            open.raw_member(&[&["name"]]),
            &string::quoted(STUB),
            raw_member(open.record, &[&["message", "timestamp"]]),
        ],
    ))
}
