//! Messages in the form in which the Vercel AI SDK hands them to its providers, `ModelMessage[]`: roles `system`, `user`,
//! `assistant` and `tool`, with parts `tool-call` and `tool-result`.

use crate::format::translate::Stored;
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use super::super::vercel;
use super::{Conversation, Form};
use crate::formats::spoken::{Call, Dialects, Id, Media, STORE, Says, Turn};

pub struct VercelModelMessages;

pub static FORMAT: VercelModelMessages = VercelModelMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "vercel-model-messages",
    title: "ModelMessage list of the Vercel AI SDK",
    upstream: Some(Upstream { repository: "vercel/ai", file: None, version: Some("7.0.77") }),
    known_by: "messages whose `content` has parts `tool-call` or `tool-result` with `toolCallId`",
    unsent: UNSENT,
    ..STORE
});

static FORM: Form = Form {
    dialects: &DIALECTS,
    read_only: "ModelMessages are a form of the SDK's own, which is not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair",
    cures: &[],
    take,
};

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
        Layout::Threads(|| vercel::teller(&FORM))
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
    let says: Vec<Says> = match content.is_string() {
        true => vec![Says::Text { text: Pieced::of(content, base), id: None, at: base.of(message) }],
        false => content.elements().filter_map(|part| said(part, role, base)).collect(),
    };
    if !says.is_empty() {
        conversation.turns.push(Turn { role, says, at: base.of(message), record: record.number });
    }
}

fn metadata(part: Val<'_>) -> Option<Val<'_>> {
    ["providerOptions", "providerMetadata", "experimental_providerMetadata"].iter().find_map(|key| part.get(key))
}

fn said(part: Val<'_>, role: Role, base: Base<'_>) -> Option<Says> {
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => vercel::text(part, metadata(part), base),
        b"reasoning" | b"redacted-reasoning" => vercel::thought(part, metadata(part), base),
        b"image" | b"file" if role == Role::User => media(part, base),
        b"tool-call" => call(part, base),
        b"tool-result" if role == Role::Tool => result(part, base),
        _ => None,
    }
}

fn media(part: Val<'_>, base: Base<'_>) -> Option<Says> {
    let url = ["image", "data", "url"].iter().find_map(|key| part.get(key)).filter(|url| url.is_string())?;
    let mime = part.get(name::mediaType).or_else(|| part.get(name::mimeType));
    let at = base.of(part);
    let name = part.get(name::filename).filter(|name| name.is_string());
    let mut media = Media::of(url, mime, name, base, at);
    let is_address = url.as_str().is_some_and(|url| url.raw.starts_with(b"http") || url.raw.starts_with(b"data:"));
    if !is_address {
        // The content by itself.
        let kind = mime.and_then(|mime| mime.text()).unwrap_or_else(|| b"image/png".into());
        let start = format!("data:{};base64,", String::from_utf8_lossy(&kind));
        let whole = vec![Pieced::text(&start, at), Pieced::of(url, base)];
        (media.url, media.data) = (Pieced::joined(whole, "", at), Some(Pieced::of(url, base)));
    }
    media.is_image |= part.get(name::r#type).is_some_and(|kind| kind.is("image"));
    Some(Says::Media(media))
}

fn call(part: Val<'_>, base: Base<'_>) -> Option<Says> {
    let at = base.of(part);
    if part.get("providerExecuted").and_then(|own| own.as_bool()) == Some(true) {
        return None;
    }
    let input = part.get(name::input).or_else(|| part.get(name::args));
    Some(Says::Call(Call {
        id: Id::of(part.get(name::toolCallId), base)?,
        name: Pieced::of(part.get(name::toolName)?, base),
        input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
        item: vercel::openai(metadata(part), "itemId", base),
        at,
    }))
}

fn result(part: Val<'_>, base: Base<'_>) -> Option<Says> {
    let at = base.of(part);
    let (mut output, mut failed) = match part.get(name::result) {
        // Version 4.
        Some(result) => (Pieced::as_text(result, base), is_true(part, "isError")),
        None => (Pieced::text("", at), false),
    };
    if let Some(given) = part.get(name::output) {
        let kind = given.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        failed = matches!(kind.as_ref(), b"error-text" | b"error-json" | b"execution-denied");
        output = match (given.get(name::value), given.get(name::reason)) {
            (Some(value), _) => Pieced::as_text(value, base),
            (None, Some(reason)) if reason.is_string() => Pieced::of(reason, base),
            _ if kind.as_ref() == b"execution-denied" => Pieced::text(vercel::DENIED, at),
            _ => output,
        };
    }
    Some(Says::Result { call: Id::of(part.get(name::toolCallId), base)?, output, failed, at })
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}
