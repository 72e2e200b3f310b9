//! How a session is repaired where it lies: a result is an item of a message of the user's.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, Results, filled, raw};
use crate::json::{Val, name, string};

pub(super) static EDITOR: Editor = Editor::of(Results::Parts(&RESULTS));

static RESULTS: PartResults = PartResults { list, part, message };

fn list(message: Val<'_>) -> Option<Val<'_>> {
    let content = message.get(name::data).or_else(|| message.get(name::content));
    content.filter(|content| content.is_array() && message.get(name::role).is_some_and(|role| role.is("user")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(filled(
        r#"{"type":"toolResponse","id":$,"toolResult":{"status":"success","value":{"content":[{"type":"text","text":$}],"isError":true}}}"#,
        &[open.raw(&[&["id"]]), &string::quoted(STUB)],
    ))
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    Some(filled(
        r#"{"role":"user","created":$,"content":[$],"metadata":{"userVisible":true,"agentVisible":true}}"#,
        &[raw(after, &[&["created"]]), parts],
    ))
}
