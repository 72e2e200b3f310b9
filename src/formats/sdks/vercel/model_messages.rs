//! Messages as the Vercel AI SDK passes them to its providers, `ModelMessage[]`: roles `system`, `user`, `assistant` and
//! `tool`, with parts `tool-call` and `tool-result`.

use crate::format::translate::ParsedRecord;
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Part, ResultPart, Text};

use super::super::vercel;
use super::{VercelConversation, VercelFormat, edit};
use crate::formats::threads::{Dialects, STORE, parts};

pub struct VercelModelMessages;

pub static FORMAT: VercelModelMessages = VercelModelMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "vercel-model-messages",
    title: "ModelMessage list of the Vercel AI SDK",
    upstream: Some(Upstream { repository: "vercel/ai", file: None, version: Some("7.0.77") }),
    known_by: "messages whose `content` has parts `tool-call` or `tool-result` with `toolCallId`",
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::MODEL_MESSAGES),
    ..STORE
});

static VERCEL_FORMAT: VercelFormat = VercelFormat { dialects: &DIALECTS, add_message };

/// The maximum number of messages that are examined in detection.
const SAMPLE: usize = 256;

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/[type=file|image]mediaType"], why: "the URL of the file states it" },
    UnsentPaths { paths: &["**/[type=tool-result]toolName"], why: "the name is in the call" },
];

impl Format for VercelModelMessages {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let mut best = 0;
        for message in vercel::messages(probe.val).take(SAMPLE) {
            match score(message) {
                0 => return 0,
                score => best = best.max(score),
            }
        }
        best
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        vercel::messages(val).all(|message| score(message) > 0)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| vercel::reader(&VERCEL_FORMAT))
    }
}

/// The score of an object as a ModelMessage. Most resemble messages of Chat: they count only among distinctive ones.
fn score(message: Val<'_>) -> u8 {
    let foreign = ["parts", "sessionId", "uuid", "tool_calls", "tool_call_id", "message", "ts"];
    let Some(content) = message.get(name::content).filter(|_| vercel::role(message).is_some()) else { return 0 };
    if foreign.iter().any(|key| message.get(key).is_some()) {
        return 0;
    }
    let is_distinctive = |part: Val<'_>| {
        let is =
            |kinds: &[&str]| part.get(name::r#type).is_some_and(|kind| kinds.iter().any(|name| kind.is(name)));
        part.get(name::toolCallId).is_some() && is(&["tool-call", "tool-result", "tool-approval-request"])
            || part.get("approvalId").is_some() && is(&["tool-approval-response"])
    };
    if content.elements().any(is_distinctive) { 95 } else { 1 }
}

fn add_message(conversation: &mut VercelConversation, message: Val<'_>, record: &ParsedRecord<'_>) {
    let (Some(role), Some(content)) = (vercel::role(message), message.get(name::content)) else { return };
    let base = record.base;
    content.elements().for_each(|part| conversation.providers.observe(metadata(part)));
    let parts = match Text::copied(content, base) {
        Some(text) => vec![Part::text(text, base.of(message).into())],
        None => content.elements().filter_map(|part| translate_part(part, role, base)).collect(),
    };
    conversation.push(role, parts, message, record);
}

fn metadata(part: Val<'_>) -> Option<Val<'_>> {
    ["providerOptions", "providerMetadata", "experimental_providerMetadata"].iter().find_map(|key| part.get(key))
}

fn translate_part(part: Val<'_>, role: Role, base: RecordBase<'_>) -> Option<Part> {
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => vercel::text_part(part, metadata(part), base),
        b"reasoning" | b"redacted-reasoning" => vercel::reasoning_part(part, metadata(part), base),
        b"image" | b"file" if role == Role::User => {
            media(part, base).map(|media| Part::new(media.into(), base.of(part).into()))
        }
        b"tool-call" => call(part, base),
        b"tool-result" if role == Role::Tool => result(part, base),
        _ => None,
    }
}

/// A file of the user, or of a tool: its URL, or its content.
fn media(part: Val<'_>, base: RecordBase<'_>) -> Option<Media> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| part.get(key)).and_then(|own| Text::copied(own, base));
    let file = first(&["image", "data", "url"])?;
    let (mime, name) = (first(&["mediaType", "mimeType"]), first(&["filename"]));
    let is_url = ["http", "data:"].iter().any(|start| file.raw().starts_with(start.as_bytes()));
    let mut media = match is_url {
        true => parts::media(file, mime, name),
        false => {
            parts::media_of_data(mime.unwrap_or_else(|| Text::synthetic("image/png", base.of(part))), file, name)
        }
    };
    if part.get(name::r#type).and_then(|kind| kind.text()).is_some_and(|kind| kind.starts_with(b"image")) {
        media.kind = MediaKind::Image;
    }
    Some(media)
}

fn call(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    if is_true(part, "providerExecuted") {
        return None;
    }
    let id = parts::text(part.get(name::toolCallId), base)?;
    let input = parts::input(part.get(name::input).or_else(|| part.get(name::args)), base, at);
    let call = parts::call(id, Text::of_json(part.get(name::toolName)?, base), input, at);
    Some(Part { id: vercel::openai_metadata(metadata(part), "itemId", base), ..call })
}

fn result(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(part);
    let text = |own: Val<'_>| vec![ResultPart::Text(Text::of_json(own, base))];
    let (mut output, mut failed) = match part.get(name::result) {
        // Version 4.
        Some(result) => (text(result), is_true(part, "isError")),
        None => (Vec::new(), false),
    };
    if let Some(stored) = part.get(name::output) {
        let kind = stored.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        failed = matches!(kind.as_ref(), b"error-text" | b"error-json" | b"execution-denied");
        output = match (stored.get(name::value), stored.get(name::reason)) {
            (Some(value), _) => {
                let all: Vec<ResultPart> = value.elements().filter_map(|own| content(own, base)).collect();
                let is_content = kind.as_ref() == b"content" && !all.is_empty();
                if is_content { parts::join_texts(all, base.of(value)) } else { text(value) }
            }
            (None, Some(reason)) if reason.is_string() => text(reason),
            _ if kind.as_ref() == b"execution-denied" => {
                vec![ResultPart::Text(Text::synthetic(vercel::DENIED, at))]
            }
            _ => output,
        };
    }
    Some(parts::result(parts::text(part.get(name::toolCallId), base)?, output, failed, at))
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
