//! From a conversation to the Gemini API. Contents of one role are merged, so that the turn of the responses stands
//! directly behind the turn of their calls, and holds nothing else.

use crate::dialect::Written;
use crate::dialects::common::{result_text, write_input_object};
use crate::json::{Tape, scan};
use crate::neutral::write::Writer;
use crate::neutral::{
    Block, Chars, Choice, Conversation, IdRule, Maker, Media, MediaKind, OutputFormat, Reasoning, Source,
    Takeable, Takes, Text, ToolKind, ToolResult, Voice, What,
};

use super::rows::NAME;

const ALL: Takeable =
    Takeable { kind: MediaKind::Image, data: true, url: true, id: true, plain: false, subtypes: &[] };

pub static TAKES: Takes = Takes {
    dialect: NAME,
    makers: &[Maker::Google],
    signatures: true,
    call_ids: IdRule::new(Chars::Any, 64),
    call_ids_by_model: &[],
    unique_calls: false,
    tool_names: IdRule::new(Chars::Word, 64),
    cache_marks: 0,
    blank_texts: false,
    refusals: false,
    custom_calls: false,
    error_marks: true,
    names: false,
    late_instructions: false,
    media: &[
        ALL,
        Takeable { kind: MediaKind::File, ..ALL },
        Takeable { kind: MediaKind::Audio, ..ALL },
        Takeable { kind: MediaKind::Video, ..ALL },
    ],
    result_media: &[],
    model_media: true,
    document_text: false,
    result_text: false,
    object_inputs: true,
    calls_last: false,
    wants_tools: false,
    user_first: true,
    settings: &["max_tokens", "temperature", "top_p", "top_k", "stop", "choice", "choice_none", "output"],
    wants_limit: false,
    list_key: "contents",
    message_members: &[],
};

pub fn lower(conversation: &Conversation, _: Written, out: &mut Vec<u8>) {
    Writer::new(out).object(|w| {
        if !conversation.instructions.is_empty() {
            w.key("systemInstruction").object(|w| {
                w.key("parts").array(|w| conversation.instructions.iter().for_each(|block| write_part(block, w)));
            });
        }
        w.key("contents").array(|w| {
            for run in conversation.messages.chunk_by(|a, b| turn(a.voice) == turn(b.voice)) {
                let blocks: Vec<&Block> = run.iter().flat_map(|message| &message.blocks).collect();
                w.object(|w| {
                    w.key("role").plain(if run[0].voice == Voice::Assistant { "model" } else { "user" });
                    w.key("parts").array(|w| blocks.iter().for_each(|block| write_part(block, w)));
                });
            }
        });
        if !conversation.tools.is_empty() {
            w.key("tools").array(|w| write_tools(conversation, w));
        }
        if let Some(choice) = &conversation.settings.choice {
            w.key("toolConfig")
                .object(|w| w.key("functionCallingConfig").object(|w| write_choice(&choice.value, w)));
        }
        write_generation(conversation, w);
    });
}

/// Responses are a turn of their own.
fn turn(voice: Voice) -> u8 {
    match voice {
        Voice::Assistant => 0,
        Voice::Tool => 1,
        _ => 2,
    }
}

fn write_part(block: &Block, w: &mut Writer<'_>) {
    if let What::Foreign(foreign) = &block.what {
        return w.raw(&foreign.raw);
    }
    w.object(|w| {
        match &block.what {
            What::Text { text, .. } | What::Refusal(text) => w.key("text").text(text),
            What::Media(media) => write_media(media, w),
            What::Call(call) => w.key("functionCall").object(|w| {
                w.key("id").text(&call.id);
                w.key("name").text(&call.name);
                write_input_object(&call.input, w.key("args"));
            }),
            What::Result(result) => w.key("functionResponse").object(|w| {
                w.key("id").text(&result.id);
                if let Some(name) = &result.name {
                    w.key("name").text(name);
                }
                write_response(result, w.key("response"));
            }),
            What::Reasoning(reasoning) => write_reasoning(reasoning, w),
            What::Foreign(_) => {}
        }
        if let Some(signature) = &block.signature {
            w.key("thoughtSignature").text(signature);
        }
    });
}

fn write_reasoning(reasoning: &Reasoning, w: &mut Writer<'_>) {
    let texts: Vec<&[u8]> = reasoning.texts.iter().map(|text| text.raw()).collect();
    w.key("text").texts(&[&texts.join(&b"\\n\\n"[..])]);
    w.key("thought").bool(true);
    if let Some(seal) = &reasoning.seal {
        w.key("thoughtSignature").text(seal);
    }
}

fn write_media(media: &Media, w: &mut Writer<'_>) {
    let mime = media.mime.clone().unwrap_or_else(|| Text::new(guess(media)));
    match &media.source {
        Source::Data(data) => w.key("inlineData").object(|w| {
            w.key("mimeType").text(&mime);
            w.key("data").text(data);
        }),
        Source::Url(uri) | Source::Id(uri, _) | Source::Plain(uri) => w.key("fileData").object(|w| {
            w.key("mimeType").text(&mime);
            w.key("fileUri").text(uri);
        }),
    }
}

/// The type that the end of a URL or of a name tells.
fn guess(media: &Media) -> &'static str {
    let of = |text: &Text| {
        let plain = String::from_utf8_lossy(&text.plain()).to_ascii_lowercase();
        let path = plain.split(['?', '#']).next().unwrap_or_default().to_owned();
        path.rsplit_once('.').map(|(_, ending)| ending.to_owned())
    };
    let ending = match &media.source {
        Source::Url(url) => of(url),
        _ => None,
    };
    let ending = ending.or_else(|| media.name.as_ref().and_then(of));
    match (ending.as_deref(), media.kind) {
        (Some("jpg" | "jpeg"), _) => "image/jpeg",
        (Some("webp"), _) => "image/webp",
        (Some("gif"), _) => "image/gif",
        (Some("txt" | "md"), _) => "text/plain",
        (Some("csv"), _) => "text/csv",
        (Some("mp3"), _) => "audio/mp3",
        (_, MediaKind::Image) => "image/png",
        (_, MediaKind::Audio) => "audio/wav",
        (_, MediaKind::Video) => "video/mp4",
        (_, MediaKind::File) => "application/pdf",
    }
}

/// A response is an object: what the tool gave if that is one, else its text under the key that the API documents.
fn write_response(result: &ToolResult, w: &mut Writer<'_>) {
    let text = result_text(result);
    if !result.is_error {
        let plain = text.plain();
        let mut tape = Tape::new();
        let object = plain.trim_ascii().first() == Some(&b'{') && scan(&plain, &mut tape).is_ok();
        let root = tape.root(&plain).filter(|root| object && root.is_object());
        // An object that reads like the wrapping is wrapped, so that it stays what it is.
        if let Some(root) = root
            && root.get("output").is_none()
            && root.get("error").is_none()
        {
            return w.bytes(root.raw());
        }
    }
    w.object(|w| w.key(if result.is_error { "error" } else { "output" }).text(&text));
}

fn write_tools(conversation: &Conversation, w: &mut Writer<'_>) {
    let functions = conversation.tools.iter().filter(|tool| matches!(tool.kind, ToolKind::Function { .. }));
    if functions.clone().next().is_some() {
        w.object(|w| {
            w.key("functionDeclarations").array(|w| {
                for tool in functions {
                    let ToolKind::Function { name, description, parameters, .. } = &tool.kind else { continue };
                    w.object(|w| {
                        w.key("name").text(name);
                        if let Some(description) = description {
                            w.key("description").text(description);
                        }
                        if let Some(parameters) = parameters {
                            w.key("parametersJsonSchema").raw(parameters);
                        }
                    });
                }
            });
        });
    }
    for tool in &conversation.tools {
        if let ToolKind::Foreign(foreign) = &tool.kind {
            w.raw(&foreign.raw);
        }
    }
}

fn write_choice(choice: &Choice, w: &mut Writer<'_>) {
    w.key("mode").plain(match choice {
        Choice::Auto => "AUTO",
        Choice::None => "NONE",
        Choice::Required | Choice::Tool(_) => "ANY",
    });
    if let Choice::Tool(name) = choice {
        w.key("allowedFunctionNames").array(|w| w.text(name));
    }
}

fn write_generation(conversation: &Conversation, w: &mut Writer<'_>) {
    let settings = &conversation.settings;
    let numbers = [
        ("maxOutputTokens", &settings.max_tokens),
        ("temperature", &settings.temperature),
        ("topP", &settings.top_p),
        ("topK", &settings.top_k),
    ];
    if numbers.iter().all(|(_, value)| value.is_none()) && settings.stop.is_none() && settings.output.is_none() {
        return;
    }
    w.key("generationConfig").object(|w| {
        for (key, value) in numbers {
            if let Some(set) = value {
                w.key(key).raw(&set.value);
            }
        }
        if let Some(stop) = &settings.stop {
            w.key("stopSequences").array(|w| stop.value.iter().for_each(|text| w.text(text)));
        }
        if let Some(output) = &settings.output {
            w.key("responseMimeType").plain("application/json");
            if let OutputFormat::Schema { schema, .. } = &output.value {
                w.key("responseJsonSchema").raw(schema);
            }
        }
    });
}
