//! What is sent of a message.

use crate::format::translate::Stored;
use crate::formats::threads::{DialectChoice, parts};
use crate::json::edit::Base;
use crate::json::name;
use crate::message::{self, CallKind, Part, PartKind, ResultPart, Text};

use super::message::{Kind, Message};
use super::{answer, media};

/// A message as it is sent; `None` if nothing of it is.
pub(super) fn sent(
    message: &Message<'_>,
    dialect: DialectChoice,
    record: &Stored<'_>,
) -> Option<message::Message> {
    let base = record.base;
    let parts: Vec<Part> = match message.kind {
        Kind::Ai => answer::parts(message, dialect, base),
        Kind::Tool => result(message, dialect, base).into_iter().collect(),
        Kind::Other => Vec::new(),
        Kind::Human | Kind::System | Kind::Chat => {
            message.blocks().filter_map(|block| media::part(block, base)).collect()
        }
    };
    let at = base.of(message.val).into();
    let sent = message::Message { parts, record: record.number, ..message::Message::new(message.role()?, at) };
    (!sent.parts.is_empty()).then_some(sent)
}

fn result(message: &Message<'_>, dialect: DialectChoice, base: Base<'_>) -> Option<Part> {
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
    Some(part)
}
