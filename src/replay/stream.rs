//! What a request of an event stream sent: the history reduced from the events up to its own.

use std::io;

use crate::formats::iterate_stream;
use crate::history::Role;
use crate::history::stream::{Event, EventKind, Misfit};
use crate::json::string;
use crate::place::DocId;
use crate::read::{Options, records, streams};
use crate::source::ReadAt;

use super::events::Feed;
use super::frame::{self, Frame, Members};

/// Who carries a request out: they write the same history differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provider {
    CloudflareAi,
    OpenaiWs,
}

impl Provider {
    pub const ALL: [Provider; 2] = [Provider::CloudflareAi, Provider::OpenaiWs];

    pub fn name(self) -> &'static str {
        match self {
            Provider::CloudflareAi => "cloudflare-ai",
            Provider::OpenaiWs => "openai-ws",
        }
    }

    /// The provider that an event is of.
    fn of_event(kind: &[u8]) -> Option<Provider> {
        let named = |one: &Provider| memchr::memmem::find(kind, format!("/{}/", one.name()).as_bytes()).is_some();
        Provider::ALL.into_iter().find(named)
    }
}

/// What is asked for.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Offset or name of a request, or any other offset; without it, the end of the stream.
    pub at: Option<&'a str>,
    /// What the user says next.
    pub ask: Option<&'a str>,
    /// Whose request it is; else the stream may say it.
    pub provider: Option<Provider>,
}

/// A request that was rebuilt.
pub struct Sent {
    pub body: Vec<u8>,
    pub messages: usize,
    pub provider: Option<Provider>,
    /// The request is in the stream; else this is what one would send that is made there.
    pub is_request: bool,
    /// Offset up to which events count.
    pub offset: u64,
    pub model: Option<String>,
    /// What the stream says of its end.
    pub state: &'static str,
    /// The body that the stream holds is another, from this message on.
    pub differs: Option<u32>,
}

/// Why no request can be rebuilt.
#[derive(Debug)]
pub enum Refused {
    /// There is no such event; the nearest ones are these.
    Unknown(Vec<String>),
    /// The event in this record has no offset, or one that is not above the one before.
    Order(u32),
    /// The event in this record is of the later contract: what its requests sent is not in the stream.
    Unstored(u32),
}

/// What is known of the stream's events up to the wanted one.
#[derive(Default)]
struct Seen {
    found: bool,
    at: Option<u64>,
    model: Option<String>,
    provider: Option<Provider>,
    /// By the events that whoever carries requests out wrote.
    carrier: Option<Provider>,
    frame: Frame,
    broken: Option<u32>,
    later: Option<u32>,
    offsets: Vec<u64>,
    /// Names of requests, as they were before they had an offset.
    names: Vec<String>,
}

/// Rebuilds what was sent, or would be sent.
pub fn rebuild(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    asked: &Asked<'_>,
) -> io::Result<Result<Sent, Refused>> {
    let at = asked.at;
    let mut feed = Feed::default();
    let mut seen = Seen::default();
    let mut own: Option<Event> = None;
    let mut differs = None;
    let texts = streams::texts(bytes);
    records::each(id, bytes, options.format, options.max_record, &mut |entry| {
        if !feed.take(entry) {
            return Ok(true);
        }
        let (Some(event), Some(val)) = (&feed.event, entry.val) else { return Ok(true) };
        if let Some(Misfit::Order | Misfit::NoOffset) = feed.stream.last_problem() {
            seen.broken = Some(entry.number);
            return Ok(false);
        }
        seen.offsets.extend(event.offset);
        if iterate_stream::is_of_later_contract(val) {
            seen.later = seen.later.or(Some(entry.number));
        }
        let kind = val.get("type").and_then(|kind| kind.text()).unwrap_or_default();
        seen.carrier = Provider::of_event(&kind).or(seen.carrier);
        seen.frame.see(&kind, val);
        let payload = val.get("payload");
        let text = |key: &str| {
            let text = payload.and_then(|payload| payload.get(key))?.text()?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let offset = event.offset.map(|offset| offset.to_string());
        let names = [offset, text("requestId").filter(|_| event.step == EventKind::Requested)];
        seen.names.extend(names[1].clone());
        let is_own = at.is_some_and(|at| names.iter().flatten().any(|name| name == at));
        if event.step == EventKind::Requested || is_own {
            seen.model = text("model").or(seen.model.take());
            let named = text("provider");
            seen.provider = Provider::ALL.into_iter().find(|one| Some(one.name()) == named.as_deref());
        }
        if is_own {
            (seen.found, seen.at) = (true, event.offset);
            differs = event.body.as_ref().and_then(|body| {
                let context = feed.stream.sent(event);
                streams::difference(&texts, &feed.stream, context, body.at).map(|found| found.index)
            });
            own = Some(event.clone());
        }
        Ok(!is_own)
    })?;
    if let Some(record) = seen.broken {
        return Ok(Err(Refused::Order(record)));
    }
    if let (Some(at), false) = (at, seen.found) {
        return Ok(Err(Refused::Unknown(nearest(at, &seen))));
    }
    if let Some(record) = seen.later {
        return Ok(Err(Refused::Unstored(record)));
    }
    let is_request = own.as_ref().is_some_and(|event| event.step == EventKind::Requested);
    let offset = seen.at.or(seen.offsets.last().copied()).unwrap_or_default();
    let told = if is_request { Some(later(id, bytes, options, offset)?) } else { None };
    let (told, state, sent) = told.map_or((None, "", None), |told| (told.provider, told.state, told.sent));
    let provider = asked.provider.or(told).or(seen.provider).or(seen.carrier);
    let mut messages = streams::messages(&texts, &feed.stream, feed.stream.context());
    messages.extend(asked.ask.map(|text| streams::message(Role::User, &string::quoted(text))));
    let body = match provider {
        Some(Provider::OpenaiWs) => seen.frame.write(&messages, sent, seen.model.as_deref()),
        Some(Provider::CloudflareAi) => of_messages(&messages, ",\"stream\":true"),
        None => of_messages(&messages, ""),
    };
    let model = seen.model;
    Ok(Ok(Sent { body, messages: messages.len(), provider, is_request, offset, model, state, differs }))
}

/// A body that is a list of messages, one a line.
fn of_messages(messages: &[Vec<u8>], members: &str) -> Vec<u8> {
    let lines: Vec<String> =
        messages.iter().map(|message| String::from_utf8_lossy(message).into_owned()).collect();
    format!("{{\"messages\":[\n  {}\n]{members}}}\n", lines.join(",\n  ")).into_bytes()
}

/// What events after a request say of it.
struct Later {
    /// Who carried it out.
    provider: Option<Provider>,
    /// How it ended.
    state: &'static str,
    /// The members of the frame that was sent for it, but for what the history says.
    sent: Option<Members>,
}

fn later(id: DocId, bytes: &dyn ReadAt, options: &Options, request: u64) -> io::Result<Later> {
    let mut feed = Feed::default();
    let mut found = Later { provider: None, state: "is not completed in the stream", sent: None };
    records::each(id, bytes, options.format, options.max_record, &mut |entry| {
        feed.take(entry);
        let Some(event) = feed.event.as_ref().filter(|event| event.request == Some(request)) else {
            return Ok(true);
        };
        let kind = entry.val.and_then(|val| val.get("type")?.text()).unwrap_or_default();
        found.provider = found.provider.or(Provider::of_event(&kind));
        if found.sent.is_none()
            && let Some(val) = entry.val
        {
            found.sent = frame::members_of(&kind, val);
        }
        match event.step {
            EventKind::Completed | EventKind::Ended => found.state = "was completed",
            EventKind::Cancelled => found.state = "was cancelled",
            _ => return Ok(true),
        }
        Ok(event.step == EventKind::Ended)
    })?;
    Ok(found)
}

/// The offsets beside one that is not there; for what is no number all names of requests, else the last offsets.
fn nearest(at: &str, seen: &Seen) -> Vec<String> {
    let offsets = &seen.offsets;
    let around = match at.parse::<u64>() {
        Ok(offset) => offsets.partition_point(|known| *known < offset),
        Err(_) if !seen.names.is_empty() => return seen.names.clone(),
        Err(_) => offsets.len(),
    };
    let from = around.saturating_sub(2);
    offsets[from..(around + 2).min(offsets.len())].iter().map(u64::to_string).collect()
}
