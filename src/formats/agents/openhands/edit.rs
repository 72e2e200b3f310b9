//! Repair of a list or a log of events: a missing result becomes an agent error event, as OpenHands writes it. In a store of
//! OpenHands each event is a file, and a file is added after the last.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template, format_uuid, raw_member};
use crate::json::{Val, fingerprint_of, string};

pub(super) static EDITOR: Editor =
    Editor { messages, alone: Some(ALONE), ..Editor::of(ResultStorage::Messages(result)) };

const ALONE: &str =
    "this is one event of a conversation, whose others are in files beside it; give the folder `events` instead";

fn messages(record: Val<'_>) -> Option<Val<'_>> {
    Some(record).filter(Val::is_array)
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    // Version 0 has many kinds of observations, so none is written.
    open.message.get("kind")?;
    let (one, two) = (fingerprint_of(open.message.raw()), fingerprint_of(open.call.raw()));
    Some(fill_template(
        r#"{"kind":"AgentErrorEvent","id":$,"timestamp":$,"source":"agent","tool_name":$,"tool_call_id":$,"error":$}"#,
        &[
            &string::quoted(&format_uuid(one, two)),
            raw_member(open.message, &[&["timestamp"]]),
            raw_member(open.message, &[&["tool_name"]]),
            open.raw_member(&[&["id"]]),
            &string::quoted(STUB),
        ],
    ))
}
