//! Writes a thread as messages of Chat Completions: only what OpenAI itself documents.

use crate::dialect::ItemWriter;
use crate::dialects::common::{only_text, part_text, result_text, write_extras, write_input_text};
use crate::json::{Tape, name, scan};
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, CallKind, Capabilities, Chars, EffortSetting, IdRule, MAX_CHAT_CALLS, Media, MediaKind,
    MediaSource, MediaSupport, Message, Opaque, OutputFormat, Part, PartKind, RawJson, ResultPart, Role,
    SearchCapabilities, Text, Thread, Tool, ToolChoice, ToolKind, ToolResult, WebSearch,
};

use super::rows::NAME;

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: None,
    dialect: NAME,
    max_calls: MAX_CHAT_CALLS,
    reasoning_providers: &[],
    signatures: false,
    // OpenAI's limit was 40 characters for years, and is documented as 64 now.
    call_ids: IdRule::new(Chars::Any, 40),
    call_ids_by_model: &[
        ("mistral", IdRule::MISTRAL),
        ("ministral", IdRule::MISTRAL),
        ("codestral", IdRule::MISTRAL),
        ("magistral", IdRule::MISTRAL),
        ("devstral", IdRule::MISTRAL),
        ("pixtral", IdRule::MISTRAL),
    ],
    unique_calls: false,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 0,
    blank_texts: true,
    refusals: true,
    phases: false,
    custom_calls: true,
    error_marks: false,
    names: true,
    late_instructions: true,
    media: &[
        MediaSupport { data: true, url: true, ..MediaSupport::none(MediaKind::Image) },
        MediaSupport { data: true, id: true, ..MediaSupport::none(MediaKind::File) },
        MediaSupport { data: true, ..MediaSupport::none(MediaKind::Audio) },
    ],
    result_media: &[],
    model_media: false,
    document_text: false,
    result_text: false,
    object_inputs: false,
    calls_last: false,
    requires_tools: false,
    user_first: false,
    forbids_tools: true,
    allowed_tools: true,
    json_mode: true,
    describes_schemas: true,
    probability_switch: true,
    effort_can_be_off: true,
    summary_is_switch: false,
    strict_schemas: true,
    web_search: Some(SearchCapabilities {
        allowed: false,
        blocked: false,
        location: true,
        context: true,
        max_uses: false,
    }),
    file_names: true,
    detail: true,
    document_metadata: false,
    max_stop_sequences: 4,
    max_temperature: 2,
    min_output_limit: 1,
    names_model: true,
    requires_limit: false,
    list_key: "messages",
    message_members: &[],
};

pub fn write(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let settings = &conversation.settings;
    w.object(|w| {
        if let Some(model) = &conversation.model {
            w.key("model").text(model);
        }
        w.key("messages").array(|w| {
            if let Some(first) = conversation.instructions.first() {
                let mut message = Message::new(Role::System, first.at);
                message.parts.clone_from(&conversation.instructions);
                write_message(&message, ReasoningMember::of(conversation), w);
            }
            for message in &conversation.messages {
                write_items(conversation, message, &mut |write| write(w));
            }
        });
        let is_tool = |tool: &&Tool| !matches!(tool.kind, ToolKind::WebSearch(..));
        if conversation.tools.iter().any(|tool| is_tool(&tool)) {
            w.key("tools")
                .array(|w| conversation.tools.iter().filter(is_tool).for_each(|tool| write_tool(tool, w)));
        }
        for tool in &conversation.tools {
            if let ToolKind::WebSearch(search, own) = &tool.kind {
                write_search(search, own, w.key("web_search_options"));
            }
        }
        if let Some(choice) = &settings.choice {
            write_choice(&choice.value, w.key("tool_choice"));
        }
        if let Some(parallel) = &settings.parallel {
            w.key("parallel_tool_calls").bool(parallel.value);
        }
        settings.write_members_of(NAME, "", w);
        if let Some(stop) = &settings.stop {
            w.key("stop").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        match settings.effort.as_ref().map(|set| &set.value) {
            Some(EffortSetting::Level(level)) => w.key("reasoning_effort").text(level),
            Some(EffortSetting::Off) => w.key("reasoning_effort").plain("none"),
            Some(EffortSetting::Budget(_) | EffortSetting::Adaptive) | None => {}
        }
        if let Some(output) = &settings.output {
            w.key("response_format").object(|w| write_format(&output.value, w));
        }
    });
}

/// The member of a message with its reasoning.
#[derive(Clone, Copy)]
struct ReasoningMember {
    key: &'static str,
    /// A message with calls always has it: DeepSeek accepts an empty one, and refuses a missing one.
    always: bool,
}

impl ReasoningMember {
    fn of(thread: &Thread) -> ReasoningMember {
        let key = if thread.reasoning_key.is_empty() { "reasoning_content" } else { thread.reasoning_key };
        ReasoningMember { key, always: thread.always_writes_reasoning }
    }
}

pub fn write_items(thread: &Thread, message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
    match (message.as_item(), message.role) {
        (Some(item), _) => each(&|w| w.raw(item)),
        (None, Role::Tool) => message.parts.iter().for_each(|part| each(&|w| write_result(part, w))),
        (None, _) => each(&|w| write_message(message, ReasoningMember::of(thread), w)),
    }
}

fn write_message(message: &Message, thoughts: ReasoningMember, w: &mut JsonWriter<'_>) {
    w.set_place(message.at.place);
    let role = match message.role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::Assistant => "assistant",
        _ => "user",
    };
    w.object(|w| {
        w.key("role").plain(role);
        if let Some(name) = &message.name {
            w.key("name").text(name);
        }
        let content: Vec<&Part> = message.parts.iter().filter(|block| is_content(block)).collect();
        let has_calls = message.calls().next().is_some();
        match content.as_slice() {
            [] if has_calls => w.key("content").bytes(b"null"),
            [] => w.key("content").plain(""),
            [only] if only_text(only).is_some() => {
                w.key("content");
                only_text(only).into_iter().for_each(|text| w.text(text));
            }
            [only] if matches!(only.kind, PartKind::Refusal(_)) => {
                w.key("content").bytes(b"null");
                if let PartKind::Refusal(text) = &only.kind {
                    w.key("refusal").text(text);
                }
            }
            parts => w.key("content").array(|w| parts.iter().for_each(|block| write_part(block, w))),
        }
        if has_calls {
            w.set_place(message.at.place);
            w.key("tool_calls").array(|w| message.parts.iter().for_each(|part| write_call(part, w)));
            w.set_place(message.at.place);
        }
        let thought: Vec<&Text> = message
            .parts
            .iter()
            .filter_map(|block| match &block.kind {
                PartKind::Reasoning(reasoning) => Some(reasoning),
                _ => None,
            })
            .flat_map(|reasoning| &reasoning.texts)
            .collect();
        if !thought.is_empty() || has_calls && thoughts.always {
            w.key(thoughts.key).text(&Text::join(thought, "\\n\\n"));
        }
    });
}

fn is_content(block: &Part) -> bool {
    matches!(block.kind, PartKind::Text { .. } | PartKind::Refusal(_) | PartKind::Media(_) | PartKind::Opaque(_))
}

fn write_part(block: &Part, w: &mut JsonWriter<'_>) {
    w.set_place(block.at.place);
    match &block.kind {
        PartKind::Text { text, .. } => w.object(|w| {
            w.key("type").plain("text");
            w.key("text").text(text);
        }),
        PartKind::Refusal(text) => w.object(|w| {
            w.key("type").plain("refusal");
            w.key("refusal").text(text);
        }),
        PartKind::Media(media) => write_media(media, w),
        PartKind::Opaque(foreign) => w.raw(&foreign.raw),
        _ => {}
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    w.object(|w| match (media.kind, &media.source) {
        (MediaKind::Audio, MediaSource::Data(data)) => {
            w.key("type").plain("input_audio");
            w.key("input_audio").object(|w| {
                w.key("data").text(data);
                let form = media.subtype().unwrap_or_else(|| "wav".to_owned());
                w.key("format").plain(if form == "mpeg" { "mp3" } else { form.trim_start_matches("x-") });
            });
        }
        (MediaKind::File, source) => {
            w.key("type").plain("file");
            w.key("file").object(|w| {
                if let MediaSource::Id(id, _) = source {
                    w.key("file_id").text(id);
                    return;
                }
                match &media.name {
                    Some(name) => w.key("filename").text(name),
                    None => {
                        let ending = media.subtype().unwrap_or_else(|| "pdf".to_owned());
                        w.key("filename").plain(&format!("file.{ending}"));
                    }
                }
                if let Some(url) = media.data_url() {
                    w.key("file_data").text(&url);
                }
            });
        }
        (_, source) => {
            w.key("type").plain("image_url");
            w.key("image_url").object(|w| {
                match (source, media.data_url()) {
                    (_, Some(url)) => w.key("url").text(&url),
                    (MediaSource::Url(url) | MediaSource::Id(url, _) | MediaSource::Data(url), None) => {
                        w.key("url").text(url)
                    }
                    (MediaSource::Plain(texts), None) => w.key("url").text(&Text::join(texts, "")),
                }
                if let Some(detail) = &media.detail {
                    w.key("detail").text(detail);
                }
            });
        }
    });
}

fn write_call(part: &Part, w: &mut JsonWriter<'_>) {
    let PartKind::Call(call) = &part.kind else { return };
    w.set_place(part.at.place);
    w.object(|w| {
        w.key("id").text(&call.id);
        match (&call.input, call.kind) {
            (CallInput::Text(text), CallKind::Custom) => {
                w.key("type").plain("custom");
                w.key("custom").object(|w| {
                    w.key("name").text(&call.name);
                    w.key("input").text(text);
                });
            }
            (input, _) => {
                w.key("type").plain("function");
                w.key("function").object(|w| {
                    w.key("name").text(&call.name);
                    write_input_text(input, w.key("arguments"));
                });
            }
        }
    });
}

fn write_result(block: &Part, w: &mut JsonWriter<'_>) {
    let PartKind::Result(result) = &block.kind else { return };
    w.set_place(block.at.place);
    w.object(|w| {
        w.key("role").plain("tool");
        w.key("tool_call_id").text(&result.id);
        write_result_content(result, w.key("content"));
    });
}

fn write_result_content(result: &ToolResult, w: &mut JsonWriter<'_>) {
    if result.parts.len() < 2 {
        return w.text(&result_text(result));
    }
    w.array(|w| {
        for text in result.parts.iter().filter_map(|part: &ResultPart| part_text(part)) {
            w.object(|w| {
                w.key("type").plain("text");
                w.key("text").text(&text);
            });
        }
    });
}

fn write_tool(tool: &Tool, w: &mut JsonWriter<'_>) {
    match &tool.kind {
        ToolKind::Function { name, description, parameters } => w.object(|w| {
            w.key("type").plain("function");
            w.key("function").object(|w| {
                w.key("name").text(name);
                if let Some(description) = description {
                    w.key("description").text(description);
                }
                if let Some(parameters) = parameters {
                    w.key("parameters").raw(parameters);
                }
                write_extras(&tool.extras, w);
            });
        }),
        ToolKind::Custom { name, description, format } => w.object(|w| {
            w.key("type").plain("custom");
            w.key("custom").object(|w| {
                w.key("name").text(name);
                if let Some(description) = description {
                    w.key("description").text(description);
                }
                if let Some(format) = format {
                    write_custom_format(format, w.key("format"));
                }
            });
        }),
        ToolKind::Client(_, own) | ToolKind::Opaque(own) => w.raw(&own.raw),
        ToolKind::WebSearch(..) => {}
    }
}

fn write_search(search: &WebSearch, own: &Opaque, w: &mut JsonWriter<'_>) {
    if own.dialect == NAME {
        return w.raw(&own.raw);
    }
    w.object(|w| {
        search.context.iter().for_each(|size| w.key("search_context_size").text(size));
        if let Some(location) = &search.location {
            w.key("user_location").object(|w| {
                w.key("type").plain("approximate");
                w.key("approximate").raw(location);
            });
        }
    });
}

/// A grammar is in an object of its own here.
fn write_custom_format(format: &RawJson, w: &mut JsonWriter<'_>) {
    let mut tape = Tape::new();
    let json = format.bytes();
    let root = scan(&json, &mut tape).ok().and_then(|()| tape.root(&json));
    match root.filter(|root| root.get(name::r#type).is_some_and(|kind| kind.is("grammar"))) {
        Some(root) => w.object(|w| {
            w.key("type").plain("grammar");
            w.key("grammar").object(|w| {
                for key in ["syntax", "definition"] {
                    if let Some(val) = root.get(key) {
                        w.key(key).bytes(val.raw());
                    }
                }
            });
        }),
        None => w.raw(format),
    }
}

fn write_choice(choice: &ToolChoice, w: &mut JsonWriter<'_>) {
    match choice {
        ToolChoice::Auto => w.plain("auto"),
        ToolChoice::None => w.plain("none"),
        ToolChoice::Required => w.plain("required"),
        ToolChoice::Tool(name) => write_named(name, w),
        ToolChoice::Allowed { names, required } => w.object(|w| {
            w.key("type").plain("allowed_tools");
            w.key("allowed_tools").object(|w| {
                w.key("mode").plain(if *required { "required" } else { "auto" });
                w.key("tools").array(|w| names.iter().for_each(|name| write_named(name, w)));
            });
        }),
    }
}

fn write_named(name: &Text, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("function");
        w.key("function").object(|w| w.key("name").text(name));
    });
}

fn write_format(format: &OutputFormat, w: &mut JsonWriter<'_>) {
    match format {
        OutputFormat::Json => w.key("type").plain("json_object"),
        OutputFormat::Schema { name, description, schema, strict } => {
            w.key("type").plain("json_schema");
            w.key("json_schema").object(|w| {
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
            });
        }
    }
}
