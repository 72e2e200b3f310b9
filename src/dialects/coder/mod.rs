//! Parts of messages as coder's chatd stores them: what the Responses API knows as items, each in a form of its own.
//!
//! A part is `{type, …}` (version 1), `{type, data: {…}}` (the older envelope), or, in an old tool message, a result
//! without a type. What a provider said about it lies in `provider_metadata.<provider>.data`. chatd replays a local call
//! without an item id, a text without one, reasoning in full if it has its blob and else by reference, and a call that
//! the provider ran by reference; its result is never sent.

mod item;
pub mod part;
pub mod read;
pub mod row;
mod text;

use crate::dialect::{Cannot, Dialect, DialectInfo, Item, Names, Origin, TextChange};
use crate::history::{Kind, Role};
use crate::json::edit::{Base, remove_members};
use crate::json::{Str, Val, string};
use crate::place::Edit;

use super::responses::STUB;

pub use self::part::{Part, PartKind};

pub struct Coder;

pub static CODER: Coder = Coder;

static INFO: DialectInfo = DialectInfo {
    name: "responses",
    log: Some(|options| Box::new(read::Rows::new(options))),
    names: Some(names),
    moves_whole,
    message_around: Some(message_around),
    ..DialectInfo::BASE
};

impl Dialect for Coder {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: Origin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        out(Part::of(val).item(Role::Assistant, false, origin));
    }

    fn edit(&self, change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
        let part = Part::of(item);
        match change {
            // Without its blob, chatd sends reasoning by reference, and with it what the provider ran after it.
            TextChange::Refer => match part.item_data().filter(|_| part.kind == PartKind::Reasoning) {
                Some(data) => remove_members(data, &["encrypted_content"], base, out)?,
                None if part.kind == PartKind::HostedCall => {}
                None => {
                    return Err(Cannot("chatd references only reasoning and server-side tool calls"));
                }
            },
            TextChange::Rename(key) => {
                let old = part.get("tool_call_id").ok_or(Cannot("the part has no tool_call_id"))?;
                out.push(Edit::replace(base.of(old), string::quoted(key)));
            }
            TextChange::StripId => return Err(Cannot("chatd would send an empty id for it, which is rejected")),
            TextChange::Retype(_)
            | TextChange::Acknowledge(_)
            | TextChange::StripCalls
            | TextChange::AsText
            | TextChange::Mend(_)
            | TextChange::OmitImages(_)
            | TextChange::Spot(..) => {
                return Err(Cannot("chatd stores only function calls and their results"));
            }
        }
        Ok(())
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, Cannot> {
        let part = Part::of(call);
        if part.kind != PartKind::Call {
            return Err(Cannot("the part is not a client-side call"));
        }
        let key = part.get("tool_call_id").ok_or(Cannot("the call has no tool_call_id"))?;
        // An old result has no type.
        let in_envelope = part.fields.start() != part.val.start();
        let mut out = if in_envelope { b"{".to_vec() } else { br#"{"type":"tool-result","#.to_vec() };
        out.extend([br#""tool_call_id":"#, key.raw()].concat());
        if let Some(name) = part.get("tool_name") {
            out.extend([br#","tool_name":"#, name.raw()].concat());
        }
        out.extend([br#","result":"#, &*string::quoted(STUB), b"}"].concat());
        Ok(out)
    }

    fn key<'t>(&self, _kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        Part::of(item).str("tool_call_id")
    }
}

/// What an item is called by, where its own fields say so.
fn names<'t>(item: Val<'t>) -> Option<Names<'t>> {
    let part = Part::of(item);
    let hosted = matches!(part.kind, PartKind::HostedCall | PartKind::HostedResult);
    Some(Names { id: part.item_id(), key: part.str("tool_call_id").filter(|_| !hosted) })
}

/// Rows are ordered by their ids, so that one with an id would be read where it was.
fn moves_whole(row: Val<'_>) -> bool {
    row.get("id").is_none_or(|id| id.is_null())
}

/// The text of a new message around an output, in the form of the message beside it.
fn message_around(output: &[u8], beside: Val<'_>) -> Option<Vec<u8>> {
    let mut out = br#"{"role":"tool","#.to_vec();
    for key in ["chat_id", "visibility", "content_version"] {
        if let Some(val) = beside.get(key) {
            out.extend(format!("\"{key}\":").into_bytes());
            out.extend_from_slice(val.raw());
            out.push(b',');
        }
    }
    out.extend([br#""content":["#, output, b"]}"].concat());
    Some(out)
}
