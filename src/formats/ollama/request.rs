//! The body of a request to `/api/chat`, as a document or one a line.

use crate::dialects::responses::STUB;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{
    Attachments, Editor, Format, FormatInfo, Layout, OpenCall, Probe, ResultStorage, fill_template,
};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name, string};
use crate::message::Thread;

use super::{evidence, message, settings};
use crate::formats::member::text;
use crate::formats::threads;

pub struct OllamaRequest;

pub static FORMAT: OllamaRequest = OllamaRequest;

static INFO: FormatInfo = FormatInfo {
    name: "ollama-request",
    title: "body of a request to Ollama's own API (`/api/chat`)",
    known_by: "`model` and `messages`, with `think`, `format`, `images`, `tool_name`, `thinking` or calls with objects as arguments; \
               or with `options` or `keep_alive`, and no member of Chat's",
    usage: Usage::Request,
    editor: Some(&EDITOR),
    ..super::BASE
};

static EDITOR: Editor = Editor {
    messages: |body| body.get(name::messages),
    attachments: Some(Attachments { list: "images", texts: &["content"] }),
    ..Editor::of(ResultStorage::Messages(result))
};

impl Format for OllamaRequest {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        evidence::score(probe.val)
    }

    /// A body without anything specific is one among others that have it.
    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::messages).is_some_and(|list| list.is_array())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let body = record.val;
    let Some(list) = body.get(name::messages) else { return };
    let mut thread = Thread::default();
    list.elements().for_each(|own| message::push(&mut thread, own, record));
    let settings = HistorySettings {
        model: text(body, "model"),
        effort: settings::effort(body),
        conversion_losses: settings::losses(body, record),
        ..HistorySettings::default()
    };
    let request = Some(settings::to_chat(body, record));
    out.push(TranslatedThread { request, ..threads::translate(&INFO, settings, thread.messages) });
}

/// The message with a neutral result of a call.
fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let tool = open.raw_member(&[&["function", "name"]]);
    let text = string::quoted(STUB);
    Some(match open.raw_member(&[&["id"]]) {
        b"null" => fill_template(r#"{"role":"tool","tool_name":$,"content":$}"#, &[tool, &text]),
        id => fill_template(r#"{"role":"tool","tool_name":$,"tool_call_id":$,"content":$}"#, &[tool, id, &text]),
    })
}
