//! Sessions of Kimi Code (`wire.jsonl`): messages that are added to the context, and events of the agent loop, which form the
//! model's answers and the results of its calls. A compaction keeps its summary and the user's newest messages.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{DialectChoice, Dialects, STORE, ThreadBuilder};

mod edit;
pub mod resume;

pub struct KimiSession;

pub static FORMAT: KimiSession = KimiSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "kimi-session",
    title: "Kimi Code session (`wire.jsonl`)",
    known_by: "lines `context.append_message` and `context.append_loop_event`, or `metadata` with `protocol_version`",
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Prefixes of line types that carry no conversation or that other agents use, too.
const TYPES: [&str; 8] =
    ["config.", "turn.", "tools.", "llm.", "usage.", "permission.", "plan_mode.", "full_compaction."];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["[type=turn.ended]reason", "[type=full_compaction.*]source"],
        why: "the reason for a turn or a compaction",
    },
    UnsentPaths {
        paths: &[
            "[type=profile.bind]modelAlias",
            "[type=profile.bind]profileName",
            "[type=profile.bind]thinkingEffort",
            "[type=profile.bind]environmentDisclosure/**",
            "[type=profile.bind]agentsMdPaths",
            "[type=profile.bind]activeToolNames",
            "[type=profile.bind]subagents",
            "[type=profile.bind|config.update]subagentNames",
        ],
        why: "a setting of the program",
    },
    UnsentPaths {
        paths: &[
            "[type=metadata]**",
            "protocol_version",
            "agentId",
            "event/stepUuid",
            "event/turnId",
            "event/finishReason",
            "event/providerFinishReason",
            "event/rawFinishReason",
            "turnStep",
            "usageScope",
            "workspaceId",
            "runtimeId",
            "message/origin/**",
        ],
        why: "session and step metadata",
    },
    UnsentPaths {
        paths: &["event/display/**", "[type=context.append_loop_event]event/description"],
        why: "terminal output of a call",
    },
    UnsentPaths { paths: &["[kind=event]**"], why: "an event for the display, which the context repeats" },
    UnsentPaths { paths: &["[type=turn.prompt]**", "[type=turn.steer]**"], why: "a copy of the prompt" },
    UnsentPaths {
        paths: &[
            "[type=permission.record_approval_result|permission.set_mode|plan_mode.enter|plan_mode.exit|tools.set_active_tools|tools.update_store]**",
            "[type=usage.record]**",
            "[type=llm.request|llm.tools_snapshot]**",
            "[type=runtime.*|plugin.*|token_counting.*|prompt.*]**",
        ],
        why: "a program event: its request, and the tools it offered",
    },
    UnsentPaths {
        paths: &[
            "[type=config.update]modelAlias",
            "[type=config.update]profileName",
            "[type=config.update]thinkingEffort",
            "[type=config.update]cwd",
            "[type=config.update]environmentDisclosure/**",
            "[type=config.update]agentsMdPaths",
        ],
        why: "a setting of the program",
    },
    UnsentPaths { paths: &["[type=context.apply_compaction]summary"], why: "repeated in the context summary" },
];

impl Format for KimiSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let Some(kind) = probe.text(name::r#type) else { return 0 };
        let is_object = |key: &str| val.get(key).is_some_and(|own| own.is_object());
        match kind.as_ref() {
            b"metadata" if val.get("protocol_version").is_some() => 95,
            b"context.append_message" if is_object("message") => 95,
            b"context.append_loop_event" if is_object("event") => 95,
            _ if !probe.has(name::time) => 0,
            kind if kind.starts_with(b"context.") => 60,
            kind if TYPES.iter().any(|start| kind.starts_with(start.as_bytes())) => 19,
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        let is_timed = ["time", "protocol_version"].iter().any(|key| val.get(key).is_some());
        is_timed && val.get(name::r#type).is_some_and(|kind| kind.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(KimiReader::default()))
    }
}

#[derive(Default)]
struct KimiReader {
    thread: ThreadBuilder,
    /// The newest instructions.
    system: ThreadBuilder,
    provider: Box<str>,
    model: Option<Box<str>>,
    /// Id of the current step.
    step: Option<Box<str>>,
}

impl ThreadReader for KimiReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        match val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default().as_ref() {
            b"config.update" | b"profile.bind" if val.get("systemPrompt").is_some() => {
                let replaced = std::mem::take(&mut self.system);
                self.system.omit_all(replaced, "another system prompt has replaced it");
                self.system.text(Role::System, val.get("systemPrompt"), record);
            }
            b"llm.request" if val.get(name::kind).is_none_or(|kind| kind.is("loop")) => {
                self.provider = text(val, "provider").unwrap_or_default();
                self.model = text(val, "model");
            }
            b"context.append_message" => {
                self.step = None;
                if let Some(message) = val.get(name::message) {
                    self.thread.message(message, record);
                    if message.at(&["origin", "kind"]).is_some_and(|kind| !kind.is("user")) {
                        self.thread.mark_inserted(record);
                    }
                }
            }
            b"context.append_loop_event" => {
                if let Some(event) = val.get(name::event) {
                    self.read_event(event, record);
                }
            }
            b"context.apply_compaction" => {
                let kept = val.get("keptUserMessageCount").and_then(|count| count.as_u64()).unwrap_or(0);
                self.thread.keep_recent_user_messages(usize::try_from(kept).unwrap_or(usize::MAX));
                let summary = ["contextSummary", "summary"].iter().find_map(|key| val.get(key));
                self.thread.text(Role::User, summary, record);
                self.thread.mark_inserted(record);
            }
            b"context.clear" => {
                let cleared = std::mem::take(&mut self.thread);
                self.thread.omit_all(cleared, "the user has cleared the context");
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let is_kimi =
            self.model.as_ref().is_none_or(|model| model.starts_with("kimi") || model.starts_with("moonshot"));
        let (dialect, target) = match &*self.provider {
            "" | "kimi" | "moonshot" => (DialectChoice::Chat, "kimi"),
            // The name of a protocol: this one is Chat Completions.
            "openai" => (DialectChoice::Chat, if is_kimi { "kimi" } else { "chat-compatible" }),
            "openai_responses" => (DialectChoice::Responses, "openai-stateless"),
            other => provider::dialect_of(other),
        };
        let mut thread = self.system;
        thread.join(self.thread);
        let settings = HistorySettings {
            model: self.model,
            target: Some(target),
            store: Some(false),
            ..HistorySettings::default()
        };
        vec![thread.finish(DIALECTS.row(dialect), settings)]
    }
}

impl KimiReader {
    fn read_event(&mut self, event: Val<'_>, record: &ParsedRecord<'_>) {
        match event.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default().as_ref() {
            b"step.begin" => {
                self.step = text(event, "uuid");
                self.thread.begin();
            }
            b"content.part" => self.thread.content(Role::Assistant, event.get(name::part), record),
            b"tool.call" => {
                // A call after a result of the same step belongs to the same answer.
                let is_same = self.step.is_some() && text(event, "stepUuid") == self.step;
                let results = if is_same { self.thread.split_off_results() } else { ThreadBuilder::default() };
                let id = event.get(name::toolCallId);
                if let Some(name) = event.get(name::name).and_then(|name| Text::copied(name, record.base)) {
                    self.thread.push_call(Role::Assistant, id, name, event.get(name::args), event, record);
                }
                if !results.is_empty() {
                    self.thread.join(results);
                }
            }
            b"tool.result" => {
                let output = event.get(name::result).map(|result| match result.get(name::output) {
                    Some(output) => output,
                    None => result,
                });
                let output = output.map(|output| self.thread.output(output, record)).unwrap_or_default();
                let failed = event.at(&["result", "isError"]).and_then(|own| own.as_bool()) == Some(true);
                self.thread.push_result(event.get(name::toolCallId), output, failed, event, record);
            }
            _ => {}
        }
    }
}
