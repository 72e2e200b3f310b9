//! How the JSON of a session is repaired: results are parts of an event.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, Results, filled, raw, uuid};
use crate::json::{Val, fingerprint_of, string};

pub(super) static EDITOR: Editor =
    Editor { messages: |session| session.get("events"), ..Editor::of(Results::Parts(&RESULTS)) };

static RESULTS: PartResults = PartResults { list, part, message };

/// The parts of an event that holds results.
fn list(event: Val<'_>) -> Option<Val<'_>> {
    let parts = event.at(&["content", "parts"])?;
    let holds = |key: &str| parts.elements().any(|part| part.get(key).is_some());
    Some(parts).filter(|_| holds("function_response") || holds("functionResponse"))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let is_snake = open.call.get("function_call").is_some() || open.message.get("invocation_id").is_some();
    let key = if is_snake { "function_response" } else { "functionResponse" };
    let own = |key: &'static str| open.raw(&[&["function_call", key], &["functionCall", key], &[key]]);
    let said = string::quoted(STUB);
    Some(match own("id") {
        b"null" => filled(r#"{"$":{"name":$,"response":{"error":$}}}"#, &[key.as_bytes(), own("name"), &said]),
        id => {
            filled(r#"{"$":{"id":$,"name":$,"response":{"error":$}}}"#, &[key.as_bytes(), id, own("name"), &said])
        }
    })
}

fn message(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>> {
    let key = if after.get("invocation_id").is_some() { "invocation_id" } else { "invocationId" };
    let id = uuid(fingerprint_of(after.raw()), fingerprint_of(parts));
    Some(filled(
        r#"{"id":$,"$":$,"author":$,"timestamp":$,"content":{"role":"user","parts":[$]},"actions":{}}"#,
        &[
            &string::quoted(&id),
            key.as_bytes(),
            raw(after, &[&[key]]),
            raw(after, &[&["author"]]),
            raw(after, &[&["timestamp"]]),
            parts,
        ],
    ))
}
