//! Sessions of the Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the JSON document that it wrote before.
//! The lines are applied in order: a message replaces the one with its id, `$set` changes what is said of the session,
//! `$rewindTo` takes back a message and all after it. Results lie with the calls; the user's turn that they are sent in is
//! made of them.

mod edit;
mod message;
pub mod recording;
mod state;
pub mod write;

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit, Upstream};
use crate::history::codes::UNKNOWN_REWIND;
use crate::history::{Finding, Row, Settings, Unsent, Usage};
use crate::json::{Val, name};

use message::Entry;
use state::{State, What};

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
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    appended: true,
    unsent: UNSENT,
    edited: Edited::Partly,
    editor: Some(&edit::EDITOR),
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// Types of messages.
const TYPES: [&str; 5] = ["user", "gemini", "info", "error", "warning"];

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["$rewindTo", "projectHash", "summary", "messages/displayContent", "displayContent"],
        why: "about the session, and what the terminal shows",
    },
    UnsentPaths {
        paths: &[
            "**/toolCalls/status",
            "**/toolCalls/description",
            "**/toolCalls/displayName",
            "**/toolCalls/resultDisplay",
            "**/toolCalls/renderOutputAsMarkdown",
        ],
        why: "what the terminal shows of a call; its response is what is sent",
    },
    UnsentPaths {
        paths: &[
            "[type=info|error|warning]content",
            "messages/[type=info|error|warning]content",
            "$set/messages/[type=info|error|warning]content",
        ],
        why: "a note of the program",
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
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// A session that is being read.
#[derive(Default)]
struct Session {
    messages: State<Entry>,
    findings: Vec<Finding>,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let lost = self.messages.take(record.val, |val: Val<'_>| Entry::of(val, record));
        if let What::LostAll = lost {
            let row = Row::of_place(record.base.of(record.val), record.number);
            self.findings.push(Finding::new(UNKNOWN_REWIND, row).never(
                "the messages before it are still in the file; remove the line by hand to bring them back",
            ));
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        let mut settings = Settings { ..Settings::default() };
        let left = |entry: &Entry, why| Unsent::at(entry.at, entry.record, "a message", why);
        settings.unsent = self.messages.take_left().iter().map(|(entry, why)| left(entry, why)).collect();
        let mut messages = Vec::new();
        for entry in self.messages.finish() {
            if entry.is_unsent {
                let why = "Gemini CLI does not send commands, and makes its own context anew";
                settings.unsent.push(left(&entry, why));
            }
            settings.model = entry.model.or(settings.model);
            messages.extend(entry.messages);
        }
        vec![Translated { findings: self.findings, ..Translated::history(&INFO, settings, messages) }]
    }
}
