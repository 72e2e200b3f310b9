//! The shared parts of the two message formats of the Vercel AI SDK: their conversations, texts and reasoning.

mod edit;
pub mod model_messages;
mod provider_options;
pub mod ui_messages;
pub mod write;

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::history::{HistorySettings, Role};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Message, Part, PartKind, ReasoningProvider, Text};

use crate::formats::threads::{self, DialectChoice, Dialects, parts};

pub(super) use provider_options::Providers;

/// The text of the result of a denied call without a reason (`ai` 7.0.173, `convert-to-anthropic-prompt.ts` and others).
pub(super) const DENIED: &str = "Tool call execution denied.";

/// A text part, with the id and the phase of its item, and Gemini's signature.
pub(super) fn text_part(part: Val<'_>, options: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Part> {
    let text = Text::copied(part.get(name::text)?, base)?;
    let openai = |key: &str| provider_options::openai(options, key, base);
    let (id, phase) = (openai("itemId"), openai("phase"));
    let signature = provider_options::thought_signature(options, base);
    Some(Part { id, phase, signature, ..Part::text(text, base.of(part).into()) })
}

/// A reasoning part, with the signature, redacted data, id or encrypted content of its options.
pub(super) fn reasoning_part(part: Val<'_>, options: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    let anthropic = |key: &str| provider_options::anthropic(options, key, base);
    // Version 4 has the data in the part.
    let data = part.get("data").and_then(|data| Text::copied(data, base));
    if let Some(data) = anthropic("redactedData").or_else(|| anthropic("redactedContent")).or(data) {
        return Some(parts::redacted(Some(data), at));
    }
    let text = Text::copied(part.get(name::text).or_else(|| part.get(name::reasoning))?, base)?;
    if let Some(signature) = provider_options::thought_signature(options, base) {
        return Some(parts::reasoning(ReasoningProvider::Google, Some(text), Some(signature), at));
    }
    let openai = |key: &str| provider_options::openai(options, key, base);
    let (id, blob) = (openai("itemId"), openai("reasoningEncryptedContent"));
    let signature =
        anthropic("signature").or_else(|| part.get(name::signature).and_then(|own| Text::copied(own, base)));
    Some(parts::sealed_reasoning(Some(text), signature, id, blob, at))
}

/// Makes reasoning without a signature that of Gemini, as the SDK sends it there.
fn assume_google(part: &mut Part) {
    if let PartKind::Reasoning(thought) = &mut part.kind
        && thought.encrypted_content.is_none()
        && thought.redacted.is_none()
    {
        thought.provider = ReasoningProvider::Google;
    }
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
    /// Adds a message with these parts, unless there are none.
    pub fn push(&mut self, message: Message, parts: Vec<Part>, record: &ParsedRecord<'_>) {
        if !parts.is_empty() {
            let mut own = Message { record: record.number, ..message };
            parts.into_iter().for_each(|part| parts::push(&mut own.parts, part));
            self.providers.observe_parts(&own);
            self.messages.push(own);
        }
    }

    fn translate(self, format: &VercelFormat) -> TranslatedThread {
        let (dialect, target) = self.providers.dialect();
        let info = format.dialects.row(dialect);
        let mut messages = self.messages;
        let is_known = |part: &Part| match &part.kind {
            // Only its own provider knows what it ran.
            PartKind::Opaque(opaque) => opaque.dialect == info.dialect.info().name,
            _ => true,
        };
        for message in &mut messages {
            message.parts.retain(is_known);
            match dialect {
                DialectChoice::Anthropic => message.parts.iter_mut().for_each(parts::decode_document),
                DialectChoice::Gemini => message.parts.iter_mut().for_each(assume_google),
                DialectChoice::Chat | DialectChoice::Responses => {}
            }
        }
        let settings = HistorySettings { target, ..HistorySettings::default() };
        threads::translate(info, settings, messages)
    }
}
