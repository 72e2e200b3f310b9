//! Turns that readers of stores still give, as messages.

mod turn;

use crate::format::FormatInfo;
use crate::format::translate::Translated;
use crate::history::{Settings, Unsent};
use crate::json::pieces::Pieced;
use crate::message::{
    CallKind, Input, Maker, MediaKind, Message, Part, PartKind, Raw, Reasoning, ResultPart, Source, Text,
    ToolResult,
};
use crate::place::Place;

pub(super) use super::threads::{DialectChoice, Dialects, STORE};
pub(super) use turn::{Call, Id, Media, Says, Thought, Turn};

pub(super) fn told(
    dialects: &'static Dialects,
    dialect: DialectChoice,
    settings: Settings,
    turns: Vec<Turn>,
) -> Translated {
    told_in(dialects.row(dialect), settings, turns)
}

pub(super) fn told_in(info: &'static FormatInfo, settings: Settings, turns: Vec<Turn>) -> Translated {
    super::threads::translated(info, settings, turns.into_iter().map(message).collect())
}

pub(super) fn left(turns: &[Turn], why: &'static str) -> impl Iterator<Item = Unsent> {
    let _ = Place::default();
    turns.iter().flat_map(move |turn| {
        let what = if turn.role == crate::history::Role::Tool { "a result" } else { "a message" };
        turn.says.iter().map(move |says| Unsent::at(says.at(), turn.record, what, why))
    })
}

pub(super) fn raw(pieced: &Pieced) -> Raw {
    Raw::build(pieced.place(), |w| w.pieced(pieced))
}

fn text(pieced: &Pieced) -> Text {
    Text::of_pieced(pieced)
}

fn is_text(pieced: &Pieced) -> bool {
    raw(pieced).first() == Some(b'"')
}

pub(super) fn message(turn: Turn) -> Message {
    let mut message = Message { record: turn.record, ..Message::new(turn.role, turn.at.into()) };
    let mut last: Option<Id> = None;
    for says in turn.says {
        let thought = if let Says::Thought(thought) = &says { thought.id.clone() } else { None };
        let goes_on = thought.as_ref().is_some_and(|id| last.as_ref().is_some_and(|last| last.text == id.text));
        let part = part(says);
        match message.parts.last_mut() {
            Some(Part { kind: PartKind::Reasoning(before), .. }) if goes_on => {
                if let PartKind::Reasoning(more) = part.kind {
                    before.texts.extend(more.texts);
                    before.seal = more.seal.or(before.seal.take());
                }
            }
            _ => message.parts.push(part),
        }
        last = thought;
    }
    message
}

fn part(says: Says) -> Part {
    let at = says.at();
    match says {
        Says::Text { text: own, id, .. } => {
            Part { id: id.map(|id| text(&id.piece)), ..Part::text(text(&own), at.into()) }
        }
        Says::Thought(thought) => {
            let reasoning = Reasoning {
                maker: if thought.id.is_some() || thought.blob.is_some() {
                    Maker::OpenAi
                } else {
                    Maker::Anthropic
                },
                texts: Some(text(&thought.text)).filter(|text| !text.is_empty()).into_iter().collect(),
                seal: thought.signature.or(thought.blob).map(|own| text(&own)),
                redacted: thought.redacted.map(|own| text(&own)),
            };
            let id = thought.id.map(|id| text(&id.piece));
            Part { id, ..Part::new(PartKind::Reasoning(reasoning), at.into()) }
        }
        Says::Call(call) => {
            let input =
                if is_text(&call.input) { Input::Text(text(&call.input)) } else { Input::Json(raw(&call.input)) };
            let own = crate::message::Call {
                id: text(&call.id.piece),
                invented: false,
                name: text(&call.name),
                input,
                kind: CallKind::Function,
            };
            Part { id: call.item.map(|id| text(&id.piece)), ..Part::new(PartKind::Call(own), at.into()) }
        }
        Says::Result { call, output, failed, .. } => {
            let output =
                if is_text(&output) { ResultPart::Text(text(&output)) } else { ResultPart::Json(raw(&output)) };
            let result = ToolResult {
                id: text(&call.piece),
                name: None,
                parts: vec![output],
                is_error: failed,
                kind: CallKind::Function,
            };
            Part::new(PartKind::Result(result), at.into())
        }
        Says::Media(media) => {
            let kind = if media.is_image { MediaKind::Image } else { MediaKind::File };
            let source = match media.data {
                Some(data) => Source::Data(text(&data)),
                None => Source::Url(text(&media.url)),
            };
            let mime = Some(text(&media.mime)).filter(|mime| !mime.is_empty());
            let own = crate::message::Media {
                name: media.name.map(|name| text(&name)),
                ..crate::message::Media::new(kind, source).mime(mime)
            };
            Part::new(own.into(), at.into())
        }
        Says::Item(item) => {
            let opaque = crate::message::Opaque {
                dialect: "responses",
                kind: crate::message::OpaqueKind::Item,
                raw: raw(&item),
            };
            Part::new(PartKind::Opaque(opaque), at.into())
        }
    }
}

/// Messages of a dialect that a reader has put together.
pub(super) fn verbatim(info: &FormatInfo, pieced: &Pieced, record: u32) -> Message {
    Message::verbatim(
        info.dialect.info().name,
        crate::history::Role::Assistant,
        raw(pieced),
        pieced.place(),
        record,
    )
}
