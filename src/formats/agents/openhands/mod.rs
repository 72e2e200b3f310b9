//! Events of OpenHands, as a list or one per line: those of its SDK (version 1, `kind`), and those of version 0 (`action` and
//! `observation`). Calls of one response of the model are one message.

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::{KeyName, Val, name};
use crate::message::{Message, Part, PartKind, Text};

use crate::formats::threads::{DialectChoice, Dialects, STORE, translate, unsent_parts};

mod edit;
mod event;
pub mod resume;

use event::OpenhandsEvent;

pub struct Openhands;

pub static FORMAT: Openhands = Openhands;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "openhands",
    title: "events of OpenHands (`events/event-*.json` as a list or as lines; trajectories of version 0)",
    upstream: Some(Upstream { repository: "OpenHands/software-agent-sdk", file: None, version: Some("611629e6") }),
    known_by: "`kind` with `source` and `timestamp`; lists of `action` and `observation` with `source`",
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Kinds of events of version 1.
const KINDS: [&str; 12] = [
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "PauseEvent",
    "ConversationStateUpdateEvent",
    "ConversationErrorEvent",
];

/// Number of events that detection reads.
const SAMPLE: usize = 50;

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["tool_call_metadata/model_response/**", "[action]args/**"],
        why: "the response, which its first event contains",
    },
    UnsentPaths {
        paths: &[
            "source",
            "action_id",
            "llm_response_id",
            "forgotten_event_ids",
            "security_risk",
            "cause",
            "tool_call/origin",
        ],
        why: "event metadata: its source and its references",
    },
    UnsentPaths {
        paths: &[
            "action",
            "observation",
            "[kind=ActionEvent]action/**",
            "[kind=ActionEvent]tool_name",
            "[kind=ActionEvent]tool_call_id",
            "[kind=ObservationEvent]tool_name",
            "[kind=AgentErrorEvent]tool_name",
            "[kind=UserRejectObservation]tool_name",
            "tool_call_metadata/function_name",
            "tool_call_metadata/tool_call_id",
            "tool_call_metadata/model_response/object",
        ],
        why: "repeated in the call",
    },
    UnsentPaths {
        paths: &["[action]message", "[observation]message", "[observation]extras/**", "success"],
        why: "the displayed text of an event",
    },
    UnsentPaths {
        paths: &["[kind=ConversationStateUpdateEvent|PauseEvent|CondensationRequest|ConversationErrorEvent]**"],
        why: "a program event without a message",
    },
];

impl Format for Openhands {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return score(probe.val);
        }
        let mut best = 0;
        for event in probe.val.elements().take(SAMPLE) {
            match score(event) {
                0 => return 0,
                score => best = best.max(score),
            }
        }
        best
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(OpenhandsReader::default()))
    }
}

fn score(event: Val<'_>) -> u8 {
    let has = |name: KeyName| event.get(name).is_some();
    let is_text = |name: KeyName| event.get(name).is_some_and(|own| own.is_string());
    if !is_text(name::source) || !has(name::timestamp) || !has(name::id) {
        return 0;
    }
    let kind = event.get(name::kind).is_some_and(|kind| KINDS.iter().any(|name| kind.is(name)));
    let is_observation = || event.get("observation").is_some_and(|own| own.is_string());
    match kind {
        true => 95,
        false if is_text(name::action) && has(name::args) => 90,
        false if is_observation() && (has(name::content) || event.get("extras").is_some()) => 90,
        false if is_text(name::kind) => 10,
        _ => 0,
    }
}

/// Collects the messages of a conversation. Its dialect is known only at the end.
#[derive(Default)]
struct OpenhandsReader {
    events: Vec<OpenhandsEvent>,
    unsent: Vec<UnsentItem>,
    is_responses: bool,
    is_anthropic: bool,
    /// True if each record is an event of version 1, as in the store of the CLI.
    is_store: bool,
}

impl ThreadReader for OpenhandsReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let alone = (!record.val.is_array()).then_some(record.val);
        self.is_store = alone.is_some_and(|event| event.get(name::kind).is_some());
        for event in alone.into_iter().chain(record.val.elements()) {
            self.is_responses |= event.get("responses_reasoning_item").is_some_and(|item| item.is_object());
            self.is_responses |= event.at(&["tool_call", "origin"]).is_some_and(|origin| origin.is("responses"));
            self.is_anthropic |= event.get("thinking_blocks").is_some_and(|blocks| blocks.count() > 0);
            if let Some(forgotten) = event.get("forgotten_event_ids") {
                let ids: HashSet<Box<str>> = forgotten.elements().filter_map(event::as_text).collect();
                let forgotten = self.events.extract_if(.., |event| ids.contains(&event.id));
                self.unsent.extend(forgotten.map(|OpenhandsEvent { message, .. }| {
                    let why = "a condensation has replaced it";
                    UnsentItem::at(message.at.place, message.record, "an event", why)
                }));
            }
            let Some(event_message) = OpenhandsEvent::of(event, record) else { continue };
            // A summary is inserted in the place of the forgotten events.
            let at = event.get("summary_offset").and_then(|offset| offset.as_u64());
            let at = at.and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX).min(self.events.len());
            self.events.insert(at, event_message);
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let dialect = match (self.is_responses, self.is_anthropic) {
            (true, _) => DialectChoice::Responses,
            (false, true) => DialectChoice::Anthropic,
            (false, false) => DialectChoice::Chat,
        };
        // A file with one event is part of a conversation: the call of a result is in another file.
        let is_part = self.events.len() == 1;
        let (mut messages, mut results): (Vec<Message>, Vec<Message>) = (Vec::new(), Vec::new());
        let mut response: Option<Box<str>> = None;
        // Each result answers one call.
        let mut open: HashMap<Text, usize> = HashMap::default();
        let parts = self.events.iter().flat_map(|event| &event.message.parts);
        for part in parts {
            if let PartKind::Call(call) = &part.kind {
                *open.entry(call.id.clone()).or_default() += 1;
            }
        }
        let mut unsent = self.unsent;
        for OpenhandsEvent { message, response: own, .. } in self.events {
            if message.role == Role::Tool {
                let is_surplus = |part: &Part| match &part.kind {
                    PartKind::Result(result) => match open.get_mut(&result.id) {
                        Some(0) => true,
                        Some(calls) => {
                            *calls -= 1;
                            false
                        }
                        None => false,
                    },
                    _ => false,
                };
                if message.parts.iter().any(is_surplus) {
                    unsent.extend(unsent_parts(&[message], "only the first result of a call is sent"));
                } else if !is_part {
                    results.push(message);
                }
                continue;
            }
            let is_same_response = own.is_some() && own == response;
            response = own;
            match messages.last_mut() {
                // The first event of a response has its reasoning and its texts.
                Some(open) if is_same_response => {
                    let calls = message.parts.into_iter().filter(|part| matches!(part.kind, PartKind::Call(_)));
                    open.parts.extend(calls);
                }
                _ => {
                    messages.append(&mut results);
                    messages.push(message);
                }
            }
        }
        messages.append(&mut results);
        // A call without a result is run when the conversation is resumed, after the new prompt.
        let settings = HistorySettings {
            store: Some(false),
            unsent,
            sends_open_calls: self.is_store,
            ..HistorySettings::default()
        };
        vec![translate(DIALECTS.row(dialect), settings, messages)]
    }
}
