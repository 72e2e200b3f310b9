//! The body of a request to `/v1/chat/completions`: `{"model": …, "messages": […]}`, as a document or one a line.

use crate::dialects::chat::CHAT;
use crate::format::{Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit, read_array, read_slice};
use crate::history::{Flags, Settings, Usage};

pub struct ChatRequest;

pub static FORMAT: ChatRequest = ChatRequest;

static INFO: FormatInfo = FormatInfo {
    name: "chat-request",
    title: "body of a Chat Completions request",
    told_by: "an object with `messages`, a list of objects with a `role`",
    dialect: &CHAT,
    target: "chat",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Element }],
    records_responses: false,
};

impl Format for ChatRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let first = probe.val.get("messages").and_then(|messages| messages.elements().next());
        if first.is_some_and(|first| first.get("role").is_some()) { 50 } else { 0 }
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&INFO, record, Flags::default(), sink) {
            return;
        }
        let model = record.val.get("model").and_then(|model| model.text());
        let model = model.map(|model| String::from_utf8_lossy(&model).into());
        let settings = Settings { usage: INFO.usage, model, ..Settings::default() };
        sink.mark(Mark::Start(Box::new(settings)));
        if let Some(messages) = record.val.get("messages") {
            read_array(&CHAT, messages, record, 0, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    }
}
