//! Sessions of the Google ADK: rows of its database, or the JSON of a whole session. The contents of their events are those of
//! the Gemini API, unchanged; compacted and rewound events are omitted.

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::history::{HistorySettings, Role, UnsentItem, Usage};
use crate::json::string::snake_case;
use crate::json::{Val, name};
use crate::message::{Message, RawJson};

use crate::formats::member::text;
use crate::formats::threads::FirstPositions;

mod edit;

pub struct GoogleAdk;

pub static FORMAT: GoogleAdk = GoogleAdk;

static INFO: FormatInfo = FormatInfo {
    name: "google-adk",
    title: "session of the Google ADK (SQLite, or JSON)",
    upstream: Some(Upstream {
        repository: "google/adk-python",
        file: Some("src/google/adk/sessions/database_session_service.py"),
        version: None,
    }),
    known_by: "the SQLite tables `events` with `event_data`, and `sessions`; `events` that each have `author` and `invocation_id`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// The maximum number of events that are examined in detection.
const SAMPLE: usize = 20;

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "**/appName",
            "**/app_name",
            "**/userId",
            "**/user_id",
            "events/author",
            "author",
            "**/invocationId",
            "**/invocation_id",
            "**/rewindBeforeInvocationId",
            "**/model_version",
            "**/modelVersion",
            "current_agent_name",
        ],
        why: "about the session and its events",
    },
    UnsentPaths {
        paths: &[
            "context/**",
            "state/**",
            "**/state_delta/**",
            "**/stateDelta/**",
            "**/update_context/**",
            "**/function_call_event_id",
            "**/skip_summarization",
        ],
        why: "the state of the application, which the model sees only through tools",
    },
    UnsentPaths { paths: &["event_logs/**"], why: "a trace of the requests, which repeats the events" },
];

impl Format for GoogleAdk {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(events) = probe.get(name::events).filter(|events| events.is_array()) else { return 0 };
        let is_event = |event: Val<'_>| event.get("author").is_some() && member(event, "invocationId").is_some();
        match events.count() {
            0 if member(probe.val, "appName").is_some() && member(probe.val, "userId").is_some() => 90,
            0 => 0,
            _ if events.elements().take(SAMPLE).all(is_event) => 100,
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get("row").is_some() || self.detect(&Probe::new(val)) > 0
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(AdkReader::default()))
    }
}

/// A member by its name in camelCase, or the same in snake_case.
fn member<'v>(val: Val<'v>, camel: &str) -> Option<Val<'v>> {
    let found = val.get(camel).or_else(|| val.get(&*snake_case(camel)));
    found.filter(|val| !val.is_null())
}

/// The session so far.
#[derive(Default)]
struct AdkReader {
    id: Option<Box<str>>,
    model: Option<Box<str>>,
    events: Vec<AdkEvent>,
    /// Positions of the first events of invocations.
    first: FirstPositions,
    unsent: Vec<UnsentItem>,
}

/// An event with content.
struct AdkEvent {
    invocation: Option<Box<str>>,
    time: f64,
    /// `None` once a compaction has replaced it: the event keeps its place, so that a rewind finds it.
    content: Option<Message>,
}

impl ThreadReader for AdkReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        if let Some(event) = record.val.get("data") {
            self.event(event, record);
            return;
        }
        self.id = text(record.val, "id");
        for event in record.val.get("events").into_iter().flat_map(|events| events.elements()) {
            self.event(event, record);
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings = HistorySettings {
            label: self.id,
            model: self.model,
            unsent: self.unsent,
            ..HistorySettings::default()
        };
        let contents = self.events.into_iter().filter_map(|event| event.content).collect();
        vec![TranslatedThread::from_messages(&INFO, settings, contents)]
    }
}

impl AdkReader {
    fn event(&mut self, event: Val<'_>, record: &ParsedRecord<'_>) {
        let unsent = |what: &str, why| UnsentItem::at(record.base.of(event), record.number, what, why);
        if event.get("partial").and_then(|partial| partial.as_bool()) == Some(true) {
            self.unsent.push(unsent("a partial event", "the complete event follows it"));
            return;
        }
        let model = text(event, "modelVersion").or_else(|| text(event, "model_version"));
        self.model = model.or(self.model.take());
        let actions = event.get("actions");
        let rewind = actions.and_then(|actions| member(actions, "rewindBeforeInvocationId"));
        if let Some(rewind) = rewind.and_then(|rewind| rewind.text()) {
            let from = self.first.find(&String::from_utf8_lossy(&rewind), |at| invocation_at(&self.events, at));
            let from = from.unwrap_or(self.events.len());
            let rewound = self.events.drain(from..).filter_map(|event| event.content);
            self.unsent.extend(rewound.map(|own| unsent_item(&own, "the user went back to a point before it")));
            return;
        }
        let compaction = actions.and_then(|actions| actions.get("compaction")).filter(|own| own.is_object());
        if let Some(compaction) = compaction {
            let time = |key: &str| member(compaction, key).and_then(number);
            if let (Some(from), Some(to)) = (time("startTimestamp"), time("endTimestamp")) {
                let is_within = |event: &&mut AdkEvent| event.time >= from && event.time <= to;
                let replaced = self.events.iter_mut().filter(is_within).filter_map(|event| event.content.take());
                self.unsent.extend(replaced.map(|own| unsent_item(&own, "a compaction has replaced it")));
            }
        }
        let compacted = compaction.and_then(|compaction| member(compaction, "compactedContent"));
        let content = compacted.or_else(|| event.get("content"));
        let Some(content) = content.filter(|content| content.get("parts").is_some_and(|parts| parts.count() > 0))
        else {
            return;
        };
        let role =
            if content.get("role").is_some_and(|role| role.is("model")) { Role::Assistant } else { Role::User };
        let raw = RawJson::copied(content, record.base);
        let invocation = text(event, "invocationId").or_else(|| text(event, "invocation_id"));
        self.first.add(invocation.as_deref(), self.events.len(), |at| invocation_at(&self.events, at));
        self.events.push(AdkEvent {
            invocation,
            time: event.get("timestamp").and_then(number).unwrap_or(0.0),
            content: Some(Message {
                is_inserted: compacted.is_some(),
                ..Message::verbatim("gemini", role, raw, record.base.of(content), record.number)
            }),
        });
    }
}

fn invocation_at(events: &[AdkEvent], at: usize) -> Option<&str> {
    events.get(at)?.invocation.as_deref()
}

fn unsent_item(content: &Message, why: &'static str) -> UnsentItem {
    UnsentItem::at(content.at.place, content.record, "an event", why)
}

fn number(val: Val<'_>) -> Option<f64> {
    std::str::from_utf8(val.raw()).ok()?.parse().ok()
}
