//! Sessions of the GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`. Events name the one before them. A
//! result is an event of its own, and is sent right after its call, wherever it was written. What a subagent says carries
//! the call that started it, and makes a history of its own.

use std::collections::{HashMap, HashSet};

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Editor, Format, FormatInfo, Layout, Probe};
use crate::history::{Act, Code, Finding, Role, Row, Settings, Unsent, Version, codes};
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::spoken;
use crate::formats::spoken::{Dialects, STORE, Says, Turn};

mod correct;
mod event;

use event::{Answer, Separators};

pub struct CopilotCli;

pub static FORMAT: CopilotCli = CopilotCli;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "copilot-cli",
    title: "GitHub Copilot CLI session (`session-state/*/events.jsonl`)",
    known_by: "lines with `type`, `data`, `id`, `timestamp` and `parentId`",
    appended: true,
    unsent: UNSENT,
    edited: Edited::Partly,
    ..STORE
})
.chat;

/// Copilot sends all models through a gateway of its own.
const READ_ONLY: &str = "events of the Copilot CLI are not edited for this; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

const CURES: &[(Code, &str)] =
    &[(codes::CHAT_MISSING_REPLY, "add a failed `tool.execution_complete` after the line that started the call")];

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

    fn editor(&self) -> Option<Editor> {
        Some(Editor::Messages(|| Box::new(correct::Corrections::default())))
    }
}

/// A session that is being read.
#[derive(Default)]
struct Session {
    id: Option<Box<str>>,
    model: Option<Box<str>>,
    version: Option<Version>,
    threads: Vec<Thread>,
    results: HashMap<Box<str>, Answer>,
    /// Calls that the user made: their results are not sent.
    of_user: HashSet<Box<str>>,
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
    Turn(Turn, Vec<Box<str>>),
    /// A result was written here, of the call with this id.
    Result(Box<str>),
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
            "tool.user_requested" => self.of_user.extend(text(data, "toolCallId")),
            "tool.execution_complete" => {
                let Some((id, answer)) = event::answer(data, record) else { return };
                self.results.entry(id.clone()).or_insert(answer);
                thread.add(record, What::Result(id));
            }
            _ => {
                if let Some((turn, calls)) = event::turn(&kind, data, record) {
                    thread.add(record, What::Turn(turn, calls));
                }
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        let mut asked: HashSet<Box<str>> = std::mem::take(&mut self.of_user);
        let of_user = asked.iter().filter_map(|id| self.results.get(id));
        let of_user =
            of_user.map(|answer| Unsent::at(answer.at, answer.record, "a result", "the user ran the tool"));
        let mut of_user: Vec<Unsent> = of_user.collect();
        for said in self.threads.iter().flat_map(|thread| &thread.said) {
            if let What::Turn(_, calls) = &said.what {
                asked.extend(calls.iter().cloned());
            }
        }
        let settings = Settings {
            label: self.id,
            model: self.model,
            agent_version: self.version,
            store: Some(false),
            read_only: Some(READ_ONLY),
            cures: CURES,
            ..Settings::default()
        };
        let mut told = Vec::new();
        for mut thread in self.threads {
            let mut settings = settings.clone();
            if let Some(parent) = &thread.parent {
                settings.add_label(format!("subagent {parent}").into());
            }
            settings.unsent = thread.unsent(&self.results);
            settings.unsent.append(&mut of_user);
            let turns = thread.turns(&mut self.results, &asked);
            told.push(spoken::told_in(&INFO, settings, turns));
        }
        if let Some(first) = told.first_mut() {
            first.findings.extend(self.findings);
        }
        told
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
        let Some(summary) = data.get("summaryContent").filter(|own| own.is_string() && !own.is("") && !failed)
        else {
            return;
        };
        let at = record.base.of(summary);
        let says = vec![Says::Text { text: Pieced::of(summary, record.base), id: None, at }];
        let turn = Turn { role: Role::User, says, at, record: record.number };
        let said = Said { id: text(record.val, "id"), what: What::Turn(turn, Vec::new()) };
        let replaced: Vec<Said> = self.said.splice(..until, std::iter::once(said)).collect();
        self.left.extend(replaced.into_iter().map(|said| (said, "a compaction has replaced it")));
    }

    /// Leaves out what was said from a number on.
    fn drop_all(&mut self, from: usize, why: &'static str) {
        self.left.extend(self.said.drain(from..).map(|said| (said, why)));
    }

    /// What is not sent any more: messages, and the results of their calls.
    fn unsent(&mut self, results: &HashMap<Box<str>, Answer>) -> Vec<Unsent> {
        let mut unsent = Vec::new();
        for (said, why) in std::mem::take(&mut self.left) {
            let calls = match said.what {
                What::Turn(turn, calls) => {
                    unsent.push(Unsent::at(turn.at, turn.record, "a message", why));
                    calls
                }
                What::Result(id) => vec![id],
            };
            let answers = calls.iter().filter_map(|id| results.get(id));
            unsent.extend(answers.map(|answer| Unsent::at(answer.at, answer.record, "a result", why)));
        }
        unsent
    }

    /// An event and all after it were taken back.
    fn rewind(&mut self, data: Val<'_>) {
        let Some(from) = text(data, "upToEventId") else { return };
        if let Some(at) = self.said.iter().position(|said| said.id.as_ref() == Some(&from)) {
            self.drop_all(at, "the user went back to before it");
        }
    }

    /// What is sent: each call with its result right after it. A result without a call stays where it was written.
    fn turns(self, results: &mut HashMap<Box<str>, Answer>, asked: &HashSet<Box<str>>) -> Vec<Turn> {
        let mut turns = Vec::new();
        for said in self.said {
            let calls = match said.what {
                What::Turn(turn, calls) => {
                    turns.push(turn);
                    calls
                }
                What::Result(id) if asked.contains(&id) => continue,
                What::Result(id) => vec![id],
            };
            let answers = calls.iter().filter_map(|id| results.remove(id));
            turns.extend(answers.map(Answer::turn));
        }
        turns
    }
}
