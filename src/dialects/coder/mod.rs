//! Parts of messages as coder's chatd stores them, each in a form of its own that corresponds to an item of the Responses
//! API.
//!
//! A part is `{type, …}` (version 1), `{type, data: {…}}` (the older envelope), or, in an old tool message, a result
//! without a type. The provider's metadata are in `provider_metadata.<provider>.data`. chatd replays local calls and texts
//! without item ids but with the phase of texts, reasoning in full if it has encrypted content and otherwise by reference, and calls of server tools by
//! reference; their results are never sent.

mod item;
pub mod part;
pub mod read;
pub mod row;
mod text;

use crate::dialect::{Dialect, DialectInfo, EditRefusal, Item, ItemIds, ItemOrigin, TextChange};
use crate::history::{Kind, Role};
use crate::json::edit::{RecordBase, remove_members};
use crate::json::{Str, Val, string};
use crate::place::Edit;

use super::responses::STUB;

pub use self::part::{CoderPart, CoderPartKind};

pub struct Coder;

pub static CODER: Coder = Coder;

static INFO: DialectInfo = DialectInfo {
    name: "responses",
    log: Some(|options| Box::new(read::CoderLogReader::new(options))),
    item_ids: Some(item_ids),
    moves_whole,
    wrap_output: Some(wrap_output),
    ..DialectInfo::BASE
};

impl Dialect for Coder {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        out(CoderPart::of(val).item(Role::Assistant, false, origin));
    }

    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        let part = CoderPart::of(item);
        match change {
            // Without encrypted content, chatd sends reasoning and the server tools after it by reference.
            TextChange::ReplaceWithReference => {
                match part.item_data().filter(|_| part.kind == CoderPartKind::Reasoning) {
                    Some(data) => remove_members(data, &["encrypted_content"], base, out)?,
                    None if part.kind == CoderPartKind::HostedCall => {}
                    None => {
                        return Err(EditRefusal("chatd references only reasoning and server-side tool calls"));
                    }
                }
            }
            TextChange::Rename(key) => {
                let old = part.get("tool_call_id").ok_or(EditRefusal("the part has no tool_call_id"))?;
                out.push(Edit::replace(base.of(old), string::quoted(key)));
            }
            TextChange::StripId => {
                return Err(EditRefusal("chatd would send an empty id for it, which is rejected"));
            }
            TextChange::Retype(_)
            | TextChange::Acknowledge(_)
            | TextChange::StripCalls
            | TextChange::AsText
            | TextChange::EditValue(_)
            | TextChange::OmitImages(_)
            | TextChange::ShrinkImages(_)
            | TextChange::ShortenResult
            | TextChange::AppendNote(_)
            | TextChange::EditMembers(..) => {
                return Err(EditRefusal("chatd stores only function calls and their results"));
            }
        }
        Ok(())
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        let part = CoderPart::of(call);
        if part.kind != CoderPartKind::Call {
            return Err(EditRefusal("the part is not a client-side call"));
        }
        let key = part.get("tool_call_id").ok_or(EditRefusal("the call has no tool_call_id"))?;
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
        CoderPart::of(item).str("tool_call_id")
    }
}

/// The ids of an item, from its own fields.
fn item_ids<'t>(item: Val<'t>) -> Option<ItemIds<'t>> {
    let part = CoderPart::of(item);
    let hosted = matches!(part.kind, CoderPartKind::HostedCall | CoderPartKind::HostedResult);
    Some(ItemIds { id: part.item_id(), key: part.str("tool_call_id").filter(|_| !hosted) })
}

/// Rows are ordered by their ids: a row with an id cannot be moved.
fn moves_whole(row: Val<'_>) -> bool {
    row.get("id").is_none_or(|id| id.is_null())
}

/// Wraps an output in a new message, in the form of the message beside it.
fn wrap_output(output: &[u8], beside: Val<'_>) -> Option<Vec<u8>> {
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
