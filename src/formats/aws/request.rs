//! The body of a request to Bedrock's `Converse`, as a document or one a line; or the bare list of its messages. The
//! model is in the URL; tools that call it by a file keep it as `modelId` beside the messages.

use crate::dialects::bedrock::BEDROCK;
use crate::format::{Probe, Record, Sink, Slice, around, empty_list, read_array};
use crate::history::{Facts, Flags, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;

/// Whether nothing in a document speaks against this format.
pub(in crate::formats) fn may_be(probe: &Probe<'_>) -> bool {
    let Some(messages) = probe.val.get(name::messages).filter(Val::is_array) else { return false };
    let is_list = |message: Val<'_>| message.get(name::content).is_none_or(|content| content.is_array());
    let mut objects = messages.elements().filter(Val::is_object);
    let fits = |message: Val<'_>| is_list(message) && is_open(message) && !claim::is_record(message);
    (messages.count() == 0 || messages.elements().any(|message| message.is_object()))
        && !claim::is_log(probe.val)
        && !probe.val.names().meets(&OTHERS)
        && objects.all(fits)
}

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    if body.is_array() {
        return Settings { usage, ..Settings::default() };
    }
    let model = body.get(name::modelId).or_else(|| body.get(name::model)).and_then(|model| model.text());
    // Of a large document the lists come apart: here they look empty.
    let whole = record.slice == Slice::Whole;
    let mut facts = Facts::default();
    facts.set_if(Facts::NO_TOOLS, body.get(name::toolConfig).is_none_or(|config| config.is_null()));
    Settings {
        usage,
        model: model.map(|model| String::from_utf8_lossy(&model).into()),
        facts,
        around: around(body, record),
        request: whole.then(|| record.base.of(body)),
        empty: empty_list(body, "messages", record),
        ..Settings::default()
    }
}

/// Reads the `messages` of a body.
pub(super) fn read_messages(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(messages) = body.get(name::messages) {
        read_array(&BEDROCK, messages, record, part, flags, sink);
    }
}

/// Members of a body that only Converse has.
static BESIDE: NameSet =
    NameSet::of(&["inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields", "modelId"]);

/// Members of bodies of others.
static OTHERS: NameSet =
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

/// How surely a body, or a bare list of messages, is a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
}

/// How surely an object is the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    let Some(messages) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    if claim::is_log(body) {
        return 0;
    }
    let beside = body.names().meets(&BESIDE);
    match list_score(messages) {
        0 if beside && messages.elements().filter(Val::is_object).all(is_open) => 86,
        0 => 0,
        _ if beside => 90,
        score => score,
    }
}

/// A message that has nothing of another dialect.
fn is_open(message: Val<'_>) -> bool {
    let typed = |block: Val<'_>| block.get(name::r#type).is_some();
    let content = message.get(name::content);
    message.get(name::role).is_some() && !content.into_iter().flat_map(|content| content.elements()).any(typed)
}

/// How surely a list is one of messages, by its first: lists of blocks that their only member names.
fn list_score(list: Val<'_>) -> u8 {
    let block = |block: Val<'_>| block.get(name::r#type).is_none() && block.names().meets(&BLOCKS);
    let own = |message: Val<'_>| {
        let content = message.get(name::content).filter(Val::is_array);
        message.get(name::role).is_some()
            && content.is_some_and(|content| content.elements().filter(Val::is_object).all(block))
    };
    let some = |message: Val<'_>| message.get(name::content).is_some_and(|content| content.elements().any(block));
    let objects = || list.elements().filter(Val::is_object).take(20);
    let strange = |message: Val<'_>| claim::is_record(message) || message.get(name::message).is_some();
    if objects().all(own) && objects().any(some) && !list.elements().any(strange) { 82 } else { 0 }
}
