//! Repair of a session in place: a result is a block of a user message, and lines are linked by their ids. Droid does not
//! read the output of `stream-json` back, so that gets no results.

use crate::dialects::responses::STUB;
use crate::format::{
    Editor, LineLinks, OpenCall, PartResults, ResultStorage, fill_template, format_uuid, raw_member,
    write_placeholder,
};
use crate::json::{Val, string};

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(ResultStorage::Parts(&RESULTS)) };

static LINKS: LineLinks =
    LineLinks { name: "id", parent: "parentId", others: &[&["anchorMessage", "id"]], new_name: format_uuid };

static RESULTS: PartResults = PartResults { list, part, message };

/// An empty message in the place of a line that is not JSON.
pub(super) fn placeholder_line(line: &[u8]) -> Option<Vec<u8>> {
    let template =
        r#"{"type":"message","id":$,"parentId":$,"timestamp":$,"message":{"role":"user","content":[]}}"#;
    write_placeholder(line, template, &["id", "parentId", "timestamp"])
}

fn list(line: Val<'_>) -> Option<Val<'_>> {
    let message = line.get("message").filter(|own| own.get("role").is_some_and(|role| role.is("user")))?;
    message.get("content").filter(Val::is_array)
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let content = string::quoted(STUB);
    open.record.get("message")?;
    Some(fill_template(
        r#"{"type":"tool_result","tool_use_id":$,"is_error":true,"content":$}"#,
        &[open.raw_member(&[&["id"]]), &content],
    ))
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    after.get("message")?;
    Some(fill_template(
        r#"{"type":"message","id":null,"parentId":null,"timestamp":$,"message":{"role":"user","content":[$]}}"#,
        &[raw_member(after, &[&["timestamp"]]), parts],
    ))
}
