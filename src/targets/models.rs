//! The vendor and the capabilities of a model, independent of its host: by the start of its name, as in the traits of a
//! target.
//!
//! Sources: the providers' pages on their models; https://docs.claude.com/en/docs/build-with-claude/effort and
//! extended-thinking, https://ai.google.dev/gemini-api/docs/thinking, https://platform.openai.com/docs/guides/reasoning.

use crate::target::{Target, Trait, Traits, matches_pattern, strip_vendor};

use super::by_name;

const NEVER: Traits = Traits::of(&[Trait::NeverThinks]);
const BUDGET: Traits = Traits::of(&[Trait::EffortByBudget]);
const BUDGET_OR_WORD: Traits = Traits::of(&[Trait::EffortByBudget, Trait::EffortByWord]);
const WORD: Traits = Traits::of(&[Trait::EffortByWord]);
const WORD_ALONE: Traits = WORD.and(Trait::NoSampling);

/// Capabilities of models; all matching rows apply.
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
    ("claude-sonnet-4-6", BUDGET_OR_WORD),
    ("claude-opus-4$", BUDGET),
    ("claude-opus-4@", BUDGET),
    ("claude-opus-4-2", BUDGET),
    ("claude-opus-4-0", BUDGET),
    ("claude-opus-4-1", BUDGET),
    ("claude-opus-4-5", BUDGET_OR_WORD),
    ("claude-opus-4-6", BUDGET_OR_WORD),
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
    ("gemini-3", BUDGET_OR_WORD.and(Trait::MediaInResults)),
    ("gemini-4", BUDGET_OR_WORD.and(Trait::MediaInResults)),
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

/// The vendor of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelVendor {
    OpenAi,
    Anthropic,
    Google,
    Amazon,
    /// Its weights are open, or it is served in OpenAI's dialects.
    Open,
}

/// Vendors by the start of a model's name, and the targets of their own servers in the dialects that they speak. The
/// first match applies.
const VENDORS: &[(&str, ModelVendor, &[&str])] = &[
    ("gpt-oss", ModelVendor::Open, &[]),
    ("gpt-", ModelVendor::OpenAi, &[]),
    ("o1", ModelVendor::OpenAi, &[]),
    ("o3", ModelVendor::OpenAi, &[]),
    ("o4-", ModelVendor::OpenAi, &[]),
    ("chatgpt-", ModelVendor::OpenAi, &[]),
    ("codex-", ModelVendor::OpenAi, &[]),
    ("computer-use-", ModelVendor::OpenAi, &[]),
    ("claude", ModelVendor::Anthropic, &[]),
    ("gemini-", ModelVendor::Google, &[]),
    ("learnlm-", ModelVendor::Google, &[]),
    ("gemma", ModelVendor::Open, &[]),
    ("amazon.", ModelVendor::Amazon, &[]),
    ("nova-", ModelVendor::Amazon, &[]),
    ("deepseek-chat$", ModelVendor::Open, DEEPSEEK),
    ("deepseek-reasoner$", ModelVendor::Open, DEEPSEEK),
    ("deepseek-v", ModelVendor::Open, DEEPSEEK),
    ("deepseek-", ModelVendor::Open, &[]),
    ("mistral-", ModelVendor::Open, &["mistral"]),
    ("ministral-", ModelVendor::Open, &["mistral"]),
    ("magistral-", ModelVendor::Open, &["mistral"]),
    ("codestral-", ModelVendor::Open, &["mistral"]),
    ("devstral-", ModelVendor::Open, &["mistral"]),
    ("pixtral-", ModelVendor::Open, &["mistral"]),
    ("kimi-", ModelVendor::Open, &["kimi"]),
    ("moonshot-", ModelVendor::Open, &["kimi"]),
    ("glm-", ModelVendor::Open, &["glm"]),
    ("minimax-", ModelVendor::Open, &["minimax"]),
    ("MiniMax-", ModelVendor::Open, &["minimax"]),
    ("grok-", ModelVendor::Open, &["xai-chat", "xai"]),
    ("qwen", ModelVendor::Open, &[]),
    ("llama", ModelVendor::Open, &[]),
    ("meta-llama", ModelVendor::Open, &[]),
];

const DEEPSEEK: &[&str] = &["deepseek-chat", "deepseek"];

/// The capabilities of a model.
pub fn traits(model: &str) -> Traits {
    let model = strip_vendor(model);
    let fitting = ABILITIES.iter().filter(|(pattern, _)| matches_pattern(pattern, model));
    fitting.fold(Traits::default(), |all, (_, traits)| all.with(*traits))
}

/// The vendor of a model; `None` if the name does not show it.
pub fn vendor(model: &str) -> Option<ModelVendor> {
    let model = strip_vendor(model);
    VENDORS.iter().find(|(pattern, ..)| matches_pattern(pattern, model)).map(|(_, vendor, _)| *vendor)
}

/// The vendor's own server for a model in a dialect. A name with a vendor prefix belongs to a router, one with a tag
/// suffix to a self-hosted server.
pub fn home_target(model: &str, dialect: &str) -> Option<&'static Target> {
    let own = !model.contains(['/', ':']);
    let name = strip_vendor(model);
    let (.., homes) = VENDORS.iter().find(|(pattern, ..)| own && matches_pattern(pattern, name))?;
    homes.iter().filter_map(|name| by_name(name)).find(|target| target.dialect == dialect)
}

/// True if the models of a vendor are served in a dialect.
pub fn serves(dialect: &str, vendor: ModelVendor) -> bool {
    match dialect {
        "anthropic" => vendor == ModelVendor::Anthropic,
        "gemini" => vendor == ModelVendor::Google,
        "bedrock" => matches!(vendor, ModelVendor::Anthropic | ModelVendor::Amazon | ModelVendor::Open),
        _ => matches!(vendor, ModelVendor::OpenAi | ModelVendor::Open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_identify_vendors_and_targets() {
        assert_eq!(vendor("claude-opus-4-8"), Some(ModelVendor::Anthropic));
        assert_eq!(vendor("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), Some(ModelVendor::Anthropic));
        assert_eq!(vendor("openai/gpt-oss-120b"), Some(ModelVendor::Open));
        assert_eq!(vendor("m"), None);
        assert_eq!(home_target("deepseek-reasoner", "chat").map(|target| target.name), Some("deepseek-chat"));
        assert_eq!(home_target("deepseek-reasoner", "responses").map(|target| target.name), Some("deepseek"));
        assert!(home_target("deepseek/deepseek-chat", "chat").is_none());
    }

    #[test]
    fn every_vendor_target_exists() {
        let named = VENDORS.iter().flat_map(|(.., homes)| *homes);
        named.for_each(|name| assert!(by_name(name).is_some(), "{name}"));
    }
}
