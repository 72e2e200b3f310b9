//! Writes a thread as contents of the Gemini API. Conversion has merged contents of one role, so that the responses to
//! calls directly follow the turn of the calls, and are alone in their content.

use crate::dialect::ItemWriter;
use crate::dialects::common::{result_text, write_extras, write_input_object};
use crate::json::{ScratchBuffers, name, scan};
use crate::message::write::JsonWriter;
use crate::message::{
    Capabilities, Chars, EffortSetting, IdRule, Media, MediaKind, MediaSource, MediaSupport, Message,
    OutputFormat, Part, PartKind, Reasoning, ReasoningProvider, RequestSettings, ResultPart, Role,
    SearchCapabilities, Text, Thread, Tool, ToolChoice, ToolKind, ToolResult,
};

use super::read::RESOLUTIONS;
use super::rows::NAME;

const ALL: MediaSupport = MediaSupport { data: true, url: true, id: true, ..MediaSupport::none(MediaKind::Audio) };
/// https://ai.google.dev/gemini-api/docs/image-understanding, https://ai.google.dev/gemini-api/docs/document-processing
const IMAGES: &[&str] = &["png", "jpeg", "jpg", "webp", "heic", "heif", "gif", "avif"];
const FILES: &[&str] = &[
    "pdf",
    "plain",
    "markdown",
    "md",
    "html",
    "css",
    "csv",
    "xml",
    "rtf",
    "json",
    "javascript",
    "x-javascript",
    "typescript",
    "x-typescript",
    "x-python",
];

pub static CAPABILITIES: Capabilities = Capabilities {
    merged_roles: Some(turn),
    dialect: NAME,
    reasoning_providers: &[ReasoningProvider::Google],
    signatures: true,
    call_ids: IdRule::new(Chars::Any, 64),
    call_ids_by_model: &[],
    unique_calls: false,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 0,
    blank_texts: false,
    refusals: false,
    phases: false,
    custom_calls: false,
    error_marks: true,
    names: false,
    late_instructions: false,
    media: &[
        MediaSupport { kind: MediaKind::Image, subtypes: IMAGES, url_subtypes: IMAGES, ..ALL },
        MediaSupport { kind: MediaKind::File, subtypes: FILES, url_subtypes: FILES, ..ALL },
        MediaSupport { kind: MediaKind::Audio, ..ALL },
        MediaSupport { kind: MediaKind::Video, ..ALL },
    ],
    result_media: &[],
    model_media: true,
    document_text: false,
    result_text: false,
    object_inputs: true,
    max_calls: usize::MAX,
    calls_last: false,
    requires_tools: false,
    user_first: true,
    forbids_tools: true,
    allowed_tools: true,
    json_mode: true,
    describes_schemas: false,
    probability_switch: true,
    effort_can_be_off: false,
    summary_is_switch: true,
    strict_schemas: false,
    web_search: Some(SearchCapabilities {
        allowed: false,
        blocked: true,
        location: false,
        context: false,
        max_uses: false,
    }),
    file_names: false,
    detail: false,
    document_metadata: false,
    max_stop_sequences: 5,
    max_temperature: 2,
    min_output_limit: 1,
    names_model: false,
    requires_limit: false,
    list_key: "contents",
    message_members: &[],
};

pub fn write(conversation: &Thread, w: &mut JsonWriter<'_>) {
    w.object(|w| {
        write_instructions(conversation, w);
        w.key("contents").array(|w| conversation.messages.iter().for_each(|message| write_content(message, w)));
        if !conversation.tools.is_empty() {
            w.key("tools").array(|w| write_tools(conversation, w));
        }
        if let Some(choice) = &conversation.settings.choice {
            w.key("toolConfig")
                .object(|w| w.key("functionCallingConfig").object(|w| write_choice(&choice.value, w)));
        }
        conversation.settings.write_members_of(NAME, "", w);
        write_generation(conversation, w);
    });
}

pub fn write_instructions(conversation: &Thread, w: &mut JsonWriter<'_>) {
    if let Some(first) = conversation.instructions.first() {
        w.set_place(first.at.place);
        w.key("systemInstruction").object(|w| {
            w.key("parts").array(|w| conversation.instructions.iter().for_each(|part| write_part(part, w)));
        });
    }
}

pub fn write_items(message: &Message, each: &mut dyn FnMut(ItemWriter<'_>)) {
    each(&|w| write_content(message, w));
}

fn write_content(message: &Message, w: &mut JsonWriter<'_>) {
    if let Some(item) = message.as_item() {
        return w.raw(item);
    }
    w.set_place(message.at.place);
    w.object(|w| {
        w.key("role").plain(if message.role == Role::Assistant { "model" } else { "user" });
        w.key("parts").array(|w| message.parts.iter().for_each(|part| write_part(part, w)));
    });
}

/// Responses are a turn of their own.
fn turn(role: Role) -> u8 {
    match role {
        Role::Assistant => 0,
        Role::Tool => 1,
        _ => 2,
    }
}

fn write_part(block: &Part, w: &mut JsonWriter<'_>) {
    w.set_place(block.at.place);
    if let PartKind::Opaque(foreign) = &block.kind {
        return w.raw(&foreign.raw);
    }
    w.object(|w| {
        match &block.kind {
            PartKind::Text { text, .. } | PartKind::Refusal(text) => w.key("text").text(text),
            PartKind::Media(media) => write_media(media, w),
            PartKind::Call(call) => w.key("functionCall").object(|w| {
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                write_input_object(&call.input, w.key("args"));
            }),
            PartKind::Result(result) => w.key("functionResponse").object(|w| {
                w.key("id").text(&result.id);
                if let Some(name) = &result.name {
                    w.key("name").text(name);
                }
                write_response(result, w.key("response"));
                let media = || result.parts.iter().filter(|part| matches!(part, ResultPart::Media(..)));
                if media().next().is_some() {
                    w.key("parts").array(|w| {
                        for part in media() {
                            if let ResultPart::Media(media, _) = part {
                                w.object(|w| write_media(media, w));
                            }
                        }
                    });
                }
            }),
            PartKind::Reasoning(reasoning) => write_reasoning(reasoning, w),
            PartKind::Opaque(_) => {}
        }
        if let Some(signature) = &block.signature {
            w.key("thoughtSignature").text(signature);
        }
    });
}

fn write_reasoning(reasoning: &Reasoning, w: &mut JsonWriter<'_>) {
    w.key("text").text(&Text::join(&reasoning.texts, "\\n\\n"));
    w.key("thought").bool(true);
    if let Some(encrypted_content) = &reasoning.encrypted_content {
        w.key("thoughtSignature").text(encrypted_content);
    }
}

fn write_media(media: &Media, w: &mut JsonWriter<'_>) {
    let mime = media.likely_mime();
    match &media.source {
        MediaSource::Data(data) => w.key("inlineData").object(|w| {
            w.key("mimeType").text(&mime);
            w.key("data").text(data);
        }),
        MediaSource::Url(uri) | MediaSource::Id(uri, _) => w.key("fileData").object(|w| {
            w.key("mimeType").text(&mime);
            w.key("fileUri").text(uri);
        }),
        MediaSource::Plain(_) => media.to_text().iter().for_each(|text| w.key("text").text(text)),
    }
    let known = |detail: &Text| RESOLUTIONS.iter().find(|(_, own)| detail.is(own));
    if let Some((level, _)) = media.detail.as_ref().and_then(known) {
        w.key("mediaResolution").object(|w| w.key("level").plain(level));
    }
}

/// Writes a response, which is an object: the tool's output if that is one, else its text under the documented key.
fn write_response(result: &ToolResult, w: &mut JsonWriter<'_>) {
    let text = result_text(result);
    if !result.is_error && may_be_object(&text) {
        let plain = text.plain();
        let mut spare = ScratchBuffers::acquire();
        let object = plain.trim_ascii().first() == Some(&b'{') && scan(&plain, &mut spare.tape).is_ok();
        let root = spare.tape.root(&plain).filter(|root| object && root.is_object());
        // An object that looks like the wrapper is wrapped, so that its meaning stays the same.
        if let Some(root) = root
            && root.get(name::output).is_none()
            && root.get(name::error).is_none()
        {
            return if w.is_tracing() { w.text_as_value(&text) } else { w.bytes(root.raw()) };
        }
    }
    w.object(|w| w.key(if result.is_error { "error" } else { "output" }).text(&text));
}

/// True if a text may be an object: an escape may be a line feed before one.
fn may_be_object(text: &Text) -> bool {
    matches!(text.raw().trim_ascii_start().first(), Some(b'{' | b'\\'))
}

fn write_tools(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let functions = conversation.tools.iter().filter(|tool| matches!(tool.kind, ToolKind::Function { .. }));
    if functions.clone().next().is_some() {
        w.object(|w| {
            w.key("functionDeclarations").array(|w| functions.for_each(|tool| write_declaration(tool, w)));
        });
    }
    for tool in &conversation.tools {
        match &tool.kind {
            ToolKind::WebSearch(search, own) if own.dialect != NAME => w.object(|w| {
                w.key("googleSearch").object(|w| {
                    if !search.blocked.is_empty() {
                        let each =
                            |w: &mut JsonWriter<'_>| search.blocked.iter().for_each(|domain| w.text(domain));
                        w.key("excludeDomains").array(each);
                    }
                });
            }),
            ToolKind::WebSearch(_, own) | ToolKind::Client(_, own) | ToolKind::Opaque(own) => w.raw(&own.raw),
            ToolKind::Function { .. } | ToolKind::Custom { .. } => {}
        }
    }
}

fn write_declaration(tool: &Tool, w: &mut JsonWriter<'_>) {
    let ToolKind::Function { name, description, parameters } = &tool.kind else { return };
    w.object(|w| {
        w.key("name").text(name);
        if let Some(description) = description {
            w.key("description").text(description);
        }
        if let Some(parameters) = parameters {
            w.key("parametersJsonSchema").raw(parameters);
        }
        write_extras(&tool.extras, w);
    });
}

fn write_choice(choice: &ToolChoice, w: &mut JsonWriter<'_>) {
    w.key("mode").plain(match choice {
        ToolChoice::Auto | ToolChoice::Allowed { required: false, .. } => "AUTO",
        ToolChoice::None => "NONE",
        ToolChoice::Required | ToolChoice::Tool(_) | ToolChoice::Allowed { required: true, .. } => "ANY",
    });
    let names: &[Text] = match choice {
        ToolChoice::Tool(name) => std::slice::from_ref(name),
        ToolChoice::Allowed { names, .. } => names,
        ToolChoice::Auto | ToolChoice::None | ToolChoice::Required => &[],
    };
    if !names.is_empty() {
        w.key("allowedFunctionNames").array(|w| names.iter().for_each(|name| w.text(name)));
    }
}

const CONFIG: &str = "generationConfig";

fn write_generation(conversation: &Thread, w: &mut JsonWriter<'_>) {
    let settings = &conversation.settings;
    let thinks = settings.effort.is_some() || settings.summary.is_some();
    if !(settings.has_members_of(NAME, CONFIG) || settings.stop.is_some() || settings.output.is_some() || thinks) {
        return;
    }
    w.key(CONFIG).object(|w| {
        settings.write_members_of(NAME, CONFIG, w);
        if let Some(stop) = &settings.stop {
            w.key("stopSequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        if let Some(output) = &settings.output {
            w.key("responseMimeType").plain("application/json");
            if let OutputFormat::Schema { schema, .. } = &output.value {
                w.key("responseJsonSchema").raw(schema);
            }
        }
        if thinks {
            w.key("thinkingConfig").object(|w| write_thinking(settings, w));
        }
    });
}

fn write_thinking(settings: &RequestSettings, w: &mut JsonWriter<'_>) {
    match settings.effort.as_ref().map(|set| &set.value) {
        Some(EffortSetting::Level(level)) => {
            let level = String::from_utf8_lossy(&level.plain()).to_ascii_uppercase();
            w.key("thinkingLevel").plain(&level);
        }
        Some(EffortSetting::Budget(budget)) => w.key("thinkingBudget").bytes(budget.to_string().as_bytes()),
        Some(EffortSetting::Adaptive) => w.key("thinkingBudget").bytes(b"-1"),
        Some(EffortSetting::Off) => w.key("thinkingBudget").bytes(b"0"),
        None => {}
    }
    if settings.summary.is_some() {
        w.key("includeThoughts").bool(true);
    }
}
