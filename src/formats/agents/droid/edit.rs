//! How a session is repaired where it lies: a result is a block of a message of the user's, and lines are linked by their ids.
//! What `stream-json` prints is not read again by Droid, and gets no results.

use crate::dialects::responses::STUB;
use crate::format::{Editor, Links, OpenCall, PartResults, Results, filled, placeholder, raw, uuid};
use crate::json::{Val, string};

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(Results::Parts(&RESULTS)) };

static LINKS: Links =
    Links { name: "id", parent: "parentId", others: &[&["anchorMessage", "id"]], new_name: uuid };

static RESULTS: PartResults = PartResults { list, part, message };

/// A message that says nothing.
pub(super) fn unreadable(line: &[u8]) -> Option<Vec<u8>> {
    let template =
        r#"{"type":"message","id":$,"parentId":$,"timestamp":$,"message":{"role":"user","content":[]}}"#;
    placeholder(line, template, &["id", "parentId", "timestamp"])
}

fn list(line: Val<'_>) -> Option<Val<'_>> {
    let message = line.get("message").filter(|own| own.get("role").is_some_and(|role| role.is("user")))?;
    message.get("content").filter(Val::is_array)
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let said = string::quoted(STUB);
    open.record.get("message")?;
    Some(filled(
        r#"{"type":"tool_result","tool_use_id":$,"is_error":true,"content":$}"#,
        &[open.raw(&[&["id"]]), &said],
    ))
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    after.get("message")?;
    Some(filled(
        r#"{"type":"message","id":null,"parentId":null,"timestamp":$,"message":{"role":"user","content":[$]}}"#,
        &[raw(after, &[&["timestamp"]]), parts],
    ))
}
