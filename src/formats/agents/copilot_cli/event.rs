//! Events of a Copilot CLI session, translated into messages.

use crate::format::translate::ParsedRecord;
use crate::formats::member::text;
use crate::formats::threads::{media, parts};
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Message, Part, ResultPart, Text};
use crate::place::{Edit, Place};

/// The call that started the subagent whose event this is.
pub(super) fn parent_call(event: Val<'_>) -> Option<Box<str>> {
    let of_data = event.get(name::data).and_then(|data| text(data, "parentToolCallId"));
    of_data.or_else(|| text(event, "agentId"))
}

/// True if events of this type name the model that the session continues with.
pub(super) fn names_model(kind: &str) -> bool {
    matches!(kind, "session.start" | "session.resume" | "session.model_change" | "assistant.message")
}

/// The message of an event; `None` if it has none.
pub(super) fn message(kind: &str, data: Val<'_>, record: &ParsedRecord<'_>) -> Option<Message> {
    let base = record.base;
    let text_part = |key: &str| parts::text_part(data.get(key), base);
    let (role, parts) = match kind {
        "user.message" => {
            let text = text_part("transformedContent").or_else(|| text_part("content"));
            let files = data.get("attachments").into_iter().flat_map(|list| list.elements());
            let files = files.filter_map(|own| attachment(own, base));
            (Role::User, text.into_iter().chain(files).collect())
        }
        "system.message" => (Role::System, text_part("content").into_iter().collect()),
        "assistant.message" => {
            let thought = data
                .get(name::reasoningText)
                .and_then(|own| Some(parts::thinking(Some(parts::text(Some(own), base)?), None, base.of(own))));
            let calls = tool_requests(data).filter_map(|request| call(request, base));
            (Role::Assistant, thought.into_iter().chain(text_part("content")).chain(calls).collect())
        }
        _ => return None,
    };
    let message = parts::message(role, parts, base.of(record.val), record.number);
    (!message.parts.is_empty()).then_some(message)
}

/// An attached file; `None` if the event does not contain its data.
fn attachment(file: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let own = |key: &str| parts::text(file.get(key), base);
    let media = parts::media_of_data(own("mimeType")?, own("data")?, own("displayName"));
    Some(Part::new(media.into(), base.of(file).into()))
}

fn call(request: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(request);
    let name = request.get(name::name).map_or_else(|| Text::synthetic("", at), |name| Text::of_json(name, base));
    let input = request.get(name::arguments).filter(|own| !own.is_null());
    Some(parts::call(parts::text(request.get(name::toolCallId), base)?, name, parts::input(input, base, at), at))
}

/// The calls of an answer.
pub(super) fn tool_requests<'v>(data: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    data.get("toolRequests").into_iter().flat_map(|list| list.elements())
}

/// The id of a completed call, and the message with its result: a text and images.
pub(super) fn tool_result(data: Val<'_>, record: &ParsedRecord<'_>) -> Option<(Text, Message)> {
    let (base, at) = (record.base, record.base.of(record.val));
    let call = parts::text(data.get(name::toolCallId), base)?;
    let failed = data.get("success").and_then(|success| success.as_bool()) == Some(false);
    let content = data.at(&["result", "content"]).filter(|own| !own.is_null());
    let error = data.at(&["error", "message"]).filter(|own| own.is_string());
    let output = if failed { error.or(content) } else { content.or(error) };
    let blocks = data.at(&["result", "contents"]).into_iter().flat_map(|list| list.elements());
    let images = blocks.filter_map(|block| Some(ResultPart::media(media(block, record)?, base.of(block).into())));
    let output = output.map(|own| ResultPart::Text(Text::of_json(own, base)));
    let result = parts::result(call.clone(), output.into_iter().chain(images).collect(), failed, at);
    Some((call, parts::message(Role::Tool, vec![result], at, record.number)))
}

/// U+2028 and U+2029 in a line: legal in JSON, but Copilot splits the file at them.
pub(super) struct LineSeparators(Vec<(Place, &'static str)>);

impl LineSeparators {
    pub fn of(record: &ParsedRecord<'_>) -> LineSeparators {
        let (raw, start) = (record.val.raw(), record.val.start());
        let found = memchr::memchr_iter(0xe2, raw).filter_map(|at| {
            let escape = match raw.get(at..at + 3)? {
                b"\xe2\x80\xa8" => "\\u2028",
                b"\xe2\x80\xa9" => "\\u2029",
                _ => return None,
            };
            let from = start + at as u32;
            Some((record.base.place(from, from + 3), escape))
        });
        LineSeparators(found.collect())
    }

    pub fn first(&self) -> Option<&Place> {
        self.0.first().map(|(at, _)| at)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn edits(&self) -> Vec<Edit> {
        self.0.iter().map(|(at, escape)| Edit::replace(*at, *escape)).collect()
    }
}
