//! Writes a conversation as a list of ModelMessages, which `generateText` and `streamText` take. What a single provider
//! understands is under its name in `providerOptions`. Files are written as versions 5 to 7 of the SDK read them: bytes and
//! URLs as strings, and in results by the types of version 6, which version 7 still takes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::carry::{Destination, SessionDraft, SessionWriter, ToolHandling, json_file, support};
use crate::dialects::common::{cache_ttl, result_text, write_input_object};
use crate::message::write::JsonWriter;
use crate::message::{
    LossKind, Losses, Media, MediaKind, MediaSource, Message, Part, PartKind, RawJson, Reasoning,
    ReasoningProvider, ResultPart, Role, Text, ToolNames, ToolResult,
};

pub static WRITER: SessionWriter = SessionWriter {
    name: "model-messages",
    agent: "the Vercel AI SDK",
    format: "vercel-model-messages",
    is_document: true,
    capabilities: &support::MODEL_MESSAGES,
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

fn resume(_: &Destination, _: &str) -> String {
    "generateText({ model, messages })".to_owned()
}

fn write(draft: &SessionDraft<'_>, losses: &mut Losses, out: &mut Vec<u8>) {
    let thread = draft.conversation;
    let names = thread.tool_names();
    JsonWriter::new(out).array(|w| {
        thread.instructions.iter().for_each(|part| write_instruction(part, None, w));
        thread.messages.iter().for_each(|message| write_message(&names, message, losses, w));
    });
    out.push(b'\n');
}

/// A value of the options of a provider.
enum OptionValue<'p> {
    Text(&'p Text),
    Raw(&'p RawJson),
    /// A cache mark, of whichever provider.
    CacheMark(&'p RawJson),
}

/// The options of a part or a message: provider, key and value.
type PartOptions<'p> = Vec<(&'static str, &'static str, OptionValue<'p>)>;

/// Writes options, those of one provider in one object.
fn write_options(options: &PartOptions<'_>, w: &mut JsonWriter<'_>) {
    if options.is_empty() {
        return;
    }
    w.key("providerOptions").object(|w| {
        for provider in ["anthropic", "openai", "google"] {
            let of_provider = || options.iter().filter(|(own, ..)| *own == provider);
            if of_provider().next().is_some() {
                w.key(provider).object(|w| of_provider().for_each(|(_, key, value)| write_option(key, value, w)));
            }
        }
    });
}

fn write_option(key: &str, value: &OptionValue<'_>, w: &mut JsonWriter<'_>) {
    w.key(key);
    match value {
        OptionValue::Text(text) => w.text(text),
        OptionValue::Raw(raw) => w.raw(raw),
        OptionValue::CacheMark(mark) => w.object(|w| {
            w.key("type").plain("ephemeral");
            cache_ttl(mark).iter().for_each(|ttl| w.key("ttl").text(ttl));
        }),
    }
}

/// The options of a part: its cache mark, Gemini's signature, and those of its kind.
fn options_of(part: &Part) -> PartOptions<'_> {
    let mut options: PartOptions<'_> = Vec::new();
    options.extend(part.cache.iter().map(|mark| ("anthropic", "cacheControl", OptionValue::CacheMark(mark))));
    options.extend(part.signature.iter().map(|own| ("google", "thoughtSignature", OptionValue::Text(own))));
    match &part.kind {
        PartKind::Media(media) => options.extend(options_of_media(media)),
        PartKind::Reasoning(reasoning) => options.extend(option_of_reasoning(reasoning)),
        _ => {}
    }
    options
}

fn options_of_media(media: &Media) -> PartOptions<'_> {
    let mut options: PartOptions<'_> = Vec::new();
    options.extend(media.detail.iter().map(|own| ("openai", "imageDetail", OptionValue::Text(own))));
    options.extend(media.context.iter().map(|own| ("anthropic", "context", OptionValue::Text(own))));
    options.extend(media.citations.iter().map(|own| ("anthropic", "citations", OptionValue::Raw(own))));
    options
}

fn option_of_reasoning(reasoning: &Reasoning) -> Option<(&'static str, &'static str, OptionValue<'_>)> {
    if let Some(data) = &reasoning.redacted {
        return Some(("anthropic", "redactedData", OptionValue::Text(data)));
    }
    let own = reasoning.encrypted_content.as_ref()?;
    let (provider, key) = match reasoning.provider {
        ReasoningProvider::OpenAi => ("openai", "reasoningEncryptedContent"),
        ReasoningProvider::Google => ("google", "thoughtSignature"),
        ReasoningProvider::Anthropic | ReasoningProvider::Open => ("anthropic", "signature"),
    };
    Some((provider, key, OptionValue::Text(own)))
}

/// Writes a system message, whose content is one text.
fn write_instruction(part: &Part, name: Option<&Text>, w: &mut JsonWriter<'_>) {
    let (PartKind::Text { text, .. } | PartKind::Refusal(text)) = &part.kind else { return };
    w.object(|w| {
        w.key("role").plain("system");
        w.key("content").text(text);
        let name = name.into_iter().map(|name| ("openai", "name", OptionValue::Text(name)));
        write_options(&options_of(part).into_iter().chain(name).collect(), w);
    });
}

fn write_message(names: &ToolNames<'_>, message: &Message, losses: &mut Losses, w: &mut JsonWriter<'_>) {
    let role = match message.role {
        Role::System | Role::Developer => {
            if message.role == Role::Developer {
                losses.add(LossKind::ROLE, message.at);
            }
            let name = message.name.as_ref();
            return message.parts.iter().for_each(|part| write_instruction(part, name, w));
        }
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        _ => "user",
    };
    w.object(|w| {
        w.key("role").plain(role);
        match message.parts.as_slice() {
            [Part { kind: PartKind::Text { text, .. }, cache: None, signature: None, .. }] => {
                w.key("content").text(text);
            }
            parts => w.key("content").array(|w| {
                parts.iter().for_each(|part| w.object(|w| write_part(names, message.role, part, losses, w)))
            }),
        }
        let name = message.name.iter().map(|name| ("openai", "name", OptionValue::Text(name)));
        write_options(&name.collect(), w);
    });
}

fn write_part(names: &ToolNames<'_>, role: Role, part: &Part, losses: &mut Losses, w: &mut JsonWriter<'_>) {
    match &part.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => {
            w.key("type").plain("text");
            w.key("text").text(text);
        }
        PartKind::Reasoning(reasoning) => {
            w.key("type").plain("reasoning");
            w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
        }
        PartKind::Media(media) => write_file(media, role, w),
        PartKind::Call(call) => {
            w.key("type").plain("tool-call");
            w.key("toolCallId").text(&call.id);
            w.key("toolName").text(&call.name);
            write_input_object(&call.input, w.key("input"));
        }
        PartKind::Result(result) => {
            w.key("type").plain("tool-result");
            w.key("toolCallId").text(&result.id);
            let name = result.name.as_ref().or_else(|| names.get(&result.id.raw()).copied());
            w.key("toolName").text(name.unwrap_or(&Text::default()));
            write_output(result, part, losses, w.key("output"));
        }
        // Fitting has left none.
        PartKind::Opaque(_) => {
            w.key("type").plain("text");
            w.key("text").plain("");
        }
    }
    write_options(&options_of(part), w);
}

/// Writes a file. Images of the model have no part of their own.
fn write_file(media: &Media, role: Role, w: &mut JsonWriter<'_>) {
    let is_image = media.kind == MediaKind::Image && role != Role::Assistant;
    w.key("type").plain(if is_image { "image" } else { "file" });
    write_source(media, w.key(if is_image { "image" } else { "data" }));
    match &media.mime {
        Some(mime) => w.key("mediaType").text(mime),
        None if is_image => {}
        None => w.key("mediaType").text(&mime_of(media)),
    }
    media.name.iter().for_each(|name| w.key("filename").text(name));
}

fn mime_of(media: &Media) -> Text {
    match media.source {
        MediaSource::Plain(_) => Text::new("text/plain"),
        _ => media.likely_mime(),
    }
}

/// Writes a URL, or base64.
fn write_source(media: &Media, w: &mut JsonWriter<'_>) {
    match &media.source {
        MediaSource::Data(text) | MediaSource::Url(text) | MediaSource::Id(text, _) => w.text(text),
        MediaSource::Plain(texts) => w.plain(&STANDARD.encode(Text::join(texts, "\\n").plain())),
    }
}

/// Writes what a tool returned. A failed result has one text or value.
fn write_output(result: &ToolResult, part: &Part, losses: &mut Losses, w: &mut JsonWriter<'_>) {
    let failed = result.is_error;
    w.object(|w| match result.parts.as_slice() {
        [ResultPart::Text(text)] => {
            w.key("type").plain(if failed { "error-text" } else { "text" });
            w.key("value").text(text);
        }
        [ResultPart::Json(value)] => {
            w.key("type").plain(if failed { "error-json" } else { "json" });
            w.key("value").raw(value);
        }
        parts if failed && !parts.iter().any(|part| matches!(part, ResultPart::Media(..))) => {
            w.key("type").plain("error-text");
            w.key("value").text(&result_text(result));
        }
        parts => {
            if failed {
                losses.add(LossKind::ERROR_MARK, part.at);
            }
            w.key("type").plain("content");
            w.key("value").array(|w| parts.iter().for_each(|part| write_content(part, w)));
        }
    });
}

/// Writes a part of a result's content.
fn write_content(part: &ResultPart, w: &mut JsonWriter<'_>) {
    w.object(|w| match part {
        ResultPart::Media(media, _) => {
            let is_image = media.kind == MediaKind::Image;
            let is_url = matches!(media.source, MediaSource::Url(_));
            w.key("type").plain(match (is_image, is_url) {
                (true, true) => "image-url",
                (true, false) => "image-data",
                (false, true) => "file-url",
                (false, false) => "file-data",
            });
            write_source(media, w.key(if is_url { "url" } else { "data" }));
            if !(is_image && is_url) {
                w.key("mediaType").text(&mime_of(media));
            }
            if !is_image && !is_url {
                media.name.iter().for_each(|name| w.key("filename").text(name));
            }
            write_options(&options_of_media(media), w);
        }
        ResultPart::Text(text) => {
            w.key("type").plain("text");
            w.key("text").text(text);
        }
        ResultPart::Json(raw) | ResultPart::Opaque(crate::message::Opaque { raw, .. }, _) => {
            w.key("type").plain("text");
            w.key("text").text(&raw.to_text());
        }
    });
}
