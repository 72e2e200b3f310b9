//! The body of a request to Anthropic's `/v1/messages`, as a document or one a line; or the bare list of its messages.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Probe, Record, Sink, Slice, around, empty_list, read_array};
use crate::history::{Facts, Flags, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;
use crate::formats::openai::chat;

/// Whether nothing in a document speaks against this format.
pub(in crate::formats) fn may_be(probe: &Probe<'_>) -> bool {
    let list = if probe.val.is_array() { Some(probe.val) } else { probe.val.get(name::messages) };
    list.is_some_and(|list| may_be_body(probe.val, list))
}

/// How surely a body, or a bare list of messages, is a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get(name::messages) {
        read_array(&ANTHROPIC, messages, record, part, flags, sink);
    }
}

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>) -> Settings {
    if body.is_array() {
        return Settings { usage: Usage::Request, ..Settings::default() };
    }
    let model = body.get(name::model).and_then(|model| model.text());
    let tools = body.get(name::tools);
    let mut facts = Facts::default();
    // Of a large document the lists come apart: here they look empty.
    let whole = record.slice == Slice::Whole;
    let defined = |key: &str| body.get(key).is_some_and(|list| list.count() > 0 || !whole);
    // A session that a client stores has messages like a request, but not what a request must have.
    let is_request = ["model", "max_tokens", "anthropic_version"].iter().any(|key| body.get(key).is_some());
    facts.set_if(Facts::NO_TOOLS, is_request && !defined("tools") && !defined("mcp_servers"));
    let enabled = body.at(&["thinking", "type"]).is_some_and(|kind| kind.is("enabled"));
    facts.set_if(Facts::MANUAL_THINKING, enabled);
    let marked = |list: Option<Val<'_>>| {
        let marks = list.iter().flat_map(Val::elements).filter(|entry| entry.get(name::cache_control).is_some());
        marks.count() as u32
    };
    // Tools of MCP servers are not in the file.
    let is_toolset = |tool: Val<'_>| tool.get(name::r#type).is_some_and(|kind| kind.is("mcp_toolset"));
    let all_named = |list: &Val<'_>| list.count() > 0 && !list.elements().any(is_toolset);
    let named =
        tools.filter(Val::is_array).filter(all_named).filter(|_| whole && body.get(name::mcp_servers).is_none());
    Settings {
        tools: named.map(|list| record.base.of(list)),
        usage: if is_request { Usage::Request } else { Usage::Log },
        model: model.map(|model| String::from_utf8_lossy(&model).into()),
        facts,
        around: around(body, record),
        cache_marks: marked(tools) + marked(body.get(name::system)),
        request: whole.then(|| record.base.of(body)),
        empty: empty_list(body, "messages", record),
        ..Settings::default()
    }
}

/// Types of blocks that only Anthropic has.
const OWN: [&[u8]; 9] = [
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
static BESIDE: NameSet = NameSet::of(&["anthropic_version", "anthropic_beta", "stop_sequences", "mcp_servers"]);

/// How surely an object is the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(messages) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    let mut objects = messages.elements().filter(Val::is_object);
    if claim::is_log(body)
        || messages.count() > 0 && objects.next().is_none_or(|first| first.get(name::role).is_none())
        || is_of_chat(messages)
        || messages.elements().any(is_strange)
    {
        return 0;
    }
    // Bedrock has a `system`, too: a list of blocks without types.
    let typed =
        |system: Val<'_>| system.is_string() || system.elements().any(|part| part.get(name::r#type).is_some());
    let named = body.names().meets(&BESIDE)
        || body.get(name::system).is_some_and(typed)
        || body.get(name::tools).into_iter().flat_map(|tools| tools.elements()).any(is_own_tool);
    let by_blocks = list_score(messages);
    let limited = body.get(name::max_tokens).is_some() && !body.members().any(|member| CHATS.has(member.name));
    let by_model = u8::from(limited && is_claude(body)) * 60;
    by_blocks.max(by_model).max(if named { 85 } else { plain_score(body, messages) })
}

/// A tool as only Anthropic has them: with an `input_schema`, or one of the server's. Servers of Chat were sent tools with
/// a `name` beside their `function`.
fn is_own_tool(tool: Val<'_>) -> bool {
    let of_server = |kind: Val<'_>| kind.is_string() && !kind.is("function");
    tool.get(name::input_schema).is_some()
        || tool.get(name::name).is_some()
            && tool.get("function").is_none()
            && tool.get(name::r#type).is_some_and(of_server)
}

/// Whether a body, or a list, has nothing that Anthropic has not.
fn may_be_body(body: Val<'_>, list: Val<'_>) -> bool {
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
        && !claim::is_log(body)
        && !body.members().any(|member| CHATS.has(member.name) || FOREIGN.has(member.name))
        && tools().all(is_own_tool)
        && !choice.is_some_and(|choice| choice.is_string())
        && (is_empty || list.elements().any(|message| message.is_object()))
        && list.elements().filter(Val::is_object).all(fits)
        && !is_of_chat(list)
        && !list.elements().any(is_strange)
}

/// Members of bodies of others.
static FOREIGN: NameSet =
    NameSet::of(&["inferenceConfig", "toolConfig", "modelId", "options", "keep_alive", "input", "contents"]);

/// Members of a Chat request that Anthropic's has not.
static CHATS: NameSet = NameSet::of(&[
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

/// Members of a request that say nothing about whose it is.
static SHARED: NameSet = NameSet::of(&[
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

/// Above what Chat claims of a body with roles and texts.
const LIKELY: u8 = 55;
/// Below that: whose it is only the target tells.
const POSSIBLE: u8 = 45;

/// How surely a body that holds only roles and texts is Anthropic's. Its API wants a limit, and whoever follows its pages,
/// as `convert` does, writes that before the messages; Chat's pages begin with the messages, and servers of Chat have
/// models of any name.
fn plain_score(body: Val<'_>, messages: Val<'_>) -> u8 {
    if messages.count() == 0
        || !body.members().all(|member| SHARED.has(member.name))
        || body.get(name::tool_choice).is_some_and(|choice| choice.is_string())
        || !messages.elements().all(is_plain)
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
        model.contains('/') || chat::is_chats(&model)
    });
    if ordered && (!of_others || is_compact(body)) { LIKELY } else { POSSIBLE }
}

/// A message of a role that Anthropic knows, and texts.
fn is_plain(message: Val<'_>) -> bool {
    let role = message.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"));
    let is_text = |part: Val<'_>| part.get(name::r#type).is_some_and(|kind| kind.is("text"));
    let said = message.get(name::content).is_some_and(|content| {
        content.is_string()
            || content.is_array()
                && content.elements().any(is_text)
                && content.elements().filter(Val::is_object).all(is_text)
    });
    role && said && message.count() == 2
}

/// Whether an object is written without white space between its members, as `replaylint convert --to API FILE` writes it.
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

/// Keys of messages of Chat.
static OF_CHAT: NameSet = NameSet::of(&["tool_calls", "tool_call_id"]);

/// What a Chat message has, and Anthropic's has not: then it is one that is sent to Claude by way of Chat.
fn is_of_chat(messages: Val<'_>) -> bool {
    messages.elements().any(|message| {
        let first_of_chat = message.get(name::role).is_some_and(|role| role.is("tool") || role.is("developer"));
        first_of_chat || message.members().any(|member| OF_CHAT.has(member.name))
    })
}

/// How surely a list is one of messages: by blocks that no other dialect has.
fn list_score(list: Val<'_>) -> u8 {
    let is_own = |block: Val<'_>| {
        let kind = block.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        // Mistral's thinking is a list of parts.
        let mistral = block.get(name::thinking).is_some_and(|thoughts| thoughts.is_array());
        let source = block.get(name::source).is_some_and(|source| source.get(name::r#type).is_some());
        !mistral && OWN.contains(&kind.as_ref()) || source && matches!(kind.as_ref(), b"image" | b"document")
    };
    let has_own = |message: Val<'_>| {
        let content = message.get(name::content).filter(|_| message.get(name::role).is_some());
        content.into_iter().flat_map(|content| content.elements()).any(is_own)
    };
    if list.elements().any(has_own) && !is_of_chat(list) && !list.elements().any(is_strange) { 80 } else { 0 }
}

/// A message as another program stores it, with keys that the API refuses.
fn is_strange(message: Val<'_>) -> bool {
    static STORED: NameSet =
        NameSet::of(&["ts", "state", "modelInfo", "metrics", "parts", "message", "timestamp"]);
    claim::is_record_or(message, &STORED)
}
