//! Fits what a request says beside its messages: tools and settings.

use std::collections::HashSet;

use crate::message::settings_map::Form;
use crate::message::{
    At, Capabilities, Choice, Effort, LossKind, Losses, Name, OutputFormat, PartKind, Plain, Raw,
    SearchCapabilities, Settings, Text, Thread, Tool, ToolKind, WebSearch,
};

use super::able::{Able, Sampling};
use super::effort;

/// What the client said to a tool of free text.
const FREE_TEXT: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
/// Nothing is known about the arguments of a tool that is only called.
const ANYTHING: &str = r#"{"type":"object"}"#;
/// The limit where the target wants one; every model takes it.
pub const LIMIT: u32 = 4096;

pub fn fit(conversation: &mut Thread, capabilities: &Capabilities, able: &Able, losses: &mut Losses) {
    tools(conversation, capabilities, losses);
    effort::fit(conversation, capabilities, able, losses);
    settings(conversation, capabilities, able, losses);
}

fn tools(conversation: &mut Thread, capabilities: &Capabilities, losses: &mut Losses) {
    let mut marks = capabilities.cache_marks.saturating_sub(marked(conversation));
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
        kind(tool, capabilities, losses)
    });
    if capabilities.wants_tools && conversation.tools.is_empty() {
        define_called_tools(conversation, losses);
    }
    if conversation.tools.is_empty()
        && let Some(choice) = conversation.settings.choice.take()
    {
        losses.add(LossKind::HARMLESS_SETTING, choice.at);
    }
}

/// Fits what a tool is; whether anything of it is left.
fn kind(tool: &mut Tool, capabilities: &Capabilities, losses: &mut Losses) -> bool {
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
            if limit(search, limits) {
                losses.add(LossKind::SEARCH_LIMIT, tool.at);
            }
            return true;
        }
        ToolKind::Client(client, foreign) if !own(foreign.dialect) => ToolKind::Function {
            name: Text::new(client.name),
            description: Some(Text::new(client.description)),
            parameters: Some(Raw::new(client.schema.as_bytes())),
        },
        ToolKind::Custom { name, description, .. } if !capabilities.custom_calls => ToolKind::Function {
            name: std::mem::take(name),
            description: description.take(),
            parameters: Some(Raw::new(FREE_TEXT.as_bytes())),
        },
        _ => return true,
    };
    losses.add(LossKind::CALL_AS_FUNCTION, tool.at);
    tool.kind = made;
    true
}

/// Takes away what the target's search cannot be limited by; whether there was something.
fn limit(search: &mut WebSearch, capabilities: &SearchCapabilities) -> bool {
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

fn marked(conversation: &Thread) -> usize {
    let messages = conversation.messages.iter().flat_map(|message| &message.parts);
    conversation.instructions.iter().chain(messages).filter(|block| block.cache.is_some()).count()
}

fn define_called_tools(conversation: &mut Thread, losses: &mut Losses) {
    let mut names: Vec<(Text, At)> = Vec::new();
    let mut named: HashSet<&Text> = HashSet::new();
    for block in conversation.messages.iter().flat_map(|message| &message.parts) {
        if let PartKind::Call(call) = &block.kind
            && named.insert(&call.name)
        {
            names.push((call.name.clone(), block.at));
        }
    }
    for (name, at) in names {
        losses.add(LossKind::STUB_TOOL, at);
        let parameters = Some(Raw::new(ANYTHING.as_bytes()));
        let kind = ToolKind::Function { name, description: None, parameters };
        conversation.tools.push(Tool::new(kind, at));
    }
}

fn settings(conversation: &mut Thread, capabilities: &Capabilities, able: &Able, losses: &mut Losses) {
    let at = first_place(conversation);
    let settings = &mut conversation.settings;
    shown_probabilities(settings, capabilities);
    settings.plain.retain(|plain| {
        let known = capabilities.has(plain.name);
        if !known && !is_usual(plain) {
            losses.add(Form::of(plain.name).map_or(LossKind::SETTING, |form| form.loss), plain.at);
        }
        known
    });
    macro_rules! keep {
        ($($field:ident: $name:ident),* $(,)?) => {
            $(if !capabilities.has(Name::$name) && let Some(set) = settings.$field.take() {
                losses.add(LossKind::SETTING, set.at);
            })*
        };
    }
    keep!(stop: Stop, choice: Choice, summary: Summary, output: Output);
    // Gemini knows summaries of thoughts only with and without.
    if capabilities.plain_summaries
        && let Some(set) = &settings.summary
        && !set.value.is("auto")
    {
        losses.add(LossKind::CLAMPED, set.at);
    }
    // That several tools may be called at once is usual everywhere.
    if !capabilities.has(Name::Parallel)
        && let Some(set) = settings.parallel.take().filter(|set| !set.value)
    {
        losses.add(LossKind::SETTING, set.at);
    }
    choice(settings, capabilities, losses);
    sampling(settings, capabilities, able, losses);
    limits(settings, capabilities, losses);
    output(settings, capabilities, losses);
    if capabilities.wants_limit && settings.get(Name::MaxTokens).is_none() {
        losses.add_with(LossKind::STUB_LIMIT, at, LIMIT);
        let value = Raw::new(LIMIT.to_string().into_bytes());
        settings.plain.push(Plain { name: Name::MaxTokens, value, at });
    }
    if able.old_limit
        && let Some(limit) = settings.get_mut(Name::MaxTokens)
    {
        limit.name = Name::OldLimit;
    }
    settings.others.drain(..).for_each(|other| losses.add(other.value, other.at));
    settings.state.drain(..).for_each(|at| losses.add(LossKind::SERVER_STATE, at));
}

/// Sessions hold no settings: whoever goes on with one has settings of its own.
pub fn lose(settings: &mut Settings, losses: &mut Losses) {
    for plain in settings.plain.drain(..).filter(|plain| !is_usual(plain)) {
        losses.add(Form::of(plain.name).map_or(LossKind::SETTING, |form| form.loss), plain.at);
    }
    let choice = settings.choice.take().filter(|set| !matches!(set.value, Choice::Auto));
    let effort = settings.effort.take().filter(|set| !matches!(set.value, Effort::Adaptive));
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

/// Says what holds if nothing is said.
fn is_usual(plain: &Plain) -> bool {
    let usual: &[&str] = match plain.name {
        Name::Answers => &["1"],
        Name::Logprobs | Name::Stream => &["false"],
        Name::FrequencyPenalty | Name::PresencePenalty | Name::TopLogprobs => &["0", "0.0"],
        _ => &[],
    };
    usual.iter().any(|usual| plain.value.is(usual))
}

/// Where probabilities have a switch, how many are shown says nothing without it.
fn shown_probabilities(settings: &mut Settings, capabilities: &Capabilities) {
    if capabilities.probability_switch
        && settings.get(Name::Logprobs).is_none()
        && let Some(at) = settings.get(Name::TopLogprobs).map(|plain| plain.at)
    {
        settings.plain.push(Plain { name: Name::Logprobs, value: Raw::new(*b"true"), at });
    }
}

fn choice(settings: &mut Settings, capabilities: &Capabilities, losses: &mut Losses) {
    let Some(choice) = &mut settings.choice else { return };
    match &choice.value {
        Choice::None if !capabilities.forbids_tools => {
            losses.add(LossKind::SETTING, choice.at);
            settings.choice = None;
        }
        Choice::Allowed { required, .. } if !capabilities.allowed_tools => {
            losses.add(LossKind::CHOICE_WIDENED, choice.at);
            choice.value = if *required { Choice::Required } else { Choice::Auto };
        }
        _ => {}
    }
}

fn sampling(settings: &mut Settings, capabilities: &Capabilities, able: &Able, losses: &mut Losses) {
    let thinks = match settings.effort.as_ref().map(|set| &set.value) {
        Some(Effort::Off) | None => false,
        // Words alone do not make Claude think, a budget does.
        Some(Effort::Level(_)) => !capabilities.wants_limit,
        Some(Effort::Budget(_) | Effort::Adaptive) => true,
    };
    let claude_thinks = thinks && capabilities.wants_limit;
    let refused = match able.sampling {
        Sampling::Refused => true,
        Sampling::UnlessThinking => thinks,
        Sampling::Taken => false,
    };
    for name in [Name::Temperature, Name::TopP, Name::TopK] {
        let one = |plain: &Plain| plain.value.number() == Some(1.0);
        let drops = refused || claude_thinks && !settings.get(name).is_some_and(one);
        // What is the model's own usual value is taken, and says nothing.
        if drops && let Some(plain) = settings.take(name).filter(|plain| name == Name::TopK || !one(plain)) {
            losses.add(LossKind::SETTING_REFUSED, plain.at);
        }
    }
    let hottest = f64::from(capabilities.hottest);
    if let Some(plain) = settings.get_mut(Name::Temperature)
        && plain.value.number().is_some_and(|value| value > hottest)
    {
        losses.add(LossKind::CLAMPED, plain.at);
        plain.value = Raw::new(capabilities.hottest.to_string().into_bytes());
    }
}

fn limits(settings: &mut Settings, capabilities: &Capabilities, losses: &mut Losses) {
    if let Some(plain) = settings.get_mut(Name::MaxTokens)
        && plain.value.number().is_some_and(|value| value < f64::from(capabilities.least_limit))
    {
        losses.add(LossKind::CLAMPED, plain.at);
        plain.value = Raw::new(capabilities.least_limit.to_string().into_bytes());
    }
    if let Some(stop) = &mut settings.stop
        && stop.value.len() > capabilities.stops
    {
        losses.add_with(LossKind::SURPLUS_STOPS, stop.at, capabilities.stops as u32);
        stop.value.truncate(capabilities.stops);
    }
}

fn output(settings: &mut Settings, capabilities: &Capabilities, losses: &mut Losses) {
    let Some(output) = &mut settings.output else { return };
    let at = output.at;
    match &mut output.value {
        OutputFormat::Json if !capabilities.json_mode => {
            losses.add(LossKind::SETTING, at);
            settings.output = None;
        }
        OutputFormat::Json => {}
        OutputFormat::Schema { name, description, strict, .. } => {
            // A schema needs a name where the dialect wants one; a name in it is as good as any.
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

fn first_place(conversation: &Thread) -> At {
    conversation.messages.first().map_or_else(At::default, |message| message.at)
}
