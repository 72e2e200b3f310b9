//! The translation of a message.

use crate::format::translate::ParsedRecord;
use crate::formats::threads::{DialectChoice, parts};
use crate::json::edit::RecordBase;
use crate::json::name;
use crate::message::{self, CallKind, Part, PartKind, ResultPart, Text};

use super::message::{LangchainKind, LangchainMessage};
use super::{answer, media};

/// A message as it is sent; `None` if it has no content to send.
pub(super) fn translate_message(
    message: &LangchainMessage<'_>,
    dialect: DialectChoice,
    record: &ParsedRecord<'_>,
) -> Option<message::Message> {
    let base = record.base;
    let mut parts: Vec<Part> = match message.kind {
        LangchainKind::Ai => answer::parts(message, dialect, base),
        LangchainKind::Tool => result(message, dialect, base).into_iter().collect(),
        LangchainKind::Other => Vec::new(),
        LangchainKind::Human | LangchainKind::System | LangchainKind::Chat => {
            message.blocks().filter_map(|block| media::part(block, base)).collect()
        }
    };
    if dialect == DialectChoice::Anthropic {
        parts.iter_mut().for_each(parts::decode_document);
    }
    let at = base.of(message.val).into();
    let is_named = !matches!(message.kind, LangchainKind::Tool);
    let name = message.data.get(name::name).filter(|_| is_named);
    let translated = message::Message {
        parts,
        name: parts::text(name, base),
        record: record.number,
        ..message::Message::new(message.role()?, at)
    };
    (!translated.parts.is_empty()).then_some(translated)
}

fn result(message: &LangchainMessage<'_>, dialect: DialectChoice, base: RecordBase<'_>) -> Option<Part> {
    let call = parts::text(message.data.get(name::tool_call_id), base)?;
    let output = match message.data.get(name::content).filter(|own| !own.is_null()) {
        Some(list) if list.is_array() => media::result(list, dialect, base),
        Some(own) => vec![ResultPart::Text(Text::of_json(own, base))],
        None => Vec::new(),
    };
    let failed = message.data.get(name::status).is_some_and(|status| status.is("error"));
    let mut part = parts::result(call, output, failed, base.of(message.val));
    let kind = message.data.at(&["additional_kwargs", "type"]);
    if let (PartKind::Result(result), DialectChoice::Responses) = (&mut part.kind, dialect)
        && kind.is_some_and(|kind| kind.is("custom_tool_call_output"))
    {
        result.kind = CallKind::Custom;
    }
    // The integration of Anthropic puts the mark of a block after the result.
    part.cache = message.blocks().filter_map(|block| media::cache(block, base)).last();
    Some(part)
}
