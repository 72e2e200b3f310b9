//! How a session is repaired where it lies: a result is the state of the part with its call.

use crate::format::{Editor, OpenCall, Results, filled};
use crate::json::name;
use crate::place::Edit;

use super::required::{fill, fill_row};

/// An export: parts lie in a list of their message.
pub(in crate::formats) static EXPORT: Editor = Editor {
    messages: |session| session.get(name::messages),
    fill: Some(fill),
    ..Editor::of(Results::InCall(abort))
};

/// A row is a message or a part.
pub(in crate::formats) static ROWS: Editor = Editor { fill: Some(fill_row), ..Editor::of(Results::InCall(abort)) };

/// A row with a text that is not sent, in the place of a part that is not JSON: the columns around it can be read.
pub(in crate::formats) fn unreadable(row: &[u8]) -> Option<Vec<u8>> {
    let data = memchr::memmem::find(row, b",\"data\":")? + b",\"data\":".len();
    let columns = row.get(..data)?;
    let is_part = memchr::memmem::find(columns, b"\"row\":\"part\"").is_some();
    is_part.then(|| [columns, br#"{"type":"text","text":"","ignored":true}}"#].concat())
}

/// Gives a part the state of a tool that did not come to an end, as opencode writes it when it does.
fn abort(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let state = open.call.get(name::state)?;
    let created = open.message.at(&["info", "time", "created"]).or_else(|| open.record.get(name::created));
    let start = state.at(&["time", "start"]).or(created).map_or(&b"0"[..], |time| time.raw());
    let input = state.get(name::input).filter(|input| input.is_object()).map_or(&b"{}"[..], |input| input.raw());
    let template = r#"{"status":"error","input":$,"error":"Tool execution aborted","time":{"start":$,"end":$}}"#;
    out.push(Edit::replace(open.base.of(state), filled(template, &[input, start, start])));
    Some(())
}
