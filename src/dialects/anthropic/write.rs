//! Writes a thread as messages of the Anthropic Messages API. Conversion has put results first and merged adjacent messages
//! of one role, as the API requires; a store is written as it is.

use crate::dialect::ItemWriter;
use crate::dialects::common::{self, cache_ttl, only_text, part_text, write_extras, write_input_object};
use crate::message::write::JsonWriter;
use crate::message::{
    Capabilities, Chars, EffortSetting, IdRule, Media, MediaKind, MediaSource, MediaSupport, Message,
    OutputFormat, Part, PartKind, RawJson, Reasoning, ReasoningProvider, RequestSettings, ResultPart, Role,
    SearchCapabilities, Text, Thread, Tool, ToolChoice, ToolKind, ToolResult, WebSearch,
};

use super::rows::NAME;

const WORD: IdRule = IdRule::new(Chars::Word, 64);

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: Some(|role| u8::from(role == Role::Assistant)),
    dialect: NAME,
    reasoning_providers: &[ReasoningProvider::Anthropic],
    signatures: false,
    call_ids: WORD,
    call_ids_by_model: &[],
    unique_calls: true,
    tool_names: IdRule::new(Chars::Word, 128),
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
            kind: MediaKind::Image,
            data: true,
            url: true,
            id: true,
            plain: false,
            subtypes: &["png", "jpeg", "gif", "webp"],
            url_subtypes: &["png", "jpeg", "gif", "webp"],
        },
        MediaSupport {
            kind: MediaKind::File,
            data: true,
            url: true,
            id: true,
            plain: true,
            subtypes: &["pdf"],
            url_subtypes: &["pdf"],
        },
        MediaSupport { plain: true, ..MediaSupport::none(MediaKind::Search) },
    ],
    result_media: &[MediaKind::Image, MediaKind::File, MediaKind::Search],
    model_media: false,
    document_text: false,
    result_text: false,
    object_inputs: true,
    max_calls: usize::MAX,
    calls_last: true,
    requires_tools: true,
    user_first: false,
    forbids_tools: true,
    allowed_tools: false,
    json_mode: false,
    describes_schemas: false,
    probability_switch: true,
    effort_can_be_off: true,
    summary_is_switch: false,
    strict_schemas: false,
    web_search: Some(SearchCapabilities {
        allowed: true,
        blocked: true,
        location: true,
        context: false,
        max_uses: true,
    }),
    file_names: true,
    detail: false,
    document_metadata: true,
    max_stop_sequences: usize::MAX,
    max_temperature: 1,
    min_output_limit: 1,
    names_model: true,
    requires_limit: true,
    list_key: "messages",
    message_members: &["role", "content"],
};

pub fn write(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let settings = &conversation.settings;
    w.object(|w| {
        if let Some(model) = &conversation.model {
            w.key("model").text(model);
        }
        settings.write_members_of(NAME, "", w);
        write_instructions(conversation, w);
        w.key("messages").array(|w| conversation.messages.iter().for_each(|message| write_message(message, w)));
        if !conversation.tools.is_empty() {
            w.key("tools").array(|w| {
                for tool in &conversation.tools {
                    write_tool(tool, w);
                }
            });
        }
        write_choice(conversation, w);
        if settings.has_members_of(NAME, "metadata") {
            w.key("metadata").object(|w| settings.write_members_of(NAME, "metadata", w));
        }
        if let Some(stop) = &settings.stop {
            w.key("stop_sequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        write_thinking(settings, w);
        write_output(settings, w);
    });
}

fn write_thinking(settings: &RequestSettings, w: &mut JsonWriter<'_>) {
    match settings.effort.as_ref().map(|set| &set.value) {
        Some(EffortSetting::Budget(budget)) => w.key("thinking").object(|w| {
            w.key("type").plain("enabled");
            w.key("budget_tokens").bytes(budget.to_string().as_bytes());
        }),
        Some(EffortSetting::Adaptive) => w.key("thinking").object(|w| w.key("type").plain("adaptive")),
        Some(EffortSetting::Off) => w.key("thinking").object(|w| w.key("type").plain("disabled")),
        Some(EffortSetting::Level(_)) | None => {}
    }
}

fn write_output(settings: &RequestSettings, w: &mut JsonWriter<'_>) {
    let level = match settings.effort.as_ref().map(|set| &set.value) {
        Some(EffortSetting::Level(level)) => Some(level),
        _ => None,
    };
    let schema = match settings.output.as_ref().map(|set| &set.value) {
        Some(OutputFormat::Schema { schema, .. }) => Some(schema),
        _ => None,
    };
    if level.is_none() && schema.is_none() {
        return;
    }
    w.key("output_config").object(|w| {
        if let Some(level) = level {
            w.key("effort").text(level);
        }
        if let Some(schema) = schema {
            w.key("format").object(|w| {
                w.key("type").plain("json_schema");
                w.key("schema").raw(schema);
            });
        }
    });
}

pub fn write_instructions(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let instructions = conversation.instructions.as_slice();
    if let Some(first) = instructions.first() {
        w.set_place(first.at.place);
        write_content(instructions, w.key("system"));
    }
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
    each(&|w| write_message(message, w));
}

fn write_message(message: &Message, w: &mut JsonWriter<'_>) {
    if let Some(item) = message.as_item() {
        return w.raw(item);
    }
    w.set_place(message.at.place);
    w.object(|w| {
        w.key("role").plain(match message.role {
            Role::Assistant => "assistant",
            Role::System | Role::Developer => "system",
            _ => "user",
        });
        write_content(&message.parts, w.key("content"));
    });
}

/// Writes content: a single text as a string.
fn write_content(parts: &[Part], w: &mut JsonWriter<'_>) {
    match parts {
        [only] if only_text(only).is_some() && !w.is_tracing() => {
            only_text(only).into_iter().for_each(|text| w.text(text))
        }
        all => w.array(|w| all.iter().for_each(|part| write_block(part, w))),
    }
}

fn write_block(block: &Part, w: &mut JsonWriter<'_>) {
    w.set_place(block.at.place);
    if let PartKind::Opaque(foreign) = &block.kind {
        return w.raw(&foreign.raw);
    }
    w.object(|w| {
        match &block.kind {
            PartKind::Text { text, citations } => {
                w.key("type").plain("text");
                w.key("text").text(text);
                if let Some(citations) = citations {
                    w.key("citations").raw(&citations.raw);
                }
            }
            PartKind::Refusal(text) => {
                w.key("type").plain("text");
                w.key("text").text(text);
            }
            PartKind::Media(media) => write_media(media, w),
            PartKind::Call(call) => {
                w.key("type").plain("tool_use");
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                write_input_object(&call.input, w.key("input"));
            }
            PartKind::Result(result) => write_result(result, w),
            PartKind::Reasoning(reasoning) => write_reasoning(reasoning, w),
            PartKind::Opaque(_) => {}
        }
        if !matches!(block.kind, PartKind::Reasoning(_)) {
            write_cache(block.cache.as_ref(), w);
        }
    });
}

/// Writes a cache mark. Of one of another dialect only the `ttl` is kept.
fn write_cache(cache: Option<&RawJson>, w: &mut JsonWriter<'_>) {
    let Some(mark) = cache else { return };
    match memchr::memmem::find(&mark.bytes(), b"ephemeral") {
        Some(_) => w.key("cache_control").raw(mark),
        None => w.key("cache_control").object(|w| {
            w.key("type").plain("ephemeral");
            if let Some(ttl) = cache_ttl(mark) {
                w.key("ttl").text(&ttl);
            }
        }),
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    if media.kind == MediaKind::Search {
        return write_found(media, w);
    }
    w.key("type").plain(if media.kind == MediaKind::Image { "image" } else { "document" });
    w.key("source").object(|w| match &media.source {
        MediaSource::Data(data) => {
            w.key("type").plain("base64");
            match &media.mime {
                Some(mime) => w.key("media_type").text(mime),
                None if media.kind == MediaKind::Image => w.key("media_type").plain("image/png"),
                None => w.key("media_type").plain("application/pdf"),
            }
            w.key("data").text(data);
        }
        MediaSource::Url(url) => {
            w.key("type").plain("url");
            w.key("url").text(url);
        }
        MediaSource::Id(id, _) => {
            w.key("type").plain("file");
            w.key("file_id").text(id);
        }
        MediaSource::Plain(texts) => match texts.as_slice() {
            [only] => {
                w.key("type").plain("text");
                w.key("media_type").plain("text/plain");
                w.key("data").text(only);
            }
            all => {
                w.key("type").plain("content");
                w.key("content").array(|w| all.iter().for_each(|text| write_text(text, w)));
            }
        },
    });
    if media.kind == MediaKind::File {
        let facts = [("title", &media.name), ("context", &media.context)];
        for (key, text) in facts {
            text.iter().for_each(|text| w.key(key).text(text));
        }
        media.citations.iter().for_each(|citations| w.key("citations").raw(citations));
    }
}

fn write_found(media: &Media, w: &mut JsonWriter<'_>) {
    w.key("type").plain("search_result");
    let empty = Text::default();
    w.key("source").text(media.link.as_ref().unwrap_or(&empty));
    w.key("title").text(media.name.as_ref().unwrap_or(&empty));
    w.key("content").array(|w| {
        if let MediaSource::Plain(texts) = &media.source {
            texts.iter().for_each(|text| write_text(text, w));
        }
    });
    media.citations.iter().for_each(|citations| w.key("citations").raw(citations));
}

fn write_text(text: &Text, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain("text");
        w.key("text").text(text);
    });
}

fn write_result(result: &ToolResult, w: &mut JsonWriter<'_>) {
    w.key("type").plain("tool_result");
    w.key("tool_use_id").text(&result.id);
    if let [ResultPart::Text(text)] = result.parts.as_slice() {
        w.key("content").text(text);
    } else {
        w.key("content").array(|w| {
            for part in &result.parts {
                match part {
                    ResultPart::Media(media, at) => {
                        w.set_place(at.place);
                        w.object(|w| write_media(media, w));
                    }
                    ResultPart::Opaque(foreign, _) => w.raw(&foreign.raw),
                    part => {
                        let text = part_text(part).into_iter().filter(|text| !text.is_blank());
                        text.for_each(|text| write_text(&text, w));
                    }
                }
            }
        });
    }
    if result.is_error {
        w.key("is_error").bool(true);
    }
}

fn write_reasoning(reasoning: &Reasoning, w: &mut JsonWriter<'_>) {
    if let Some(data) = &reasoning.redacted {
        w.key("type").plain("redacted_thinking");
        w.key("data").text(data);
        return;
    }
    w.key("type").plain("thinking");
    w.key("thinking").text(&Text::join(&reasoning.texts, "\\n\\n"));
    // Without one, it is for servers that sign nothing, and whose clients send an empty text.
    match &reasoning.encrypted_content {
        Some(encrypted_content) => w.key("signature").text(encrypted_content),
        None => w.key("signature").plain(""),
    }
}

fn write_tool(tool: &Tool, w: &mut JsonWriter<'_>) {
    let (name, description, parameters) = match &tool.kind {
        ToolKind::Function { name, description, parameters } => (name, description, parameters),
        ToolKind::WebSearch(search, own) if own.dialect != NAME => return write_search(search, tool, w),
        ToolKind::WebSearch(_, own) | ToolKind::Client(_, own) | ToolKind::Opaque(own) => return w.raw(&own.raw),
        ToolKind::Custom { .. } => return,
    };
    w.object(|w| {
        w.key("name").text(name);
        if let Some(description) = description {
            w.key("description").text(description);
        }
        match parameters {
            Some(parameters) => w.key("input_schema").raw(parameters),
            None => w.key("input_schema").bytes(br#"{"type":"object"}"#),
        }
        write_extras(&tool.extras, w);
        write_cache(tool.cache.as_ref(), w);
    });
}

/// The version that every model with web search supports.
/// https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool
const WEB_SEARCH: &str = "web_search_20250305";

fn write_search(search: &WebSearch, tool: &Tool, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        w.key("type").plain(WEB_SEARCH);
        w.key("name").plain("web_search");
        for (key, domains) in [("allowed_domains", &search.allowed), ("blocked_domains", &search.blocked)] {
            if !domains.is_empty() {
                w.key(key).array(|w| domains.iter().for_each(|domain| w.text(domain)));
            }
        }
        search.max_uses.iter().for_each(|uses| w.key("max_uses").raw(uses));
        if let Some(location) = &search.location {
            w.key("user_location");
            common::write_location(location, w);
        }
        write_cache(tool.cache.as_ref(), w);
    });
}

fn write_choice(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let settings = &conversation.settings;
    let choice = settings.choice.as_ref().map(|set| &set.value);
    let single = settings.parallel.as_ref().is_some_and(|set| !set.value);
    // A choice without tools is invalid.
    if conversation.tools.is_empty() || choice.is_none() && !single {
        return;
    }
    w.key("tool_choice").object(|w| {
        match choice {
            None | Some(ToolChoice::Auto) => w.key("type").plain("auto"),
            Some(ToolChoice::None) => w.key("type").plain("none"),
            Some(ToolChoice::Required | ToolChoice::Allowed { required: true, .. }) => w.key("type").plain("any"),
            Some(ToolChoice::Allowed { .. }) => w.key("type").plain("auto"),
            Some(ToolChoice::Tool(name)) => {
                w.key("type").plain("tool");
                w.key("name").text(name);
            }
        }
        if single && !matches!(choice, Some(ToolChoice::None)) {
            w.key("disable_parallel_tool_use").bool(true);
        }
    });
}
