//! From a thread to the Anthropic Messages API, message by message. Conversion has put results first and merged what
//! follows each other of one role, as the API wants it; a store is written as it is.

use crate::dialect::WriteItem;
use crate::dialects::common::{self, cached_for, only_text, part_text, write_extras, write_input_object};
use crate::message::write::Writer;
use crate::message::{
    Capabilities, Chars, Choice, Effort, IdRule, Maker, Media, MediaKind, MediaSupport, Message, OutputFormat,
    Part, PartKind, Raw, Reasoning, ResultPart, Role, SearchCapabilities, Settings, Source, Text, Thread, Tool,
    ToolKind, ToolResult, WebSearch,
};

use super::rows::NAME;

const WORD: IdRule = IdRule::new(Chars::Word, 64);

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: Some(|role| u8::from(role == Role::Assistant)),
    dialect: NAME,
    makers: &[Maker::Anthropic],
    signatures: false,
    call_ids: WORD,
    call_ids_by_model: &[],
    unique_calls: true,
    tool_names: IdRule::new(Chars::Word, 128),
    cache_marks: 4,
    blank_texts: false,
    refusals: false,
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
    calls_last: true,
    wants_tools: true,
    user_first: false,
    forbids_tools: true,
    allowed_tools: false,
    json_mode: false,
    describes_schemas: false,
    probability_switch: true,
    thinks_off: true,
    plain_summaries: false,
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
    document_facts: true,
    stops: usize::MAX,
    hottest: 1,
    least_limit: 1,
    names_model: true,
    wants_limit: true,
    list_key: "messages",
    message_members: &["role", "content"],
};

pub fn write(conversation: &Thread, w: &mut Writer<'_>) {
    let settings = &conversation.settings;
    w.object(|w| {
        if let Some(model) = &conversation.model {
            w.key("model").text(model);
        }
        settings.write_within(NAME, "", w);
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
        if settings.any_within(NAME, "metadata") {
            w.key("metadata").object(|w| settings.write_within(NAME, "metadata", w));
        }
        if let Some(stop) = &settings.stop {
            w.key("stop_sequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        write_thinking(settings, w);
        write_output(settings, w);
    });
}

fn write_thinking(settings: &Settings, w: &mut Writer<'_>) {
    match settings.effort.as_ref().map(|set| &set.value) {
        Some(Effort::Budget(budget)) => w.key("thinking").object(|w| {
            w.key("type").plain("enabled");
            w.key("budget_tokens").bytes(budget.to_string().as_bytes());
        }),
        Some(Effort::Adaptive) => w.key("thinking").object(|w| w.key("type").plain("adaptive")),
        Some(Effort::Off) => w.key("thinking").object(|w| w.key("type").plain("disabled")),
        Some(Effort::Level(_)) | None => {}
    }
}

fn write_output(settings: &Settings, w: &mut Writer<'_>) {
    let level = match settings.effort.as_ref().map(|set| &set.value) {
        Some(Effort::Level(level)) => Some(level),
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

pub fn write_instructions(conversation: &Thread, w: &mut Writer<'_>) {
    let instructions = conversation.instructions.as_slice();
    if let Some(first) = instructions.first() {
        w.here(first.at.place);
        write_content(instructions, w.key("system"));
    }
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(WriteItem<'_>)) {
    each(&|w| write_message(message, w));
}

fn write_message(message: &Message, w: &mut Writer<'_>) {
    if let Some(item) = message.as_item() {
        return w.raw(item);
    }
    w.here(message.at.place);
    w.object(|w| {
        w.key("role").plain(match message.role {
            Role::Assistant => "assistant",
            Role::System | Role::Developer => "system",
            _ => "user",
        });
        write_content(&message.parts, w.key("content"));
    });
}

/// A text alone is a string.
fn write_content(parts: &[Part], w: &mut Writer<'_>) {
    match parts {
        [only] if only_text(only).is_some() && !w.is_tracing() => {
            only_text(only).into_iter().for_each(|text| w.text(text))
        }
        all => w.array(|w| all.iter().for_each(|part| write_block(part, w))),
    }
}

fn write_block(block: &Part, w: &mut Writer<'_>) {
    w.here(block.at.place);
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

/// A mark of another dialect says only that there is one.
fn write_cache(cache: Option<&Raw>, w: &mut Writer<'_>) {
    let Some(mark) = cache else { return };
    match memchr::memmem::find(&mark.bytes(), b"ephemeral") {
        Some(_) => w.key("cache_control").raw(mark),
        None => w.key("cache_control").object(|w| {
            w.key("type").plain("ephemeral");
            if let Some(ttl) = cached_for(mark) {
                w.key("ttl").text(&ttl);
            }
        }),
    }
}

fn write_media(media: &Media, w: &mut Writer<'_>) {
    if media.kind == MediaKind::Search {
        return write_found(media, w);
    }
    w.key("type").plain(if media.kind == MediaKind::Image { "image" } else { "document" });
    w.key("source").object(|w| match &media.source {
        Source::Data(data) => {
            w.key("type").plain("base64");
            match &media.mime {
                Some(mime) => w.key("media_type").text(mime),
                None if media.kind == MediaKind::Image => w.key("media_type").plain("image/png"),
                None => w.key("media_type").plain("application/pdf"),
            }
            w.key("data").text(data);
        }
        Source::Url(url) => {
            w.key("type").plain("url");
            w.key("url").text(url);
        }
        Source::Id(id, _) => {
            w.key("type").plain("file");
            w.key("file_id").text(id);
        }
        Source::Plain(texts) => match texts.as_slice() {
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
        media.cited.iter().for_each(|cited| w.key("citations").raw(cited));
    }
}

fn write_found(media: &Media, w: &mut Writer<'_>) {
    w.key("type").plain("search_result");
    let empty = Text::default();
    w.key("source").text(media.link.as_ref().unwrap_or(&empty));
    w.key("title").text(media.name.as_ref().unwrap_or(&empty));
    w.key("content").array(|w| {
        if let Source::Plain(texts) = &media.source {
            texts.iter().for_each(|text| write_text(text, w));
        }
    });
    media.cited.iter().for_each(|cited| w.key("citations").raw(cited));
}

fn write_text(text: &Text, w: &mut Writer<'_>) {
    w.object(|w| {
        w.key("type").plain("text");
        w.key("text").text(text);
    });
}

fn write_result(result: &ToolResult, w: &mut Writer<'_>) {
    w.key("type").plain("tool_result");
    w.key("tool_use_id").text(&result.id);
    if let [ResultPart::Text(text)] = result.parts.as_slice() {
        w.key("content").text(text);
    } else {
        w.key("content").array(|w| {
            for part in &result.parts {
                match part {
                    ResultPart::Media(media, at) => {
                        w.here(at.place);
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

fn write_reasoning(reasoning: &Reasoning, w: &mut Writer<'_>) {
    if let Some(data) = &reasoning.redacted {
        w.key("type").plain("redacted_thinking");
        w.key("data").text(data);
        return;
    }
    w.key("type").plain("thinking");
    w.key("thinking").text(&Text::join(&reasoning.texts, "\\n\\n"));
    if let Some(seal) = &reasoning.seal {
        w.key("signature").text(seal);
    }
}

fn write_tool(tool: &Tool, w: &mut Writer<'_>) {
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

/// The version that every model with a search knows.
/// https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool
const WEB_SEARCH: &str = "web_search_20250305";

fn write_search(search: &WebSearch, tool: &Tool, w: &mut Writer<'_>) {
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

fn write_choice(conversation: &Thread, w: &mut Writer<'_>) {
    let settings = &conversation.settings;
    let choice = settings.choice.as_ref().map(|set| &set.value);
    let single = settings.parallel.as_ref().is_some_and(|set| !set.value);
    // Which tool is no question where there are none.
    if conversation.tools.is_empty() || choice.is_none() && !single {
        return;
    }
    w.key("tool_choice").object(|w| {
        match choice {
            None | Some(Choice::Auto) => w.key("type").plain("auto"),
            Some(Choice::None) => w.key("type").plain("none"),
            Some(Choice::Required | Choice::Allowed { required: true, .. }) => w.key("type").plain("any"),
            Some(Choice::Allowed { .. }) => w.key("type").plain("auto"),
            Some(Choice::Tool(name)) => {
                w.key("type").plain("tool");
                w.key("name").text(name);
            }
        }
        if single && !matches!(choice, Some(Choice::None)) {
            w.key("disable_parallel_tool_use").bool(true);
        }
    });
}
