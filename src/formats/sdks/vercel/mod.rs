//! What the two forms of the Vercel AI SDK's messages share: data of the provider, and which provider it is.

mod edit;
pub mod model_messages;
pub mod ui_messages;
pub mod write;

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::history::{Role, Settings};
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{Maker, Message, Part, Text};

use crate::formats::threads::{self, DialectChoice, Dialects, parts};

/// What the tool messages of a denied call say.
pub(super) const DENIED: &str = "Tool execution denied.";

/// Whose data the parts carry.
#[derive(Default)]
pub(super) struct Providers {
    openai: bool,
    azure: bool,
    /// Reasoning carries its content: the server stores nothing.
    blobs: bool,
    anthropic: bool,
}

impl Providers {
    /// How the messages are sent, and the target if it is another than that of the dialect.
    fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match self {
            Providers { azure: true, .. } => (DialectChoice::Responses, Some("azure")),
            Providers { openai: true, blobs: true, .. } => (DialectChoice::Responses, Some("openai-stateless")),
            Providers { openai: true, .. } => (DialectChoice::Responses, None),
            Providers { anthropic: true, .. } => (DialectChoice::Anthropic, None),
            _ => (DialectChoice::Chat, None),
        }
    }

    /// Looks at the data that a part carries.
    pub fn see(&mut self, metadata: Option<Val<'_>>) {
        let has = |path: &[&str]| metadata.and_then(|all| all.at(path)).is_some_and(|val| val.is_string());
        self.openai |= has(&["openai", "itemId"]);
        self.azure |= has(&["azure", "itemId"]);
        self.blobs |= has(&["openai", "reasoningEncryptedContent"]);
        self.anthropic |= has(&["anthropic", "signature"]) || has(&["anthropic", "redactedData"]);
    }
}

/// Data of OpenAI's or Azure's that a part carries.
pub(super) fn openai(metadata: Option<Val<'_>>, key: &str, base: Base<'_>) -> Option<Text> {
    let own = ["openai", "azure"].iter().find_map(|provider| metadata?.at(&[*provider, key]));
    parts::text(own, base)
}

pub(super) fn text(part: Val<'_>, metadata: Option<Val<'_>>, base: Base<'_>) -> Option<Part> {
    let text = Text::copied(part.get(name::text)?, base)?;
    Some(Part { id: openai(metadata, "itemId", base), ..Part::text(text, base.of(part).into()) })
}

pub(super) fn thought(part: Val<'_>, metadata: Option<Val<'_>>, base: Base<'_>) -> Option<Part> {
    let at = base.of(part);
    let text = Text::copied(part.get(name::text).or_else(|| part.get(name::reasoning))?, base)?;
    let anthropic = |key: &str| Text::copied(metadata?.at(&["anthropic", key])?, base);
    if let Some(data) = anthropic("redactedData") {
        return Some(parts::redacted(Some(data), at));
    }
    let (id, blob) = (openai(metadata, "itemId", base), openai(metadata, "reasoningEncryptedContent", base));
    let maker = if id.is_some() || blob.is_some() { Maker::OpenAi } else { Maker::Anthropic };
    Some(Part { id, ..parts::reasoning(maker, Some(text), anthropic("signature").or(blob), at) })
}

pub(super) fn role(message: Val<'_>) -> Option<Role> {
    match message.get(name::role)?.text()?.as_ref() {
        b"system" => Some(Role::System),
        b"user" => Some(Role::User),
        b"assistant" => Some(Role::Assistant),
        b"tool" => Some(Role::Tool),
        _ => None,
    }
}

/// The messages of a conversation: of a list, of an object that holds one, or the message itself.
pub(super) fn messages(val: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    let list = if val.is_array() { Some(val) } else { val.get(name::messages) };
    let alone = list.is_none().then_some(val);
    alone.into_iter().chain(list.into_iter().flat_map(|list| list.elements()))
}

/// Whether a record is one message of a conversation, not all of it.
fn is_message(val: Val<'_>) -> bool {
    val.is_object() && val.get(name::messages).is_none()
}

/// What the two forms differ in.
pub(super) struct Form {
    pub dialects: &'static Dialects,
    /// Adds a message to its conversation.
    pub take: fn(&mut Conversation, Val<'_>, &Stored<'_>),
}

/// A conversation as far as it was read.
#[derive(Default)]
pub(super) struct Conversation {
    pub messages: Vec<Message>,
    pub providers: Providers,
}

/// The conversations so far, and one whose messages are records of their own.
struct Messages {
    form: &'static Form,
    translated: Vec<Translated>,
    open: Conversation,
}

pub(super) fn reader(form: &'static Form) -> Box<dyn ThreadReader> {
    Box::new(Messages { form, translated: Vec::new(), open: Conversation::default() })
}

impl ThreadReader for Messages {
    fn take(&mut self, record: &Stored<'_>) {
        if is_message(record.val) {
            (self.form.take)(&mut self.open, record.val, record);
            return;
        }
        let mut conversation = Conversation::default();
        messages(record.val).for_each(|message| (self.form.take)(&mut conversation, message, record));
        self.translated.push(conversation.translated(self.form));
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        if !self.open.messages.is_empty() {
            self.translated.push(self.open.translated(self.form));
        }
        self.translated
    }
}

impl Conversation {
    /// Adds a message, if it says anything.
    pub fn push(&mut self, role: Role, sent: Vec<Part>, message: Val<'_>, record: &Stored<'_>) {
        if !sent.is_empty() {
            let at = record.base.of(message).into();
            let mut own = Message { record: record.number, ..Message::new(role, at) };
            sent.into_iter().for_each(|part| parts::push(&mut own.parts, part));
            self.messages.push(own);
        }
    }

    fn translated(self, form: &Form) -> Translated {
        let (dialect, target) = self.providers.dialect();
        let settings = Settings { target, ..Settings::default() };
        threads::translated(form.dialects.row(dialect), settings, self.messages)
    }
}
