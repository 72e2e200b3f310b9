//! The body of a request to Bedrock's `Converse`, as a document or one a line; or the bare list of its messages. The
//! model is in the URL; command-line tools that read the body from a file expect it as `modelId` next to the messages.

use crate::dialects::bedrock::{BEDROCK, is_tool_name};
use crate::format::{BEDROCK_OPTIONS, Probe, Record, Sink, empty_list, read_array, read_options, request_body};
use crate::history::{Flags, HistorySettings, RequestFlags, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::scoring;

/// True if nothing in a document contradicts this format.
pub(in crate::formats) fn is_plausible(probe: &Probe<'_>) -> bool {
    let Some(messages) = probe.get(name::messages).filter(Val::is_array) else { return false };
    let is_list = |message: Val<'_>| message.get(name::content).is_none_or(|content| content.is_array());
    let mut objects = messages.elements().filter(Val::is_object);
    let fits =
        |message: Val<'_>| is_list(message) && is_untyped_message(message) && !scoring::is_foreign_record(message);
    (messages.count() == 0 || messages.elements().any(|message| message.is_object()))
        && !scoring::is_foreign_log(probe.val)
        && !probe.val.names().intersects(&FOREIGN_KEYS)
        && objects.all(fits)
}

/// The settings of a request, from its body.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> HistorySettings {
    if body.is_array() {
        return HistorySettings { usage, ..HistorySettings::default() };
    }
    let model = body.get(name::modelId).or_else(|| body.get(name::model)).and_then(|model| model.text());
    let mut facts = RequestFlags::default();
    facts.set_if(RequestFlags::NO_TOOLS, body.get(name::toolConfig).is_none_or(|config| config.is_null()));
    let tools = body.at(&["toolConfig", "tools"]).into_iter().flat_map(|tools| tools.elements());
    let names = tools.filter_map(|tool| tool.at(&["toolSpec", "name"]).and_then(|name| name.text()));
    facts.set_if(RequestFlags::BAD_TOOL_NAMES, names.into_iter().any(|name| !is_tool_name(&name)));
    HistorySettings {
        usage,
        model: model.map(|model| String::from_utf8_lossy(&model).into()),
        facts,
        options: read_options(body, record, &BEDROCK_OPTIONS),
        body: request_body(body, record),
        request: Some(record.base.of(body)),
        empty: empty_list(body, "messages", record),
        ..HistorySettings::default()
    }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get(name::messages) {
        read_array(&BEDROCK, messages, record, part, flags, sink);
    }
}

/// Members of a body that only Converse has.
static OWN_KEYS: NameSet =
    NameSet::of(&["inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields", "modelId"]);

/// Members of bodies of other APIs.
static FOREIGN_KEYS: NameSet =
    NameSet::of(&["max_tokens", "anthropic_version", "tools", "options", "keep_alive", "input", "contents"]);

/// Names of the blocks of Converse.
static BLOCKS: NameSet = NameSet::of(&[
    "text",
    "toolUse",
    "toolResult",
    "image",
    "document",
    "video",
    "audio",
    "reasoningContent",
    "cachePoint",
    "guardContent",
    "citationsContent",
]);

/// The score of a body, or a bare list of messages, as a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
}

/// The score of an object as the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(messages) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    if scoring::is_foreign_log(body) {
        return 0;
    }
    let has_own_keys = body.names().intersects(&OWN_KEYS);
    match list_score(messages) {
        0 if has_own_keys && messages.elements().filter(Val::is_object).all(is_untyped_message) => 86,
        0 => 0,
        _ if has_own_keys => 90,
        score => score,
    }
}

/// True for a message whose blocks have no `type`, as in no other dialect.
fn is_untyped_message(message: Val<'_>) -> bool {
    let typed = |block: Val<'_>| block.get(name::r#type).is_some();
    let content = message.get(name::content);
    message.get(name::role).is_some() && !content.into_iter().flat_map(|content| content.elements()).any(typed)
}

/// The score of a list as messages, by the first of them: their blocks are named by their only member.
fn list_score(list: Val<'_>) -> u8 {
    let block = |block: Val<'_>| block.get(name::r#type).is_none() && block.names().intersects(&BLOCKS);
    let own = |message: Val<'_>| {
        let content = message.get(name::content).filter(Val::is_array);
        message.get(name::role).is_some()
            && content.is_some_and(|content| content.elements().filter(Val::is_object).all(block))
    };
    let some = |message: Val<'_>| message.get(name::content).is_some_and(|content| content.elements().any(block));
    let objects = || list.elements().filter(Val::is_object).take(20);
    let strange = |message: Val<'_>| scoring::is_foreign_record(message) || message.get(name::message).is_some();
    if objects().all(own) && objects().any(some) && !list.elements().any(strange) { 82 } else { 0 }
}
