//! From a conversation to the Anthropic Messages API. Messages of one role are merged; results stand at the front of
//! the user message behind their calls, as the API wants them.

use crate::dialect::Written;
use crate::dialects::common::{only_text, part_text, write_input_object};
use crate::neutral::write::Writer;
use crate::neutral::{
    Block, Chars, Choice, Conversation, IdRule, Maker, Media, MediaKind, Part, Raw, Reasoning, Source, Takeable,
    Takes, ToolKind, ToolResult, Voice, What,
};

use super::rows::NAME;

const WORD: IdRule = IdRule::new(Chars::Word, 64);

pub static TAKES: Takes = Takes {
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
        Takeable {
            kind: MediaKind::Image,
            data: true,
            url: true,
            id: true,
            plain: false,
            subtypes: &["png", "jpeg", "gif", "webp"],
        },
        Takeable { kind: MediaKind::File, data: true, url: true, id: true, plain: true, subtypes: &["pdf"] },
    ],
    result_media: &[MediaKind::Image, MediaKind::File],
    model_media: false,
    document_text: false,
    result_text: false,
    object_inputs: true,
    calls_last: true,
    wants_tools: true,
    user_first: false,
    settings: &[
        "max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "stop",
        "choice",
        "choice_none",
        "parallel",
        "stream",
    ],
    wants_limit: true,
    list_key: "messages",
    message_members: &["role", "content"],
};

/// The API wants a limit; this one is taken by every model.
const MAX_TOKENS: &str = "4096";

pub fn lower(conversation: &Conversation, _: Written, out: &mut Vec<u8>) {
    let settings = &conversation.settings;
    Writer::new(out).object(|w| {
        if let Some(model) = &conversation.model {
            w.key("model").text(model);
        }
        match &settings.max_tokens {
            Some(set) => w.key("max_tokens").raw(&set.value),
            None => w.key("max_tokens").bytes(MAX_TOKENS.as_bytes()),
        }
        match conversation.instructions.as_slice() {
            [] => {}
            [only] if only_text(only).is_some() => {
                w.key("system");
                only_text(only).into_iter().for_each(|text| w.text(text));
            }
            all => w.key("system").array(|w| all.iter().for_each(|block| write_block(block, w))),
        }
        w.key("messages").array(|w| {
            for run in conversation.messages.chunk_by(|a, b| is_model(a.voice) == is_model(b.voice)) {
                let blocks: Vec<&Block> = run.iter().flat_map(|message| &message.blocks).collect();
                write_message(if is_model(run[0].voice) { "assistant" } else { "user" }, &blocks, w);
            }
        });
        if !conversation.tools.is_empty() {
            w.key("tools").array(|w| {
                for tool in &conversation.tools {
                    write_tool(&tool.kind, tool.cache.as_ref(), w);
                }
            });
        }
        write_choice(conversation, w);
        let numbers =
            [("temperature", &settings.temperature), ("top_p", &settings.top_p), ("top_k", &settings.top_k)];
        for (key, value) in numbers {
            if let Some(set) = value {
                w.key(key).raw(&set.value);
            }
        }
        if let Some(stop) = &settings.stop {
            w.key("stop_sequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        if let Some(stream) = &settings.stream {
            w.key("stream").bool(stream.value);
        }
    });
}

fn is_model(voice: Voice) -> bool {
    voice == Voice::Assistant
}

fn write_message(role: &str, blocks: &[&Block], w: &mut Writer<'_>) {
    w.object(|w| {
        w.key("role").plain(role);
        match blocks {
            [only] if only_text(only).is_some() => {
                w.key("content");
                only_text(only).into_iter().for_each(|text| w.text(text));
            }
            all => w.key("content").array(|w| all.iter().for_each(|block| write_block(block, w))),
        }
    });
}

fn write_block(block: &Block, w: &mut Writer<'_>) {
    if let What::Foreign(foreign) = &block.what {
        return w.raw(&foreign.raw);
    }
    w.object(|w| {
        match &block.what {
            What::Text { text, citations } => {
                w.key("type").plain("text");
                w.key("text").text(text);
                if let Some(citations) = citations {
                    w.key("citations").raw(&citations.raw);
                }
            }
            What::Refusal(text) => {
                w.key("type").plain("text");
                w.key("text").text(text);
            }
            What::Media(media) => write_media(media, w),
            What::Call(call) => {
                w.key("type").plain("tool_use");
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                write_input_object(&call.input, w.key("input"));
            }
            What::Result(result) => write_result(result, w),
            What::Reasoning(reasoning) => write_reasoning(reasoning, w),
            What::Foreign(_) => {}
        }
        if !matches!(block.what, What::Reasoning(_)) {
            write_cache(block.cache.as_ref(), w);
        }
    });
}

/// A mark of another dialect says only that there is one.
fn write_cache(cache: Option<&Raw>, w: &mut Writer<'_>) {
    let Some(mark) = cache else { return };
    match memchr::memmem::find(mark.bytes(), b"ephemeral") {
        Some(_) => w.key("cache_control").raw(mark),
        None => w.key("cache_control").bytes(br#"{"type":"ephemeral"}"#),
    }
}

fn write_media(media: &Media, w: &mut Writer<'_>) {
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
        Source::Plain(text) => {
            w.key("type").plain("text");
            w.key("media_type").plain("text/plain");
            w.key("data").text(text);
        }
    });
    if let (Some(name), MediaKind::File) = (&media.name, media.kind) {
        w.key("title").text(name);
    }
}

fn write_result(result: &ToolResult, w: &mut Writer<'_>) {
    w.key("type").plain("tool_result");
    w.key("tool_use_id").text(&result.id);
    if let [Part::Text(text)] = result.parts.as_slice() {
        w.key("content").text(text);
    } else {
        w.key("content").array(|w| {
            for part in &result.parts {
                match part {
                    Part::Media(media, _) => w.object(|w| write_media(media, w)),
                    Part::Foreign(foreign, _) => w.raw(&foreign.raw),
                    part => {
                        for text in part_text(part).into_iter().filter(|text| !text.is_blank()) {
                            w.object(|w| {
                                w.key("type").plain("text");
                                w.key("text").text(&text);
                            });
                        }
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
    let texts: Vec<&[u8]> = reasoning.texts.iter().map(|text| text.raw()).collect();
    w.key("thinking").texts(&[&texts.join(&b"\\n\\n"[..])]);
    if let Some(seal) = &reasoning.seal {
        w.key("signature").text(seal);
    }
}

fn write_tool(kind: &ToolKind, cache: Option<&Raw>, w: &mut Writer<'_>) {
    if let ToolKind::Foreign(foreign) = kind {
        return w.raw(&foreign.raw);
    }
    w.object(|w| {
        if let ToolKind::Function { name, description, parameters, .. } = kind {
            w.key("name").text(name);
            if let Some(description) = description {
                w.key("description").text(description);
            }
            match parameters {
                Some(parameters) => w.key("input_schema").raw(parameters),
                None => w.key("input_schema").bytes(br#"{"type":"object"}"#),
            }
        }
        write_cache(cache, w);
    });
}

fn write_choice(conversation: &Conversation, w: &mut Writer<'_>) {
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
            Some(Choice::Required) => w.key("type").plain("any"),
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
