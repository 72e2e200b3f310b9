//! Reads messages of Bedrock's Converse API as a thread. The kind of a block is its only key.

use crate::dialect::Body;
use crate::dialects::common::{
    citation_request, nonempty_text, opaque, read_extras, reasoning, search_result, text, texts,
};
use crate::dialects::known_members::report_unknown_members;
use crate::dialects::settings::{self, SettingMember, SettingsGrammar};
use crate::json::{Val, name};
use crate::message::{
    CallInput, CallKind, EffortSetting, LossKind, Losses, Media, MediaKind, MediaSource, OpaqueKind, OutputFormat,
    Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart, Role, Text, Thread, Tool, ToolCall,
    ToolChoice, ToolKind, ToolResult,
};

use super::rows::NAME;

pub fn read(body: &Body<'_>, out: &mut Thread, losses: &mut Losses) {
    settings::read_body(body, &SETTINGS, message, out, losses);
}

const SETTINGS: SettingsGrammar =
    SettingsGrammar { dialect: NAME, spell: settings::as_written, read_own: read_setting };

fn read_setting(found: &SettingMember<'_, '_>, out: &mut Thread, losses: &mut Losses) -> bool {
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
                    (Some(mark), Some(last)) => last.cache = Some(RawJson::of(mark)),
                    (Some(_), None) => {}
                    (None, _) => out.tools.push(tool(body, part, losses)),
                }
            }
        }
        "toolConfig.toolChoice" if val.count() > 1 => found.add_dialect_only(out),
        "toolConfig.toolChoice" => match choice(val) {
            Some(choice) => out.settings.choice = found.set(choice),
            None => found.add_dialect_only(out),
        },
        "outputConfig.effort" => match Text::of_val(val) {
            Some(level) => out.settings.set_effort(found.set(EffortSetting::Level(level))),
            None => found.add_dialect_only(out),
        },
        "outputConfig.textFormat" => match format(val) {
            Some(format) => out.settings.output = found.set(format),
            None => found.add_dialect_only(out),
        },
        "additionalModelRequestFields.thinking.type" => {
            let budget = found.parent.get(name::budget_tokens).and_then(|budget| budget.as_u64());
            let effort = match val.text().as_deref() {
                Some(b"disabled") => EffortSetting::Off,
                _ => budget.map_or(EffortSetting::Adaptive, |own| {
                    EffortSetting::Budget(own.min(u64::from(u32::MAX)) as u32)
                }),
            };
            out.settings.set_effort(found.set(effort));
        }
        "additionalModelRequestFields.thinking.budget_tokens" => {}
        _ => return false,
    }
    true
}

/// The output format. Its schema is the text of one.
fn format(val: Val<'_>) -> Option<OutputFormat> {
    let own = val.at(&["structure", "jsonSchema"])?;
    let schema = own.get(name::schema)?;
    let schema = match schema.text() {
        Some(text) if schema.is_string() => RawJson::new(text.into_owned()),
        _ => RawJson::of(schema),
    };
    let (name, description) = (nonempty_text(own, name::name), nonempty_text(own, name::description));
    Some(OutputFormat::Schema { name, description, schema, strict: None })
}

fn mark_last(blocks: &mut [Part], mark: Val<'_>) {
    if let Some(last) = blocks.last_mut() {
        last.cache = Some(RawJson::of(mark));
    }
}

fn choice(val: Val<'_>) -> Option<ToolChoice> {
    let only = val.members().next()?;
    match only.key.decode().as_ref() {
        b"auto" => Some(ToolChoice::Auto),
        b"any" => Some(ToolChoice::Required),
        b"tool" => text(only.val, name::name).map(ToolChoice::Tool),
        _ => None,
    }
}

/// Members of a definition that are read.
const TOOL: [&str; 3] = ["name", "description", "inputSchema"];

fn tool(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Tool {
    report_extra_members(body, val, losses);
    let Some((own, name)) = val.get(name::toolSpec).and_then(|own| Some((own, text(own, name::name)?))) else {
        let kind = ToolKind::Opaque(opaque(NAME, OpaqueKind::ServerTool, val));
        return Tool::new(kind, body.at(val));
    };
    let kind = ToolKind::Function {
        name,
        description: text(own, name::description),
        parameters: own.at(&["inputSchema", "json"]).map(RawJson::of),
    };
    Tool { extras: read_extras(body, own, &TOOL, losses), ..Tool::new(kind, body.at(val)) }
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    report_unknown_members(body, val, "bedrock", b"message", losses);
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
        // Results of server tools are in the turn of the model.
        let block = match block.kind {
            PartKind::Result(_) if model => {
                Part::new(PartKind::Opaque(opaque(NAME, OpaqueKind::ServerTool, part)), block.at)
            }
            _ => block,
        };
        out.add(role, joins, block);
        begun = true;
    }
}

fn block(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Part {
    let at = body.at(val);
    let unknown = || PartKind::Opaque(opaque(NAME, OpaqueKind::Unknown, val));
    let Some(only) = val.members().next() else { return Part::new(unknown(), at) };
    let own = only.val;
    let what = match only.key.decode().as_ref() {
        b"text" => Text::of_val(own).map(|text| PartKind::Text { text, citations: None }),
        b"toolUse" if own.get(name::r#type).is_some_and(|kind| kind.is("server_tool_use")) => {
            Some(PartKind::Opaque(opaque(NAME, OpaqueKind::ServerTool, val)))
        }
        b"toolUse" => call(own).map(PartKind::Call),
        b"toolResult" => result(body, own, losses).map(PartKind::Result),
        b"reasoningContent" => thoughts(own),
        b"guardContent" => {
            // Other dialects cannot say what a guardrail is to check.
            if let Some(qualifiers) = own.get(name::text).and_then(|own| own.member(name::qualifiers)) {
                losses.add(LossKind::FIELD, body.at_key(&qualifiers));
            }
            own.at(&["text", "text"]).and_then(Text::of_val).map(|text| PartKind::Text { text, citations: None })
        }
        b"citationsContent" => {
            let parts = own.get(name::content).into_iter().flat_map(|list| list.elements());
            let texts: Vec<Text> = parts.filter_map(|part| text(part, name::text)).collect();
            let citations = crate::dialects::common::citations(NAME, own.get(name::citations));
            Some(PartKind::Text { text: Text::join(&texts, ""), citations })
        }
        _ => media(val).map(PartKind::from),
    };
    let what = what.unwrap_or_else(unknown);
    if !matches!(what, PartKind::Opaque(_)) && own.is_object() {
        report_unknown_members(body, own, "bedrock", &only.key.decode(), losses);
    }
    report_extra_members(body, val, losses);
    report_extra_sources(body, own, losses);
    Part::new(what, at)
}

/// Reports all members but the first of an object that should have only one.
fn report_extra_members(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    val.members().skip(1).for_each(|member| losses.add(LossKind::FIELD, body.at_key(&member)));
}

/// Reports additional sources of media.
fn report_extra_sources(body: &Body<'_>, own: Val<'_>, losses: &mut Losses) {
    own.get(name::source).into_iter().for_each(|source| report_extra_members(body, source, losses));
}

fn thoughts(own: Val<'_>) -> Option<PartKind> {
    if let Some(redacted) = text(own, name::redactedContent) {
        let made = Reasoning {
            provider: ReasoningProvider::Anthropic,
            texts: Vec::new(),
            encrypted_content: None,
            redacted: Some(redacted),
        };
        return Some(PartKind::Reasoning(made));
    }
    let reasoning_text = own.get(name::reasoningText)?;
    let encrypted_content =
        text(reasoning_text, name::signature).filter(|encrypted_content| !encrypted_content.is_empty());
    // Only Claude signs; other models accept their reasoning as text.
    let provider =
        if encrypted_content.is_some() { ReasoningProvider::Anthropic } else { ReasoningProvider::Open };
    Some(reasoning(provider, text(reasoning_text, name::text).into_iter().collect(), encrypted_content))
}

fn call(own: Val<'_>) -> Option<ToolCall> {
    Some(ToolCall {
        id: text(own, name::toolUseId)?,
        has_synthetic_id: false,
        name: text(own, name::name).unwrap_or_default(),
        input: own
            .get(name::input)
            .map_or_else(|| CallInput::Json(RawJson::new(*b"{}")), |input| CallInput::Json(RawJson::of(input))),
        kind: CallKind::Function,
    })
}

fn result(body: &Body<'_>, own: Val<'_>, losses: &mut Losses) -> Option<ToolResult> {
    for part in own.get(name::content).into_iter().flat_map(|content| content.elements()) {
        if let Some(only) = part.members().next().filter(|only| only.val.is_object()) {
            report_unknown_members(body, only.val, "bedrock", &only.key.decode(), losses);
        }
        report_extra_members(body, part, losses);
        part.members().for_each(|member| report_extra_sources(body, member.val, losses));
    }
    let part = |part: Val<'_>| match (text(part, name::text), part.get(name::json)) {
        (Some(text), _) => ResultPart::Text(text),
        (None, Some(json)) => ResultPart::Json(RawJson::of(json)),
        (None, None) => match media(part) {
            Some(media) => ResultPart::media(media, body.at(part)),
            None => ResultPart::Json(RawJson::of(part)),
        },
    };
    let content = own.get(name::content).into_iter().flat_map(|content| content.elements());
    Some(ToolResult {
        id: text(own, name::toolUseId)?,
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
    let found = match (text(source, name::bytes), text(source, name::text), source.get(name::s3Location)) {
        (Some(bytes), ..) => MediaSource::Data(bytes),
        (_, Some(plain), _) => MediaSource::Plain(vec![plain]),
        (_, _, Some(location)) => MediaSource::Id(text(location, name::uri)?, NAME),
        (None, None, None) => {
            let parts = source.get(name::content)?;
            MediaSource::Plain(parts.elements().map(|part| text(part, name::text)).collect::<Option<_>>()?)
        }
    };
    let format = text(own, name::format).unwrap_or_default();
    let format = String::from_utf8_lossy(&format.plain()).into_owned();
    let mime = FORMATS.iter().find(|(name, _)| *name == format).map(|(_, mime)| (*mime).to_owned());
    let mime = mime.or_else(|| (!family.is_empty() && !format.is_empty()).then(|| format!("{family}{format}")));
    let media = Media {
        // Bedrock requires a name of documents; this one is a placeholder.
        name: text(own, name::name).filter(|name| name.raw() != DEFAULT_NAME.as_bytes()),
        context: nonempty_text(own, name::context),
        citations: citation_request(own),
        ..Media::new(kind, found)
    };
    Some(media.mime(mime.map(|mime| Text::new(&mime))))
}

/// The placeholder name of documents without one.
pub const DEFAULT_NAME: &str = "document";

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
