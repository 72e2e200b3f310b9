//! The body of a request to `/v1/chat/completions`: `{"model": …, "messages": […]}`, as a document or one a line; or
//! the bare list of its messages. A body that only holds roles and texts might be Anthropic's as well: it is read as
//! Chat, and a note says so, unless it is written as Anthropic's are. A list of that kind might hold Responses items, and is read so.

use crate::dialects::chat::CHAT;
use crate::format::{Probe, Record, Sink, around, read_array};
use crate::history::{Effort, Facts, Flags, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;
use crate::formats::claim::Fit;

/// Whether nothing in a document speaks against this format.
pub(in crate::formats) fn may_be(probe: &Probe<'_>) -> bool {
    let list = if probe.val.is_array() { Some(probe.val) } else { probe.val.get(name::messages) };
    list.is_some_and(|list| may_be_body(probe.val, list))
}

/// What a request says that is stored by itself. Whether it may be another API's is told once a document.
pub(in crate::formats) fn request_settings(body: Val<'_>, record: &Record<'_>) -> Settings {
    let mut settings = settings(body, record, Usage::Request);
    let plain = record.number == 0 && body_score(body) == PLAIN;
    settings.facts.set_if(Facts::PLAIN, plain && !settings.model.as_deref().is_some_and(is_chats));
    settings
}

/// How surely a body, or a bare list of messages, is a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    match body.is_array() {
        true => match list_score(body) {
            OWN => OWN,
            score => score.min(PLAIN_LIST),
        },
        false => body_score(body),
    }
}

/// What a list of messages is recognised by.
pub(super) const OWN: u8 = 75;
const SYSTEM: u8 = 51;
const PLAIN: u8 = 50;
/// Below what a list of Responses items is recognised by.
const PLAIN_LIST: u8 = 30;
/// It looks like another API's.
const FOREIGN: u8 = 20;

/// Messages that are looked at, at most.
const SAMPLE: usize = 64;

/// Keys that no other API has in a message.
static OWN_KEYS: NameSet = NameSet::of(&["tool_calls", "tool_call_id", "function_call"]);
/// Keys of some servers of Chat, which strayed into items of other APIs as well.
static STRAY_KEYS: NameSet = NameSet::of(&["reasoning_content", "reasoning_details"]);
/// Keys that stand for the content of an assistant's message.
static SPOKEN_KEYS: NameSet = NameSet::of(&["refusal", "audio", "reasoning", "prefix"]);
/// Keys that records of other systems have, and no message of Chat.
static STRANGE_KEYS: NameSet = NameSet::of(&["parts", "message", "payload", "ts", "created", "state"]);

/// How the names of models begin that are asked by Chat.
const MODELS: [&str; 12] =
    ["gpt-", "chatgpt-", "o1", "o3", "o4", "deepseek-", "mistral-", "kimi-", "grok-", "llama-", "qwen", "glm-"];

/// Whether a model of this name is asked by Chat.
pub(in crate::formats) fn is_chats(model: &str) -> bool {
    let model = model.rsplit('/').next().unwrap_or(model);
    MODELS.iter().any(|start| model.starts_with(start))
}

/// Keys of a body that tell another API.
static FOREIGN_KEYS: NameSet =
    NameSet::of(&["system", "anthropic_version", "inferenceConfig", "toolConfig", "max_tokens_to_sample"]);

/// Members of a request that a log of chats has not.
static REQUEST_KEYS: NameSet =
    NameSet::of(&["model", "tools", "temperature", "stream", "max_tokens", "max_completion_tokens"]);

/// Members of a request to Ollama's own API, which speaks a dialect like Chat's.
static OLLAMA_KEYS: NameSet = NameSet::of(&["options", "keep_alive"]);

/// How surely an object is the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(list) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    let names = body.names();
    if claim::is_log(body) || names.meets(&OLLAMA_KEYS) {
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
    let is_request = names.meets(&REQUEST_KEYS);
    let fit = |message: Val<'_>| match message_fit(message) {
        Fit::Unknown | Fit::Likely(..PLAIN)
            if is_request && message.get(name::role).is_some_and(|role| role.is_string()) =>
        {
            Fit::Likely(PLAIN)
        }
        fit => fit,
    };
    match messages_score(list, fit) {
        score @ (PLAIN | SYSTEM) if names.meets(&FOREIGN_KEYS) || foreign_tools() => score.min(FOREIGN),
        score => score,
    }
}

/// Whether a body, or a list, has nothing that Chat has not. Servers of Chat take the members of Ollama's own requests as
/// well, but not its messages.
fn may_be_body(body: Val<'_>, list: Val<'_>) -> bool {
    let fits = |message: Val<'_>| {
        let parts = || message.get(name::content).into_iter().flat_map(|content| content.elements());
        let is_text = |text: Val<'_>| text.is_string();
        let calls = || message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        let arguments = |call: Val<'_>| call.at(&["function", "arguments"]).is_none_or(is_text);
        matches!(message_fit(message), Fit::Likely(_))
            && !parts().any(is_foreign)
            && message.get("images").is_none()
            && message.get("tool_name").is_none()
            && calls().all(arguments)
    };
    let mut messages = list.elements().filter(Val::is_object);
    let is_empty = list.count() == 0 && body.is_object();
    list.is_array()
        && !claim::is_log(body)
        && !body.names().meets(&FOREIGN_KEYS)
        && (is_empty || list.elements().any(|message| message.is_object()))
        && messages.all(fits)
}

/// How surely a list is one of messages of Chat.
pub(super) fn list_score(list: Val<'_>) -> u8 {
    messages_score(list, message_fit)
}

fn messages_score(list: Val<'_>, fit: impl Fn(Val<'_>) -> Fit) -> u8 {
    let score = claim::most(list, fit);
    let foreign = |message: Val<'_>| {
        let parts = message.get(name::content).into_iter().flat_map(|content| content.elements());
        parts.take(SAMPLE).any(is_foreign)
    };
    if score > 0 && score < OWN && list.elements().take(SAMPLE).any(foreign) { FOREIGN } else { score }
}

/// Roles that a message of Chat may have.
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

/// How surely an object is a message of Chat: by a role that Chat knows and what is said in it.
pub(super) fn message_fit(message: Val<'_>) -> Fit {
    let (mut role, mut kind, mut content) = (None, None, None);
    let (mut is_own, mut strayed, mut spoken) = (false, false, false);
    for (name, val) in message.named() {
        let says = !val.is_null();
        match name {
            name::role => role = Some(val),
            name::content => content = Some(val),
            name::r#type => kind = Some(val).filter(|_| says),
            _ if STRANGE_KEYS.has(name) || claim::RECORD_KEYS.has(name) => return Fit::Strange,
            _ => {
                is_own |= says && OWN_KEYS.has(name);
                strayed |= says && STRAY_KEYS.has(name);
                spoken |= says && SPOKEN_KEYS.has(name);
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
        return Fit::Strange;
    }
    let Some(role) = role.filter(|role| ROLES.iter().any(|name| role.is(name))) else { return Fit::Unknown };
    Fit::Likely(
        if role.is("tool")
            || role.is("function")
            || is_own
            || parts().any(|part| is(part, &["image_url", "input_audio", "file"]))
        {
            OWN
        } else if content.is_none() && !spoken {
            // Something is missing in it.
            return Fit::Likely(1);
        } else if role.is("system") || role.is("developer") || strayed {
            SYSTEM
        } else {
            PLAIN
        },
    )
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

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    let request = Some(record.base.of(body));
    let mut settings = Settings { usage, request, around: around(body, record), ..Settings::default() };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"model" => settings.model = val.text().map(|model| String::from_utf8_lossy(&model).into()),
            b"reasoning_effort" => settings.effort = val.text().map(|effort| Effort::of(&effort)),
            b"reasoning" => settings.effort = val.get(name::effort).and_then(|e| e.text()).map(|e| Effort::of(&e)),
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

fn on(thinks: bool) -> Effort {
    if thinks { Effort::Some } else { Effort::None }
}
