//! Reads messages of Chat Completions as a thread, with the fields that vendors add: `reasoning_content`
//! (DeepSeek, Moonshot), `reasoning` and `reasoning_details` (OpenRouter), `cache_control`, Mistral's `thinking` and
//! `document_url`, Gemini's `extra_content`.

use crate::dialect::Body;
use crate::dialects::client_tools;
use crate::dialects::common::{citations, media, nonempty_text, opaque, pick_members, reasoning, text, texts};
use crate::dialects::known_members::report_unknown_members;
use crate::dialects::settings::{self, SettingMember, SettingsGrammar};
use crate::json::{Member, Val, name};
use crate::message::{
    CallInput, CallKind, CopiedSetting, EffortSetting, LossKind, Losses, Media, MediaKind, MediaSource, Message,
    OpaqueKind, OutputFormat, Part, PartKind, RawJson, Reasoning, ReasoningProvider, ResultPart, Role,
    SettingName, Text, Thread, Tool, ToolCall, ToolChoice, ToolKind, ToolResult, WebSearch,
};

use super::rows::NAME;
use super::tools::{function, tool};

pub fn read(body: &Body<'_>, out: &mut Thread, losses: &mut Losses) {
    settings::read_body(body, &SETTINGS, message, out, losses);
}

const SETTINGS: SettingsGrammar =
    SettingsGrammar { dialect: NAME, spell: settings::as_written, read_own: read_setting };

fn read_setting(found: &SettingMember<'_, '_>, out: &mut Thread, losses: &mut Losses) -> bool {
    let (val, body) = (found.member.val, found.body);
    match found.path {
        "model" => (out.model, out.model_at) = (Text::of_val(val), Some(body.at(val))),
        "messages" => val.elements().for_each(|val| message(body, val, out, losses)),
        "tools" => out.tools.extend(val.elements().map(|val| tool(body, val, losses))),
        "functions" if val.is_array() => {
            for val in val.elements() {
                match function(body, val, val, losses) {
                    Some(tool) => out.tools.push(tool),
                    None => losses.add(LossKind::UNKNOWN, body.at(val)),
                }
            }
        }
        "tool_choice" | "function_call" => match choice(val) {
            Some(choice) => out.settings.choice = found.set(choice),
            None => found.add_dialect_only(out),
        },
        "max_tokens" => {
            let at = body.at_key(found.member);
            out.settings.insert(CopiedSetting { name: SettingName::MaxTokens, value: RawJson::of(val), at });
        }
        "parallel_tool_calls" => match val.as_bool() {
            Some(yes) => out.settings.parallel = found.set(yes),
            None => found.add_dialect_only(out),
        },
        "stop" => out.settings.stop = found.set(texts(val)),
        "reasoning_effort" | "reasoning.effort" => match Text::of_val(val) {
            Some(level) if level.is("none") => out.settings.set_effort(found.set(EffortSetting::Off)),
            Some(level) => out.settings.set_effort(found.set(EffortSetting::Level(level))),
            None => found.add_dialect_only(out),
        },
        "reasoning.max_tokens" => {
            let budget = val.as_u64().map(|budget| budget.min(u64::from(u32::MAX)) as u32);
            out.settings.set_effort(budget.and_then(|budget| found.set(EffortSetting::Budget(budget))));
        }
        // DeepSeek, Moonshot, Z.AI; Alibaba and vLLM.
        "thinking" if val.get(name::r#type).is_some() => {
            let off = val.get(name::r#type).is_some_and(|kind| kind.is("disabled"));
            let effort = if off { EffortSetting::Off } else { EffortSetting::Adaptive };
            out.settings.set_effort(found.set(effort));
        }
        "enable_thinking" => match val.as_bool() {
            Some(on) => {
                let effort = if on { EffortSetting::Adaptive } else { EffortSetting::Off };
                out.settings.set_effort(found.set(effort));
            }
            None => found.add_dialect_only(out),
        },
        "response_format" => match format(val) {
            Some(format) => out.settings.output = found.set(format),
            None if val.get(name::r#type).is_some_and(|kind| kind.is("text")) => {}
            None => found.add_dialect_only(out),
        },
        "web_search_options" => {
            let location = val.at(&["user_location", "approximate"]);
            let search = WebSearch {
                location: location.and_then(|own| pick_members(own, &client_tools::LOCATION)),
                context: nonempty_text(val, "search_context_size"),
                ..WebSearch::default()
            };
            let at = body.at_key(found.member);
            let whole = opaque(NAME, OpaqueKind::ServerTool, val);
            out.tools.push(Tool::new(ToolKind::WebSearch(search, whole), at));
        }
        "modalities" if texts(val).iter().all(|text| text.is("text")) => {}
        _ => return false,
    }
    true
}

fn choice(val: Val<'_>) -> Option<ToolChoice> {
    match val.text().as_deref() {
        Some(b"auto") => Some(ToolChoice::Auto),
        Some(b"none") => Some(ToolChoice::None),
        Some(b"required" | b"any") => Some(ToolChoice::Required),
        Some(_) => None,
        None if val.get(name::allowed_tools).is_some() => {
            let own = val.get(name::allowed_tools)?;
            let tools = own.get(name::tools)?;
            let name = |tool: Val<'_>| {
                text(tool.get(name::function).or_else(|| tool.get(name::custom)).unwrap_or(tool), "name")
            };
            let required = own.get(name::mode).is_some_and(|mode| mode.is("required"));
            Some(ToolChoice::Allowed { names: tools.elements().map(name).collect::<Option<_>>()?, required })
        }
        None => {
            let named = val.get(name::function).or_else(|| val.get(name::custom)).unwrap_or(val);
            text(named, name::name).map(ToolChoice::Tool)
        }
    }
}

fn format(val: Val<'_>) -> Option<OutputFormat> {
    match val.get(name::r#type)?.text()?.as_ref() {
        b"json_object" => Some(OutputFormat::Json),
        b"json_schema" => {
            let own = val.get(name::json_schema)?;
            Some(OutputFormat::Schema {
                name: text(own, name::name),
                description: text(own, name::description),
                schema: RawJson::of(own.get(name::schema)?),
                strict: own.get(name::strict).and_then(|strict| strict.as_bool()),
            })
        }
        _ => None,
    }
}

/// The members of a message of the model or the user.
#[derive(Default)]
struct ChatMessageMembers<'t> {
    role: Option<Val<'t>>,
    name: Option<Val<'t>>,
    content: Option<Val<'t>>,
    annotations: Option<Val<'t>>,
    refusal: Option<Val<'t>>,
    audio: Option<Val<'t>>,
    calls: Option<Val<'t>>,
    old_call: Option<Val<'t>>,
    details: Option<Val<'t>>,
    /// Reasoning with signatures.
    signed: Option<Val<'t>>,
    /// Reasoning text under the name of most servers, and under that of the others.
    thoughts: [Option<Val<'t>>; 2],
    prefix: Option<Member<'t>>,
}

impl<'t> ChatMessageMembers<'t> {
    fn of(val: Val<'t>) -> Self {
        let mut said = ChatMessageMembers::default();
        for member in val.members() {
            let place = match member.key.decode().as_ref() {
                b"role" => &mut said.role,
                b"name" => &mut said.name,
                b"content" => &mut said.content,
                b"annotations" => &mut said.annotations,
                b"refusal" => &mut said.refusal,
                b"audio" => &mut said.audio,
                b"tool_calls" => &mut said.calls,
                b"function_call" => &mut said.old_call,
                b"reasoning_details" => &mut said.details,
                b"thinking_blocks" => &mut said.signed,
                b"reasoning_content" => &mut said.thoughts[0],
                b"reasoning" => &mut said.thoughts[1],
                b"prefix" => {
                    said.prefix = Some(member);
                    continue;
                }
                _ => continue,
            };
            *place = Some(member.val);
        }
        said
    }
}

/// The text of a value, unless it is empty.
fn nonempty(val: Option<Val<'_>>) -> Option<Text> {
    val.and_then(Text::of_val).filter(|text| !text.is_empty())
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    let said = ChatMessageMembers::of(val);
    let role = match said.role.and_then(|role| role.text()).as_deref() {
        Some(b"assistant") => Role::Assistant,
        Some(b"system") => Role::System,
        Some(b"developer") => Role::Developer,
        Some(b"tool" | b"function") => {
            report_unknown_members(body, val, "chat", b"tool", losses);
            let result = result(body, val, out, losses);
            // A result is cached as a whole: the last mark in it counts.
            let parts = val.get(name::content).into_iter().flat_map(|content| content.elements());
            let cache = parts.filter_map(|part| part.get(name::cache_control)).last().map(RawJson::of);
            return out.add(Role::Tool, true, Part { cache, ..Part::new(PartKind::Result(result), body.at(val)) });
        }
        _ => Role::User,
    };
    let is_model = role == Role::Assistant;
    report_unknown_members(body, val, "chat", if is_model { b"assistant" } else { b"user" }, losses);
    let mut message = Message::new(role, body.at(val));
    message.name = nonempty(said.name);
    if is_model {
        message.parts.extend(reasoning_parts(body, val, &said, losses));
    }
    match said.content {
        Some(content) if content.is_array() => {
            message.parts.extend(content.elements().map(|part| content_part(body, part, losses)));
        }
        Some(content) => {
            if let Some(text) = Text::of_val(content) {
                let citations = citations(NAME, said.annotations);
                // Citations are beside the text: the location of both is the message.
                let at = body.at(if citations.is_some() { val } else { content });
                message.parts.push(Part::new(PartKind::Text { text, citations }, at));
            }
        }
        None => {}
    }
    if let Some(refusal) = nonempty(said.refusal).filter(|_| is_model) {
        message.parts.push(Part::new(PartKind::Refusal(refusal), body.at(val)));
    }
    if let Some(audio) = said.audio.filter(|audio| audio.is_object() && is_model) {
        let id = text(audio, name::id).map(|id| Media::new(MediaKind::Audio, MediaSource::Id(id, NAME)));
        message.parts.extend(id.map(|audio_by_id| Part::new(PartKind::from(audio_by_id), body.at(audio))));
    }
    let before = message.parts.len();
    let calls = said.calls.filter(|_| is_model);
    let calls = calls.into_iter().flat_map(|calls| calls.elements());
    message.parts.extend(calls.map(|own| call(body, own, losses)));
    if let Some(own) = said.old_call.filter(|own| own.is_object() && is_model) {
        message.parts.push(Part::new(PartKind::Call(function_call(Text::default(), own)), body.at(own)));
    }
    number_calls(message.parts.iter_mut().skip(before), out);
    if let Some(prefix) = said.prefix.filter(|prefix| prefix.val.as_bool() == Some(true)) {
        losses.add(LossKind::FIELD, body.at_key(&prefix));
    }
    out.push(message);
}

/// Numbers calls without ids, those of the old form and of Ollama.
fn number_calls<'b>(calls: impl Iterator<Item = &'b mut Part>, out: &Thread) {
    let mut number = None;
    for block in calls {
        if let PartKind::Call(call) = &mut block.kind
            && call.id.is_empty()
        {
            let n = number.unwrap_or_else(|| out.calls());
            (call.id, call.has_synthetic_id) = (Text::new(&format!("call_{n}")), true);
            number = Some(n + 1);
        }
    }
}

/// The reasoning of a message, from whichever field the vendor uses.
fn reasoning_parts(
    body: &Body<'_>,
    val: Val<'_>,
    said: &ChatMessageMembers<'_>,
    losses: &mut Losses,
) -> Vec<Part> {
    let details: Vec<Part> = said
        .details
        .into_iter()
        .flat_map(|details| details.elements())
        .filter_map(|detail| Some(Part::new(reasoning_detail(detail)?, body.at(detail))))
        .collect();
    if !details.is_empty() {
        return details;
    }
    let signed: Vec<Part> = said
        .signed
        .into_iter()
        .flat_map(|blocks| blocks.elements())
        .filter_map(|block| Some(Part::new(thinking_block(block)?, body.at(block))))
        .collect();
    if !signed.is_empty() {
        // The same reasoning without signatures is beside them.
        let of_blocks = signed.iter().flat_map(|block| match &block.kind {
            PartKind::Reasoning(reasoning) => &reasoning.texts[..],
            _ => &[],
        });
        let of_blocks: Vec<u8> = of_blocks.flat_map(|text| text.plain().into_owned()).collect();
        for beside in said.thoughts.into_iter().flatten() {
            if nonempty(Some(beside)).is_some_and(|text| text.plain().as_ref() != of_blocks) {
                losses.add(LossKind::REASONING, body.at(beside));
            }
        }
        return signed;
    }
    let plain = said.thoughts.iter().find_map(|thought| nonempty(*thought));
    plain
        .map(|text| Part::new(reasoning(ReasoningProvider::Open, vec![text], None), body.at(val)))
        .into_iter()
        .collect()
}

/// A block of `thinking_blocks`, where LiteLLM keeps Anthropic's blocks.
fn thinking_block(block: Val<'_>) -> Option<PartKind> {
    let provider = ReasoningProvider::Anthropic;
    Some(match block.get(name::r#type)?.text()?.as_ref() {
        b"thinking" => reasoning(
            provider,
            nonempty_text(block, name::thinking).into_iter().collect(),
            nonempty_text(block, name::signature),
        ),
        b"redacted_thinking" => PartKind::Reasoning(Reasoning {
            provider,
            texts: Vec::new(),
            encrypted_content: None,
            redacted: nonempty_text(block, name::data),
        }),
        _ => return None,
    })
}

/// An entry of OpenRouter's `reasoning_details`, which name their format.
fn reasoning_detail(detail: Val<'_>) -> Option<PartKind> {
    let format = text(detail, name::format).unwrap_or_default().plain().into_owned();
    let provider = match format.split(|b| *b == b'-').next() {
        Some(b"openai") => ReasoningProvider::OpenAi,
        Some(b"anthropic") => ReasoningProvider::Anthropic,
        Some(b"google") => ReasoningProvider::Google,
        _ => ReasoningProvider::Open,
    };
    let texts =
        nonempty_text(detail, name::text).or_else(|| nonempty_text(detail, name::summary)).into_iter().collect();
    let encrypted_content = nonempty_text(detail, name::signature).or_else(|| nonempty_text(detail, name::data));
    // MiniMax's details have no type of their own.
    let kind = detail.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    Some(match (kind.as_ref(), provider) {
        // Encrypted reasoning of Anthropic is redacted thinking.
        (b"reasoning.encrypted", ReasoningProvider::Anthropic) => PartKind::Reasoning(crate::message::Reasoning {
            provider,
            texts: Vec::new(),
            encrypted_content: None,
            redacted: encrypted_content,
        }),
        (_, provider) => reasoning(provider, texts, encrypted_content),
    })
}

fn report_unknown_part_members(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    let kind = val.get(name::r#type).and_then(|kind| kind.text());
    report_unknown_members(body, val, "chat", kind.as_deref().unwrap_or(b"text"), losses);
    if let Some(mark) = val.member(name::prompt_cache_breakpoint).filter(|mark| !mark.val.is_null()) {
        losses.count(LossKind::CACHE_MARK, body.at_key(&mark));
    }
}

fn content_part(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Part {
    let at = body.at(val);
    let what = match val.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"text" | b"input_text" | b"output_text") | None => text(val, name::text)
            .map(|text| PartKind::Text { text, citations: citations(NAME, val.get(name::annotations)) }),
        Some(b"refusal") => text(val, name::refusal).map(PartKind::Refusal),
        Some(b"thinking") => {
            let parts = val.get(name::thinking).into_iter().flat_map(|list| list.elements());
            let texts = parts.filter_map(|part| nonempty_text(part, name::text)).collect();
            Some(reasoning(ReasoningProvider::Open, texts, None))
        }
        _ => part_media(val).map(PartKind::from),
    };
    let what = what.unwrap_or_else(|| PartKind::Opaque(opaque(NAME, OpaqueKind::Unknown, val)));
    if !matches!(what, PartKind::Opaque(_)) {
        report_unknown_part_members(body, val, losses);
    }
    Part { cache: val.get(name::cache_control).map(RawJson::of), ..Part::new(what, at) }
}

fn part_media(val: Val<'_>) -> Option<Media> {
    match val.get(name::r#type)?.text()?.as_ref() {
        b"image_url" => {
            let own = val.get(name::image_url)?;
            let url = Text::of_val(own).or_else(|| text(own, name::url))?;
            Some(Media { detail: text(own, name::detail), ..Media::of_url(MediaKind::Image, &url) })
        }
        b"input_audio" => {
            let own = val.get(name::input_audio)?;
            let form = text(own, name::format);
            let mime = form.map(|form| Text::of_raw([b"audio/", &*form.raw()].concat()));
            Some(Media::new(MediaKind::Audio, MediaSource::Data(text(own, name::data)?)).mime(mime))
        }
        b"file" => {
            let own = val.get(name::file)?;
            let found = media(
                MediaKind::File,
                nonempty_text(own, name::file_data),
                nonempty_text(own, name::file_id),
                NAME,
            )?;
            Some(Media { name: text(own, name::filename), ..found })
        }
        b"document_url" => {
            let found = Media::of_url(MediaKind::File, &text(val, "document_url")?);
            Some(Media { name: nonempty_text(val, "document_name"), ..found })
        }
        b"video_url" => Some(Media::of_url(MediaKind::Video, &text(val.get("video_url")?, "url")?)),
        _ => None,
    }
}

fn call(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Part {
    let id = text(val, name::id).unwrap_or_default();
    let call = match (val.get(name::function), val.get(name::custom)) {
        (None, Some(own)) => ToolCall {
            id,
            has_synthetic_id: false,
            name: text(own, name::name).unwrap_or_default(),
            input: CallInput::Text(text(own, name::input).unwrap_or_default()),
            kind: CallKind::Custom,
        },
        (own, _) => function_call(id, own.unwrap_or(val)),
    };
    let kind: &[u8] = if call.kind == CallKind::Custom { b"custom_call" } else { b"function_call" };
    if val.get(name::function).is_some() || val.get(name::custom).is_some() {
        report_unknown_members(body, val, "chat", kind, losses);
    }
    let signature =
        val.at(&["extra_content", "google"]).and_then(|google| nonempty_text(google, name::thought_signature));
    Part { signature, ..Part::new(PartKind::Call(call), body.at(val)) }
}

fn function_call(id: Text, own: Val<'_>) -> ToolCall {
    let input = match own.get(name::arguments) {
        // Ollama's arguments are a value.
        Some(object) if object.is_object() => CallInput::Json(RawJson::of(object)),
        _ => CallInput::Text(text(own, name::arguments).unwrap_or_default()),
    };
    ToolCall {
        id,
        has_synthetic_id: false,
        name: text(own, name::name).unwrap_or_default(),
        input,
        kind: CallKind::Function,
    }
}

fn result(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) -> ToolResult {
    val.get(name::content)
        .into_iter()
        .flat_map(|content| content.elements())
        .for_each(|part| report_unknown_part_members(body, part, losses));
    let name = nonempty_text(val, name::name).or_else(|| nonempty_text(val, name::tool_name));
    // Messages of the old form have no id, nor have Ollama's.
    let id = nonempty_text(val, name::tool_call_id).or_else(|| out.open_call(name.as_ref())).unwrap_or_default();
    let part = |part: Val<'_>| match part_media(part) {
        Some(media) => ResultPart::media(media, body.at(part)),
        None => match text(part, name::text) {
            Some(text) => ResultPart::Text(text),
            None => ResultPart::Json(RawJson::of(part)),
        },
    };
    let parts = match val.get(name::content) {
        Some(content) if content.is_array() => content.elements().map(part).collect(),
        Some(content) => Text::of_val(content).map(ResultPart::Text).into_iter().collect(),
        None => Vec::new(),
    };
    ToolResult { id, name, parts, is_error: false, kind: CallKind::Function }
}
