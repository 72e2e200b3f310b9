//! From the messages of Bedrock's Converse API to a conversation. Blocks are named by their only key.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{copied, foreign, other, reasoning, set, text, texts};
use crate::json::{Member, Val};
use crate::neutral::{
    Block, Call, CallKind, Choice, Conversation, ForeignKind, Input, LossKind, Losses, Maker, Media, MediaKind,
    Part, Raw, Reasoning, Source, Text, Tool, ToolKind, ToolResult, Voice, What,
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
    match member.key.decode().as_ref() {
        b"modelId" | b"model" => out.model = Text::of_val(val),
        b"system" => {
            for part in val.elements() {
                match part.get("cachePoint") {
                    Some(mark) => mark_last(&mut out.instructions, mark),
                    None => out.instructions.push(block(body, part, losses)),
                }
            }
        }
        b"messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        b"inferenceConfig" => {
            for member in val.members().filter(|member| !member.val.is_null()) {
                let settings = &mut out.settings;
                match member.key.decode().as_ref() {
                    b"maxTokens" => settings.max_tokens = copied(body, &member),
                    b"temperature" => settings.temperature = copied(body, &member),
                    b"topP" => settings.top_p = copied(body, &member),
                    b"stopSequences" => settings.stop = set(texts(member.val), body, &member),
                    _ => other(settings, body, &member),
                }
            }
        }
        b"toolConfig" => {
            for part in val.get("tools").into_iter().flat_map(|tools| tools.elements()) {
                match (part.get("cachePoint"), out.tools.last_mut()) {
                    (Some(mark), Some(last)) => last.cache = Some(Raw::of(mark)),
                    (Some(_), None) => {}
                    (None, _) => out.tools.push(tool(body, part)),
                }
            }
            if let Some(member) = val.member("toolChoice") {
                match choice(member.val) {
                    Some(choice) => out.settings.choice = set(choice, body, &member),
                    None => other(&mut out.settings, body, &member),
                }
            }
        }
        // An empty object asks for nothing.
        _ if val.is_object() && val.count() == 0 => {}
        _ => other(&mut out.settings, body, member),
    }
}

fn mark_last(blocks: &mut [Block], mark: Val<'_>) {
    if let Some(last) = blocks.last_mut() {
        last.cache = Some(Raw::of(mark));
    }
}

fn choice(val: Val<'_>) -> Option<Choice> {
    let only = val.members().next()?;
    match only.key.decode().as_ref() {
        b"auto" => Some(Choice::Auto),
        b"any" => Some(Choice::Required),
        b"tool" => text(only.val, "name").map(Choice::Tool),
        _ => None,
    }
}

fn tool(body: &Body<'_>, val: Val<'_>) -> Tool {
    let kind = val.get("toolSpec").and_then(|own| {
        Some(ToolKind::Function {
            name: text(own, "name")?,
            description: text(own, "description"),
            parameters: own.at(&["inputSchema", "json"]).map(Raw::of),
            strict: own.get("strict").and_then(|strict| strict.as_bool()),
        })
    });
    let kind = kind.unwrap_or_else(|| ToolKind::Foreign(foreign(NAME, ForeignKind::ServerTool, val)));
    Tool { at: body.at(val), kind, cache: None }
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let model = val.get("role").is_some_and(|role| role.is("assistant"));
    let mut begun = false;
    for part in val.get("content").into_iter().flat_map(|content| content.elements()) {
        if let Some(mark) = part.get("cachePoint") {
            if let Some(last) = out.messages.last_mut() {
                mark_last(&mut last.blocks, mark);
            }
            continue;
        }
        let block = block(body, part, losses);
        let voice = match block.what {
            _ if model => Voice::Assistant,
            What::Result(_) => Voice::Tool,
            _ => Voice::User,
        };
        let joins = voice == Voice::Tool || begun && out.messages.last().is_some_and(|last| last.voice == voice);
        // What a server's tool gave stands in the turn of the model, and is answered there.
        let block = match block.what {
            What::Result(_) if model => {
                Block::new(What::Foreign(foreign(NAME, ForeignKind::ServerTool, part)), block.at)
            }
            _ => block,
        };
        out.add(voice, joins, block);
        begun = true;
    }
}

fn block(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Block {
    let at = body.at(val);
    let unknown = || What::Foreign(foreign(NAME, ForeignKind::Unknown, val));
    let Some(only) = val.members().next() else { return Block::new(unknown(), at) };
    let own = only.val;
    let what = match only.key.decode().as_ref() {
        b"text" => Text::of_val(own).map(|text| What::Text { text, citations: None }),
        b"toolUse" if own.get("type").is_some_and(|kind| kind.is("server_tool_use")) => {
            Some(What::Foreign(foreign(NAME, ForeignKind::ServerTool, val)))
        }
        b"toolUse" => call(own).map(What::Call),
        b"toolResult" => result(body, own).map(What::Result),
        b"reasoningContent" => thoughts(own),
        b"guardContent" => {
            // What a guardrail is to look at is not said elsewhere.
            if own.at(&["text", "qualifiers"]).is_some() {
                losses.add(LossKind::FIELD, at);
            }
            own.at(&["text", "text"]).and_then(Text::of_val).map(|text| What::Text { text, citations: None })
        }
        b"citationsContent" => {
            let parts = own.get("content").into_iter().flat_map(|list| list.elements());
            let texts: Vec<Text> = parts.filter_map(|part| text(part, "text")).collect();
            let citations = crate::dialects::common::citations(NAME, own.get("citations"));
            Some(What::Text { text: Text::join(&texts, ""), citations })
        }
        _ => media(val).map(What::Media),
    };
    Block::new(what.unwrap_or_else(unknown), at)
}

fn thoughts(own: Val<'_>) -> Option<What> {
    if let Some(redacted) = text(own, "redactedContent") {
        let made = Reasoning { maker: Maker::Anthropic, texts: Vec::new(), seal: None, redacted: Some(redacted) };
        return Some(What::Reasoning(made));
    }
    let told = own.get("reasoningText")?;
    let seal = text(told, "signature").filter(|seal| !seal.is_empty());
    // Only Claude signs; the others take their thoughts back as text.
    let maker = if seal.is_some() { Maker::Anthropic } else { Maker::Plain(NAME) };
    Some(reasoning(maker, text(told, "text").into_iter().collect(), seal))
}

fn call(own: Val<'_>) -> Option<Call> {
    Some(Call {
        id: text(own, "toolUseId")?,
        invented: false,
        name: text(own, "name").unwrap_or_default(),
        input: own.get("input").map_or_else(|| Input::Json(Raw::new(*b"{}")), |input| Input::Json(Raw::of(input))),
        kind: CallKind::Function,
    })
}

fn result(body: &Body<'_>, own: Val<'_>) -> Option<ToolResult> {
    let part = |part: Val<'_>| match (text(part, "text"), part.get("json")) {
        (Some(text), _) => Part::Text(text),
        (None, Some(json)) => Part::Json(Raw::of(json)),
        (None, None) => match media(part) {
            Some(media) => Part::Media(media, body.at(part)),
            None => Part::Json(Raw::of(part)),
        },
    };
    let content = own.get("content").into_iter().flat_map(|content| content.elements());
    Some(ToolResult {
        id: text(own, "toolUseId")?,
        name: None,
        parts: content.map(part).collect(),
        is_error: own.get("status").is_some_and(|status| status.is("error")),
        kind: CallKind::Function,
    })
}

fn media(val: Val<'_>) -> Option<Media> {
    let only = val.members().next()?;
    let (kind, own) = (only.key.decode(), only.val);
    let (kind, family) = match kind.as_ref() {
        b"image" => (MediaKind::Image, "image/"),
        b"video" => (MediaKind::Video, "video/"),
        b"audio" => (MediaKind::Audio, "audio/"),
        b"document" => (MediaKind::File, ""),
        _ => return None,
    };
    let source = own.get("source")?;
    let found = match (text(source, "bytes"), text(source, "text"), source.get("s3Location")) {
        (Some(bytes), ..) => Source::Data(bytes),
        (_, Some(plain), _) => Source::Plain(plain),
        (_, _, Some(lies)) => Source::Id(text(lies, "uri")?, NAME),
        _ => return None,
    };
    let format = text(own, "format").unwrap_or_default();
    let format = String::from_utf8_lossy(&format.plain()).into_owned();
    let mime = FORMATS.iter().find(|(name, _)| *name == format).map(|(_, mime)| (*mime).to_owned());
    let mime = mime.or_else(|| (!family.is_empty() && !format.is_empty()).then(|| format!("{family}{format}")));
    let media = Media { name: text(own, "name"), ..Media::new(kind, found) };
    Some(media.mime(mime.map(|mime| Text::new(&mime))))
}

/// Bedrock's formats of documents, and their media types.
pub const FORMATS: [(&str, &str); 9] = [
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];
