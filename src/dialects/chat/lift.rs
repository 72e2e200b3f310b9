//! From the messages of Chat Completions to a conversation, with the fields that vendors add: `reasoning_content`
//! (DeepSeek, Moonshot), `reasoning` and `reasoning_details` (OpenRouter), `cache_control`, Mistral's `thinking` and
//! `document_url`, Gemini's `extra_content`.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{citations, copied, foreign, media, other, reasoning, said, set, text, texts};
use crate::dialects::responses::SHARED;
use crate::json::{Member, Val};
use crate::neutral::{
    Block, Call, CallKind, Choice, Conversation, ForeignKind, Input, LossKind, Losses, Maker, Media, MediaKind,
    Message, OutputFormat, Part, Raw, Shared, Source, Text, Tool, ToolKind, ToolResult, Voice, What,
};

use super::rows::NAME;

pub fn lift(body: &Body<'_>, out: &mut Conversation, losses: &mut Losses) {
    match body.shape {
        Shape::Request => {
            for member in body.val.members().filter(|member| !member.val.is_null()) {
                request_member(body, &member, out, losses);
            }
        }
        Shape::List => body.val.elements().for_each(|val| message(body, val, out, losses)),
        Shape::Item => message(body, body.val, out, losses),
    }
}

fn request_member(body: &Body<'_>, member: &Member<'_>, out: &mut Conversation, losses: &mut Losses) {
    let val = member.val;
    let settings = &mut out.settings;
    let yes = |val: Val<'_>| val.as_bool().and_then(|yes| set(yes, body, member));
    match member.key.decode().as_ref() {
        b"model" => out.model = Text::of_val(val),
        b"messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        b"tools" => out.tools.extend(val.elements().map(|val| tool(body, val))),
        b"functions" => out.tools.extend(val.elements().filter_map(|val| function(body, val, val))),
        b"tool_choice" | b"function_call" => match choice(val) {
            Some(choice) => settings.choice = set(choice, body, member),
            None => other(settings, body, member),
        },
        b"parallel_tool_calls" => settings.parallel = yes(val),
        b"store" => settings.store = yes(val),
        b"stream" => settings.stream = yes(val),
        b"temperature" => settings.temperature = copied(body, member),
        b"top_p" => settings.top_p = copied(body, member),
        b"top_k" => settings.top_k = copied(body, member),
        b"max_tokens" | b"max_completion_tokens" => settings.max_tokens = copied(body, member),
        b"stop" => settings.stop = set(texts(val), body, member),
        b"reasoning_effort" => match Text::of_val(val) {
            Some(effort) => settings.effort = set(effort, body, member),
            None => other(settings, body, member),
        },
        b"response_format" => match format(val) {
            Some(format) => settings.output = set(format, body, member),
            None if val.get("type").is_some_and(|kind| kind.is("text")) => {}
            None => other(settings, body, member),
        },
        key => match SHARED.iter().find(|name| name.as_bytes() == key) {
            Some(name) => settings.shared.push(Shared { key: name, value: Raw::of(val), at: body.at_key(member) }),
            None => other(settings, body, member),
        },
    }
}

fn choice(val: Val<'_>) -> Option<Choice> {
    match val.text().as_deref() {
        Some(b"auto") => Some(Choice::Auto),
        Some(b"none") => Some(Choice::None),
        Some(b"required" | b"any") => Some(Choice::Required),
        Some(_) => None,
        None => {
            let named = val.get("function").or_else(|| val.get("custom")).unwrap_or(val);
            text(named, "name").map(Choice::Tool)
        }
    }
}

fn format(val: Val<'_>) -> Option<OutputFormat> {
    match val.get("type")?.text()?.as_ref() {
        b"json_object" => Some(OutputFormat::Json),
        b"json_schema" => {
            let own = val.get("json_schema")?;
            Some(OutputFormat::Schema {
                name: text(own, "name"),
                description: text(own, "description"),
                schema: Raw::of(own.get("schema")?),
                strict: own.get("strict").and_then(|strict| strict.as_bool()),
            })
        }
        _ => None,
    }
}

fn tool(body: &Body<'_>, val: Val<'_>) -> Tool {
    let found = val.get("function").and_then(|own| function(body, own, val)).or_else(|| {
        let own = val.get("custom")?;
        let kind = ToolKind::Custom {
            name: text(own, "name")?,
            description: text(own, "description"),
            format: own.get("format").map(flat_format),
        };
        Some(Tool { at: body.at(val), kind, cache: None })
    });
    found.unwrap_or_else(|| {
        let kind = ToolKind::Foreign(foreign(NAME, ForeignKind::ServerTool, val));
        Tool { at: body.at(val), kind, cache: None }
    })
}

/// A grammar stands in an object of its own here, and beside its type in the Responses API.
fn flat_format(format: Val<'_>) -> Raw {
    let Some(grammar) = format.get("grammar").filter(|grammar| grammar.count() > 0) else {
        return Raw::of(format);
    };
    Raw::new([br#"{"type":"grammar","#, &grammar.raw()[1..]].concat())
}

fn function(body: &Body<'_>, own: Val<'_>, whole: Val<'_>) -> Option<Tool> {
    let kind = ToolKind::Function {
        name: text(own, "name")?,
        description: text(own, "description"),
        parameters: own.get("parameters").filter(|p| p.is_object()).map(Raw::of),
        strict: own.get("strict").and_then(|strict| strict.as_bool()),
    };
    Some(Tool { at: body.at(whole), kind, cache: whole.get("cache_control").map(Raw::of) })
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let voice = match val.get("role").and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Voice::Assistant,
        Some(b"system") => Voice::System,
        Some(b"developer") => Voice::Developer,
        Some(b"tool" | b"function") => {
            let result = result(body, val, out);
            return out.add(Voice::Tool, true, Block::new(What::Result(result), body.at(val)));
        }
        _ => Voice::User,
    };
    let mut message = Message::new(voice, body.at(val));
    message.name = said(val, "name");
    if voice == Voice::Assistant {
        message.blocks.extend(thoughts(body, val));
    }
    match val.get("content") {
        Some(content) if content.is_array() => {
            message.blocks.extend(content.elements().map(|part| content_part(body, part)));
        }
        Some(content) => {
            if let Some(text) = Text::of_val(content) {
                let citations = citations(NAME, val.get("annotations"));
                message.blocks.push(Block::new(What::Text { text, citations }, body.at(content)));
            }
        }
        None => {}
    }
    if let Some(refusal) = said(val, "refusal") {
        message.blocks.push(Block::new(What::Refusal(refusal), body.at(val)));
    }
    if let Some(audio) = val.get("audio").filter(|audio| audio.is_object()) {
        let id = text(audio, "id").map(|id| Media::new(MediaKind::Audio, Source::Id(id, NAME)));
        message.blocks.extend(id.map(|audio_by_id| Block::new(What::Media(audio_by_id), body.at(audio))));
    }
    let before = message.blocks.len();
    let calls = val.get("tool_calls").into_iter().flat_map(|calls| calls.elements());
    message.blocks.extend(calls.map(|own| call(body, own)));
    if let Some(own) = val.get("function_call").filter(|own| own.is_object()) {
        message.blocks.push(Block::new(What::Call(function_call(Text::default(), own)), body.at(own)));
    }
    number(&mut message.blocks[before..], out);
    if val.get("prefix").and_then(|prefix| prefix.as_bool()) == Some(true) {
        losses.add(LossKind::FIELD, body.at(val));
    }
    out.push(message);
}

/// Calls without ids, of the old form and of Ollama, get numbers.
fn number(calls: &mut [Block], out: &Conversation) {
    let mut number = None;
    for block in calls {
        if let What::Call(call) = &mut block.what
            && call.id.is_empty()
        {
            let n = number.unwrap_or_else(|| out.calls());
            (call.id, call.invented) = (Text::new(&format!("call_{n}")), true);
            number = Some(n + 1);
        }
    }
}

/// What the model thought, in whichever field the vendor puts it.
fn thoughts(body: &Body<'_>, val: Val<'_>) -> Vec<Block> {
    let details: Vec<Block> = val
        .get("reasoning_details")
        .into_iter()
        .flat_map(|details| details.elements())
        .filter_map(|detail| Some(Block::new(detail_of(detail)?, body.at(detail))))
        .collect();
    if !details.is_empty() {
        return details;
    }
    let plain = ["reasoning_content", "reasoning"].iter().find_map(|key| said(val, key));
    plain
        .map(|text| Block::new(reasoning(Maker::Plain(NAME), vec![text], None), body.at(val)))
        .into_iter()
        .collect()
}

/// OpenRouter's details name the format that they come in.
fn detail_of(detail: Val<'_>) -> Option<What> {
    let format = text(detail, "format").unwrap_or_default().plain().into_owned();
    let maker = match format.split(|b| *b == b'-').next() {
        Some(b"openai") => Maker::OpenAi,
        Some(b"anthropic") => Maker::Anthropic,
        Some(b"google") => Maker::Google,
        _ => Maker::Plain(NAME),
    };
    let texts = said(detail, "text").or_else(|| said(detail, "summary")).into_iter().collect();
    let seal = said(detail, "signature").or_else(|| said(detail, "data"));
    // MiniMax's details have no type of their own.
    let kind = detail.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    Some(match (kind.as_ref(), maker) {
        // Anthropic's thoughts that are encrypted are redacted ones.
        (b"reasoning.encrypted", Maker::Anthropic) => {
            What::Reasoning(crate::neutral::Reasoning { maker, texts: Vec::new(), seal: None, redacted: seal })
        }
        (_, maker) => reasoning(maker, texts, seal),
    })
}

fn content_part(body: &Body<'_>, val: Val<'_>) -> Block {
    let at = body.at(val);
    let what = match val.get("type").and_then(|kind| kind.text()).as_deref() {
        Some(b"text" | b"input_text" | b"output_text") | None => {
            text(val, "text").map(|text| What::Text { text, citations: citations(NAME, val.get("annotations")) })
        }
        Some(b"refusal") => text(val, "refusal").map(What::Refusal),
        Some(b"thinking") => {
            let parts = val.get("thinking").into_iter().flat_map(|list| list.elements());
            let texts = parts.filter_map(|part| said(part, "text")).collect();
            Some(reasoning(Maker::Plain(NAME), texts, None))
        }
        _ => part_media(val).map(What::Media),
    };
    let what = what.unwrap_or_else(|| What::Foreign(foreign(NAME, ForeignKind::Unknown, val)));
    Block { cache: val.get("cache_control").map(Raw::of), ..Block::new(what, at) }
}

fn part_media(val: Val<'_>) -> Option<Media> {
    match val.get("type")?.text()?.as_ref() {
        b"image_url" => {
            let own = val.get("image_url")?;
            let url = Text::of_val(own).or_else(|| text(own, "url"))?;
            Some(Media { detail: text(own, "detail"), ..Media::of_url(MediaKind::Image, &url) })
        }
        b"input_audio" => {
            let own = val.get("input_audio")?;
            let form = text(own, "format");
            let mime = form.map(|form| Text::of_raw([b"audio/", form.raw()].concat()));
            Some(Media::new(MediaKind::Audio, Source::Data(text(own, "data")?)).mime(mime))
        }
        b"file" => {
            let own = val.get("file")?;
            let found = media(MediaKind::File, said(own, "file_data"), said(own, "file_id"), NAME)?;
            Some(Media { name: text(own, "filename"), ..found })
        }
        b"document_url" => {
            let found = Media::of_url(MediaKind::File, &text(val, "document_url")?);
            Some(Media { name: said(val, "document_name"), ..found })
        }
        b"video_url" => Some(Media::of_url(MediaKind::Video, &text(val.get("video_url")?, "url")?)),
        _ => None,
    }
}

fn call(body: &Body<'_>, val: Val<'_>) -> Block {
    let id = text(val, "id").unwrap_or_default();
    let call = match (val.get("function"), val.get("custom")) {
        (None, Some(own)) => Call {
            id,
            invented: false,
            name: text(own, "name").unwrap_or_default(),
            input: Input::Text(text(own, "input").unwrap_or_default()),
            kind: CallKind::Custom,
        },
        (own, _) => function_call(id, own.unwrap_or(val)),
    };
    let signature = val.at(&["extra_content", "google"]).and_then(|google| said(google, "thought_signature"));
    Block { signature, ..Block::new(What::Call(call), body.at(val)) }
}

fn function_call(id: Text, own: Val<'_>) -> Call {
    let input = match own.get("arguments") {
        // Ollama takes the arguments as a value.
        Some(object) if object.is_object() => Input::Json(Raw::of(object)),
        _ => Input::Text(text(own, "arguments").unwrap_or_default()),
    };
    Call { id, invented: false, name: text(own, "name").unwrap_or_default(), input, kind: CallKind::Function }
}

fn result(body: &Body<'_>, val: Val<'_>, out: &mut Conversation) -> ToolResult {
    let name = said(val, "name").or_else(|| said(val, "tool_name"));
    // Messages of the old form have no id, nor have Ollama's.
    let id = said(val, "tool_call_id").or_else(|| out.open_call(name.as_ref())).unwrap_or_default();
    let part = |part: Val<'_>| match part_media(part) {
        Some(media) => Part::Media(media, body.at(part)),
        None => match text(part, "text") {
            Some(text) => Part::Text(text),
            None => Part::Json(Raw::of(part)),
        },
    };
    let parts = match val.get("content") {
        Some(content) if content.is_array() => content.elements().map(part).collect(),
        Some(content) => Text::of_val(content).map(Part::Text).into_iter().collect(),
        None => Vec::new(),
    };
    ToolResult { id, name, parts, is_error: false, kind: CallKind::Function }
}
