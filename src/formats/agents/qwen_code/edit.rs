//! Repair of a session in place: a missing result becomes a new line, and lines are linked by their `uuid`.

use crate::dialects::responses::STUB;
use crate::format::{
    Editor, LineLinks, OpenCall, PartResults, ResultStorage, fill_template, format_uuid, raw_member,
    write_placeholder,
};
use crate::json::{Val, string};

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(ResultStorage::Parts(&RESULTS)) };

static LINKS: LineLinks = LineLinks { name: "uuid", parent: "parentUuid", others: &[], new_name: format_uuid };

/// Each result has its own line with further members, so none is added to the line of another result.
static RESULTS: PartResults = PartResults { list: |_| None, part, message };

/// A system line in the place of one that is not JSON.
pub(super) fn placeholder_line(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"uuid":$,"parentUuid":$,"sessionId":$,"timestamp":$,"type":"system","cwd":$,"version":$,"subtype":"unreadable"}"#;
    write_placeholder(line, template, &["uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version"])
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let id = open.raw_member(&[&["functionCall", "id"], &["id"]]);
    let name = open.raw_member(&[&["functionCall", "name"], &["name"]]);
    let error = string::quoted(STUB);
    Some(match id {
        b"null" => fill_template(r#"{"functionResponse":{"name":$,"response":{"error":$}}}"#, &[name, &error]),
        id => {
            fill_template(r#"{"functionResponse":{"id":$,"name":$,"response":{"error":$}}}"#, &[id, name, &error])
        }
    })
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    let own = |key: &str| raw_member(after, &[&[key]]);
    Some(fill_template(
        r#"{"uuid":null,"parentUuid":null,"sessionId":$,"timestamp":$,"type":"tool_result","cwd":$,"version":$,"message":{"role":"user","parts":[$]}}"#,
        &[own("sessionId"), own("timestamp"), own("cwd"), own("version"), parts],
    ))
}
