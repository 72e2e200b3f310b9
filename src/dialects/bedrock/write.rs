//! Writes a thread as a request of Bedrock's Converse API. The model is in the URL there, not in the body.

use std::cell::RefCell;

use foldhash::HashMap;

use crate::dialect::ItemWriter;
use crate::dialects::common::{cache_ttl, part_text, write_extras, write_input_object};
use crate::message::write::JsonWriter;
use crate::message::{
    Capabilities, Chars, EffortSetting, IdRule, Media, MediaKind, MediaSource, MediaSupport, Message,
    OutputFormat, Part, PartKind, RawJson, Reasoning, ReasoningProvider, RequestSettings, ResultPart, Role, Text,
    Thread, ToolChoice, ToolKind, ToolResult,
};

use super::read::{DEFAULT_NAME, FORMATS};
use super::rows::NAME;

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: Some(|role| u8::from(role == Role::Assistant)),
    dialect: NAME,
    reasoning_providers: &[ReasoningProvider::Anthropic],
    signatures: false,
    call_ids: IdRule::new(Chars::Word, 64),
    call_ids_by_model: &[],
    unique_calls: true,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 4,
    blank_texts: false,
    refusals: false,
    phases: false,
    custom_calls: false,
    error_marks: true,
    names: false,
    late_instructions: false,
    media: &[
        MediaSupport {
            data: true,
            subtypes: &["png", "jpeg", "gif", "webp"],
            ..MediaSupport::none(MediaKind::Image)
        },
        MediaSupport {
            data: true,
            plain: true,
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
            ..MediaSupport::none(MediaKind::File)
        },
        MediaSupport {
            data: true,
            subtypes: &["mp4", "mkv", "mov", "webm", "mpeg", "mpg", "wmv", "three_gp"],
            ..MediaSupport::none(MediaKind::Video)
        },
        MediaSupport { plain: true, ..MediaSupport::none(MediaKind::Search) },
    ],
    result_media: &[MediaKind::Image, MediaKind::File, MediaKind::Search],
    model_media: false,
    document_text: true,
    result_text: true,
    object_inputs: true,
    max_calls: usize::MAX,
    calls_last: false,
    requires_tools: true,
    user_first: true,
    forbids_tools: false,
    allowed_tools: false,
    json_mode: false,
    describes_schemas: true,
    probability_switch: true,
    effort_can_be_off: true,
    summary_is_switch: false,
    strict_schemas: false,
    web_search: None,
    file_names: true,
    detail: false,
    document_metadata: true,
    max_stop_sequences: 2500,
    max_temperature: 1,
    min_output_limit: 1,
    names_model: false,
    requires_limit: false,
    list_key: "messages",
    message_members: &["role", "content"],
};

pub fn write(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let names = &DocumentNames::default();
    w.object(|w| {
        write_system(conversation, names, w);
        w.key("messages")
            .array(|w| conversation.messages.iter().for_each(|message| write_message(message, names, w)));
        write_tools(conversation, w);
        write_settings(&conversation.settings, w);
    });
}

fn write_system(conversation: &Thread, names: &DocumentNames, w: &mut JsonWriter<'_>) {
    if let Some(first) = conversation.instructions.first() {
        w.set_place(first.at.place);
        w.key("system").array(|w| conversation.instructions.iter().for_each(|part| write_block(part, names, w)));
    }
}

pub fn write_instructions(conversation: &Thread, w: &mut JsonWriter<'_>) {
    write_system(conversation, &DocumentNames::default(), w);
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
    each(&|w| write_message(message, &DocumentNames::default(), w));
}

fn write_message(message: &Message, names: &DocumentNames, w: &mut JsonWriter<'_>) {
    if let Some(item) = message.as_item() {
        return w.raw(item);
    }
    w.set_place(message.at.place);
    w.object(|w| {
        w.key("role").plain(if message.role == Role::Assistant { "assistant" } else { "user" });
        w.key("content").array(|w| message.parts.iter().for_each(|part| write_block(part, names, w)));
    });
}

fn write_block(block: &Part, names: &DocumentNames, w: &mut JsonWriter<'_>) {
    w.set_place(block.at.place);
    if let PartKind::Opaque(foreign) = &block.kind {
        return w.raw(&foreign.raw);
    }
    w.object(|w| match &block.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => w.key("text").text(text),
        PartKind::Media(media) => write_media(media, names, w),
        PartKind::Call(call) => w.key("toolUse").object(|w| {
            w.key("toolUseId").text(&call.id);
            w.key("name").text(&call.name);
            write_input_object(&call.input, w.key("input"));
        }),
        PartKind::Result(result) => w.key("toolResult").object(|w| write_result(result, names, w)),
        PartKind::Reasoning(reasoning) => w.key("reasoningContent").object(|w| write_reasoning(reasoning, w)),
        PartKind::Opaque(_) => {}
    });
    write_cache(block.cache.as_ref(), w);
}

fn write_cache(cache: Option<&RawJson>, w: &mut JsonWriter<'_>) {
    let Some(mark) = cache else { return };
    w.object(|w| {
        w.key("cachePoint").object(|w| {
            w.key("type").plain("default");
            if let Some(ttl) = cache_ttl(mark) {
                w.key("ttl").text(&ttl);
            }
        });
    });
}

fn write_reasoning(reasoning: &Reasoning, w: &mut JsonWriter<'_>) {
    if let Some(redacted) = &reasoning.redacted {
        return w.key("redactedContent").text(redacted);
    }
    w.key("reasoningText").object(|w| {
        w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
        if let Some(encrypted_content) = &reasoning.encrypted_content {
            w.key("signature").text(encrypted_content);
        }
    });
}

fn write_media(media: &Media, names: &DocumentNames, w: &mut JsonWriter<'_>) {
    let subtype = media.subtype();
    let (key, usual) = match media.kind {
        MediaKind::Image => ("image", "png"),
        MediaKind::Video => ("video", "mp4"),
        MediaKind::Audio => ("audio", "wav"),
        MediaKind::File => ("document", if matches!(media.source, MediaSource::Plain(_)) { "txt" } else { "pdf" }),
        MediaKind::Search => return w.key("searchResult").object(|w| write_found(media, w)),
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
        match &media.source {
            MediaSource::Data(data) => w.key("source").object(|w| w.key("bytes").text(data)),
            MediaSource::Plain(texts) => w.key("source").object(|w| match texts.as_slice() {
                [only] => w.key("text").text(only),
                all => w.key("content").array(|w| write_texts(all, w)),
            }),
            MediaSource::Url(_) | MediaSource::Id(..) => {}
        }
        if media.kind == MediaKind::File {
            media.context.iter().for_each(|text| w.key("context").text(text));
            media.citations.iter().for_each(|citations| w.key("citations").raw(citations));
        }
    });
}

fn write_texts(texts: &[Text], w: &mut JsonWriter<'_>) {
    texts.iter().for_each(|text| w.object(|w| w.key("text").text(text)));
}

fn write_found(media: &Media, w: &mut JsonWriter<'_>) {
    let empty = Text::default();
    w.key("source").text(media.link.as_ref().unwrap_or(&empty));
    w.key("title").text(media.name.as_ref().unwrap_or(&empty));
    if let MediaSource::Plain(texts) = &media.source {
        w.key("content").array(|w| write_texts(texts, w));
    }
    media.citations.iter().for_each(|citations| w.key("citations").raw(citations));
}

/// The names of documents so far, with the number of uses: they must be unique in a request.
#[derive(Default)]
struct DocumentNames(RefCell<HashMap<String, u32>>);

impl DocumentNames {
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

/// A valid document name: letters, digits, single spaces, hyphens, brackets and parentheses.
fn document_name(name: Option<&Text>) -> String {
    let plain = name.map(|name| String::from_utf8_lossy(&name.plain()).into_owned()).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
    let words: String = plain.chars().map(|c| if fits(c) { c } else { ' ' }).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { DEFAULT_NAME.to_owned() } else { name }
}

fn write_result(result: &ToolResult, names: &DocumentNames, w: &mut JsonWriter<'_>) {
    w.key("toolUseId").text(&result.id);
    w.key("content").array(|w| {
        for part in result.parts.iter().filter(|part| !matches!(part, ResultPart::Text(text) if text.is_blank())) {
            w.object(|w| match part {
                ResultPart::Media(media, _) => write_media(media, names, w),
                ResultPart::Json(raw) if raw.first() == Some(b'{') => w.key("json").raw(raw),
                part => w.key("text").text(&part_text(part).unwrap_or_default()),
            });
        }
    });
    w.key("status").plain(if result.is_error { "error" } else { "success" });
}

fn write_tools(conversation: &Thread, w: &mut JsonWriter<'_>) {
    if conversation.tools.is_empty() {
        return;
    }
    w.key("toolConfig").object(|w| {
        w.key("tools").array(|w| {
            for tool in &conversation.tools {
                match &tool.kind {
                    ToolKind::Function { name, description, parameters } => w.object(|w| {
                        w.key("toolSpec").object(|w| {
                            w.key("name").text(name);
                            if let Some(description) = description.as_ref().filter(|text| !text.is_blank()) {
                                w.key("description").text(description);
                            }
                            w.key("inputSchema").object(|w| match parameters {
                                Some(parameters) => w.key("json").raw(parameters),
                                None => w.key("json").bytes(br#"{"type":"object"}"#),
                            });
                            write_extras(&tool.extras, w);
                        });
                    }),
                    ToolKind::Opaque(own) => w.raw(&own.raw),
                    ToolKind::Custom { .. } | ToolKind::WebSearch(..) | ToolKind::Client(..) => {}
                }
                write_cache(tool.cache.as_ref(), w);
            }
        });
        if let Some(choice) = &conversation.settings.choice {
            write_choice(&choice.value, w);
        }
    });
}

/// Converse has no "none" and no list of allowed tools: conversion has removed those.
fn write_choice(choice: &ToolChoice, w: &mut JsonWriter<'_>) {
    w.key("toolChoice").object(|w| match choice {
        ToolChoice::Auto | ToolChoice::None | ToolChoice::Allowed { .. } => w.key("auto").object(|_| {}),
        ToolChoice::Required => w.key("any").object(|_| {}),
        ToolChoice::Tool(name) => w.key("tool").object(|w| w.key("name").text(name)),
    });
}

const INFERENCE: &str = "inferenceConfig";
/// Settings that are passed to the model unchanged: Claude's own.
const MODEL_FIELDS: &str = "additionalModelRequestFields";

fn write_settings(settings: &RequestSettings, w: &mut JsonWriter<'_>) {
    settings.write_members_of(NAME, "", w);
    if settings.has_members_of(NAME, "serviceTier") {
        w.key("serviceTier").object(|w| settings.write_members_of(NAME, "serviceTier", w));
    }
    if settings.has_members_of(NAME, INFERENCE) || settings.stop.is_some() {
        w.key(INFERENCE).object(|w| {
            settings.write_members_of(NAME, INFERENCE, w);
            if let Some(stop) = &settings.stop {
                w.key("stopSequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
            }
        });
    }
    let effort = settings.effort.as_ref().map(|set| &set.value);
    write_output(effort, settings, w);
    let thinks = effort.filter(|effort| !matches!(effort, EffortSetting::Level(_)));
    if thinks.is_some() || settings.has_members_of(NAME, MODEL_FIELDS) {
        w.key(MODEL_FIELDS).object(|w| {
            settings.write_members_of(NAME, MODEL_FIELDS, w);
            if let Some(effort) = thinks {
                w.key("thinking").object(|w| write_thinking(effort, w));
            }
        });
    }
}

fn write_output(effort: Option<&EffortSetting>, settings: &RequestSettings, w: &mut JsonWriter<'_>) {
    let schema = match settings.output.as_ref().map(|set| &set.value) {
        Some(OutputFormat::Schema { name, description, schema, .. }) => Some((name, description, schema)),
        _ => None,
    };
    let level = match effort {
        Some(EffortSetting::Level(level)) => Some(level),
        _ => None,
    };
    if level.is_none() && schema.is_none() {
        return;
    }
    w.key("outputConfig").object(|w| {
        if let Some((name, description, schema)) = schema {
            w.key("textFormat").object(|w| {
                w.key("type").plain("json_schema");
                w.key("structure").object(|w| {
                    w.key("jsonSchema").object(|w| {
                        // The schema is the text of one.
                        w.key("schema").value_as_text(schema);
                        name.iter().for_each(|name| w.key("name").text(name));
                        description.iter().for_each(|text| w.key("description").text(text));
                    });
                });
            });
        }
        level.iter().for_each(|level| w.key("effort").text(level));
    });
}

fn write_thinking(effort: &EffortSetting, w: &mut JsonWriter<'_>) {
    match effort {
        EffortSetting::Budget(budget) => {
            w.key("type").plain("enabled");
            w.key("budget_tokens").bytes(budget.to_string().as_bytes());
        }
        EffortSetting::Adaptive => w.key("type").plain("adaptive"),
        EffortSetting::Off | EffortSetting::Level(_) => w.key("type").plain("disabled"),
    }
}
