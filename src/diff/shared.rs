//! What a history says in words that all dialects share, for two that speak different ones. What has no such words is an
//! entry of its own, which finds no partner on the other side.

use std::io;

use crate::json::{Tape, scan};
use crate::message::write::Writer;
use crate::message::{
    Input, LossKind, Losses, Lost, Media, Message, Part, PartKind, ResultPart, Role, Source, Text, Thread,
    ToolResult,
};
use crate::source::ReadAt;

use super::entry::{Entry, Grammar, Locate};
use super::same::Tie;
use super::shared_settings;

/// The entries of a conversation and the settings of its request.
pub fn tell(
    conversation: &Thread,
    losses: &Losses,
    bytes: &dyn ReadAt,
    locate: Locate<'_>,
    aside: &mut dyn FnMut(Entry) -> Entry,
) -> io::Result<(Vec<Entry>, Vec<Entry>)> {
    let mut entries = Vec::new();
    for block in &conversation.instructions {
        entries.extend(entry(Role::System, None, block, locate));
    }
    for message in &conversation.messages {
        let Message { role, name, parts: blocks, .. } = message;
        let all = blocks.iter().filter_map(|block| entry(*role, name.as_ref(), block, locate));
        entries.extend(all.map(&mut *aside));
    }
    let is_said = |lost: &&Lost| matches!(lost.kind, LossKind::FIELD | LossKind::REASONING);
    for lost in losses.list.iter().filter(is_said) {
        let at = lost.at.place;
        let kind = "field of its API alone".to_owned();
        entries.push(Entry::new(kind, None, Grammar::Shared, Vec::new(), at, locate(at)));
    }
    Ok((entries, shared_settings::tell(conversation, bytes, locate)?))
}

/// A block in shared words; `None` for what says nothing.
fn entry(role: Role, name: Option<&Text>, block: &Part, locate: Locate<'_>) -> Option<Entry> {
    if block.is_blank() {
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
    let mut w = Writer::new(&mut text);
    match &block.kind {
        PartKind::Text { text, citations } => w.object(|w| {
            w.key("from").plain(who);
            w.key("text").text(text);
            name.iter().for_each(|name| w.key("name").text(name));
            citations.iter().for_each(|list| w.key("citations").raw(&list.raw));
            block.signature.iter().for_each(|signature| w.key("signature").text(signature));
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
            id = (!call.invented).then(|| String::from_utf8_lossy(&call.id.plain()).into_owned());
            w.object(|w| {
                match &call.input {
                    Input::Json(raw) => w.key("input").raw(raw),
                    Input::Text(text) => write_json_or_text(text, w.key("input")),
                }
                block.signature.iter().for_each(|signature| w.key("signature").text(signature));
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
                reasoning.seal.iter().for_each(|seal| w.key("seal").text(seal));
                reasoning.redacted.iter().for_each(|redacted| w.key("redacted").text(redacted));
            });
        }
        PartKind::Opaque(foreign) => {
            kind = "of its dialect alone".to_owned();
            w.raw(&foreign.raw);
        }
    }
    let at = block.at.place;
    let ids = id.iter().map(|id| (Tie::Call, id.as_bytes().into())).collect();
    Some(Entry { ids, ..Entry::new(kind, id, Grammar::Shared, text, at, locate(at)) })
}

/// All texts of a result are one, as in the dialects that have no parts there.
fn write_result(result: &ToolResult, w: &mut Writer<'_>) {
    let texts: Vec<Text> = result
        .parts
        .iter()
        .filter_map(|part| match part {
            ResultPart::Text(text) => Some(text.clone()),
            ResultPart::Json(raw) => {
                let mut line = Vec::new();
                Writer::new(&mut line).raw(raw);
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
                    ResultPart::Opaque(foreign, _) => w.raw(&foreign.raw),
                    ResultPart::Text(_) | ResultPart::Json(_) => {}
                }
            }
        });
    }
}

/// Arguments and results are compared as JSON where they are.
fn write_json_or_text(text: &Text, w: &mut Writer<'_>) {
    let plain = text.plain();
    let structured = matches!(plain.trim_ascii().first(), Some(b'{' | b'['));
    match structured && scan(&plain, &mut Tape::new()).is_ok() {
        true => w.bytes(&plain),
        false => w.text(text),
    }
}

fn write_media(media: &Media, w: &mut Writer<'_>) {
    media.name.iter().for_each(|name| w.key("name").text(name));
    let detail = media.detail.iter().filter(|detail| *detail.plain() != *b"auto");
    detail.for_each(|detail| w.key("detail").text(detail));
    media.context.iter().for_each(|context| w.key("context").text(context));
    match &media.source {
        Source::Data(data) => w.key("data").text(data),
        Source::Url(url) => w.key("url").text(url),
        Source::Id(id, _) => w.key("file").text(id),
        Source::Plain(texts) => w.key("document").text(&Text::join(texts, "\\n")),
    }
}
