//! From items of the Responses API to a conversation. Items that one response made are one message here: reasoning,
//! text and calls; outputs that stand together are one message, too.

use crate::dialect::{Body, Shape};
use crate::dialects::common::{citations, copied, foreign, media, other, said, set, text};
use crate::history::{Class, Kind};
use crate::json::{Member, Val};
use crate::neutral::{
    At, Block, Call, CallKind, Choice, Conversation, ForeignKind, Input, LossKind, Losses, Maker, MediaKind,
    OutputFormat, Part, Raw, Reasoning, Shared, Text, Tool, ToolKind, ToolResult, Voice, What,
};

use super::fields::{Fields, NAME};

/// Settings that both APIs of OpenAI have under one name.
pub const SHARED: [&str; 6] =
    ["metadata", "user", "service_tier", "prompt_cache_key", "prompt_cache_retention", "safety_identifier"];

pub fn lift(body: &Body<'_>, out: &mut Conversation, losses: &mut Losses) {
    match body.shape {
        Shape::Request => {
            for member in body.val.members().filter(|member| !member.val.is_null()) {
                request_member(body, &member, out, losses);
            }
        }
        Shape::List => body.val.elements().for_each(|val| item(body, val, out, losses)),
        Shape::Item => item(body, body.val, out, losses),
    }
}

fn request_member(body: &Body<'_>, member: &Member<'_>, out: &mut Conversation, losses: &mut Losses) {
    let val = member.val;
    let settings = &mut out.settings;
    match member.key.decode().as_ref() {
        b"model" => out.model = Text::of_val(val),
        b"instructions" => match Text::of_val(val) {
            Some(text) => out.instructions.push(Block::text(text, body.at(val))),
            // A response names its instructions as items.
            None => val.elements().for_each(|val| item(body, val, out, losses)),
        },
        b"input" => match Text::of_val(val) {
            Some(text) => out.add(Voice::User, false, Block::text(text, body.at(val))),
            None => val.elements().for_each(|val| item(body, val, out, losses)),
        },
        b"tools" => out.tools.extend(val.elements().map(|val| tool(body, val))),
        b"tool_choice" => match choice(val) {
            Some(choice) => settings.choice = set(choice, body, member),
            None => other(settings, body, member),
        },
        b"parallel_tool_calls" => settings.parallel = val.as_bool().and_then(|yes| set(yes, body, member)),
        b"store" => settings.store = val.as_bool().and_then(|yes| set(yes, body, member)),
        b"stream" => settings.stream = val.as_bool().and_then(|yes| set(yes, body, member)),
        b"temperature" => settings.temperature = copied(body, member),
        b"top_p" => settings.top_p = copied(body, member),
        b"max_output_tokens" => settings.max_tokens = copied(body, member),
        b"reasoning" => match text(val, "effort") {
            Some(effort) => settings.effort = set(effort, body, member),
            None => other(settings, body, member),
        },
        b"text" => match val.get("format").map(format) {
            Some(Some(format)) => settings.output = set(format, body, member),
            Some(None) => {}
            None => other(settings, body, member),
        },
        b"previous_response_id" | b"conversation" => settings.state.push(body.at_key(member)),
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
        Some(b"required") => Some(Choice::Required),
        Some(_) => None,
        None => match val.get("type")?.text()?.as_ref() {
            b"function" | b"custom" => text(val, "name").map(Choice::Tool),
            _ => None,
        },
    }
}

/// The form of the answer; plain text is none.
fn format(val: Val<'_>) -> Option<OutputFormat> {
    match val.get("type")?.text()?.as_ref() {
        b"json_object" => Some(OutputFormat::Json),
        b"json_schema" => Some(OutputFormat::Schema {
            name: text(val, "name"),
            description: text(val, "description"),
            schema: Raw::of(val.get("schema")?),
            strict: val.get("strict").and_then(|strict| strict.as_bool()),
        }),
        _ => None,
    }
}

fn tool(body: &Body<'_>, val: Val<'_>) -> Tool {
    let kind = match val.get("type").and_then(|kind| kind.text()).as_deref() {
        Some(b"function") => text(val, "name").map(|name| ToolKind::Function {
            name,
            description: text(val, "description"),
            parameters: val.get("parameters").filter(|p| p.is_object()).map(Raw::of),
            strict: val.get("strict").and_then(|strict| strict.as_bool()),
        }),
        Some(b"custom") => text(val, "name").map(|name| ToolKind::Custom {
            name,
            description: text(val, "description"),
            format: val.get("format").map(Raw::of),
        }),
        _ => None,
    };
    let kind = kind.unwrap_or_else(|| ToolKind::Foreign(foreign(NAME, ForeignKind::ServerTool, val)));
    Tool { at: body.at(val), kind, cache: None }
}

fn item(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let at = body.at(val);
    if let Some(text) = Text::of_val(val) {
        // A text alone is what the user says.
        return out.add(Voice::User, false, Block::text(text, at));
    }
    let kind = if val.is_object() { Fields::of(val).kind() } else { Kind::Unknown };
    let known_by_id = [Kind::Message, Kind::Reasoning].contains(&kind) || kind.is_call();
    if known_by_id && (val.get("id").is_some() || val.get("phase").is_some_and(|phase| !phase.is_null())) {
        losses.count(LossKind::ITEM_IDS, at);
    }
    let block = match kind {
        Kind::Message => return message(body, val, out, losses),
        Kind::Reasoning => What::Reasoning(reasoning(val)),
        _ if kind.is_call() => match call(val, kind, at, losses) {
            Some(call) => What::Call(call),
            None => kept(val, kind),
        },
        _ if kind.is_output() => match result(body, val, kind) {
            Some(result) => return out.add(Voice::Tool, true, Block::new(What::Result(result), at)),
            None => kept(val, kind),
        },
        _ => kept(val, kind),
    };
    out.add(Voice::Assistant, true, Block::new(block, at));
}

/// An item that no other dialect has.
fn kept(val: Val<'_>, kind: Kind) -> What {
    let what = match kind.class() {
        _ if kind == Kind::Compaction => ForeignKind::Compaction,
        Class::Hosted | Class::Call | Class::Output => ForeignKind::ServerTool,
        Class::Reference => ForeignKind::Reference,
        _ if kind == Kind::AdditionalTools => ForeignKind::ServerTool,
        _ => ForeignKind::Unknown,
    };
    What::Foreign(foreign(NAME, what, val))
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Conversation, losses: &mut Losses) {
    let voice = match val.get("role").and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Voice::Assistant,
        Some(b"system") => Voice::System,
        Some(b"developer") => Voice::Developer,
        _ => Voice::User,
    };
    // The text of a response belongs to its reasoning and its calls; a second text is a message of its own.
    let joins = voice == Voice::Assistant
        && out.messages.last().is_some_and(|last| {
            let says = |block: &Block| matches!(block.what, What::Text { .. } | What::Refusal(_));
            last.calls().next().is_some() || !last.blocks.iter().any(says)
        });
    let Some(content) = val.get("content") else {
        return out.add(voice, joins, Block::text(Text::default(), body.at(val)));
    };
    let blocks: Vec<Block> = match Text::of_val(content) {
        Some(text) => vec![Block::text(text, body.at(val))],
        None => content.elements().map(|part| content_part(body, part)).collect(),
    };
    for part in content.elements().filter(|part| part.get("prompt_cache_breakpoint").is_some()) {
        losses.count(LossKind::CACHE_MARK, body.at(part));
    }
    for (n, block) in blocks.into_iter().enumerate() {
        out.add(voice, joins || n > 0, block);
    }
}

fn content_part(body: &Body<'_>, val: Val<'_>) -> Block {
    let at = body.at(val);
    let what = match val.get("type").and_then(|kind| kind.text()).as_deref() {
        Some(b"input_text" | b"output_text" | b"text" | b"summary_text") | None => {
            text(val, "text").map(|text| What::Text { text, citations: citations(NAME, val.get("annotations")) })
        }
        Some(b"refusal") => text(val, "refusal").map(What::Refusal),
        _ => part_media(val).map(What::Media),
    };
    Block::new(what.unwrap_or_else(|| What::Foreign(foreign(NAME, ForeignKind::Unknown, val))), at)
}

fn part_media(val: Val<'_>) -> Option<crate::neutral::Media> {
    match val.get("type")?.text()?.as_ref() {
        b"input_image" | b"computer_screenshot" => {
            let found = media(MediaKind::Image, said(val, "image_url"), said(val, "file_id"), NAME)?;
            Some(crate::neutral::Media { detail: text(val, "detail"), ..found })
        }
        b"input_file" => {
            let url = said(val, "file_data").or_else(|| said(val, "file_url"));
            let found = media(MediaKind::File, url, said(val, "file_id"), NAME)?;
            Some(crate::neutral::Media { name: text(val, "filename"), ..found })
        }
        _ => None,
    }
}

fn reasoning(val: Val<'_>) -> Reasoning {
    let texts = |key: &str| -> Vec<Text> {
        let parts = val.get(key).into_iter().flat_map(|list| list.elements());
        parts.filter_map(|part| said(part, "text")).collect()
    };
    let (thoughts, seal) = (texts("content"), said(val, "encrypted_content"));
    // Who gives back the thoughts themselves wants them back as they are.
    let maker = if seal.is_none() && !thoughts.is_empty() { Maker::Plain(NAME) } else { Maker::OpenAi };
    let texts = if thoughts.is_empty() { texts("summary") } else { thoughts };
    Reasoning { maker, texts, seal, redacted: None }
}

fn call(val: Val<'_>, kind: Kind, at: At, losses: &mut Losses) -> Option<Call> {
    let id = said(val, "call_id").or_else(|| said(val, "id").filter(|_| kind == Kind::LocalShellCall))?;
    let builtin = |name: &str, key: &str| {
        let input = val.get(key).map_or_else(|| Raw::new(*b"{}"), Raw::of);
        Some((Text::new(name), Input::Json(input), CallKind::Builtin))
    };
    let (name, input, kind) = match kind {
        Kind::FunctionCall => {
            let input = Input::Text(text(val, "arguments").unwrap_or_default());
            (text(val, "name").unwrap_or_default(), input, CallKind::Function)
        }
        Kind::CustomToolCall => {
            let input = Input::Text(text(val, "input").unwrap_or_default());
            (text(val, "name").unwrap_or_default(), input, CallKind::Custom)
        }
        Kind::LocalShellCall => builtin("local_shell", "action")?,
        Kind::ShellCall => builtin("shell", "action")?,
        Kind::ApplyPatchCall => builtin("apply_patch", "operation")?,
        Kind::ComputerCall if val.get("action").is_some() => builtin("computer", "action")?,
        _ => return None,
    };
    for key in ["namespace", "caller"] {
        if val.get(key).is_some_and(|field| !field.is_null()) {
            losses.add(LossKind::FIELD, at);
        }
    }
    Some(Call { id, invented: false, name, input, kind })
}

fn result(body: &Body<'_>, val: Val<'_>, kind: Kind) -> Option<ToolResult> {
    let id = said(val, "call_id").or_else(|| said(val, "id").filter(|_| kind == Kind::LocalShellCallOutput))?;
    let call_kind = match kind {
        Kind::FunctionCallOutput => CallKind::Function,
        Kind::CustomToolCallOutput => CallKind::Custom,
        Kind::LocalShellCallOutput
        | Kind::ShellCallOutput
        | Kind::ApplyPatchCallOutput
        | Kind::ComputerCallOutput => CallKind::Builtin,
        _ => return None,
    };
    let output = val.get("output");
    let parts = match output {
        None => Vec::new(),
        Some(output) => match Text::of_val(output) {
            Some(text) => vec![Part::Text(text)],
            None if output.is_array() && call_kind != CallKind::Builtin => {
                output.elements().map(|part| result_part(body, part)).collect()
            }
            None if output.is_object() => vec![result_part(body, output)],
            None => vec![Part::Json(Raw::of(output))],
        },
    };
    let is_error =
        kind == Kind::ApplyPatchCallOutput && val.get("status").is_some_and(|status| status.is("failed"));
    Some(ToolResult { id, name: None, parts, is_error, kind: call_kind })
}

fn result_part(body: &Body<'_>, val: Val<'_>) -> Part {
    match val.get("type").and_then(|kind| kind.text()).as_deref() {
        Some(b"input_text" | b"output_text" | b"text") => Part::Text(text(val, "text").unwrap_or_default()),
        _ => match part_media(val) {
            Some(media) => Part::Media(media, body.at(val)),
            None => Part::Json(Raw::of(val)),
        },
    }
}
