//! A page of stored completions, `GET /v1/chat/completions`, or of the messages of one of them: `{"object": "list",
//! "data": […]}`. The oldest comes first, unless the page was asked for otherwise.

use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, read_array, read_slice,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

use super::{chat_completion, chat_request};

pub struct ChatPage;

pub static FORMAT: ChatPage = ChatPage;

static INFO: FormatInfo = FormatInfo {
    name: "chat-page",
    title: "page of stored completions, or of the messages of one",
    known_by: "`object` is \"list\", and `data` is a list of completions, or of messages with ids of completions",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["data"], unit: Unit::Element }],
    ..FormatInfo::of(&CHAT, "chat")
};

impl Format for ChatPage {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !(probe.has(name::object)
            && probe.has(name::data)
            && probe.val.get(name::object).is_some_and(|o| o.is("list")))
        {
            return 0;
        }
        let Some(first) = elements(probe.val).next() else { return 0 };
        if chat_completion::is_completion(first) || is_stored_message(first) { 98 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if let Slice::Element { .. } = record.slice
        && chat_completion::is_completion(record.val)
    {
        return chat_completion::read_completion(record.val, record, 0, Flags::default(), sink);
    }
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    if elements(record.val).next().is_some_and(chat_completion::is_completion) {
        for completion in elements(record.val) {
            chat_completion::read_completion(completion, record, 0, Flags::default(), sink);
        }
        return;
    }
    let newest_first = sink.newest_first().unwrap_or(false);
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, newest_first, ..Settings::default() })));
    if let Some(data) = record.val.get(name::data) {
        read_array(&CHAT, data, record, 0, Flags::default(), sink);
    }
    sink.mark(Mark::End);
}

fn elements(page: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    page.get(name::data).into_iter().flat_map(|data| data.elements())
}

/// The ids of stored messages are made of that of their completion.
fn is_stored_message(val: Val<'_>) -> bool {
    let id = val.get(name::id).and_then(|id| id.text());
    let own = || val.get(name::tool_calls).is_some() || val.get("content_parts").is_some();
    val.get(name::role).is_some()
        && (id.is_some_and(|id| id.starts_with(b"chatcmpl")) || own())
        && chat_request::message_fit(val).score() > 0
}
