//! Writer of Codex sessions: a rollout without numbered lines, which can be edited. Codex displays the events next to the
//! items, and finds sessions for its list by them.

use crate::carry::{
    AgentHome, Destination, ModelNaming, ResumeCommand, SessionDraft, SessionWriter, ToolHandling,
    provider::ModelOrigin, support, text, time::rfc3339,
};
use crate::dialects::common::write_input_text;
use crate::message::write::JsonWriter;
use crate::message::{CallKind, Losses, Media, Message, Part, PartKind, Role, Text};
use crate::source::shell_word;

use super::config;

pub static RESUME: ResumeCommand = ResumeCommand::anywhere(&["codex", "resume", "{id}"]);

pub static WRITER: SessionWriter = SessionWriter {
    name: "codex-session",
    agent: "Codex",
    format: "codex-rollout",
    is_document: false,
    capabilities: &support::CODEX,
    tools: ToolHandling::Notes,
    why_notes: None,
    model: Some(ModelNaming { choose: config::choose, note: |_| None }),
    keeps_reasoning: false,
    keeps_instructions: false,
    ids_by_time: true,
    home: Some(AgentHome { variable: "CODEX_HOME", folder: ".codex", sessions: "sessions" }),
    write,
    file,
    resume,
    import: None,
};

/// A version of Codex that writes rollouts without numbered lines.
const VERSION: &str = "0.144.0";

/// Estimated bytes of text per token, until Codex counts its own.
const TOKEN: usize = 4;

/// Path of the file: Codex finds a session by the date and the id in it.
fn file(draft: &SessionDraft<'_>) -> String {
    let time = rfc3339(draft.start_ms());
    let (date, clock) = (&time[..10], time[11..19].replace(':', "-"));
    format!("{}/rollout-{date}T{clock}-{}.jsonl", date.replace('-', "/"), draft.id())
}

fn resume(destination: &Destination, path: &str) -> String {
    match destination.model.as_ref().filter(|model| model.origin == ModelOrigin::Unknown) {
        // Codex refuses to resume a session of another provider than the configured one.
        Some(model) => {
            format!("codex -c model_provider={} resume {}", shell_word(&model.provider), destination.id)
        }
        None => RESUME.line(&destination.id, path, Some(&destination.cwd)),
    }
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let id = draft.id();
    let mut lines = RolloutWriter { out, time: draft.start_ms() };
    lines.line("session_meta", |w| {
        w.key("id").plain(&id);
        w.key("session_id").plain(&id);
        w.key("timestamp").plain(&rfc3339(draft.start_ms()));
        w.key("cwd").plain(&draft.cwd);
        w.key("originator").plain("replaylint");
        w.key("cli_version").plain(VERSION);
        w.key("source").plain("cli");
        w.key("thread_source").plain("user");
        // Codex refuses to resume a session without a provider, or with another one than the configured one.
        let provider = draft.session_model.as_ref().map(|model| model.provider.as_str());
        w.key("model_provider").plain(provider.unwrap_or(config::DEFAULT_PROVIDER));
    });
    let mut times = draft.clock.monotonic();
    let mut turn: Option<CodexTurn> = None;
    let mut before = Role::Tool;
    for message in &draft.conversation.messages {
        lines.time = times.next(message.at.place);
        if turn.is_none() || message.role == Role::User && before != Role::User {
            if let Some(turn) = turn.take() {
                turn.end(&mut lines);
            }
            let started = CodexTurn { id: draft.ids.uuid("turn", lines.out.len()), last: None };
            lines.event("task_started", |w| {
                w.key("turn_id").plain(&started.id);
                w.key("model_context_window").bytes(b"null");
            });
            turn = Some(started);
        }
        before = message.role;
        match message.role {
            Role::Assistant => {
                let last = write_assistant(message, &mut lines);
                if let Some(turn) = turn.as_mut().filter(|_| last.is_some()) {
                    turn.last = last;
                }
            }
            Role::Tool => write_results(message, &mut lines),
            _ => write_user(message, &mut lines),
        }
    }
    write_token_count(&mut lines);
    if let Some(turn) = turn {
        turn.end(&mut lines);
    }
}

/// A turn that is being written.
struct CodexTurn {
    id: String,
    /// The newest text of the model.
    last: Option<String>,
}

impl CodexTurn {
    fn end(self, lines: &mut RolloutWriter<'_>) {
        lines.event("task_complete", |w| {
            w.key("turn_id").plain(&self.id);
            match &self.last {
                Some(last) => w.key("last_agent_message").plain(last),
                None => w.key("last_agent_message").bytes(b"null"),
            }
        });
    }
}

/// Writes lines with the current time.
struct RolloutWriter<'o> {
    out: &'o mut Vec<u8>,
    time: i64,
}

impl RolloutWriter<'_> {
    fn line(&mut self, kind: &str, payload: impl FnOnce(&mut JsonWriter<'_>)) {
        JsonWriter::new(self.out).object(|w| {
            w.key("timestamp").plain(&rfc3339(self.time));
            w.key("type").plain(kind);
            w.key("payload").object(payload);
        });
        self.out.push(b'\n');
    }

    fn item(&mut self, kind: &str, members: impl FnOnce(&mut JsonWriter<'_>)) {
        self.line("response_item", |w| {
            w.key("type").plain(kind);
            members(w);
        });
    }

    fn event(&mut self, kind: &str, members: impl FnOnce(&mut JsonWriter<'_>)) {
        self.line("event_msg", |w| {
            w.key("type").plain(kind);
            members(w);
        });
    }
}

fn write_user(message: &Message, lines: &mut RolloutWriter<'_>) {
    lines.item("message", |w| {
        w.key("role").plain("user");
        w.key("content").array(|w| message.parts.iter().for_each(|block| write_part(block, "input_text", w)));
    });
    let images: Vec<Text> = text::media(&message.parts).filter_map(Media::data_url).collect();
    let words = text::of_message(message);
    // Texts that an agent inserted do not count as messages of the user.
    if words.starts_with("<environment_context>") || words.starts_with("# AGENTS.md instructions") {
        return;
    }
    lines.event("user_message", |w| {
        w.key("message").plain(&words);
        w.key("images").array(|w| images.iter().for_each(|url| w.text(url)));
        w.key("local_images").array(|_| {});
        w.key("text_elements").array(|_| {});
    });
}

fn write_part(block: &Part, kind: &str, w: &mut JsonWriter<'_>) {
    let url = match &block.kind {
        PartKind::Media(media) => media.data_url(),
        _ => None,
    };
    if let Some(text) = text::of_block(block) {
        w.object(|w| {
            w.key("type").plain(kind);
            w.key("text").text(text);
        });
    } else if let Some(url) = url {
        w.object(|w| {
            w.key("type").plain("input_image");
            w.key("image_url").text(&url);
        });
    }
}

/// Writes texts and calls in order. Returns the last text.
fn write_assistant(message: &Message, lines: &mut RolloutWriter<'_>) -> Option<String> {
    let mut last = None;
    for block in &message.parts {
        if let Some(text) = text::of_block(block) {
            lines.item("message", |w| {
                w.key("role").plain("assistant");
                w.key("content").array(|w| write_part(block, "output_text", w));
            });
            lines.event("agent_message", |w| w.key("message").text(text));
            last = Some(text::plain(text));
        } else if let PartKind::Call(call) = &block.kind {
            let is_custom = call.kind == CallKind::Custom;
            lines.item(if is_custom { "custom_tool_call" } else { "function_call" }, |w| {
                w.key("name").text(&call.name);
                write_input_text(&call.input, w.key(if is_custom { "input" } else { "arguments" }));
                w.key("call_id").text(&call.id);
            });
        }
    }
    last
}

fn write_results(message: &Message, lines: &mut RolloutWriter<'_>) {
    for block in &message.parts {
        let PartKind::Result(result) = &block.kind else { continue };
        let is_custom = result.kind == CallKind::Custom;
        lines.item(if is_custom { "custom_tool_call_output" } else { "function_call_output" }, |w| {
            w.key("call_id").text(&result.id);
            w.key("output").plain(&text::of_result(result));
        });
    }
}

/// Writes an estimate of the used tokens, from which Codex computes the free space of its window.
fn write_token_count(lines: &mut RolloutWriter<'_>) {
    let count = (lines.out.len() / TOKEN).to_string();
    let usage = |w: &mut JsonWriter<'_>| {
        for key in ["input_tokens", "total_tokens"] {
            w.key(key).bytes(count.as_bytes());
        }
        for key in ["cached_input_tokens", "output_tokens", "reasoning_output_tokens"] {
            w.key(key).bytes(b"0");
        }
    };
    lines.event("token_count", |w| {
        w.key("info").object(|w| {
            w.key("total_token_usage").object(usage);
            w.key("last_token_usage").object(usage);
            w.key("model_context_window").bytes(b"null");
        });
        w.key("rate_limits").bytes(b"null");
    });
}
