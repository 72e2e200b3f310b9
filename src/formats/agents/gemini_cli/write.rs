//! Writer of Gemini CLI sessions: a line about the session, then messages. A call and its result are one entry of the
//! model's message.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::carry::{
    AgentHome, Destination, ResumeCommand, ResumeFolder, SessionDraft, SessionWriter, ToolHandling, support, text,
    time::rfc3339,
};
use crate::dialects::common::write_input_object;
use crate::message::write::JsonWriter;
use crate::message::{LossKind, Losses, Media, MediaSource, Message, Part, PartKind, Role, ToolCall, ToolResult};
use crate::source::bytes::digest;
use crate::targets::models::{self, ModelVendor};

pub static RESUME: ResumeCommand = ResumeCommand {
    words: &["gemini", "--resume", "{id}"],
    // Written by its registry of projects.
    folder: ResumeFolder::Project(".project_root"),
};

pub static WRITER: SessionWriter = SessionWriter {
    name: "gemini-session",
    agent: "Gemini CLI",
    format: "gemini-cli",
    is_document: false,
    capabilities: &support::GEMINI,
    tools: ToolHandling::Notes,
    why_notes: Some(
        "Gemini CLI 0.61 breaks sessions with tool calls when they are resumed a second time, so calls and results are notes in \
         the text (--tools calls writes them as calls)",
    ),
    model: None,
    keeps_reasoning: false,
    keeps_instructions: false,
    ids_by_time: false,
    // The variable replaces the user's home folder.
    home: Some(AgentHome { variable: "GEMINI_CLI_HOME", folder: "", sessions: ".gemini/tmp" }),
    write,
    file,
    resume,
    import: None,
};

const MODEL: &str = "gemini-2.5-pro";

/// Prefixes of texts that the CLI takes for commands or for its own context, and does not send.
const UNSENT_PREFIXES: [&str; 4] = ["/", "?", "<session_context>", "<hook_context>"];

/// Path of the file. A project without a name in the CLI is named by the digest of its folder.
fn file(draft: &SessionDraft<'_>) -> String {
    let time = rfc3339(draft.start_ms())[..16].replace(':', "-");
    let project = draft.project.clone().unwrap_or_else(|| project_hash(&draft.cwd));
    format!("{project}/chats/session-{time}-{}.jsonl", &draft.id()[..8])
}

fn resume(destination: &Destination, path: &str) -> String {
    RESUME.line(&destination.id, path, Some(&destination.cwd))
}

fn write(draft: &SessionDraft<'_>, losses: &mut Losses, out: &mut Vec<u8>) {
    JsonWriter::new(out).object(|w| {
        w.key("sessionId").plain(&draft.id());
        w.key("projectHash").plain(&project_hash(&draft.cwd));
        w.key("startTime").plain(&rfc3339(draft.start_ms()));
        w.key("lastUpdated").plain(&rfc3339(draft.end_ms()));
        draft.title.iter().for_each(|title| w.key("summary").plain(title));
        w.key("kind").plain("main");
    });
    out.push(b'\n');
    let results = draft.conversation.messages.iter().flat_map(|message| &message.parts);
    let results = results.filter_map(|block| match &block.kind {
        PartKind::Result(result) => Some((result.id.raw(), result)),
        _ => None,
    });
    let results: HashMap<Cow<'_, [u8]>, &ToolResult> = results.collect();
    let model = draft.model.as_deref().filter(|model| models::vendor(model) == Some(ModelVendor::Google));
    let mut times = draft.clock.monotonic();
    for (n, message) in draft.conversation.messages.iter().enumerate() {
        // Results are written with their calls.
        if message.role == Role::Tool {
            continue;
        }
        let (id, time) = (draft.ids.uuid("message", n), rfc3339(times.next(message.at.place)));
        let is_answer = message.role == Role::Assistant;
        if !is_answer && UNSENT_PREFIXES.iter().any(|start| text::of_message(message).trim().starts_with(start)) {
            losses.add(LossKind::AGENT_COMMAND, message.at);
        }
        JsonWriter::new(out).object(|w| {
            w.key("id").plain(&id);
            w.key("timestamp").plain(&time);
            w.key("type").plain(if is_answer { "gemini" } else { "user" });
            write_content(message, is_answer, w);
            if is_answer {
                write_answer(message, &results, &time, model.unwrap_or(MODEL), w);
            }
        });
        out.push(b'\n');
    }
}

/// Writes a single text of the model as a string, and everything else as a list of parts.
fn write_content(message: &Message, is_answer: bool, w: &mut JsonWriter<'_>) {
    let parts: Vec<&Part> =
        message.parts.iter().filter(|block| !matches!(block.kind, PartKind::Call(_))).collect();
    match parts.as_slice() {
        [] if is_answer => w.key("content").plain(""),
        [only] if is_answer && text::of_block(only).is_some() => {
            w.key("content");
            text::of_block(only).into_iter().for_each(|text| w.text(text));
        }
        all => w.key("content").array(|w| all.iter().for_each(|block| write_part(block, w))),
    }
}

fn write_part(block: &Part, w: &mut JsonWriter<'_>) {
    w.object(|w| match &block.kind {
        PartKind::Media(media) => write_inline_data(media, w),
        _ => text::of_block(block).into_iter().for_each(|text| w.key("text").text(text)),
    });
}

fn write_inline_data(media: &Media, w: &mut JsonWriter<'_>) {
    w.key("inlineData").object(|w| {
        w.key("mimeType").text(&media.likely_mime());
        if let MediaSource::Data(data) = &media.source {
            w.key("data").text(data);
        }
    });
}

fn write_answer(
    message: &Message,
    results: &HashMap<Cow<'_, [u8]>, &ToolResult>,
    time: &str,
    model: &str,
    w: &mut JsonWriter<'_>,
) {
    w.key("thoughts").array(|_| {});
    w.key("model").plain(model);
    let calls: Vec<&ToolCall> = message.calls().collect();
    if calls.is_empty() {
        return;
    }
    w.key("toolCalls").array(|w| {
        for call in calls {
            let result = results.get(&call.id.raw());
            let failed = result.is_none_or(|result| result.is_error);
            w.object(|w| {
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                write_input_object(&call.input, w.key("args"));
                w.key("status").plain(if failed { "error" } else { "success" });
                w.key("timestamp").plain(time);
                w.key("result").array(|w| {
                    w.object(|w| {
                        w.key("functionResponse").object(|w| {
                            w.key("id").text(&call.id);
                            w.key("name").text(&call.name);
                            let words = result.map(|result| text::of_result(result)).unwrap_or_default();
                            w.key("response").object(|w| {
                                w.key(if failed { "error" } else { "output" }).plain(&words);
                            });
                        });
                    });
                });
            });
        }
    });
}

/// The name of a project's folder: the SHA-256 of its path in hexadecimal.
fn project_hash(cwd: &str) -> String {
    digest::sha256(cwd.as_bytes())
}
