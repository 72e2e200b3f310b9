//! A message of opencode's, and what of it is sent.

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, parts};
use crate::history::{Role, Unsent};
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{self, Media, Part, ResultPart, Text};
use crate::place::Place;

/// What opencode says itself in the place of something.
const CLEARED: &str = "[Old tool result content cleared]";
const COMPACTION: &str = "What did we do so far?";
const SUBTASK: &str = "The following tool was executed by the user";

pub(in crate::formats) struct Message<'v> {
    pub id: Box<str>,
    pub info: Val<'v>,
    pub parts: Vec<StoredPart<'v>>,
    /// Where it lies, and the number of its record.
    at: Place,
    record: u32,
    is_user: bool,
}

/// A part of a message, where it lies, and its id, which may be kept beside it.
#[derive(Clone)]
pub(in crate::formats) struct StoredPart<'v> {
    pub val: Val<'v>,
    pub base: Base<'v>,
    pub id: Option<Box<str>>,
}

/// The model that a request is for, or that answered one.
#[derive(Default)]
pub(in crate::formats) struct Model {
    pub provider: Box<str>,
    pub name: Box<str>,
}

/// The model that the session goes on with.
pub(in crate::formats) fn last_model(messages: &[Message<'_>]) -> Model {
    let of = |is_user: bool| {
        let models = messages.iter().rev().filter(move |message| message.is_user == is_user);
        models.map(Message::model).find(|model| !model.provider.is_empty())
    };
    of(true).or_else(|| of(false)).unwrap_or_default()
}

impl<'v> Message<'v> {
    /// A message of an export.
    pub fn of(val: Val<'v>, base: Base<'v>, record: u32) -> Option<Message<'v>> {
        let (info, parts) = (val.get(name::info)?, val.get(name::parts)?);
        let id = text(info, "id").unwrap_or_default();
        let part = |val| StoredPart { val, base, id: text(val, "id") };
        Some(Message {
            parts: parts.elements().map(part).collect(),
            ..Message::new(id, info, base.of(val), record)?
        })
    }

    /// A message without its parts.
    pub fn new(id: Box<str>, info: Val<'v>, at: Place, record: u32) -> Option<Message<'v>> {
        let is_user = match info.get(name::role)?.text()?.as_ref() {
            b"user" => true,
            b"assistant" => false,
            _ => return None,
        };
        Some(Message { id, info, parts: Vec::new(), at, record, is_user })
    }

    /// Its parts, which are not sent.
    pub fn unsent(&self, why: &'static str) -> impl Iterator<Item = Unsent> {
        self.parts.iter().map(move |part| self.unsent_part(part, why))
    }

    pub fn unsent_part(&self, part: &StoredPart<'_>, why: &'static str) -> Unsent {
        Unsent::at(part.base.of(part.val), self.record, "a part of a message", why)
    }

    fn model(&self) -> Model {
        let of = |key: &str| {
            let model = self.info.get(name::model).and_then(|model| text(model, key));
            model.or_else(|| text(self.info, key)).unwrap_or_default()
        };
        Model { provider: of("providerID"), name: of("modelID") }
    }

    /// A summary that a compaction has finished.
    pub fn is_summary(&self) -> bool {
        let is_summary = self.info.get(name::summary).and_then(|summary| summary.as_bool()) == Some(true);
        !self.is_user && is_summary && text(self.info, "finish").is_some() && !self.has_error()
    }

    /// The part that asks for a compaction.
    pub fn compaction(&self) -> Option<Val<'v>> {
        self.parts.iter().map(|part| part.val).find(|part| self.is_user && is(*part, "compaction"))
    }

    fn has_error(&self) -> bool {
        self.info.get(name::error).is_some_and(|error| !error.is_null())
    }

    /// An answer with an error is not sent, but for one that was cut off and says something.
    fn is_sent(&self) -> bool {
        let cut_off = || self.info.at(&["error", "name"]).is_some_and(|name| name.is("MessageAbortedError"));
        let says = || self.parts.iter().any(|part| !part.is("step-start") && !part.is("reasoning"));
        !self.has_error() || cut_off() && says()
    }

    /// What is sent of it.
    pub fn sent(&self, dialect: DialectChoice, to: &Model) -> Vec<message::Message> {
        let from = self.model();
        let keeps = from.provider == to.provider && from.name == to.name;
        let reading = |part: &StoredPart<'v>| Reading { dialect, keeps, base: part.base };
        let message =
            |role, all: Vec<Part>| (!all.is_empty()).then(|| parts::message(role, all, self.at, self.record));
        if self.is_user {
            let said = self.parts.iter().filter_map(|part| reading(part).of_user(part.val)).collect();
            return message(Role::User, said).into_iter().collect();
        }
        let steps = self.parts.split(|part| part.is("step-start")).filter(|_| self.is_sent());
        let of_step = |step: &[StoredPart<'v>]| {
            let said = step.iter().filter_map(|part| reading(part).of_assistant(part.val));
            let results = step.iter().filter_map(|part| reading(part).result(part.val));
            [message(Role::Assistant, parts::all(said)), message(Role::Tool, results.collect())]
        };
        steps.flat_map(of_step).flatten().collect()
    }
}

impl StoredPart<'_> {
    fn is(&self, kind: &str) -> bool {
        is(self.val, kind)
    }
}

/// Reads what a part says.
struct Reading<'b> {
    dialect: DialectChoice,
    /// Ids, blobs and signatures go along: the model is the one that answered.
    keeps: bool,
    base: Base<'b>,
}

impl Reading<'_> {
    fn of_user(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let own = |text: &str| Some(Part::text(Text::named(text, at), at.into()));
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" if !is_true(part, "ignored") => self.text(part),
            b"file" => Some(Part::new(self.file(part)?.into(), at.into())),
            b"compaction" => own(COMPACTION),
            b"subtask" => own(SUBTASK),
            _ => None,
        }
    }

    fn of_assistant(&self, part: Val<'_>) -> Option<Part> {
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" => self.text(part),
            b"reasoning" => self.thought(part),
            b"tool" => self.call(part),
            _ => None,
        }
    }

    /// opencode leaves out texts that say nothing.
    fn text(&self, part: Val<'_>) -> Option<Part> {
        let text = parts::text(part.get(name::text), self.base)?;
        let id = self.openai(part, "itemId");
        Some(Part { id, ..Part::text(text, self.base.of(part).into()) })
    }

    /// What was stored with a part for OpenAI.
    fn openai(&self, part: Val<'_>, key: &str) -> Option<Text> {
        let metadata = part.get(name::metadata).filter(|_| self.keeps)?;
        let own = ["openai", "azure"].iter().find_map(|provider| metadata.at(&[*provider, key]));
        parts::text(own, self.base)
    }

    fn thought(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let anthropic = |key: &str| {
            let own = part.at(&["metadata", "anthropic", key]).filter(|_| self.keeps);
            own.and_then(|own| Text::copied(own, self.base))
        };
        let text = Text::copied(part.get(name::text)?, self.base)?;
        if let Some(data) = anthropic("redactedData") {
            return Some(parts::redacted(Some(data), at));
        }
        let (id, blob) = (self.openai(part, "itemId"), self.openai(part, "reasoningEncryptedContent"));
        Some(parts::thought(Some(text), anthropic("signature"), id, blob, at))
    }

    fn call(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let input = part.at(&["state", "input"]).filter(Val::is_object);
        let name = Text::of_json(part.get(name::tool)?, self.base);
        let call = parts::call(self.call_id(part)?, name, parts::input(input, self.base, at), at);
        Some(Part { id: self.openai(part, "itemId"), ..call })
    }

    fn call_id(&self, part: Val<'_>) -> Option<Text> {
        let id = parts::text(part.get(name::callID), self.base)?;
        // opencode does so before it sends to Claude.
        Some(if self.dialect == DialectChoice::Anthropic { parts::word_id(id, self.base.of(part)) } else { id })
    }

    /// What the tool gave. A call that is pending or running has nothing yet.
    fn result(&self, part: Val<'_>) -> Option<Part> {
        let state = part.get(name::state).filter(|_| is(part, "tool"))?;
        let (at, call) = (self.base.of(part), self.call_id(part)?);
        let copied = |val: Val<'_>| ResultPart::Text(Text::of_json(val, self.base));
        let mut failed = false;
        let given = match state.get(name::status)?.text()?.as_ref() {
            b"pending" | b"running" => return None,
            b"error" => {
                let cut_off = state.at(&["metadata", "interrupted"]).and_then(|cut| cut.as_bool()) == Some(true);
                let before = state.at(&["metadata", "output"]).filter(|_| cut_off);
                failed = before.is_none();
                before.or(state.get(name::error)).map(copied).into_iter().collect()
            }
            _ if state.at(&["time", "compacted"]).is_some_and(|time| !time.is_null()) => {
                vec![ResultPart::Text(Text::named(CLEARED, at))]
            }
            _ => {
                let files = state.get("attachments").into_iter().flat_map(|list| list.elements());
                let files =
                    files.filter_map(|own| Some(ResultPart::media(self.file(own)?, self.base.of(own).into())));
                state.get(name::output).map(copied).into_iter().chain(files).collect()
            }
        };
        Some(parts::result(call, given, failed, at))
    }

    /// Texts and folders were read when the user named them: they are in texts of their own.
    fn file(&self, part: Val<'_>) -> Option<Media> {
        let (url, mime) = (part.get(name::url)?, part.get("mime"));
        let is_read = mime.is_some_and(|mime| mime.is("text/plain") || mime.is("application/x-directory"));
        let is_sent = url.text().is_some_and(|url| url.starts_with(b"data:") || url.starts_with(b"http"));
        let copied = |val: Val<'_>| Text::copied(val, self.base);
        let name = part.get(name::filename).and_then(copied);
        let url = copied(url).filter(|_| is_sent && !is_read)?;
        Some(parts::media(url, mime.and_then(copied), name))
    }
}

pub(in crate::formats) fn is(part: Val<'_>, kind: &str) -> bool {
    part.get(name::r#type).is_some_and(|own| own.is(kind))
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
