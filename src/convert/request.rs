//! Fits what a request says beside its messages: tools and settings.

use std::collections::HashSet;

use crate::neutral::{
    At, Choice, Conversation, LossKind, Losses, OutputFormat, Raw, Settings, Takes, Text, Tool, ToolKind, What,
};

/// What the client said to a tool of free text.
const FREE_TEXT: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
/// Nothing is known about the arguments of a tool that is only called.
const ANYTHING: &str = r#"{"type":"object"}"#;

pub fn fit(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    tools(conversation, takes, losses);
    settings(conversation, takes, losses);
}

fn tools(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    let mut marks = takes.cache_marks.saturating_sub(marked(conversation));
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
        match &mut tool.kind {
            ToolKind::Foreign(foreign) if foreign.dialect != takes.dialect => {
                losses.add(LossKind::SERVER_TOOL_DEFINITION, tool.at);
                return false;
            }
            ToolKind::Custom { name, description, .. } if !takes.custom_calls => {
                losses.add(LossKind::CALL_AS_FUNCTION, tool.at);
                tool.kind = ToolKind::Function {
                    name: std::mem::take(name),
                    description: description.take(),
                    parameters: Some(Raw::new(FREE_TEXT.as_bytes())),
                    strict: None,
                };
            }
            _ => {}
        }
        true
    });
    if takes.wants_tools && conversation.tools.is_empty() {
        define_called_tools(conversation, losses);
    }
    if conversation.tools.is_empty()
        && let Some(choice) = conversation.settings.choice.take()
    {
        losses.add(LossKind::HARMLESS_SETTING, choice.at);
    }
}

fn marked(conversation: &Conversation) -> usize {
    let messages = conversation.messages.iter().flat_map(|message| &message.blocks);
    conversation.instructions.iter().chain(messages).filter(|block| block.cache.is_some()).count()
}

fn define_called_tools(conversation: &mut Conversation, losses: &mut Losses) {
    let mut names: Vec<(Text, At)> = Vec::new();
    let mut named: HashSet<&Text> = HashSet::new();
    for block in conversation.messages.iter().flat_map(|message| &message.blocks) {
        if let What::Call(call) = &block.what
            && named.insert(&call.name)
        {
            names.push((call.name.clone(), block.at));
        }
    }
    for (name, at) in names {
        losses.add(LossKind::STUB_TOOL, at);
        let parameters = Some(Raw::new(ANYTHING.as_bytes()));
        let kind = ToolKind::Function { name, description: None, parameters, strict: None };
        conversation.tools.push(Tool { at, kind, cache: None });
    }
}

fn settings(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    let at = first_place(conversation);
    let settings = &mut conversation.settings;
    macro_rules! keep {
        ($($name:ident: $loss:ident),* $(,)?) => {
            $(if !takes.has_setting(stringify!($name)) && let Some(set) = settings.$name.take() {
                losses.add(LossKind::$loss, set.at);
            })*
        };
    }
    keep!(
        max_tokens: SETTING,
        temperature: SETTING,
        top_p: SETTING,
        top_k: SETTING,
        stop: SETTING,
        choice: SETTING,
        parallel: SETTING,
        store: HARMLESS_SETTING,
        stream: HARMLESS_SETTING,
        effort: SETTING,
        output: SETTING,
    );
    let forbids = settings.choice.as_ref().is_some_and(|choice| choice.value == Choice::None);
    if forbids
        && !takes.has_setting("choice_none")
        && let Some(choice) = settings.choice.take()
    {
        losses.add(LossKind::SETTING, choice.at);
    }
    if takes.wants_limit && settings.max_tokens.is_none() {
        losses.add(LossKind::STUB_LIMIT, at);
    }
    if !takes.has_setting("shared") {
        settings.shared.drain(..).for_each(|shared| losses.add(LossKind::HARMLESS_SETTING, shared.at));
    }
    for other in settings.others.drain(..) {
        losses.add(if other.value { LossKind::SETTING } else { LossKind::HARMLESS_SETTING }, other.at);
    }
    settings.state.drain(..).for_each(|at| losses.add(LossKind::SERVER_STATE, at));
    name_format(settings);
}

/// A schema needs a name where the dialect wants one; a name in it is as good as any.
fn name_format(settings: &mut Settings) {
    if let Some(output) = &mut settings.output
        && let OutputFormat::Schema { name, .. } = &mut output.value
    {
        name.get_or_insert_with(|| Text::new("answer"));
    }
}

fn first_place(conversation: &Conversation) -> At {
    conversation.messages.first().map_or_else(At::default, |message| message.at)
}
