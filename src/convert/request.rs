//! Fits the tools and settings of a request.

use foldhash::HashSet;

use crate::message::settings_map::{self, SettingRow};
use crate::message::{
    Capabilities, CopiedSetting, EffortSetting, LossKind, Losses, OutputFormat, PartKind, RawJson,
    RequestSettings, SearchCapabilities, SettingName, SourceLocation, Text, Thread, Tool, ToolChoice, ToolKind,
    WebSearch,
};

use super::effort;
use super::model_support::{ModelSupport, Sampling};
use super::schemas;

/// The schema of a free-text tool as a function.
const FREE_TEXT_SCHEMA: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
/// The schema of a tool that is called without a definition: nothing is known about its arguments.
const ANY_OBJECT_SCHEMA: &str = r#"{"type":"object"}"#;
/// The limit of output tokens where the target requires one; every model accepts it.
pub const DEFAULT_LIMIT: u32 = 4096;

pub fn fit(conversation: &mut Thread, capabilities: &Capabilities, support: &ModelSupport, losses: &mut Losses) {
    tools(conversation, capabilities, support, losses);
    effort::fit(conversation, capabilities, support, losses);
    settings(conversation, capabilities, support, losses);
}

fn tools(conversation: &mut Thread, capabilities: &Capabilities, support: &ModelSupport, losses: &mut Losses) {
    let mut marks = capabilities.cache_marks.saturating_sub(count_marks(conversation));
    conversation.tools.retain_mut(|tool| {
        if tool.cache.is_some() {
            match marks.checked_sub(1) {
                Some(left) => marks = left,
                None => {
                    losses.count(LossKind::CACHE_MARK, tool.at);
                    tool.cache = None;
                }
            }
        }
        tool.extras.retain(|extra| {
            let function = matches!(tool.kind, ToolKind::Function { .. });
            let known = function && extra.is_known_to(capabilities.dialect);
            if !known && !extra.is_default() {
                losses.add(LossKind::FIELD, extra.at);
            }
            known
        });
        let keeps = fit_tool_kind(tool, capabilities, losses);
        if keeps && support.is_claude {
            schemas::fit_tool(tool, losses);
        }
        keeps
    });
    if support.is_claude {
        schemas::fit_strict_tools(&mut conversation.tools, losses);
    }
    if capabilities.requires_tools && conversation.tools.is_empty() {
        define_called_tools(conversation, losses);
    }
    if conversation.tools.is_empty()
        && let Some(choice) = conversation.settings.choice.take()
    {
        losses.add(LossKind::HARMLESS_SETTING, choice.at);
    }
}

/// Fits the kind of a tool. Returns false if it is dropped.
fn fit_tool_kind(tool: &mut Tool, capabilities: &Capabilities, losses: &mut Losses) -> bool {
    let own = |dialect: &str| dialect == capabilities.dialect;
    let made = match &mut tool.kind {
        ToolKind::Opaque(foreign) if !own(foreign.dialect) => {
            losses.add(LossKind::SERVER_TOOL_DEFINITION, tool.at);
            return false;
        }
        ToolKind::WebSearch(search, foreign) if !own(foreign.dialect) => {
            let Some(limits) = &capabilities.web_search else {
                losses.add(LossKind::SERVER_TOOL_DEFINITION, tool.at);
                return false;
            };
            losses.add(LossKind::WEB_SEARCH, tool.at);
            if remove_limits(search, limits) {
                losses.add(LossKind::SEARCH_LIMIT, tool.at);
            }
            return true;
        }
        ToolKind::Client(client, foreign) if !own(foreign.dialect) => ToolKind::Function {
            name: Text::new(client.name),
            description: Some(Text::new(client.description)),
            parameters: Some(RawJson::new(client.schema.as_bytes())),
        },
        ToolKind::Custom { name, description, .. } if !capabilities.custom_calls => ToolKind::Function {
            name: std::mem::take(name),
            description: description.take(),
            parameters: Some(RawJson::new(FREE_TEXT_SCHEMA.as_bytes())),
        },
        _ => return true,
    };
    losses.add(LossKind::CALL_AS_FUNCTION, tool.at);
    tool.kind = made;
    true
}

/// Removes limits that the target's web search does not have. Returns whether there were any.
fn remove_limits(search: &mut WebSearch, capabilities: &SearchCapabilities) -> bool {
    let before = [
        !capabilities.allowed && !search.allowed.is_empty(),
        !capabilities.blocked && !search.blocked.is_empty(),
        !capabilities.location && search.location.is_some(),
        !capabilities.context && search.context.is_some(),
        !capabilities.max_uses && search.max_uses.is_some(),
    ];
    search.allowed.retain(|_| capabilities.allowed);
    search.blocked.retain(|_| capabilities.blocked);
    search.location = search.location.take().filter(|_| capabilities.location);
    search.context = search.context.take().filter(|_| capabilities.context);
    search.max_uses = search.max_uses.take().filter(|_| capabilities.max_uses);
    before.contains(&true)
}

fn count_marks(conversation: &Thread) -> usize {
    let messages = conversation.messages.iter().flat_map(|message| &message.parts);
    conversation.instructions.iter().chain(messages).filter(|block| block.cache.is_some()).count()
}

fn define_called_tools(conversation: &mut Thread, losses: &mut Losses) {
    let mut names: Vec<(Text, SourceLocation)> = Vec::new();
    let mut named: HashSet<&Text> = HashSet::default();
    for block in conversation.messages.iter().flat_map(|message| &message.parts) {
        if let PartKind::Call(call) = &block.kind
            && named.insert(&call.name)
        {
            names.push((call.name.clone(), block.at));
        }
    }
    for (name, at) in names {
        losses.add(LossKind::STUB_TOOL, at);
        let parameters = Some(RawJson::new(ANY_OBJECT_SCHEMA.as_bytes()));
        let kind = ToolKind::Function { name, description: None, parameters };
        conversation.tools.push(Tool::new(kind, at));
    }
}

fn settings(conversation: &mut Thread, capabilities: &Capabilities, support: &ModelSupport, losses: &mut Losses) {
    let at = first_place(conversation);
    let settings = &mut conversation.settings;
    turn_on_logprobs(settings, capabilities);
    settings.copied.retain(|plain| {
        let known = capabilities.has(plain.name);
        if !known && !is_default(plain) {
            losses.add(SettingRow::of(plain.name).map_or(LossKind::SETTING, |form| form.loss), plain.at);
        }
        known
    });
    macro_rules! keep {
        ($($field:ident: $name:ident),* $(,)?) => {
            $(if !capabilities.has(SettingName::$name) && let Some(set) = settings.$field.take() {
                losses.add(LossKind::SETTING, set.at);
            })*
        };
    }
    keep!(stop: Stop, choice: Choice, summary: Summary, output: Output);
    // Gemini's reasoning summaries are only on or off.
    if capabilities.summary_is_switch
        && let Some(set) = &settings.summary
        && !set.value.is("auto")
    {
        losses.add(LossKind::SUMMARY_LEVEL, set.at);
    }
    // Parallel calls are the default everywhere.
    if !capabilities.has(SettingName::Parallel)
        && let Some(set) = settings.parallel.take().filter(|set| !set.value)
    {
        losses.add(LossKind::SETTING, set.at);
    }
    service_tier(settings, capabilities, losses);
    choice(settings, capabilities, support, losses);
    sampling(settings, capabilities, support, losses);
    limits(settings, capabilities, support, losses);
    output(settings, capabilities, losses);
    if support.is_claude {
        schemas::fit_output(settings, losses);
    }
    if capabilities.requires_limit && settings.get(SettingName::MaxTokens).is_none() {
        losses.add_with(LossKind::STUB_LIMIT, at, DEFAULT_LIMIT);
        let value = RawJson::new(DEFAULT_LIMIT.to_string().into_bytes());
        settings.copied.push(CopiedSetting { name: SettingName::MaxTokens, value, at });
    }
    if support.legacy_limit
        && let Some(limit) = settings.get_mut(SettingName::MaxTokens)
    {
        limit.name = SettingName::LegacyMaxTokens;
    }
    settings.dialect_only.drain(..).for_each(|other| losses.add(other.value, other.at));
    settings.server_state.drain(..).for_each(|at| losses.add(LossKind::SERVER_STATE, at));
}

/// Reports all settings as lost: the agent that resumes a session has its own.
pub fn drop_all_settings(settings: &mut RequestSettings, losses: &mut Losses) {
    for plain in settings.copied.drain(..).filter(|plain| !is_default(plain)) {
        losses.add(SettingRow::of(plain.name).map_or(LossKind::SETTING, |form| form.loss), plain.at);
    }
    let choice = settings.choice.take().filter(|set| !matches!(set.value, ToolChoice::Auto));
    let effort = settings.effort.take().filter(|set| !matches!(set.value, EffortSetting::Adaptive));
    let parallel = settings.parallel.take().filter(|set| !set.value);
    let summary = settings.summary.take().filter(|set| !set.value.is("auto"));
    let others = [
        settings.stop.take().map(|set| set.at),
        settings.output.take().map(|set| set.at),
        choice.map(|set| set.at),
        effort.map(|set| set.at),
        parallel.map(|set| set.at),
        summary.map(|set| set.at),
    ];
    others.into_iter().flatten().for_each(|at| losses.add(LossKind::SETTING, at));
}

/// True if a setting has its default value.
fn is_default(plain: &CopiedSetting) -> bool {
    let defaults: &[&str] = match plain.name {
        SettingName::Answers => &["1"],
        SettingName::Logprobs | SettingName::Stream => &["false"],
        SettingName::FrequencyPenalty | SettingName::PresencePenalty | SettingName::TopLogprobs => &["0", "0.0"],
        _ => &[],
    };
    defaults.iter().any(|value| plain.value.is(value))
}

/// Turns log probabilities on where a number of them is set and the target has a switch.
fn turn_on_logprobs(settings: &mut RequestSettings, capabilities: &Capabilities) {
    if capabilities.probability_switch
        && settings.get(SettingName::Logprobs).is_none()
        && let Some(at) = settings.get(SettingName::TopLogprobs).map(|plain| plain.at)
    {
        settings.copied.push(CopiedSetting { name: SettingName::Logprobs, value: RawJson::new(*b"true"), at });
    }
}

/// Names the tier of the service as the target does, or drops it.
fn service_tier(settings: &mut RequestSettings, capabilities: &Capabilities, losses: &mut Losses) {
    let Some(own) = settings.get_mut(SettingName::ServiceTier) else { return };
    let text = own.value.bytes();
    let word = std::str::from_utf8(&text).ok().map(|text| text.trim_matches('"'));
    match word.and_then(|word| settings_map::service_tier(word, capabilities.dialect)) {
        Some(word) => own.value = RawJson::new(format!("\"{word}\"").into_bytes()),
        None => {
            let at = own.at;
            settings.remove(SettingName::ServiceTier);
            losses.add(LossKind::HARMLESS_SETTING, at);
        }
    }
}

fn choice(
    settings: &mut RequestSettings,
    capabilities: &Capabilities,
    support: &ModelSupport,
    losses: &mut Losses,
) {
    let Some(choice) = &mut settings.choice else { return };
    match &choice.value {
        ToolChoice::Required | ToolChoice::Tool(_) | ToolChoice::Allowed { required: true, .. }
            if support.no_forced_tool =>
        {
            losses.add(LossKind::SETTING_REFUSED, choice.at);
            settings.choice = None;
        }
        ToolChoice::None if !capabilities.forbids_tools => {
            losses.add(LossKind::SETTING, choice.at);
            settings.choice = None;
        }
        ToolChoice::Allowed { required, .. } if !capabilities.allowed_tools => {
            losses.add(LossKind::CHOICE_WIDENED, choice.at);
            choice.value = if *required { ToolChoice::Required } else { ToolChoice::Auto };
        }
        _ => {}
    }
}

fn sampling(
    settings: &mut RequestSettings,
    capabilities: &Capabilities,
    support: &ModelSupport,
    losses: &mut Losses,
) {
    let thinks = match settings.effort.as_ref().map(|set| &set.value) {
        Some(EffortSetting::Off) | None => false,
        // Only a budget turns thinking of Claude on, not a word.
        Some(EffortSetting::Level(_)) => !support.is_claude,
        Some(EffortSetting::Budget(_) | EffortSetting::Adaptive) => true,
    };
    let claude_thinks = thinks && support.is_claude;
    let refused = match support.sampling {
        Sampling::Refused => true,
        Sampling::UnlessThinking => thinks,
        Sampling::Accepted => false,
    };
    for name in [SettingName::Temperature, SettingName::TopP, SettingName::TopK] {
        let one = |plain: &CopiedSetting| plain.value.number() == Some(1.0);
        let drops = refused || claude_thinks && !settings.get(name).is_some_and(one);
        // The default value is accepted, and has no effect.
        if drops
            && let Some(plain) = settings.remove(name).filter(|plain| name == SettingName::TopK || !one(plain))
        {
            losses.add(LossKind::SETTING_REFUSED, plain.at);
        }
    }
    if support.one_sampling
        && settings.get(SettingName::Temperature).is_some()
        && let Some(plain) = settings.remove(SettingName::TopP)
    {
        losses.add(LossKind::SETTING_REFUSED, plain.at);
    }
    let max_temperature = f64::from(capabilities.max_temperature);
    if let Some(plain) = settings.get_mut(SettingName::Temperature)
        && plain.value.number().is_some_and(|value| value > max_temperature)
    {
        let most = capabilities.max_temperature.to_string();
        plain.value = RawJson::new(most.as_bytes());
        losses.add_change(LossKind::CLAMPED, plain.at, most);
    }
}

fn limits(
    settings: &mut RequestSettings,
    capabilities: &Capabilities,
    support: &ModelSupport,
    losses: &mut Losses,
) {
    if let Some(plain) = settings.get_mut(SettingName::MaxTokens)
        && plain.value.number().is_some_and(|value| value < f64::from(capabilities.min_output_limit))
    {
        let least = capabilities.min_output_limit.to_string();
        plain.value = RawJson::new(least.as_bytes());
        losses.add_change(LossKind::CLAMPED, plain.at, least);
    }
    if support.no_blank_stops
        && let Some(stop) = &mut settings.stop
    {
        let before = stop.value.len();
        stop.value.retain(|text| text.plain().iter().any(|byte| !byte.is_ascii_whitespace()));
        if stop.value.len() < before {
            losses.add(LossKind::SETTING_REFUSED, stop.at);
        }
        if stop.value.is_empty() {
            settings.stop = None;
        }
    }
    if let Some(stop) = &mut settings.stop
        && stop.value.len() > capabilities.max_stop_sequences
    {
        losses.add_with(LossKind::SURPLUS_STOPS, stop.at, capabilities.max_stop_sequences as u32);
        stop.value.truncate(capabilities.max_stop_sequences);
    }
}

fn output(settings: &mut RequestSettings, capabilities: &Capabilities, losses: &mut Losses) {
    let Some(output) = &mut settings.output else { return };
    let at = output.at;
    match &mut output.value {
        OutputFormat::Json if !capabilities.json_mode => {
            losses.add(LossKind::SETTING, at);
            settings.output = None;
        }
        OutputFormat::Json => {}
        OutputFormat::Schema { name, description, strict, .. } => {
            // Some dialects require a name of the schema; any will do.
            name.get_or_insert_with(|| Text::new("answer"));
            if description.is_some() && !capabilities.describes_schemas {
                losses.add(LossKind::SCHEMA_DESCRIPTION, at);
            }
            if strict.is_some() && !capabilities.strict_schemas {
                losses.add(LossKind::SCHEMA_STRICT, at);
            }
        }
    }
}

fn first_place(conversation: &Thread) -> SourceLocation {
    conversation.messages.first().map_or_else(SourceLocation::default, |message| message.at)
}
