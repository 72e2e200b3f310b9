//! Writes a conversation as LangChain's `messages_to_dict` does, and its `messages_from_dict` reads. Images are blocks of
//! OpenAI's form, which every integration takes; files, sounds and videos are LangChain's own blocks; thinking and reasoning
//! are blocks of the provider that signed or encrypted them.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::carry::{Destination, SessionDraft, SessionWriter, ToolHandling, json_file, support};
use crate::dialects::common::cache_ttl;
use crate::json::{ScratchBuffers, scan};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, LossKind, Losses, Media, MediaKind, MediaSource, Message, Part, PartKind, RawJson, Reasoning,
    ReasoningProvider, ResultPart, Role, Text, ToolCall, ToolNames, ToolResult,
};

pub static WRITER: SessionWriter = SessionWriter {
    name: "langchain-messages",
    agent: "LangChain",
    format: "langchain-messages",
    is_document: true,
    capabilities: &support::LANGCHAIN,
    tools: ToolHandling::Calls,
    why_notes: None,
    model: None,
    keeps_reasoning: true,
    keeps_instructions: true,
    ids_by_time: false,
    home: None,
    write,
    file: json_file,
    resume,
    import: None,
};

fn resume(_: &Destination, path: &str) -> String {
    format!("messages_from_dict(json.load(open(\"{path}\")))")
}

fn write(draft: &SessionDraft<'_>, losses: &mut Losses, out: &mut Vec<u8>) {
    let thread = draft.conversation;
    let names = thread.tool_names();
    JsonWriter::new(out).array(|w| {
        if let Some(first) = thread.instructions.first() {
            let message = Message { parts: thread.instructions.clone(), ..Message::new(Role::System, first.at) };
            write_message(&message, losses, w);
        }
        for message in &thread.messages {
            match message.role {
                Role::Tool => message.parts.iter().for_each(|part| write_result(part, &names, w)),
                _ => write_message(message, losses, w),
            }
        }
    });
    out.push(b'\n');
}

/// Writes the members of a message: its type and data. `write` adds the content and what is special about its type.
fn write_data(kind: &str, name: Option<&Text>, w: &mut JsonWriter<'_>, write: impl FnOnce(&mut JsonWriter<'_>)) {
    w.object(|w| {
        w.key("type").plain(kind);
        w.key("data").object(|w| {
            write(w);
            w.key("response_metadata").object(|_| {});
            w.key("type").plain(kind);
            match name {
                Some(name) => w.key("name").text(name),
                None => w.key("name").bytes(b"null"),
            }
            w.key("id").bytes(b"null");
        });
    });
}

fn write_message(message: &Message, losses: &mut Losses, w: &mut JsonWriter<'_>) {
    let kind = match message.role {
        Role::System | Role::Developer => "system",
        Role::Assistant => "ai",
        _ => "human",
    };
    write_data(kind, message.name.as_ref(), w, |w| {
        let is_content = |part: &&Part| !matches!(part.kind, PartKind::Call(_));
        let content: Vec<&Part> = message.parts.iter().filter(is_content).collect();
        w.key("content");
        match content.as_slice() {
            [] => w.plain(""),
            [Part { kind: PartKind::Text { text, .. }, cache: None, .. }] => w.text(text),
            parts => w.array(|w| parts.iter().for_each(|part| w.object(|w| write_block(part, w)))),
        }
        w.key("additional_kwargs").object(|w| {
            // As `langchain_openai` marks messages of developers (`chat_models/base.py`, version 1.7.4).
            if message.role == Role::Developer {
                w.key("__openai_role__").plain("developer");
            }
        });
        if message.role == Role::Assistant {
            write_calls(message, losses, w);
        }
    });
}

/// Writes calls; those whose arguments are no object are listed as invalid.
fn write_calls(message: &Message, losses: &mut Losses, w: &mut JsonWriter<'_>) {
    for part in message.parts.iter().filter(|part| matches!(part.kind, PartKind::Call(_))) {
        if part.cache.is_some() {
            losses.count(LossKind::CACHE_MARK, part.at);
        }
    }
    let all: Vec<(&ToolCall, Option<RawJson>)> = message.calls().map(|call| (call, arguments(call))).collect();
    w.key("tool_calls").array(|w| {
        for (call, arguments) in &all {
            let Some(arguments) = arguments else { continue };
            w.object(|w| {
                w.key("name").text(&call.name);
                w.key("args").raw(arguments);
                w.key("id").text(&call.id);
                w.key("type").plain("tool_call");
            });
        }
    });
    w.key("invalid_tool_calls").array(|w| {
        for (call, _) in all.iter().filter(|(_, arguments)| arguments.is_none()) {
            w.object(|w| {
                w.key("type").plain("invalid_tool_call");
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                match &call.input {
                    CallInput::Text(text) => w.key("args").text(text),
                    CallInput::Json(raw) => w.key("args").value_as_text(raw),
                }
                w.key("error").bytes(b"null");
            });
        }
    });
}

/// The arguments of a call, if they are an object; `{}` for none.
fn arguments(call: &ToolCall) -> Option<RawJson> {
    let json: Cow<'_, [u8]> = match &call.input {
        CallInput::Text(text) if text.is_blank() => Cow::Borrowed(b"{}"),
        CallInput::Text(text) => text.plain().into_owned().into(),
        CallInput::Json(raw) => raw.bytes(),
    };
    let mut spare = ScratchBuffers::acquire();
    let is_object =
        scan(&json, &mut spare.tape).is_ok() && spare.tape.root(&json).is_some_and(|root| root.is_object());
    is_object.then(|| RawJson::new(json.into_owned()))
}

fn write_block(part: &Part, w: &mut JsonWriter<'_>) {
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => {
            w.key("type").plain("text");
            w.key("text").text(text);
        }
        PartKind::Media(media) => write_media(media, w),
        PartKind::Reasoning(reasoning) => return write_reasoning(reasoning, w),
        // Fitting has left no opaque parts, and calls and results are not content.
        PartKind::Call(_) | PartKind::Result(_) | PartKind::Opaque(_) => {
            w.key("type").plain("text");
            w.key("text").plain("");
        }
    }
    write_cache(part.cache.as_ref(), w);
}

/// Writes a cache mark as Anthropic has it, whose integration alone reads it.
fn write_cache(mark: Option<&RawJson>, w: &mut JsonWriter<'_>) {
    if let Some(mark) = mark {
        w.key("cache_control").object(|w| {
            w.key("type").plain("ephemeral");
            cache_ttl(mark).iter().for_each(|ttl| w.key("ttl").text(ttl));
        });
    }
}

fn write_reasoning(reasoning: &Reasoning, w: &mut JsonWriter<'_>) {
    if let Some(data) = &reasoning.redacted {
        w.key("type").plain("redacted_thinking");
        return w.key("data").text(data);
    }
    match (reasoning.provider, &reasoning.encrypted_content) {
        (ReasoningProvider::OpenAi, Some(blob)) => {
            w.key("type").plain("reasoning");
            w.key("summary").array(|w| {
                for text in &reasoning.texts {
                    w.object(|w| {
                        w.key("type").plain("summary_text");
                        w.key("text").text(text);
                    });
                }
            });
            w.key("encrypted_content").text(blob);
        }
        (ReasoningProvider::Anthropic, Some(signature)) => {
            w.key("type").plain("thinking");
            w.key("thinking").text(&Text::join(&reasoning.texts, "\\n\\n"));
            w.key("signature").text(signature);
        }
        _ => {
            w.key("type").plain("reasoning");
            w.key("reasoning").text(&Text::join(&reasoning.texts, "\\n\\n"));
        }
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    if media.kind == MediaKind::Image {
        w.key("type").plain("image_url");
        return w.key("image_url").object(|w| {
            match (&media.source, media.data_url()) {
                (_, Some(url)) => w.key("url").text(&url),
                (MediaSource::Url(text) | MediaSource::Id(text, _) | MediaSource::Data(text), None) => {
                    w.key("url").text(text)
                }
                (MediaSource::Plain(texts), None) => w.key("url").text(&Text::join(texts, "\\n")),
            }
            media.detail.iter().for_each(|detail| w.key("detail").text(detail));
        });
    }
    w.key("type").plain(match media.kind {
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
        _ => "file",
    });
    match &media.source {
        MediaSource::Url(url) => w.key("url").text(url),
        MediaSource::Data(text) | MediaSource::Id(text, _) => w.key("base64").text(text),
        MediaSource::Plain(texts) => {
            w.key("base64").plain(&STANDARD.encode(Text::join(texts, "\\n").plain()));
        }
    }
    match media.source {
        MediaSource::Plain(_) => w.key("mime_type").plain("text/plain"),
        _ => w.key("mime_type").text(&media.likely_mime()),
    }
    media.name.iter().for_each(|name| w.key("filename").text(name));
    media.context.iter().for_each(|context| w.key("context").text(context));
    media.citations.iter().for_each(|citations| w.key("citations").raw(citations));
}

fn write_result(part: &Part, names: &ToolNames<'_>, w: &mut JsonWriter<'_>) {
    let PartKind::Result(result) = &part.kind else { return };
    let name = result.name.as_ref().or_else(|| names.get(&result.id.raw()).copied());
    write_data("tool", name, w, |w| {
        write_content(result, part.cache.as_ref(), w.key("content"));
        w.key("additional_kwargs").object(|_| {});
        w.key("tool_call_id").text(&result.id);
        w.key("artifact").bytes(b"null");
        w.key("status").plain(if result.is_error { "error" } else { "success" });
    });
}

/// Writes what a tool returned. The mark after a result is in its last block.
fn write_content(result: &ToolResult, mark: Option<&RawJson>, w: &mut JsonWriter<'_>) {
    if let ([ResultPart::Text(text)], None) = (result.parts.as_slice(), mark) {
        return w.text(text);
    }
    let last = result.parts.len().saturating_sub(1);
    w.array(|w| {
        for (n, part) in result.parts.iter().enumerate() {
            w.object(|w| {
                match part {
                    ResultPart::Media(media, _) => write_media(media, w),
                    ResultPart::Text(text) => {
                        w.key("type").plain("text");
                        w.key("text").text(text);
                    }
                    ResultPart::Json(raw) | ResultPart::Opaque(crate::message::Opaque { raw, .. }, _) => {
                        w.key("type").plain("text");
                        w.key("text").text(&raw.to_text());
                    }
                }
                write_cache(mark.filter(|_| n == last), w);
            });
        }
    });
}
