//! A message of opencode, and its translation into what is sent.

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, parts};
use crate::history::{Role, UnsentItem};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{self, Media, Part, ResultPart, Text};
use crate::place::Place;

/// Texts that opencode sends instead of results, compactions and subtasks.
const CLEARED: &str = "[Old tool result content cleared]";
const COMPACTION: &str = "What did we do so far?";
const SUBTASK: &str = "The following tool was executed by the user";

pub(in crate::formats) struct OpencodeMessage<'v> {
    pub id: Box<str>,
    pub info: Val<'v>,
    pub parts: Vec<StoredPart<'v>>,
    /// Its place, and the number of its record.
    at: Place,
    record: u32,
    is_user: bool,
}

/// A part of a message, and its id, which may be stored outside of the part.
#[derive(Clone)]
pub(in crate::formats) struct StoredPart<'v> {
    pub val: Val<'v>,
    pub base: RecordBase<'v>,
    pub id: Option<Box<str>>,
}

/// The model that a request is for, or that answered one.
#[derive(Default)]
pub(in crate::formats) struct OpencodeModel {
    pub provider: Box<str>,
    pub name: Box<str>,
}

/// The model that the session continues with.
pub(in crate::formats) fn last_model(messages: &[OpencodeMessage<'_>]) -> OpencodeModel {
    let of = |is_user: bool| {
        let models = messages.iter().rev().filter(move |message| message.is_user == is_user);
        models.map(OpencodeMessage::model).find(|model| !model.provider.is_empty())
    };
    of(true).or_else(|| of(false)).unwrap_or_default()
}

impl<'v> OpencodeMessage<'v> {
    /// A message of an export.
    pub fn of(val: Val<'v>, base: RecordBase<'v>, record: u32) -> Option<OpencodeMessage<'v>> {
        let (info, parts) = (val.get(name::info)?, val.get(name::parts)?);
        let id = text(info, "id").unwrap_or_default();
        let part = |val| StoredPart { val, base, id: text(val, "id") };
        Some(OpencodeMessage {
            parts: parts.elements().map(part).collect(),
            ..OpencodeMessage::new(id, info, base.of(val), record)?
        })
    }

    /// A message without its parts.
    pub fn new(id: Box<str>, info: Val<'v>, at: Place, record: u32) -> Option<OpencodeMessage<'v>> {
        let is_user = match info.get(name::role)?.text()?.as_ref() {
            b"user" => true,
            b"assistant" => false,
            _ => return None,
        };
        Some(OpencodeMessage { id, info, parts: Vec::new(), at, record, is_user })
    }

    /// Its parts as unsent items.
    pub fn unsent(&self, why: &'static str) -> impl Iterator<Item = UnsentItem> {
        self.parts.iter().map(move |part| self.unsent_part(part, why))
    }

    pub fn unsent_part(&self, part: &StoredPart<'_>, why: &'static str) -> UnsentItem {
        UnsentItem::at(part.base.of(part.val), self.record, "a part of a message", why)
    }

    fn model(&self) -> OpencodeModel {
        let of = |key: &str| {
            let model = self.info.get(name::model).and_then(|model| text(model, key));
            model.or_else(|| text(self.info, key)).unwrap_or_default()
        };
        OpencodeModel { provider: of("providerID"), name: of("modelID") }
    }

    /// True for the finished summary of a compaction.
    pub fn is_summary(&self) -> bool {
        let is_summary = self.info.get(name::summary).and_then(|summary| summary.as_bool()) == Some(true);
        !self.is_user && is_summary && text(self.info, "finish").is_some() && !self.has_error()
    }

    /// The part that requests a compaction.
    pub fn compaction(&self) -> Option<Val<'v>> {
        self.parts.iter().map(|part| part.val).find(|part| self.is_user && is_type(*part, "compaction"))
    }

    fn has_error(&self) -> bool {
        self.info.get(name::error).is_some_and(|error| !error.is_null())
    }

    /// False for an answer with an error, unless it was aborted and has content.
    fn is_sent(&self) -> bool {
        let cut_off = || self.info.at(&["error", "name"]).is_some_and(|name| name.is("MessageAbortedError"));
        let has_content =
            || self.parts.iter().any(|part| !part.is_type("step-start") && !part.is_type("reasoning"));
        !self.has_error() || cut_off() && has_content()
    }

    /// The messages that are sent for it.
    pub fn translate(&self, dialect: DialectChoice, to: &OpencodeModel) -> Vec<message::Message> {
        let from = self.model();
        let is_same_model = from.provider == to.provider && from.name == to.name;
        let reader = |part: &StoredPart<'v>| OpencodePartReader { dialect, is_same_model, base: part.base };
        let message =
            |role, all: Vec<Part>| (!all.is_empty()).then(|| parts::message(role, all, self.at, self.record));
        if self.is_user {
            let parts = self.parts.iter().filter_map(|part| reader(part).read_user_part(part.val)).collect();
            let is_inserted = self.compaction().is_some();
            let user = message(Role::User, parts).into_iter();
            return user.map(|user| message::Message { is_inserted, ..user }).collect();
        }
        let steps = self.parts.split(|part| part.is_type("step-start")).filter(|_| self.is_sent());
        let of_step = |step: &[StoredPart<'v>]| {
            let answer = step.iter().filter_map(|part| reader(part).read_assistant_part(part.val));
            let results = step.iter().filter_map(|part| reader(part).result(part.val));
            [message(Role::Assistant, parts::collect(answer)), message(Role::Tool, results.collect())]
        };
        steps.flat_map(of_step).flatten().collect()
    }
}

impl StoredPart<'_> {
    fn is_type(&self, kind: &str) -> bool {
        is_type(self.val, kind)
    }
}

/// Reads the parts of a message.
struct OpencodePartReader<'b> {
    dialect: DialectChoice,
    /// True if the request is for the model that answered: ids, encrypted content and signatures are kept.
    is_same_model: bool,
    base: RecordBase<'b>,
}

impl OpencodePartReader<'_> {
    fn read_user_part(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let own = |text: &str| Some(Part::text(Text::synthetic(text, at), at.into()));
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" if !is_true(part, "ignored") => self.text(part),
            b"file" => Some(Part::new(self.file(part)?.into(), at.into())),
            b"compaction" => own(COMPACTION),
            b"subtask" => own(SUBTASK),
            _ => None,
        }
    }

    fn read_assistant_part(&self, part: Val<'_>) -> Option<Part> {
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" => self.text(part),
            b"reasoning" => self.thought(part),
            b"tool" => self.call(part),
            _ => None,
        }
    }

    /// A text; `None` if it is empty, which opencode does not send.
    fn text(&self, part: Val<'_>) -> Option<Part> {
        let text = parts::text(part.get(name::text), self.base)?;
        let (id, phase) = (self.openai_member(part, "itemId"), self.openai_member(part, "phase"));
        Some(Part { id, phase, ..Part::text(text, self.base.of(part).into()) })
    }

    /// A member of the metadata that OpenAI returned for a part.
    fn openai_member(&self, part: Val<'_>, key: &str) -> Option<Text> {
        let metadata = part.get(name::metadata).filter(|_| self.is_same_model)?;
        let own = ["openai", "azure"].iter().find_map(|provider| metadata.at(&[*provider, key]));
        parts::text(own, self.base)
    }

    fn thought(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let anthropic = |key: &str| {
            let own = part.at(&["metadata", "anthropic", key]).filter(|_| self.is_same_model);
            own.and_then(|own| Text::copied(own, self.base))
        };
        let text = Text::copied(part.get(name::text)?, self.base)?;
        if let Some(data) = anthropic("redactedData") {
            return Some(parts::redacted(Some(data), at));
        }
        let (id, blob) =
            (self.openai_member(part, "itemId"), self.openai_member(part, "reasoningEncryptedContent"));
        Some(parts::sealed_reasoning(Some(text), anthropic("signature"), id, blob, at))
    }

    fn call(&self, part: Val<'_>) -> Option<Part> {
        let at = self.base.of(part);
        let input = part.at(&["state", "input"]).filter(Val::is_object);
        let name = Text::of_json(part.get(name::tool)?, self.base);
        let call = parts::call(self.call_id(part)?, name, parts::input(input, self.base, at), at);
        Some(Part { id: self.openai_member(part, "itemId"), ..call })
    }

    fn call_id(&self, part: Val<'_>) -> Option<Text> {
        let id = parts::text(part.get(name::callID), self.base)?;
        // opencode replaces other characters in ids before it sends them to Claude.
        Some(if self.dialect == DialectChoice::Anthropic { parts::word_id(id, self.base.of(part)) } else { id })
    }

    /// The result of a call; `None` while it is pending or running.
    fn result(&self, part: Val<'_>) -> Option<Part> {
        let state = part.get(name::state).filter(|_| is_type(part, "tool"))?;
        let (at, call) = (self.base.of(part), self.call_id(part)?);
        let copied = |val: Val<'_>| ResultPart::Text(Text::of_json(val, self.base));
        let mut failed = false;
        let output = match state.get(name::status)?.text()?.as_ref() {
            b"pending" | b"running" => return None,
            b"error" => {
                let cut_off = state.at(&["metadata", "interrupted"]).and_then(|cut| cut.as_bool()) == Some(true);
                let partial = state.at(&["metadata", "output"]).filter(|_| cut_off);
                failed = partial.is_none();
                partial.or(state.get(name::error)).map(copied).into_iter().collect()
            }
            _ if state.at(&["time", "compacted"]).is_some_and(|time| !time.is_null()) => {
                vec![ResultPart::Text(Text::synthetic(CLEARED, at))]
            }
            _ => {
                let files = state.get("attachments").into_iter().flat_map(|list| list.elements());
                let files =
                    files.filter_map(|own| Some(ResultPart::media(self.file(own)?, self.base.of(own).into())));
                state.get(name::output).map(copied).into_iter().chain(files).collect()
            }
        };
        Some(parts::result(call, output, failed, at))
    }

    /// An attached file; `None` for texts and folders, whose content is in separate texts.
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

pub(in crate::formats) fn is_type(part: Val<'_>, kind: &str) -> bool {
    part.get(name::r#type).is_some_and(|own| own.is(kind))
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
