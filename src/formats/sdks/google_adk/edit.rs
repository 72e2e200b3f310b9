//! Repair of sessions that are stored as JSON: results are parts of an event.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, ResultStorage, fill_template, format_uuid, raw_member};
use crate::json::{Val, fingerprint_of, string};

pub(super) static EDITOR: Editor =
    Editor { messages: |session| session.get("events"), ..Editor::of(ResultStorage::Parts(&RESULTS)) };

static RESULTS: PartResults = PartResults { list, part, message };

/// The parts of an event with results.
fn list(event: Val<'_>) -> Option<Val<'_>> {
    let parts = event.at(&["content", "parts"])?;
    let holds = |key: &str| parts.elements().any(|part| part.get(key).is_some());
    Some(parts).filter(|_| holds("function_response") || holds("functionResponse"))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let is_snake = open.call.get("function_call").is_some() || open.message.get("invocation_id").is_some();
    let key = if is_snake { "function_response" } else { "functionResponse" };
    let own = |key: &'static str| open.raw_member(&[&["function_call", key], &["functionCall", key], &[key]]);
    let text = string::quoted(STUB);
    Some(match own("id") {
        b"null" => {
            fill_template(r#"{"$":{"name":$,"response":{"error":$}}}"#, &[key.as_bytes(), own("name"), &text])
        }
        id => fill_template(
            r#"{"$":{"id":$,"name":$,"response":{"error":$}}}"#,
            &[key.as_bytes(), id, own("name"), &text],
        ),
    })
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    let key = if after.get("invocation_id").is_some() { "invocation_id" } else { "invocationId" };
    let id = format_uuid(fingerprint_of(after.raw()), fingerprint_of(parts));
    Some(fill_template(
        r#"{"id":$,"$":$,"author":$,"timestamp":$,"content":{"role":"user","parts":[$]},"actions":{}}"#,
        &[
            &string::quoted(&id),
            key.as_bytes(),
            raw_member(after, &[&[key]]),
            raw_member(after, &[&["author"]]),
            raw_member(after, &[&["timestamp"]]),
            parts,
        ],
    ))
}
