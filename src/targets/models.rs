//! The vendor and the capabilities of a model, independent of its host: by the start of its name, as in the traits of a
//! target.
//!
//! Sources: the providers' pages on their models; https://docs.claude.com/en/docs/build-with-claude/effort and
//! extended-thinking, https://ai.google.dev/gemini-api/docs/thinking, https://platform.openai.com/docs/guides/reasoning.

use std::cell::RefCell;

use crate::target::{Target, Trait, Traits, matches_pattern, strip_vendor};

use super::by_name;

const NEVER: Traits = Traits::of(&[Trait::NeverThinks]);
const BUDGET: Traits = Traits::of(&[Trait::EffortByBudget]);
const BUDGET_OR_WORD: Traits = Traits::of(&[Trait::EffortByBudget, Trait::EffortByWord]);
const WORD: Traits = Traits::of(&[Trait::EffortByWord]);
const WORD_ALONE: Traits = WORD.and(Trait::NoSampling);

/// Claude up to 4.5: thinks only with a budget.
const CLAUDE_BUDGET: Traits = BUDGET.and(Trait::BudgetRestrictsOptions).and(Trait::NoAdaptiveThinking);
/// Since Claude 4.6, an assistant message at the end is not continued.
const NO_PREFILL: Traits = Traits::of(&[Trait::RefusesPrefill]);
const CLAUDE_4_6: Traits = BUDGET_OR_WORD.with(NO_PREFILL).and(Trait::BudgetRestrictsOptions);
/// Since Claude Opus 4.7, there are neither budgets nor sampling.
const CLAUDE_ADAPTIVE: Traits = WORD_ALONE.with(NO_PREFILL).and(Trait::NoBudget);
/// Thinks in every turn.
const CLAUDE_ALWAYS: Traits = Traits::of(&[Trait::AlwaysThinks, Trait::NoDisabledThinking, Trait::NoForcedTool]);
const HIGH_EFFORT_THINKS: Traits = Traits::of(&[Trait::HighEffortThinks]);
const STRICT_SCHEMAS: Traits = Traits::of(&[Trait::StrictSchemas]);
const ONE_SAMPLING: Traits = Traits::of(&[Trait::OneSampling]);

/// Capabilities of models; all matching rows apply.
const ABILITIES: &[(&str, Traits)] = &[
    ("claude-", Traits::of(&[Trait::NoBlankStops])),
    ("claude-2", NEVER),
    ("claude-instant", NEVER),
    ("claude-3-haiku", NEVER),
    ("claude-3-sonnet", NEVER),
    ("claude-3-opus", NEVER),
    ("claude-3-5-", NEVER),
    ("claude-3-7-", CLAUDE_BUDGET),
    ("claude-haiku-4", CLAUDE_BUDGET.and(Trait::OneSampling)),
    ("claude-sonnet-4$", CLAUDE_BUDGET),
    ("claude-sonnet-4@", CLAUDE_BUDGET),
    // Dated snapshots.
    ("claude-sonnet-4-2", CLAUDE_BUDGET),
    ("claude-sonnet-4-0", CLAUDE_BUDGET),
    ("claude-sonnet-4-5", CLAUDE_BUDGET.and(Trait::OneSampling)),
    ("claude-sonnet-4-6", CLAUDE_4_6.with(ONE_SAMPLING)),
    ("claude-opus-4$", CLAUDE_BUDGET),
    ("claude-opus-4@", CLAUDE_BUDGET),
    ("claude-opus-4-2", CLAUDE_BUDGET),
    ("claude-opus-4-0", CLAUDE_BUDGET),
    ("claude-opus-4-1", CLAUDE_BUDGET.with(ONE_SAMPLING)),
    ("claude-opus-4-5", CLAUDE_BUDGET.with(ONE_SAMPLING).and(Trait::EffortByWord)),
    ("claude-opus-4-6", CLAUDE_4_6),
    ("claude-opus-4-7", CLAUDE_ADAPTIVE),
    ("claude-opus-4-8", CLAUDE_ADAPTIVE),
    ("claude-opus-5", CLAUDE_ADAPTIVE.with(HIGH_EFFORT_THINKS)),
    ("claude-opus-5-5", CLAUDE_ALWAYS),
    ("claude-sonnet-5", CLAUDE_ADAPTIVE),
    ("claude-sonnet-5-5", Traits::of(&[Trait::ThinksBetweenTools, Trait::AlwaysThinks, Trait::NoForcedTool])),
    ("claude-haiku-5", CLAUDE_ADAPTIVE),
    ("claude-haiku-5-5", HIGH_EFFORT_THINKS),
    // A forced tool was rejected in June 2026, and accepted in September.
    ("claude-fable-", CLAUDE_ADAPTIVE.and(Trait::AlwaysThinks)),
    ("claude-fable-5-1", CLAUDE_ALWAYS),
    ("claude-mythos-", CLAUDE_ADAPTIVE.and(Trait::AlwaysThinks)),
    ("claude-mythos-5-1", CLAUDE_ALWAYS),
    // k3 ignores a request to stop thinking, k2.7-code rejects it.
    ("kimi-k3", Traits::of(&[Trait::AlwaysThinks, Trait::UnprovenReasoning])),
    ("kimi-k2.7-code", Traits::of(&[Trait::AlwaysThinks, Trait::NoDisabledThinking])),
    ("kimi-k2-thinking", Traits::of(&[Trait::AlwaysThinks])),
    ("glm-5.3", Traits::of(&[Trait::AlwaysThinks, Trait::NoDisabledThinking])),
    ("gemini-1", NEVER),
    ("gemini-2.0", NEVER),
    ("gemma", NEVER),
    ("gemini-2.5", BUDGET),
    ("gemini-3", BUDGET_OR_WORD.and(Trait::MediaInResults)),
    ("gemini-4", BUDGET_OR_WORD.and(Trait::MediaInResults)),
    ("gpt-4o", STRICT_SCHEMAS),
    ("gpt-4.1", STRICT_SCHEMAS),
    ("gpt-5", STRICT_SCHEMAS),
    ("gpt-6", STRICT_SCHEMAS),
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

/// Words for the effort that a model accepts, and Gemini's thinking levels, from the lowest to the highest; the first match
/// applies.
const EFFORTS: &[(&str, &[&str])] = &[
    ("claude-sonnet-4-6", &["low", "medium", "high", "max"]),
    ("claude-opus-4-6", &["low", "medium", "high", "max"]),
    ("gemini-1", &[]),
    ("gemini-2", &[]),
    ("gemini-3-pro", &["low", "high"]),
    ("gemini-3.1-pro", &["low", "medium", "high"]),
    ("gemini-3.1-flash-lite-image", &["minimal", "high"]),
    ("gemini-3.7", &["low", "medium", "high"]),
    ("gemini-3.8", &["low", "medium", "high"]),
    ("gemini-4", &["low", "medium", "high"]),
    ("gemini-3", &["minimal", "low", "medium", "high"]),
    ("kimi-k3", &["low", "high", "max"]),
    ("glm-5.3", &["low", "high", "max"]),
    ("grok-code-fast-1", &[]),
];

/// The words for the effort that a model accepts, from the lowest to the highest; `None` if they are not known.
pub fn efforts(model: &str) -> Option<&'static [&'static str]> {
    ModelFacts::of(model).efforts
}

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

type VendorRow = (&'static str, ModelVendor, &'static [&'static str]);

/// Vendors by the start of a model's name, and the targets of their own servers in the dialects that they speak. The
/// first match applies.
const VENDORS: &[VendorRow] = &[
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
    ("deepseek-flash", ModelVendor::Open, DEEPSEEK),
    ("deepseek-", ModelVendor::Open, &[]),
    ("mistral-", ModelVendor::Open, &["mistral"]),
    ("ministral-", ModelVendor::Open, &["mistral"]),
    ("magistral-", ModelVendor::Open, &["mistral"]),
    ("codestral-", ModelVendor::Open, &["mistral"]),
    ("devstral-", ModelVendor::Open, &["mistral"]),
    ("pixtral-", ModelVendor::Open, &["mistral"]),
    ("voxtral-", ModelVendor::Open, &["mistral"]),
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

/// What the tables say of a model.
#[derive(Clone, Copy)]
struct ModelFacts {
    traits: Traits,
    efforts: Option<&'static [&'static str]>,
    vendor: Option<&'static VendorRow>,
}

thread_local! {
    /// The model that was looked up last: the conversations of a file often have one.
    static LAST: RefCell<Option<(String, ModelFacts)>> = const { RefCell::new(None) };
}

impl ModelFacts {
    fn of(model: &str) -> ModelFacts {
        LAST.with_borrow_mut(|last| match last {
            Some((name, facts)) if name == model => *facts,
            _ => {
                let facts = ModelFacts::look_up(model);
                *last = Some((model.to_owned(), facts));
                facts
            }
        })
    }

    fn look_up(model: &str) -> ModelFacts {
        let model = strip_vendor(model);
        // Routers write the version of Claude with a dot.
        let dashed = model.starts_with("claude-").then(|| model.replace('.', "-"));
        let own = dashed.as_deref().unwrap_or(model);
        let fitting = ABILITIES.iter().filter(|(pattern, _)| matches_pattern(pattern, own));
        ModelFacts {
            traits: fitting.fold(Traits::default(), |all, (_, traits)| all.with(*traits)),
            efforts: EFFORTS.iter().find(|(pattern, _)| matches_pattern(pattern, model)).map(|(_, words)| *words),
            vendor: VENDORS.iter().find(|(pattern, ..)| matches_pattern(pattern, model)),
        }
    }
}

/// The capabilities of a model.
pub fn traits(model: &str) -> Traits {
    ModelFacts::of(model).traits
}

/// True if the options of a request reach the model as they are. A name with a vendor belongs to a router, which translates
/// or drops them.
fn is_direct(dialect: &str, model: &str) -> bool {
    let is_routed = ["chat", "responses"].contains(&dialect) && model.contains('/');
    !is_routed && vendor(model).is_none_or(|vendor| serves(dialect, vendor))
}

/// The capabilities of a model in a dialect. Where its vendor's API is not spoken, a router translates the options of a
/// request; only a message of the model at the end is passed on.
pub fn traits_in(dialect: &str, model: &str) -> Traits {
    let all = traits(model);
    match is_direct(dialect, model) {
        true => all,
        false if all.has(Trait::RefusesPrefill) => NO_PREFILL,
        false => Traits::default(),
    }
}

/// The words for the effort that a model accepts in a dialect; `None` if they are not known.
pub fn efforts_in(dialect: &str, model: &str) -> Option<&'static [&'static str]> {
    efforts(model).filter(|_| is_direct(dialect, model))
}

/// The vendor of a model; `None` if the name does not show it.
pub fn vendor(model: &str) -> Option<ModelVendor> {
    ModelFacts::of(model).vendor.map(|(_, vendor, _)| *vendor)
}

/// The vendor's own server for a model in a dialect. A name with a vendor prefix belongs to a router, one with a tag
/// suffix to a self-hosted server.
pub fn home_target(model: &str, dialect: &str) -> Option<&'static Target> {
    homes(model).find(|target| target.dialect == dialect)
}

/// The vendor's own server for a model that is not served in a dialect; `None` if it may be, or if that is not known.
pub fn foreign_home(model: &str, dialect: &str) -> Option<&'static Target> {
    let vendor = vendor(model).filter(|vendor| !serves(dialect, *vendor))?;
    homes(model).next().or_else(|| match vendor {
        ModelVendor::OpenAi => by_name("openai"),
        ModelVendor::Anthropic => by_name("anthropic"),
        ModelVendor::Google => by_name("gemini"),
        ModelVendor::Amazon => by_name("bedrock-nova"),
        ModelVendor::Open => None,
    })
}

fn homes(model: &str) -> impl Iterator<Item = &'static Target> {
    let is_own = !model.contains(['/', ':']);
    let vendor = ModelFacts::of(model).vendor.filter(|_| is_own);
    vendor.into_iter().flat_map(|(.., homes)| *homes).filter_map(|name| by_name(name))
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
        assert!(traits("anthropic/claude-opus-4.6").has(Trait::RefusesPrefill));
        assert_eq!(traits_in("chat", "claude-opus-4.8"), NO_PREFILL);
        assert_eq!(efforts("gemini-3.8-flash"), Some(&["low", "medium", "high"][..]));
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
