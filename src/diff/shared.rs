//! The entries of a history in a vocabulary that all dialects share, for two histories of different dialects. A part
//! without an equivalent becomes an entry without a partner.

use std::borrow::Cow;
use std::io;

use crate::json::{Tape, scan};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, ConversionLoss, LossKind, Losses, Media, MediaSource, Message, Part, PartKind, ResultPart, Role,
    Text, Thread, ToolResult,
};
use crate::source::ReadAt;

use super::entry::{Entry, EntryGrammar, RecordLookup};
use super::equivalence::IdKind;
use super::shared_settings;

/// The entries of a conversation and the settings of its request.
pub fn collect_entries(
    conversation: &Thread,
    losses: &Losses,
    bytes: &dyn ReadAt,
    locate: RecordLookup<'_>,
    keep: &mut dyn FnMut(Entry) -> Entry,
) -> io::Result<(Vec<Entry>, Vec<Entry>)> {
    let mut entries = Vec::new();
    for part in &conversation.instructions {
        entries.extend(entry(Role::System, None, part, locate));
    }
    for message in &conversation.messages {
        let Message { role, name, parts, .. } = message;
        let parts: Vec<&Part> = parts.iter().filter(|part| !part.is_blank()).collect();
        for run in parts.chunk_by(|a, b| is_only_text(a) && is_only_text(b)) {
            let own = joined(run).and_then(|part| entry(*role, name.as_ref(), &part, locate));
            entries.extend(own.map(&mut *keep));
        }
    }
    let is_compared = |lost: &&ConversionLoss| matches!(lost.kind, LossKind::FIELD | LossKind::REASONING);
    for lost in losses.list.iter().filter(is_compared) {
        let at = lost.at.place;
        let kind = "field of its API alone".to_owned();
        entries.push(Entry::new(kind, None, EntryGrammar::Shared, Vec::new(), at, locate(at)));
    }
    Ok((entries, shared_settings::collect_settings(conversation, bytes, locate)?))
}

fn is_only_text(part: &Part) -> bool {
    matches!(part.kind, PartKind::Text { citations: None, .. }) && part.signature.is_none()
}

/// Texts that follow each other as one part: how a text is divided makes no difference.
fn joined<'p>(run: &[&'p Part]) -> Option<Cow<'p, Part>> {
    let (first, rest) = run.split_first()?;
    if rest.is_empty() {
        return Some(Cow::Borrowed(first));
    }
    let texts = run.iter().filter_map(|part| match &part.kind {
        PartKind::Text { text, .. } => Some(text),
        _ => None,
    });
    let kind = PartKind::Text { text: Text::join(texts, ""), citations: None };
    Some(Cow::Owned(Part { kind, ..(*first).clone() }))
}

/// A part as an entry; `None` for a blank one.
fn entry(role: Role, name: Option<&Text>, part: &Part, locate: RecordLookup<'_>) -> Option<Entry> {
    if part.is_blank() {
        return None;
    }
    let who = match role {
        Role::System | Role::Developer => "instructions",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        _ => "user",
    };
    let mut text = Vec::new();
    let mut id = None;
    let mut kind = who.to_owned();
    let mut w = JsonWriter::new(&mut text);
    match &part.kind {
        PartKind::Text { text, citations } => w.object(|w| {
            w.key("from").plain(who);
            w.key("text").text(text);
            name.iter().for_each(|name| w.key("name").text(name));
            citations.iter().for_each(|list| w.key("citations").raw(&list.raw));
            part.signature.iter().for_each(|signature| w.key("signature").text(signature));
        }),
        PartKind::Refusal(text) => w.object(|w| {
            w.key("from").plain(who);
            w.key("refusal").text(text);
        }),
        PartKind::Media(media) => w.object(|w| {
            w.key("from").plain(who);
            write_media(media, w);
        }),
        PartKind::Call(call) => {
            kind = format!("call of {}", String::from_utf8_lossy(&call.name.plain()));
            id = (!call.has_synthetic_id).then(|| String::from_utf8_lossy(&call.id.plain()).into_owned());
            w.object(|w| {
                match &call.input {
                    CallInput::Json(raw) => w.key("input").raw(raw),
                    CallInput::Text(text) => write_json_or_text(text, w.key("input")),
                }
                part.signature.iter().for_each(|signature| w.key("signature").text(signature));
            });
        }
        PartKind::Result(result) => {
            kind = "result".to_owned();
            id = Some(String::from_utf8_lossy(&result.id.plain()).into_owned());
            w.object(|w| write_result(result, w));
        }
        PartKind::Reasoning(reasoning) => {
            kind = "reasoning".to_owned();
            w.object(|w| {
                w.key("reasoning").array(|w| reasoning.texts.iter().for_each(|text| w.text(text)));
                reasoning
                    .encrypted_content
                    .iter()
                    .for_each(|encrypted_content| w.key("encrypted_content").text(encrypted_content));
                reasoning.redacted.iter().for_each(|redacted| w.key("redacted").text(redacted));
            });
        }
        PartKind::Opaque(opaque) => {
            kind = "of its dialect alone".to_owned();
            w.raw(&opaque.raw);
        }
    }
    let at = part.at.place;
    let ids = id.iter().map(|id| (IdKind::Call, id.as_bytes().into())).collect();
    Some(Entry { ids, ..Entry::new(kind, id, EntryGrammar::Shared, text, at, locate(at)) })
}

/// Writes a result, with all texts joined as in dialects without parts.
fn write_result(result: &ToolResult, w: &mut JsonWriter<'_>) {
    let texts: Vec<Text> = result
        .parts
        .iter()
        .filter_map(|part| match part {
            ResultPart::Text(text) => Some(text.clone()),
            ResultPart::Json(raw) => {
                let mut line = Vec::new();
                JsonWriter::new(&mut line).raw(raw);
                Some(Text::new(&String::from_utf8_lossy(&line)))
            }
            ResultPart::Media(..) | ResultPart::Opaque(..) => None,
        })
        .collect();
    write_json_or_text(&Text::join(&texts, "\\n"), w.key("result"));
    if result.is_error {
        w.key("is_error").bool(true);
    }
    let others = |part: &&ResultPart| matches!(part, ResultPart::Media(..) | ResultPart::Opaque(..));
    if result.parts.iter().any(|part| others(&part)) {
        w.key("beside").array(|w| {
            for part in &result.parts {
                match part {
                    ResultPart::Media(media, _) => w.object(|w| write_media(media, w)),
                    ResultPart::Opaque(opaque, _) => w.raw(&opaque.raw),
                    ResultPart::Text(_) | ResultPart::Json(_) => {}
                }
            }
        });
    }
}

/// Writes arguments or results as JSON if they are, otherwise as text.
fn write_json_or_text(text: &Text, w: &mut JsonWriter<'_>) {
    let plain = text.plain();
    let structured = matches!(plain.trim_ascii().first(), Some(b'{' | b'['));
    match structured && scan(&plain, &mut Tape::new()).is_ok() {
        true => w.bytes(&plain),
        false => w.text(text),
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    media.name.iter().for_each(|name| w.key("name").text(name));
    let detail = media.detail.iter().filter(|detail| *detail.plain() != *b"auto");
    detail.for_each(|detail| w.key("detail").text(detail));
    media.context.iter().for_each(|context| w.key("context").text(context));
    match &media.source {
        MediaSource::Data(data) => w.key("data").text(data),
        MediaSource::Url(url) => w.key("url").text(url),
        MediaSource::Id(id, _) => w.key("file").text(id),
        MediaSource::Plain(texts) => w.key("document").text(&Text::join(texts, "\\n")),
    }
}
