//! From the messages of Bedrock's Converse API to a thread. Blocks are named by their only key.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{cited, extras, foreign, reasoning, said, search_result, text, texts};
use crate::dialects::known::strays;
use crate::dialects::settings::{self, Found, Reading};
use crate::json::{Val, name};
use crate::message::{
    Call, CallKind, Choice, Effort, Input, LossKind, Losses, Maker, Media, MediaKind, OpaqueKind, OutputFormat,
    Part, PartKind, Raw, Reasoning, ResultPart, Role, Source, Text, Thread, Tool, ToolKind, ToolResult,
};

use super::rows::NAME;

pub fn read(body: &Body<'_>, out: &mut Thread, losses: &mut Losses) {
    match body.shape {
        Shape::Request => settings::read(body, &READING, out, losses),
        Shape::List => body.val.elements().for_each(|val| message(body, val, out, losses)),
        Shape::Item => message(body, body.val, out, losses),
    }
}

const READING: Reading = Reading { dialect: NAME, spell: settings::as_written, own };

fn own(found: &Found<'_, '_>, out: &mut Thread, losses: &mut Losses) -> bool {
    let (val, body) = (found.member.val, found.body);
    match found.path {
        "modelId" | "model" => (out.model, out.model_at) = (Text::of_val(val), Some(body.at(val))),
        "system" => {
            for part in val.elements() {
                match part.get(name::cachePoint) {
                    Some(mark) => mark_last(&mut out.instructions, mark),
                    None => out.instructions.push(block(body, part, losses)),
                }
            }
        }
        "messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        "inferenceConfig.stopSequences" => out.settings.stop = found.set(texts(val)),
        "toolConfig.tools" => {
            for part in val.elements() {
                match (part.get(name::cachePoint), out.tools.last_mut()) {
                    (Some(mark), Some(last)) => last.cache = Some(Raw::of(mark)),
                    (Some(_), None) => {}
                    (None, _) => out.tools.push(tool(body, part, losses)),
                }
            }
        }
        "toolConfig.toolChoice" if val.count() > 1 => found.alone(out),
        "toolConfig.toolChoice" => match choice(val) {
            Some(choice) => out.settings.choice = found.set(choice),
            None => found.alone(out),
        },
        "outputConfig.effort" => match Text::of_val(val) {
            Some(level) => out.settings.think(found.set(Effort::Level(level))),
            None => found.alone(out),
        },
        "outputConfig.textFormat" => match format(val) {
            Some(format) => out.settings.output = found.set(format),
            None => found.alone(out),
        },
        "additionalModelRequestFields.thinking.type" => {
            let budget = found.parent.get(name::budget_tokens).and_then(|budget| budget.as_u64());
            let effort = match val.text().as_deref() {
                Some(b"disabled") => Effort::Off,
                _ => budget.map_or(Effort::Adaptive, |own| Effort::Budget(own.min(u64::from(u32::MAX)) as u32)),
            };
            out.settings.think(found.set(effort));
        }
        "additionalModelRequestFields.thinking.budget_tokens" => {}
        _ => return false,
    }
    true
}

/// The schema is there as the text of one.
fn format(val: Val<'_>) -> Option<OutputFormat> {
    let own = val.at(&["structure", "jsonSchema"])?;
    let schema = own.get(name::schema)?;
    let schema = match schema.text() {
        Some(text) if schema.is_string() => Raw::new(text.into_owned()),
        _ => Raw::of(schema),
    };
    let (name, description) = (said(own, "name"), said(own, "description"));
    Some(OutputFormat::Schema { name, description, schema, strict: None })
}

fn mark_last(blocks: &mut [Part], mark: Val<'_>) {
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

/// Members of a definition that have a form of their own.
const TOOL: [&str; 3] = ["name", "description", "inputSchema"];

fn tool(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Tool {
    others(body, val, losses);
    let Some((own, name)) = val.get(name::toolSpec).and_then(|own| Some((own, text(own, "name")?))) else {
        let kind = ToolKind::Opaque(foreign(NAME, OpaqueKind::ServerTool, val));
        return Tool::new(kind, body.at(val));
    };
    let kind = ToolKind::Function {
        name,
        description: text(own, "description"),
        parameters: own.at(&["inputSchema", "json"]).map(Raw::of),
    };
    Tool { extras: extras(body, own, &TOOL, losses), ..Tool::new(kind, body.at(val)) }
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    strays(body, val, "bedrock", b"message", losses);
    let model = val.get(name::role).is_some_and(|role| role.is("assistant"));
    let mut begun = false;
    for part in val.get(name::content).into_iter().flat_map(|content| content.elements()) {
        if let Some(mark) = part.get(name::cachePoint) {
            if let Some(last) = out.messages.last_mut() {
                mark_last(&mut last.parts, mark);
            }
            continue;
        }
        let block = block(body, part, losses);
        let role = match block.kind {
            _ if model => Role::Assistant,
            PartKind::Result(_) => Role::Tool,
            _ => Role::User,
        };
        let joins = role == Role::Tool || begun && out.messages.last().is_some_and(|last| last.role == role);
        // What a server's tool gave is in the turn of the model, and is answered there.
        let block = match block.kind {
            PartKind::Result(_) if model => {
                Part::new(PartKind::Opaque(foreign(NAME, OpaqueKind::ServerTool, part)), block.at)
            }
            _ => block,
        };
        out.add(role, joins, block);
        begun = true;
    }
}

fn block(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Part {
    let at = body.at(val);
    let unknown = || PartKind::Opaque(foreign(NAME, OpaqueKind::Unknown, val));
    let Some(only) = val.members().next() else { return Part::new(unknown(), at) };
    let own = only.val;
    let what = match only.key.decode().as_ref() {
        b"text" => Text::of_val(own).map(|text| PartKind::Text { text, citations: None }),
        b"toolUse" if own.get(name::r#type).is_some_and(|kind| kind.is("server_tool_use")) => {
            Some(PartKind::Opaque(foreign(NAME, OpaqueKind::ServerTool, val)))
        }
        b"toolUse" => call(own).map(PartKind::Call),
        b"toolResult" => result(body, own, losses).map(PartKind::Result),
        b"reasoningContent" => thoughts(own),
        b"guardContent" => {
            // What a guardrail is to look at is not said elsewhere.
            if let Some(told) = own.get(name::text).and_then(|own| own.member(name::qualifiers)) {
                losses.add(LossKind::FIELD, body.at_key(&told));
            }
            own.at(&["text", "text"]).and_then(Text::of_val).map(|text| PartKind::Text { text, citations: None })
        }
        b"citationsContent" => {
            let parts = own.get(name::content).into_iter().flat_map(|list| list.elements());
            let texts: Vec<Text> = parts.filter_map(|part| text(part, "text")).collect();
            let citations = crate::dialects::common::citations(NAME, own.get(name::citations));
            Some(PartKind::Text { text: Text::join(&texts, ""), citations })
        }
        _ => media(val).map(PartKind::from),
    };
    let what = what.unwrap_or_else(unknown);
    if !matches!(what, PartKind::Opaque(_)) && own.is_object() {
        strays(body, own, "bedrock", &only.key.decode(), losses);
    }
    others(body, val, losses);
    one_source(body, own, losses);
    Part::new(what, at)
}

/// Of an object that holds one of several things, only the first is read.
fn others(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    val.members().skip(1).for_each(|member| losses.add(LossKind::FIELD, body.at_key(&member)));
}

/// Media come from one source.
fn one_source(body: &Body<'_>, own: Val<'_>, losses: &mut Losses) {
    own.get(name::source).into_iter().for_each(|source| others(body, source, losses));
}

fn thoughts(own: Val<'_>) -> Option<PartKind> {
    if let Some(redacted) = text(own, "redactedContent") {
        let made = Reasoning { maker: Maker::Anthropic, texts: Vec::new(), seal: None, redacted: Some(redacted) };
        return Some(PartKind::Reasoning(made));
    }
    let told = own.get(name::reasoningText)?;
    let seal = text(told, "signature").filter(|seal| !seal.is_empty());
    // Only Claude signs; the others take their thoughts back as text.
    let maker = if seal.is_some() { Maker::Anthropic } else { Maker::Open };
    Some(reasoning(maker, text(told, "text").into_iter().collect(), seal))
}

fn call(own: Val<'_>) -> Option<Call> {
    Some(Call {
        id: text(own, "toolUseId")?,
        invented: false,
        name: text(own, "name").unwrap_or_default(),
        input: own
            .get(name::input)
            .map_or_else(|| Input::Json(Raw::new(*b"{}")), |input| Input::Json(Raw::of(input))),
        kind: CallKind::Function,
    })
}

fn result(body: &Body<'_>, own: Val<'_>, losses: &mut Losses) -> Option<ToolResult> {
    for part in own.get(name::content).into_iter().flat_map(|content| content.elements()) {
        if let Some(only) = part.members().next().filter(|only| only.val.is_object()) {
            strays(body, only.val, "bedrock", &only.key.decode(), losses);
        }
        others(body, part, losses);
        part.members().for_each(|member| one_source(body, member.val, losses));
    }
    let part = |part: Val<'_>| match (text(part, "text"), part.get(name::json)) {
        (Some(text), _) => ResultPart::Text(text),
        (None, Some(json)) => ResultPart::Json(Raw::of(json)),
        (None, None) => match media(part) {
            Some(media) => ResultPart::media(media, body.at(part)),
            None => ResultPart::Json(Raw::of(part)),
        },
    };
    let content = own.get(name::content).into_iter().flat_map(|content| content.elements());
    Some(ToolResult {
        id: text(own, "toolUseId")?,
        name: None,
        parts: content.map(part).collect(),
        is_error: own.get(name::status).is_some_and(|status| status.is("error")),
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
        b"searchResult" => return search_result(own),
        _ => return None,
    };
    let source = own.get(name::source)?;
    let found = match (text(source, "bytes"), text(source, "text"), source.get(name::s3Location)) {
        (Some(bytes), ..) => Source::Data(bytes),
        (_, Some(plain), _) => Source::Plain(vec![plain]),
        (_, _, Some(lies)) => Source::Id(text(lies, "uri")?, NAME),
        (None, None, None) => {
            let parts = source.get(name::content)?;
            Source::Plain(parts.elements().map(|part| text(part, "text")).collect::<Option<_>>()?)
        }
    };
    let format = text(own, "format").unwrap_or_default();
    let format = String::from_utf8_lossy(&format.plain()).into_owned();
    let mime = FORMATS.iter().find(|(name, _)| *name == format).map(|(_, mime)| (*mime).to_owned());
    let mime = mime.or_else(|| (!family.is_empty() && !format.is_empty()).then(|| format!("{family}{format}")));
    let media = Media {
        // A document has a name there in any case; this one tells nothing.
        name: text(own, "name").filter(|name| name.raw() != NAMELESS.as_bytes()),
        context: said(own, "context"),
        cited: cited(own),
        ..Media::new(kind, found)
    };
    Some(media.mime(mime.map(|mime| Text::new(&mime))))
}

/// The name of a document that has none.
pub const NAMELESS: &str = "document";

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
