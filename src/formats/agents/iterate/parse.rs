//! What an event of iterate's agents says: its type, what it does to the conversation, the request that it speaks of.

use crate::dialect::Item;
use crate::format::{Mark, Record, Sink, Slice, is_reference};
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Val, fingerprint, fingerprint_of, name};

use super::digest::Digest;
use super::event::{Event, EventKind, Repeated};

/// The instructions of requests for which nobody gave any.
pub const DEFAULT_SYSTEM: &str = "You are a helpful assistant. You can trust your user.";

/// Why events are not edited.
/// How the types of events begin.
const PREFIX: &[u8] = b"events.iterate.com/";

/// The offset of a request, as events of all ages call it.
const REQUEST: [&str; 3] = ["llmRequestId", "llmRequestOffset", "requestOffset"];

/// What an event must say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// A text under this key.
    Text(&'static str),
    /// The offset of a request.
    Request,
    /// That, or the name that the request had before it was made.
    RequestOrName,
}

/// Types of events, what they do, and what they must say. Later names of a type stand beside the first ones; `agents/`
/// is read as `agent/`.
#[rustfmt::skip]
static TYPES: [(&str, EventKind, Needs); 33] = [
    ("agent/system-prompt-updated", EventKind::System, Needs::Text("systemPrompt")),
    ("agent/input-added", EventKind::Message, Needs::Text("content")),
    ("agent/user-message-received", EventKind::Message, Needs::Text("content")),
    ("agent/context-added", EventKind::Message, Needs::Text("content")),
    ("agent/context-rewritten", EventKind::Rewrite, Needs::Nothing),
    ("agent/output-added", EventKind::Output, Needs::Text("content")),
    ("agent/llm-config-updated", EventKind::Other, Needs::Nothing),
    ("agent/llm-request-scheduled", EventKind::Scheduled, Needs::Nothing),
    ("agent/llm-request-requested", EventKind::Requested, Needs::Text("model")),
    ("agent/llm-request-completed", EventKind::Completed, Needs::Request),
    ("agent/llm-request-settled", EventKind::Completed, Needs::Request),
    ("agent/llm-request-cancelled", EventKind::Cancelled, Needs::RequestOrName),
    ("agent/llm-request-queued", EventKind::Other, Needs::Nothing),
    ("agent/status-updated", EventKind::Other, Needs::Nothing),
    ("agent/created", EventKind::Other, Needs::Nothing),
    ("agent/paused", EventKind::Other, Needs::Nothing),
    ("agent/resumed", EventKind::Other, Needs::Nothing),
    ("agent/turn-ended", EventKind::Other, Needs::Nothing),
    ("agent/web-message-sent", EventKind::Other, Needs::Nothing),
    ("agent/llm-response-chunks", EventKind::Other, Needs::Nothing),
    ("agent/llm-response-frame", EventKind::Other, Needs::Nothing),
    ("cloudflare-ai/llm-request-started", EventKind::Started, Needs::Request),
    ("cloudflare-ai/llm-response-chunk", EventKind::Other, Needs::Nothing),
    ("cloudflare-ai/llm-request-completed", EventKind::Ended, Needs::Request),
    ("cloudflare-ai/llm-request-attempt-failed", EventKind::Other, Needs::Request),
    ("openai-ws/config-updated", EventKind::Other, Needs::Nothing),
    ("openai-ws/llm-request-started", EventKind::Started, Needs::Request),
    ("openai-ws/llm-request-completed", EventKind::Ended, Needs::Request),
    ("openai-ws/llm-request-attempt-failed", EventKind::Other, Needs::Request),
    ("openai-ws/websocket-connected", EventKind::Other, Needs::Nothing),
    ("openai-ws/websocket-message-sent", EventKind::Other, Needs::Nothing),
    ("openai-ws/websocket-message-received", EventKind::Other, Needs::Nothing),
    ("openai-ws/websocket-disconnected", EventKind::Other, Needs::Nothing),
];

/// Events of the stream itself are none of the agent's business.
const STREAM: &[u8] = b"stream/";

/// Hands the events of a record, and what they add to the history, to the sink.
pub fn read(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Head => {}
        _ if record.val.is_array() => record.val.elements().for_each(|event| read_event(event, record, sink)),
        _ => read_event(record.val, record, sink),
    }
}

/// The type of an event after the host's name, `agents/` as `agent/`; `None` for what is no event of these.
pub fn type_of(event: Val<'_>) -> Option<Vec<u8>> {
    let name = event.get(name::r#type)?.text()?;
    let bare = name.strip_prefix(b"https://").unwrap_or(&name).strip_prefix(PREFIX)?;
    Some(match bare.strip_prefix(b"agents/") {
        Some(rest) => [b"agent/", rest].concat(),
        None => bare.to_vec(),
    })
}

/// What an event does, and whether it says what it must. Shared with whoever reads a stream for its requests.
fn step(name: &[u8], payload: Option<Val<'_>>) -> EventKind {
    let Some((_, step, needs)) = TYPES.iter().find(|(known, ..)| known.as_bytes() == name) else {
        return if name.starts_with(STREAM) { EventKind::Other } else { EventKind::Unknown };
    };
    let text = |key: &str| payload.and_then(|payload| payload.get(key)).is_some_and(|val| val.is_string());
    let said = match needs {
        Needs::Nothing => payload.is_none_or(|payload| payload.is_object()),
        Needs::Text(key) => text(key),
        Needs::Request => request(payload).is_some(),
        Needs::RequestOrName => request(payload).is_some() || text("requestId"),
    };
    // Shapes that are not known, of types that came later, are no faults.
    match (said, *step) {
        (false, EventKind::Message) if name == b"agent/context-added" => EventKind::Unknown,
        (false, _) => EventKind::Invalid,
        (true, EventKind::Rewrite) if payload.and_then(rewritten).is_none() => EventKind::Unknown,
        (true, step) => step,
    }
}

/// Whether an event is of the later contract, whose prompts are made by code: what a request of it sent is not in the
/// stream. Items of context have roles and keys there, and a request names its trigger or its settlement.
pub fn is_of_later_contract(event: Val<'_>) -> bool {
    let Some(name) = type_of(event) else { return false };
    let has = |key: &str| event.get(name::payload).is_some_and(|payload| payload.get(key).is_some());
    match name.as_slice() {
        b"agent/context-added" => has("content") || has("role"),
        b"agent/llm-request-requested" => has("triggerOffset") || has("expiresAt"),
        b"agent/llm-request-settled" => has("requestOffset"),
        _ => false,
    }
}

fn request(payload: Option<Val<'_>>) -> Option<u64> {
    let payload = payload?;
    REQUEST.iter().find_map(|key| payload.get(key)?.as_u64())
}

/// The messages that take the place of the history.
fn rewritten(payload: Val<'_>) -> Option<Val<'_>> {
    let messages =
        payload.get(name::messages).or_else(|| payload.get(name::context)).filter(|list| list.is_array())?;
    messages.elements().all(|message| text_message(message).is_some()).then_some(messages)
}

/// Role and content of a message that is nothing but a text.
pub fn text_message(message: Val<'_>) -> Option<(Role, Val<'_>)> {
    let role = Role::of(&message.get(name::role)?.text()?);
    let content = message.get(name::content).filter(|content| content.is_string())?;
    (message.count() == 2).then_some((role, content))
}

fn text_digest(content: Val<'_>) -> u64 {
    content.as_str().map_or(0, fingerprint)
}

/// Fingerprint of a list of messages, and whether its instructions are the default ones.
fn digest(messages: Val<'_>) -> (Digest, bool) {
    let mut digest = Digest::default();
    for (n, message) in messages.elements().enumerate() {
        let Some((role, content)) = text_message(message) else { return (Digest::NONE, false) };
        let content = text_digest(content);
        match role {
            Role::System if n == 0 => digest.system = content,
            _ => digest.append(Digest::of_message(role, content)),
        }
    }
    (digest, digest.system == fingerprint_of(DEFAULT_SYSTEM.as_bytes()))
}

fn read_event(event: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(name) = type_of(event) else { return };
    let payload = event.get(name::payload);
    let step = step(&name, payload);
    let body = payload.and_then(|payload| payload.at(&["body", "messages"])).filter(|list| list.is_array());
    let repeated =
        body.filter(|list| !is_shortened(*list) && matches!(step, EventKind::Requested | EventKind::Started));
    let unrecoverable =
        || payload.and_then(|payload| payload.get(name::reason)).is_some_and(|it| it.is("unrecoverable"));
    let gave_up = name.ends_with(b"/llm-request-attempt-failed") && step == EventKind::Other && unrecoverable();
    let settled_as = |how: &[u8]| {
        payload
            .and_then(|payload| payload.at(&["result", "status"])?.as_str())
            .is_some_and(|status| status.is(how))
    };
    let mut said = Said { role: Role::User, contents: Vec::new() };
    said.read(&name, step, payload);
    let mark = Event {
        step: match step {
            _ if gave_up => EventKind::Ended,
            EventKind::Completed if settled_as(b"cancelled") => EventKind::Cancelled,
            step => step,
        },
        at: record.base.of(event),
        record: record.number,
        offset: event.get("offset").and_then(|offset| offset.as_u64()),
        request: request(payload),
        name: payload.and_then(|payload| payload.get("requestId")?.as_str()).map_or(0, fingerprint),
        kind: fingerprint_of(&name),
        said: said.digest(step),
        body: repeated.map(|list| {
            let (digest, default) = digest(list);
            Repeated { at: record.base.of(list), digest, default }
        }),
    };
    sink.mark(Mark::Own(Box::new(mark)));
    if step == EventKind::Requested
        && let Some(model) = payload.and_then(|payload| payload.get(name::model)?.text())
    {
        let model = String::from_utf8_lossy(&model).into();
        sink.mark(Mark::Settings(|settings, model| settings.model = Some(model), model));
    }
    for (role, content) in said.contents {
        let mut row = Row::of_place(record.base.of(content), record.number);
        (row.kind, row.of, row.role) = (Kind::BlockMessage, Kind::BlockMessage, role);
        row.set(Flags::SYNTHETIC);
        row.set(if content.size() > 2 { BlockFlags::CONTENT } else { BlockFlags::EMPTY });
        sink.item(Item { row, val: content, id: None, key: None });
    }
}

/// Whether a list of messages was replaced by a reference.
fn is_shortened(list: Val<'_>) -> bool {
    list.elements().next().is_some_and(is_reference)
}

/// What an event adds to the history.
struct Said<'t> {
    role: Role,
    contents: Vec<(Role, Val<'t>)>,
}

impl<'t> Said<'t> {
    fn read(&mut self, name: &[u8], step: EventKind, payload: Option<Val<'t>>) {
        let Some(payload) = payload else { return };
        let role = match step {
            EventKind::System => Role::System,
            EventKind::Output => Role::Assistant,
            EventKind::Message if name == b"agent/context-added" => {
                payload.get(name::role).and_then(|role| role.text()).map_or(Role::User, |role| Role::of(&role))
            }
            EventKind::Message => Role::User,
            EventKind::Rewrite => {
                let messages = rewritten(payload).into_iter().flat_map(|messages| messages.elements());
                self.contents.extend(messages.filter_map(text_message));
                return;
            }
            _ => return,
        };
        self.role = role;
        let key = if step == EventKind::System { "systemPrompt" } else { "content" };
        self.contents.extend(payload.get(key).map(|content| (role, content)));
    }

    fn digest(&self, step: EventKind) -> Digest {
        let mut digest = Digest::default();
        for (role, content) in &self.contents {
            match step {
                EventKind::System => return Digest::of_system(text_digest(*content)),
                EventKind::Rewrite => digest.append(Digest::of_message(*role, text_digest(*content))),
                _ => return Digest::of_message(*role, text_digest(*content)),
            }
        }
        digest
    }
}
