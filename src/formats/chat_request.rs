//! The body of a request to `/v1/chat/completions`: `{"model": …, "messages": […]}`, as a document or one a line; or
//! the bare list of its messages. A body that only holds roles and texts might be Anthropic's as well: it is read as
//! Chat, and a note says so. A list of that kind might hold Responses items, and is read so.

use crate::dialect::{Body, Shape};
use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit, is_reference, read_array, read_slice, request_body,
};
use crate::history::{Effort, Facts, Flags, Settings, Usage};
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
        match probe.val.is_array() {
            true => match list_score(probe.val) {
                OWN => OWN,
                score => score.min(PLAIN_LIST),
            },
            false if probe.has("messages") => body_score(probe.val),
            false => 0,
        }
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&INFO, record, Flags::default(), sink) {
            return;
        }
        let mut settings = settings(record.val, record, Usage::Request);
        // Told once a doc.
        let plain = record.number == 0 && body_score(record.val) == PLAIN;
        settings.facts.set_if(Facts::PLAIN, plain && !settings.model.as_deref().is_some_and(is_chats));
        sink.mark(Mark::Start(Box::new(settings)));
        match record.val.is_array() {
            true => read_array(&CHAT, record.val, record, 1, Flags::default(), sink),
            false => read_messages(record.val, record, 0, Flags::default(), sink),
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

/// What a list of messages is told by.
pub(super) const OWN: u8 = 75;
const SYSTEM: u8 = 51;
const PLAIN: u8 = 50;
/// Below what a list of Responses items is told by.
const PLAIN_LIST: u8 = 30;
/// It looks like another API's.
const FOREIGN: u8 = 20;

/// Messages that are looked at, at most.
const SAMPLE: usize = 64;

/// Keys that no other API has in a message.
const OWN_KEYS: [&str; 3] = ["tool_calls", "tool_call_id", "function_call"];
/// Keys of some servers of Chat, which strayed into items of other APIs as well.
const STRAY_KEYS: [&str; 2] = ["reasoning_content", "reasoning_details"];

/// How the names of models begin that are asked by Chat.
const MODELS: [&str; 12] = [
    "gpt-", "chatgpt-", "o1", "o3", "o4", "deepseek-", "mistral-", "kimi-", "grok-", "llama-", "qwen", "glm-",
];

fn is_chats(model: &str) -> bool {
    let model = model.rsplit('/').next().unwrap_or(model);
    MODELS.iter().any(|start| model.starts_with(start))
}

/// Keys of a body that tell another API.
const FOREIGN_KEYS: [&str; 5] = ["system", "anthropic_version", "inferenceConfig", "toolConfig", "max_tokens_to_sample"];

/// How surely an object is the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(list) = body.get("messages").filter(Val::is_array) else { return 0 };
    if list.count() == 0 {
        return if body.get("model").is_some() { PLAIN } else { 0 };
    }
    let foreign_tools = || {
        let mut tools = body.get("tools").into_iter().flat_map(|tools| tools.elements());
        tools.any(|tool| tool.get("input_schema").is_some())
    };
    match list_score(list) {
        score @ (PLAIN | SYSTEM) if FOREIGN_KEYS.iter().any(|key| body.get(key).is_some()) || foreign_tools() => {
            score.min(FOREIGN)
        }
        score => score,
    }
}

/// How surely a list is one of messages of Chat.
pub(super) fn list_score(list: Val<'_>) -> u8 {
    let mut score = 0;
    // A log that `slim` went over holds references in the place of messages.
    for message in list.elements().filter(|message| !is_reference(*message)).take(SAMPLE) {
        match message_score(message) {
            0 => return 0,
            one => score = if score == FOREIGN && one < OWN { FOREIGN } else { score.max(one) },
        }
        let more = message.get("content").into_iter().flat_map(|content| content.elements());
        if score < OWN && more.take(SAMPLE).any(is_foreign) {
            score = FOREIGN;
        }
    }
    score
}

pub(super) fn message_score(message: Val<'_>) -> u8 {
    let Some(role) = message.get("role").filter(Val::is_string) else { return 0 };
    let has = |key: &&str| message.get(key).is_some_and(|val| !val.is_null());
    let mut parts = message.get("content").into_iter().flat_map(|content| content.elements());
    let is = |part: Val<'_>, names: &[&str]| {
        part.get("type").is_some_and(|kind| names.iter().any(|name| kind.is(name)))
    };
    if ["tool", "function"].iter().any(|name| role.is(name))
        || OWN_KEYS.iter().any(has)
        || parts.any(|part| is(part, &["image_url", "input_audio", "file"]))
    {
        OWN
    } else if role.is("system") || role.is("developer") || STRAY_KEYS.iter().any(has) {
        SYSTEM
    } else {
        PLAIN
    }
}

/// A block of Anthropic's or Bedrock's, or a part of a Responses item.
fn is_foreign(part: Val<'_>) -> bool {
    const BLOCKS: [&str; 10] = [
        "input_text",
        "output_text",
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "image",
        "document",
        "server_tool_use",
        "web_search_tool_result",
    ];
    match part.get("type") {
        Some(kind) => BLOCKS.iter().any(|name| kind.is(name)),
        None => part.is_object(),
    }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get("messages") {
        read_array(&CHAT, messages, record, part, flags, sink);
    }
}

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    let mut settings = Settings { usage, request: Some(record.base.of(body)), ..Settings::default() };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"model" => settings.model = val.text().map(|model| String::from_utf8_lossy(&model).into()),
            b"reasoning_effort" => settings.effort = val.text().map(|effort| Effort::of(&effort)),
            b"reasoning" => settings.effort = val.get("effort").and_then(|e| e.text()).map(|e| Effort::of(&e)),
            b"thinking" => {
                let kind = val.get("type").and_then(|kind| kind.text());
                settings.effort = kind.map(|kind| on(kind.as_ref() != b"disabled"));
            }
            b"enable_thinking" => settings.effort = val.as_bool().map(on),
            _ => {}
        }
    }
    settings
}

fn on(thinks: bool) -> Effort {
    if thinks { Effort::Some } else { Effort::None }
}
