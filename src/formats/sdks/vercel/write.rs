//! The Vercel AI SDK: an array of UIMessages, as an app stores them. The steps of the model between two user messages are
//! one message, with its calls and their results as parts.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::carry::{Destination, SessionDraft, SessionWriter, ToolHandling, json_file, support, text};
use crate::dialects::common::write_input_object;
use crate::message::write::JsonWriter;
use crate::message::{Losses, Media, MediaSource, Part, PartKind, ResultPart, Role, Text, ToolCall, ToolResult};

pub static WRITER: SessionWriter = SessionWriter {
    name: "ui-messages",
    agent: "the Vercel AI SDK",
    format: "vercel-ui-messages",
    is_document: true,
    capabilities: &support::UI_MESSAGES,
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
    "useChat({ messages })".to_owned()
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    let results = draft.conversation.messages.iter().flat_map(|message| &message.parts);
    let results = results.filter_map(|block| match &block.kind {
        PartKind::Result(result) => Some((result.id.raw(), result)),
        _ => None,
    });
    let results: HashMap<Cow<'_, [u8]>, &ToolResult> = results.collect();
    let is_model = |role: Role| matches!(role, Role::Assistant | Role::Tool);
    JsonWriter::new(out).array(|w| {
        if !draft.conversation.instructions.is_empty() {
            let blocks: Vec<&[Part]> = vec![&draft.conversation.instructions];
            write_message(draft, usize::MAX, "system", &blocks, &results, w);
        }
        let all = &draft.conversation.messages;
        let runs = all.chunk_by(|a, b| is_model(a.role) && is_model(b.role));
        for (n, run) in runs.enumerate() {
            let role = match run.first().map(|first| first.role) {
                Some(Role::Assistant | Role::Tool) => "assistant",
                Some(Role::System | Role::Developer) => "system",
                _ => "user",
            };
            let messages = run.iter().filter(|message| message.role != Role::Tool);
            let blocks: Vec<&[Part]> = messages.map(|message| message.parts.as_slice()).collect();
            write_message(draft, n, role, &blocks, &results, w);
        }
    });
    out.push(b'\n');
}

fn write_message(
    draft: &SessionDraft<'_>,
    n: usize,
    role: &str,
    steps: &[&[Part]],
    results: &HashMap<Cow<'_, [u8]>, &ToolResult>,
    w: &mut JsonWriter<'_>,
) {
    w.object(|w| {
        w.key("id").plain(&draft.ids.letters("message", n, 16));
        w.key("role").plain(role);
        w.key("parts").array(|w| {
            for step in steps {
                if role == "assistant" {
                    w.object(|w| w.key("type").plain("step-start"));
                }
                step.iter().for_each(|block| part(block, results, w));
            }
        });
    });
}

fn part(block: &Part, results: &HashMap<Cow<'_, [u8]>, &ToolResult>, w: &mut JsonWriter<'_>) {
    w.object(|w| match &block.kind {
        PartKind::Call(call) => tool(call, results.get(&call.id.raw()).copied(), w),
        PartKind::Media(media) => write_file(media, w),
        PartKind::Reasoning(reasoning) => {
            w.key("type").plain("reasoning");
            w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
            w.key("state").plain("done");
        }
        _ => {
            w.key("type").plain("text");
            text::of_block(block).into_iter().for_each(|text| w.key("text").text(text));
        }
    });
}

/// Writes a call with its result as a dynamic tool, which the app need not define.
fn tool(call: &ToolCall, result: Option<&ToolResult>, w: &mut JsonWriter<'_>) {
    w.key("type").plain("dynamic-tool");
    w.key("toolName").text(&call.name);
    w.key("toolCallId").text(&call.id);
    let failed = result.is_none_or(|result| result.is_error);
    w.key("state").plain(if failed { "output-error" } else { "output-available" });
    write_input_object(&call.input, w.key("input"));
    match result.map(|result| (result, result.parts.as_slice())) {
        Some((_, [ResultPart::Json(value)])) if !failed => w.key("output").raw(value),
        Some((result, _)) => {
            w.key(if failed { "errorText" } else { "output" }).plain(&text::of_result(result));
        }
        None => w.key("errorText").plain(""),
    }
}

fn write_file(media: &Media, w: &mut JsonWriter<'_>) {
    w.key("type").plain("file");
    w.key("mediaType").text(&media.likely_mime());
    media.name.iter().for_each(|name| w.key("filename").text(name));
    match &media.source {
        MediaSource::Url(url) => w.key("url").text(url),
        _ => media.data_url().iter().for_each(|url| w.key("url").text(url)),
    }
}
