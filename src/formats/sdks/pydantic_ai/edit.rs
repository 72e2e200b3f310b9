//! In-place repair of messages: a return is a part of the request after the response with its call.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, ResultStorage, fill_template};
use crate::json::{Val, name, string};

use super::part::messages;

pub(super) static EDITOR: Editor = Editor { messages, text_part, ..Editor::of(ResultStorage::Parts(&RESULTS)) };

/// Texts beside images are plain strings.
fn text_part(_: Val<'_>, text: &str) -> Option<Vec<u8>> {
    Some(string::quoted(text))
}

static RESULTS: PartResults = PartResults { list, part, message };

fn list(message: Val<'_>) -> Option<Val<'_>> {
    message.get(name::parts).filter(|_| message.get(name::kind).is_some_and(|kind| kind.is("request")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(fill_template(
        r#"{"tool_name":$,"content":$,"tool_call_id":$,"part_kind":"tool-return"}"#,
        &[open.raw_member(&[&["tool_name"]]), &string::quoted(STUB), open.raw_member(&[&["tool_call_id"]])],
    ))
}

fn message(parts: &[u8], _: Val<'_>) -> Option<Vec<u8>> {
    Some(fill_template(r#"{"parts":[$],"kind":"request"}"#, &[parts]))
}
