//! A Chat Completions request together with its response: `{"request": {…}, "response": {…}}`, as proxies and recorders
//! write it; also with `body` for the request. The history is the request's messages and then the message of the first
//! choice. Either side may be stored as a JSON string: then it is read, and never edited.

use crate::dialects::chat::CHAT;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, name_answer};
use crate::history::{Around, Flags, Settings, Usage};
use crate::json::{Val, name};

use super::responses_exchange::{EMBEDDED, holds, within};
use super::{chat_completion, chat_request};

pub struct ChatExchange;

pub static FORMAT: ChatExchange = ChatExchange;

static INFO: FormatInfo = FormatInfo {
    name: "chat-exchange",
    title: "Chat Completions request with its response",
    known_by: "`request` or `body` with `messages`, and `response` with `choices` (either may be a JSON string)",
    usage: Usage::Exchange,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["request", "messages"], unit: Unit::Element },
        Part { path: &["body", "messages"], unit: Unit::Element },
        Part { path: &["request", "body", "messages"], unit: Unit::Element },
        Part { path: &["response", "choices"], unit: Unit::Element },
        Part { path: &["response", "body", "choices"], unit: Unit::Element },
    ],
    ..FormatInfo::of(&CHAT, "chat")
};

/// Number of the parts that are requests; the others are responses.
const REQUEST_PARTS: usize = 3;

impl Format for ChatExchange {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !(probe.has(name::response) && (probe.has(name::request) || probe.has(name::body)))
            || probe.has(name::custom_id)
        {
            return 0;
        }
        // An exchange with Anthropic has `messages`, too; its response has no choices.
        match (request(probe.val), response(probe.val)) {
            (Some((_, body)), Some(_)) if body.is_string() => 88,
            (Some((_, body)), Some(_)) => chat_request::body_score(body).max(88),
            (Some((_, body)), None) => chat_request::body_score(body),
            _ => 0,
        }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let (request, response) = (request(record.val), response(record.val));
    let embedded = [request, response].iter().flatten().any(|(_, val)| val.is_string());
    let read_only = embedded.then_some(EMBEDDED);
    let mut started = false;
    if let Some((part, val)) = request {
        within(val, record, |body, record, flags| {
            let mut settings = chat_request::settings(body, record, Usage::Exchange);
            settings.around =
                settings.around.map(|around| Around { embedded: flags.has(Flags::EMBEDDED), ..around });
            started = true;
            sink.mark(Mark::Start(Box::new(Settings { read_only, ..settings })));
            chat_request::read_messages(body, record, part as u8, flags, sink);
        });
    }
    if !started {
        sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Exchange, read_only, ..Settings::default() })));
    }
    if let Some((part, val)) = response {
        within(val, record, |response, record, flags| {
            // The first choice goes on from the request; each other one is a history by itself.
            for (n, choice) in chat_completion::choices(response).enumerate() {
                if n > 0 {
                    sink.mark(Mark::End);
                    let settings = Settings { usage: Usage::Log, read_only, ..Settings::default() };
                    sink.mark(Mark::Start(Box::new(settings)));
                }
                name_answer("choice", n, chat_completion::choices(response).count(), sink);
                chat_completion::read_choice(choice, record, part as u8, flags, sink);
            }
        });
    }
    sink.mark(Mark::End);
}

/// The first part of these that is there, and what holds its list.
fn side(val: Val<'_>, parts: std::ops::Range<usize>, is_one: fn(Val<'_>) -> bool) -> Option<(usize, Val<'_>)> {
    parts.into_iter().find_map(|part| INFO.holder(val, part).filter(|val| is_one(*val)).map(|val| (part, val)))
}

fn request(val: Val<'_>) -> Option<(usize, Val<'_>)> {
    side(val, 0..REQUEST_PARTS, |val| match val.as_str() {
        Some(text) => holds(text.raw, &[br#"\"messages\":"#, br#"\"messages\" :"#]),
        None => chat_request::body_score(val) > 0,
    })
}

fn response(val: Val<'_>) -> Option<(usize, Val<'_>)> {
    side(val, REQUEST_PARTS..INFO.parts.len(), |val| match val.as_str() {
        Some(text) => holds(text.raw, &[br#"\"choices\":"#, br#"\"choices\" :"#]),
        None => val.get(name::choices).is_some_and(|choices| choices.is_array()),
    })
}
