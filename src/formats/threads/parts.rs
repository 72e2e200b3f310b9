//! Parts of messages, made of values of a store.

use crate::history::Role;
use crate::json::Val;
use crate::json::edit::Base;
use crate::message::{
    Call, CallKind, Input, Maker, Media, MediaKind, Message, Opaque, OpaqueKind, Part, PartKind, Raw, Reasoning,
    ResultPart, Source, Text, ToolResult,
};
use crate::place::Place;

/// Adds a part. Thoughts with one id are one.
pub(in crate::formats) fn push(parts: &mut Vec<Part>, part: Part) {
    if let (Some(last), true) = (parts.last_mut(), part.id.is_some())
        && last.id == part.id
        && let (PartKind::Reasoning(before), PartKind::Reasoning(_)) = (&mut last.kind, &part.kind)
    {
        if let PartKind::Reasoning(more) = part.kind {
            before.texts.extend(more.texts);
            before.seal = more.seal.or(before.seal.take());
        }
        last.id = part.id;
        return;
    }
    parts.push(part);
}

/// Parts in a row. Thoughts with one id are one.
pub(in crate::formats) fn all(given: impl IntoIterator<Item = Part>) -> Vec<Part> {
    let mut parts = Vec::new();
    given.into_iter().for_each(|part| push(&mut parts, part));
    parts
}

/// A message of these parts, which lies in the record with this number.
pub(in crate::formats) fn message(role: Role, parts: Vec<Part>, at: Place, record: u32) -> Message {
    Message { parts, record, ..Message::new(role, at.into()) }
}

/// A string that is not empty, as a part.
pub(in crate::formats) fn said(val: Option<Val<'_>>, base: Base<'_>) -> Option<Part> {
    let at = base.of(val?);
    Some(Part::text(text(val, base)?, at.into()))
}

/// A part of a message in a dialect, as it stands there.
pub(in crate::formats) fn block(dialect: &'static str, raw: Raw, at: Place) -> Part {
    Part::new(PartKind::Opaque(Opaque { dialect, kind: OpaqueKind::Unknown, raw }), at.into())
}

/// A string that is not empty.
pub(in crate::formats) fn text(val: Option<Val<'_>>, base: Base<'_>) -> Option<Text> {
    Text::copied(val?, base).filter(|text| !text.is_empty())
}

/// An id with other characters than letters, digits, `_` and `-` replaced by `_`.
pub(in crate::formats) fn word_id(id: Text, at: Place) -> Text {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = id.to_plain_string();
    if plain.chars().all(is_word) {
        return id;
    }
    let word: String = plain.chars().map(|c| if is_word(c) { c } else { '_' }).collect();
    let from = id.origin().map_or(at, |origin| origin.whole);
    Text::respelled(&word, from).at(at)
}

/// A call of a function.
pub(in crate::formats) fn call(id: Text, name: Text, input: Input, at: Place) -> Part {
    let call = Call { id, invented: false, name, input, kind: CallKind::Function };
    Part::new(PartKind::Call(call), at.into())
}

/// The input of a call: an object, or the text that spells one; `{}` for none.
pub(in crate::formats) fn input(val: Option<Val<'_>>, base: Base<'_>, at: Place) -> Input {
    match val {
        None => Input::Json(Raw::named("{}", at)),
        Some(val) => match Text::copied(val, base) {
            Some(text) => Input::Text(text),
            None => Input::Json(Raw::copied(val, base)),
        },
    }
}

/// The answer to a call; an empty text without parts.
pub(in crate::formats) fn result(id: Text, mut parts: Vec<ResultPart>, is_error: bool, at: Place) -> Part {
    if parts.is_empty() {
        parts.push(ResultPart::Text(Text::named("", at)));
    }
    let result = ToolResult { id, name: None, parts, is_error, kind: CallKind::Function };
    Part::new(PartKind::Result(result), at.into())
}

/// What a tool gave. Several texts are one where there is nothing else.
pub(in crate::formats) fn joined(given: Vec<ResultPart>, at: Place) -> Vec<ResultPart> {
    match given.len() > 1 && given.iter().all(|part| matches!(part, ResultPart::Text(_))) {
        true => vec![ResultPart::Text(result_text(&given).at(at))],
        false => given,
    }
}

/// All of a result as one text.
pub(super) fn result_text(parts: &[ResultPart]) -> Text {
    let texts: Vec<Text> = parts
        .iter()
        .filter_map(|part| match part {
            ResultPart::Text(text) => Some(text.clone()),
            ResultPart::Json(raw) => Some(raw.spelled()),
            ResultPart::Media(..) | ResultPart::Opaque(..) => None,
        })
        .collect();
    Text::join(&texts, "\\n")
}

/// Reasoning of a model of Anthropic's: with a signature, or a text alone.
pub(in crate::formats) fn thinking(text: Option<Text>, signature: Option<Text>, at: Place) -> Part {
    reasoning(Maker::Anthropic, text, signature, at)
}

/// Reasoning with what seals it.
pub(in crate::formats) fn reasoning(maker: Maker, text: Option<Text>, seal: Option<Text>, at: Place) -> Part {
    let texts = text.filter(|text| !text.is_empty()).into_iter().collect();
    Part::new(PartKind::Reasoning(Reasoning { maker, texts, seal, redacted: None }), at.into())
}

/// Reasoning with a signature of Anthropic's, or with an id or a blob of OpenAI's.
pub(in crate::formats) fn thought(
    text: Option<Text>,
    signature: Option<Text>,
    id: Option<Text>,
    blob: Option<Text>,
    at: Place,
) -> Part {
    let maker = if id.is_some() || blob.is_some() { Maker::OpenAi } else { Maker::Anthropic };
    Part { id, ..reasoning(maker, text, signature.or(blob), at) }
}

/// Thoughts that only Anthropic can read.
pub(in crate::formats) fn redacted(data: Option<Text>, at: Place) -> Part {
    let reasoning = Reasoning { maker: Maker::Anthropic, texts: Vec::new(), seal: None, redacted: data };
    Part::new(PartKind::Reasoning(reasoning), at.into())
}

/// A file with its address, which may hold the content itself, and its type.
pub(in crate::formats) fn media(url: Text, mime: Option<Text>, name: Option<Text>) -> Media {
    let mut media = Media::of_url(MediaKind::File, &url);
    media.mime = mime.or(media.mime);
    if let Some(mime) = &media.mime {
        media.kind = kind(mime);
    }
    Media { name, ..media }
}

fn kind(mime: &Text) -> MediaKind {
    match MediaKind::of_mime(&mime.plain()) {
        MediaKind::Video => MediaKind::File,
        kind => kind,
    }
}

/// A file whose type and content are in strings of their own.
pub(in crate::formats) fn media_of_data(mime: Text, data: Text, name: Option<Text>) -> Media {
    Media { name, ..Media::new(kind(&mime), Source::Data(data)).mime(Some(mime)) }
}
