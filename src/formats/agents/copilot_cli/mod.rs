//! Sessions of the GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`. Events name the one before them. A
//! result is an event of its own, and is sent right after its call, wherever it was written. What a subagent says carries
//! the call that started it, and makes a history of its own.

use std::collections::{HashMap, HashSet};

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Layout, Probe};
use crate::history::{Act, Finding, Role, Row, Settings, Unsent, Version, codes};
use crate::json::{Val, name};
use crate::message::{Message, Text};

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, parts, translated};

mod edit;
mod event;

use event::Separators;

pub struct CopilotCli;

pub static FORMAT: CopilotCli = CopilotCli;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "copilot-cli",
    title: "GitHub Copilot CLI session (`session-state/*/events.jsonl`)",
    known_by: "lines with `type`, `data`, `id`, `timestamp` and `parentId`",
    appended: true,
    unsent: UNSENT,
    edited: Edited::Partly,
    editor: Some(&edit::EDITOR),
    ..STORE
})
.chat;

/// Copilot sends all models through a gateway of its own.
/// How the types of its events begin.
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

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["[type=user.message]data/[transformedContent]content"],
        why: "the transformed content is what is sent",
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
        why: "an event of the program, which no message is made of",
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
        why: "an event of the program, which no message is made of",
    },
    UnsentPaths {
        paths: &[
            "data/success",
            "[type=tool.execution_complete]data/toolCallId",
            "[type=tool.execution_start|tool.execution_partial_result|tool.execution_progress]data/**",
            "[type=tool.user_requested]data/**",
        ],
        why: "the call of the message and its result say it",
    },
    UnsentPaths { paths: &["[type=tool.execution_complete]data/toolName"], why: "the name is in the call" },
    UnsentPaths { paths: &["data/agentName", "data/agentDisplayName"], why: "the name of a subagent" },
];

impl Format for CopilotCli {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_text = |key: &str| probe.val.get(key).is_some_and(|own| own.is_string());
        let Some(kind) = probe.text(name::r#type) else { return 0 };
        let is_event = probe.val.get(name::data).is_some_and(|data| data.is_object())
            && is_text("id")
            && is_text("timestamp")
            && probe.val.get(name::parentId).is_some();
        match is_event {
            true if TYPES.iter().any(|start| kind.starts_with(start.as_bytes())) => 95,
            // A newer type.
            true => 60,
            false => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// A session that is being read.
#[derive(Default)]
struct Session {
    id: Option<Box<str>>,
    model: Option<Box<str>>,
    version: Option<Version>,
    threads: Vec<Thread>,
    /// What tools gave, by the ids of the calls.
    results: HashMap<Text, Message>,
    /// Calls that the user made: their results are not sent.
    of_user: HashSet<Text>,
    findings: Vec<Finding>,
}

/// What the main agent or a subagent says.
#[derive(Default)]
struct Thread {
    /// The call that started it; none for the main agent.
    parent: Option<Box<str>>,
    said: Vec<Said>,
    /// Where the messages end that are being summed up.
    compacting: Option<usize>,
    /// What is not sent any more, and why.
    left: Vec<(Said, &'static str)>,
}

struct Said {
    /// Of the event.
    id: Option<Box<str>>,
    what: What,
}

enum What {
    Message(Message),
    /// A result was written here, of the call with this id.
    Result(Text),
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let (Some(kind), Some(data)) = (text(record.val, "type"), record.val.get(name::data)) else { return };
        self.separators(record);
        self.model = ["selectedModel", "newModel", "currentModel", "model"]
            .iter()
            .find_map(|key| text(data, key).filter(|_| event::names_model(&kind)))
            .or(self.model.take());
        let thread = thread(&mut self.threads, event::parent(record.val));
        match &*kind {
            "session.start" | "session.resume" => {
                self.id = text(data, "sessionId").or(self.id.take());
                let version = text(data, "copilotVersion").and_then(|version| Version::parse(&version));
                self.version = self.version.max(version);
            }
            "session.compaction_start" => thread.compact(),
            "session.compaction_complete" => thread.compacted(data, record),
            "session.context_cleared" => thread.drop_all(0, "the user has cleared the context"),
            "session.snapshot_rewind" => thread.rewind(data),
            "tool.user_requested" => self.of_user.extend(parts::text(data.get(name::toolCallId), record.base)),
            "tool.execution_complete" => {
                let Some((id, answer)) = event::answer(data, record) else { return };
                self.results.entry(id.clone()).or_insert(answer);
                thread.add(record, What::Result(id));
            }
            _ => {
                if let Some(message) = event::message(&kind, data, record) {
                    thread.add(record, What::Message(message));
                }
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        let mut asked = std::mem::take(&mut self.of_user);
        let of_user = asked.iter().filter_map(|id| self.results.get(id));
        let mut of_user: Vec<Unsent> =
            of_user.map(|answer| unsent(answer, "a result", "the user ran the tool")).collect();
        for said in self.threads.iter().flat_map(|thread| &thread.said) {
            if let What::Message(message) = &said.what {
                asked.extend(message.calls().map(|call| call.id.clone()));
            }
        }
        let settings = Settings {
            label: self.id,
            model: self.model,
            agent_version: self.version,
            store: Some(false),
            ..Settings::default()
        };
        let mut histories = Vec::new();
        for mut thread in self.threads {
            let mut settings = settings.clone();
            if let Some(parent) = &thread.parent {
                settings.add_label(format!("subagent {parent}").into());
            }
            settings.unsent = thread.unsent(&self.results);
            settings.unsent.append(&mut of_user);
            histories.push(translated(&INFO, settings, thread.messages(&mut self.results, &asked)));
        }
        if let Some(first) = histories.first_mut() {
            first.findings.extend(self.findings);
        }
        histories
    }
}

impl Session {
    /// Copilot splits the file at these characters, too.
    fn separators(&mut self, record: &Stored<'_>) {
        let found = Separators::of(record);
        if let Some(first) = found.first() {
            let row = Row::of_place(*first, record.number);
            let count = u32::try_from(found.count()).unwrap_or(u32::MAX);
            let finding = Finding::new(codes::RAW_LINE_SEPARATOR, row).arg(count);
            self.findings.push(finding.act(Act::Stored("escape them as `\\u2028` and `\\u2029`")));
        }
    }
}

/// The thread of the main agent, or of a subagent.
#[expect(clippy::indexing_slicing, reason = "the position of one that is known, or of the one that was added")]
fn thread(threads: &mut Vec<Thread>, parent: Option<Box<str>>) -> &mut Thread {
    if threads.is_empty() {
        threads.push(Thread::default());
    }
    let known = threads.iter().position(|thread| thread.parent == parent).unwrap_or_else(|| {
        threads.push(Thread { parent, ..Thread::default() });
        threads.len() - 1
    });
    &mut threads[known]
}

impl Thread {
    fn add(&mut self, record: &Stored<'_>, what: What) {
        self.said.push(Said { id: text(record.val, "id"), what });
    }

    fn compact(&mut self) {
        self.compacting = Some(self.said.len());
    }

    /// The summary takes the place of what was there when the compaction began.
    fn compacted(&mut self, data: Val<'_>, record: &Stored<'_>) {
        let until = self.compacting.take().unwrap_or(self.said.len()).min(self.said.len());
        let failed = data.get("success").and_then(|success| success.as_bool()) == Some(false);
        let summary = parts::said(data.get("summaryContent"), record.base);
        let Some(summary) = summary.filter(|_| !failed) else { return };
        let at = summary.at.place;
        let message = parts::message(Role::User, vec![summary], at, record.number);
        let said = Said { id: text(record.val, "id"), what: What::Message(message) };
        let replaced: Vec<Said> = self.said.splice(..until, std::iter::once(said)).collect();
        self.left.extend(replaced.into_iter().map(|said| (said, "a compaction has replaced it")));
    }

    /// Leaves out what was said from a number on.
    fn drop_all(&mut self, from: usize, why: &'static str) {
        self.left.extend(self.said.drain(from..).map(|said| (said, why)));
    }

    /// What is not sent any more: messages, and the results of their calls.
    fn unsent(&mut self, results: &HashMap<Text, Message>) -> Vec<Unsent> {
        let mut all = Vec::new();
        for (said, why) in std::mem::take(&mut self.left) {
            let calls = match said.what {
                What::Message(message) => {
                    all.push(unsent(&message, "a message", why));
                    message.calls().map(|call| call.id.clone()).collect()
                }
                What::Result(id) => vec![id],
            };
            let answers = calls.iter().filter_map(|id| results.get(id));
            all.extend(answers.map(|answer| unsent(answer, "a result", why)));
        }
        all
    }

    /// An event and all after it were taken back.
    fn rewind(&mut self, data: Val<'_>) {
        let Some(from) = text(data, "upToEventId") else { return };
        if let Some(at) = self.said.iter().position(|said| said.id.as_ref() == Some(&from)) {
            self.drop_all(at, "the user went back to before it");
        }
    }

    /// What is sent: each call with its result right after it. A result without a call stays where it was written.
    fn messages(self, results: &mut HashMap<Text, Message>, asked: &HashSet<Text>) -> Vec<Message> {
        let mut messages = Vec::new();
        for said in self.said {
            let calls = match said.what {
                What::Message(message) => {
                    let calls = message.calls().map(|call| call.id.clone()).collect();
                    messages.push(message);
                    calls
                }
                What::Result(id) if asked.contains(&id) => continue,
                What::Result(id) => vec![id],
            };
            messages.extend(calls.iter().filter_map(|id| results.remove(id)));
        }
        messages
    }
}

fn unsent(message: &Message, what: &'static str, why: &'static str) -> Unsent {
    Unsent::at(message.at.place, message.record, what, why)
}
