//! The body of a request to `/v1/chat/completions`: `{"model": …, "messages": […]}`, as a document or one a line; or
//! the bare list of its messages. A body with only roles and texts could be Anthropic's as well: it is read as Chat, with
//! a note, unless it is written like Anthropic's. A list of that kind could be Responses items, and is read as such.

use crate::dialects::chat::CHAT;
use crate::format::{CHAT_OPTIONS, Probe, Record, Sink, Slice, read_array, read_options, request_body};
use crate::history::{Flags, HistorySettings, ReasoningEffort, RequestFlags, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::ollama::evidence;
use crate::formats::scoring;
use crate::formats::scoring::Likelihood;

/// True if nothing in a document contradicts this format.
pub(in crate::formats) fn is_plausible(probe: &Probe<'_>) -> bool {
    let list = if probe.val.is_array() { Some(probe.val) } else { probe.get(name::messages) };
    list.is_some_and(|list| is_plausible_body(probe.val, list))
}

/// The settings of a request that is stored by itself. That it could be another API's is noted once per document.
pub(in crate::formats) fn request_settings(body: Val<'_>, record: &Record<'_>) -> HistorySettings {
    let mut settings = settings(body, record, Usage::Request);
    let is_of_chat = settings.model.as_deref().is_some_and(is_chat_model);
    // Of a large document only what surrounds the messages is here.
    let is_whole = record.slice != Slice::Rest;
    let plain = is_whole && record.number == 0 && !is_of_chat && body_score(body) == PLAIN;
    settings.facts.set_if(RequestFlags::PLAIN, plain);
    settings
}

/// The score of a body, or a bare list of messages, as a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    match body.is_array() {
        true => match list_score(body) {
            OWN => OWN,
            score => score.min(PLAIN_LIST),
        },
        false => body_score(body),
    }
}

/// The score of a list with a message that only Chat has.
pub(super) const OWN: u8 = 75;
/// The score of a list with instructions among its messages.
const SYSTEM: u8 = 51;
/// The score of a list of roles and texts.
const PLAIN: u8 = 50;
/// The maximum score of a bare list, below that of a list of Responses items.
const PLAIN_LIST: u8 = 30;
/// The score of a body that resembles another API's.
const FOREIGN: u8 = 20;

/// The maximum number of messages that are examined.
const SAMPLE: usize = 64;

/// Keys that no other API has in a message.
static OWN_KEYS: NameSet = NameSet::of(&["tool_calls", "tool_call_id", "function_call"]);
/// Keys of some Chat servers, which also occur in items of other APIs.
static STRAY_KEYS: NameSet = NameSet::of(&["reasoning_content", "reasoning_details"]);
/// Keys that can replace the content of an assistant message.
static CONTENT_KEYS: NameSet = NameSet::of(&["refusal", "audio", "reasoning", "prefix"]);
/// Keys of records of other systems that no message of Chat has.
static FOREIGN_MESSAGE_KEYS: NameSet = NameSet::of(&["parts", "message", "payload", "ts", "created", "state"]);

/// Prefixes of the names of models that are used by Chat.
const MODELS: [&str; 12] =
    ["gpt-", "chatgpt-", "o1", "o3", "o4", "deepseek-", "mistral-", "kimi-", "grok-", "llama-", "qwen", "glm-"];

/// True if a model of this name is used by Chat.
pub(in crate::formats) fn is_chat_model(model: &str) -> bool {
    let model = model.rsplit('/').next().unwrap_or(model);
    MODELS.iter().any(|start| model.starts_with(start))
}

/// Keys of a body of another API.
static FOREIGN_KEYS: NameSet =
    NameSet::of(&["system", "anthropic_version", "inferenceConfig", "toolConfig", "max_tokens_to_sample"]);

/// Members of a request that a log of chats does not have.
static REQUEST_KEYS: NameSet =
    NameSet::of(&["model", "tools", "temperature", "stream", "max_tokens", "max_completion_tokens"]);

/// The score of an object as the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(list) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    let names = body.names();
    if scoring::is_foreign_log(body) || evidence::score(body) > 0 {
        return 0;
    }
    if list.count() == 0 {
        return if body.get(name::model).is_some() { PLAIN } else { 0 };
    }
    let foreign_tools = || {
        let mut tools = body.get(name::tools).into_iter().flat_map(|tools| tools.elements());
        tools.any(|tool| tool.get(name::input_schema).is_some())
    };
    // In a request a message of an unknown role is a mistake, not another format.
    let is_request = names.intersects(&REQUEST_KEYS);
    let fit = |message: Val<'_>| match message_likelihood(message) {
        Likelihood::Unknown | Likelihood::Score(..PLAIN)
            if is_request && message.get(name::role).is_some_and(|role| role.is_string()) =>
        {
            Likelihood::Score(PLAIN)
        }
        fit => fit,
    };
    match messages_score(list, fit) {
        score @ (PLAIN | SYSTEM) if names.intersects(&FOREIGN_KEYS) || foreign_tools() => score.min(FOREIGN),
        score => score,
    }
}

/// True if a body, or a list, has only members of Chat. Servers of Chat accept the members of Ollama's own requests as well,
/// but not its messages.
fn is_plausible_body(body: Val<'_>, list: Val<'_>) -> bool {
    let fits = |message: Val<'_>| {
        let parts = || message.get(name::content).into_iter().flat_map(|content| content.elements());
        let is_text = |text: Val<'_>| text.is_string();
        let calls = || message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        let arguments = |call: Val<'_>| call.at(&["function", "arguments"]).is_none_or(is_text);
        matches!(message_likelihood(message), Likelihood::Score(_))
            && !parts().any(is_foreign)
            && message.get(name::images).is_none()
            && message.get(name::tool_name).is_none()
            && calls().all(arguments)
    };
    let mut messages = list.elements().filter(Val::is_object);
    let is_empty = list.count() == 0 && body.is_object();
    list.is_array()
        && !scoring::is_foreign_log(body)
        && !body.names().intersects(&FOREIGN_KEYS)
        && (is_empty || list.elements().any(|message| message.is_object()))
        && messages.all(fits)
}

/// The score of a list as messages of Chat.
pub(super) fn list_score(list: Val<'_>) -> u8 {
    messages_score(list, message_likelihood)
}

fn messages_score(list: Val<'_>, fit: impl Fn(Val<'_>) -> Likelihood) -> u8 {
    let score = scoring::score_list(list, fit);
    let foreign = |message: Val<'_>| {
        let parts = message.get(name::content).into_iter().flat_map(|content| content.elements());
        parts.take(SAMPLE).any(is_foreign)
    };
    if score > 0 && score < OWN && list.elements().take(SAMPLE).any(foreign) { FOREIGN } else { score }
}

/// The roles that a message of Chat can have.
const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

/// Types of parts that only messages of SDKs and agents have.
const SDK_PARTS: [&str; 8] = [
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "tool-approval-response",
    "toolCall",
    "toolRequest",
    "toolResponse",
    "step-start",
];

/// The likelihood that an object is a message of Chat: by a role of Chat, and its content.
pub(super) fn message_likelihood(message: Val<'_>) -> Likelihood {
    let (mut role, mut kind, mut content) = (None, None, None);
    let (mut is_own, mut has_stray, mut has_content) = (false, false, false);
    for (name, val) in message.named_members() {
        let is_set = !val.is_null();
        match name {
            name::role => role = Some(val),
            name::content => content = Some(val),
            name::r#type => kind = Some(val).filter(|_| is_set),
            _ if FOREIGN_MESSAGE_KEYS.has(name) || scoring::RECORD_KEYS.has(name) => return Likelihood::Foreign,
            _ => {
                is_own |= is_set && OWN_KEYS.has(name);
                has_stray |= is_set && STRAY_KEYS.has(name);
                has_content |= is_set && CONTENT_KEYS.has(name);
            }
        }
    }
    let parts = || content.into_iter().flat_map(|content| content.elements()).take(SAMPLE);
    let is = |part: Val<'_>, names: &[&str]| {
        part.get(name::r#type).is_some_and(|kind| names.iter().any(|name| kind.is(name)))
    };
    if kind.is_some_and(|kind| !kind.is("message"))
        || parts().any(|part| part.get(name::toolCallId).is_some() || is(part, &SDK_PARTS))
    {
        return Likelihood::Foreign;
    }
    let Some(role) = role.filter(|role| ROLES.iter().any(|name| role.is(name))) else {
        return Likelihood::Unknown;
    };
    Likelihood::Score(
        if role.is("tool")
            || role.is("function")
            || is_own
            || parts().any(|part| is(part, &["image_url", "input_audio", "file"]))
        {
            OWN
        } else if content.is_none() && !has_content {
            // The content is missing.
            return Likelihood::Score(1);
        } else if role.is("system") || role.is("developer") || has_stray {
            SYSTEM
        } else {
            PLAIN
        },
    )
}

/// True for a block of Anthropic's or Bedrock's, or a part of a Responses item.
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
    match part.get(name::r#type) {
        Some(kind) => BLOCKS.iter().any(|name| kind.is(name)),
        None => part.is_object(),
    }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get(name::messages) {
        read_array(&CHAT, messages, record, part, flags, sink);
    }
}

/// The settings of a request, from its body.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> HistorySettings {
    let request = Some(record.base.of(body));
    let mut settings = HistorySettings {
        usage,
        request,
        body: request_body(body, record),
        options: read_options(body, record, &CHAT_OPTIONS),
        ..HistorySettings::default()
    };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"model" => settings.model = val.text().map(|model| String::from_utf8_lossy(&model).into()),
            b"reasoning_effort" => settings.effort = val.text().map(|effort| ReasoningEffort::of(&effort)),
            b"reasoning" => {
                settings.effort = val.get(name::effort).and_then(|e| e.text()).map(|e| ReasoningEffort::of(&e))
            }
            b"thinking" => {
                let kind = val.get(name::r#type).and_then(|kind| kind.text());
                settings.effort = kind.map(|kind| on(kind.as_ref() != b"disabled"));
            }
            b"enable_thinking" => settings.effort = val.as_bool().map(on),
            _ => {}
        }
    }
    settings
}

fn on(thinks: bool) -> ReasoningEffort {
    if thinks { ReasoningEffort::Some } else { ReasoningEffort::None }
}
