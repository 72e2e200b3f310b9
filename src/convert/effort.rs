//! How hard to think: as a word, or as a number of tokens, whichever the target's model takes.

use crate::message::{
    Capabilities, Choice, Effort, LossKind, Losses, Maker, Name, PartKind, Plain, Raw, Role, Text, Thread,
};

use super::able::{Able, Thinking};

/// The words that dialects know, from the least to the most. OpenAI's `none` is no effort.
const WORDS: [(&str, &[&str]); 5] = [
    ("chat", &["minimal", "low", "medium", "high", "xhigh"]),
    ("responses", &["minimal", "low", "medium", "high", "xhigh"]),
    ("anthropic", &["low", "medium", "high", "xhigh", "max"]),
    ("gemini", &["minimal", "low", "medium", "high", "xhigh"]),
    ("bedrock", &["low", "medium", "high", "xhigh", "max"]),
];
const ALL: [&str; 6] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/// The least budget that Anthropic takes.
/// https://docs.claude.com/en/docs/build-with-claude/extended-thinking
const LEAST: u32 = 1024;
/// What an answer is given beside its thoughts.
const ROOM: u32 = 4096;

pub fn fit(conversation: &mut Thread, capabilities: &Capabilities, able: &Able, losses: &mut Losses) {
    let Some(set) = conversation.settings.effort.as_mut() else { return };
    let at = set.at;
    let thinking = Thinking {
        word: able.thinking.word && capabilities.has(Name::Effort),
        budget: able.thinking.budget && capabilities.has(Name::Budget),
    };
    let fitted = match (&set.value, thinking) {
        // A model that never thinks need not be told so.
        (Effort::Off, Thinking { word: false, budget: false }) => None,
        (_, Thinking { word: false, budget: false }) => {
            return drop(conversation, LossKind::SETTING_REFUSED, losses);
        }
        (Effort::Level(word), Thinking { word: true, .. }) => {
            Some(Effort::Level(nearest(word, capabilities.dialect)))
        }
        (Effort::Level(word), _) => Some(Effort::Budget(Effort::budget_of(word))),
        (Effort::Budget(budget), Thinking { budget: true, .. }) => Some(Effort::Budget(*budget)),
        (Effort::Budget(budget), _) => Some(Effort::Level(Text::new(Effort::level_of(*budget)))),
        (Effort::Adaptive, _) if capabilities.has(Name::Budget) => Some(Effort::Adaptive),
        (Effort::Adaptive, _) => return drop(conversation, LossKind::HARMLESS_SETTING, losses),
        // Its newer models cannot be kept from thinking.
        (Effort::Off, Thinking { word: true, .. }) if !capabilities.thinks_off => {
            Some(Effort::Level(Text::new("minimal")))
        }
        (Effort::Off, _) => Some(Effort::Off),
    };
    let Some(fitted) = fitted else {
        conversation.settings.effort = None;
        return;
    };
    if fitted != set.value {
        losses.add(LossKind::EFFORT, at);
        set.value = fitted;
    }
    if let Effort::Budget(budget) = set.value
        && capabilities.wants_limit
    {
        within_limit(conversation, budget, losses);
    }
}

fn drop(conversation: &mut Thread, loss: LossKind, losses: &mut Losses) {
    if let Some(set) = conversation.settings.effort.take() {
        losses.add(loss, set.at);
    }
}

/// The word of a dialect that is nearest to one of another's; a word that none of them knows stays.
fn nearest(word: &Text, dialect: &str) -> Text {
    let plain = String::from_utf8_lossy(&word.plain()).to_ascii_lowercase();
    let Some((_, own)) = WORDS.iter().find(|(name, _)| *name == dialect) else { return word.clone() };
    let Some(rank) = ALL.iter().position(|known| *known == plain) else { return word.clone() };
    if own.contains(&plain.as_str()) {
        return Text::new(&plain);
    }
    let below = ALL.iter().take(rank).rev().find(|known| own.contains(known));
    Text::new(below.or(own.first()).copied().unwrap_or("low"))
}

/// A budget is a part of the limit of the answer, and a turn that thinks begins with signed thoughts.
fn within_limit(conversation: &mut Thread, budget: u32, losses: &mut Losses) {
    let forced = conversation.settings.choice.as_ref().is_some_and(|choice| {
        matches!(choice.value, Choice::Required | Choice::Tool(_) | Choice::Allowed { required: true, .. })
    });
    if forced || goes_on_unsigned(conversation) {
        return drop(conversation, LossKind::SETTING_REFUSED, losses);
    }
    let Some(set) = &mut conversation.settings.effort else { return };
    let at = set.at;
    let mut fitted = budget.max(LEAST);
    match conversation.settings.plain.iter().find(|plain| plain.name == Name::MaxTokens) {
        Some(plain) => {
            let limit = plain.value.number().unwrap_or(0.0);
            if limit <= f64::from(LEAST) {
                return drop(conversation, LossKind::SETTING_REFUSED, losses);
            }
            // Half of the limit is for the answer.
            if f64::from(fitted) >= limit {
                fitted = (limit as u32 / 2).max(LEAST);
            }
        }
        None => {
            let limit = fitted.saturating_add(ROOM);
            losses.add_with(LossKind::STUB_LIMIT, at, limit);
            let value = Raw::new(limit.to_string().into_bytes());
            conversation.settings.plain.push(Plain { name: Name::MaxTokens, value, at });
        }
    }
    if fitted != budget {
        losses.add(LossKind::CLAMPED, at);
        set.value = Effort::Budget(fitted);
    }
}

/// The last turn of the model calls tools, and its own thoughts are not there.
fn goes_on_unsigned(conversation: &Thread) -> bool {
    let said = |role| role == Role::User;
    let turn = conversation.messages.iter().rposition(|message| said(message.role)).map_or(0, |n| n + 1);
    let mut model = conversation.messages.iter().skip(turn).filter(|message| message.role == Role::Assistant);
    let signed = |what: &PartKind| matches!(what, PartKind::Reasoning(own) if own.maker == Maker::Anthropic && (own.seal.is_some() || own.redacted.is_some()));
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
            String::from_utf8_lossy(&nearest(&Text::new(word), dialect).plain()).into_owned()
        };
        assert_eq!(of("minimal", "anthropic"), "low");
        assert_eq!(of("max", "gemini"), "xhigh");
        assert_eq!(of("max", "chat"), "xhigh");
        assert_eq!(of("HIGH", "chat"), "high");
        assert_eq!(of("ludicrous", "chat"), "ludicrous");
    }
}
