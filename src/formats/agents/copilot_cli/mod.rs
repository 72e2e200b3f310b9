//! Sessions of the GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`. Events are linked by `parentId`. A
//! result is a separate event, and is sent right after its call, wherever it was written. Events of a subagent name the
//! call that started it, and form a separate history.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe};
use crate::history::{Finding, HistorySettings, RepairAct, Role, Row, UnsentItem, Version, codes};
use crate::json::{Val, name};
use crate::message::{Message, Text};

use crate::formats::member::{parsed, text};
use crate::formats::threads::{Dialects, FirstPositions, STORE, parts, translate};

mod edit;
mod event;
pub mod resume;

use event::LineSeparators;

pub struct CopilotCli;

pub static FORMAT: CopilotCli = CopilotCli;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "copilot-cli",
    title: "GitHub Copilot CLI session (`session-state/*/events.jsonl`)",
    known_by: "lines with `type`, `data`, `id`, `timestamp` and `parentId`",
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
})
.chat;

/// Prefixes of its event types.
const TYPES: [&str; 12] = [
    "session.",
    "user.",
    "assistant.",
    "tool.",
    "system.",
    "subagent.",
    "hook.",
    "skill.",
    "permission.",
    "user_input.",
    "external_tool.",
    "abort",
];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["[type=user.message]data/[transformedContent]content"],
        why: "replaced by the transformed content",
    },
    UnsentPaths {
        paths: &[
            "data/context/**",
            "data/copilotVersion",
            "data/producer",
            "data/hookInvocationId",
            "data/hookType",
            "data/infoType",
            "data/interactionId",
            "data/shutdownType",
            "data/turnId",
            "data/parentToolCallId",
            "data/upToEventId",
            "data/reason",
        ],
        why: "a program event without a message",
    },
    UnsentPaths {
        paths: &[
            "data/candidateModels",
            "data/chosenModel",
            "data/currentModel",
            "data/newModel",
            "data/selectedModel",
            "data/predictedLabel",
            "data/reasoningBucket",
            "data/modelCacheState/**",
        ],
        why: "the model is a setting of the request",
    },
    UnsentPaths {
        paths: &[
            "[type=session.info|session.warning|session.error|session.model_change|session.shutdown|session.mode_changed|hook.start|hook.end|session.title_changed]data/**",
        ],
        why: "a program event without a message",
    },
    UnsentPaths {
        paths: &[
            "data/success",
            "[type=tool.execution_complete]data/toolCallId",
            "[type=tool.execution_start|tool.execution_partial_result|tool.execution_progress]data/**",
            "[type=tool.user_requested]data/**",
        ],
        why: "repeated in the call and its result",
    },
    UnsentPaths { paths: &["[type=tool.execution_complete]data/toolName"], why: "the name is in the call" },
    UnsentPaths { paths: &["data/agentName", "data/agentDisplayName"], why: "the name of a subagent" },
];

impl Format for CopilotCli {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_text = |name| probe.get(name).is_some_and(|own| own.is_string());
        let Some(kind) = probe.text(name::r#type) else { return 0 };
        let is_event = probe.get(name::data).is_some_and(|data| data.is_object())
            && is_text(name::id)
            && is_text(name::timestamp)
            && probe.has(name::parentId);
        match is_event {
            true if TYPES.iter().any(|start| kind.starts_with(start.as_bytes())) => 95,
            // A newer type.
            true => 60,
            false => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(CopilotReader::default()))
    }
}

/// Collects the threads of a session.
#[derive(Default)]
struct CopilotReader {
    id: Option<Box<str>>,
    model: Option<Box<str>>,
    version: Option<Version>,
    threads: Vec<CopilotThread>,
    results: ToolResults,
    /// Ids of calls made by the user, whose results are not sent.
    user_calls: HashSet<Text>,
    findings: Vec<Finding>,
}

/// Results of tools by the ids of their calls, in the order in which they were written: the calls of an id take one each.
type ToolResults = HashMap<Text, VecDeque<Message>>;

/// The entries of the main agent or of a subagent.
#[derive(Default)]
struct CopilotThread {
    /// Id of the call that started the subagent; `None` for the main agent.
    parent: Option<Box<str>>,
    entries: Vec<CopilotEntry>,
    /// Positions of the first entries of events.
    first: FirstPositions,
    /// Number of entries that a running compaction summarises.
    compacting: Option<usize>,
    /// Entries that are no longer sent, and why.
    unsent: Vec<(CopilotEntry, &'static str)>,
}

struct CopilotEntry {
    /// Id of the event.
    id: Option<Box<str>>,
    content: CopilotContent,
}

enum CopilotContent {
    Message(Message),
    /// The result of the call with this id was written here.
    Result(Text),
}

impl ThreadReader for CopilotReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let (Some(kind), Some(data)) = (text(record.val, "type"), record.val.get(name::data)) else { return };
        self.check_separators(record);
        self.model = ["selectedModel", "newModel", "currentModel", "model"]
            .iter()
            .find_map(|key| text(data, key).filter(|_| event::names_model(&kind)))
            .or(self.model.take());
        let thread = thread_of(&mut self.threads, event::parent_call(record.val));
        match &*kind {
            "session.start" | "session.resume" => {
                self.id = text(data, "sessionId").or(self.id.take());
                let version = parsed(data, "copilotVersion", Version::parse);
                self.version = self.version.max(version);
            }
            "session.compaction_start" => thread.begin_compaction(),
            "session.compaction_complete" => thread.finish_compaction(data, record),
            "session.context_cleared" => thread.remove_from(0, "the user has cleared the context"),
            "session.snapshot_rewind" => thread.rewind(data),
            "tool.user_requested" => self.user_calls.extend(parts::text(data.get(name::toolCallId), record.base)),
            "tool.execution_complete" => {
                let Some((id, answer)) = event::tool_result(data, record) else { return };
                self.results.entry(id.clone()).or_default().push_back(answer);
                thread.add(record, CopilotContent::Result(id));
            }
            _ => {
                if let Some(message) = event::message(&kind, data, record) {
                    thread.add(record, CopilotContent::Message(message));
                }
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        let mut call_ids = std::mem::take(&mut self.user_calls);
        let of_user = call_ids.iter().filter_map(|id| self.results.get(id)).flatten();
        let mut of_user: Vec<UnsentItem> =
            of_user.map(|answer| unsent_item(answer, "a result", "the user ran the tool")).collect();
        for entry in self.threads.iter().flat_map(|thread| &thread.entries) {
            if let CopilotContent::Message(message) = &entry.content {
                call_ids.extend(message.calls().map(|call| call.id.clone()));
            }
        }
        let settings = HistorySettings {
            label: self.id,
            model: self.model,
            agent_version: self.version,
            store: Some(false),
            ..HistorySettings::default()
        };
        let mut histories = Vec::new();
        for mut thread in self.threads {
            let mut settings = settings.clone();
            if let Some(parent) = &thread.parent {
                settings.add_label(format!("subagent {parent}").into());
                settings.is_of_subagent = true;
            }
            settings.unsent = thread.collect_unsent(&mut self.results);
            settings.unsent.append(&mut of_user);
            histories.push(translate(&INFO, settings, thread.into_messages(&mut self.results, &call_ids)));
        }
        if let Some(first) = histories.first_mut() {
            first.findings.extend(self.findings);
        }
        histories
    }
}

impl CopilotReader {
    /// Reports the first line separator of a record, at which Copilot splits the file.
    fn check_separators(&mut self, record: &ParsedRecord<'_>) {
        let found = LineSeparators::of(record);
        if let Some(first) = found.first() {
            let row = Row::of_place(*first, record.number);
            let count = u32::try_from(found.count()).unwrap_or(u32::MAX);
            let finding = Finding::new(codes::RAW_LINE_SEPARATOR, row).arg(count);
            self.findings.push(finding.act(RepairAct::RepairStored("escape them as `\\u2028` and `\\u2029`")));
        }
    }
}

/// The thread of the main agent or of a subagent, added if it is new.
#[expect(clippy::indexing_slicing, reason = "the position of one that is known, or of the one that was added")]
fn thread_of(threads: &mut Vec<CopilotThread>, parent: Option<Box<str>>) -> &mut CopilotThread {
    if threads.is_empty() {
        threads.push(CopilotThread::default());
    }
    let known = threads.iter().position(|thread| thread.parent == parent).unwrap_or_else(|| {
        threads.push(CopilotThread { parent, ..CopilotThread::default() });
        threads.len() - 1
    });
    &mut threads[known]
}

impl CopilotThread {
    fn add(&mut self, record: &ParsedRecord<'_>, content: CopilotContent) {
        let id = text(record.val, "id");
        self.first.add(id.as_deref(), self.entries.len(), |at| id_at(&self.entries, at));
        self.entries.push(CopilotEntry { id, content });
    }

    fn begin_compaction(&mut self) {
        self.compacting = Some(self.entries.len());
    }

    /// Replaces the entries that existed when the compaction began by its summary.
    fn finish_compaction(&mut self, data: Val<'_>, record: &ParsedRecord<'_>) {
        let until = self.compacting.take().unwrap_or(self.entries.len()).min(self.entries.len());
        let failed = data.get("success").and_then(|success| success.as_bool()) == Some(false);
        let summary = parts::text_part(data.get("summaryContent"), record.base);
        let Some(summary) = summary.filter(|_| !failed) else { return };
        let at = summary.at.place;
        let message = parts::message(Role::User, vec![summary], at, record.number).inserted();
        let entry = CopilotEntry { id: text(record.val, "id"), content: CopilotContent::Message(message) };
        let replaced: Vec<CopilotEntry> = self.entries.splice(..until, std::iter::once(entry)).collect();
        self.unsent.extend(replaced.into_iter().map(|entry| (entry, "a compaction has replaced it")));
        self.first = FirstPositions::of(self.entries.iter().map(|entry| entry.id.as_deref()));
    }

    /// Removes the entries from an index on.
    fn remove_from(&mut self, from: usize, why: &'static str) {
        self.unsent.extend(self.entries.drain(from..).map(|entry| (entry, why)));
    }

    /// The messages and the results that are no longer sent.
    fn collect_unsent(&mut self, results: &mut ToolResults) -> Vec<UnsentItem> {
        let mut calls: HashSet<Text> = HashSet::default();
        let mut all = Vec::new();
        for (entry, why) in std::mem::take(&mut self.unsent) {
            match entry.content {
                CopilotContent::Message(message) => {
                    all.push(unsent_item(&message, "a message", why));
                    calls.extend(message.calls().map(|call| call.id.clone()));
                }
                CopilotContent::Result(id) => {
                    let Some(answers) = results.get_mut(&id) else { continue };
                    all.extend(answers.front().map(|answer| unsent_item(answer, "a result", why)));
                    // It is that of a call which is no longer sent.
                    if calls.contains(&id) {
                        answers.pop_front();
                    }
                }
            }
        }
        all
    }

    /// Removes the event that a rewind names and everything after it.
    fn rewind(&mut self, data: Val<'_>) {
        let Some(from) = text(data, "upToEventId") else { return };
        if let Some(at) = self.first.find(&from, |at| id_at(&self.entries, at)) {
            self.remove_from(at, "the user went back to before it");
        }
    }

    /// The messages that are sent: each call with its result right after it. A result without a call stays where it was
    /// written.
    fn into_messages(self, results: &mut ToolResults, call_ids: &HashSet<Text>) -> Vec<Message> {
        let mut messages = Vec::new();
        for entry in self.entries {
            let calls = match entry.content {
                CopilotContent::Message(message) => {
                    let calls = message.calls().map(|call| call.id.clone()).collect();
                    messages.push(message);
                    calls
                }
                CopilotContent::Result(id) if call_ids.contains(&id) => continue,
                CopilotContent::Result(id) => vec![id],
            };
            messages.extend(calls.iter().filter_map(|id| results.get_mut(id)?.pop_front()));
        }
        messages
    }
}

/// The id of the event of an entry.
fn id_at(entries: &[CopilotEntry], at: usize) -> Option<&str> {
    entries.get(at)?.id.as_deref()
}

fn unsent_item(message: &Message, what: &'static str, why: &'static str) -> UnsentItem {
    UnsentItem::at(message.at.place, message.record, what, why)
}
