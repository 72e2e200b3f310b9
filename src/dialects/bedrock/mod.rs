//! Messages of AWS Bedrock's Converse API: `{"role": "user" | "assistant", "content": […]}`, with blocks whose kind is the
//! name of their only member.

mod edit;
mod read;
mod rows;
mod write;

pub use rows::{NAME, TOOL_NAME_LIMIT, document, empty_texts, is_tool_name, tool_result, tool_use};

use crate::dialect::{Body, Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, ItemWriter, TextChange};
use crate::dialects::responses::STUB;
use crate::history::{Kind, Pairing};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, string};
use crate::message::write::JsonWriter;
use crate::message::{Losses, Message, Thread};
use crate::place::Edit;

pub struct Bedrock;

pub static BEDROCK: Bedrock = Bedrock;

static INFO: DialectInfo = DialectInfo {
    name: NAME,
    pairing: Pairing::Blocks,
    results_message: Some((r#"{"role":"user","content":["#, "]}")),
    capabilities: &write::CAPABILITIES,
    ..DialectInfo::BASE
};

impl Dialect for Bedrock {
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
        let id =
            call.at(&["toolUse", "toolUseId"]).filter(Val::is_string).ok_or(EditRefusal("the call has no id"))?;
        let text = string::quoted(STUB);
        Ok([br#"{"toolResult":{"toolUseId":"#, id.raw(), br#","content":[{"text":"#, &text, b"}]}}"].concat())
    }

    /// The id that pairs call and result; of a document, its name, which is to be unique too.
    fn key<'t>(&self, kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        let path: &[&str] = match kind {
            Kind::ToolUse => &["toolUse", "toolUseId"],
            Kind::ToolResult => &["toolResult", "toolUseId"],
            _ => &["document", "name"],
        };
        item.at(path).and_then(|key| key.as_str())
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
