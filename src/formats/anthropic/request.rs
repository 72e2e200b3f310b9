//! The body of a request to Anthropic's `/v1/messages`, as a document or one a line; or the bare list of its messages.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{ANTHROPIC_OPTIONS, Probe, Record, Sink, empty_list, read_array, read_options, request_body};
use crate::history::{Flags, HistorySettings, RequestFlags, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::openai::chat;
use crate::formats::scoring;

/// True if nothing in a document contradicts this format.
pub(in crate::formats) fn is_plausible(probe: &Probe<'_>) -> bool {
    let list = if probe.val.is_array() { Some(probe.val) } else { probe.get(name::messages) };
    list.is_some_and(|list| is_plausible_body(probe.val, list))
}

/// The score of a body, or a bare list of messages, as a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get(name::messages) {
        read_array(&ANTHROPIC, messages, record, part, flags, sink);
    }
}

/// The settings of a request, from its body.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>) -> HistorySettings {
    if body.is_array() {
        return HistorySettings { usage: Usage::Request, ..HistorySettings::default() };
    }
    let model = body.get(name::model).and_then(|model| model.text());
    let tools = body.get(name::tools);
    let mut facts = RequestFlags::default();
    let defined = |key: &str| body.get(key).is_some_and(|list| list.count() > 0);
    // A session that a client stores has messages like a request, but not the required members of one.
    let is_request = ["model", "max_tokens", "anthropic_version"].iter().any(|key| body.get(key).is_some());
    facts.set_if(RequestFlags::NO_TOOLS, is_request && !defined("tools") && !defined("mcp_servers"));
    let enabled = body.at(&["thinking", "type"]).is_some_and(|kind| kind.is("enabled"));
    facts.set_if(RequestFlags::MANUAL_THINKING, enabled);
    let marked = |list: Option<Val<'_>>| {
        let marks = list.iter().flat_map(Val::elements).filter(|entry| entry.get(name::cache_control).is_some());
        marks.count() as u32
    };
    // Tools of MCP servers are not in the file.
    let is_toolset = |tool: Val<'_>| tool.get(name::r#type).is_some_and(|kind| kind.is("mcp_toolset"));
    let all_named = |list: &Val<'_>| list.count() > 0 && !list.elements().any(is_toolset);
    let named = tools.filter(Val::is_array).filter(all_named).filter(|_| body.get(name::mcp_servers).is_none());
    HistorySettings {
        tools: named.map(|list| record.base.of(list)),
        usage: if is_request { Usage::Request } else { Usage::Log },
        model: model.map(|model| String::from_utf8_lossy(&model).into()),
        facts,
        options: read_options(body, record, &ANTHROPIC_OPTIONS),
        body: request_body(body, record),
        cache_marks: marked(tools) + marked(body.get(name::system)),
        request: Some(record.base.of(body)),
        empty: empty_list(body, "messages", record),
        ..HistorySettings::default()
    }
}

/// Types of blocks that only Anthropic has.
const OWN_BLOCKS: [&[u8]; 9] = [
    b"tool_use",
    b"tool_result",
    b"thinking",
    b"redacted_thinking",
    b"server_tool_use",
    b"mcp_tool_use",
    b"mcp_tool_result",
    b"web_search_tool_result",
    b"container_upload",
];

/// Members of a body that no Chat request has.
static OWN_KEYS: NameSet = NameSet::of(&["anthropic_version", "anthropic_beta", "stop_sequences", "mcp_servers"]);

/// The score of an object as the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(messages) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    let mut objects = messages.elements().filter(Val::is_object);
    if scoring::is_foreign_log(body)
        || messages.count() > 0 && objects.next().is_none_or(|first| first.get(name::role).is_none())
        || messages.elements().any(is_foreign_message)
    {
        return 0;
    }
    // Bedrock also has a `system`: a list of blocks without types.
    let typed =
        |system: Val<'_>| system.is_string() || system.elements().any(|part| part.get(name::r#type).is_some());
    let named = body.names().intersects(&OWN_KEYS)
        || body.get(name::system).is_some_and(typed)
        || body.get(name::tools).into_iter().flat_map(|tools| tools.elements()).any(is_own_tool);
    let by_blocks = if messages.elements().any(has_own_block) { BY_BLOCKS } else { 0 };
    let limited = body.get(name::max_tokens).is_some() && !body.members().any(|member| CHAT_KEYS.has(member.name));
    let by_model = u8::from(limited && is_claude(body)) * 60;
    by_blocks.max(by_model).max(if named { 85 } else { text_only_score(body, messages) })
}

/// True for a tool that only Anthropic has: with an `input_schema`, or a server tool. Some requests to Chat servers have
/// tools with a `name` next to their `function`.
fn is_own_tool(tool: Val<'_>) -> bool {
    let of_server = |kind: Val<'_>| kind.is_string() && !kind.is("function");
    tool.get(name::input_schema).is_some()
        || tool.get(name::name).is_some()
            && tool.get(name::function).is_none()
            && tool.get(name::r#type).is_some_and(of_server)
}

/// True if a body, or a list, has only members of Anthropic's.
fn is_plausible_body(body: Val<'_>, list: Val<'_>) -> bool {
    let tools = || body.get(name::tools).into_iter().flat_map(|tools| tools.elements());
    let choice = body.get(name::tool_choice);
    let is_block = |block: Val<'_>| {
        let foreign = ["image_url", "input_audio", "file", "input_text", "output_text"];
        !block.is_object()
            || block.get(name::r#type).is_some_and(|kind| !foreign.iter().any(|foreign| kind.is(foreign)))
    };
    let fits = |message: Val<'_>| {
        let mut blocks = message.get(name::content).into_iter().flat_map(|content| content.elements());
        let is_message = message.get(name::r#type).is_none_or(|kind| kind.is("message"));
        is_message
            && message.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"))
            && blocks.all(is_block)
    };
    let is_empty = list.count() == 0 && body.is_object();
    list.is_array()
        && !scoring::is_foreign_log(body)
        && !body.members().any(|member| CHAT_KEYS.has(member.name) || FOREIGN_KEYS.has(member.name))
        && tools().all(is_own_tool)
        && !choice.is_some_and(|choice| choice.is_string())
        && (is_empty || list.elements().any(|message| message.is_object()))
        && list.elements().filter(Val::is_object).all(fits)
        && !list.elements().any(is_foreign_message)
}

/// Members of bodies of other APIs.
static FOREIGN_KEYS: NameSet =
    NameSet::of(&["inferenceConfig", "toolConfig", "modelId", "options", "keep_alive", "input", "contents"]);

/// Members of a Chat request that Anthropic's does not have.
static CHAT_KEYS: NameSet = NameSet::of(&[
    "max_completion_tokens",
    "stop",
    "n",
    "response_format",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "seed",
    "stream_options",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "user",
    "reasoning_effort",
    "modalities",
    "prediction",
    "store",
]);

/// Members that requests of several APIs have.
static SHARED_KEYS: NameSet = NameSet::of(&[
    "model",
    "max_tokens",
    "messages",
    "metadata",
    "stream",
    "temperature",
    "top_k",
    "top_p",
    "tool_choice",
    "thinking",
    "service_tier",
    "cache_control",
    "output_config",
]);

/// Above the score of Chat for a body of roles and texts.
const LIKELY: u8 = 55;
/// Below the score of Chat: the user's target decides.
const POSSIBLE: u8 = 45;

/// The score of a body with only roles and texts. Anthropic's API requires a limit, which its documentation (and `convert`)
/// puts before the messages; the documentation of Chat begins with the messages, and servers of Chat have models of any
/// name.
fn text_only_score(body: Val<'_>, messages: Val<'_>) -> u8 {
    if messages.count() == 0
        || !body.members().all(|member| SHARED_KEYS.has(member.name))
        || body.get(name::tool_choice).is_some_and(|choice| choice.is_string())
        || !messages.elements().all(is_text_only)
    {
        return 0;
    }
    let place = |key: &str| body.members().position(|member| member.key.raw == key.as_bytes());
    let (limit, list) = (place("max_tokens"), place("messages"));
    let model = body.get(name::model).and_then(|model| model.text());
    let named_first = place("model").is_none_or(|model| Some(model) < limit);
    let ordered = limit.is_some() && limit < list && named_first;
    let of_others = model.as_deref().is_none_or(|model| {
        let model = String::from_utf8_lossy(model);
        model.contains('/') || chat::is_chat_model(&model)
    });
    if ordered && (!of_others || is_compact(body)) { LIKELY } else { POSSIBLE }
}

/// True for a message with a role of Anthropic's and texts.
fn is_text_only(message: Val<'_>) -> bool {
    let role = message.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"));
    let is_text = |part: Val<'_>| part.get(name::r#type).is_some_and(|kind| kind.is("text"));
    let is_text_content = message.get(name::content).is_some_and(|content| {
        content.is_string()
            || content.is_array()
                && content.elements().any(is_text)
                && content.elements().filter(Val::is_object).all(is_text)
    });
    role && is_text_content && message.count() == 2
}

/// True if an object has no white space between its members, as `replaylint convert --to API FILE` writes it.
fn is_compact(object: Val<'_>) -> bool {
    let mut at = object.start() + 1;
    object.members().all(|member| {
        let key = member.key_start;
        let fits = key == at && member.val.start() == key + member.key.raw.len() as u32 + 3;
        at = member.val.end() + 1;
        fits
    })
}

fn is_claude(body: Val<'_>) -> bool {
    body.get(name::model).and_then(|model| model.text()).is_some_and(|model| model.starts_with(b"claude"))
}

/// The score of messages with a block that no other dialect has.
const BY_BLOCKS: u8 = 80;

/// The score of a list as messages: by blocks that no other dialect has.
fn list_score(list: Val<'_>) -> u8 {
    match list.elements().any(has_own_block) && !list.elements().any(is_foreign_message) {
        true => BY_BLOCKS,
        false => 0,
    }
}

fn has_own_block(message: Val<'_>) -> bool {
    let is_own = |block: Val<'_>| {
        let Some(kind) = block.get(name::r#type).and_then(|kind| kind.text()) else { return false };
        match kind.as_ref() {
            b"image" | b"document" => {
                block.get(name::source).is_some_and(|source| source.get(name::r#type).is_some())
            }
            // Mistral's thinking is a list of parts.
            kind => OWN_BLOCKS.contains(&kind) && !block.get(name::thinking).is_some_and(|own| own.is_array()),
        }
    };
    let content = message.get(name::content).filter(|_| message.get(name::role).is_some());
    content.into_iter().flat_map(|content| content.elements()).any(is_own)
}

/// True for a message of Chat, which is sent to Claude through Chat, and for one as another program stores it, with keys
/// that the API rejects.
fn is_foreign_message(message: Val<'_>) -> bool {
    static FOREIGN: NameSet = NameSet::of(&[
        "tool_calls",
        "tool_call_id",
        "ts",
        "state",
        "modelInfo",
        "metrics",
        "parts",
        "message",
        "timestamp",
    ]);
    let is_of_chat = |role: Val<'_>| role.is("tool") || role.is("developer");
    message.get(name::role).is_some_and(is_of_chat) || scoring::is_foreign_record_or_has(message, &FOREIGN)
}
