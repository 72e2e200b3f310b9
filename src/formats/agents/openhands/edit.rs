//! How a list or a log of events is repaired: a result that is missing is the error of an agent, as OpenHands writes one.
//! In a store of OpenHands each event is a file, and a file is not added.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled, raw, uuid};
use crate::json::{Val, fingerprint_of, string};

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(Results::Messages(result)) };

fn messages(record: Val<'_>) -> Option<Val<'_>> {
    Some(record).filter(Val::is_array)
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    // Observations of version 0 are of many kinds.
    open.message.get("kind")?;
    let (one, two) = (fingerprint_of(open.message.raw()), fingerprint_of(open.call.raw()));
    Some(filled(
        r#"{"kind":"AgentErrorEvent","id":$,"timestamp":$,"source":"agent","tool_name":$,"tool_call_id":$,"error":$}"#,
        &[
            &string::quoted(&uuid(one, two)),
            raw(open.message, &[&["timestamp"]]),
            raw(open.message, &[&["tool_name"]]),
            open.raw(&[&["id"]]),
            &string::quoted(STUB),
        ],
    ))
}
