//! From the messages of the Anthropic Messages API to a conversation. Results of tools, which stand in user messages
//! there, become a voice of their own.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{citations, copied, foreign, other, reasoning, said, set, text, texts};
use crate::json::{Member, Val};
use crate::neutral::{
    Block, Call, CallKind, Choice, Conversation, Foreign, ForeignKind, Input, LossKind, Losses, Maker, Media,
    MediaKind, OutputFormat, Part, Raw, Reasoning, Source, Text, Tool, ToolKind, ToolResult, Voice, What,
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
    match member.key.decode().as_ref() {
        b"model" => out.model = Text::of_val(val),
        b"system" => match Text::of_val(val) {
            Some(text) => out.instructions.push(Block::text(text, body.at(val))),
            None => out.instructions.extend(val.elements().map(|part| block(body, part, losses))),
        },
        b"messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        b"tools" => out.tools.extend(val.elements().map(|val| tool(body, val))),
        b"tool_choice" => {
            if let Some(single) = val.get("disable_parallel_tool_use").and_then(|single| single.as_bool()) {
                settings.parallel = set(!single, body, member);
            }
            match choice(val) {
                Some(choice) => settings.choice = set(choice, body, member),
                None => other(settings, body, member),
            }
        }
        b"max_tokens" => settings.max_tokens = copied(body, member),
        b"temperature" => settings.temperature = copied(body, member),
        b"top_p" => settings.top_p = copied(body, member),
        b"top_k" => settings.top_k = copied(body, member),
        b"stop_sequences" => settings.stop = set(texts(val), body, member),
        b"stream" => settings.stream = val.as_bool().and_then(|yes| set(yes, body, member)),
        b"output_config" => {
            let schema = val.at(&["format", "schema"]).map(Raw::of);
            if let Some(effort) = text(val, "effort") {
                settings.effort = set(effort, body, member);
            }
            if let Some(schema) = schema {
                let format = OutputFormat::Schema { name: None, description: None, schema, strict: None };
                settings.output = set(format, body, member);
            }
        }
        _ => other(settings, body, member),
    }
}

fn choice(val: Val<'_>) -> Option<Choice> {
    match val.get("type")?.text()?.as_ref() {
        b"auto" => Some(Choice::Auto),
        b"none" => Some(Choice::None),
        b"any" => Some(Choice::Required),
        b"tool" => text(val, "name").map(Choice::Tool),
        _ => None,
    }
}

fn tool(body: &Body<'_>, val: Val<'_>) -> Tool {
    let own = val.get("type").is_none_or(|kind| kind.is("custom"));
    let kind = text(val, "name").filter(|_| own).map(|name| ToolKind::Function {
        name,
        description: text(val, "description"),
        parameters: val.get("input_schema").filter(|schema| schema.is_object()).map(Raw::of),
        strict: val.get("strict").and_then(|strict| strict.as_bool()),
    });
    let kind = kind.unwrap_or_else(|| ToolKind::Foreign(foreign(NAME, ForeignKind::ServerTool, val)));
    Tool { at: body.at(val), kind, cache: cache(val) }
}

fn cache(val: Val<'_>) -> Option<Raw> {
    val.get("cache_control").filter(|mark| !mark.is_null()).map(Raw::of)
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let voice = match val.get("role").and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Voice::Assistant,
        Some(b"system") => Voice::System,
        _ => Voice::User,
    };
    let Some(content) = val.get("content") else { return };
    if let Some(text) = Text::of_val(content) {
        return out.add(voice, false, Block::text(text, body.at(content)));
    }
    let mut begun = false;
    for part in content.elements() {
        let block = block(body, part, losses);
        match block.what {
            What::Result(_) => out.add(Voice::Tool, true, block),
            _ => {
                // A result between two texts of a message parts them.
                let joins = begun && out.messages.last().is_some_and(|last| last.voice == voice);
                out.add(voice, joins, block);
                begun = true;
            }
        }
    }
}

fn block(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Block {
    let kind = val.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    let what = match kind.as_ref() {
        b"text" => {
            text(val, "text").map(|text| What::Text { text, citations: citations(NAME, val.get("citations")) })
        }
        b"tool_use" => call(val).map(What::Call),
        b"tool_result" => result(body, val).map(What::Result),
        b"thinking" => {
            let texts = text(val, "thinking").filter(|text| !text.is_empty()).into_iter().collect();
            Some(reasoning(Maker::Anthropic, texts, text(val, "signature")))
        }
        b"redacted_thinking" => Some(What::Reasoning(Reasoning {
            maker: Maker::Anthropic,
            texts: Vec::new(),
            seal: None,
            redacted: text(val, "data"),
        })),
        // The server drops what stands before its summary; that is kept here, and so is the summary.
        b"compaction" => said(val, "content").map(|text| {
            losses.add(LossKind::SUMMARY_AS_TEXT, body.at(val));
            What::Text { text, citations: None }
        }),
        _ => media(val).map(What::Media),
    };
    let what = what.unwrap_or_else(|| What::Foreign(unknown(val, &kind)));
    Block { cache: cache(val), ..Block::new(what, body.at(val)) }
}

fn unknown(val: Val<'_>, kind: &[u8]) -> Foreign {
    let server = kind == b"server_tool_use"
        || kind == b"mcp_tool_use"
        || kind.ends_with(b"_tool_result")
        || kind.starts_with(b"tool_");
    let kind = match kind {
        b"compaction" => ForeignKind::Compaction,
        _ if server => ForeignKind::ServerTool,
        _ => ForeignKind::Unknown,
    };
    foreign(NAME, kind, val)
}

fn call(val: Val<'_>) -> Option<Call> {
    Some(Call {
        id: text(val, "id")?,
        invented: false,
        name: text(val, "name").unwrap_or_default(),
        input: val.get("input").map_or_else(|| Input::Json(Raw::new(*b"{}")), |input| Input::Json(Raw::of(input))),
        kind: CallKind::Function,
    })
}

fn result(body: &Body<'_>, val: Val<'_>) -> Option<ToolResult> {
    let part = |part: Val<'_>| match part.get("type").and_then(|kind| kind.text()).as_deref() {
        Some(b"text") => Part::Text(text(part, "text").unwrap_or_default()),
        Some(kind @ b"tool_reference") => Part::Foreign(unknown(part, kind), body.at(part)),
        _ => match media(part) {
            Some(media) => Part::Media(media, body.at(part)),
            None => Part::Json(Raw::of(part)),
        },
    };
    let parts = match val.get("content") {
        Some(content) if content.is_array() => content.elements().map(part).collect(),
        Some(content) => Text::of_val(content).map(Part::Text).into_iter().collect(),
        None => Vec::new(),
    };
    let is_error = val.get("is_error").and_then(|error| error.as_bool()).unwrap_or(false);
    Some(ToolResult { id: text(val, "tool_use_id")?, name: None, parts, is_error, kind: CallKind::Function })
}

fn media(val: Val<'_>) -> Option<Media> {
    let kind = match val.get("type")?.text()?.as_ref() {
        b"image" => MediaKind::Image,
        b"document" => MediaKind::File,
        b"container_upload" => {
            return Some(Media::new(MediaKind::File, Source::Id(text(val, "file_id")?, NAME)));
        }
        _ => return None,
    };
    let source = val.get("source")?;
    let found = match source.get("type")?.text()?.as_ref() {
        b"base64" => Source::Data(text(source, "data")?),
        b"url" => Source::Url(text(source, "url")?),
        b"file" => Source::Id(text(source, "file_id")?, NAME),
        b"text" => Source::Plain(text(source, "data")?),
        b"content" => {
            let content = source.get("content")?;
            let all: Vec<Text> = match Text::of_val(content) {
                Some(text) => vec![text],
                // A document with images in it has no form elsewhere.
                None => content.elements().map(|part| text(part, "text")).collect::<Option<_>>()?,
            };
            Source::Plain(Text::join(&all, "\\n"))
        }
        _ => return None,
    };
    let named = Media { name: text(val, "title"), ..Media::new(kind, found) };
    Some(named.mime(text(source, "media_type")))
}
