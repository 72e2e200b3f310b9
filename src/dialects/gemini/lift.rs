//! From the contents of the Gemini API to a conversation, in camelCase as the API documents it and in snake_case as
//! Python dumps it. Calls often have no ids here: they get numbers, and are answered by name and order.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{copied, foreign, other, reasoning, set, text, texts};
use crate::json::{Member, NodeKind, Val};
use crate::neutral::{
    Block, Call, CallKind, Choice, Conversation, ForeignKind, Input, LossKind, Losses, Maker, Media, MediaKind,
    OutputFormat, Part, Raw, Source, Text, Tool, ToolKind, ToolResult, Voice, What,
};

use super::rows::NAME;

pub fn lift(body: &Body<'_>, out: &mut Conversation, losses: &mut Losses) {
    match body.shape {
        Shape::Request => {
            for member in body.val.members().filter(|member| !member.val.is_null()) {
                request_member(body, &member, out, losses);
            }
        }
        Shape::List => body.val.elements().for_each(|val| content(body, val, out, losses)),
        Shape::Item => content(body, body.val, out, losses),
    }
}

/// A member by its name in camelCase or in snake_case.
fn either<'t>(val: Val<'t>, camel: &str) -> Option<Val<'t>> {
    val.members().find(|member| is_named(&member.key.decode(), camel)).map(|member| member.val)
}

fn is_named(key: &[u8], camel: &str) -> bool {
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

fn request_member(body: &Body<'_>, member: &Member<'_>, out: &mut Conversation, losses: &mut Losses) {
    let val = member.val;
    let key = member.key.decode();
    let key = key.as_ref();
    if key == b"contents" {
        match val.is_object() {
            true => content(body, val, out, losses),
            false => val.elements().for_each(|val| content(body, val, out, losses)),
        }
    } else if key == b"model" {
        out.model = Text::of_val(val);
    } else if is_named(key, "systemInstruction") {
        let parts = either(val, "parts").filter(|parts| parts.is_array());
        let each = parts.into_iter().flat_map(|parts| parts.elements());
        out.instructions.extend(each.filter_map(|part| Some(Block::text(text(part, "text")?, body.at(part)))));
        if let Some(text) =
            Text::of_val(val).or_else(|| parts.is_none().then(|| text(either(val, "parts")?, "text"))?)
        {
            out.instructions.push(Block::text(text, body.at(val)));
        }
    } else if key == b"tools" {
        let lists: Vec<Val<'_>> = if val.is_object() { vec![val] } else { val.elements().collect() };
        lists.into_iter().for_each(|val| tools(body, val, out));
    } else if is_named(key, "toolConfig") {
        match either(val, "functionCallingConfig").and_then(choice) {
            Some(choice) => out.settings.choice = set(choice, body, member),
            None => other(&mut out.settings, body, member),
        }
    } else if is_named(key, "generationConfig") {
        for member in val.members().filter(|member| !member.val.is_null()) {
            generation_member(body, &member, val, out);
        }
    } else {
        other(&mut out.settings, body, member);
    }
}

fn generation_member(body: &Body<'_>, member: &Member<'_>, config: Val<'_>, out: &mut Conversation) {
    let settings = &mut out.settings;
    let key = member.key.decode();
    let is = |camel: &str| is_named(&key, camel);
    if is("maxOutputTokens") {
        settings.max_tokens = copied(body, member);
    } else if is("temperature") {
        settings.temperature = copied(body, member);
    } else if is("topP") {
        settings.top_p = copied(body, member);
    } else if is("topK") {
        settings.top_k = copied(body, member);
    } else if is("stopSequences") {
        settings.stop = set(texts(member.val), body, member);
    } else if is("responseMimeType") {
        let schema = either(config, "responseJsonSchema").or_else(|| either(config, "responseSchema"));
        if member.val.is("application/json") {
            let format = schema.map_or(OutputFormat::Json, |schema| OutputFormat::Schema {
                name: None,
                description: None,
                schema: json_schema(schema),
                strict: None,
            });
            settings.output = set(format, body, member);
        }
    } else if !(is("responseJsonSchema") || is("responseSchema") || is("responseModalities")) {
        other(settings, body, member);
    }
}

fn choice(config: Val<'_>) -> Option<Choice> {
    let names = either(config, "allowedFunctionNames").map(texts).unwrap_or_default();
    match config.get("mode")?.text()?.to_ascii_uppercase().as_slice() {
        b"AUTO" => Some(Choice::Auto),
        b"NONE" => Some(Choice::None),
        b"ANY" => match names.as_slice() {
            [] => Some(Choice::Required),
            [only] => Some(Choice::Tool(only.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn tools(body: &Body<'_>, val: Val<'_>, out: &mut Conversation) {
    for member in val.members() {
        if !is_named(&member.key.decode(), "functionDeclarations") {
            let kind = ToolKind::Foreign(foreign(NAME, ForeignKind::ServerTool, val));
            out.tools.push(Tool { at: body.at_key(&member), kind, cache: None });
            continue;
        }
        for own in member.val.elements() {
            let parameters = either(own, "parametersJsonSchema").map(Raw::of);
            let kind = ToolKind::Function {
                name: text(own, "name").unwrap_or_default(),
                description: text(own, "description"),
                parameters: parameters.or_else(|| own.get("parameters").map(json_schema)),
                strict: None,
            };
            out.tools.push(Tool { at: body.at(own), kind, cache: None });
        }
    }
}

/// Gemini's own schemas name types in capitals; JSON Schema does not.
fn json_schema(val: Val<'_>) -> Raw {
    let mut out = Vec::with_capacity(val.raw().len());
    let mut at = val.start() as usize;
    lower_types(val, &mut at, &mut out);
    out.extend_from_slice(&val.record()[at..val.end() as usize]);
    Raw::new(out)
}

fn lower_types(val: Val<'_>, at: &mut usize, out: &mut Vec<u8>) {
    for member in val.members() {
        let own = member.val;
        if member.key.is(b"type") && own.kind() == NodeKind::String {
            out.extend_from_slice(&val.record()[*at..own.start() as usize]);
            out.extend(own.raw().to_ascii_lowercase());
            *at = own.end() as usize;
        } else {
            lower_types(own, at, out);
        }
    }
    val.elements().for_each(|element| lower_types(element, at, out));
}

fn content(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let model = val.get("role").is_some_and(|role| role.is("model"));
    let mut begun = false;
    let parts = val.get("parts").into_iter().flat_map(|parts| match parts.is_object() {
        true => vec![parts],
        false => parts.elements().collect(),
    });
    for part in parts {
        let block = block(body, part, out, losses);
        let voice = match block.what {
            What::Result(_) => Voice::Tool,
            _ if model => Voice::Assistant,
            _ => Voice::User,
        };
        let joins = begun || voice == Voice::Tool;
        out.add(voice, joins && out.messages.last().is_some_and(|last| last.voice == voice), block);
        begun = true;
    }
}

fn block(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) -> Block {
    let at = body.at(val);
    let signature = either(val, "thoughtSignature").and_then(Text::of_val);
    if either(val, "videoMetadata").is_some() {
        losses.add(LossKind::FIELD, at);
    }
    let thought = val.get("thought").and_then(|thought| thought.as_bool()).unwrap_or(false);
    let what = if let Some(text) = text(val, "text") {
        match thought {
            true => Some(reasoning(Maker::Google, vec![text], None)),
            false => Some(What::Text { text, citations: None }),
        }
    } else if let Some(own) = either(val, "functionCall") {
        Some(What::Call(call(own, out)))
    } else if let Some(own) = either(val, "functionResponse") {
        Some(What::Result(result(body, own, out)))
    } else {
        media(val).map(What::Media)
    };
    let server = || {
        let known = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
        let found = known.iter().any(|key| either(val, key).is_some());
        if found { ForeignKind::ServerTool } else { ForeignKind::Unknown }
    };
    let what = what.unwrap_or_else(|| What::Foreign(foreign(NAME, server(), val)));
    Block { signature, ..Block::new(what, at) }
}

fn call(own: Val<'_>, out: &Conversation) -> Call {
    let id = text(own, "id").filter(|id| !id.is_empty());
    Call {
        invented: id.is_none(),
        id: id.unwrap_or_else(|| Text::new(&format!("call_{}", out.calls()))),
        name: text(own, "name").unwrap_or_default(),
        input: own.get("args").map_or_else(|| Input::Json(Raw::new(*b"{}")), |args| Input::Json(Raw::of(args))),
        kind: CallKind::Function,
    }
}

fn result(body: &Body<'_>, own: Val<'_>, out: &mut Conversation) -> ToolResult {
    let name = text(own, "name");
    let id = text(own, "id").filter(|id| !id.is_empty());
    let id = id.or_else(|| out.open_call(name.as_ref())).unwrap_or_default();
    let (mut parts, mut is_error) = (Vec::new(), false);
    if let Some(response) = own.get("response") {
        let only = response.members().next().filter(|_| response.count() == 1);
        let told = only.filter(|only| only.val.is_string()).and_then(|only| match only.key.decode().as_ref() {
            b"output" => Text::of_val(only.val),
            b"error" => {
                is_error = true;
                Text::of_val(only.val)
            }
            _ => None,
        });
        parts.push(told.map_or_else(|| Part::Json(Raw::of(response)), Part::Text));
    }
    let media_parts = own.get("parts").into_iter().flat_map(|parts| parts.elements());
    parts.extend(media_parts.filter_map(|part| Some(Part::Media(media(part)?, body.at(part)))));
    ToolResult { id, name, parts, is_error, kind: CallKind::Function }
}

fn media(val: Val<'_>) -> Option<Media> {
    let (own, is_data) = match either(val, "inlineData") {
        Some(own) => (own, true),
        None => (either(val, "fileData")?, false),
    };
    let mime = either(own, "mimeType").and_then(Text::of_val);
    let kind = mime.as_ref().map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime.plain()));
    let source = if is_data {
        Source::Data(text(own, "data")?)
    } else {
        let uri = either(own, "fileUri").and_then(Text::of_val)?;
        let plain = uri.plain().into_owned();
        let public =
            plain.starts_with(b"http") && !plain.starts_with(b"https://generativelanguage.googleapis.com/");
        if public { Source::Url(uri) } else { Source::Id(uri, NAME) }
    };
    let name = either(own, "displayName").and_then(Text::of_val);
    Some(Media { name, ..Media::new(kind, source) }.mime(mime))
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
