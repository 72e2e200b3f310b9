//! Reads items of the Responses API as a thread. The items of one response become one message: reasoning, text and calls;
//! adjacent outputs are one message, too.

use crate::dialect::{Body, BodyShape};
use crate::dialects::client_tools;
use crate::dialects::common::{citations, media, nonempty_text, opaque, pick_members, read_extras, text, texts};
use crate::dialects::known_members::report_unknown_members;
use crate::dialects::settings::{self, SettingMember, SettingsGrammar};
use crate::history::{Class, Kind};
use crate::json::{Val, name};
use crate::message::{
    CallInput, CallKind, CopiedSetting, EffortSetting, LossKind, Losses, MediaKind, OpaqueKind, OutputFormat,
    Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart, Role, SettingName, Text, Thread, Tool,
    ToolCall, ToolChoice, ToolKind, ToolResult, WebSearch,
};

use super::fields::{NAME, ResponsesFields};

pub fn read(body: &Body<'_>, out: &mut Thread, losses: &mut Losses) {
    match body.shape {
        BodyShape::Request => settings::read(body, &SETTINGS, out, losses),
        BodyShape::List => body.val.elements().for_each(|val| item(body, val, out, losses)),
        BodyShape::Item => item(body, body.val, out, losses),
    }
}

const SETTINGS: SettingsGrammar =
    SettingsGrammar { dialect: NAME, spell: settings::as_written, read_own: read_setting };

/// The entry of `include` that asks for log probabilities.
pub const LOGPROBS: &str = "message.output_text.logprobs";

fn read_setting(found: &SettingMember<'_, '_>, out: &mut Thread, losses: &mut Losses) -> bool {
    let (val, body) = (found.member.val, found.body);
    match found.path {
        "model" => (out.model, out.model_at) = (Text::of_val(val), Some(body.at(val))),
        "instructions" => match Text::of_val(val) {
            Some(text) => out.instructions.push(Part::text(text, body.at(val))),
            // The instructions of a response may be items.
            None => val.elements().for_each(|val| item(body, val, out, losses)),
        },
        "input" => match Text::of_val(val) {
            Some(text) => out.add(Role::User, false, Part::text(text, body.at(val))),
            None => val.elements().for_each(|val| item(body, val, out, losses)),
        },
        "tools" => out.tools.extend(val.elements().map(|val| tool(body, val, losses))),
        "tool_choice" => match choice(val) {
            Some(choice) => out.settings.choice = found.set(choice),
            None => found.add_dialect_only(out),
        },
        "parallel_tool_calls" => match val.as_bool() {
            Some(yes) => out.settings.parallel = found.set(yes),
            None => found.add_dialect_only(out),
        },
        "reasoning.effort" => match Text::of_val(val) {
            Some(level) if level.is("none") => out.settings.effort = found.set(EffortSetting::Off),
            Some(level) => out.settings.effort = found.set(EffortSetting::Level(level)),
            None => found.add_dialect_only(out),
        },
        "reasoning.summary" | "reasoning.generate_summary" => {
            out.settings.summary = Text::of_val(val).and_then(|text| found.set(text));
        }
        "text.format" => match format(val) {
            Some(format) => out.settings.output = found.set(format),
            None if val.get(name::r#type).is_some_and(|kind| kind.is("text")) => {}
            None => found.add_dialect_only(out),
        },
        "include" => {
            let (logprobs, rest): (Vec<Val<'_>>, Vec<Val<'_>>) = val
                .elements()
                .partition(|own| own.text().is_some_and(|text| text.as_ref() == LOGPROBS.as_bytes()));
            if !logprobs.is_empty() {
                let at = body.at_key(found.member);
                out.settings.insert(CopiedSetting {
                    name: SettingName::Logprobs,
                    value: RawJson::new(*b"true"),
                    at,
                });
            }
            if !rest.is_empty() {
                found.add_dialect_only(out);
            }
        }
        _ => return false,
    }
    true
}

fn choice(val: Val<'_>) -> Option<ToolChoice> {
    match val.text().as_deref() {
        Some(b"auto") => Some(ToolChoice::Auto),
        Some(b"none") => Some(ToolChoice::None),
        Some(b"required") => Some(ToolChoice::Required),
        Some(_) => None,
        None => match val.get(name::r#type)?.text()?.as_ref() {
            b"function" | b"custom" => text(val, name::name).map(ToolChoice::Tool),
            b"allowed_tools" => {
                let names =
                    val.get(name::tools)?.elements().map(|tool| text(tool, name::name)).collect::<Option<_>>()?;
                let required = val.get(name::mode).is_some_and(|mode| mode.is("required"));
                Some(ToolChoice::Allowed { names, required })
            }
            _ => None,
        },
    }
}

/// The output format; `None` for plain text.
fn format(val: Val<'_>) -> Option<OutputFormat> {
    match val.get(name::r#type)?.text()?.as_ref() {
        b"json_object" => Some(OutputFormat::Json),
        b"json_schema" => Some(OutputFormat::Schema {
            name: text(val, name::name),
            description: text(val, name::description),
            schema: RawJson::of(val.get(name::schema)?),
            strict: val.get(name::strict).and_then(|strict| strict.as_bool()),
        }),
        _ => None,
    }
}

/// Members of a definition that are read.
const FUNCTION: [&str; 4] = ["type", "name", "description", "parameters"];
const CUSTOM: [&str; 4] = ["type", "name", "description", "format"];

fn tool(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Tool {
    let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let made = match kind.as_ref() {
        b"function" => text(val, name::name).map(|name| ToolKind::Function {
            name,
            description: text(val, name::description),
            parameters: val.get(name::parameters).filter(|p| p.is_object()).map(RawJson::of),
        }),
        b"custom" => text(val, name::name).map(|name| ToolKind::Custom {
            name,
            description: text(val, name::description),
            format: val.get(name::format).map(RawJson::of),
        }),
        _ => None,
    };
    match made {
        Some(made) => {
            let known = if matches!(made, ToolKind::Custom { .. }) { CUSTOM } else { FUNCTION };
            Tool { extras: read_extras(body, val, &known, losses), ..Tool::new(made, body.at(val)) }
        }
        None => Tool::new(provider_tool(val, &kind), body.at(val)),
    }
}

/// A tool that OpenAI defines.
fn provider_tool(val: Val<'_>, kind: &[u8]) -> ToolKind {
    let whole = opaque(NAME, OpaqueKind::ServerTool, val);
    if kind.starts_with(b"web_search") {
        let search = WebSearch {
            allowed: val.at(&["filters", "allowed_domains"]).map(texts).unwrap_or_default(),
            location: val.get(name::user_location).and_then(|own| pick_members(own, &client_tools::LOCATION)),
            context: nonempty_text(val, "search_context_size"),
            ..WebSearch::default()
        };
        return ToolKind::WebSearch(search, whole);
    }
    // A shell in the provider's container is not run by the client.
    let hosted = val
        .at(&["environment", "type"])
        .is_some_and(|kind| kind.is("container_auto") || kind.is("container_reference"));
    match client_tools::find(NAME, kind).filter(|_| !hosted) {
        Some(client) => ToolKind::Client(client, whole),
        None => ToolKind::Opaque(whole),
    }
}

/// The kind of an item for the table of known members.
fn item_kind_name(kind: Kind) -> &'static [u8] {
    match kind {
        Kind::Message => b"message",
        Kind::Reasoning => b"reasoning",
        Kind::FunctionCall => b"function_call",
        Kind::CustomToolCall => b"custom_tool_call",
        Kind::LocalShellCall | Kind::ShellCall | Kind::ApplyPatchCall | Kind::ComputerCall => b"builtin_call",
        kind if kind.is_output() => b"output",
        _ => b"",
    }
}

/// Reports members of a part that conversion does not read.
fn report_unknown_part_members(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    let kind = val.get(name::r#type).and_then(|kind| kind.text());
    report_unknown_members(body, val, "responses", kind.as_deref().unwrap_or(b"input_text"), losses);
    if let Some(mark) = val.member(name::prompt_cache_breakpoint).filter(|mark| !mark.val.is_null()) {
        losses.count(LossKind::CACHE_MARK, body.at_key(&mark));
    }
}

fn item(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    let at = body.at(val);
    if let Some(text) = Text::of_val(val) {
        // A bare text is a message of the user.
        return out.add(Role::User, false, Part::text(text, at));
    }
    let kind = if val.is_object() { ResponsesFields::of(val).kind() } else { Kind::Unknown };
    let known_by_id = [Kind::Message, Kind::Reasoning].contains(&kind) || kind.is_call();
    if known_by_id && val.get(name::id).is_some() {
        losses.count(LossKind::ITEM_IDS, at);
    }
    report_unknown_members(body, val, "responses", item_kind_name(kind), losses);
    let block = match kind {
        Kind::Message => return message(body, val, out, losses),
        Kind::Reasoning => PartKind::Reasoning(reasoning(val)),
        _ if kind.is_call() => match call(body, val, kind, losses) {
            Some(call) => PartKind::Call(call),
            None => opaque_item(val, kind),
        },
        _ if kind.is_output() => match result(body, val, kind, losses) {
            Some(result) => return out.add(Role::Tool, true, Part::new(PartKind::Result(result), at)),
            None => opaque_item(val, kind),
        },
        _ => opaque_item(val, kind),
    };
    out.add(Role::Assistant, true, Part::new(block, at));
}

/// A raw part for an item that no other dialect has.
fn opaque_item(val: Val<'_>, kind: Kind) -> PartKind {
    let what = match kind.class() {
        _ if kind == Kind::Compaction => OpaqueKind::Compaction,
        Class::Hosted | Class::Call | Class::Output => OpaqueKind::ServerTool,
        Class::Reference => OpaqueKind::Reference,
        _ if kind == Kind::AdditionalTools => OpaqueKind::ServerTool,
        _ => OpaqueKind::Unknown,
    };
    PartKind::Opaque(opaque(NAME, what, val))
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    let role = match val.get(name::role).and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Role::Assistant,
        Some(b"system") => Role::System,
        Some(b"developer") => Role::Developer,
        _ => Role::User,
    };
    // The text of a response joins its reasoning and its calls; a second text is a message of its own.
    let joins = role == Role::Assistant
        && out.messages.last().is_some_and(|last| {
            let says = |block: &Part| matches!(block.kind, PartKind::Text { .. } | PartKind::Refusal(_));
            last.calls().next().is_some() || !last.parts.iter().any(says)
        });
    let Some(content) = val.get(name::content) else {
        return out.add(role, joins, Part::text(Text::default(), body.at(val)));
    };
    let blocks: Vec<Part> = match Text::of_val(content) {
        Some(text) => vec![Part::text(text, body.at(val))],
        None => content.elements().map(|part| content_part(body, part)).collect(),
    };
    content.elements().for_each(|part| report_unknown_part_members(body, part, losses));
    let phase = val.get(name::phase).and_then(Text::of_val);
    for (n, block) in blocks.into_iter().enumerate() {
        out.add(role, joins || n > 0, Part { phase: phase.clone(), ..block });
    }
}

fn content_part(body: &Body<'_>, val: Val<'_>) -> Part {
    let at = body.at(val);
    let what = match val.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"input_text" | b"output_text" | b"text" | b"summary_text") | None => text(val, name::text)
            .map(|text| PartKind::Text { text, citations: citations(NAME, val.get(name::annotations)) }),
        Some(b"refusal") => text(val, name::refusal).map(PartKind::Refusal),
        _ => part_media(val).map(PartKind::from),
    };
    Part::new(what.unwrap_or_else(|| PartKind::Opaque(opaque(NAME, OpaqueKind::Unknown, val))), at)
}

fn part_media(val: Val<'_>) -> Option<crate::message::Media> {
    match val.get(name::r#type)?.text()?.as_ref() {
        b"input_image" | b"computer_screenshot" => {
            let found = media(
                MediaKind::Image,
                nonempty_text(val, name::image_url),
                nonempty_text(val, name::file_id),
                NAME,
            )?;
            Some(crate::message::Media { detail: text(val, name::detail), ..found })
        }
        b"input_file" => {
            let url = nonempty_text(val, name::file_data).or_else(|| nonempty_text(val, name::file_url));
            let found = media(MediaKind::File, url, nonempty_text(val, name::file_id), NAME)?;
            Some(crate::message::Media { name: text(val, name::filename), ..found })
        }
        _ => None,
    }
}

fn reasoning(val: Val<'_>) -> Reasoning {
    let texts = |key: &str| -> Vec<Text> {
        let parts = val.get(key).into_iter().flat_map(|list| list.elements());
        parts.filter_map(|part| nonempty_text(part, name::text)).collect()
    };
    let (thoughts, encrypted_content) = (texts("content"), nonempty_text(val, name::encrypted_content));
    // Servers that return the reasoning itself accept it as plain text.
    let provider = if encrypted_content.is_none() && !thoughts.is_empty() {
        ReasoningProvider::Open
    } else {
        ReasoningProvider::OpenAi
    };
    let texts = if thoughts.is_empty() { texts("summary") } else { thoughts };
    Reasoning { provider, texts, encrypted_content, redacted: None }
}

fn call(body: &Body<'_>, val: Val<'_>, kind: Kind, losses: &mut Losses) -> Option<ToolCall> {
    let id = nonempty_text(val, name::call_id)
        .or_else(|| nonempty_text(val, name::id).filter(|_| kind == Kind::LocalShellCall))?;
    let builtin = |name: &str, key: &str| {
        let input = val.get(key).map_or_else(|| RawJson::new(*b"{}"), RawJson::of);
        Some((Text::new(name), CallInput::Json(input), CallKind::Builtin))
    };
    let (name, input, kind) = match kind {
        Kind::FunctionCall => {
            let input = CallInput::Text(text(val, name::arguments).unwrap_or_default());
            (text(val, name::name).unwrap_or_default(), input, CallKind::Function)
        }
        Kind::CustomToolCall => {
            let input = CallInput::Text(text(val, name::input).unwrap_or_default());
            (text(val, name::name).unwrap_or_default(), input, CallKind::Custom)
        }
        Kind::LocalShellCall => builtin("local_shell", "action")?,
        Kind::ShellCall => builtin("shell", "action")?,
        Kind::ApplyPatchCall => builtin("apply_patch", "operation")?,
        Kind::ComputerCall if val.get(name::action).is_some() => builtin("computer", "action")?,
        _ => return None,
    };
    for key in ["namespace", "caller"] {
        if let Some(field) = val.member(key).filter(|field| !field.val.is_null()) {
            losses.add(LossKind::FIELD, body.at_key(&field));
        }
    }
    Some(ToolCall { id, has_synthetic_id: false, name, input, kind })
}

fn result(body: &Body<'_>, val: Val<'_>, kind: Kind, losses: &mut Losses) -> Option<ToolResult> {
    let id = nonempty_text(val, name::call_id)
        .or_else(|| nonempty_text(val, name::id).filter(|_| kind == Kind::LocalShellCallOutput))?;
    let call_kind = match kind {
        Kind::FunctionCallOutput => CallKind::Function,
        Kind::CustomToolCallOutput => CallKind::Custom,
        Kind::LocalShellCallOutput
        | Kind::ShellCallOutput
        | Kind::ApplyPatchCallOutput
        | Kind::ComputerCallOutput => CallKind::Builtin,
        _ => return None,
    };
    let output = val.get(name::output);
    output
        .into_iter()
        .flat_map(|output| output.elements())
        .for_each(|part| report_unknown_part_members(body, part, losses));
    let parts = match output {
        None => Vec::new(),
        Some(output) => match Text::of_val(output) {
            Some(text) => vec![ResultPart::Text(text)],
            None if output.is_array() && call_kind != CallKind::Builtin => {
                output.elements().map(|part| result_part(body, part)).collect()
            }
            None if output.is_object() => vec![result_part(body, output)],
            None => vec![ResultPart::Json(RawJson::of(output))],
        },
    };
    let is_error =
        kind == Kind::ApplyPatchCallOutput && val.get(name::status).is_some_and(|status| status.is("failed"));
    Some(ToolResult { id, name: None, parts, is_error, kind: call_kind })
}

fn result_part(body: &Body<'_>, val: Val<'_>) -> ResultPart {
    match val.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"input_text" | b"output_text" | b"text") => {
            ResultPart::Text(text(val, name::text).unwrap_or_default())
        }
        _ => match part_media(val) {
            Some(media) => ResultPart::media(media, body.at(val)),
            None => ResultPart::Json(RawJson::of(val)),
        },
    }
}
