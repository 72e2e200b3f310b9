//! The body of a request to `/v1/responses`: `{"model": …, "input": […]}`, as a document or one a line.

use crate::dialects::responses::RESPONSES;
use crate::format::{Record, Sink, TELLING, around, empty_list, read_array};
use crate::history::tree::{self, Entry, Marks};
use crate::history::{Anchor, Effort, Flags, Kind, Role, Row, Settings, Usage};
use crate::json::{NameSet, Val, name};

use super::items;
use crate::formats::claim;
use crate::formats::claim::Fit;
use crate::formats::member::named;

/// Keys of other requests and records that have an `input` too: embeddings, speech, Langfuse, alpaca, Gemini's
/// interactions.
static OTHERS: NameSet = NameSet::of(&[
    "encoding_format",
    "traceId",
    "instruction",
    "response_modalities",
    "dimensions",
    "voice",
    "inference_geo",
    "observation_id",
]);

/// Members that only the body of a Responses request has.
static OWN_KEYS: NameSet = NameSet::of(&[
    "previous_response_id",
    "max_output_tokens",
    "parallel_tool_calls",
    "instructions",
    "include",
    "store",
    "reasoning",
    "truncation",
    "text",
    "tools",
    "tool_choice",
    "conversation",
    "background",
]);

/// Names of models that take an `input` and hold no conversation.
const NO_CHAT: [&str; 6] = ["embed", "moderation", "tts-", "-tts", "whisper", "rerank"];

/// Whether an object is the body of a Responses request: by its `input` and one more member, or by items in it that
/// nobody else has; or by a stored prompt, which brings an input of its own.
pub(super) fn is_body(val: Val<'_>) -> bool {
    let framed = val.get(name::r#type).is_none_or(|kind| kind.is("response.create"));
    if !framed || claim::is_record_or(val, &OTHERS) {
        return false;
    }
    let model = val.get(name::model).and_then(|model| model.text());
    let named = val.named().any(|(name, val)| OWN_KEYS.has(name) && !val.is_null());
    let converses = || !model.as_deref().is_some_and(|model| NO_CHAT.iter().any(|name| holds(model, name)));
    match val.get(name::input) {
        // Embeddings take lists of strings and of numbers.
        Some(input) if input.is_array() => {
            let mut objects = input.elements().filter(Val::is_object).peekable();
            match objects.peek().is_some() {
                true if named || model.is_some() => claim::most(input, in_request) > 0,
                true => items::list_score(input) >= TELLING,
                false => input.count() == 0 && (named || model.is_some() || has_stored_prompt(val)),
            }
        }
        Some(input) => input.is_string() && model.is_some() && converses(),
        None => has_stored_prompt(val),
    }
}

/// A prompt that is stored on the server brings an input of its own.
fn has_stored_prompt(body: Val<'_>) -> bool {
    body.at(&["prompt", "id"]).is_some_and(|id| id.is_string()) && body.get(name::messages).is_none()
}

/// How surely an object is an item of a list that a request's own keys stand around: there, an item of another API is a
/// mistake, not another format.
fn in_request(item: Val<'_>) -> Fit {
    match items::item_fit(item) {
        Fit::Strange if claim::is_record(item) => Fit::Strange,
        Fit::Likely(score) => Fit::Likely(score),
        _ if item.get(name::role).is_some_and(|role| role.is_string()) => Fit::Likely(TELLING),
        _ => match item.get(name::r#type).and_then(|kind| kind.text()) {
            Some(kind) if Kind::of_type(&kind) != Kind::Unknown => Fit::Likely(TELLING),
            _ => Fit::Unknown,
        },
    }
}

fn holds(text: &[u8], word: &str) -> bool {
    memchr::memmem::find(text, word.as_bytes()).is_some()
}

/// Reads the `input` of a body.
pub(super) fn read_input(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(input) = body.get(name::input) {
        read_given(input, record, part, flags, sink);
    }
}

/// Reads an input: a text, or a list of items.
pub(in crate::formats) fn read_given(
    input: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    if input.is_string() {
        // A text for input is a message of the user.
        let mut row = Row::of_place(record.base.of(input), record.number);
        (row.kind, row.of, row.role, row.part) = (Kind::Message, Kind::Message, Role::User, part);
        row.flags = flags | Flags::SYNTHETIC;
        sink.item(crate::dialect::Item { row, val: input, id: None, key: None });
    } else {
        read_array(&RESPONSES, input, record, part, flags, sink);
    }
}

/// The response that an id names.
pub(super) fn anchor(id: Val<'_>, record: &Record<'_>) -> Option<Anchor> {
    let text = id.text().filter(|text| !text.is_empty())?;
    Some(Anchor::of(record.base.of(id), &text))
}

/// Whether a list of tools defines a namespace: only then it tells more than the calls do.
fn has_namespaces(tools: Val<'_>) -> bool {
    tools.elements().any(|tool| tool.get(name::r#type).is_some_and(|kind| kind.is("namespace")))
}

/// What a request is in a tree: nothing names it until its response is found.
pub(super) fn entry(body: Val<'_>, record: &Record<'_>) -> Entry {
    let mut entry = Entry::new("", record.base.of(body), record.number, tree::Part::Input);
    entry.parent = named(body, "previous_response_id");
    entry.model = named(body, "model");
    entry.store = body.get(name::store).and_then(|store| store.as_bool());
    entry.body = Some((record.base.of(body), false));
    entry.marks = Marks::CHAINED;
    entry
}

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    let stored_prompt = body.get(name::prompt).is_some_and(|prompt| !prompt.is_null());
    let empty = empty_list(body, "input", record).filter(|_| !stored_prompt);
    let mut settings = Settings { usage, empty, around: around(body, record), ..Settings::default() };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"store" => settings.store = val.as_bool(),
            b"model" => settings.model = val.text().map(|m| String::from_utf8_lossy(&m).into()),
            b"previous_response_id" => settings.previous = anchor(val, record),
            b"tools" if has_namespaces(val) => settings.tools = Some(record.base.of(val)),
            b"conversation" if !val.is_null() => settings.conversation = Some(record.base.of(val)),
            b"reasoning" => {
                settings.effort = val.get(name::effort).and_then(|e| e.text()).map(|e| Effort::of(&e));
            }
            _ => {}
        }
    }
    settings
}
