//! From a thread to Bedrock's Converse API. The model is in the URL there, not in the body.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::dialect::WriteItem;
use crate::dialects::common::{cached_for, part_text, write_extras, write_input_object};
use crate::message::write::Writer;
use crate::message::{
    Capabilities, Chars, Choice, Effort, IdRule, Maker, Media, MediaKind, MediaSupport, Message, OutputFormat,
    Part, PartKind, Raw, Reasoning, ResultPart, Role, Settings, Source, Text, Thread, ToolKind, ToolResult,
};

use super::read::{FORMATS, NAMELESS};
use super::rows::NAME;

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: Some(|role| u8::from(role == Role::Assistant)),
    dialect: NAME,
    makers: &[Maker::Anthropic],
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
    calls_last: false,
    wants_tools: true,
    user_first: true,
    forbids_tools: false,
    allowed_tools: false,
    json_mode: false,
    describes_schemas: true,
    probability_switch: true,
    thinks_off: true,
    plain_summaries: false,
    strict_schemas: false,
    web_search: None,
    file_names: true,
    detail: false,
    document_facts: true,
    stops: 2500,
    hottest: 1,
    least_limit: 1,
    names_model: false,
    wants_limit: false,
    list_key: "messages",
    message_members: &["role", "content"],
};

pub fn write(conversation: &Thread, w: &mut Writer<'_>) {
    let names = &Names::default();
    w.object(|w| {
        write_system(conversation, names, w);
        w.key("messages")
            .array(|w| conversation.messages.iter().for_each(|message| write_message(message, names, w)));
        write_tools(conversation, w);
        write_settings(&conversation.settings, w);
    });
}

fn write_system(conversation: &Thread, names: &Names, w: &mut Writer<'_>) {
    if let Some(first) = conversation.instructions.first() {
        w.here(first.at.place);
        w.key("system").array(|w| conversation.instructions.iter().for_each(|part| write_block(part, names, w)));
    }
}

pub fn write_instructions(conversation: &Thread, w: &mut Writer<'_>) {
    write_system(conversation, &Names::default(), w);
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(WriteItem<'_>)) {
    each(&|w| write_message(message, &Names::default(), w));
}

fn write_message(message: &Message, names: &Names, w: &mut Writer<'_>) {
    if let Some(item) = message.as_item() {
        return w.raw(item);
    }
    w.here(message.at.place);
    w.object(|w| {
        w.key("role").plain(if message.role == Role::Assistant { "assistant" } else { "user" });
        w.key("content").array(|w| message.parts.iter().for_each(|part| write_block(part, names, w)));
    });
}

fn write_block(block: &Part, names: &Names, w: &mut Writer<'_>) {
    w.here(block.at.place);
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

fn write_cache(cache: Option<&Raw>, w: &mut Writer<'_>) {
    let Some(mark) = cache else { return };
    w.object(|w| {
        w.key("cachePoint").object(|w| {
            w.key("type").plain("default");
            if let Some(ttl) = cached_for(mark) {
                w.key("ttl").text(&ttl);
            }
        });
    });
}

fn write_reasoning(reasoning: &Reasoning, w: &mut Writer<'_>) {
    if let Some(redacted) = &reasoning.redacted {
        return w.key("redactedContent").text(redacted);
    }
    w.key("reasoningText").object(|w| {
        w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
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
        MediaKind::File => ("document", if matches!(media.source, Source::Plain(_)) { "txt" } else { "pdf" }),
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
            Source::Data(data) => w.key("source").object(|w| w.key("bytes").text(data)),
            Source::Plain(texts) => w.key("source").object(|w| match texts.as_slice() {
                [only] => w.key("text").text(only),
                all => w.key("content").array(|w| write_texts(all, w)),
            }),
            Source::Url(_) | Source::Id(..) => {}
        }
        if media.kind == MediaKind::File {
            media.context.iter().for_each(|text| w.key("context").text(text));
            media.cited.iter().for_each(|cited| w.key("citations").raw(cited));
        }
    });
}

fn write_texts(texts: &[Text], w: &mut Writer<'_>) {
    texts.iter().for_each(|text| w.object(|w| w.key("text").text(text)));
}

fn write_found(media: &Media, w: &mut Writer<'_>) {
    let empty = Text::default();
    w.key("source").text(media.link.as_ref().unwrap_or(&empty));
    w.key("title").text(media.name.as_ref().unwrap_or(&empty));
    if let Source::Plain(texts) = &media.source {
        w.key("content").array(|w| write_texts(texts, w));
    }
    media.cited.iter().for_each(|cited| w.key("citations").raw(cited));
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
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

fn write_result(result: &ToolResult, names: &Names, w: &mut Writer<'_>) {
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

fn write_tools(conversation: &Thread, w: &mut Writer<'_>) {
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

/// Converse knows no "none" and no list of allowed tools: conversion leaves that out before.
fn write_choice(choice: &Choice, w: &mut Writer<'_>) {
    w.key("toolChoice").object(|w| match choice {
        Choice::Auto | Choice::None | Choice::Allowed { .. } => w.key("auto").object(|_| {}),
        Choice::Required => w.key("any").object(|_| {}),
        Choice::Tool(name) => w.key("tool").object(|w| w.key("name").text(name)),
    });
}

const INFERENCE: &str = "inferenceConfig";
/// What goes to the model as it stands: Claude's own settings.
const MORE: &str = "additionalModelRequestFields";

fn write_settings(settings: &Settings, w: &mut Writer<'_>) {
    settings.write_within(NAME, "", w);
    if settings.any_within(NAME, INFERENCE) || settings.stop.is_some() {
        w.key(INFERENCE).object(|w| {
            settings.write_within(NAME, INFERENCE, w);
            if let Some(stop) = &settings.stop {
                w.key("stopSequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
            }
        });
    }
    let effort = settings.effort.as_ref().map(|set| &set.value);
    write_output(effort, settings, w);
    let thinks = effort.filter(|effort| !matches!(effort, Effort::Level(_)));
    if thinks.is_some() || settings.any_within(NAME, MORE) {
        w.key(MORE).object(|w| {
            settings.write_within(NAME, MORE, w);
            if let Some(effort) = thinks {
                w.key("thinking").object(|w| write_thinking(effort, w));
            }
        });
    }
}

fn write_output(effort: Option<&Effort>, settings: &Settings, w: &mut Writer<'_>) {
    let schema = match settings.output.as_ref().map(|set| &set.value) {
        Some(OutputFormat::Schema { name, description, schema, .. }) => Some((name, description, schema)),
        _ => None,
    };
    let level = match effort {
        Some(Effort::Level(level)) => Some(level),
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
                        // The schema is there as the text of one.
                        w.key("schema").quoted(schema);
                        name.iter().for_each(|name| w.key("name").text(name));
                        description.iter().for_each(|text| w.key("description").text(text));
                    });
                });
            });
        }
        level.iter().for_each(|level| w.key("effort").text(level));
    });
}

fn write_thinking(effort: &Effort, w: &mut Writer<'_>) {
    match effort {
        Effort::Budget(budget) => {
            w.key("type").plain("enabled");
            w.key("budget_tokens").bytes(budget.to_string().as_bytes());
        }
        Effort::Adaptive => w.key("type").plain("adaptive"),
        Effort::Off | Effort::Level(_) => w.key("type").plain("disabled"),
    }
}
