//! Messages of the Anthropic Messages API: `{"role": …, "content": text or blocks}`. Calls are blocks of the assistant's
//! messages, results are blocks of the user's; calls and results of server tools are both among the assistant's blocks.
//! Sessions of clients that store these messages, one a line, contain the same.

mod edit;
mod read;
mod rows;
mod write;

pub use read::block as read_block;
pub use rows::NAME;

use crate::dialect::{Body, Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, ItemWriter, TextChange};
use crate::dialects::responses::STUB;
use crate::history::{Kind, Pairing};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, name, string};
use crate::message::write::JsonWriter;
use crate::message::{Losses, Message, Thread};
use crate::place::Edit;

pub struct Anthropic;

pub static ANTHROPIC: Anthropic = Anthropic;

/// The text before and after the results of a message.
pub(super) const RESULTS_MESSAGE: (&str, &str) = (r#"{"role":"user","content":["#, "]}");

static INFO: DialectInfo = DialectInfo {
    name: NAME,
    pairing: Pairing::Blocks,
    results_message: Some(RESULTS_MESSAGE),
    hoist: Some(edit::hoist),
    capabilities: &write::CAPABILITIES,
    ..DialectInfo::BASE
};

impl Dialect for Anthropic {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        rows::rows(val, origin, out);
    }

    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        edit::edit(change, item, base, out)
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        let id = call.get(name::id).filter(Val::is_string).ok_or(EditRefusal("the call has no id"))?;
        let text = string::quoted(STUB);
        Ok([
            br#"{"type":"tool_result","tool_use_id":"#,
            id.raw(),
            br#","content":"#,
            &*text,
            br#","is_error":true}"#,
        ]
        .concat())
    }

    fn key<'t>(&self, kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        rows::key_of(kind, item).filter(|key| !key.is_empty())
    }

    fn read(&self, body: Body<'_>, out: &mut Thread, losses: &mut Losses) {
        read::read(&body, out, losses);
    }

    fn write(&self, thread: &Thread, w: &mut JsonWriter<'_>) {
        write::write(thread, w);
    }

    fn write_instructions(&self, thread: &Thread, w: &mut JsonWriter<'_>) {
        write::write_instructions(thread, w);
    }

    fn write_items(&self, _: &Thread, message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
        write::write_items(message, each);
    }
}
