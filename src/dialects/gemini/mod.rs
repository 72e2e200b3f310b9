//! Contents of the Gemini API: `{"role": "user" | "model", "parts": […]}`, in the JSON of the API or with the snake_case
//! names of Python's dumps. A call needs no id: it is identified by its name and its position.

mod edit;
mod read;
mod rows;
mod schema;
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

pub struct Gemini;

pub static GEMINI: Gemini = Gemini;

static INFO: DialectInfo = DialectInfo {
    name: NAME,
    pairing: Pairing::Counts,
    continuation: Some(r#"{"role":"user","parts":[{"text":"Continue."}]}"#),
    keeps_results_apart: true,
    results_message: Some((r#"{"role":"user","parts":["#, "]}")),
    capabilities: &write::CAPABILITIES,
    ..DialectInfo::BASE
};

impl Dialect for Gemini {
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
        let snake = call.get(name::functionCall).is_none();
        let inner = rows::call(call).ok_or(EditRefusal("the part is not a call"))?;
        let name = inner.get(name::name).filter(Val::is_string).ok_or(EditRefusal("the call has no name"))?;
        let key = if snake { "function_response" } else { "functionResponse" };
        let id = inner.get(name::id).filter(Val::is_string);
        let id = id.map(|id| [br#""id":"#, id.raw(), b","].concat()).unwrap_or_default();
        let response = [br#"{"output":"#.as_slice(), &string::quoted(STUB), b"}"].concat();
        let key = string::quoted(key);
        Ok([b"{", &*key, b":{", &id, br#""name":"#, name.raw(), br#","response":"#, &response, b"}}"].concat())
    }

    /// The name, by which a call is identified.
    fn key<'t>(&self, _: Kind, item: Val<'t>) -> Option<Str<'t>> {
        let inner = rows::call(item).or_else(|| rows::response(item))?;
        inner.get(name::name).and_then(|name| name.as_str())
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
