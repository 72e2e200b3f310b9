//! Reasoning effort: as a word or as a number of tokens, whichever the target's model accepts.

use crate::message::{
    Capabilities, CopiedSetting, EffortSetting, LossKind, Losses, Part, PartKind, RawJson, ReasoningProvider,
    Role, Setting, SettingName, Text, Thread, ToolChoice,
};

use super::model_support::{EffortForms, ModelSupport};

/// The effort words of each dialect, from the lowest to the highest. OpenAI's `none` counts as off.
const WORDS: [(&str, &[&str]); 5] = [
    ("chat", &["minimal", "low", "medium", "high", "xhigh"]),
    ("responses", &["minimal", "low", "medium", "high", "xhigh"]),
    ("anthropic", &["low", "medium", "high", "xhigh", "max"]),
    ("gemini", &["minimal", "low", "medium", "high"]),
    ("bedrock", &["low", "medium", "high", "xhigh", "max"]),
];
const LEVELS: [&str; 6] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/// The lowest budget that Anthropic accepts, in tokens.
/// https://docs.claude.com/en/docs/build-with-claude/extended-thinking
pub const MIN_BUDGET: u32 = 1024;
/// The tokens for the answer, in addition to those for thinking.
pub const ANSWER_TOKENS: u32 = 4096;

pub fn fit(conversation: &mut Thread, capabilities: &Capabilities, support: &ModelSupport, losses: &mut Losses) {
    if support.is_claude {
        fit_last_thinking(conversation, support, losses);
    }
    let Some(set) = conversation.settings.effort.as_mut() else { return };
    let at = set.at;
    let thinking = EffortForms {
        word: support.effort.word && capabilities.has(SettingName::Effort),
        budget: support.effort.budget && capabilities.has(SettingName::Budget),
    };
    let fitted = match (&set.value, thinking) {
        // A model that never thinks needs no setting for it.
        (EffortSetting::Off, EffortForms { word: false, budget: false }) => None,
        (_, EffortForms { word: false, budget: false }) => {
            return drop_effort(conversation, LossKind::SETTING_REFUSED, losses);
        }
        (EffortSetting::Level(word), EffortForms { word: true, .. }) => {
            Some(EffortSetting::Level(nearest(word, words(capabilities.dialect, support))))
        }
        (EffortSetting::Level(word), _) => Some(EffortSetting::Budget(EffortSetting::budget_of(word))),
        (EffortSetting::Budget(budget), EffortForms { budget: true, .. }) => Some(EffortSetting::Budget(*budget)),
        (EffortSetting::Budget(budget), _) => {
            let word = Text::new(EffortSetting::level_of(*budget));
            Some(EffortSetting::Level(nearest(&word, words(capabilities.dialect, support))))
        }
        (EffortSetting::Adaptive, _) if capabilities.has(SettingName::Budget) => Some(EffortSetting::Adaptive),
        (EffortSetting::Adaptive, _) => return drop_effort(conversation, LossKind::HARMLESS_SETTING, losses),
        // Thinking of its newer models cannot be turned off.
        (EffortSetting::Off, EffortForms { word: true, .. })
            if !capabilities.effort_can_be_off || support.always_thinks =>
        {
            let lowest = Text::new("minimal");
            Some(EffortSetting::Level(nearest(&lowest, words(capabilities.dialect, support))))
        }
        (EffortSetting::Off, _) => Some(EffortSetting::Off),
    };
    let Some(fitted) = fitted else {
        conversation.settings.effort = None;
        return;
    };
    let before = std::mem::replace(&mut set.value, fitted);
    if let EffortSetting::Budget(budget) = set.value
        && support.is_claude
    {
        fit_budget(conversation, budget, capabilities.requires_limit, losses);
    }
    if let Some(set) = &conversation.settings.effort
        && set.value != before
    {
        losses.add_change(LossKind::EFFORT, at, describe(&set.value));
    }
}

/// An effort in words.
fn describe(effort: &EffortSetting) -> String {
    match effort {
        EffortSetting::Off => "off".to_owned(),
        EffortSetting::Adaptive => "adaptive".to_owned(),
        EffortSetting::Level(word) => format!("\"{}\"", word.to_plain_string()),
        EffortSetting::Budget(budget) => format!("a budget of {budget} tokens"),
    }
}

/// Thinking in the last message of the model is refused unless the request enables thinking. A log says nothing of that,
/// but its model thought; where a setting rules thinking out, that of this message is dropped.
fn fit_last_thinking(conversation: &mut Thread, support: &ModelSupport, losses: &mut Losses) {
    let is_off = match conversation.settings.effort.as_ref().map(|set| &set.value) {
        Some(EffortSetting::Off) => !support.always_thinks,
        Some(_) => false,
        None => support.thinks_if_asked,
    };
    let messages = &conversation.messages;
    let Some(last) = messages.iter().rposition(|message| message.role == Role::Assistant) else { return };
    let before = messages.iter().take(last).rposition(|message| message.role != Role::Assistant);
    let first = before.map_or(0, |n| n + 1);
    let thinks = |part: &Part| matches!(part.kind, PartKind::Reasoning(_));
    let answer = || messages.iter().take(last + 1).skip(first).flat_map(|message| &message.parts);
    let Some(at) = answer().find(|part| thinks(part)).map(|part| part.at).filter(|_| is_off) else { return };
    let settings = &conversation.settings;
    let mut others =
        [SettingName::MaxTokens, SettingName::Temperature, SettingName::TopP, SettingName::TopK].iter();
    let is_open =
        settings.effort.is_none() && settings.choice.is_none() && others.all(|name| settings.get(*name).is_none());
    if is_open && answer().next().is_some_and(thinks) && !ends_in_unsigned_calls(conversation) {
        losses.add_with(LossKind::STUB_THINKING, at, MIN_BUDGET);
        conversation.settings.effort = Some(Setting { value: EffortSetting::Budget(MIN_BUDGET), at });
        return;
    }
    for message in conversation.messages.iter_mut().take(last + 1).skip(first) {
        message.parts.retain(|part| {
            if thinks(part) {
                losses.add(LossKind::REASONING, part.at);
            }
            !thinks(part)
        });
    }
    conversation.messages.retain(|message| !message.parts.is_empty());
}

fn drop_effort(conversation: &mut Thread, loss: LossKind, losses: &mut Losses) {
    if let Some(set) = conversation.settings.effort.take() {
        losses.add(loss, set.at);
    }
}

/// The words that a model accepts, or else its dialect.
fn words(dialect: &str, support: &ModelSupport) -> &'static [&'static str] {
    let of_dialect = || WORDS.iter().find(|(name, _)| *name == dialect).map(|(_, words)| *words);
    support.efforts.or_else(of_dialect).unwrap_or_default()
}

/// The nearest of some words to one of another dialect; an unknown word is kept.
fn nearest(word: &Text, own: &[&'static str]) -> Text {
    let plain = String::from_utf8_lossy(&word.plain()).to_ascii_lowercase();
    let Some(rank) = LEVELS.iter().position(|known| *known == plain) else { return word.clone() };
    if own.contains(&plain.as_str()) {
        return Text::new(&plain);
    }
    let below = LEVELS.iter().take(rank).rev().find(|known| own.contains(known));
    let chosen = below.copied().or_else(|| own.first().copied());
    chosen.map_or_else(|| word.clone(), Text::new)
}

/// Fits a budget into the limit of output tokens, of which it is a part. A turn with thinking must begin with signed
/// thinking.
fn fit_budget(conversation: &mut Thread, budget: u32, requires_limit: bool, losses: &mut Losses) {
    let forced = conversation.settings.choice.as_ref().is_some_and(|choice| {
        matches!(
            choice.value,
            ToolChoice::Required | ToolChoice::Tool(_) | ToolChoice::Allowed { required: true, .. }
        )
    });
    if forced || ends_in_unsigned_calls(conversation) {
        return drop_effort(conversation, LossKind::SETTING_REFUSED, losses);
    }
    let Some(set) = &mut conversation.settings.effort else { return };
    let at = set.at;
    let mut fitted = budget.max(MIN_BUDGET);
    match conversation.settings.copied.iter().find(|plain| plain.name == SettingName::MaxTokens) {
        Some(plain) => {
            let limit = plain.value.number().unwrap_or(0.0);
            if limit <= f64::from(MIN_BUDGET) {
                return drop_effort(conversation, LossKind::SETTING_REFUSED, losses);
            }
            // Half of the limit is for the answer.
            if f64::from(fitted) >= limit {
                fitted = (limit as u32 / 2).max(MIN_BUDGET);
            }
        }
        None if !requires_limit => {}
        None => {
            let limit = fitted.saturating_add(ANSWER_TOKENS);
            losses.add_with(LossKind::STUB_LIMIT, at, limit);
            let value = RawJson::new(limit.to_string().into_bytes());
            conversation.settings.copied.push(CopiedSetting { name: SettingName::MaxTokens, value, at });
        }
    }
    set.value = EffortSetting::Budget(fitted);
}

/// True if the last turn of the model calls tools without its signed thinking.
fn ends_in_unsigned_calls(conversation: &Thread) -> bool {
    let said = |role| role == Role::User;
    let turn = conversation.messages.iter().rposition(|message| said(message.role)).map_or(0, |n| n + 1);
    let mut model = conversation.messages.iter().skip(turn).filter(|message| message.role == Role::Assistant);
    let signed = |what: &PartKind| matches!(what, PartKind::Reasoning(own) if own.provider == ReasoningProvider::Anthropic && (own.encrypted_content.is_some() || own.redacted.is_some()));
    model.any(|message| {
        message.calls().next().is_some() && !message.parts.first().is_some_and(|block| signed(&block.kind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_the_nearest_ones() {
        let of = |word: &str, dialect| {
            let (_, own) = WORDS.iter().find(|(name, _)| *name == dialect).expect("a dialect");
            String::from_utf8_lossy(&nearest(&Text::new(word), own).plain()).into_owned()
        };
        assert_eq!(of("minimal", "anthropic"), "low");
        assert_eq!(of("max", "gemini"), "high");
        assert_eq!(of("max", "chat"), "xhigh");
        assert_eq!(of("HIGH", "chat"), "high");
        assert_eq!(of("ludicrous", "chat"), "ludicrous");
        let of_model = nearest(&Text::new("minimal"), &["low", "high"]);
        assert_eq!(String::from_utf8_lossy(&of_model.plain()), "low");
    }
}
