//! What reading and writing a thread need in every dialect.

use std::borrow::Cow;

use crate::dialect::Body;
use crate::json::{Member, Tape, Val, name, scan, string};
use crate::message::write::Writer;
use crate::message::{
    Extra, Input, LossKind, Losses, Media, MediaKind, Opaque, OpaqueKind, Part, PartKind, Raw, Reasoning,
    ResultPart, Source, Text, ToolResult,
};

/// A text, or a list of texts.
pub fn texts(val: Val<'_>) -> Vec<Text> {
    match Text::of_val(val) {
        Some(text) => vec![text],
        None => val.elements().filter_map(Text::of_val).collect(),
    }
}

pub fn text(val: Val<'_>, key: &str) -> Option<Text> {
    val.get(key).and_then(Text::of_val)
}

/// A text that says something.
pub fn said(val: Val<'_>, key: &str) -> Option<Text> {
    text(val, key).filter(|text| !text.is_empty())
}

pub fn foreign(dialect: &'static str, kind: OpaqueKind, val: Val<'_>) -> Opaque {
    Opaque { dialect, kind, raw: Raw::of(val) }
}

/// A list that is not empty, kept for its own dialect.
pub fn citations(dialect: &'static str, list: Option<Val<'_>>) -> Option<Opaque> {
    list.filter(|list| list.count() > 0).map(|list| foreign(dialect, OpaqueKind::Citations, list))
}

/// Reasoning as a block of its own.
pub fn reasoning(maker: crate::message::Maker, texts: Vec<Text>, seal: Option<Text>) -> PartKind {
    PartKind::Reasoning(Reasoning { maker, texts, seal, redacted: None })
}

/// A file that the provider holds, or base64, or a URL: whichever is there.
pub fn media(kind: MediaKind, url: Option<Text>, id: Option<Text>, dialect: &'static str) -> Option<Media> {
    match (url, id) {
        (Some(url), _) => Some(Media::of_url(kind, &url)),
        (None, Some(id)) => Some(Media::new(kind, Source::Id(id, dialect))),
        (None, None) => None,
    }
}

/// What a search found, as the APIs of Anthropic and Bedrock are told it.
pub fn search_result(val: Val<'_>) -> Option<Media> {
    let texts =
        val.get(name::content)?.elements().map(|part| text(part, "text")).collect::<Option<Vec<Text>>>()?;
    Some(Media {
        name: said(val, "title"),
        link: said(val, "source"),
        cited: cited(val),
        ..Media::new(MediaKind::Search, Source::Plain(texts))
    })
}

/// What asks for citations of a document or of what was found, unless it says that none are wanted.
pub fn cited(val: Val<'_>) -> Option<Raw> {
    let own = val.get(name::citations)?;
    own.get(name::enabled).is_some_and(|on| on.as_bool() == Some(true)).then(|| Raw::of(own))
}

/// Arguments as the text of JSON: `""` for none is what some servers refuse. What a store says is written as it is.
pub fn write_input_text(input: &Input, w: &mut Writer<'_>) {
    match input {
        Input::Text(text) if text.is_blank() && !w.is_tracing() => w.plain("{}"),
        Input::Text(text) => w.text(text),
        Input::Json(raw) => w.quoted(raw),
    }
}

/// Arguments as a value. Conversion has seen to it that they are an object.
pub fn write_input_object(input: &Input, w: &mut Writer<'_>) {
    match input {
        Input::Text(text) if text.is_blank() && !w.is_tracing() => w.object(|_| {}),
        Input::Text(text) => w.spelled(text),
        Input::Json(raw) => w.raw(raw),
    }
}

/// An object that says what the input of a stored call says. Arguments that other APIs keep as a text are read; what is
/// no object becomes the member `key` of one.
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

/// A part of a result as text, for a dialect that has nothing else.
pub fn part_text(part: &ResultPart) -> Option<Cow<'_, Text>> {
    match part {
        ResultPart::Text(text) => Some(Cow::Borrowed(text)),
        ResultPart::Json(raw) => Some(Cow::Owned(raw.spelled())),
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

/// The text of a block that is only text.
pub fn only_text(block: &Part) -> Option<&Text> {
    match &block.kind {
        PartKind::Text { text, citations: None } if block.cache.is_none() => Some(text),
        _ => None,
    }
}

/// The members of a tool's definition that only some dialects know. What none of them knows is noted as lost.
pub fn extras(body: &Body<'_>, own: Val<'_>, known: &[&str], losses: &mut Losses) -> Vec<Extra> {
    let mut found = Vec::new();
    for member in own.members().filter(|member| !member.val.is_null()) {
        let at = body.at_key(&member);
        match Extra::of(&member.key.decode(), Raw::of(member.val), at) {
            Some(extra) => found.push(extra),
            None if known.iter().any(|name| member.key.is(name.as_bytes())) => {}
            None => losses.add(LossKind::FIELD, at),
        }
    }
    found
}

/// Writes the members of a definition that a dialect knows.
pub fn write_extras(extras: &[Extra], w: &mut Writer<'_>) {
    for extra in extras {
        w.key(extra.key).raw(&extra.value);
    }
}

/// The members of an object as those of another one, under these names.
pub fn picked(val: Val<'_>, names: &[&str]) -> Option<Raw> {
    let found: Vec<Member<'_>> =
        val.members().filter(|member| names.iter().any(|name| member.key.is(name.as_bytes()))).collect();
    if found.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    Writer::new(&mut out).object(|w| {
        for member in found.iter().filter(|member| !member.val.is_null()) {
            w.key(&String::from_utf8_lossy(member.key.raw)).bytes(member.val.raw());
        }
    });
    Some(Raw::new(out))
}

/// A place as the APIs of OpenAI and Anthropic tell it to a search of the web.
pub fn write_location(location: &Raw, w: &mut Writer<'_>) {
    w.object(|w| {
        w.key("type").plain("approximate");
        write_members(location, w);
    });
}

/// The members of an object, into the one that is being written.
pub fn write_members(object: &Raw, w: &mut Writer<'_>) {
    let object = object.bytes();
    let inner = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    if let Some(inner) = inner.filter(|inner| !inner.trim_ascii().is_empty()) {
        w.bytes(inner);
    }
}

/// How long what a mark caches is to be kept.
pub fn cached_for(mark: &Raw) -> Option<Text> {
    let (bytes, mut tape) = (mark.bytes(), Tape::new());
    scan(&bytes, &mut tape).ok()?;
    tape.root(&bytes)?.get("ttl").and_then(Text::of_val)
}

/// What stands before a result that is said as a text of the user.
const RESULT: &str = "Result of an earlier tool call: ";

/// What a result says, as the parts of a user's message: texts after a few words that say what they are, and what is no
/// text as it is. A text part has the type `kind`, and its text under `key`.
pub fn as_parts(content: Option<Val<'_>>, kind: &str, key: &str) -> Vec<Vec<u8>> {
    let (mut texts, mut others) = (RESULT.to_owned(), Vec::new());
    match content {
        Some(list) if list.is_array() => {
            for part in list.elements() {
                match part.get(name::text).and_then(|text| text.text()) {
                    Some(text) => texts.push_str(&String::from_utf8_lossy(&text)),
                    None => others.push(part.raw().to_vec()),
                }
            }
        }
        Some(content) => texts.push_str(&spoken(content)),
        None => {}
    }
    let said = format!("{{\"type\":\"{kind}\",\"{key}\":{}}}", String::from_utf8_lossy(&string::quoted(&texts)));
    std::iter::once(said.into_bytes()).chain(others).collect()
}

/// The same as one block that holds nothing but a text; what is no text is said as JSON.
pub fn as_text(content: Option<Val<'_>>) -> Vec<u8> {
    let mut said = RESULT.to_owned();
    let only = content.filter(|content| content.is_array()).map(|list| list.elements().collect::<Vec<_>>());
    match (only.as_deref(), content) {
        (Some([only]), _) => said.push_str(&spoken(only.get(name::text).unwrap_or(*only))),
        (_, Some(content)) => said.push_str(&spoken(content)),
        _ => {}
    }
    [b"{\"text\":", &*string::quoted(&said), b"}"].concat()
}

fn spoken(val: Val<'_>) -> String {
    let text = val.text().unwrap_or_else(|| Cow::Borrowed(val.raw()));
    String::from_utf8_lossy(&text).into_owned()
}
