//! Codex: a rollout in the older mode, whose lines may be edited. Events beside the items are what its screen shows, and
//! what its list of sessions looks for.

use crate::carry::{Destination, Home, SessionDraft, SessionWriter, Tools, support, text, time::rfc3339};
use crate::dialects::common::write_input_text;
use crate::message::write::Writer;
use crate::message::{CallKind, Losses, Media, Message, Part, PartKind, Role, Text};

pub static WRITER: SessionWriter = SessionWriter {
    name: "codex-session",
    agent: "Codex",
    format: "codex-rollout",
    is_document: false,
    capabilities: &support::CODEX,
    tools: Tools::Notes,
    keeps_thoughts: false,
    keeps_instructions: false,
    ids_by_time: true,
    home: Some(Home { variable: "CODEX_HOME", folder: ".codex", sessions: "sessions" }),
    write,
    file,
    resume,
    import: None,
};

/// A version that reads rollouts without numbered lines.
const VERSION: &str = "0.144.0";

/// Bytes of text in a token, roughly: Codex counts its own once it goes on.
const TOKEN: usize = 4;

/// Codex finds a session by the date and the id in the name of its file.
fn file(draft: &SessionDraft<'_>) -> String {
    let time = rfc3339(draft.begins());
    let (date, clock) = (&time[..10], time[11..19].replace(':', "-"));
    format!("{}/rollout-{date}T{clock}-{}.jsonl", date.replace('-', "/"), draft.id())
}

fn resume(destination: &Destination, _: &str) -> String {
    format!("codex resume {}", destination.id)
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let id = draft.id();
    let mut lines = Lines { out, time: draft.begins() };
    lines.line("session_meta", |w| {
        w.key("id").plain(&id);
        w.key("session_id").plain(&id);
        w.key("timestamp").plain(&rfc3339(draft.begins()));
        w.key("cwd").plain(&draft.cwd);
        w.key("originator").plain("replaylint");
        w.key("cli_version").plain(VERSION);
        w.key("source").plain("cli");
        w.key("thread_source").plain("user");
        // A provider that the user's settings lack is refused; this one is always there.
        w.key("model_provider").plain("openai");
    });
    let mut times = draft.clock.running();
    let mut turn: Option<Turn> = None;
    let mut before = Role::Tool;
    for message in &draft.conversation.messages {
        lines.time = times.next(message.at.place);
        if turn.is_none() || message.role == Role::User && before != Role::User {
            if let Some(turn) = turn.take() {
                turn.end(&mut lines);
            }
            let started = Turn { id: draft.ids.uuid("turn", lines.out.len()), last: None };
            lines.event("task_started", |w| {
                w.key("turn_id").plain(&started.id);
                w.key("model_context_window").bytes(b"null");
            });
            turn = Some(started);
        }
        before = message.role;
        match message.role {
            Role::Assistant => {
                let last = assistant(message, &mut lines);
                if let Some(turn) = turn.as_mut().filter(|_| last.is_some()) {
                    turn.last = last;
                }
            }
            Role::Tool => results(message, &mut lines),
            _ => user(message, &mut lines),
        }
    }
    tokens(&mut lines);
    if let Some(turn) = turn {
        turn.end(&mut lines);
    }
}

/// A turn that runs.
struct Turn {
    id: String,
    /// What the model said last.
    last: Option<String>,
}

impl Turn {
    fn end(self, lines: &mut Lines<'_>) {
        lines.event("task_complete", |w| {
            w.key("turn_id").plain(&self.id);
            match &self.last {
                Some(last) => w.key("last_agent_message").plain(last),
                None => w.key("last_agent_message").bytes(b"null"),
            }
        });
    }
}

/// Lines with one time.
struct Lines<'o> {
    out: &'o mut Vec<u8>,
    time: i64,
}

impl Lines<'_> {
    fn line(&mut self, kind: &str, payload: impl FnOnce(&mut Writer<'_>)) {
        Writer::new(self.out).object(|w| {
            w.key("timestamp").plain(&rfc3339(self.time));
            w.key("type").plain(kind);
            w.key("payload").object(payload);
        });
        self.out.push(b'\n');
    }

    fn item(&mut self, kind: &str, members: impl FnOnce(&mut Writer<'_>)) {
        self.line("response_item", |w| {
            w.key("type").plain(kind);
            members(w);
        });
    }

    fn event(&mut self, kind: &str, members: impl FnOnce(&mut Writer<'_>)) {
        self.line("event_msg", |w| {
            w.key("type").plain(kind);
            members(w);
        });
    }
}

fn user(message: &Message, lines: &mut Lines<'_>) {
    lines.item("message", |w| {
        w.key("role").plain("user");
        w.key("content").array(|w| message.parts.iter().for_each(|block| part(block, "input_text", w)));
    });
    let images: Vec<Text> = text::media(&message.parts).filter_map(Media::data_url).collect();
    let words = text::of_message(message);
    // What an agent put there itself is in no list.
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

fn part(block: &Part, kind: &str, w: &mut Writer<'_>) {
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

/// Texts and calls, in their order. Gives what was said last.
fn assistant(message: &Message, lines: &mut Lines<'_>) -> Option<String> {
    let mut last = None;
    for block in &message.parts {
        if let Some(text) = text::of_block(block) {
            lines.item("message", |w| {
                w.key("role").plain("assistant");
                w.key("content").array(|w| part(block, "output_text", w));
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

fn results(message: &Message, lines: &mut Lines<'_>) {
    for block in &message.parts {
        let PartKind::Result(result) = &block.kind else { continue };
        let is_custom = result.kind == CallKind::Custom;
        lines.item(if is_custom { "custom_tool_call_output" } else { "function_call_output" }, |w| {
            w.key("call_id").text(&result.id);
            w.key("output").plain(&text::of_result(result));
        });
    }
}

/// An estimate, for Codex to see how full its window is.
fn tokens(lines: &mut Lines<'_>) {
    let count = (lines.out.len() / TOKEN).to_string();
    let usage = |w: &mut Writer<'_>| {
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
