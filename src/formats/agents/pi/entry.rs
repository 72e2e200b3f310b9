//! An entry of a session, and its translation into what is sent.

use crate::format::translate::ParsedRecord;
use crate::formats::member::{node_name, shared_name, text};
use crate::formats::provider;
use crate::formats::threads::{DialectChoice, mcp_output, parts};
use crate::history::Role;
use crate::history::tree::NodeName;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, name, scan};
use crate::message::{Message, Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart, Text};
use crate::place::Place;

/// An entry, with its message in the form for its own model. Signatures and ids are valid only for that.
pub(super) struct PiEntry {
    pub id: Option<NodeName>,
    pub parent: Option<NodeName>,
    pub is_compaction: bool,
    pub first_kept: Option<Box<str>>,
    /// The model that answered or was chosen; `None` for other entries.
    pub model: Option<PiModel>,
    pub message: Message,
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct PiModel {
    pub api: Box<str>,
    pub provider: Box<str>,
    pub name: Box<str>,
}

impl PiModel {
    /// The dialect in which a session with this model is sent, and its target.
    pub fn dialect(&self) -> (DialectChoice, &'static str) {
        match self.api.as_ref() {
            "anthropic-messages" if self.provider.as_ref() == "anthropic" => {
                (DialectChoice::Anthropic, "anthropic")
            }
            "openai-codex-responses" => (DialectChoice::Responses, "codex"),
            "openai-responses" if self.provider.as_ref() == "openai" => {
                (DialectChoice::Responses, "openai-stateless")
            }
            "azure-openai-responses" => (DialectChoice::Responses, "azure"),
            "" => provider::dialect_of(&self.provider),
            _ => (DialectChoice::Chat, "chat-compatible"),
        }
    }
}

impl PiEntry {
    /// `last` is the entry of the line before it.
    pub fn of(record: &ParsedRecord<'_>, last: Option<&PiEntry>) -> PiEntry {
        let (val, base) = (record.val, record.base);
        let at = base.of(val);
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let mut entry = PiEntry {
            id: node_name(val, "id"),
            parent: shared_name(val, "parentId", last.and_then(|last| last.id.as_ref())),
            is_compaction: kind.as_ref() == b"compaction",
            first_kept: text(val, "firstKeptEntryId"),
            model: None,
            message: parts::message(Role::User, Vec::new(), at, record.number),
        };
        match kind.as_ref() {
            b"message" => {
                if let Some(message) = val.get(name::message) {
                    entry.read_message(message, record);
                }
            }
            b"compaction" | b"branch_summary" => {
                entry.message.is_inserted = true;
                entry.message.parts.extend(text_part(val.get(name::summary), base, at))
            }
            b"custom_message" => {
                entry.message.is_inserted = true;
                entry.message.parts = content(val.get(name::content), base)
            }
            b"model_change" => entry.model = Some(model(val)),
            _ => {}
        }
        entry
    }

    fn read_message(&mut self, message: Val<'_>, record: &ParsedRecord<'_>) {
        let (base, at) = (record.base, record.base.of(message));
        let Message { role, parts, is_inserted, .. } = &mut self.message;
        let author = message.get(name::role).and_then(|role| role.text()).unwrap_or_default();
        *is_inserted = INSERTED.contains(&author.as_ref());
        match author.as_ref() {
            b"user" | b"custom" => *parts = content(message.get(name::content), base),
            b"assistant" => {
                *role = Role::Assistant;
                let stop = message.get(name::stopReason);
                let is_cut = stop.is_some_and(|reason| reason.is("error") || reason.is("aborted"));
                if !is_cut {
                    self.model = Some(model(message)).filter(|model| !model.provider.is_empty());
                    *parts = content(message.get(name::content), base);
                }
            }
            b"toolResult" => {
                *role = Role::Tool;
                parts.extend(result(message, record));
            }
            b"bashExecution" if message.get("excludeFromContext").and_then(|no| no.as_bool()) != Some(true) => {
                let texts = ["command", "output"].iter().filter_map(|key| Text::copied(message.get(key)?, base));
                let texts: Vec<Text> = texts.collect();
                parts.push(Part::text(Text::join(&texts, "\\n").reported_at(at), at.into()));
            }
            b"branchSummary" | b"compactionSummary" => {
                parts.extend(text_part(message.get(name::summary), base, at))
            }
            _ => {}
        }
    }

    /// Adds what is sent of the entry to a model. Consecutive results are one message.
    pub fn translate(self, dialect: DialectChoice, to: &PiModel, messages: &mut Vec<Message>) {
        let is_same_model = self.model.as_ref() == Some(to);
        let Message { role, parts, at, record, is_inserted, .. } = self.message;
        let parts: Vec<Part> =
            parts.into_iter().filter_map(|part| fit_part(part, dialect, is_same_model)).collect();
        if parts.is_empty() {
            return;
        }
        match messages.last_mut().filter(|last| role == Role::Tool && last.role == Role::Tool) {
            Some(last) => last.parts.extend(parts),
            None => messages.push(Message { is_inserted, ..parts::message(role, parts, at.place, record) }),
        }
    }
}

/// Roles of messages that are sent in the user's name, and were not written by the user: those of extensions, commands that
/// ran, and summaries.
const INSERTED: [&[u8]; 4] = [b"custom", b"bashExecution", b"branchSummary", b"compactionSummary"];

/// A part as it is sent; `None` if it is not. `is_same_model` says that the request is for the model that produced it.
fn fit_part(mut part: Part, dialect: DialectChoice, is_same_model: bool) -> Option<Part> {
    let at = part.at;
    let fit = |id: &mut Text| {
        let own = std::mem::take(id);
        *id = match dialect {
            DialectChoice::Anthropic => parts::word_id(own, at.place),
            DialectChoice::Responses | DialectChoice::Chat | DialectChoice::Gemini => {
                split_id(&own).0.unwrap_or(own)
            }
        };
    };
    match &mut part.kind {
        PartKind::Reasoning(thought) if is_same_model && dialect == DialectChoice::Responses => {
            if let Some(item) =
                thought.encrypted_content.as_ref().filter(|encrypted_content| is_reasoning_item(encrypted_content))
            {
                return Some(Part::verbatim(
                    "responses",
                    RawJson::build(at.place, |w| w.text_as_value(item)),
                    at.place,
                ));
            }
        }
        // Another model gets reasoning as a text.
        PartKind::Reasoning(thought) if !is_same_model => return Some(Part::text(thought.texts.pop()?, at)),
        PartKind::Call(call) => fit(&mut call.id),
        PartKind::Result(result) => fit(&mut result.id),
        _ => {}
    }
    if !is_same_model {
        (part.id, part.phase) = (None, None);
    }
    Some(part)
}

fn model(val: Val<'_>) -> PiModel {
    let of = |key: &str| text(val, key).unwrap_or_default();
    let name = text(val, "model").or_else(|| text(val, "modelId")).unwrap_or_default();
    PiModel { api: of("api"), provider: of("provider"), name }
}

/// A text; `None` if it is blank, which pi does not send.
fn text_part(text: Option<Val<'_>>, base: RecordBase<'_>, at: Place) -> Option<Part> {
    let text = text.filter(|text| text.as_str().is_some_and(|text| !text.is_blank()))?;
    Some(Part::text(Text::copied(text, base)?, at.into()))
}

/// The parts of a content, which is a text or a list of blocks.
fn content(content: Option<Val<'_>>, base: RecordBase<'_>) -> Vec<Part> {
    let Some(content) = content else { return Vec::new() };
    match content.is_string() {
        true => text_part(Some(content), base, base.of(content)).into_iter().collect(),
        false => content.elements().filter_map(|part| block(part, base)).collect(),
    }
}

fn block(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => {
            let (id, phase) = text_signature(part.get("textSignature"), base);
            Some(Part { id, phase, ..text_part(part.get(name::text), base, at)? })
        }
        b"thinking" => {
            let text = Text::copied(part.get(name::thinking)?, base).filter(|text| !text.is_empty());
            let signature = parts::text(part.get("thinkingSignature"), base);
            let is_redacted = part.get("redacted").and_then(|own| own.as_bool()) == Some(true);
            let (encrypted_content, redacted) = if is_redacted { (None, signature) } else { (signature, None) };
            let texts = text.into_iter().collect();
            let thought = Reasoning { provider: ReasoningProvider::Anthropic, texts, encrypted_content, redacted };
            Some(Part::new(PartKind::Reasoning(thought), at.into()))
        }
        b"toolCall" => {
            let id = parts::text(part.get(name::id), base)?;
            let name = Text::of_json(part.get(name::name)?, base);
            let input = parts::input(part.get(name::arguments).filter(Val::is_object), base, at);
            let item = split_id(&id).1;
            Some(Part { id: item, ..parts::call(id, name, input, at) })
        }
        b"image" => {
            let mime = part.get(name::mimeType).and_then(|mime| Text::copied(mime, base));
            let mime = mime.unwrap_or_else(|| Text::synthetic("image/png", at));
            let data = Text::copied(part.get(name::data)?, base)?;
            Some(Part::new(parts::media_of_data(mime, data, None).into(), at.into()))
        }
        _ => None,
    }
}

/// The result of a call. An empty id counts as one that matches no call.
fn result(message: Val<'_>, record: &ParsedRecord<'_>) -> Option<Part> {
    let id = Text::copied(message.get(name::toolCallId)?, record.base)?;
    let failed = message.get("isError").and_then(|failed| failed.as_bool()) == Some(true);
    let output = message.get(name::content)?;
    let output = match Text::copied(output, record.base) {
        Some(text) => vec![ResultPart::Text(text)],
        None => mcp_output(output, record),
    };
    Some(parts::result(id, output, failed, record.base.of(message)))
}

/// The halves of an id `call|item`; `None` for an empty half, or without a bar.
fn split_id(id: &Text) -> (Option<Text>, Option<Text>) {
    let Some(bar) = memchr::memchr(b'|', &id.raw()) else { return (None, None) };
    let half = |from: usize, to: usize| Some(id.slice(from, to)).filter(|half| !half.is_empty());
    (half(0, bar), half(bar + 1, id.size()))
}

/// The id and the phase of a message of OpenAI: the signature of a text is the id, or JSON with both.
fn text_signature(signature: Option<Val<'_>>, base: RecordBase<'_>) -> (Option<Text>, Option<Text>) {
    let Some(signature) = signature else { return (None, None) };
    let spelled = signature.text().unwrap_or_default();
    if !spelled.starts_with(b"{") {
        return (parts::text(Some(signature), base), None);
    }
    let mut tape = Tape::new();
    let Some(own) = scan(&spelled, &mut tape).ok().and_then(|()| tape.root(&spelled)) else { return (None, None) };
    let member = |key: &str| Some(Text::respelled(&text(own, key)?, base.of(signature)));
    (member("id"), member("phase"))
}

/// True if a signature is the JSON of a reasoning item.
fn is_reasoning_item(signature: &Text) -> bool {
    let spelled = signature.plain();
    let mut tape = Tape::new();
    let item = scan(&spelled, &mut tape).ok().and_then(|()| tape.root(&spelled));
    item.and_then(|item| item.get(name::r#type)).is_some_and(|kind| kind.is("reasoning"))
}
