//! Writer of Claude Code sessions: lines linked by `parentUuid`, in the folder of the working directory. Reasoning is left
//! out, because only Anthropic can sign it.

use crate::carry::{
    AgentHome, Destination, ResumeCommand, SessionDraft, SessionWriter, ToolHandling, support, text, time::rfc3339,
};
use crate::dialects::common::write_input_object;
use crate::message::write::JsonWriter;
use crate::message::{
    Losses, Media, MediaKind, MediaSource, Message, Part, PartKind, ResultPart, Role, ToolResult,
};
use crate::targets::models::{self, ModelVendor};

pub static RESUME: ResumeCommand = ResumeCommand::in_session_folder(&["claude", "--resume", "{id}"]);

pub static WRITER: SessionWriter = SessionWriter {
    name: "claude-code-session",
    agent: "Claude Code",
    format: "claude-code",
    is_document: false,
    capabilities: &support::CLAUDE_CODE,
    tools: ToolHandling::Calls,
    why_notes: None,
    model: None,
    keeps_reasoning: false,
    keeps_instructions: false,
    ids_by_time: false,
    home: Some(AgentHome { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", sessions: "projects" }),
    write,
    file,
    resume,
    import: None,
};

const VERSION: &str = "2.1.200";
/// Model of answers by other providers: Claude Code leaves out answers without a real model.
const MODEL: &str = "claude-sonnet-4-5";

/// Path of the file: Claude Code finds a session only in the folder of its working directory.
fn file(draft: &SessionDraft<'_>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{}/{}.jsonl", draft.cwd.chars().map(plain).collect::<String>(), draft.id())
}

fn resume(destination: &Destination, path: &str) -> String {
    RESUME.line(&destination.id, path, Some(&destination.cwd))
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let session = draft.id();
    let model = draft.model.as_deref().filter(|model| models::vendor(model) == Some(ModelVendor::Anthropic));
    let mut times = draft.clock.monotonic();
    let mut parent: Option<String> = None;
    for (n, message) in draft.conversation.messages.iter().enumerate() {
        let (uuid, time) = (draft.ids.uuid("line", n), rfc3339(times.next(message.at.place)));
        let is_answer = message.role == Role::Assistant;
        JsonWriter::new(out).object(|w| {
            match &parent {
                Some(parent) => w.key("parentUuid").plain(parent),
                None => w.key("parentUuid").bytes(b"null"),
            }
            w.key("isSidechain").bool(false);
            w.key("userType").plain("external");
            w.key("cwd").plain(&draft.cwd);
            w.key("sessionId").plain(&session);
            w.key("version").plain(VERSION);
            w.key("gitBranch").plain(&draft.branch);
            w.key("type").plain(if is_answer { "assistant" } else { "user" });
            w.key("message").object(|w| match is_answer {
                true => {
                    let id = format!("msg_{}", draft.ids.letters("message", n, 24));
                    write_answer(message, &id, model.unwrap_or(MODEL), w);
                }
                false => write_user(message, w),
            });
            w.key("uuid").plain(&uuid);
            w.key("timestamp").plain(&time);
        });
        out.push(b'\n');
        parent = Some(uuid);
    }
    if let Some(title) = &draft.title {
        JsonWriter::new(out).object(|w| {
            w.key("type").plain("custom-title");
            w.key("customTitle").plain(title);
            w.key("sessionId").plain(&session);
        });
        out.push(b'\n');
    }
}

fn write_answer(message: &Message, id: &str, model: &str, w: &mut JsonWriter<'_>) {
    w.key("id").plain(id);
    w.key("type").plain("message");
    w.key("role").plain("assistant");
    w.key("model").plain(model);
    w.key("content").array(|w| message.parts.iter().for_each(|block| write_block(block, w)));
    let calls = message.calls().next().is_some();
    w.key("stop_reason").plain(if calls { "tool_use" } else { "end_turn" });
    w.key("stop_sequence").bytes(b"null");
    w.key("usage").object(|w| {
        for key in ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"] {
            w.key(key).bytes(b"0");
        }
    });
}

fn write_user(message: &Message, w: &mut JsonWriter<'_>) {
    w.key("role").plain("user");
    match message.parts.as_slice() {
        [only] if text::of_block(only).is_some() => {
            w.key("content");
            text::of_block(only).into_iter().for_each(|text| w.text(text));
        }
        all => w.key("content").array(|w| all.iter().for_each(|block| write_block(block, w))),
    }
}

fn write_block(block: &Part, w: &mut JsonWriter<'_>) {
    w.object(|w| match &block.kind {
        PartKind::Call(call) => {
            w.key("type").plain("tool_use");
            w.key("id").text(&call.id);
            w.key("name").text(&call.name);
            write_input_object(&call.input, w.key("input"));
        }
        PartKind::Result(result) => write_result(result, w),
        PartKind::Media(media) => write_media(media, w),
        _ => {
            w.key("type").plain("text");
            text::of_block(block).into_iter().for_each(|text| w.key("text").text(text));
        }
    });
}

fn write_result(result: &ToolResult, w: &mut JsonWriter<'_>) {
    w.key("type").plain("tool_result");
    w.key("tool_use_id").text(&result.id);
    let words = text::of_result(result);
    match text::media_of(result).next() {
        None => w.key("content").plain(&words),
        Some(_) => w.key("content").array(|w| {
            if !words.trim().is_empty() {
                w.object(|w| {
                    w.key("type").plain("text");
                    w.key("text").plain(&words);
                });
            }
            for part in &result.parts {
                if let ResultPart::Media(media, _) = part {
                    w.object(|w| write_media(media, w));
                }
            }
        }),
    }
    w.key("is_error").bool(result.is_error);
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    let is_image = media.kind == MediaKind::Image;
    w.key("type").plain(if is_image { "image" } else { "document" });
    w.key("source").object(|w| {
        w.key("type").plain("base64");
        w.key("media_type").text(&media.likely_mime());
        if let MediaSource::Data(data) = &media.source {
            w.key("data").text(data);
        }
    });
    if let Some(name) = media.name.as_ref().filter(|_| !is_image) {
        w.key("title").text(name);
    }
}
