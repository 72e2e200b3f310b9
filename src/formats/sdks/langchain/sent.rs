//! What is sent of a message.

use crate::formats::spoken::{DialectChoice, Id, Says};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use super::message::{Kind, Message};
use super::{answer, media};

pub(super) fn says(message: &Message<'_>, dialect: DialectChoice, base: Base<'_>) -> Vec<Says> {
    match message.kind {
        Kind::Ai => answer::says(message, dialect, base),
        Kind::Tool => result(message, dialect, base).into_iter().collect(),
        Kind::Other => Vec::new(),
        Kind::Human | Kind::System | Kind::Chat => {
            message.blocks().filter_map(|block| media::input(block, base)).collect()
        }
    }
}

fn result(message: &Message<'_>, dialect: DialectChoice, base: Base<'_>) -> Option<Says> {
    let at = base.of(message.val);
    let call = Id::of(message.data.get(name::tool_call_id), base)?;
    let content = message.data.get(name::content);
    let output = match content {
        Some(list) if list.is_array() => listed(list, dialect, base),
        Some(own) if !own.is_null() => Pieced::as_text(own, base),
        _ => Pieced::text("", at),
    };
    let kind = message.data.at(&["additional_kwargs", "type"]).filter(|kind| kind.is("custom_tool_call_output"));
    if let (Some(kind), DialectChoice::Responses) = (kind, dialect) {
        let item = Pieced::object(at).with("type", Pieced::of(kind, base));
        return Some(Says::Item(item.with("call_id", call.piece).with("output", output)));
    }
    let failed = message.data.get(name::status).is_some_and(|status| status.is("error"));
    Some(Says::Result { call, output, failed, at })
}

/// The content of a result: its texts; for Anthropic also its images.
fn listed(list: Val<'_>, dialect: DialectChoice, base: Base<'_>) -> Pieced {
    let at = base.of(list);
    let text_of = |block: Val<'_>| match block.is_string() {
        true => Some(Pieced::of(block, base)),
        false => block.get(name::text).filter(|text| text.is_string()).map(|text| Pieced::of(text, base)),
    };
    let is_own = |block: Val<'_>| {
        let is = |kind: &str| block.get(name::r#type).is_some_and(|own| own.is(kind));
        is("text") || is("image") && block.get(name::source).is_some()
    };
    if dialect == DialectChoice::Anthropic && list.elements().all(is_own) {
        return Pieced::of(list, base);
    }
    let texts: Vec<Pieced> = list.elements().filter_map(text_of).collect();
    match texts.is_empty() {
        true => Pieced::spelled(list, base),
        false => Pieced::joined(texts, "\n", at),
    }
}
