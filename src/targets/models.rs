//! Whose a model is, and what it takes, whoever hosts it: by the start of its name, as in the traits of a target.
//!
//! Sources: the providers' pages on their models; https://docs.claude.com/en/docs/build-with-claude/effort and
//! extended-thinking, https://ai.google.dev/gemini-api/docs/thinking, https://platform.openai.com/docs/guides/reasoning.

use crate::target::{Target, Trait, Traits, bare, fits};

use super::by_name;

const NEVER: Traits = Traits::of(&[Trait::NeverThinks]);
const BUDGET: Traits = Traits::of(&[Trait::EffortByBudget]);
const EITHER: Traits = Traits::of(&[Trait::EffortByBudget, Trait::EffortByWord]);
const WORD: Traits = Traits::of(&[Trait::EffortByWord]);
const WORD_ALONE: Traits = WORD.and(Trait::NoSampling);

/// What models take; all rows that fit count.
const ABILITIES: &[(&str, Traits)] = &[
    ("claude-2", NEVER),
    ("claude-instant", NEVER),
    ("claude-3-haiku", NEVER),
    ("claude-3-sonnet", NEVER),
    ("claude-3-opus", NEVER),
    ("claude-3-5-", NEVER),
    ("claude-3-7-", BUDGET),
    ("claude-haiku-4", BUDGET),
    ("claude-sonnet-4$", BUDGET),
    ("claude-sonnet-4@", BUDGET),
    // Dated snapshots.
    ("claude-sonnet-4-2", BUDGET),
    ("claude-sonnet-4-0", BUDGET),
    ("claude-sonnet-4-5", BUDGET),
    ("claude-sonnet-4-6", EITHER),
    ("claude-opus-4$", BUDGET),
    ("claude-opus-4@", BUDGET),
    ("claude-opus-4-2", BUDGET),
    ("claude-opus-4-0", BUDGET),
    ("claude-opus-4-1", BUDGET),
    ("claude-opus-4-5", EITHER),
    ("claude-opus-4-6", EITHER),
    ("claude-opus-4-7", WORD_ALONE),
    ("claude-opus-4-8", WORD_ALONE),
    ("claude-opus-5", WORD_ALONE),
    ("claude-sonnet-5", WORD_ALONE),
    ("claude-haiku-5", WORD_ALONE),
    ("claude-fable-", WORD_ALONE),
    ("claude-mythos-", WORD_ALONE),
    ("gemini-1", NEVER),
    ("gemini-2.0", NEVER),
    ("gemma", NEVER),
    ("gemini-2.5", BUDGET),
    ("gemini-3", EITHER.and(Trait::MediaInResults)),
    ("gemini-4", EITHER.and(Trait::MediaInResults)),
    ("gpt-3.5", NEVER),
    ("gpt-4", NEVER),
    ("chatgpt-", NEVER),
    ("gpt-5-chat", NEVER),
    ("o1", WORD_ALONE),
    ("o3", WORD_ALONE),
    ("o4", WORD_ALONE),
    ("gpt-5$", WORD_ALONE),
    ("gpt-5-2", WORD_ALONE),
    ("gpt-5-mini", WORD_ALONE),
    ("gpt-5-nano", WORD_ALONE),
    ("gpt-5-codex", WORD_ALONE),
    ("gpt-5-pro", WORD_ALONE),
    ("gpt-5.", WORD.and(Trait::NoSamplingWhenThinking)),
    ("gpt-6", WORD.and(Trait::NoSamplingWhenThinking)),
];

/// Who makes a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    OpenAi,
    Anthropic,
    Google,
    Amazon,
    /// Its weights are open, or it is served in OpenAI's dialects.
    Open,
}

/// Makers by the start of a model's name, and the targets of their own servers in the dialects that they speak. The
/// first that fits holds.
const MAKERS: &[(&str, Maker, &[&str])] = &[
    ("gpt-oss", Maker::Open, &[]),
    ("gpt-", Maker::OpenAi, &[]),
    ("o1", Maker::OpenAi, &[]),
    ("o3", Maker::OpenAi, &[]),
    ("o4-", Maker::OpenAi, &[]),
    ("chatgpt-", Maker::OpenAi, &[]),
    ("codex-", Maker::OpenAi, &[]),
    ("computer-use-", Maker::OpenAi, &[]),
    ("claude", Maker::Anthropic, &[]),
    ("gemini-", Maker::Google, &[]),
    ("learnlm-", Maker::Google, &[]),
    ("gemma", Maker::Open, &[]),
    ("amazon.", Maker::Amazon, &[]),
    ("nova-", Maker::Amazon, &[]),
    ("deepseek-chat$", Maker::Open, DEEPSEEK),
    ("deepseek-reasoner$", Maker::Open, DEEPSEEK),
    ("deepseek-v", Maker::Open, DEEPSEEK),
    ("deepseek-", Maker::Open, &[]),
    ("mistral-", Maker::Open, &["mistral"]),
    ("ministral-", Maker::Open, &["mistral"]),
    ("magistral-", Maker::Open, &["mistral"]),
    ("codestral-", Maker::Open, &["mistral"]),
    ("devstral-", Maker::Open, &["mistral"]),
    ("pixtral-", Maker::Open, &["mistral"]),
    ("kimi-", Maker::Open, &["kimi"]),
    ("moonshot-", Maker::Open, &["kimi"]),
    ("glm-", Maker::Open, &["glm"]),
    ("minimax-", Maker::Open, &["minimax"]),
    ("MiniMax-", Maker::Open, &["minimax"]),
    ("grok-", Maker::Open, &["xai-chat", "xai"]),
    ("qwen", Maker::Open, &[]),
    ("llama", Maker::Open, &[]),
    ("meta-llama", Maker::Open, &[]),
];

const DEEPSEEK: &[&str] = &["deepseek-chat", "deepseek"];

/// What a model takes.
pub fn traits(model: &str) -> Traits {
    let model = bare(model);
    let fitting = ABILITIES.iter().filter(|(pattern, _)| fits(pattern, model));
    fitting.fold(Traits::default(), |all, (_, traits)| all.with(*traits))
}

/// Who makes a model; `None` if the name tells nobody.
pub fn maker(model: &str) -> Option<Maker> {
    let model = bare(model);
    MAKERS.iter().find(|(pattern, ..)| fits(pattern, model)).map(|(_, maker, _)| *maker)
}

/// The server of a model's own maker that speaks a dialect. A name with a vendor in front is a router's, one with a tag
/// behind it is on somebody's own machine.
pub fn home(model: &str, dialect: &str) -> Option<&'static Target> {
    let own = !model.contains(['/', ':']);
    let name = bare(model);
    let (.., homes) = MAKERS.iter().find(|(pattern, ..)| own && fits(pattern, name))?;
    homes.iter().filter_map(|name| by_name(name)).find(|target| target.dialect == dialect)
}

/// Whether a dialect is one in which a maker's models are served.
pub fn serves(dialect: &str, maker: Maker) -> bool {
    match dialect {
        "anthropic" => maker == Maker::Anthropic,
        "gemini" => maker == Maker::Google,
        "bedrock" => matches!(maker, Maker::Anthropic | Maker::Amazon | Maker::Open),
        _ => matches!(maker, Maker::OpenAi | Maker::Open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_makers_and_homes() {
        assert_eq!(maker("claude-opus-4-8"), Some(Maker::Anthropic));
        assert_eq!(maker("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), Some(Maker::Anthropic));
        assert_eq!(maker("openai/gpt-oss-120b"), Some(Maker::Open));
        assert_eq!(maker("m"), None);
        assert_eq!(home("deepseek-reasoner", "chat").map(|target| target.name), Some("deepseek-chat"));
        assert_eq!(home("deepseek-reasoner", "responses").map(|target| target.name), Some("deepseek"));
        assert!(home("deepseek/deepseek-chat", "chat").is_none());
    }

    #[test]
    fn every_home_is_a_target() {
        let named = MAKERS.iter().flat_map(|(.., homes)| *homes);
        named.for_each(|name| assert!(by_name(name).is_some(), "{name}"));
    }
}
