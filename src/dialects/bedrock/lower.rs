//! From a conversation to Bedrock's Converse API. The model stands in the URL there, not in the body.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::dialect::Written;
use crate::dialects::common::{part_text, write_input_object};
use crate::neutral::write::Writer;
use crate::neutral::{
    Block, Chars, Choice, Conversation, IdRule, Maker, Media, MediaKind, Part, Reasoning, Source, Takeable, Takes,
    Text, ToolKind, ToolResult, Voice, What,
};

use super::lift::FORMATS;
use super::rows::NAME;

pub static TAKES: Takes = Takes {
    dialect: NAME,
    makers: &[Maker::Anthropic, Maker::Plain(NAME)],
    signatures: false,
    call_ids: IdRule::new(Chars::Word, 64),
    call_ids_by_model: &[],
    unique_calls: true,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 4,
    blank_texts: false,
    refusals: false,
    custom_calls: false,
    error_marks: true,
    names: false,
    late_instructions: false,
    media: &[
        Takeable {
            kind: MediaKind::Image,
            data: true,
            url: false,
            id: false,
            plain: false,
            subtypes: &["png", "jpeg", "gif", "webp"],
        },
        Takeable {
            kind: MediaKind::File,
            data: true,
            url: false,
            id: false,
            plain: false,
            subtypes: &[
                "pdf",
                "plain",
                "markdown",
                "csv",
                "html",
                "msword",
                "vnd.openxmlformats-officedocument.wordprocessingml.document",
                "vnd.ms-excel",
                "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ],
        },
        Takeable {
            kind: MediaKind::Video,
            data: true,
            url: false,
            id: false,
            plain: false,
            subtypes: &["mp4", "mkv", "mov", "webm", "mpeg", "mpg", "wmv", "three_gp"],
        },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    model_media: false,
    document_text: true,
    result_text: true,
    object_inputs: true,
    calls_last: false,
    wants_tools: true,
    user_first: true,
    settings: &["max_tokens", "temperature", "top_p", "stop", "choice"],
    wants_limit: false,
    list_key: "messages",
    message_members: &["role", "content"],
};

pub fn lower(conversation: &Conversation, _: Written, out: &mut Vec<u8>) {
    let names = &Names::default();
    Writer::new(out).object(|w| {
        if !conversation.instructions.is_empty() {
            w.key("system")
                .array(|w| conversation.instructions.iter().for_each(|block| write_block(block, names, w)));
        }
        w.key("messages").array(|w| {
            let is_model = |voice| voice == Voice::Assistant;
            for run in conversation.messages.chunk_by(|a, b| is_model(a.voice) == is_model(b.voice)) {
                let blocks: Vec<&Block> = run.iter().flat_map(|message| &message.blocks).collect();
                write_message(is_model(run[0].voice), &blocks, names, w);
            }
        });
        write_tools(conversation, w);
        write_inference(conversation, w);
    });
}

fn write_message(model: bool, blocks: &[&Block], names: &Names, w: &mut Writer<'_>) {
    w.object(|w| {
        w.key("role").plain(if model { "assistant" } else { "user" });
        w.key("content").array(|w| blocks.iter().for_each(|block| write_block(block, names, w)));
    });
}

fn write_block(block: &Block, names: &Names, w: &mut Writer<'_>) {
    if let What::Foreign(foreign) = &block.what {
        return w.raw(&foreign.raw);
    }
    w.object(|w| match &block.what {
        What::Text { text, .. } | What::Refusal(text) => w.key("text").text(text),
        What::Media(media) => write_media(media, names, w),
        What::Call(call) => w.key("toolUse").object(|w| {
            w.key("toolUseId").text(&call.id);
            w.key("name").text(&call.name);
            write_input_object(&call.input, w.key("input"));
        }),
        What::Result(result) => w.key("toolResult").object(|w| write_result(result, names, w)),
        What::Reasoning(reasoning) => w.key("reasoningContent").object(|w| write_reasoning(reasoning, w)),
        What::Foreign(_) => {}
    });
    if block.cache.is_some() {
        w.object(|w| w.key("cachePoint").object(|w| w.key("type").plain("default")));
    }
}

fn write_reasoning(reasoning: &Reasoning, w: &mut Writer<'_>) {
    if let Some(redacted) = &reasoning.redacted {
        return w.key("redactedContent").text(redacted);
    }
    w.key("reasoningText").object(|w| {
        let texts: Vec<&[u8]> = reasoning.texts.iter().map(|text| text.raw()).collect();
        w.key("text").texts(&[&texts.join(&b"\\n\\n"[..])]);
        if let Some(seal) = &reasoning.seal {
            w.key("signature").text(seal);
        }
    });
}

fn write_media(media: &Media, names: &Names, w: &mut Writer<'_>) {
    let subtype = media.subtype();
    let (key, usual) = match media.kind {
        MediaKind::Image => ("image", "png"),
        MediaKind::Video => ("video", "mp4"),
        MediaKind::Audio => ("audio", "wav"),
        MediaKind::File => ("document", "pdf"),
    };
    w.key(key).object(|w| {
        let by_mime = |subtype: &String| {
            FORMATS.iter().find(|(_, mime)| mime.rsplit('/').next() == Some(subtype)).map(|(name, _)| *name)
        };
        let format = match media.kind {
            MediaKind::File => subtype.as_ref().and_then(by_mime).unwrap_or(usual),
            _ => subtype.as_deref().unwrap_or(usual),
        };
        w.key("format").plain(format);
        if media.kind == MediaKind::File {
            w.key("name").plain(&names.of(media.name.as_ref()));
        }
        if let Source::Data(data) = &media.source {
            w.key("source").object(|w| w.key("bytes").text(data));
        }
    });
}

/// Names of the documents so far, and how often each was asked for: no two documents of a request may share one.
#[derive(Default)]
struct Names(RefCell<HashMap<String, u32>>);

impl Names {
    fn of(&self, name: Option<&Text>) -> String {
        let mut used = self.0.borrow_mut();
        let stem = document_name(name);
        let mut name = stem.clone();
        while used.contains_key(&name) {
            let number = used.entry(stem.clone()).or_insert(1);
            *number += 1;
            name = format!("{stem} ({number})");
        }
        used.insert(name.clone(), 1);
        name
    }
}

/// Letters, digits, single spaces, hyphens, brackets and parentheses are what a document's name may hold.
fn document_name(name: Option<&Text>) -> String {
    let plain = name.map(|name| String::from_utf8_lossy(&name.plain()).into_owned()).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
    let words: String = plain.chars().map(|c| if fits(c) { c } else { ' ' }).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "document".to_owned() } else { name }
}

fn write_result(result: &ToolResult, names: &Names, w: &mut Writer<'_>) {
    w.key("toolUseId").text(&result.id);
    w.key("content").array(|w| {
        for part in result.parts.iter().filter(|part| !matches!(part, Part::Text(text) if text.is_blank())) {
            w.object(|w| match part {
                Part::Media(media, _) => write_media(media, names, w),
                Part::Json(raw) if raw.bytes().first() == Some(&b'{') => w.key("json").raw(raw),
                part => w.key("text").text(&part_text(part).unwrap_or_default()),
            });
        }
    });
    w.key("status").plain(if result.is_error { "error" } else { "success" });
}

fn write_tools(conversation: &Conversation, w: &mut Writer<'_>) {
    if conversation.tools.is_empty() {
        return;
    }
    w.key("toolConfig").object(|w| {
        w.key("tools").array(|w| {
            for tool in &conversation.tools {
                match &tool.kind {
                    ToolKind::Function { name, description, parameters, .. } => w.object(|w| {
                        w.key("toolSpec").object(|w| {
                            w.key("name").text(name);
                            if let Some(description) = description.as_ref().filter(|text| !text.is_blank()) {
                                w.key("description").text(description);
                            }
                            w.key("inputSchema").object(|w| match parameters {
                                Some(parameters) => w.key("json").raw(parameters),
                                None => w.key("json").bytes(br#"{"type":"object"}"#),
                            });
                        });
                    }),
                    ToolKind::Foreign(foreign) => w.raw(&foreign.raw),
                    ToolKind::Custom { .. } => {}
                }
                if tool.cache.is_some() {
                    w.object(|w| w.key("cachePoint").object(|w| w.key("type").plain("default")));
                }
            }
        });
        if let Some(choice) = &conversation.settings.choice {
            write_choice(&choice.value, w);
        }
    });
}

/// Converse knows no "none": conversion leaves that out before.
fn write_choice(choice: &Choice, w: &mut Writer<'_>) {
    w.key("toolChoice").object(|w| match choice {
        Choice::Auto | Choice::None => w.key("auto").object(|_| {}),
        Choice::Required => w.key("any").object(|_| {}),
        Choice::Tool(name) => w.key("tool").object(|w| w.key("name").text(name)),
    });
}

fn write_inference(conversation: &Conversation, w: &mut Writer<'_>) {
    let settings = &conversation.settings;
    let numbers =
        [("maxTokens", &settings.max_tokens), ("temperature", &settings.temperature), ("topP", &settings.top_p)];
    if numbers.iter().all(|(_, value)| value.is_none()) && settings.stop.is_none() {
        return;
    }
    w.key("inferenceConfig").object(|w| {
        for (key, value) in numbers {
            if let Some(set) = value {
                w.key(key).raw(&set.value);
            }
        }
        if let Some(stop) = &settings.stop {
            w.key("stopSequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
    });
}
