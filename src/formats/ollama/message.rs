//! Messages of `/api/chat`. A result names its tool, and rarely its call: it answers the first call of that name without a
//! result. Images are base64 without a type; sounds are stored there as well.

use crate::format::translate::ParsedRecord;
use crate::json::{Val, name};
use crate::message::{
    Media, MediaKind, MediaSource, Message, Part, PartKind, RawJson, ReasoningProvider, ResultPart, Role, Text,
    Thread, media_bytes,
};

use crate::formats::threads::parts;

/// Adds a message to a thread.
pub(super) fn push(thread: &mut Thread, message: Val<'_>, from: &ParsedRecord<'_>) {
    let (at, base) = (from.base.of(message), from.base);
    let role = message.get(name::role).and_then(|role| role.text());
    // The server lower-cases roles.
    let role = match role.map(|role| role.to_ascii_lowercase()).as_deref() {
        Some(b"system") => Role::System,
        Some(b"user") => Role::User,
        Some(b"assistant") => Role::Assistant,
        Some(b"tool") => Role::Tool,
        _ => {
            return thread.push(Message::verbatim(
                "chat",
                Role::User,
                RawJson::copied(message, base),
                at,
                from.number,
            ));
        }
    };
    let content = message.get(name::content).filter(|content| !content.is_null());
    if content.is_some_and(|content| !content.is_string()) {
        return thread.push(Message::verbatim("chat", role, RawJson::copied(message, base), at, from.number));
    }
    let text = content.and_then(|content| Text::copied(content, base));
    let images = message.get(name::images).into_iter().flat_map(|images| images.elements());
    let images = images.filter_map(|image| Some((media(image, from)?, base.of(image))));
    let parts = match role {
        Role::Tool => {
            let mut shown: Vec<ResultPart> = text.map(ResultPart::Text).into_iter().collect();
            shown.extend(images.map(|(media, at)| ResultPart::media(media, at.into())));
            vec![parts::result(answered_call(thread, message, from), shown, false, at)]
        }
        _ => {
            let thought = parts::text(message.get(name::thinking), base);
            let thought = thought.map(|text| parts::reasoning(ReasoningProvider::Open, Some(text), None, at));
            let mut all: Vec<Part> = thought.into_iter().collect();
            let images: Vec<Part> = images.map(|(media, at)| Part::new(media.into(), at.into())).collect();
            let calls = calls(thread, message, from);
            // An empty content is the usual one beside calls and images.
            let text = text.filter(|text| !text.is_empty() || images.is_empty() && calls.is_empty());
            let text = text.or_else(|| (images.is_empty() && calls.is_empty()).then(|| Text::synthetic("", at)));
            let place = content.map_or(at, |content| base.of(content));
            all.extend(text.map(|text| Part::text(text, place.into())));
            all.extend(images);
            all.extend(calls);
            all
        }
    };
    thread.push(parts::message(role, parts, at, from.number));
}

/// The calls of a message. Those without an id are numbered.
fn calls(thread: &Thread, message: Val<'_>, from: &ParsedRecord<'_>) -> Vec<Part> {
    let calls = message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
    let before = thread.calls();
    calls
        .enumerate()
        .map(|(n, call)| {
            let (at, base) = (from.base.of(call), from.base);
            let function = call.get(name::function).unwrap_or(call);
            let id = parts::text(call.get(name::id), base);
            let is_numbered = id.is_none();
            let id = id.unwrap_or_else(|| Text::synthetic(&format!("call_{}", before + n), at));
            let name = parts::text(function.get(name::name), base).unwrap_or_default();
            let mut part = parts::call(id, name, parts::input(function.get(name::arguments), base, at), at);
            if let PartKind::Call(call) = &mut part.kind {
                call.has_synthetic_id = is_numbered;
            }
            part
        })
        .collect()
}

/// The id of the call that a result answers; an empty one if there is none.
fn answered_call(thread: &mut Thread, message: Val<'_>, from: &ParsedRecord<'_>) -> Text {
    let id = parts::text(message.get(name::tool_call_id), from.base);
    let tool = parts::text(message.get(name::tool_name), from.base);
    let id = id.or_else(|| thread.open_call(tool.as_ref()));
    id.unwrap_or_else(|| Text::synthetic("", from.base.of(message)))
}

/// An image or a sound, whose bytes show its type.
fn media(image: Val<'_>, from: &ParsedRecord<'_>) -> Option<Media> {
    let data = Text::copied(image, from.base)?;
    if data.raw().starts_with(b"data:") {
        return Some(parts::image(data));
    }
    let mime = media_bytes::type_of_base64(&data.plain());
    let kind = mime.map_or(MediaKind::Image, |mime| MediaKind::of_mime(mime.as_bytes()));
    let mime = mime.map(|mime| Text::synthetic(mime, from.base.of(image)));
    Some(Media::new(kind, MediaSource::Data(data)).mime(mime))
}
