//! Makes items from the fields of a part: the key, the arguments, and the provider's own item where its data were stored.

use crate::json::{Tape, Val, scan};
use crate::message::write::JsonWriter;
use crate::message::{RawJson, Text};

use super::part::{CoderPart, CoderPartKind};
use super::text::{json_text, text};

/// The item of a server tool's call, if its data were stored with the call or with its result.
pub(super) fn full_item(call: &CoderPart<'_>, parts: &[CoderPart<'_>]) -> Option<RawJson> {
    let id = call.item_id()?;
    let plain = id.decode();
    let same = |part: &&CoderPart<'_>| {
        part.kind == CoderPartKind::HostedResult && part.item_id().is_some_and(|own| own.is(&plain))
    };
    let sides = std::iter::once(call).chain(parts.iter().filter(same));
    let data = sides.filter_map(CoderPart::item_data).find(|data| data.count() > 1)?;
    let kind = call.hosted_kind().name();
    if kind.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    JsonWriter::new(&mut out).object(|w| {
        w.key("type").plain(kind);
        w.key("id").text(&Text::of(id));
        match data.get("status").filter(Val::is_string) {
            Some(status) => w.key("status").bytes(status.raw()),
            None => w.key("status").plain("completed"),
        }
        let action = data.get("action").filter(Val::is_object);
        action.iter().for_each(|action| w.key("action").bytes(action.raw()));
    });
    Some(RawJson::new(out))
}

/// An id as chatd sends it: with only the characters that all providers accept.
pub(super) fn key_of(part: &CoderPart<'_>) -> Option<String> {
    let key = part.get("tool_call_id").and_then(text).filter(|key| !key.is_empty())?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    Some(key.chars().map(plain).collect())
}

/// The arguments of a call; `{}` for anything but an object.
pub(super) fn arguments(part: &CoderPart<'_>) -> String {
    let args = part.arguments();
    if let Some(args) = args.filter(Val::is_object) {
        return json_text(args);
    }
    let words = args.and_then(text).unwrap_or_default();
    let mut tape = Tape::new();
    let is_object = scan(words.as_bytes(), &mut tape).is_ok()
        && tape.root(words.as_bytes()).is_some_and(|val| val.is_object());
    if is_object { words } else { "{}".to_owned() }
}

pub(super) fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}
