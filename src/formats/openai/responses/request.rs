//! The body of a request to `/v1/responses`: `{"model": …, "input": […]}`, as a document or one a line.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    MIN_DISTINCTIVE_SCORE, RESPONSES_OPTIONS, Record, Sink, empty_list, read_array, read_options, request_body,
};
use crate::history::tree::{self, EntryMarks, TreeEntry};
use crate::history::{Flags, HistorySettings, Kind, ReasoningEffort, ResponseAnchor, Role, Row, Usage};
use crate::json::{NameSet, Val, name};

use super::items;
use crate::formats::member::node_name;
use crate::formats::scoring;
use crate::formats::scoring::Likelihood;

/// Keys of other requests and records with an `input`: embeddings, speech, Langfuse, alpaca, Gemini's interactions.
static FOREIGN_KEYS: NameSet = NameSet::of(&[
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

/// Parts of names of models that take an `input`, but no conversation.
const NON_CHAT_MODELS: [&str; 6] = ["embed", "moderation", "tts-", "-tts", "whisper", "rerank"];

/// True if an object is the body of a Responses request: by its `input` and one more member, or by items that only
/// Responses has; or by a stored prompt, which contains an input.
pub(super) fn is_body(val: Val<'_>) -> bool {
    let framed = val.get(name::r#type).is_none_or(|kind| kind.is("response.create"));
    if !framed || scoring::is_foreign_record_or_has(val, &FOREIGN_KEYS) {
        return false;
    }
    let model = val.get(name::model).and_then(|model| model.text());
    let named = val.named_members().any(|(name, val)| OWN_KEYS.has(name) && !val.is_null());
    let converses =
        || !model.as_deref().is_some_and(|model| NON_CHAT_MODELS.iter().any(|name| contains(model, name)));
    match val.get(name::input) {
        // Embeddings take lists of strings and of numbers.
        Some(input) if input.is_array() => {
            let mut objects = input.elements().filter(Val::is_object).peekable();
            match objects.peek().is_some() {
                true if named || model.is_some() => scoring::score_list(input, request_item_likelihood) > 0,
                true => items::list_score(input) >= MIN_DISTINCTIVE_SCORE,
                false => input.count() == 0 && (named || model.is_some() || has_stored_prompt(val)),
            }
        }
        Some(input) => input.is_string() && model.is_some() && converses(),
        None => has_stored_prompt(val),
    }
}

/// True if a body refers to a prompt that is stored on the server, which contains an input.
fn has_stored_prompt(body: Val<'_>) -> bool {
    body.at(&["prompt", "id"]).is_some_and(|id| id.is_string()) && body.get(name::messages).is_none()
}

/// The likelihood that an object is an item of a list in a request: there, an item of another API is a mistake, not
/// another format.
fn request_item_likelihood(item: Val<'_>) -> Likelihood {
    match items::item_likelihood(item) {
        Likelihood::Foreign if scoring::is_foreign_record(item) => Likelihood::Foreign,
        Likelihood::Score(score) => Likelihood::Score(score),
        _ if item.get(name::role).is_some_and(|role| role.is_string()) => Likelihood::Score(MIN_DISTINCTIVE_SCORE),
        _ => match item.get(name::r#type).and_then(|kind| kind.text()) {
            Some(kind) if Kind::of_type(&kind) != Kind::Unknown => Likelihood::Score(MIN_DISTINCTIVE_SCORE),
            _ => Likelihood::Unknown,
        },
    }
}

fn contains(text: &[u8], word: &str) -> bool {
    memchr::memmem::find(text, word.as_bytes()).is_some()
}

/// Reads the `input` of a body.
pub(super) fn read_input(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(input) = body.get(name::input) {
        read_input_value(input, record, part, flags, sink);
    }
}

/// Reads an input: a string, or a list of items.
pub(in crate::formats) fn read_input_value(
    input: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    if input.is_string() {
        // A string as input is a user message.
        let mut row = Row::of_place(record.base.of(input), record.number);
        (row.kind, row.item_kind, row.role, row.part) = (Kind::Message, Kind::Message, Role::User, part);
        row.flags = flags | Flags::SYNTHETIC;
        sink.item(crate::dialect::Item { row, val: input, id: None, key: None });
    } else {
        read_array(&RESPONSES, input, record, part, flags, sink);
    }
}

/// The response with this id.
pub(super) fn anchor(id: Val<'_>, record: &Record<'_>) -> Option<ResponseAnchor> {
    let text = id.text().filter(|text| !text.is_empty())?;
    Some(ResponseAnchor::of(record.base.of(id), &text))
}

/// True if a list of tools defines a namespace. Only then does it contain more than the calls do.
fn has_namespaces(tools: Val<'_>) -> bool {
    tools.elements().any(|tool| tool.get(name::r#type).is_some_and(|kind| kind.is("namespace")))
}

/// The node of a request in a tree, which has no name until its response is found.
pub(super) fn entry(body: Val<'_>, record: &Record<'_>) -> TreeEntry {
    let mut entry = TreeEntry::new("", record.base.of(body), record.number, tree::EntryRole::Input);
    entry.parent = node_name(body, "previous_response_id");
    entry.model = node_name(body, "model");
    entry.store = body.get(name::store).and_then(|store| store.as_bool());
    entry.body = Some((record.base.of(body), false));
    entry.marks = EntryMarks::CHAINED;
    if body.get(name::conversation).is_some_and(|conversation| !conversation.is_null()) {
        entry.marks.set(EntryMarks::CONVERSATION);
    }
    entry
}

/// The settings of a request, from its body.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> HistorySettings {
    let stored_prompt = body.get(name::prompt).is_some_and(|prompt| !prompt.is_null());
    let empty = empty_list(body, "input", record).filter(|_| !stored_prompt);
    let mut settings = HistorySettings {
        usage,
        empty,
        body: request_body(body, record),
        options: read_options(body, record, &RESPONSES_OPTIONS),
        ..HistorySettings::default()
    };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"store" => settings.store = val.as_bool(),
            b"model" => settings.model = val.text().map(|m| String::from_utf8_lossy(&m).into()),
            b"previous_response_id" => settings.previous = anchor(val, record),
            b"tools" if has_namespaces(val) => settings.tools = Some(record.base.of(val)),
            b"conversation" if !val.is_null() => settings.conversation = Some(record.base.of(val)),
            b"reasoning" => {
                settings.effort = val.get(name::effort).and_then(|e| e.text()).map(|e| ReasoningEffort::of(&e));
            }
            _ => {}
        }
    }
    settings
}
