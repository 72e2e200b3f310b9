//! Reads contents of the Gemini API as a thread, in camelCase as the API documents it and in snake_case as Python dumps
//! it. Calls often have no ids: they get numbers, and are answered by name and order.

use std::borrow::Cow;

use crate::dialect::Body;
use crate::dialects::common::{opaque, read_extras, reasoning, text, texts};
use crate::dialects::known_members::report_unknown_members;
use crate::dialects::settings::{self, SettingMember, SettingsGrammar};
use crate::json::{Val, name, string};
use crate::message::{
    CallInput, CallKind, EffortSetting, LossKind, Losses, Media, MediaKind, MediaSource, Opaque, OpaqueKind,
    OutputFormat, Part, PartKind, RawJson, ReasoningProvider, ResultPart, Role, Setting, Text, Thread, Tool,
    ToolCall, ToolChoice, ToolKind, ToolResult, WebSearch,
};
use crate::message::{members, settings_map};

use super::rows::NAME;
use super::schema;

pub fn read(body: &Body<'_>, out: &mut Thread, losses: &mut Losses) {
    settings::read_body(body, &SETTINGS, content, out, losses);
}

const SETTINGS: SettingsGrammar = SettingsGrammar { dialect: NAME, spell: camel, read_own: read_setting };

/// A key in camelCase, as the API documents it.
fn camel(key: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(key) {
        Cow::Borrowed(text) => members::to_camel_case(text),
        Cow::Owned(text) => Cow::Owned(members::to_camel_case(&text).into_owned()),
    }
}

/// A member by its name in camelCase or in snake_case.
fn get_either<'t>(val: Val<'t>, camel: &str) -> Option<Val<'t>> {
    val.members().find(|member| is_named(&member.key.decode(), camel)).map(|member| member.val)
}

fn is_named(key: &[u8], camel: &str) -> bool {
    // Both spellings begin with the same letter, and the other one is longer.
    if key.first() != camel.as_bytes().first() || key.len() <= camel.len() {
        return key == camel.as_bytes();
    }
    let mut camel = camel.bytes();
    let mut key = key.iter().copied();
    loop {
        match (camel.next(), key.next()) {
            (None, None) => return true,
            (Some(upper), Some(b'_')) if upper.is_ascii_uppercase() => {
                if key.next() != Some(upper.to_ascii_lowercase()) {
                    return false;
                }
            }
            (Some(a), Some(b)) if a == b => {}
            _ => return false,
        }
    }
}

fn read_setting(found: &SettingMember<'_, '_>, out: &mut Thread, losses: &mut Losses) -> bool {
    let (val, body) = (found.member.val, found.body);
    match found.path {
        "contents" => match val.is_object() {
            true => content(body, val, out, losses),
            false => val.elements().for_each(|val| content(body, val, out, losses)),
        },
        "model" => (out.model, out.model_at) = (Text::of_val(val), Some(body.at(val))),
        "systemInstruction" => instruction(body, val, out, losses),
        "tools" => {
            let lists: Vec<Val<'_>> = if val.is_object() { vec![val] } else { val.elements().collect() };
            lists.into_iter().for_each(|val| tools(body, val, out, losses));
        }
        "toolConfig.functionCallingConfig" => {
            match choice(val) {
                Some(choice) => out.settings.choice = found.set(choice),
                None => found.add_dialect_only(out),
            }
            let read = |key: &[u8]| ["mode", "allowedFunctionNames"].iter().any(|name| is_named(key, name));
            for member in val.members().filter(|member| !member.val.is_null()) {
                let key = member.key.decode();
                if !read(&key) {
                    let value = settings_map::dialect_only_loss(&camel(&key));
                    out.settings.dialect_only.push(Setting { value, at: body.at_key(&member) });
                }
            }
        }
        "generationConfig.stopSequences" => out.settings.stop = found.set(texts(val)),
        "generationConfig.responseMimeType" => match val.text().as_deref() {
            Some(b"application/json") => {
                let schema = ["responseJsonSchema", "responseSchema"];
                if !schema.iter().any(|key| get_either(found.parent, key).is_some()) {
                    out.settings.output = found.set(OutputFormat::Json);
                }
            }
            Some(b"text/plain") => {}
            _ => found.add_dialect_only(out),
        },
        "generationConfig.responseJsonSchema" | "generationConfig.responseSchema" => {
            let schema = schema::json_schema(val);
            let format = OutputFormat::Schema { name: None, description: None, schema, strict: None };
            out.settings.output = found.set(format);
        }
        "generationConfig.responseModalities" if texts(val).iter().all(|text| text.is("TEXT")) => {}
        "generationConfig.thinkingConfig.thinkingLevel" => match Text::of_val(val) {
            Some(level) => {
                let level = level.plain().to_ascii_lowercase();
                let level = Text::new(&String::from_utf8_lossy(&level));
                out.settings.set_effort(found.set(EffortSetting::Level(level)));
            }
            None => found.add_dialect_only(out),
        },
        "generationConfig.thinkingConfig.thinkingBudget" => {
            let budget = std::str::from_utf8(val.raw()).ok().and_then(|text| text.parse::<i64>().ok());
            let effort = match budget {
                Some(0) => EffortSetting::Off,
                Some(budget) if budget > 0 => EffortSetting::Budget(u32::try_from(budget).unwrap_or(u32::MAX)),
                _ => EffortSetting::Adaptive,
            };
            out.settings.set_effort(found.set(effort));
        }
        "generationConfig.thinkingConfig.includeThoughts" => {
            if val.as_bool() == Some(true) {
                out.settings.summary = found.set(Text::new("auto"));
            }
        }
        _ => return false,
    }
    true
}

fn instruction(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    if let Some(text) = Text::of_val(val) {
        return out.instructions.push(Part::text(text, body.at(val)));
    }
    let parts = get_either(val, "parts");
    let alone = parts.filter(|parts| parts.is_object());
    let each = parts.into_iter().flat_map(|parts| parts.elements());
    for part in alone.into_iter().chain(each) {
        match text(part, name::text) {
            Some(text) => out.instructions.push(Part::text(text, body.at(part))),
            None => losses.add(LossKind::UNKNOWN, body.at(part)),
        }
    }
}

fn choice(config: Val<'_>) -> Option<ToolChoice> {
    let names = get_either(config, "allowedFunctionNames").map(texts).unwrap_or_default();
    let required = match config.get(name::mode).and_then(|mode| mode.text()) {
        None => return names.is_empty().then_some(ToolChoice::Auto),
        Some(mode) => match mode.to_ascii_uppercase().as_slice() {
            b"AUTO" | b"VALIDATED" | b"MODE_UNSPECIFIED" => false,
            b"NONE" => return Some(ToolChoice::None),
            b"ANY" => true,
            _ => return None,
        },
    };
    Some(match (names.as_slice(), required) {
        ([], false) => ToolChoice::Auto,
        ([], true) => ToolChoice::Required,
        ([only], true) => ToolChoice::Tool(only.clone()),
        _ => ToolChoice::Allowed { names, required },
    })
}

/// Members of a declaration that are read.
const DECLARATION: [&str; 5] =
    ["name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema"];

fn tools(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    for member in val.members().filter(|member| !member.val.is_null()) {
        let key = camel(&member.key.decode()).into_owned();
        if key == "functionDeclarations" {
            out.tools.extend(member.val.elements().map(|own| declaration(body, own, losses)));
            continue;
        }
        // Each member is a tool of its own.
        let raw = [b"{", &*string::quoted(&key), b":", member.val.raw(), b"}"].concat();
        let whole = Opaque { dialect: NAME, kind: OpaqueKind::ServerTool, raw: RawJson::new(raw) };
        let kind = match key.as_str() {
            "googleSearch" | "googleSearchRetrieval" => {
                let blocked = get_either(member.val, "excludeDomains").map(texts).unwrap_or_default();
                ToolKind::WebSearch(WebSearch { blocked, ..WebSearch::default() }, whole)
            }
            _ => ToolKind::Opaque(whole),
        };
        out.tools.push(Tool::new(kind, body.at_key(&member)));
    }
}

fn declaration(body: &Body<'_>, own: Val<'_>, losses: &mut Losses) -> Tool {
    let parameters = get_either(own, "parametersJsonSchema").map(RawJson::of);
    let kind = ToolKind::Function {
        name: text(own, name::name).unwrap_or_default(),
        description: text(own, name::description),
        parameters: parameters.or_else(|| own.get(name::parameters).map(schema::json_schema)),
    };
    Tool { extras: read_extras(body, own, &DECLARATION, losses), ..Tool::new(kind, body.at(own)) }
}

fn content(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    let model = val.get(name::role).is_some_and(|role| role.is("model"));
    let mut begun = false;
    report_unknown_members(body, val, "gemini", b"content", losses);
    let parts = val.get(name::parts).into_iter().flat_map(|parts| match parts.is_object() {
        true => vec![parts],
        false => parts.elements().collect(),
    });
    for part in parts {
        let block = block(body, part, out, losses);
        let role = match block.kind {
            PartKind::Result(_) => Role::Tool,
            _ if model => Role::Assistant,
            _ => Role::User,
        };
        let joins = begun || role == Role::Tool;
        out.add(role, joins && out.messages.last().is_some_and(|last| last.role == role), block);
        begun = true;
    }
}

/// The kind of a part for the table of known members: the first of these members that it has.
fn part_kind_name(val: Val<'_>) -> &'static [u8] {
    const KEYS: [&str; 5] = ["text", "functionCall", "functionResponse", "inlineData", "fileData"];
    KEYS.iter().find(|key| get_either(val, key).is_some()).map_or(b"", |key| key.as_bytes())
}

fn block(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) -> Part {
    let at = body.at(val);
    let signature = get_either(val, "thoughtSignature").and_then(Text::of_val);
    let thought = val.get(name::thought).and_then(|thought| thought.as_bool()).unwrap_or(false);
    let what = if let Some(text) = text(val, name::text) {
        match thought {
            true => Some(reasoning(ReasoningProvider::Google, vec![text], None)),
            false => Some(PartKind::Text { text, citations: None }),
        }
    } else if let Some(own) = get_either(val, "functionCall") {
        Some(PartKind::Call(call(own, out)))
    } else if let Some(own) = get_either(val, "functionResponse") {
        Some(PartKind::Result(result(body, own, out, losses)))
    } else {
        if resolution(val).is_some_and(|level| detail(level).is_none()) {
            losses.add(LossKind::DETAIL, at);
        }
        media(val).map(PartKind::from)
    };
    let server = || {
        let known = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
        let found = known.iter().any(|key| get_either(val, key).is_some());
        if found { OpaqueKind::ServerTool } else { OpaqueKind::Unknown }
    };
    let what = what.unwrap_or_else(|| PartKind::Opaque(opaque(NAME, server(), val)));
    if !matches!(what, PartKind::Opaque(_)) {
        report_unknown_members(body, val, "gemini", part_kind_name(val), losses);
    }
    Part { signature, ..Part::new(what, at) }
}

fn call(own: Val<'_>, out: &Thread) -> ToolCall {
    let id = text(own, name::id).filter(|id| !id.is_empty());
    ToolCall {
        has_synthetic_id: id.is_none(),
        id: id.unwrap_or_else(|| Text::new(&format!("call_{}", out.calls()))),
        name: text(own, name::name).unwrap_or_default(),
        input: own
            .get(name::args)
            .map_or_else(|| CallInput::Json(RawJson::new(*b"{}")), |args| CallInput::Json(RawJson::of(args))),
        kind: CallKind::Function,
    }
}

fn result(body: &Body<'_>, own: Val<'_>, out: &mut Thread, losses: &mut Losses) -> ToolResult {
    let name = text(own, name::name);
    let id = text(own, name::id).filter(|id| !id.is_empty());
    let id = id.or_else(|| out.open_call(name.as_ref())).unwrap_or_default();
    let (mut parts, mut is_error) = (Vec::new(), false);
    if let Some(response) = own.get(name::response) {
        let only = response.members().next().filter(|_| response.count() == 1);
        let output = only.filter(|only| only.val.is_string()).and_then(|only| match only.key.decode().as_ref() {
            b"output" => Text::of_val(only.val),
            b"error" => {
                is_error = true;
                Text::of_val(only.val)
            }
            _ => None,
        });
        parts.push(output.map_or_else(|| ResultPart::Json(RawJson::of(response)), ResultPart::Text));
    }
    let media_parts = own.get(name::parts).into_iter().flat_map(|parts| parts.elements());
    for part in media_parts {
        match media(part) {
            Some(media) => parts.push(ResultPart::media(media, body.at(part))),
            None => losses.add(LossKind::UNKNOWN, body.at(part)),
        }
    }
    ToolResult { id, name, parts, is_error, kind: CallKind::Function }
}

/// Resolutions of a part in Gemini 3, and OpenAI's levels of detail. `medium` has no equivalent there, and no default.
/// https://ai.google.dev/gemini-api/docs/media-resolution
pub(super) const RESOLUTIONS: [(&str, &str); 4] = [
    ("MEDIA_RESOLUTION_LOW", "low"),
    ("MEDIA_RESOLUTION_MEDIUM", "medium"),
    ("MEDIA_RESOLUTION_HIGH", "high"),
    ("MEDIA_RESOLUTION_ULTRA_HIGH", "original"),
];

/// The resolution of a part.
fn resolution(part: Val<'_>) -> Option<Val<'_>> {
    get_either(part, "mediaResolution")?.get(name::level)
}

/// OpenAI's level of detail for a resolution.
fn detail(level: Val<'_>) -> Option<Text> {
    RESOLUTIONS.iter().find(|(own, _)| level.is(own)).map(|(_, detail)| Text::new(detail))
}

fn media(val: Val<'_>) -> Option<Media> {
    let (own, is_data) = match get_either(val, "inlineData") {
        Some(own) => (own, true),
        None => (get_either(val, "fileData")?, false),
    };
    let mime = get_either(own, "mimeType").and_then(Text::of_val);
    let kind = mime.as_ref().map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime.plain()));
    let source = if is_data {
        MediaSource::Data(standard_base64(text(own, name::data)?))
    } else {
        let uri = get_either(own, "fileUri").and_then(Text::of_val)?;
        let plain = uri.plain().into_owned();
        let public =
            plain.starts_with(b"http") && !plain.starts_with(b"https://generativelanguage.googleapis.com/");
        if public { MediaSource::Url(uri) } else { MediaSource::Id(uri, NAME) }
    };
    let name = get_either(own, "displayName").and_then(Text::of_val);
    let detail = resolution(val).and_then(detail);
    Some(Media { name, detail, ..Media::new(kind, source) }.mime(mime))
}

/// Base64 as all other APIs require it: Google also accepts, and Python's dumps contain, the URL-safe alphabet without
/// padding.
fn standard_base64(data: Text) -> Text {
    let raw = data.raw();
    if memchr::memchr2(b'-', b'_', &raw).is_none() && raw.len().is_multiple_of(4) {
        return data;
    }
    let mut out = raw.into_owned();
    for byte in &mut out {
        *byte = match *byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
    }
    if memchr::memchr(b'\\', &out).is_some() {
        out.retain(|byte| *byte != b'\\');
    }
    while !out.len().is_multiple_of(4) {
        out.push(b'=');
    }
    Text::of_raw(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_both_cases() {
        assert!(is_named(b"functionCall", "functionCall") && is_named(b"function_call", "functionCall"));
        assert!(!is_named(b"function_Call", "functionCall") && !is_named(b"function", "functionCall"));
    }
}
