//! Parsing of iterate's events: their types, their effects on the conversation, and the requests that they are about.

use crate::dialect::Item;
use crate::format::{Mark, Record, Sink, is_reference};
use crate::history::{BlockFlags, Flags, Kind, Role, Row, time};
use crate::json::{Val, fingerprint, fingerprint_of, name};

use crate::formats::member::parsed;

use super::digest::Digest;
use super::event::{EventKind, IterateEvent, RepeatedBody};
use super::prompt::{self, Readers, RequestTell, Tell, request_of, stored_type};

/// The default instructions of a request.
pub const DEFAULT_SYSTEM: &str = "You are a helpful assistant. You can trust your user.";

/// The content that a type of event requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequiredContent {
    Nothing,
    /// A text under this key.
    Text(&'static str),
    /// The offset of a request.
    Request,
    /// The offset of a request, or the name that it had before it was made.
    RequestOrName,
}

/// Types of events, their effects, and their required content. Types may have several names of different versions;
/// `agents/` is read as `agent/`.
#[rustfmt::skip]
static TYPES: [(&str, EventKind, RequiredContent); 44] = [
    ("agent/system-prompt-updated", EventKind::System, RequiredContent::Text("systemPrompt")),
    ("agent/input-added", EventKind::Message, RequiredContent::Text("content")),
    // It is mirrored as an `input-added`, which is what the agent reads.
    ("agent/user-message-received", EventKind::Other, RequiredContent::Nothing),
    ("agent/message-received", EventKind::Message, RequiredContent::Text("content")),
    ("agent/context-added", EventKind::Message, RequiredContent::Text("content")),
    ("agent/context-rewritten", EventKind::Rewrite, RequiredContent::Nothing),
    ("agent/output-added", EventKind::Output, RequiredContent::Text("content")),
    ("agent/llm-config-updated", EventKind::Other, RequiredContent::Nothing),
    ("agent/llm-request-scheduled", EventKind::Scheduled, RequiredContent::Nothing),
    ("agent/llm-request-requested", EventKind::Requested, RequiredContent::Text("model")),
    ("agent/llm-request-completed", EventKind::Completed, RequiredContent::Request),
    ("agent/llm-request-settled", EventKind::Completed, RequiredContent::Request),
    ("agent/llm-request-cancelled", EventKind::Cancelled, RequiredContent::RequestOrName),
    ("agent/llm-request-queued", EventKind::Other, RequiredContent::Nothing),
    ("agent/status-updated", EventKind::Other, RequiredContent::Nothing),
    ("agent/created", EventKind::Other, RequiredContent::Nothing),
    ("agent/create-requested", EventKind::Other, RequiredContent::Nothing),
    ("agent/create-failed", EventKind::Other, RequiredContent::Nothing),
    ("agent/delete-requested", EventKind::Other, RequiredContent::Nothing),
    ("agent/deleted", EventKind::Other, RequiredContent::Nothing),
    ("agent/configured", EventKind::Other, RequiredContent::Nothing),
    ("agent/config-updated", EventKind::Other, RequiredContent::Nothing),
    ("agent/binding-set", EventKind::Other, RequiredContent::Nothing),
    ("agent/summary-updated", EventKind::Other, RequiredContent::Nothing),
    ("agent/status-changed", EventKind::Other, RequiredContent::Nothing),
    ("agent/token-usage-reported", EventKind::Other, RequiredContent::Nothing),
    ("agent/paused", EventKind::Other, RequiredContent::Nothing),
    ("agent/resumed", EventKind::Other, RequiredContent::Nothing),
    ("agent/turn-ended", EventKind::Other, RequiredContent::Nothing),
    ("agent/web-message-sent", EventKind::Other, RequiredContent::Nothing),
    ("agent/llm-response-chunks", EventKind::Other, RequiredContent::Nothing),
    ("agent/llm-response-frame", EventKind::Other, RequiredContent::Nothing),
    ("cloudflare-ai/llm-request-started", EventKind::Started, RequiredContent::Request),
    ("cloudflare-ai/llm-response-chunk", EventKind::Other, RequiredContent::Nothing),
    ("cloudflare-ai/llm-request-completed", EventKind::Ended, RequiredContent::Request),
    ("cloudflare-ai/llm-request-attempt-failed", EventKind::Other, RequiredContent::Request),
    ("openai-ws/config-updated", EventKind::Other, RequiredContent::Nothing),
    ("openai-ws/llm-request-started", EventKind::Started, RequiredContent::Request),
    ("openai-ws/llm-request-completed", EventKind::Ended, RequiredContent::Request),
    ("openai-ws/llm-request-attempt-failed", EventKind::Other, RequiredContent::Request),
    ("openai-ws/websocket-connected", EventKind::Other, RequiredContent::Nothing),
    ("openai-ws/websocket-message-sent", EventKind::Other, RequiredContent::Nothing),
    ("openai-ws/websocket-message-received", EventKind::Other, RequiredContent::Nothing),
    ("openai-ws/websocket-disconnected", EventKind::Other, RequiredContent::Nothing),
];

/// Prefix of the events of agents. All others share the stream, and have no effect on the conversation.
const AGENT: &[u8] = b"agent/";
/// Other events of agents without an effect, by the end of their type.
const HARMLESS: [&[u8]; 6] = [
    b"-message-sent",
    b"-message-received",
    b"/llm-provider-selected",
    b"/llm-response-chunk",
    b"/llm-request-started",
    b"/loop-stopped",
];

/// Reads the events of a record, and the messages that they add to the history, into the sink.
pub fn read(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.val.is_array() {
        true => record.val.elements().for_each(|event| read_event(event, record, sink)),
        false => read_event(record.val, record, sink),
    }
}

/// The type of an event without its prefix, with `agent/` for `agents/`; `None` if it is not an event of iterate.
pub fn type_of(event: Val<'_>) -> Option<Vec<u8>> {
    Some(one_name(&stored_type(event)?))
}

/// A type with `agent/` for `agents/`.
fn one_name(stored: &str) -> Vec<u8> {
    match stored.strip_prefix("agents/") {
        Some(rest) => format!("agent/{rest}").into_bytes(),
        None => stored.as_bytes().to_vec(),
    }
}

/// The effect of an event, by its type and its content.
fn event_kind(name: &[u8], payload: Option<Val<'_>>) -> EventKind {
    let Some((_, kind, required)) = TYPES.iter().find(|(known, ..)| known.as_bytes() == name) else {
        let is_harmless = !name.starts_with(AGENT) || HARMLESS.iter().any(|end| name.ends_with(end));
        return if is_harmless { EventKind::Other } else { EventKind::Unknown };
    };
    let text = |key: &str| payload.and_then(|payload| payload.get(key)).is_some_and(|val| val.is_string());
    let is_complete = match required {
        RequiredContent::Nothing => payload.is_none_or(|payload| payload.is_object()),
        RequiredContent::Text(key) => text(key),
        RequiredContent::Request => payload.and_then(request_of).is_some(),
        RequiredContent::RequestOrName => payload.and_then(request_of).is_some() || text("requestId"),
    };
    match (is_complete, *kind) {
        // Unknown shapes of newer types are not errors.
        (false, _) => EventKind::Invalid,
        (true, EventKind::Rewrite) if text("op") => EventKind::Other,
        (true, EventKind::Rewrite) if payload.and_then(replacement_messages).is_none() => EventKind::Unknown,
        (true, kind) => kind,
    }
}

/// The messages that replace the history.
fn replacement_messages(payload: Val<'_>) -> Option<Val<'_>> {
    let messages =
        payload.get(name::messages).or_else(|| payload.get(name::context)).filter(|list| list.is_array())?;
    messages.elements().all(|message| text_message(message).is_some()).then_some(messages)
}

/// Role and content of a message that is only a text; `None` for any other.
pub fn text_message(message: Val<'_>) -> Option<(Role, Val<'_>)> {
    let role = Role::of(&message.get(name::role)?.text()?);
    let content = message.get(name::content).filter(|content| content.is_string())?;
    (message.count() == 2).then_some((role, content))
}

fn text_digest(content: Val<'_>) -> u64 {
    content.as_str().map_or(0, fingerprint)
}

/// Fingerprint of a list of messages, and true if its instructions are the default ones.
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
    let Some(stored) = stored_type(event) else { return };
    let name = one_name(&stored);
    let payload = event.get(name::payload);
    let offset = event.get("offset").and_then(|offset| offset.as_u64());
    let readers = payload.filter(|_| stored.ends_with("/context-added")).map_or(Readers::ALL, |payload| {
        let payload = serde_json::from_slice(payload.raw()).unwrap_or_default();
        prompt::readers(&payload, offset.unwrap_or(u64::MAX))
    });
    let kind = match event_kind(&name, payload) {
        // It is reported as an item that no contract reads.
        _ if readers == Readers::NONE => EventKind::Other,
        EventKind::Message if is_answer(&stored, payload) => EventKind::Output,
        kind => kind,
    };
    let body = payload.and_then(|payload| payload.at(&["body", "messages"])).filter(|list| list.is_array());
    let repeated =
        body.filter(|list| !is_referenced(*list) && matches!(kind, EventKind::Requested | EventKind::Started));
    let unrecoverable =
        || payload.and_then(|payload| payload.get(name::reason)).is_some_and(|it| it.is("unrecoverable"));
    let gave_up = name.ends_with(b"/llm-request-attempt-failed") && kind == EventKind::Other && unrecoverable();
    let has_status = |expected: &[u8]| {
        payload
            .and_then(|payload| payload.at(&["result", "status"])?.as_str())
            .is_some_and(|status| status.is(expected))
    };
    let mut content = EventContent { role: Role::User, contents: Vec::new() };
    content.read(&name, kind, payload);
    let mark = IterateEvent {
        kind: match kind {
            _ if gave_up => EventKind::Ended,
            EventKind::Completed if has_status(b"cancelled") => EventKind::Cancelled,
            kind => kind,
        },
        at: record.base.of(event),
        record: record.number,
        offset,
        request: payload.and_then(request_of),
        name: payload.and_then(|payload| payload.get("requestId")?.as_str()).map_or(0, fingerprint),
        tell: Tell::of(&stored, payload),
        request_tell: RequestTell::of(payload),
        readers,
        time: parsed(event, "createdAt", time::parse),
        expires_at: payload.and_then(|payload| Some(payload.get("expiresAt")?.as_u64()? as i64 / 1000)),
        type_digest: fingerprint_of(&name),
        content: content.digest(kind),
        body: repeated.map(|list| {
            let (digest, default) = digest(list);
            RepeatedBody { at: record.base.of(list), digest, default }
        }),
    };
    sink.mark(Mark::Custom(Box::new(mark)));
    if kind == EventKind::Requested
        && let Some(model) = payload.and_then(|payload| payload.get(name::model)?.text())
    {
        let model = String::from_utf8_lossy(&model).into();
        sink.mark(Mark::Settings(|settings, model| settings.model = Some(model), model));
    }
    for (role, content) in content.contents {
        let mut row = Row::of_place(record.base.of(content), record.number);
        (row.kind, row.item_kind, row.role) = (Kind::BlockMessage, Kind::BlockMessage, role);
        row.set(Flags::SYNTHETIC);
        row.set(if content.size() > 2 { BlockFlags::CONTENT } else { BlockFlags::EMPTY });
        sink.item(Item { row, val: content, id: None, key: None });
    }
}

/// True if an item of the context is an answer that counts only while its request is open.
fn is_answer(stored: &str, payload: Option<Val<'_>>) -> bool {
    let is_of_model = |payload: Val<'_>| {
        let role = payload.get(name::role).is_some_and(|role| role.is("assistant"));
        role || payload.at(&["actor", "type"]).is_some_and(|kind| kind.is("model"))
    };
    stored == "agents/context-added"
        && payload.is_some_and(|payload| request_of(payload).is_some() && is_of_model(payload))
}

/// True if a list of messages was replaced by a reference.
fn is_referenced(list: Val<'_>) -> bool {
    list.elements().next().is_some_and(is_reference)
}

/// The messages that an event adds to the history.
struct EventContent<'t> {
    role: Role,
    contents: Vec<(Role, Val<'t>)>,
}

impl<'t> EventContent<'t> {
    fn read(&mut self, name: &[u8], kind: EventKind, payload: Option<Val<'t>>) {
        let Some(payload) = payload else { return };
        let role = match kind {
            EventKind::System => Role::System,
            EventKind::Output => Role::Assistant,
            EventKind::Message if name.ends_with(b"/context-added") => {
                payload.get(name::role).and_then(|role| role.text()).map_or(Role::User, |role| Role::of(&role))
            }
            EventKind::Message => Role::User,
            EventKind::Rewrite => {
                let messages = replacement_messages(payload).into_iter().flat_map(|messages| messages.elements());
                self.contents.extend(messages.filter_map(text_message));
                return;
            }
            _ => return,
        };
        self.role = role;
        let key = if kind == EventKind::System { "systemPrompt" } else { "content" };
        self.contents.extend(payload.get(key).map(|content| (role, content)));
    }

    fn digest(&self, kind: EventKind) -> Digest {
        let mut digest = Digest::default();
        for (role, content) in &self.contents {
            match kind {
                EventKind::System => return Digest::of_system(text_digest(*content)),
                EventKind::Rewrite => digest.append(Digest::of_message(*role, text_digest(*content))),
                _ => return Digest::of_message(*role, text_digest(*content)),
            }
        }
        digest
    }
}
