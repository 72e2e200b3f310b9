//! How a session is repaired where it lies: a result is a line of its own, and lines are linked by their `uuid`.

use crate::dialects::responses::STUB;
use crate::format::{Editor, Links, OpenCall, PartResults, Results, filled, placeholder, raw, uuid};
use crate::json::{Val, string};

pub(super) static EDITOR: Editor = Editor { links: Some(&LINKS), ..Editor::of(Results::Parts(&RESULTS)) };

static LINKS: Links = Links { name: "uuid", parent: "parentUuid", others: &[], new_name: uuid };

/// Each result has a line, which says more of it: none is put into another's.
static RESULTS: PartResults = PartResults { list: |_| None, part, message };

/// A line of the program's own.
pub(super) fn unreadable(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"uuid":$,"parentUuid":$,"sessionId":$,"timestamp":$,"type":"system","cwd":$,"version":$,"subtype":"unreadable"}"#;
    placeholder(line, template, &["uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version"])
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let id = open.raw(&[&["functionCall", "id"], &["id"]]);
    let name = open.raw(&[&["functionCall", "name"], &["name"]]);
    let said = string::quoted(STUB);
    Some(match id {
        b"null" => filled(r#"{"functionResponse":{"name":$,"response":{"error":$}}}"#, &[name, &said]),
        id => filled(r#"{"functionResponse":{"id":$,"name":$,"response":{"error":$}}}"#, &[id, name, &said]),
    })
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    let own = |key: &str| raw(after, &[&[key]]);
    Some(filled(
        r#"{"uuid":null,"parentUuid":null,"sessionId":$,"timestamp":$,"type":"tool_result","cwd":$,"version":$,"message":{"role":"user","parts":[$]}}"#,
        &[own("sessionId"), own("timestamp"), own("cwd"), own("version"), parts],
    ))
}
