//! The shared parts of the two message formats of the Vercel AI SDK: metadata of providers, and the choice of the dialect.

mod edit;
pub mod model_messages;
pub mod ui_messages;
pub mod write;

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::history::{HistorySettings, Role};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Message, Part, ReasoningProvider, Text};

use crate::formats::threads::{self, DialectChoice, Dialects, parts};

/// The text of the tool message for a denied call.
pub(super) const DENIED: &str = "Tool execution denied.";

/// The providers whose metadata is in the parts.
#[derive(Default)]
pub(super) struct Providers {
    openai: bool,
    azure: bool,
    /// True if reasoning has its content: the server stores nothing.
    has_blobs: bool,
    anthropic: bool,
}

impl Providers {
    /// The dialect in which the messages are sent, and the target if it is not the default of the dialect.
    fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match self {
            Providers { azure: true, .. } => (DialectChoice::Responses, Some("azure")),
            Providers { openai: true, has_blobs: true, .. } => {
                (DialectChoice::Responses, Some("openai-stateless"))
            }
            Providers { openai: true, .. } => (DialectChoice::Responses, None),
            Providers { anthropic: true, .. } => (DialectChoice::Anthropic, None),
            _ => (DialectChoice::Chat, None),
        }
    }

    /// Adds the providers of a part's metadata.
    pub fn observe(&mut self, metadata: Option<Val<'_>>) {
        let has = |path: &[&str]| metadata.and_then(|all| all.at(path)).is_some_and(|val| val.is_string());
        self.openai |= has(&["openai", "itemId"]);
        self.azure |= has(&["azure", "itemId"]);
        self.has_blobs |= has(&["openai", "reasoningEncryptedContent"]);
        self.anthropic |= has(&["anthropic", "signature"]) || has(&["anthropic", "redactedData"]);
    }
}

/// A metadata member of OpenAI's or Azure's.
pub(super) fn openai_metadata(metadata: Option<Val<'_>>, key: &str, base: RecordBase<'_>) -> Option<Text> {
    let own = ["openai", "azure"].iter().find_map(|provider| metadata?.at(&[*provider, key]));
    parts::text(own, base)
}

/// A text part, with the id of its item.
pub(super) fn text_part(part: Val<'_>, metadata: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Part> {
    let text = Text::copied(part.get(name::text)?, base)?;
    Some(Part { id: openai_metadata(metadata, "itemId", base), ..Part::text(text, base.of(part).into()) })
}

/// A reasoning part, with the signature, redacted data, id or encrypted content of its metadata.
pub(super) fn reasoning_part(part: Val<'_>, metadata: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    let text = Text::copied(part.get(name::text).or_else(|| part.get(name::reasoning))?, base)?;
    let anthropic = |key: &str| Text::copied(metadata?.at(&["anthropic", key])?, base);
    if let Some(data) = anthropic("redactedData") {
        return Some(parts::redacted(Some(data), at));
    }
    let (id, blob) =
        (openai_metadata(metadata, "itemId", base), openai_metadata(metadata, "reasoningEncryptedContent", base));
    let maker =
        if id.is_some() || blob.is_some() { ReasoningProvider::OpenAi } else { ReasoningProvider::Anthropic };
    Some(Part { id, ..parts::reasoning(maker, Some(text), anthropic("signature").or(blob), at) })
}

/// The role of a message; `None` if it is unknown.
pub(super) fn role(message: Val<'_>) -> Option<Role> {
    match message.get(name::role)?.text()?.as_ref() {
        b"system" => Some(Role::System),
        b"user" => Some(Role::User),
        b"assistant" => Some(Role::Assistant),
        b"tool" => Some(Role::Tool),
        _ => None,
    }
}

/// The messages of a record: of a list, of an object with one, or the message itself.
pub(super) fn messages(val: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    let list = if val.is_array() { Some(val) } else { val.get(name::messages) };
    let alone = list.is_none().then_some(val);
    alone.into_iter().chain(list.into_iter().flat_map(|list| list.elements()))
}

/// True if a record is one message, not a conversation.
fn is_message(val: Val<'_>) -> bool {
    val.is_object() && val.get(name::messages).is_none()
}

/// The differences between the two formats.
pub(super) struct VercelFormat {
    pub dialects: &'static Dialects,
    /// Adds a message to its conversation.
    pub add_message: fn(&mut VercelConversation, Val<'_>, &ParsedRecord<'_>),
}

/// The conversation so far.
#[derive(Default)]
pub(super) struct VercelConversation {
    pub messages: Vec<Message>,
    pub providers: Providers,
}

/// The conversations so far, and the one whose messages are records.
struct VercelReader {
    format: &'static VercelFormat,
    translated: Vec<TranslatedThread>,
    current: VercelConversation,
}

/// A new reader of one of the two formats.
pub(super) fn reader(format: &'static VercelFormat) -> Box<dyn ThreadReader> {
    Box::new(VercelReader { format, translated: Vec::new(), current: VercelConversation::default() })
}

impl ThreadReader for VercelReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        if is_message(record.val) {
            (self.format.add_message)(&mut self.current, record.val, record);
            return;
        }
        let mut conversation = VercelConversation::default();
        messages(record.val).for_each(|message| (self.format.add_message)(&mut conversation, message, record));
        self.translated.push(conversation.translate(self.format));
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        if !self.current.messages.is_empty() {
            self.translated.push(self.current.translate(self.format));
        }
        self.translated
    }
}

impl VercelConversation {
    /// Adds a message, unless it has no parts.
    pub fn push(&mut self, role: Role, parts: Vec<Part>, message: Val<'_>, record: &ParsedRecord<'_>) {
        if !parts.is_empty() {
            let at = record.base.of(message).into();
            let mut own = Message { record: record.number, ..Message::new(role, at) };
            parts.into_iter().for_each(|part| parts::push(&mut own.parts, part));
            self.messages.push(own);
        }
    }

    fn translate(self, format: &VercelFormat) -> TranslatedThread {
        let (dialect, target) = self.providers.dialect();
        let settings = HistorySettings { target, ..HistorySettings::default() };
        threads::translate(format.dialects.row(dialect), settings, self.messages)
    }
}
