//! Messages in the form in which the Vercel AI SDK hands them to its providers, `ModelMessage[]`: roles `system`, `user`,
//! `assistant` and `tool`, with parts `tool-call` and `tool-result`.

use crate::format::translate::Stored;
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Part, ResultPart, Text};

use super::super::vercel;
use super::{Conversation, Form, edit};
use crate::formats::threads::{Dialects, STORE, parts};

pub struct VercelModelMessages;

pub static FORMAT: VercelModelMessages = VercelModelMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "vercel-model-messages",
    title: "ModelMessage list of the Vercel AI SDK",
    upstream: Some(Upstream { repository: "vercel/ai", file: None, version: Some("7.0.77") }),
    known_by: "messages whose `content` has parts `tool-call` or `tool-result` with `toolCallId`",
    unsent: UNSENT,
    edited: Edited::Whole,
    editor: Some(&edit::MODEL_MESSAGES),
    ..STORE
});

static FORM: Form = Form { dialects: &DIALECTS, take };

/// Messages that are looked at to recognise a document.
const SAMPLE: usize = 256;

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/[type=file|image]mediaType"], why: "the address of the file says it" },
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

    fn knows(&self, val: Val<'_>) -> bool {
        vercel::messages(val).all(|message| score(message) > 0)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| vercel::reader(&FORM))
    }
}

/// How surely an object is such a message. Most look like Chat's: those only go along with others that tell.
fn score(message: Val<'_>) -> u8 {
    let foreign = ["parts", "sessionId", "uuid", "tool_calls", "tool_call_id", "message", "ts"];
    let Some(content) = message.get(name::content).filter(|_| vercel::role(message).is_some()) else { return 0 };
    if foreign.iter().any(|key| message.get(key).is_some()) {
        return 0;
    }
    let tells = |part: Val<'_>| {
        let is =
            |kinds: &[&str]| part.get(name::r#type).is_some_and(|kind| kinds.iter().any(|name| kind.is(name)));
        part.get(name::toolCallId).is_some() && is(&["tool-call", "tool-result", "tool-approval-request"])
            || part.get("approvalId").is_some() && is(&["tool-approval-response"])
    };
    if content.elements().any(tells) { 95 } else { 1 }
}

fn take(conversation: &mut Conversation, message: Val<'_>, record: &Stored<'_>) {
    let (Some(role), Some(content)) = (vercel::role(message), message.get(name::content)) else { return };
    let base = record.base;
    content.elements().for_each(|part| conversation.providers.see(metadata(part)));
    let sent = match Text::copied(content, base) {
        Some(text) => vec![Part::text(text, base.of(message).into())],
        None => content.elements().filter_map(|part| sent(part, role, base)).collect(),
    };
    conversation.push(role, sent, message, record);
}

fn metadata(part: Val<'_>) -> Option<Val<'_>> {
    ["providerOptions", "providerMetadata", "experimental_providerMetadata"].iter().find_map(|key| part.get(key))
}

fn sent(part: Val<'_>, role: Role, base: Base<'_>) -> Option<Part> {
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => vercel::text(part, metadata(part), base),
        b"reasoning" | b"redacted-reasoning" => vercel::thought(part, metadata(part), base),
        b"image" | b"file" if role == Role::User => {
            media(part, base).map(|media| Part::new(media.into(), base.of(part).into()))
        }
        b"tool-call" => call(part, base),
        b"tool-result" if role == Role::Tool => result(part, base),
        _ => None,
    }
}

/// A file of the user's, or of a tool's: its address, or its content by itself.
fn media(part: Val<'_>, base: Base<'_>) -> Option<Media> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| part.get(key)).and_then(|own| Text::copied(own, base));
    let file = first(&["image", "data", "url"])?;
    let (mime, name) = (first(&["mediaType", "mimeType"]), first(&["filename"]));
    let is_address = ["http", "data:"].iter().any(|start| file.raw().starts_with(start.as_bytes()));
    let mut media = match is_address {
        true => parts::media(file, mime, name),
        false => parts::media_of_data(mime.unwrap_or_else(|| Text::named("image/png", base.of(part))), file, name),
    };
    if part.get(name::r#type).and_then(|kind| kind.text()).is_some_and(|kind| kind.starts_with(b"image")) {
        media.kind = MediaKind::Image;
    }
    Some(media)
}

fn call(part: Val<'_>, base: Base<'_>) -> Option<Part> {
    let at = base.of(part);
    if is_true(part, "providerExecuted") {
        return None;
    }
    let id = parts::text(part.get(name::toolCallId), base)?;
    let input = parts::input(part.get(name::input).or_else(|| part.get(name::args)), base, at);
    let call = parts::call(id, Text::of_json(part.get(name::toolName)?, base), input, at);
    Some(Part { id: vercel::openai(metadata(part), "itemId", base), ..call })
}

fn result(part: Val<'_>, base: Base<'_>) -> Option<Part> {
    let at = base.of(part);
    let text = |own: Val<'_>| vec![ResultPart::Text(Text::of_json(own, base))];
    let (mut output, mut failed) = match part.get(name::result) {
        // Version 4.
        Some(result) => (text(result), is_true(part, "isError")),
        None => (Vec::new(), false),
    };
    if let Some(given) = part.get(name::output) {
        let kind = given.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        failed = matches!(kind.as_ref(), b"error-text" | b"error-json" | b"execution-denied");
        output = match (given.get(name::value), given.get(name::reason)) {
            (Some(value), _) => {
                let all: Vec<ResultPart> = value.elements().filter_map(|own| content(own, base)).collect();
                let is_content = kind.as_ref() == b"content" && !all.is_empty();
                if is_content { parts::joined(all, base.of(value)) } else { text(value) }
            }
            (None, Some(reason)) if reason.is_string() => text(reason),
            _ if kind.as_ref() == b"execution-denied" => vec![ResultPart::Text(Text::named(vercel::DENIED, at))],
            _ => output,
        };
    }
    Some(parts::result(parts::text(part.get(name::toolCallId), base)?, output, failed, at))
}

/// A part of what a tool gave.
fn content(own: Val<'_>, base: Base<'_>) -> Option<ResultPart> {
    match own.get(name::text).and_then(|text| Text::copied(text, base)) {
        Some(text) => Some(ResultPart::Text(text)),
        None => media(own, base).map(|media| ResultPart::media(media, base.of(own).into())),
    }
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
