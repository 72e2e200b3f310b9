//! Writes a thread as items of the Responses API. An item has an id only if its store kept the one from the server.

use crate::dialect::ItemWriter;
use crate::dialects::common::{self, only_text, part_text, result_text, write_extras, write_input_text};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, CallKind, Capabilities, Chars, EffortSetting, IdRule, Media, MediaKind, MediaSource, MediaSupport,
    Message, OutputFormat, Part, PartKind, Reasoning, ReasoningProvider, ResultPart, Role, SearchCapabilities,
    SettingName, SourceLocation, Text, Thread, Tool, ToolCall, ToolChoice, ToolKind, ToolResult, WebSearch,
};

use super::fields::NAME;
use super::read::LOGPROBS;

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: None,
    dialect: NAME,
    reasoning_providers: &[ReasoningProvider::OpenAi],
    signatures: false,
    call_ids: IdRule::new(Chars::Any, 64),
    call_ids_by_model: &[],
    unique_calls: false,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 0,
    blank_texts: true,
    refusals: true,
    phases: true,
    custom_calls: true,
    error_marks: false,
    names: false,
    late_instructions: true,
    media: &[
        MediaSupport { data: true, url: true, id: true, ..MediaSupport::none(MediaKind::Image) },
        MediaSupport {
            data: true,
            url: true,
            id: true,
            // Reported refusals name office documents and videos; texts of all kinds are accepted.
            url_subtypes: &["pdf", "plain", "markdown", "csv", "html", "json", "xml"],
            ..MediaSupport::none(MediaKind::File)
        },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    model_media: false,
    document_text: false,
    result_text: false,
    object_inputs: false,
    max_calls: usize::MAX,
    calls_last: false,
    requires_tools: false,
    user_first: false,
    forbids_tools: true,
    allowed_tools: true,
    json_mode: true,
    describes_schemas: true,
    probability_switch: false,
    effort_can_be_off: true,
    summary_is_switch: false,
    strict_schemas: true,
    web_search: Some(SearchCapabilities {
        allowed: true,
        blocked: false,
        location: true,
        context: true,
        max_uses: false,
    }),
    file_names: true,
    detail: true,
    document_metadata: false,
    max_stop_sequences: 0,
    max_temperature: 2,
    min_output_limit: 16,
    names_model: true,
    requires_limit: false,
    list_key: "input",
    message_members: &[],
};

pub fn write(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let settings = &conversation.settings;
    w.object(|w| {
        if let Some(model) = &conversation.model {
            w.key("model").text(model);
        }
        let instructions = conversation.instructions.as_slice();
        if let [only] = instructions
            && let PartKind::Text { text, .. } = &only.kind
        {
            w.key("instructions").text(text);
        }
        w.key("input").array(|w| {
            // Several instructions become a system message.
            if instructions.len() > 1 {
                write_message(Role::System, SourceLocation::default(), instructions, w);
            }
            for message in &conversation.messages {
                write_items(message, &mut |write| write(w));
            }
        });
        if !conversation.tools.is_empty() {
            w.key("tools").array(|w| conversation.tools.iter().for_each(|tool| write_tool(tool, w)));
        }
        if let Some(choice) = &settings.choice {
            write_choice(&choice.value, w.key("tool_choice"));
        }
        if let Some(parallel) = &settings.parallel {
            w.key("parallel_tool_calls").bool(parallel.value);
        }
        settings.write_members_of(NAME, "", w);
        if settings.get(SettingName::Logprobs).is_some_and(|logprobs| logprobs.value.is("true")) {
            w.key("include").array(|w| w.plain(LOGPROBS));
        }
        let level = match settings.effort.as_ref().map(|set| &set.value) {
            Some(EffortSetting::Level(level)) => Some(level.clone()),
            Some(EffortSetting::Off) => Some(Text::new("none")),
            Some(EffortSetting::Budget(_) | EffortSetting::Adaptive) | None => None,
        };
        if level.is_some() || settings.summary.is_some() {
            w.key("reasoning").object(|w| {
                level.iter().for_each(|level| w.key("effort").text(level));
                settings.summary.iter().for_each(|set| w.key("summary").text(&set.value));
            });
        }
        if settings.output.is_some() || settings.has_members_of(NAME, "text") {
            w.key("text").object(|w| {
                if let Some(output) = &settings.output {
                    w.key("format").object(|w| write_format(&output.value, w));
                }
                settings.write_members_of(NAME, "text", w);
            });
        }
    });
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
    if !matches!(message.role, Role::Assistant | Role::Tool) {
        return match message.parts.as_slice() {
            [Part { kind: PartKind::Opaque(opaque), .. }] => each(&|w| w.raw(&opaque.raw)),
            parts => each(&|w| write_message(message.role, message.at, parts, w)),
        };
    }
    let mut rest = message.parts.as_slice();
    while let Some((first, after)) = rest.split_first() {
        // Adjacent texts are one item unless they have ids, or different phases.
        let goes_on = |part: &&Part| is_content(part) && part.id == first.id && part.phase == first.phase;
        let run = if first.id.is_none() {
            rest.iter().take_while(goes_on).count()
        } else {
            usize::from(is_content(first))
        };
        if let Some((content, after)) = rest.split_at_checked(run).filter(|(content, _)| !content.is_empty()) {
            each(&|w| write_message(message.role, first.at, content, w));
            rest = after;
            continue;
        }
        let id = first.id.as_ref();
        let item = |w: &mut JsonWriter<'_>| {
            w.set_place(first.at.place);
            match &first.kind {
                PartKind::Call(call) => write_call(call, id, w),
                PartKind::Result(result) => write_result(result, w),
                PartKind::Reasoning(reasoning) => write_reasoning(reasoning, id, w),
                PartKind::Opaque(opaque) => w.raw(&opaque.raw),
                PartKind::Text { .. } | PartKind::Refusal(_) | PartKind::Media(_) => {}
            }
        };
        each(&item);
        rest = after;
    }
    if message.parts.is_empty() && message.role == Role::Assistant {
        each(&|w| write_message(message.role, message.at, &[], w));
    }
}

fn is_content(part: &Part) -> bool {
    matches!(part.kind, PartKind::Text { .. } | PartKind::Refusal(_) | PartKind::Media(_))
}

fn write_id(id: Option<&Text>, w: &mut JsonWriter<'_>) {
    id.iter().for_each(|id| w.key("id").text(id));
}

fn write_message(role: Role, at: SourceLocation, blocks: &[Part], w: &mut JsonWriter<'_>) {
    let name = match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::Assistant => "assistant",
        _ => "user",
    };
    w.set_place(at.place);
    let id = blocks.first().and_then(|first| first.id.as_ref());
    w.object(|w| {
        w.key("type").plain("message");
        w.key("role").plain(name);
        if id.is_some() {
            // An item of the server, as it was returned.
            write_id(id, w);
            w.key("status").plain("completed");
        }
        let phase = blocks.first().and_then(|first| first.phase.as_ref());
        phase.iter().for_each(|phase| w.key("phase").text(phase));
        w.key("content");
        // A single text is a string, except for the model, which has its own type of text.
        match blocks {
            [] => w.plain(""),
            [only] if only_text(only).is_some() && role != Role::Assistant && !w.is_tracing() => {
                only_text(only).into_iter().for_each(|text| w.text(text));
            }
            _ => w.array(|w| blocks.iter().for_each(|block| write_part(role, block, w))),
        }
    });
}

fn write_part(role: Role, block: &Part, w: &mut JsonWriter<'_>) {
    w.set_place(block.at.place);
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    match &block.kind {
        PartKind::Text { text, citations } => w.object(|w| {
            w.key("type").plain(kind);
            w.key("text").text(text);
            match citations {
                Some(citations) => w.key("annotations").raw(&citations.raw),
                None if block.id.is_some() => w.key("annotations").array(|_| {}),
                None => {}
            }
        }),
        PartKind::Refusal(text) => w.object(|w| {
            w.key("type").plain("refusal");
            w.key("refusal").text(text);
        }),
        PartKind::Media(media) => write_media(media, w),
        _ => {}
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    let image = media.kind == MediaKind::Image;
    w.object(|w| {
        w.key("type").plain(if image { "input_image" } else { "input_file" });
        match (&media.source, media.data_url()) {
            (MediaSource::Id(id, _), _) => w.key("file_id").text(id),
            (MediaSource::Url(url), _) => {
                media.name.iter().filter(|_| !image).for_each(|name| w.key("filename").text(name));
                w.key(if image { "image_url" } else { "file_url" }).text(url);
            }
            (_, Some(url)) => {
                if !image {
                    // Data needs a file name, whose extension gives the type.
                    match &media.name {
                        Some(name) => w.key("filename").text(name),
                        None => {
                            let ending = media.subtype().unwrap_or_else(|| "pdf".to_owned());
                            w.key("filename").plain(&format!("file.{ending}"));
                        }
                    }
                }
                w.key(if image { "image_url" } else { "file_data" }).text(&url);
            }
            (_, None) => {
                if let Some(text) = media.to_text() {
                    w.key("file_data").text(&text);
                }
            }
        }
        if let (Some(detail), true) = (&media.detail, image) {
            w.key("detail").text(detail);
        }
    });
}

fn write_call(call: &ToolCall, id: Option<&Text>, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        let custom = call.kind == CallKind::Custom;
        w.key("type").plain(if custom { "custom_tool_call" } else { "function_call" });
        write_id(id, w);
        w.key("call_id").text(&call.id);
        w.key("name").text(&call.name);
        match (&call.input, custom) {
            (CallInput::Text(text), true) => w.key("input").text(text),
            (input, _) => write_input_text(input, w.key("arguments")),
        }
    });
}

fn write_result(result: &ToolResult, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        let custom = result.kind == CallKind::Custom;
        w.key("type").plain(if custom { "custom_tool_call_output" } else { "function_call_output" });
        w.key("call_id").text(&result.id);
        w.key("output");
        if !result.parts.iter().any(|part| matches!(part, ResultPart::Media(..))) && result.parts.len() < 2 {
            w.text(&result_text(result));
            return;
        }
        w.array(|w| {
            for part in &result.parts {
                match part {
                    ResultPart::Media(media, at) => {
                        w.set_place(at.place);
                        write_media(media, w);
                    }
                    part => {
                        if let Some(text) = part_text(part) {
                            w.object(|w| {
                                w.key("type").plain("input_text");
                                w.key("text").text(&text);
                            });
                        }
                    }
                }
            }
        });
    });
}

/// Writes reasoning: of open models the reasoning itself, of encrypted reasoning only the summary.
fn write_reasoning(reasoning: &Reasoning, id: Option<&Text>, w: &mut JsonWriter<'_>) {
    let write = |kind: &str, w: &mut JsonWriter<'_>| {
        for text in &reasoning.texts {
            w.object(|w| {
                w.key("type").plain(kind);
                w.key("text").text(text);
            });
        }
    };
    w.object(|w| {
        w.key("type").plain("reasoning");
        write_id(id, w);
        let open = reasoning.provider == ReasoningProvider::Open;
        w.key("summary").array(|w| {
            if !open {
                write("summary_text", w);
            }
        });
        if open {
            w.key("content").array(|w| write("reasoning_text", w));
        }
        if let Some(encrypted_content) = &reasoning.encrypted_content {
            w.key("encrypted_content").text(encrypted_content);
        }
    });
}

fn write_tool(tool: &Tool, w: &mut JsonWriter<'_>) {
    match &tool.kind {
        ToolKind::Function { name, description, parameters } => w.object(|w| {
            w.key("type").plain("function");
            w.key("name").text(name);
            if let Some(description) = description {
                w.key("description").text(description);
            }
            match parameters {
                Some(parameters) => w.key("parameters").raw(parameters),
                None => w.key("parameters").bytes(br#"{"type":"object","properties":{}}"#),
            }
            // The default of `strict` is true here, and false in other dialects.
            if tool.strict().is_none() {
                w.key("strict").bool(false);
            }
            write_extras(&tool.extras, w);
        }),
        ToolKind::Custom { name, description, format } => w.object(|w| {
            w.key("type").plain("custom");
            w.key("name").text(name);
            if let Some(description) = description {
                w.key("description").text(description);
            }
            if let Some(format) = format {
                w.key("format").raw(format);
            }
        }),
        ToolKind::WebSearch(search, own) if own.dialect != NAME => write_search(search, w),
        ToolKind::WebSearch(_, own) | ToolKind::Client(_, own) | ToolKind::Opaque(own) => w.raw(&own.raw),
    }
}

fn write_search(search: &WebSearch, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("web_search");
        if !search.allowed.is_empty() {
            w.key("filters").object(|w| {
                w.key("allowed_domains").array(|w| search.allowed.iter().for_each(|domain| w.text(domain)));
            });
        }
        search.context.iter().for_each(|size| w.key("search_context_size").text(size));
        if let Some(location) = &search.location {
            w.key("user_location");
            common::write_location(location, w);
        }
    });
}

fn write_choice(choice: &ToolChoice, w: &mut JsonWriter<'_>) {
    match choice {
        ToolChoice::Auto => w.plain("auto"),
        ToolChoice::None => w.plain("none"),
        ToolChoice::Required => w.plain("required"),
        ToolChoice::Tool(name) => write_named(name, w),
        ToolChoice::Allowed { names, required } => w.object(|w| {
            w.key("type").plain("allowed_tools");
            w.key("mode").plain(if *required { "required" } else { "auto" });
            w.key("tools").array(|w| names.iter().for_each(|name| write_named(name, w)));
        }),
    }
}

fn write_named(name: &Text, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("function");
        w.key("name").text(name);
    });
}

fn write_format(format: &OutputFormat, w: &mut JsonWriter<'_>) {
    match format {
        OutputFormat::Json => w.key("type").plain("json_object"),
        OutputFormat::Schema { name, description, schema, strict } => {
            w.key("type").plain("json_schema");
            match name {
                Some(name) => w.key("name").text(name),
                None => w.key("name").plain("answer"),
            }
            if let Some(description) = description {
                w.key("description").text(description);
            }
            w.key("schema").raw(schema);
            if let Some(strict) = strict {
                w.key("strict").bool(*strict);
            }
        }
    }
}
