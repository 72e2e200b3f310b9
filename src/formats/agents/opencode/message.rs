//! A message of opencode's, and what of it is sent.

use crate::formats::member::text;
use crate::history::{Role, Unsent};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};
use crate::place::Place;

use crate::formats::spoken::{Call, DialectChoice, Id, Media, Says, Thought, Turn};

/// What opencode says itself in the place of something.
const CLEARED: &str = "[Old tool result content cleared]";
const COMPACTION: &str = "What did we do so far?";
const SUBTASK: &str = "The following tool was executed by the user";

pub(in crate::formats) struct Message<'v> {
    pub id: Box<str>,
    pub info: Val<'v>,
    pub parts: Vec<Part<'v>>,
    /// Where it lies, and the number of its record.
    at: Place,
    record: u32,
    is_user: bool,
}

/// A part of a message, where it lies, and its id, which may be kept beside it.
#[derive(Clone)]
pub(in crate::formats) struct Part<'v> {
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
        let part = |val| Part { val, base, id: text(val, "id") };
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

    pub fn unsent_part(&self, part: &Part<'_>, why: &'static str) -> Unsent {
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
    pub fn turns(&self, dialect: DialectChoice, to: &Model) -> Vec<Turn> {
        let from = self.model();
        let keeps = from.provider == to.provider && from.name == to.name;
        let telling = |part: &Part<'v>| Telling { dialect, keeps, base: part.base };
        let turn = |role, says| Turn { role, says, at: self.at, record: self.record };
        if self.is_user {
            let says: Vec<Says> = self.parts.iter().filter_map(|part| telling(part).of_user(part.val)).collect();
            return if says.is_empty() { Vec::new() } else { vec![turn(Role::User, says)] };
        }
        let mut turns = Vec::new();
        let steps = self.parts.split(|part| part.is("step-start"));
        for step in steps.filter(|_| self.is_sent()) {
            let (mut says, mut results) = (Vec::new(), Vec::new());
            for part in step {
                says.extend(telling(part).of_assistant(part.val));
                results.extend(telling(part).result(part.val));
            }
            let steps = [(Role::Assistant, says), (Role::Tool, results)];
            turns.extend(
                steps.into_iter().filter(|(_, says)| !says.is_empty()).map(|(role, says)| turn(role, says)),
            );
        }
        turns
    }
}

impl Part<'_> {
    fn is(&self, kind: &str) -> bool {
        is(self.val, kind)
    }
}

/// Reads what a part says.
struct Telling<'b> {
    dialect: DialectChoice,
    /// Ids, blobs and signatures go along: the model is the one that answered.
    keeps: bool,
    base: Base<'b>,
}

impl Telling<'_> {
    fn of_user(&self, part: Val<'_>) -> Option<Says> {
        let at = self.base.of(part);
        let own = |text: &str| Some(Says::Text { text: Pieced::text(text, at), id: None, at });
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" if !is_true(part, "ignored") => self.text(part),
            b"file" => self.file(part),
            b"compaction" => own(COMPACTION),
            b"subtask" => own(SUBTASK),
            _ => None,
        }
    }

    fn of_assistant(&self, part: Val<'_>) -> Option<Says> {
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" => self.text(part),
            b"reasoning" => self.thought(part),
            b"tool" => self.call(part),
            _ => None,
        }
    }

    /// opencode leaves out texts that say nothing.
    fn text(&self, part: Val<'_>) -> Option<Says> {
        let text = part.get(name::text).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()))?;
        let id = self.openai(part, "itemId");
        Some(Says::Text { text: Pieced::of(text, self.base), id, at: self.base.of(part) })
    }

    /// What was stored with a part for OpenAI.
    fn openai(&self, part: Val<'_>, key: &str) -> Option<Id> {
        let metadata = part.get(name::metadata).filter(|_| self.keeps)?;
        let own = ["openai", "azure"].iter().find_map(|provider| metadata.at(&[*provider, key]));
        Id::of(own, self.base)
    }

    fn thought(&self, part: Val<'_>) -> Option<Says> {
        let anthropic = |key: &str| {
            let own = part.at(&["metadata", "anthropic", key]).filter(|val| self.keeps && val.is_string());
            own.map(|val| Pieced::of(val, self.base))
        };
        Some(Says::Thought(Thought {
            text: Pieced::of(part.get(name::text).filter(|text| text.is_string())?, self.base),
            signature: anthropic("signature"),
            redacted: anthropic("redactedData"),
            id: self.openai(part, "itemId"),
            blob: self.openai(part, "reasoningEncryptedContent").map(|blob| blob.piece),
            at: self.base.of(part),
        }))
    }

    fn call(&self, part: Val<'_>) -> Option<Says> {
        let at = self.base.of(part);
        let input = part.at(&["state", "input"]).filter(|input| input.is_object());
        Some(Says::Call(Call {
            id: self.call_id(part)?,
            name: Pieced::of(part.get(name::tool)?, self.base),
            input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, self.base)),
            item: self.openai(part, "itemId"),
            at,
        }))
    }

    fn call_id(&self, part: Val<'_>) -> Option<Id> {
        let id = Id::of(part.get(name::callID), self.base)?;
        // opencode does so before it sends to Claude.
        Some(if self.dialect == DialectChoice::Anthropic { id.plain(self.base.of(part)) } else { id })
    }

    /// What the tool gave. A call that is pending or running has nothing yet.
    fn result(&self, part: Val<'_>) -> Option<Says> {
        let state = part.get(name::state).filter(|_| is(part, "tool"))?;
        let at = self.base.of(part);
        let copy = |val: Val<'_>| Pieced::as_text(val, self.base);
        let status = state.get(name::status)?.text()?;
        let cut_off = state.at(&["metadata", "interrupted"]).and_then(|cut| cut.as_bool()) == Some(true);
        let (output, failed) = match status.as_ref() {
            b"pending" | b"running" => return None,
            b"error" if cut_off && state.at(&["metadata", "output"]).is_some() => {
                (copy(state.at(&["metadata", "output"])?), false)
            }
            b"error" => (state.get(name::error).map_or_else(|| Pieced::text("", at), copy), true),
            _ if state.at(&["time", "compacted"]).is_some_and(|time| !time.is_null()) => {
                (Pieced::text(CLEARED, at), false)
            }
            _ => (state.get(name::output).map_or_else(|| Pieced::text("", at), copy), false),
        };
        Some(Says::Result { call: self.call_id(part)?, output, failed, at })
    }

    /// Texts and folders were read when the user named them: they are in texts of their own.
    fn file(&self, part: Val<'_>) -> Option<Says> {
        let (url, mime) = (part.get(name::url).filter(|url| url.is_string())?, part.get("mime"));
        let is_read = mime.is_some_and(|mime| mime.is("text/plain") || mime.is("application/x-directory"));
        let is_sent = url.text().is_some_and(|url| url.starts_with(b"data:") || url.starts_with(b"http"));
        let name = part.get(name::filename).filter(|name| name.is_string());
        let media = || Says::Media(Media::of(url, mime, name, self.base, self.base.of(part)));
        (!is_read && is_sent).then(media)
    }
}

pub(in crate::formats) fn is(part: Val<'_>, kind: &str) -> bool {
    part.get(name::r#type).is_some_and(|own| own.is(kind))
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
