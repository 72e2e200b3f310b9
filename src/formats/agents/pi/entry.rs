//! An entry of a session, and what of it is sent.

use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{DialectChoice, mcp_output, parts};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::{Tape, Val, name, scan};
use crate::message::{Maker, Message, Part, PartKind, Raw, Reasoning, ResultPart, Text};
use crate::place::Place;

/// An entry. What it says is kept in the form that fits its own model: signatures and ids count only for that.
pub(super) struct Entry {
    pub id: Option<Box<str>>,
    pub parent: Option<Box<str>>,
    pub is_compaction: bool,
    pub first_kept: Option<Box<str>>,
    /// The model that answered, or was chosen.
    pub model: Option<Model>,
    pub message: Message,
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Model {
    pub api: Box<str>,
    pub provider: Box<str>,
    pub name: Box<str>,
}

impl Model {
    /// How a session with it is sent, and the target that judges it.
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
            "" => provider::dialect(&self.provider),
            _ => (DialectChoice::Chat, "chat-compatible"),
        }
    }
}

impl Entry {
    pub fn of(record: &Stored<'_>) -> Entry {
        let (val, base) = (record.val, record.base);
        let at = base.of(val);
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let mut entry = Entry {
            id: text(val, "id"),
            parent: text(val, "parentId"),
            is_compaction: kind.as_ref() == b"compaction",
            first_kept: text(val, "firstKeptEntryId"),
            model: None,
            message: parts::message(Role::User, Vec::new(), at, record.number),
        };
        match kind.as_ref() {
            b"message" => {
                if let Some(message) = val.get(name::message) {
                    entry.take(message, record);
                }
            }
            b"compaction" | b"branch_summary" => {
                entry.message.parts.extend(said(val.get(name::summary), base, at))
            }
            b"custom_message" => entry.message.parts = content(val.get(name::content), base),
            b"model_change" => entry.model = Some(model(val)),
            _ => {}
        }
        entry
    }

    fn take(&mut self, message: Val<'_>, record: &Stored<'_>) {
        let (base, at) = (record.base, record.base.of(message));
        let Message { role, parts, .. } = &mut self.message;
        match message.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
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
                let said = ["command", "output"].iter().filter_map(|key| Text::copied(message.get(key)?, base));
                let said: Vec<Text> = said.collect();
                parts.push(Part::text(Text::join(&said, "\\n").at(at), at.into()));
            }
            b"branchSummary" | b"compactionSummary" => parts.extend(said(message.get(name::summary), base, at)),
            _ => {}
        }
    }

    /// Adds what is sent of it to a model. Results in a row are one message.
    pub fn send(self, dialect: DialectChoice, to: &Model, messages: &mut Vec<Message>) {
        let keeps = self.model.as_ref() == Some(to);
        let Message { role, parts, at, record, .. } = self.message;
        let parts: Vec<Part> = parts.into_iter().filter_map(|part| fitted(part, dialect, keeps)).collect();
        if parts.is_empty() {
            return;
        }
        match messages.last_mut().filter(|last| role == Role::Tool && last.role == Role::Tool) {
            Some(last) => last.parts.extend(parts),
            None => messages.push(parts::message(role, parts, at.place, record)),
        }
    }
}

/// A part as it is sent. `keeps` says that it is to the model that made it.
fn fitted(mut part: Part, dialect: DialectChoice, keeps: bool) -> Option<Part> {
    let at = part.at;
    let fit = |id: &mut Text| {
        let own = std::mem::take(id);
        *id = match dialect {
            DialectChoice::Anthropic => parts::word_id(own, at.place),
            DialectChoice::Responses | DialectChoice::Chat => halves(&own).0.unwrap_or(own),
        };
    };
    match &mut part.kind {
        PartKind::Reasoning(thought) if keeps && dialect == DialectChoice::Responses => {
            if let Some(item) = thought.seal.as_ref().filter(|seal| spells_item(seal)) {
                return Some(Part::verbatim("responses", Raw::build(at.place, |w| w.spelled(item)), at.place));
            }
        }
        // To another model, what was thought is said.
        PartKind::Reasoning(thought) if !keeps => return Some(Part::text(thought.texts.pop()?, at)),
        PartKind::Call(call) => fit(&mut call.id),
        PartKind::Result(result) => fit(&mut result.id),
        _ => {}
    }
    part.id = part.id.filter(|_| keeps);
    Some(part)
}

fn model(val: Val<'_>) -> Model {
    let of = |key: &str| text(val, key).unwrap_or_default();
    let name = text(val, "model").or_else(|| text(val, "modelId")).unwrap_or_default();
    Model { api: of("api"), provider: of("provider"), name }
}

/// A text, unless it is blank: pi leaves that out.
fn said(text: Option<Val<'_>>, base: Base<'_>, at: Place) -> Option<Part> {
    let text = text.filter(|text| text.as_str().is_some_and(|text| !text.is_blank()))?;
    Some(Part::text(Text::copied(text, base)?, at.into()))
}

/// A text, or a list of blocks.
fn content(content: Option<Val<'_>>, base: Base<'_>) -> Vec<Part> {
    let Some(content) = content else { return Vec::new() };
    match content.is_string() {
        true => said(Some(content), base, base.of(content)).into_iter().collect(),
        false => content.elements().filter_map(|part| block(part, base)).collect(),
    }
}

fn block(part: Val<'_>, base: Base<'_>) -> Option<Part> {
    let at = base.of(part);
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => {
            let id = signed_id(part.get("textSignature"), base);
            Some(Part { id, ..said(part.get(name::text), base, at)? })
        }
        b"thinking" => {
            let text = Text::copied(part.get(name::thinking)?, base).filter(|text| !text.is_empty());
            let signature = parts::text(part.get("thinkingSignature"), base);
            let is_redacted = part.get("redacted").and_then(|own| own.as_bool()) == Some(true);
            let (seal, redacted) = if is_redacted { (None, signature) } else { (signature, None) };
            let texts = text.into_iter().collect();
            let thought = Reasoning { maker: Maker::Anthropic, texts, seal, redacted };
            Some(Part::new(PartKind::Reasoning(thought), at.into()))
        }
        b"toolCall" => {
            let id = parts::text(part.get(name::id), base)?;
            let name = Text::of_json(part.get(name::name)?, base);
            let input = parts::input(part.get(name::arguments).filter(Val::is_object), base, at);
            let item = halves(&id).1;
            Some(Part { id: item, ..parts::call(id, name, input, at) })
        }
        b"image" => {
            let mime = part.get(name::mimeType).and_then(|mime| Text::copied(mime, base));
            let mime = mime.unwrap_or_else(|| Text::named("image/png", at));
            let data = Text::copied(part.get(name::data)?, base)?;
            Some(Part::new(parts::media_of_data(mime, data, None).into(), at.into()))
        }
        _ => None,
    }
}

/// What a tool gave. An id that is empty is one, too: it answers nothing.
fn result(message: Val<'_>, record: &Stored<'_>) -> Option<Part> {
    let id = Text::copied(message.get(name::toolCallId)?, record.base)?;
    let failed = message.get("isError").and_then(|failed| failed.as_bool()) == Some(true);
    let given = message.get(name::content)?;
    let given = match Text::copied(given, record.base) {
        Some(text) => vec![ResultPart::Text(text)],
        None => mcp_output(given, record),
    };
    Some(parts::result(id, given, failed, record.base.of(message)))
}

/// The halves of an id `call|item`.
fn halves(id: &Text) -> (Option<Text>, Option<Text>) {
    let Some(bar) = memchr::memchr(b'|', &id.raw()) else { return (None, None) };
    let half = |from: usize, to: usize| Some(id.slice(from, to)).filter(|half| !half.is_empty());
    (half(0, bar), half(bar + 1, id.size()))
}

/// The id of a message of OpenAI's: the signature of a text, or a member of what it spells.
fn signed_id(signature: Option<Val<'_>>, base: Base<'_>) -> Option<Text> {
    let signature = signature?;
    let spelled = signature.text()?;
    if !spelled.starts_with(b"{") {
        return parts::text(Some(signature), base);
    }
    let mut tape = Tape::new();
    scan(&spelled, &mut tape).ok()?;
    let id = text(tape.root(&spelled)?, "id")?;
    Some(Text::respelled(&id, base.of(signature)))
}

/// Whether a signature spells a reasoning item.
fn spells_item(signature: &Text) -> bool {
    let spelled = signature.plain();
    let mut tape = Tape::new();
    let item = scan(&spelled, &mut tape).ok().and_then(|()| tape.root(&spelled));
    item.and_then(|item| item.get(name::r#type)).is_some_and(|kind| kind.is("reasoning"))
}
