//! Rebuilding of a request of a stream: the history reduced from the events up to its own, in the format of the provider that
//! executed the request.

use crate::format::Record;
use crate::format::requests::{
    RebuildError, RebuildQuery, RebuiltRequest, RecordClass, RequestRebuilder, RequestTracker,
};
use crate::history::Role;
use crate::json::{name, string};
use crate::source::ReadAt;
use crate::source::bytes::digest;

use super::event::{EventKind, IterateEvent};
use super::follow::IterateTracker;
use super::frame::{self, FrameMembers, RequestFrame};
use super::prompt::{Contract, Headers, NotSent, Prompt, PromptLog};
use super::{messages, prompt};

const CLOUDFLARE_AI: &str = "cloudflare-ai";
const OPENAI_WS: &str = "openai-ws";

/// Providers that execute requests. They write the same history in different formats.
pub static PROVIDERS: [&str; 2] = [CLOUDFLARE_AI, OPENAI_WS];

fn provider(name: &str) -> Option<&'static str> {
    PROVIDERS.into_iter().find(|known| *known == name)
}

/// The provider that wrote an event.
fn provider_of_event(kind: &[u8]) -> Option<&'static str> {
    let named = |one: &&str| memchr::memmem::find(kind, format!("/{one}/").as_bytes()).is_some();
    PROVIDERS.into_iter().find(named)
}

/// Facts from the events up to the requested one.
#[derive(Default)]
struct StreamFacts {
    /// True once the requested event was read.
    found: bool,
    /// Offset of the requested event.
    at: Option<u64>,
    model: Option<String>,
    provider: Option<&'static str>,
    /// The provider that wrote events of the stream.
    stream_provider: Option<&'static str>,
    frame: RequestFrame,
    /// Number of the first record out of order, from 1.
    broken: Option<u32>,
    offsets: Vec<u64>,
    /// Names that requests had before they were made.
    names: Vec<String>,
    /// Index of the first message in which the body of the requested event differs from the history.
    differs: Option<u32>,
    /// The requested event.
    event: Option<IterateEvent>,
}

/// Facts about a request from later events.
#[derive(Default)]
struct RequestOutcome {
    tracker: IterateTracker,
    /// The provider that executed it.
    provider: Option<&'static str>,
    /// How it ended, as a predicate for messages.
    state: &'static str,
    /// The members of the frame that was sent for it, except those with the history.
    sent: Option<FrameMembers>,
}

/// Rebuilds one request from the records of its stream.
pub struct IterateRebuilder<'a> {
    asked: RebuildQuery<'a>,
    tracker: IterateTracker,
    facts: StreamFacts,
    outcome: Option<RequestOutcome>,
    log: PromptLog,
    /// What a contract from version 4 on sends.
    prompt: Option<Prompt>,
    /// The text of the prompt is not in the stream, and was not given.
    lacks_prompt: bool,
}

impl<'a> IterateRebuilder<'a> {
    pub fn new(asked: RebuildQuery<'a>) -> Self {
        IterateRebuilder {
            asked,
            tracker: IterateTracker::default(),
            facts: StreamFacts::default(),
            outcome: None,
            log: PromptLog::default(),
            prompt: None,
            lacks_prompt: false,
        }
    }

    fn is_request(&self) -> bool {
        self.facts.event.as_ref().is_some_and(|event| event.kind == EventKind::Requested)
    }

    /// Projects the prompt of a contract from version 4 on.
    fn project(&mut self) -> Result<(), RebuildError> {
        let at = self.facts.at.filter(|_| self.is_request());
        let contract = self.log.contract(at);
        if contract == Contract::Flat {
            return Ok(());
        }
        let headers = if self.asked.every_header { Headers::Every } else { Headers::Bare };
        let known = prompt::protocol_prompt(contract, headers);
        if let (Some(known), Some(given)) = (known, self.asked.protocol_prompt)
            && digest::sha256(given.as_bytes()) != known.sha256
        {
            return Err(RebuildError::OtherPrompt(known.sha256));
        }
        self.lacks_prompt = known.is_some() && self.asked.protocol_prompt.is_none();
        let prompt = self.log.project(at, headers, self.asked.protocol_prompt);
        self.prompt = Some(prompt.map_err(|reason| RebuildError::NotSent(describe(reason)))?);
        Ok(())
    }

    /// Offset up to which events count.
    fn offset(&self) -> u64 {
        self.facts.at.or(self.facts.offsets.last().copied()).unwrap_or_default()
    }
}

impl RequestRebuilder for IterateRebuilder<'_> {
    fn push(&mut self, record: &Record<'_>, bytes: &dyn ReadAt) -> bool {
        let IterateRebuilder { asked: RebuildQuery { at, .. }, tracker, facts, log, .. } = self;
        let (val, number) = (record.val, record.number + 1);
        if facts.found {
            // Later events tell which requests were sent.
            log.push(val, 0, true);
            return true;
        }
        let class = tracker.track(record);
        let Some(event) = &tracker.event else { return true };
        if class == RecordClass::Disorder {
            facts.broken = Some(number);
            return false;
        }
        facts.offsets.extend(event.offset);
        event.offset.into_iter().for_each(|offset| log.push(val, offset, false));
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        facts.stream_provider = provider_of_event(&kind).or(facts.stream_provider);
        facts.frame.observe(&kind, val);
        let payload = val.get(name::payload);
        let text = |key: &str| {
            let text = payload.and_then(|payload| payload.get(key))?.text()?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let offset = event.offset.map(|offset| offset.to_string());
        let name = text("requestId").filter(|_| event.kind == EventKind::Requested);
        facts.names.extend(name.clone());
        let is_own = at.is_some_and(|at| [&offset, &name].into_iter().flatten().any(|name| name == at));
        if event.kind == EventKind::Requested || is_own {
            facts.model = text("model").or(facts.model.take());
            facts.provider = text("provider").as_deref().and_then(provider);
        }
        if is_own {
            (facts.found, facts.at) = (true, event.offset);
            facts.differs = event.body.as_ref().and_then(|body| {
                let context = tracker.stream.sent_context(event);
                messages::divergence(bytes, &tracker.stream, context, body.at).map(|found| found.index)
            });
            facts.event = Some(event.clone());
        }
        // Only projected prompts depend on what later events name.
        !is_own || event.request_tell.has_expiry() || event.tell.is_projected()
    }

    fn end_first_pass(&mut self) -> Result<bool, RebuildError> {
        let facts = &self.facts;
        if let Some(record) = facts.broken {
            return Err(RebuildError::Order(record));
        }
        if let (Some(at), false) = (self.asked.at, facts.found) {
            return Err(RebuildError::Unknown(nearby_names(at, facts)));
        }
        self.project()?;
        if self.is_request() {
            self.outcome =
                Some(RequestOutcome { state: "is not completed in the stream", ..RequestOutcome::default() });
        }
        Ok(self.outcome.is_some())
    }

    fn push_second_pass(&mut self, record: &Record<'_>) -> bool {
        let request = self.offset();
        let Some(outcome) = &mut self.outcome else { return false };
        outcome.tracker.track(record);
        let Some(event) = outcome.tracker.event.as_ref().filter(|event| event.request == Some(request)) else {
            return true;
        };
        let kind = record.val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        outcome.provider = outcome.provider.or(provider_of_event(&kind));
        if outcome.sent.is_none() {
            outcome.sent = frame::sent_members(&kind, record.val);
        }
        match event.kind {
            EventKind::Completed | EventKind::Ended => outcome.state = "was completed",
            EventKind::Cancelled => outcome.state = "was cancelled",
            _ => return true,
        }
        event.kind == EventKind::Ended
    }

    fn finish(&self, bytes: &dyn ReadAt) -> RebuiltRequest {
        let IterateRebuilder { asked, tracker, facts, outcome, .. } = self;
        let executed_by = outcome.as_ref().and_then(|outcome| outcome.provider);
        let named = asked.provider.and_then(provider);
        let provider = named.or(executed_by).or(facts.provider).or(facts.stream_provider);
        let mut messages = match &self.prompt {
            Some(prompt) => {
                // What only names a text is no message.
                let all = prompt.messages.iter().skip(usize::from(asked.as_messages && self.lacks_prompt));
                all.map(|(role, text)| messages::message(*role, &string::quoted(text))).collect()
            }
            None => messages::messages(bytes, &tracker.stream, tracker.stream.context(), 0),
        };
        messages.extend(asked.next_message.map(|text| messages::message(Role::User, &string::quoted(text))));
        let body = match provider {
            Some(OPENAI_WS) if !asked.as_messages => {
                let sent = outcome.as_ref().and_then(|outcome| outcome.sent.clone());
                facts.frame.write(&messages, sent, facts.model.as_deref())
            }
            None if !asked.as_messages && self.prompt.is_none() => write_messages(&messages, ""),
            _ => write_messages(&messages, ",\"stream\":true"),
        };
        RebuiltRequest {
            body,
            messages: messages.len(),
            provider,
            is_request: self.is_request(),
            offset: self.offset(),
            model: facts.model.clone(),
            state: outcome.as_ref().map_or("", |outcome| outcome.state),
            differs: facts.differs,
            lacks_prompt: self.lacks_prompt,
            notes: self.prompt.as_ref().map(|prompt| prompt.notes.clone()).unwrap_or_default(),
        }
    }
}

/// Why nothing was sent, in words.
fn describe(reason: NotSent) -> String {
    match reason {
        NotSent::NoTrigger => "nothing had asked for it since the last request".to_owned(),
        NotSent::Open(offset) => format!("the request at offset {offset} was still open"),
        NotSent::Paused => "the agent was paused".to_owned(),
        NotSent::TriggerMoved => "something newer had asked for a request".to_owned(),
    }
}

/// A body with a list of messages, one per line.
fn write_messages(messages: &[Vec<u8>], members: &str) -> Vec<u8> {
    let lines: Vec<String> =
        messages.iter().map(|message| String::from_utf8_lossy(message).into_owned()).collect();
    format!("{{\"messages\":[\n  {}\n]{members}}}\n", lines.join(",\n  ")).into_bytes()
}

/// Suggestions for an unknown event: the offsets next to it; for a name all names of requests, or else the last offsets.
fn nearby_names(at: &str, facts: &StreamFacts) -> Vec<String> {
    let offsets = &facts.offsets;
    let around = match at.parse::<u64>() {
        Ok(offset) => offsets.partition_point(|known| *known < offset),
        Err(_) if !facts.names.is_empty() => return facts.names.clone(),
        Err(_) => offsets.len(),
    };
    let from = around.saturating_sub(2);
    offsets.iter().take(around + 2).skip(from).map(u64::to_string).collect()
}
