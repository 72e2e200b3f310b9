//! Translation of the messages of a sample.

use crate::format::translate::ParsedRecord;
use crate::formats::threads::parts;
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Message, Part, PartKind, ResultPart, Text};

/// The prefix of a text that refers to an attachment.
const ATTACHMENT: &str = "attachment://";

/// The messages of a sample, and its attachments.
pub(super) struct SampleMessages<'v> {
    list: Option<Val<'v>>,
    attachments: Option<Val<'v>>,
    record: ParsedRecord<'v>,
}

impl<'v> SampleMessages<'v> {
    /// The messages of a sample of a record.
    pub fn of(sample: Val<'v>, record: &ParsedRecord<'v>) -> SampleMessages<'v> {
        SampleMessages {
            list: sample.get(name::messages),
            attachments: sample.get("attachments"),
            record: *record,
        }
    }

    /// The translated messages, without empty ones.
    pub fn translate(&self) -> Vec<Message> {
        let message = |message: Val<'v>| {
            let (role, parts) = match message.get(name::role)?.text()?.as_ref() {
                b"system" => (Role::System, self.content(message)),
                b"user" => (Role::User, self.content(message)),
                b"assistant" => (Role::Assistant, self.answer(message)),
                b"tool" => (Role::Tool, self.result(message).into_iter().collect()),
                _ => return None,
            };
            let (at, record) = (self.record.base.of(message).into(), self.record.number);
            Some(Message { parts, record, ..Message::new(role, at) })
        };
        let list = self.list.into_iter().flat_map(|list| list.elements());
        list.filter_map(message).filter(|message| !message.parts.is_empty()).collect()
    }

    /// A non-empty text, or the attachment that it refers to.
    fn text(&self, text: Option<Val<'v>>) -> Option<Text> {
        let text = text.filter(|own| own.is_string() && !own.is(""))?;
        let own = text.text().unwrap_or_default();
        let key = std::str::from_utf8(&own).ok().and_then(|own| own.strip_prefix(ATTACHMENT));
        let attachment = key.and_then(|key| self.attachments?.get(key)).filter(Val::is_string);
        Text::copied(attachment.unwrap_or(text), self.record.base)
    }

    fn content(&self, message: Val<'v>) -> Vec<Part> {
        let Some(content) = message.get(name::content) else { return Vec::new() };
        let alone = content.is_string().then_some(content);
        alone.into_iter().chain(content.elements()).filter_map(|block| self.block(block)).collect()
    }

    fn block(&self, block: Val<'v>) -> Option<Part> {
        let at = self.record.base.of(block);
        if block.is_string() {
            return Some(Part::text(self.text(Some(block))?, at.into()));
        }
        let own = |key: &str| self.text(block.get(key));
        match block.get(name::r#type)?.text()?.as_ref() {
            b"text" => Some(Part::text(own("text")?, at.into())),
            b"image" => {
                let media = Media { kind: MediaKind::Image, ..parts::media(own("image")?, None, None) };
                Some(Part::new(media.into(), at.into()))
            }
            b"reasoning" => Some(match block.get("redacted").and_then(|own| own.as_bool()) {
                Some(true) => parts::redacted(own("reasoning"), at),
                _ => parts::thinking(own("reasoning"), own("signature"), at),
            }),
            _ => None,
        }
    }

    fn answer(&self, message: Val<'v>) -> Vec<Part> {
        let base = self.record.base;
        let mut parts = self.content(message);
        let calls = message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        parts.extend(calls.filter_map(|call| {
            let at = base.of(call);
            let id = parts::text(call.get(name::id), base)?;
            let input = call.get(name::arguments).filter(|own| !own.is_null());
            let name = Text::copied(call.get(name::function)?, base)?;
            Some(parts::call(id, name, parts::input(input, base, at), at))
        }));
        parts
    }

    fn result(&self, message: Val<'v>) -> Option<Part> {
        let at = self.record.base.of(message);
        let call = parts::text(message.get(name::tool_call_id), self.record.base)?;
        let given = |part: Part| match part.kind {
            PartKind::Text { text, .. } => Some(ResultPart::Text(text)),
            PartKind::Media(media) => Some(ResultPart::Media(media, part.at)),
            _ => None,
        };
        let mut output: Vec<ResultPart> = self.content(message).into_iter().filter_map(given).collect();
        let error = message.at(&["error", "message"]).filter(Val::is_string);
        if output.is_empty() {
            output.extend(self.text(error).map(ResultPart::Text));
        }
        Some(parts::result(call, parts::join_texts(output, at), error.is_some(), at))
    }
}
