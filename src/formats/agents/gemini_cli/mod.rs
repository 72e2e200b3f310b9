//! Sessions of the Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the JSON documents of older versions.
//! The lines are applied in order: a message replaces the one with its id, `$set` changes the session, `$rewindTo` removes
//! a message and all after it. Results are stored in their calls; the user turn that sends them is built from those.

mod edit;
mod message;
pub mod recording;
pub mod resume;
mod state;
pub mod write;

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::history::codes::UNKNOWN_REWIND;
use crate::history::{Finding, HistorySettings, Row, UnsentItem, Usage};
use crate::json::{Val, name};

use message::GeminiMessage;
use state::{GeminiState, RecordEffect};

pub struct GeminiCli;

pub static FORMAT: GeminiCli = GeminiCli;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-cli",
    title: "Gemini CLI session (`chats/session-*.jsonl`, and `.json` before)",
    upstream: Some(Upstream {
        repository: "google-gemini/gemini-cli",
        file: Some("packages/core/src/services/chatRecordingService.ts"),
        version: Some("0.61.0"),
    }),
    known_by: "`sessionId` with `projectHash`; lines with `$set` or `$rewindTo`; messages of `type` gemini",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// Types of messages.
const TYPES: [&str; 5] = ["user", "gemini", "info", "error", "warning"];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["$rewindTo", "projectHash", "summary", "messages/displayContent", "displayContent"],
        why: "session metadata and terminal output",
    },
    UnsentPaths {
        paths: &[
            "**/toolCalls/status",
            "**/toolCalls/description",
            "**/toolCalls/displayName",
            "**/toolCalls/resultDisplay",
            "**/toolCalls/renderOutputAsMarkdown",
        ],
        why: "terminal output of a call, whose response is sent instead",
    },
    UnsentPaths {
        paths: &[
            "[type=info|error|warning]content",
            "messages/[type=info|error|warning]content",
            "$set/messages/[type=info|error|warning]content",
        ],
        why: "a notice of the program",
    },
];

impl Format for GeminiCli {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let text = |key: &str| val.get(key).is_some_and(|own| own.is_string());
        if !val.is_object()
            || [name::uuid, name::parentUuid, name::message].into_iter().any(|name| probe.has(name))
        {
            return 0;
        }
        if text("sessionId") && text("projectHash") {
            return 95;
        }
        let operates = val.get("$set").is_some_and(|set| set.is_object()) || text("$rewindTo");
        if operates && !probe.has(name::role) {
            return 90;
        }
        let is_message = text("id") && text("timestamp") && probe.has(name::content) && !probe.has(name::role);
        let kind = TYPES.iter().find(|name| val.get(name::r#type).is_some_and(|own| own.is(name)));
        match kind {
            Some(&"gemini") if is_message => 90,
            Some(_) if is_message => 15,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(GeminiReader::default()))
    }
}

/// Applies the records of a session.
#[derive(Default)]
struct GeminiReader {
    state: GeminiState<GeminiMessage>,
    findings: Vec<Finding>,
}

impl ThreadReader for GeminiReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let lost = self.state.apply(record.val, |val: Val<'_>| GeminiMessage::of(val, record));
        if let RecordEffect::AllRemoved = lost {
            let row = Row::of_place(record.base.of(record.val), record.number);
            self.findings.push(
                Finding::new(UNKNOWN_REWIND, row)
                    .never("the messages before it are still in the file; delete the line to restore them"),
            );
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        let mut settings = HistorySettings { ..HistorySettings::default() };
        let unsent = |entry: &GeminiMessage, why| UnsentItem::at(entry.at, entry.record, "a message", why);
        settings.unsent = self.state.take_unsent().iter().map(|(entry, why)| unsent(entry, why)).collect();
        let mut messages = Vec::new();
        for entry in self.state.into_messages() {
            if entry.is_unsent {
                let why = "Gemini CLI does not send commands, and regenerates its own context";
                settings.unsent.push(unsent(&entry, why));
            }
            settings.model = entry.model.or(settings.model);
            messages.extend(entry.messages);
        }
        vec![TranslatedThread {
            findings: self.findings,
            ..TranslatedThread::from_messages(&INFO, settings, messages)
        }]
    }
}
