//! The features of the target's model, beyond the capabilities of its dialect.

use crate::dialect::{Dialect, OutputShape};
use crate::target::{Target, Trait};
use crate::targets::{self, models};

use super::plan::ConvertPlan;

/// The features of a model, as far as its name and its server show them.
#[derive(Clone, Copy, Debug)]
pub struct ModelSupport {
    /// The target that judges the result; `None`: the dialect's default target.
    pub target: Option<&'static Target>,
    /// It is Claude, on whichever server: a budget is part of the limit of output tokens, thinking excludes sampling, and the
    /// schemas of tools and answers have limits.
    pub is_claude: bool,
    /// The acceptance of temperature, `top_p` and `top_k`.
    pub sampling: Sampling,
    pub effort: EffortForms,
    /// The words for the effort, from the lowest to the highest; `None` if they are not known.
    pub efforts: Option<&'static [&'static str]>,
    /// Thinking cannot be turned off.
    pub always_thinks: bool,
    /// It thinks only if the request says so, and otherwise refuses thinking in the last message.
    pub thinks_if_asked: bool,
    /// Temperature and `top_p` are refused together.
    pub one_sampling: bool,
    /// A forced tool is refused.
    pub no_forced_tool: bool,
    /// Stop sequences without a visible character are refused.
    pub no_blank_stops: bool,
    /// It checks that calls are signed; `None` if that is not known.
    pub signed_calls: Option<bool>,
    /// Results of calls may contain images and files, even if the dialect's older models refuse them.
    pub media_in_results: bool,
    /// Parts may have a resolution.
    pub part_resolution: bool,
    /// It accepts the reasoning of open models as plain text.
    pub plain_reasoning: bool,
    /// It requires reasoning, of whichever model.
    pub requires_reasoning: bool,
    /// The member of a Chat Completions message that contains reasoning.
    pub reasoning_key: &'static str,
    /// The limit of output tokens has its older name, `max_tokens`.
    pub legacy_limit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    Accepted,
    Refused,
    /// Refused if thinking is on.
    UnlessThinking,
}

/// The forms in which a model accepts the reasoning effort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffortForms {
    pub word: bool,
    pub budget: bool,
}

impl ModelSupport {
    /// The features of the model that the result names or will be sent to.
    pub fn of(plan: &ConvertPlan, model: Option<&str>) -> ModelSupport {
        let dialect = plan.dialect.info().name;
        let known = model.filter(|model| models::vendor(model).is_none_or(|maker| models::serves(dialect, maker)));
        // Items name no model, so that their reader cannot depend on it.
        let home = known.filter(|_| plan.shape == OutputShape::Request);
        let home = home.and_then(|model| models::home_target(model, dialect));
        let target = plan.target.filter(|target| target.dialect == dialect).or(home);
        let usual = target.or_else(|| default_target(plan.dialect));
        // As `check` judges a result that names it.
        let own = usual.map(|target| target.traits(model)).unwrap_or_default();
        let traits = own.with(known.map(models::traits).unwrap_or_default());
        let sampling = match () {
            () if traits.has(Trait::NoSampling) => Sampling::Refused,
            () if traits.has(Trait::NoSamplingWhenThinking) => Sampling::UnlessThinking,
            () => Sampling::Accepted,
        };
        let efforts = known.and_then(models::efforts);
        let word = traits.has(Trait::EffortByWord) && efforts.is_none_or(|words| !words.is_empty());
        let budget = traits.has(Trait::EffortByBudget);
        let unknown = !(word || budget || traits.has(Trait::NeverThinks));
        let maker = known.and_then(models::vendor);
        let is_openai = maker == Some(models::ModelVendor::OpenAi);
        let chat = dialect == "chat";
        let plain_reasoning = match dialect {
            "chat" => {
                let renamed = traits.has(Trait::CallsItReasoning);
                (renamed || !traits.has(Trait::RefusesReasoning)) && !is_openai
            }
            "responses" => usual.is_some_and(|target| target.caps.bare_reasoning),
            _ => traits.has(Trait::UnsignedReasoning),
        };
        ModelSupport {
            target,
            is_claude: dialect == "anthropic" || maker == Some(models::ModelVendor::Anthropic),
            sampling,
            effort: EffortForms { word: word || unknown && efforts.is_none_or(|words| !words.is_empty()), budget },
            efforts,
            always_thinks: traits.has(Trait::AlwaysThinks),
            thinks_if_asked: known.is_some() && traits.has(Trait::NoAdaptiveThinking),
            one_sampling: traits.has(Trait::OneSampling),
            no_forced_tool: traits.has(Trait::NoForcedTool),
            no_blank_stops: traits.has(Trait::NoBlankStops),
            signed_calls: maker.map(|_| traits.has(Trait::SignedCalls)),
            media_in_results: traits.has(Trait::MediaInResults),
            // Both came with Gemini 3.
            part_resolution: dialect == "gemini" && traits.has(Trait::MediaInResults),
            plain_reasoning,
            requires_reasoning: traits.has(Trait::WantsReasoning),
            reasoning_key: if traits.has(Trait::CallsItReasoning) { "reasoning" } else { "reasoning_content" },
            legacy_limit: chat && !is_openai && target.is_some_and(|target| target.name != "chat"),
        }
    }
}

/// The target that judges a dialect's requests by default.
pub fn default_target(dialect: &dyn Dialect) -> Option<&'static Target> {
    let openai = if dialect.info().name == "responses" { "openai" } else { dialect.info().name };
    targets::by_name(openai)
}
