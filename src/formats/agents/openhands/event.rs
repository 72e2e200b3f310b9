//! One event, translated into a message.

use std::borrow::Cow;

use crate::format::translate::ParsedRecord;
use crate::formats::member::text;
use crate::formats::threads::parts;
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, Message, Part, PartKind, Reasoning, ReasoningProvider, ResultPart, Text};
use crate::place::Place;

pub(super) struct OpenhandsEvent {
    pub id: Box<str>,
    pub message: Message,
    /// Id of the model's response that it is part of.
    pub response: Option<Box<str>>,
}

/// A text or a number, as a text.
pub(super) fn as_text(val: Val<'_>) -> Option<Box<str>> {
    let raw = || Cow::Borrowed(val.raw());
    Some(String::from_utf8_lossy(&val.text().unwrap_or_else(raw)).into())
}

impl OpenhandsEvent {
    pub fn of(event: Val<'_>, record: &ParsedRecord<'_>) -> Option<OpenhandsEvent> {
        let reader = OpenhandsEventReader { event, base: record.base, at: record.base.of(event) };
        let (role, parts, response) = match text(event, "kind") {
            Some(kind) => reader.read_sdk_event(&kind)?,
            None => reader.read_trajectory_event()?,
        };
        let id = event.get(name::id).and_then(as_text).unwrap_or_default();
        let mut message = parts::message(role, parts, reader.at, record.number);
        message.is_inserted = text(event, "kind").is_some_and(|kind| SUMMARIES.contains(&&*kind));
        (!message.parts.is_empty()).then_some(OpenhandsEvent { id, message, response })
    }
}

/// Events with a summary of others.
const SUMMARIES: [&str; 2] = ["Condensation", "CondensationSummaryEvent"];

/// Role and parts of an event's message, and the id of its response.
type EventMessage = (Role, Vec<Part>, Option<Box<str>>);

struct OpenhandsEventReader<'v> {
    event: Val<'v>,
    base: RecordBase<'v>,
    at: Place,
}

impl OpenhandsEventReader<'_> {
    fn read_sdk_event(&self, kind: &str) -> Option<EventMessage> {
        let event = self.event;
        Some(match kind {
            "SystemPromptEvent" => (Role::System, self.content(event.get(name::system_prompt)), None),
            "MessageEvent" => {
                let message = event.get("llm_message")?;
                let is_user = message.get(name::role).is_some_and(|role| role.is("user"));
                let role = if is_user { Role::User } else { Role::Assistant };
                let response = text(event, "llm_response_id").filter(|_| !is_user);
                let mut parts = self.content(message.get(name::content));
                parts.extend(self.content(event.get("extended_content")));
                (role, parts, response)
            }
            "ActionEvent" => (Role::Assistant, self.action(), text(event, "llm_response_id")),
            "ObservationEvent" => {
                let content = event.at(&["observation", "content"]).or_else(|| event.get("observation"));
                let contents = [content, event.get("extended_content")];
                (Role::Tool, self.result(event.get(name::tool_call_id), contents, false), None)
            }
            "AgentErrorEvent" => (
                Role::Tool,
                self.result(event.get(name::tool_call_id), [event.get(name::error), None], true),
                None,
            ),
            "UserRejectObservation" => {
                let reason = event.get("rejection_reason");
                (Role::Tool, self.result(event.get(name::tool_call_id), [reason, None], true), None)
            }
            kind if SUMMARIES.contains(&kind) => (Role::User, self.content(event.get(name::summary)), None),
            _ => return None,
        })
    }

    /// The parts of a content: a text, an object with a text or images, or a list of those.
    fn content(&self, content: Option<Val<'_>>) -> Vec<Part> {
        let alone = content.filter(|own| !own.is_array());
        let all = alone.into_iter().chain(content.into_iter().flat_map(|list| list.elements()));
        let parts = |own: Val<'_>| {
            let (at, text) = (self.base.of(own), if own.is_string() { Some(own) } else { own.get(name::text) });
            let text = parts::text(text, self.base).map(|text| Part::text(text, at.into()));
            let images = self.images(own).into_iter().map(|image| Part::new(image.into(), at.into()));
            text.into_iter().chain(images).collect::<Vec<_>>()
        };
        all.flat_map(parts).collect()
    }

    /// The images of a block, by their URLs.
    fn images(&self, block: Val<'_>) -> Vec<Media> {
        let urls = block.get("image_urls").into_iter().flat_map(|urls| urls.elements());
        let urls = urls.filter_map(|url| Text::copied(url, self.base));
        urls.map(parts::image).collect()
    }

    fn action(&self) -> Vec<Part> {
        let event = self.event;
        let reasoning = event.get("responses_reasoning_item").and_then(|item| self.reasoning(item));
        let blocks = event.get("thinking_blocks").into_iter().flat_map(|blocks| blocks.elements());
        let thoughts = reasoning.into_iter().chain(blocks.map(|block| self.thinking(block)));
        let call = event.get(name::tool_call).and_then(|call| self.call(call));
        thoughts.chain(self.content(event.get(name::thought))).chain(call).collect()
    }

    fn reasoning(&self, item: Val<'_>) -> Option<Part> {
        let own = |key: &str| parts::text(item.get(key), self.base);
        let summary = item.get(name::summary).into_iter().flat_map(|list| list.elements());
        let texts: Vec<Text> = summary.filter_map(|text| Text::copied(text, self.base)).collect();
        let text = Text::join(&texts, "\\n");
        Some(parts::sealed_reasoning(
            Some(text),
            None,
            Some(own("id")?),
            own("encrypted_content"),
            self.base.of(item),
        ))
    }

    fn thinking(&self, block: Val<'_>) -> Part {
        let own = |key: &str| parts::text(block.get(key), self.base);
        let texts = own("thinking").into_iter().collect();
        let thought = Reasoning {
            provider: ReasoningProvider::Anthropic,
            texts,
            encrypted_content: own("signature"),
            redacted: own("data"),
        };
        Part::new(PartKind::Reasoning(thought), self.base.of(block).into())
    }

    fn call(&self, call: Val<'_>) -> Option<Part> {
        let at = self.base.of(call);
        let function = call.get(name::function);
        let of = |key: &str| call.get(key).or_else(|| function?.get(key)).filter(|own| !own.is_null());
        let (id, name) = (parts::text(call.get(name::id), self.base)?, Text::of_json(of("name")?, self.base));
        Some(parts::call(id, name, parts::input(of("arguments"), self.base, at), at))
    }

    /// The result of a tool: the texts of its contents joined, and images; any other value as JSON.
    fn result(&self, id: Option<Val<'_>>, contents: [Option<Val<'_>>; 2], failed: bool) -> Vec<Part> {
        let Some(call) = parts::text(id, self.base) else { return Vec::new() };
        let lists = || contents.into_iter().flatten().filter(Val::is_array);
        let blocks = || lists().flat_map(|list| list.elements());
        let texts = blocks().filter_map(|block| Text::copied(block.get(name::text)?, self.base));
        let texts: Vec<Text> = texts.collect();
        let images = |block: Val<'_>| {
            let at = self.base.of(block).into();
            self.images(block).into_iter().map(move |image| ResultPart::media(image, at))
        };
        let mut output: Vec<ResultPart> = blocks().flat_map(images).collect();
        if !texts.is_empty() {
            output.insert(0, ResultPart::Text(Text::join(&texts, "\\n").reported_at(self.at)));
        } else if output.is_empty() {
            output.extend(
                contents.into_iter().flatten().next().map(|own| ResultPart::Text(Text::of_json(own, self.base))),
            );
        }
        vec![parts::result(call, output, failed, self.at)]
    }

    /// Reads an event of version 0, whose actions contain the whole response of the model.
    fn read_trajectory_event(&self) -> Option<EventMessage> {
        let event = self.event;
        let metadata = event.get("tool_call_metadata").filter(|own| own.is_object());
        let is_user = event.get(name::source).is_some_and(|source| source.is("user"));
        if event.get("observation").is_some() {
            let id = metadata.and_then(|own| own.get(name::tool_call_id));
            return Some((Role::Tool, self.result(id, [event.get(name::content), None], false), None));
        }
        let content = event.at(&["args", "content"]).or_else(|| event.at(&["args", "thought"]));
        if event.get(name::action).is_some_and(|action| action.is("system")) {
            return Some((Role::System, self.content(content), None));
        }
        let message = metadata.and_then(|own| own.get("model_response"));
        let response = message.and_then(|own| text(own, "id"));
        let message = message.and_then(|own| own.get(name::choices)?.elements().next()?.get(name::message));
        let Some(message) = message else {
            let role = if is_user { Role::User } else { Role::Assistant };
            let is_message = event.get(name::action).is_some_and(|action| action.is("message"));
            return is_message.then(|| (role, self.content(content), None));
        };
        let own = metadata.and_then(|own| own.get(name::tool_call_id)).and_then(as_text);
        let mut parts = self.content(message.get(name::content));
        let calls = message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        let calls = calls.filter(|call| call.get(name::id).and_then(as_text) == own);
        parts.extend(calls.filter_map(|call| self.call(call)));
        Some((Role::Assistant, parts, response))
    }
}
