//! Constructors of message parts from values of a store.

use crate::history::Role;
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::message::{
    CallInput, CallKind, Media, MediaKind, MediaSource, Message, Opaque, OpaqueKind, Part, PartKind, RawJson,
    Reasoning, ReasoningProvider, ResultPart, Text, ToolCall, ToolResult,
};
use crate::place::Place;

/// Adds a part. Adjacent reasoning with the same id is merged.
pub(in crate::formats) fn push(parts: &mut Vec<Part>, part: Part) {
    if let (Some(last), true) = (parts.last_mut(), part.id.is_some())
        && last.id == part.id
        && let (PartKind::Reasoning(before), PartKind::Reasoning(_)) = (&mut last.kind, &part.kind)
    {
        if let PartKind::Reasoning(more) = part.kind {
            before.texts.extend(more.texts);
            before.encrypted_content = more.encrypted_content.or(before.encrypted_content.take());
        }
        last.id = part.id;
        return;
    }
    parts.push(part);
}

/// A list of parts. Adjacent reasoning with the same id is merged.
pub(in crate::formats) fn collect(given: impl IntoIterator<Item = Part>) -> Vec<Part> {
    let mut parts = Vec::new();
    given.into_iter().for_each(|part| push(&mut parts, part));
    parts
}

/// A message with these parts, from the record with this number.
pub(in crate::formats) fn message(role: Role, parts: Vec<Part>, at: Place, record: u32) -> Message {
    Message { parts, record, ..Message::new(role, at.into()) }
}

/// A non-empty string as a text part.
pub(in crate::formats) fn text_part(val: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(val?);
    Some(Part::text(text(val, base)?, at.into()))
}

/// A part of a message in a dialect, unchanged.
pub(in crate::formats) fn block(dialect: &'static str, raw: RawJson, at: Place) -> Part {
    Part::new(PartKind::Opaque(Opaque { dialect, kind: OpaqueKind::Unknown, raw }), at.into())
}

/// A non-empty string.
pub(in crate::formats) fn text(val: Option<Val<'_>>, base: RecordBase<'_>) -> Option<Text> {
    Text::copied(val?, base).filter(|text| !text.is_empty())
}

/// An id in which characters other than letters, digits, `_` and `-` are replaced by `_`.
pub(in crate::formats) fn word_id(id: Text, at: Place) -> Text {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = id.to_plain_string();
    if plain.chars().all(is_word) {
        return id;
    }
    let word: String = plain.chars().map(|c| if is_word(c) { c } else { '_' }).collect();
    let from = id.origin().map_or(at, |origin| origin.whole);
    Text::respelled(&word, from).reported_at(at)
}

/// A call of a function.
pub(in crate::formats) fn call(id: Text, name: Text, input: CallInput, at: Place) -> Part {
    let call = ToolCall { id, has_synthetic_id: false, name, input, kind: CallKind::Function };
    Part::new(PartKind::Call(call), at.into())
}

/// The input of a call: an object, or a string with the JSON of one; `{}` for none.
pub(in crate::formats) fn input(val: Option<Val<'_>>, base: RecordBase<'_>, at: Place) -> CallInput {
    match val {
        None => CallInput::Json(RawJson::synthetic("{}", at)),
        Some(val) => match Text::copied(val, base) {
            Some(text) => CallInput::Text(text),
            None => CallInput::Json(RawJson::copied(val, base)),
        },
    }
}

/// The result of a call; with an empty text if there are no parts.
pub(in crate::formats) fn result(id: Text, mut parts: Vec<ResultPart>, is_error: bool, at: Place) -> Part {
    if parts.is_empty() {
        parts.push(ResultPart::Text(Text::synthetic("", at)));
    }
    let result = ToolResult { id, name: None, parts, is_error, kind: CallKind::Function };
    Part::new(PartKind::Result(result), at.into())
}

/// The output of a tool. Several texts are joined if there is nothing else.
pub(in crate::formats) fn join_texts(given: Vec<ResultPart>, at: Place) -> Vec<ResultPart> {
    match given.len() > 1 && given.iter().all(|part| matches!(part, ResultPart::Text(_))) {
        true => vec![ResultPart::Text(result_text(&given).reported_at(at))],
        false => given,
    }
}

/// The output of a tool as one text.
pub(super) fn result_text(parts: &[ResultPart]) -> Text {
    let texts: Vec<Text> = parts
        .iter()
        .filter_map(|part| match part {
            ResultPart::Text(text) => Some(text.clone()),
            ResultPart::Json(raw) => Some(raw.to_text()),
            ResultPart::Media(..) | ResultPart::Opaque(..) => None,
        })
        .collect();
    Text::join(&texts, "\\n")
}

/// Reasoning of an Anthropic model: with a signature, or only a text.
pub(in crate::formats) fn thinking(text: Option<Text>, signature: Option<Text>, at: Place) -> Part {
    reasoning(ReasoningProvider::Anthropic, text, signature, at)
}

/// Reasoning with its signature or encrypted content.
pub(in crate::formats) fn reasoning(
    provider: ReasoningProvider,
    text: Option<Text>,
    encrypted_content: Option<Text>,
    at: Place,
) -> Part {
    let texts = text.filter(|text| !text.is_empty()).into_iter().collect();
    Part::new(PartKind::Reasoning(Reasoning { provider, texts, encrypted_content, redacted: None }), at.into())
}

/// Reasoning with a signature of Anthropic's, or with an id or encrypted content of OpenAI's.
pub(in crate::formats) fn sealed_reasoning(
    text: Option<Text>,
    signature: Option<Text>,
    id: Option<Text>,
    blob: Option<Text>,
    at: Place,
) -> Part {
    let provider =
        if id.is_some() || blob.is_some() { ReasoningProvider::OpenAi } else { ReasoningProvider::Anthropic };
    Part { id, ..reasoning(provider, text, signature.or(blob), at) }
}

/// Reasoning that only Anthropic can read.
pub(in crate::formats) fn redacted(data: Option<Text>, at: Place) -> Part {
    let reasoning = Reasoning {
        provider: ReasoningProvider::Anthropic,
        texts: Vec::new(),
        encrypted_content: None,
        redacted: data,
    };
    Part::new(PartKind::Reasoning(reasoning), at.into())
}

/// A file with its URL, which can be a `data:` URL, and its type.
pub(in crate::formats) fn media(url: Text, mime: Option<Text>, name: Option<Text>) -> Media {
    let mut media = Media::of_url(MediaKind::File, &url);
    media.mime = mime.or(media.mime);
    if let Some(mime) = &media.mime {
        media.kind = kind(mime);
    }
    Media { name, ..media }
}

/// An image with its URL, which can be a `data:` URL.
pub(in crate::formats) fn image(url: Text) -> Media {
    Media { kind: MediaKind::Image, ..media(url, None, None) }
}

fn kind(mime: &Text) -> MediaKind {
    match MediaKind::of_mime(&mime.plain()) {
        MediaKind::Video => MediaKind::File,
        kind => kind,
    }
}

/// A file whose type and content are in separate strings.
pub(in crate::formats) fn media_of_data(mime: Text, data: Text, name: Option<Text>) -> Media {
    Media { name, ..Media::new(kind(&mime), MediaSource::Data(data)).mime(Some(mime)) }
}

/// Decodes a document whose type is a text: Anthropic's have their text, where others have base64.
pub(in crate::formats) fn decode_document(part: &mut Part) {
    let PartKind::Media(media) = &mut part.kind else { return };
    let origin = match &media.source {
        MediaSource::Data(data) => data.origin().map_or(part.at.place, |origin| origin.whole),
        _ => return,
    };
    if media.decode_text()
        && let MediaSource::Plain(texts) = &mut media.source
    {
        texts.iter_mut().for_each(|text| *text = Text::respelled(&text.to_plain_string(), origin));
        media.mime = None;
    }
}
