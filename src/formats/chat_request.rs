//! The body of a request to `/v1/chat/completions`: `{"model": …, "messages": […]}`, as a document or one a line; or
//! the bare list of its messages.

use crate::dialect::{Body, Shape};
use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit, read_array, read_slice, request_body,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::Val;

pub struct ChatRequest;

pub static FORMAT: ChatRequest = ChatRequest;

static INFO: FormatInfo = FormatInfo {
    name: "chat-request",
    title: "body of a Chat Completions request",
    told_by: "an object with `messages`, a list of objects with a `role`; or a list with roles and parts of Chat",
    dialect: &CHAT,
    target: "chat",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }],
    records_responses: false,
};

impl Format for ChatRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_array() {
            return list_score(probe.val);
        }
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
        } else if record.val.is_array() {
            read_array(&CHAT, record.val, record, 1, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    }

    fn bodies(&self, record: &Record<'_>, _: Option<bool>, each: &mut dyn FnMut(Body<'_>)) {
        match record.val.is_array() {
            true => each(Body { val: record.val, base: record.base, embedded: false, shape: Shape::List }),
            false => request_body(record.val, record, each),
        }
    }
}

/// Keys that only a message of Chat has.
const OWN: [&str; 5] = ["tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning_details"];

/// How surely a list is one of Chat's messages: by what no other dialect has.
fn list_score(list: Val<'_>) -> u8 {
    let own = |message: Val<'_>| {
        let role = message.get("role").is_some_and(|role| ["tool", "function"].iter().any(|name| role.is(name)));
        let key = || OWN.iter().any(|key| message.get(key).is_some());
        let part = || {
            let parts = message.get("content").into_iter().flat_map(|content| content.elements());
            let named = ["image_url", "input_audio", "file", "document_url", "video_url"];
            parts.into_iter().any(|part| part.get("type").is_some_and(|kind| named.iter().any(|name| kind.is(name))))
        };
        message.get("role").is_some() && (role || key() || part())
    };
    // Items of the Responses API do without a role.
    let all_speak = || list.elements().all(|message| message.get("role").is_some());
    if list.elements().any(own) && all_speak() { 75 } else { 0 }
}
