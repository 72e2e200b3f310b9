//! Repair of a session in place: a result is an item of a user message.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, ResultStorage, fill_template, raw_member};
use crate::json::{Val, name, string};

pub(super) static EDITOR: Editor = Editor::of(ResultStorage::Parts(&RESULTS));

static RESULTS: PartResults = PartResults { list, part, message };

fn list(message: Val<'_>) -> Option<Val<'_>> {
    let content = message.get(name::data).or_else(|| message.get(name::content));
    content.filter(|content| content.is_array() && message.get(name::role).is_some_and(|role| role.is("user")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(fill_template(
        r#"{"type":"toolResponse","id":$,"toolResult":{"status":"success","value":{"content":[{"type":"text","text":$}],"isError":true}}}"#,
        &[open.raw_member(&[&["id"]]), &string::quoted(STUB)],
    ))
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    Some(fill_template(
        r#"{"role":"user","created":$,"content":[$],"metadata":{"userVisible":true,"agentVisible":true}}"#,
        &[raw_member(after, &[&["created"]]), parts],
    ))
}
