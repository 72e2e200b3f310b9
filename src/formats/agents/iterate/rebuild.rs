//! What a request of a stream sent: the history reduced from the events up to its own, as the provider writes it that
//! carried the request out.

use crate::format::Record;
use crate::format::requests::{Asked, Follow, Rebuild, Refused, Sent, Taken};
use crate::history::Role;
use crate::json::{name, string};
use crate::source::ReadAt;

use super::event::{Event, EventKind};
use super::follow::Feed;
use super::frame::{self, Frame, Members};
use super::{messages, parse};

const CLOUDFLARE_AI: &str = "cloudflare-ai";
const OPENAI_WS: &str = "openai-ws";

/// Who carries requests out: they write the same history differently.
pub static PROVIDERS: [&str; 2] = [CLOUDFLARE_AI, OPENAI_WS];

fn provider(name: &str) -> Option<&'static str> {
    PROVIDERS.into_iter().find(|known| *known == name)
}

/// The provider that an event is of.
fn provider_of_event(kind: &[u8]) -> Option<&'static str> {
    let named = |one: &&str| memchr::memmem::find(kind, format!("/{one}/").as_bytes()).is_some();
    PROVIDERS.into_iter().find(named)
}

/// What is known of the stream's events up to the wanted one.
#[derive(Default)]
struct Seen {
    found: bool,
    at: Option<u64>,
    model: Option<String>,
    provider: Option<&'static str>,
    /// By the events that whoever carries requests out wrote.
    carrier: Option<&'static str>,
    frame: Frame,
    broken: Option<u32>,
    later: Option<u32>,
    offsets: Vec<u64>,
    /// Names of requests, as they were before they had an offset.
    names: Vec<String>,
    /// The body that the wanted event holds is another, from this message on.
    differs: Option<u32>,
    own: Option<Event>,
}

/// What events after a request say of it.
#[derive(Default)]
struct Later {
    feed: Feed,
    /// Who carried it out.
    provider: Option<&'static str>,
    /// How it ended.
    state: &'static str,
    /// The members of the frame that was sent for it, but for what the history says.
    sent: Option<Members>,
}

/// A request on its way to be rebuilt.
pub struct Rebuilding<'a> {
    asked: Asked<'a>,
    feed: Feed,
    seen: Seen,
    later: Option<Later>,
}

impl<'a> Rebuilding<'a> {
    pub fn new(asked: Asked<'a>) -> Self {
        Rebuilding { asked, feed: Feed::default(), seen: Seen::default(), later: None }
    }

    fn is_request(&self) -> bool {
        self.seen.own.as_ref().is_some_and(|event| event.step == EventKind::Requested)
    }

    /// Offset up to which events count.
    fn offset(&self) -> u64 {
        self.seen.at.or(self.seen.offsets.last().copied()).unwrap_or_default()
    }
}

impl Rebuild for Rebuilding<'_> {
    fn take(&mut self, record: &Record<'_>, bytes: &dyn ReadAt) -> bool {
        let Rebuilding { asked: Asked { at, .. }, feed, seen, .. } = self;
        let (val, number) = (record.val, record.number + 1);
        let taken = feed.take(record);
        let Some(event) = &feed.event else { return true };
        if taken == Taken::Disorder {
            seen.broken = Some(number);
            return false;
        }
        seen.offsets.extend(event.offset);
        if parse::is_of_later_contract(val) {
            seen.later = seen.later.or(Some(number));
        }
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        seen.carrier = provider_of_event(&kind).or(seen.carrier);
        seen.frame.see(&kind, val);
        let payload = val.get(name::payload);
        let text = |key: &str| {
            let text = payload.and_then(|payload| payload.get(key))?.text()?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let offset = event.offset.map(|offset| offset.to_string());
        let name = text("requestId").filter(|_| event.step == EventKind::Requested);
        seen.names.extend(name.clone());
        let is_own = at.is_some_and(|at| [&offset, &name].into_iter().flatten().any(|name| name == at));
        if event.step == EventKind::Requested || is_own {
            seen.model = text("model").or(seen.model.take());
            seen.provider = text("provider").as_deref().and_then(provider);
        }
        if is_own {
            (seen.found, seen.at) = (true, event.offset);
            seen.differs = event.body.as_ref().and_then(|body| {
                let context = feed.stream.sent(event);
                messages::divergence(bytes, &feed.stream, context, body.at).map(|found| found.index)
            });
            seen.own = Some(event.clone());
        }
        !is_own
    }

    fn taken(&mut self) -> Result<bool, Refused> {
        let seen = &self.seen;
        if let Some(record) = seen.broken {
            return Err(Refused::Order(record));
        }
        if let (Some(at), false) = (self.asked.at, seen.found) {
            return Err(Refused::Unknown(nearest(at, seen)));
        }
        if let Some(record) = seen.later {
            return Err(Refused::Unstored(record));
        }
        if self.is_request() {
            self.later = Some(Later { state: "is not completed in the stream", ..Later::default() });
        }
        Ok(self.later.is_some())
    }

    fn take_later(&mut self, record: &Record<'_>) -> bool {
        let request = self.offset();
        let Some(later) = &mut self.later else { return false };
        later.feed.take(record);
        let Some(event) = later.feed.event.as_ref().filter(|event| event.request == Some(request)) else {
            return true;
        };
        let kind = record.val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        later.provider = later.provider.or(provider_of_event(&kind));
        if later.sent.is_none() {
            later.sent = frame::members_of(&kind, record.val);
        }
        match event.step {
            EventKind::Completed | EventKind::Ended => later.state = "was completed",
            EventKind::Cancelled => later.state = "was cancelled",
            _ => return true,
        }
        event.step == EventKind::Ended
    }

    fn finish(&self, bytes: &dyn ReadAt) -> Sent {
        let Rebuilding { asked, feed, seen, later } = self;
        let carried = later.as_ref().and_then(|later| later.provider);
        let named = asked.provider.and_then(provider);
        let provider = named.or(carried).or(seen.provider).or(seen.carrier);
        let mut messages = messages::messages(bytes, &feed.stream, feed.stream.context(), 0);
        messages.extend(asked.ask.map(|text| messages::message(Role::User, &string::quoted(text))));
        let body = match provider {
            Some(OPENAI_WS) if !asked.as_messages => {
                let sent = later.as_ref().and_then(|later| later.sent.clone());
                seen.frame.write(&messages, sent, seen.model.as_deref())
            }
            None if !asked.as_messages => of_messages(&messages, ""),
            _ => of_messages(&messages, ",\"stream\":true"),
        };
        Sent {
            body,
            messages: messages.len(),
            provider,
            is_request: self.is_request(),
            offset: self.offset(),
            model: seen.model.clone(),
            state: later.as_ref().map_or("", |later| later.state),
            differs: seen.differs,
        }
    }
}

/// A body that is a list of messages, one a line.
fn of_messages(messages: &[Vec<u8>], members: &str) -> Vec<u8> {
    let lines: Vec<String> =
        messages.iter().map(|message| String::from_utf8_lossy(message).into_owned()).collect();
    format!("{{\"messages\":[\n  {}\n]{members}}}\n", lines.join(",\n  ")).into_bytes()
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
    offsets.iter().take(around + 2).skip(from).map(u64::to_string).collect()
}
