//! Helpers of all dialects for reading and writing threads.

use std::borrow::Cow;

use crate::dialect::Body;
use crate::json::{Member, MemberKey, Tape, Val, name, scan, string};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, ExtraMember, LossKind, Losses, Media, MediaKind, MediaSource, Opaque, OpaqueKind, Part, PartKind,
    RawJson, Reasoning, ResultPart, Text, ToolResult,
};

/// A text, or a list of texts.
pub fn texts(val: Val<'_>) -> Vec<Text> {
    match Text::of_val(val) {
        Some(text) => vec![text],
        None => val.elements().filter_map(Text::of_val).collect(),
    }
}

pub fn text(val: Val<'_>, key: impl MemberKey) -> Option<Text> {
    val.get(key).and_then(Text::of_val)
}

/// The text of a member, unless it is empty.
pub fn nonempty_text(val: Val<'_>, key: impl MemberKey) -> Option<Text> {
    text(val, key).filter(|text| !text.is_empty())
}

pub fn opaque(dialect: &'static str, kind: OpaqueKind, val: Val<'_>) -> Opaque {
    Opaque { dialect, kind, raw: RawJson::of(val) }
}

/// A non-empty list of citations, kept raw for its own dialect.
pub fn citations(dialect: &'static str, list: Option<Val<'_>>) -> Option<Opaque> {
    list.filter(|list| list.count() > 0).map(|list| opaque(dialect, OpaqueKind::Citations, list))
}

/// A part with reasoning.
pub fn reasoning(
    provider: crate::message::ReasoningProvider,
    texts: Vec<Text>,
    encrypted_content: Option<Text>,
) -> PartKind {
    PartKind::Reasoning(Reasoning { provider, texts, encrypted_content, redacted: None })
}

/// Media from a URL (also a `data:` URL) or from the id of a file, whichever is given.
pub fn media(kind: MediaKind, url: Option<Text>, id: Option<Text>, dialect: &'static str) -> Option<Media> {
    match (url, id) {
        (Some(url), _) => Some(Media::of_url(kind, &url)),
        (None, Some(id)) => Some(Media::new(kind, MediaSource::Id(id, dialect))),
        (None, None) => None,
    }
}

/// A search result, as the APIs of Anthropic and Bedrock accept it.
pub fn search_result(val: Val<'_>) -> Option<Media> {
    let texts =
        val.get(name::content)?.elements().map(|part| text(part, name::text)).collect::<Option<Vec<Text>>>()?;
    Some(Media {
        name: nonempty_text(val, name::title),
        link: nonempty_text(val, name::source),
        citations: citation_request(val),
        ..Media::new(MediaKind::Search, MediaSource::Plain(texts))
    })
}

/// The request to cite a document or a search result; `None` unless it is enabled.
pub fn citation_request(val: Val<'_>) -> Option<RawJson> {
    let own = val.get(name::citations)?;
    own.get(name::enabled).is_some_and(|on| on.as_bool() == Some(true)).then(|| RawJson::of(own))
}

/// Writes arguments as the text of JSON: `{}` for none, because some servers refuse `""`. Those of a store are written
/// unchanged.
pub fn write_input_text(input: &CallInput, w: &mut JsonWriter<'_>) {
    match input {
        CallInput::Text(text) if text.is_blank() && !w.is_tracing() => w.plain("{}"),
        CallInput::Text(text) => w.text(text),
        CallInput::Json(raw) => w.value_as_text(raw),
    }
}

/// Writes arguments as a value. Conversion has made them an object.
pub fn write_input_object(input: &CallInput, w: &mut JsonWriter<'_>) {
    match input {
        CallInput::Text(text) if text.is_blank() && !w.is_tracing() => w.object(|_| {}),
        CallInput::Text(text) => w.text_as_value(text),
        CallInput::Json(raw) => w.raw(raw),
    }
}

/// The input of a stored call as an object. Arguments that are the text of an object are parsed; any other value becomes
/// the member `key` of an object.
pub fn input_object(input: Val<'_>, key: &str) -> Vec<u8> {
    if input.is_null() {
        return b"{}".to_vec();
    }
    let text = input.text().unwrap_or_default();
    let mut tape = Tape::new();
    let read = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)).filter(Val::is_object);
    match read {
        Some(object) => object.raw().to_vec(),
        None if input.is_string() && text.trim_ascii().is_empty() => b"{}".to_vec(),
        None => [b"{", &*string::quoted(key), b":", input.raw(), b"}"].concat(),
    }
}

/// A part of a result as text, for dialects that allow only text; `None` for media.
pub fn part_text(part: &ResultPart) -> Option<Cow<'_, Text>> {
    match part {
        ResultPart::Text(text) => Some(Cow::Borrowed(text)),
        ResultPart::Json(raw) => Some(Cow::Owned(raw.to_text())),
        ResultPart::Media(..) | ResultPart::Opaque(..) => None,
    }
}

/// All texts of a result as one.
pub fn result_text(result: &ToolResult) -> Text {
    match result.parts.as_slice() {
        [ResultPart::Text(only)] => only.clone(),
        parts => {
            let texts: Vec<Cow<'_, Text>> = parts.iter().filter_map(part_text).collect();
            Text::join(texts.iter().map(|text| &**text), "\\n")
        }
    }
}

/// The text of a part without citations and cache mark; `None` for other parts.
pub fn only_text(block: &Part) -> Option<&Text> {
    match &block.kind {
        PartKind::Text { text, citations: None } if block.cache.is_none() => Some(text),
        _ => None,
    }
}

/// Reads the members of a tool's definition that only some dialects have. Unknown ones are reported as lost.
pub fn read_extras(body: &Body<'_>, own: Val<'_>, known: &[&str], losses: &mut Losses) -> Vec<ExtraMember> {
    let mut found = Vec::new();
    for member in own.members().filter(|member| !member.val.is_null()) {
        let at = body.at_key(&member);
        match ExtraMember::of(&member, at) {
            Some(extra) => found.push(extra),
            None if known.iter().any(|name| member.key.is(name.as_bytes())) => {}
            None => losses.add(LossKind::FIELD, at),
        }
    }
    found
}

/// Writes these members of a definition.
pub fn write_extras(extras: &[ExtraMember], w: &mut JsonWriter<'_>) {
    for extra in extras {
        w.key(extra.key).raw(&extra.value);
    }
}

/// An object of the members with these names; `None` if there are none.
pub fn pick_members(val: Val<'_>, names: &[&str]) -> Option<RawJson> {
    let found: Vec<Member<'_>> =
        val.members().filter(|member| names.iter().any(|name| member.key.is(name.as_bytes()))).collect();
    if found.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    JsonWriter::new(&mut out).object(|w| {
        for member in found.iter().filter(|member| !member.val.is_null()) {
            w.key(&string::lossy(member.key.raw)).bytes(member.val.raw());
        }
    });
    Some(RawJson::new(out))
}

/// Writes a location in the form that the web searches of OpenAI and Anthropic accept.
pub fn write_location(location: &RawJson, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("approximate");
        write_members(location, w);
    });
}

/// Writes the members of an object into the one that is being written.
pub fn write_members(object: &RawJson, w: &mut JsonWriter<'_>) {
    let object = object.bytes();
    let inner = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    if let Some(inner) = inner.filter(|inner| !inner.trim_ascii().is_empty()) {
        w.bytes(inner);
    }
}

/// The `ttl` of a cache mark.
pub fn cache_ttl(mark: &RawJson) -> Option<Text> {
    let (bytes, mut tape) = (mark.bytes(), Tape::new());
    scan(&bytes, &mut tape).ok()?;
    tape.root(&bytes)?.get(name::ttl).and_then(Text::of_val)
}

/// The prefix of a result that becomes a text of the user.
const RESULT_PREFIX: &str = "Result of an earlier tool call: ";

/// A result as the parts of a user's message: one text part with a prefix, then the other parts unchanged. The text part
/// has the type `kind`, and its text under `key`.
pub fn result_as_parts(content: Option<Val<'_>>, kind: &str, key: &str) -> Vec<Vec<u8>> {
    let (mut texts, mut others) = (RESULT_PREFIX.to_owned(), Vec::new());
    match content {
        Some(list) if list.is_array() => {
            for part in list.elements() {
                match part.get(name::text).and_then(|text| text.text()) {
                    Some(text) => texts.push_str(&string::lossy(&text)),
                    None => others.push(part.raw().to_vec()),
                }
            }
        }
        Some(content) => texts.push_str(&text_or_json(content)),
        None => {}
    }
    let said = format!("{{\"type\":\"{kind}\",\"{key}\":{}}}", string::lossy(&string::quoted(&texts)));
    std::iter::once(said.into_bytes()).chain(others).collect()
}

/// The same as one block with only a text; other values are given as JSON.
pub fn result_as_text(content: Option<Val<'_>>) -> Vec<u8> {
    let mut said = RESULT_PREFIX.to_owned();
    let only = content.filter(|content| content.is_array()).map(|list| list.elements().collect::<Vec<_>>());
    match (only.as_deref(), content) {
        (Some([only]), _) => said.push_str(&text_or_json(only.get(name::text).unwrap_or(*only))),
        (_, Some(content)) => said.push_str(&text_or_json(content)),
        _ => {}
    }
    [b"{\"text\":", &*string::quoted(&said), b"}"].concat()
}

fn text_or_json(val: Val<'_>) -> String {
    let text = val.text().unwrap_or_else(|| Cow::Borrowed(val.raw()));
    string::lossy(&text).into_owned()
}
