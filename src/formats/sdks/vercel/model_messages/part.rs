//! The parts of a ModelMessage, as versions 4 to 7 of the SDK store them. Bytes are base64, or an object that JSON.stringify
//! makes of a Buffer (`{"type":"Buffer","data":[…]}`) or of a Uint8Array (`{"0":137,…}`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::{DENIED, Providers, provider_options, reasoning_part, text_part};
use super::server_tools;
use crate::formats::threads::parts;
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, MediaSource, Part, PartKind, ResultPart, Text, media_bytes};

/// The translation of a part; `None` if it is not sent.
pub fn translate(part: Val<'_>, role: Role, base: RecordBase<'_>) -> Option<Part> {
    let options = provider_options::of(part);
    let translated = match part.get(name::r#type)?.text()?.as_ref() {
        // The SDK drops empty texts.
        b"text" => text_part(part, options, base).filter(|own| !is_empty_text(own) || options.is_some()),
        b"reasoning" | b"redacted-reasoning" => reasoning_part(part, options, base),
        b"image" | b"file" if matches!(role, Role::User | Role::Assistant) => {
            media(part, base).map(|media| Part::new(media.into(), base.of(part).into()))
        }
        b"tool-call" if is_true(part, "providerExecuted") => server_tools::call(part, base),
        b"tool-call" => call(part, base),
        b"tool-result" if role == Role::Tool => result(part, base),
        b"tool-result" => server_tools::result(part, base),
        _ => None,
    }?;
    let cache = translated.cache.or_else(|| provider_options::cache(options, base));
    Some(Part { cache, ..translated })
}

fn is_empty_text(part: &Part) -> bool {
    matches!(&part.kind, PartKind::Text { text, .. } if text.is_empty())
}

/// The providers that a part is for, beyond those of its own options.
pub fn observe(part: Val<'_>, providers: &mut Providers) {
    let files = [reference(part)].into_iter().chain(contents(part).map(reference));
    files.flatten().for_each(|(provider, _)| providers.observe_file_of(provider));
    contents(part).chain(part.get(name::output)).for_each(|own| providers.observe(provider_options::of(own)));
    if server_tools::is_anthropic(part) {
        providers.observe_anthropic_tool();
    }
}

/// The elements of a result's content.
fn contents(part: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    let output =
        part.get(name::output).filter(|output| output.get(name::r#type).is_some_and(|own| own.is("content")));
    output.and_then(|output| output.get(name::value)).into_iter().flat_map(|value| value.elements())
}

/// The providers that store files, by the name in a reference, and the dialect of the ids.
const STORES: [(&str, &str); 5] = [
    ("openai", "responses"),
    ("azure", "responses"),
    ("anthropic", "anthropic"),
    ("google", "gemini"),
    ("googleVertex", "gemini"),
];

/// The id of a file that a provider stores, and the name of the provider.
fn reference(file: Val<'_>) -> Option<(&'static str, Val<'_>)> {
    let data = ["data", "image"].iter().find_map(|key| file.get(key));
    let ids = data.and_then(|data| data.get("reference")).or(data);
    let ids = ids.filter(|ids| ids.is_object()).or_else(|| {
        ["providerReference", "fileId"].iter().find_map(|key| file.get(key)).filter(|ids| ids.is_object())
    })?;
    STORES.iter().find_map(|(provider, _)| Some((*provider, ids.get(provider).filter(|id| id.is_string())?)))
}

/// A file of the user, of the model or of a tool: its URL, its content, or the id by which the provider knows it.
fn media(part: Val<'_>, base: RecordBase<'_>) -> Option<Media> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| part.get(key)).and_then(|own| Text::copied(own, base));
    let options = provider_options::of(part);
    let type_of_part = part.get(name::r#type)?.text()?;
    let is_image = type_of_part.starts_with(b"image");
    let mime = first(&["mediaType", "mimeType"]).filter(|mime| is_full_type(&mime.plain()));
    let mut media = match source(part, base)? {
        Source::Url(url) => parts::media(url, mime, None),
        Source::Data(data) => typed_media(data, mime),
        Source::Stored(id, dialect) => Media::new(MediaKind::File, MediaSource::Id(id, dialect)).mime(mime),
    };
    if media.kind == MediaKind::File {
        let stated = first(&["mediaType", "mimeType"]);
        media.kind = stated.map_or(media.kind, |mime| MediaKind::of_mime(&mime.plain()));
    }
    if is_image {
        media.kind = MediaKind::Image;
    }
    media.name = provider_options::anthropic(options, "title", base).or_else(|| first(&["filename"]));
    media.context = provider_options::anthropic(options, "context", base);
    media.citations = provider_options::citations(options, base);
    media.detail = provider_options::openai(options, "imageDetail", base);
    Some(media)
}

/// Content in base64. The SDK trusts the first bytes of an image more than its stated type.
fn typed_media(data: Text, stated: Option<Text>) -> Media {
    let found = media_bytes::type_of_base64(&data.plain());
    let mime = match (found.filter(|mime| mime.starts_with("image/")), stated) {
        (Some(found), Some(stated)) if stated.is(found) => Some(stated),
        (Some(found), _) => Some(Text::new(found)),
        (None, Some(stated)) => Some(stated),
        (None, None) => found.map(Text::new),
    };
    let kind = mime.as_ref().map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime.plain()));
    Media::new(kind, MediaSource::Data(data)).mime(mime)
}

/// True for `image/png`, false for `image` and `image/*`.
fn is_full_type(mime: &[u8]) -> bool {
    mime.split(|b| *b == b'/').nth(1).is_some_and(|subtype| !subtype.is_empty() && subtype != b"*")
}

/// Where the content of a file is.
enum Source {
    Url(Text),
    /// Base64.
    Data(Text),
    /// The id, and the dialect of the provider that stores the file.
    Stored(Text, &'static str),
}

fn source(part: Val<'_>, base: RecordBase<'_>) -> Option<Source> {
    if let Some((provider, id)) = reference(part) {
        let dialect = STORES.iter().find(|(name, _)| *name == provider).map(|(_, dialect)| *dialect)?;
        return Some(Source::Stored(Text::copied(id, base)?, dialect));
    }
    let data = ["image", "data", "url"].iter().find_map(|key| part.get(key))?;
    if let Some(text) = Text::copied(data, base) {
        let is_url = ["http:", "https:", "data:", "gs:", "s3:"].iter();
        let is_url = is_url.clone().any(|scheme| text.raw().starts_with(scheme.as_bytes()));
        return Some(if is_url { Source::Url(text) } else { Source::Data(text) });
    }
    match data.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"url") => Some(Source::Url(Text::copied(data.get(name::url)?, base)?)),
        Some(b"text") => {
            let text = data.get(name::text)?;
            let plain = text.text()?;
            Some(Source::Data(Text::respelled(&STANDARD.encode(plain), base.of(text))))
        }
        Some(b"data") => {
            let own = data.get("data")?;
            Text::copied(own, base).or_else(|| bytes(own, base)).map(Source::Data)
        }
        _ => bytes(data, base).map(Source::Data),
    }
}

/// Bytes as JSON.stringify writes them, in base64.
fn bytes(val: Val<'_>, base: RecordBase<'_>) -> Option<Text> {
    let is_buffer = val.get(name::r#type).is_some_and(|kind| kind.is("Buffer"));
    let byte = |val: Val<'_>| val.as_u64().and_then(|byte| u8::try_from(byte).ok());
    let all: Option<Vec<u8>> = match val.get("data").filter(|_| is_buffer) {
        Some(data) => data.elements().map(byte).collect(),
        None => val
            .members()
            .enumerate()
            .map(|(n, member)| if member.key.is(n.to_string().as_bytes()) { byte(member.val) } else { None })
            .collect(),
    };
    all.filter(|all| !all.is_empty()).map(|all| Text::respelled(&STANDARD.encode(all), base.of(val)))
}

fn call(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    let options = provider_options::of(part);
    let id = parts::text(part.get(name::toolCallId), base)?;
    let input = parts::input(part.get(name::input).or_else(|| part.get(name::args)), base, at);
    let call = parts::call(id, Text::of_json(part.get(name::toolName)?, base), input, at);
    let signature = provider_options::thought_signature(options, base);
    Some(Part { id: provider_options::openai(options, "itemId", base), signature, ..call })
}

fn result(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    let text = |own: Val<'_>| vec![ResultPart::Text(Text::of_json(own, base))];
    let (mut output, mut failed) = match part.get(name::result) {
        // Version 4.
        Some(result) => (text(result), is_true(part, "isError")),
        None => (Vec::new(), false),
    };
    let mut cache = None;
    if let Some(stored) = part.get(name::output) {
        let kind = stored.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        failed = matches!(kind.as_ref(), b"error-text" | b"error-json" | b"execution-denied");
        output = match (stored.get(name::value), stored.get(name::reason)) {
            (Some(value), _) => {
                let all: Vec<ResultPart> = contents(part).filter_map(|own| content(own, base)).collect();
                if all.is_empty() { text(value) } else { all }
            }
            (None, Some(reason)) if reason.is_string() => text(reason),
            _ if kind.as_ref() == b"execution-denied" => vec![ResultPart::Text(Text::synthetic(DENIED, at))],
            _ => output,
        };
        let marked = std::iter::once(stored).chain(contents(part));
        cache = marked.map(provider_options::of).find_map(|options| provider_options::cache(options, base));
    }
    let mut result = parts::result(parts::text(part.get(name::toolCallId), base)?, output, failed, at);
    if let PartKind::Result(result) = &mut result.kind {
        result.name = part.get(name::toolName).and_then(|name| Text::copied(name, base));
    }
    Some(Part { cache: provider_options::cache(provider_options::of(part), base).or(cache), ..result })
}

/// A part of the output of a tool.
fn content(own: Val<'_>, base: RecordBase<'_>) -> Option<ResultPart> {
    match own.get(name::text).and_then(|text| Text::copied(text, base)) {
        Some(text) => Some(ResultPart::Text(text)),
        None => media(own, base).map(|media| ResultPart::media(media, base.of(own).into())),
    }
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
