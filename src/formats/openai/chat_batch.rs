//! Lines of the Batch API for `/v1/chat/completions`: `{"custom_id": …, "body": {request}}` in, and
//! `{"custom_id": …, "response": {"body": {completion}}}` out.

use crate::dialects::chat::CHAT;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, name_entry};
use crate::history::{Flags, Usage};
use crate::json::name;

use super::{chat_completion, chat_request};

pub struct ChatBatch;

pub static FORMAT: ChatBatch = ChatBatch;

static INFO: FormatInfo = FormatInfo {
    name: "chat-batch",
    title: "lines of the Batch API for Chat Completions, in and out",
    known_by: "`custom_id` with `messages` in `body`, or a completion in `response.body`",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["body", "messages"], unit: Unit::Element },
        Part { path: &["response", "body", "choices"], unit: Unit::Element },
    ],
    ..FormatInfo::of(&CHAT, "chat")
};

impl Format for ChatBatch {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.has(name::custom_id) {
            return 0;
        }
        let request = probe.val.get(name::body).is_some_and(|body| chat_request::body_score(body) > 0);
        let response = probe.val.at(&["response", "body"]).is_some_and(chat_completion::is_completion);
        if request || response { 97 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if let Some(body) = record.val.get(name::body) {
        sink.mark(Mark::Start(Box::new(chat_request::settings(body, record, Usage::Request))));
        name_entry(record.val, record, sink);
        chat_request::read_messages(body, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    } else if let Some(completion) = record.val.at(&["response", "body"]) {
        chat_completion::read_completion(completion, record, 1, Flags::default(), sink);
    }
}
