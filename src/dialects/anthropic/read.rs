//! Reads messages of the Anthropic Messages API as a thread. Results of tools, which are in user messages there, become
//! messages of their own.

use crate::dialect::Body;
use crate::dialects::client_tools;
use crate::dialects::common::{
    citation_request, citations, nonempty_text, opaque, pick_members, read_extras, reasoning, search_result, text,
    texts,
};
use crate::dialects::known_members::report_unknown_members;
use crate::dialects::settings::{self, SettingMember, SettingsGrammar};
use crate::json::{Val, name};
use crate::message::{
    CallInput, CallKind, EffortSetting, LossKind, Losses, Media, MediaKind, MediaSource, Opaque, OpaqueKind,
    OutputFormat, Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart, Role, Text, Thread, Tool,
    ToolCall, ToolChoice, ToolKind, ToolResult, WebSearch,
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
        "model" => (out.model, out.model_at) = (Text::of_val(val), Some(body.at(val))),
        "system" => match Text::of_val(val) {
            Some(text) => out.instructions.push(Part::text(text, body.at(val))),
            None => out.instructions.extend(val.elements().map(|part| block(body, part, losses))),
        },
        "messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        "tools" => out.tools.extend(val.elements().map(|val| tool(body, val, losses))),
        "tool_choice.type" => match choice(found.parent) {
            Some(choice) => out.settings.choice = found.set(choice),
            None => found.add_dialect_only(out),
        },
        "tool_choice.name" if found.parent.get(name::r#type).is_some_and(|kind| kind.is("tool")) => {}
        "tool_choice.disable_parallel_tool_use" => match val.as_bool() {
            Some(single) => out.settings.parallel = found.set(!single),
            None => found.add_dialect_only(out),
        },
        "stop_sequences" => out.settings.stop = found.set(texts(val)),
        "output_config.effort" => {
            out.settings.set_effort(Text::of_val(val).and_then(|level| found.set(EffortSetting::Level(level))));
        }
        "output_config.format" | "output_format" => match val.get(name::schema) {
            Some(schema) => {
                let schema = RawJson::of(schema);
                let format = OutputFormat::Schema { name: None, description: None, schema, strict: None };
                out.settings.output = found.set(format);
            }
            None => found.add_dialect_only(out),
        },
        "thinking.type" => {
            let budget = found.parent.get(name::budget_tokens).and_then(|budget| budget.as_u64());
            let effort = match val.text().as_deref() {
                Some(b"disabled") => EffortSetting::Off,
                Some(b"adaptive") => EffortSetting::Adaptive,
                _ => budget.map_or(EffortSetting::Adaptive, |budget| {
                    EffortSetting::Budget(budget.min(u64::from(u32::MAX)) as u32)
                }),
            };
            out.settings.set_effort(found.set(effort));
        }
        "thinking.budget_tokens" if found.parent.get(name::r#type).is_some() => {}
        "tool_choice.name" | "thinking.budget_tokens" => found.add_dialect_only(out),
        _ => return false,
    }
    true
}

fn choice(val: Val<'_>) -> Option<ToolChoice> {
    match val.get(name::r#type)?.text()?.as_ref() {
        b"auto" => Some(ToolChoice::Auto),
        b"none" => Some(ToolChoice::None),
        b"any" => Some(ToolChoice::Required),
        b"tool" => text(val, name::name).map(ToolChoice::Tool),
        _ => None,
    }
}

/// Members of a definition that are read.
const TOOL: [&str; 5] = ["type", "name", "description", "input_schema", "cache_control"];

fn tool(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Tool {
    let own = val.get(name::r#type).is_none_or(|kind| kind.is("custom"));
    let Some(name) = text(val, name::name).filter(|_| own) else {
        let tool = Tool::new(provider_tool(val), body.at(val));
        return Tool { cache: cache(val), ..tool };
    };
    let kind = ToolKind::Function {
        name,
        description: text(val, name::description),
        parameters: val.get(name::input_schema).filter(|schema| schema.is_object()).map(RawJson::of),
    };
    Tool { cache: cache(val), extras: read_extras(body, val, &TOOL, losses), ..Tool::new(kind, body.at(val)) }
}

/// A tool that Anthropic defines.
fn provider_tool(val: Val<'_>) -> ToolKind {
    let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let whole = opaque(NAME, OpaqueKind::ServerTool, val);
    if let Some(client) = client_tools::find(NAME, &kind) {
        return ToolKind::Client(client, whole);
    }
    if !kind.starts_with(b"web_search_") {
        return ToolKind::Opaque(whole);
    }
    let location = val.get(name::user_location);
    let search = WebSearch {
        allowed: val.get("allowed_domains").map(texts).unwrap_or_default(),
        blocked: val.get("blocked_domains").map(texts).unwrap_or_default(),
        location: location.and_then(|own| pick_members(own, &client_tools::LOCATION)),
        context: None,
        max_uses: val.get("max_uses").filter(|uses| !uses.is_null()).map(RawJson::of),
    };
    ToolKind::WebSearch(search, whole)
}

fn cache(val: Val<'_>) -> Option<RawJson> {
    val.get(name::cache_control).filter(|mark| !mark.is_null()).map(RawJson::of)
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    let role = match val.get(name::role).and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Role::Assistant,
        Some(b"system") => Role::System,
        _ => Role::User,
    };
    report_unknown_members(body, val, "anthropic", b"message", losses);
    let Some(content) = val.get(name::content) else { return };
    if let Some(text) = Text::of_val(content) {
        return out.add(role, false, Part::text(text, body.at(content)));
    }
    let mut begun = false;
    for part in content.elements() {
        let block = block(body, part, losses);
        match block.kind {
            PartKind::Result(_) => out.add(Role::Tool, true, block),
            _ => {
                // A result between two texts of a message separates them.
                let joins = begun && out.messages.last().is_some_and(|last| last.role == role);
                out.add(role, joins, block);
                begun = true;
            }
        }
    }
}

/// A block of a message.
pub fn block(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Part {
    let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let what = match kind.as_ref() {
        b"text" => text(val, name::text)
            .map(|text| PartKind::Text { text, citations: citations(NAME, val.get(name::citations)) }),
        b"tool_use" => call(val).map(PartKind::Call),
        b"tool_result" => result(body, val, losses).map(PartKind::Result),
        b"thinking" => {
            let texts = text(val, name::thinking).filter(|text| !text.is_empty()).into_iter().collect();
            Some(reasoning(ReasoningProvider::Anthropic, texts, text(val, name::signature)))
        }
        b"redacted_thinking" => Some(PartKind::Reasoning(Reasoning {
            provider: ReasoningProvider::Anthropic,
            texts: Vec::new(),
            encrypted_content: None,
            redacted: text(val, name::data),
        })),
        // The server ignores what comes before its summary; both are kept here.
        b"compaction" => nonempty_text(val, name::content).map(|text| {
            losses.add(LossKind::SUMMARY_AS_TEXT, body.at(val));
            PartKind::Text { text, citations: None }
        }),
        _ => media(val).map(PartKind::from),
    };
    let what = what.unwrap_or_else(|| PartKind::Opaque(unknown(val, &kind)));
    if !matches!(what, PartKind::Opaque(_)) {
        report_unknown_block_members(body, val, "anthropic", losses);
    }
    Part { cache: cache(val), ..Part::new(what, body.at(val)) }
}

/// Reports members of a block that conversion does not read.
fn report_unknown_block_members(body: &Body<'_>, val: Val<'_>, place: &str, losses: &mut Losses) {
    let of = |val: Val<'_>, place: &str, losses: &mut Losses| {
        let kind = val.get(name::r#type).and_then(|kind| kind.text());
        report_unknown_members(body, val, place, kind.as_deref().unwrap_or_default(), losses);
    };
    of(val, place, losses);
    if let Some(source) = val.get(name::source).filter(|source| source.is_object()) {
        of(source, "anthropic/source", losses);
    }
}

fn unknown(val: Val<'_>, kind: &[u8]) -> Opaque {
    let server = kind == b"server_tool_use"
        || kind == b"mcp_tool_use"
        || kind.ends_with(b"_tool_result")
        || kind.starts_with(b"tool_");
    let kind = match kind {
        b"compaction" => OpaqueKind::Compaction,
        _ if server => OpaqueKind::ServerTool,
        _ => OpaqueKind::Unknown,
    };
    opaque(NAME, kind, val)
}

fn call(val: Val<'_>) -> Option<ToolCall> {
    Some(ToolCall {
        id: text(val, name::id)?,
        has_synthetic_id: false,
        name: text(val, name::name).unwrap_or_default(),
        input: val
            .get(name::input)
            .map_or_else(|| CallInput::Json(RawJson::new(*b"{}")), |input| CallInput::Json(RawJson::of(input))),
        kind: CallKind::Function,
    })
}

fn result(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Option<ToolResult> {
    for part in val.get(name::content).into_iter().flat_map(|content| content.elements()) {
        report_unknown_block_members(body, part, "anthropic/result", losses);
    }
    let part = |part: Val<'_>| match part.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"text") => ResultPart::Text(text(part, name::text).unwrap_or_default()),
        Some(kind @ b"tool_reference") => ResultPart::Opaque(unknown(part, kind), body.at(part)),
        _ => match media(part) {
            Some(media) => ResultPart::media(media, body.at(part)),
            None => ResultPart::Json(RawJson::of(part)),
        },
    };
    let parts = match val.get(name::content) {
        Some(content) if content.is_array() => content.elements().map(part).collect(),
        Some(content) => Text::of_val(content).map(ResultPart::Text).into_iter().collect(),
        None => Vec::new(),
    };
    let is_error = val.get(name::is_error).and_then(|error| error.as_bool()).unwrap_or(false);
    Some(ToolResult { id: text(val, name::tool_use_id)?, name: None, parts, is_error, kind: CallKind::Function })
}

fn media(val: Val<'_>) -> Option<Media> {
    let kind = match val.get(name::r#type)?.text()?.as_ref() {
        b"image" => MediaKind::Image,
        b"document" => MediaKind::File,
        b"search_result" => return search_result(val),
        b"container_upload" => {
            return Some(Media::new(MediaKind::File, MediaSource::Id(text(val, name::file_id)?, NAME)));
        }
        _ => return None,
    };
    let source = val.get(name::source)?;
    let found = match source.get(name::r#type)?.text()?.as_ref() {
        b"base64" => MediaSource::Data(text(source, name::data)?),
        b"url" => MediaSource::Url(text(source, name::url)?),
        b"file" => MediaSource::Id(text(source, name::file_id)?, NAME),
        b"text" => MediaSource::Plain(vec![text(source, name::data)?]),
        b"content" => {
            let content = source.get(name::content)?;
            MediaSource::Plain(match Text::of_val(content) {
                Some(text) => vec![text],
                // Other dialects have no documents with images in them.
                None => content.elements().map(|part| text(part, name::text)).collect::<Option<_>>()?,
            })
        }
        _ => return None,
    };
    let media = Media {
        name: nonempty_text(val, name::title),
        context: nonempty_text(val, name::context),
        citations: citation_request(val),
        ..Media::new(kind, found)
    };
    Some(media.mime(text(source, name::media_type)))
}
