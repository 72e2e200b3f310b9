//! Messages of Chat Completions, of OpenAI and compatible APIs: `{"role": …, "content": …, "tool_calls": […]}`. A tool's
//! result is a message of its own.

pub mod edit;
mod read;
pub(super) mod rows;
mod tools;
mod write;

pub use rows::NAME;

use crate::dialect::{Body, Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, ItemWriter, TextChange};
use crate::dialects::responses::STUB;
use crate::history::{Kind, Pairing};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, name, string};
use crate::message::write::JsonWriter;
use crate::message::{Losses, Message, Thread};
use crate::place::Edit;

pub struct Chat;

pub static CHAT: Chat = Chat;

static INFO: DialectInfo = DialectInfo {
    name: NAME,
    pairing: Pairing::Replies,
    capabilities: &write::CAPABILITIES,
    bridge: Some(r#"{"role":"assistant","content":"(no message was recorded)"}"#),
    ..DialectInfo::BASE
};

impl Dialect for Chat {
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
        Ok([br#"{"role":"tool","tool_call_id":"#, id.raw(), br#","content":"#, &*string::quoted(STUB), b"}"]
            .concat())
    }

    fn key<'t>(&self, kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        let field = if kind == Kind::ToolResult { "tool_call_id" } else { "id" };
        item.get(field).and_then(|id| id.as_str())
    }

    fn read(&self, body: Body<'_>, out: &mut Thread, losses: &mut Losses) {
        read::read(&body, out, losses);
    }

    fn write(&self, thread: &Thread, w: &mut JsonWriter<'_>) {
        write::write(thread, w);
    }

    fn write_items(&self, thread: &Thread, message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
        write::write_items(thread, message, each);
    }
}
