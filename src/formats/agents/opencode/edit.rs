//! Repair of a session in place: a result is the state of the part with its call.

use crate::format::{Attachments, Editor, OpenCall, ResultStorage, fill_template};
use crate::json::name;
use crate::place::Edit;

use super::required::{fill_export, fill_row};

/// Editor of exports, in which parts are in a list of their message.
pub(in crate::formats) static EXPORT: Editor = Editor {
    messages: |session| session.get(name::messages),
    fill: Some(fill_export),
    attachments: ATTACHMENTS,
    ..Editor::of(ResultStorage::InCall(abort_call))
};

/// Editor of rows, each of which is a message or a part.
pub(in crate::formats) static ROWS: Editor =
    Editor { fill: Some(fill_row), attachments: ATTACHMENTS, ..Editor::of(ResultStorage::InCall(abort_call)) };

/// The files that a tool returned, beside its text.
const ATTACHMENTS: Option<Attachments> = Some(Attachments { list: "attachments", texts: &["output"] });

/// A row with an ignored text in the place of a part that is not JSON. The other columns are kept.
pub(in crate::formats) fn placeholder_row(row: &[u8]) -> Option<Vec<u8>> {
    let data = memchr::memmem::find(row, b",\"data\":")? + b",\"data\":".len();
    let columns = row.get(..data)?;
    let is_part = memchr::memmem::find(columns, b"\"row\":\"part\"").is_some();
    is_part.then(|| [columns, br#"{"type":"text","text":"","ignored":true}}"#].concat())
}

/// Sets the state of a part to that of an aborted tool, as opencode writes it.
fn abort_call(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let state = open.call.get(name::state)?;
    let created = open.message.at(&["info", "time", "created"]).or_else(|| open.record.get(name::created));
    let start = state.at(&["time", "start"]).or(created).map_or(&b"0"[..], |time| time.raw());
    let input = state.get(name::input).filter(|input| input.is_object()).map_or(&b"{}"[..], |input| input.raw());
    let template = r#"{"status":"error","input":$,"error":"Tool execution aborted","time":{"start":$,"end":$}}"#;
    out.push(Edit::replace(open.base.of(state), fill_template(template, &[input, start, start])));
    Some(())
}
