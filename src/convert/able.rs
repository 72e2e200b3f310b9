//! What the target's model takes, beyond what its dialect can say.

use crate::dialect::{Dialect, Written};
use crate::target::{Target, Trait};
use crate::targets::{self, models};

use super::plan::Plan;

/// What a model takes, as far as its name and its server tell.
#[derive(Clone, Copy, Debug)]
pub struct Able {
    /// Who judges the result, where that is not the dialect's usual target.
    pub target: Option<&'static Target>,
    /// Takes temperature, `top_p` and `top_k`.
    pub sampling: Sampling,
    pub thinking: Thinking,
    /// Checks that calls are signed; `None` if nobody knows.
    pub signed_calls: Option<bool>,
    /// Results of calls may hold images and files, whatever the dialect's older models take.
    pub media_in_results: bool,
    /// Takes back what an open model thought.
    pub readable: bool,
    /// Wants what was thought, whoever thought it.
    pub wants_reasoning: bool,
    /// The member of a Chat message that holds it.
    pub thoughts: &'static str,
    /// The limit of an answer has its older name.
    pub old_limit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    Taken,
    Refused,
    /// Refused if the model is asked to think.
    UnlessThinking,
}

/// In which form a model takes how much it is to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thinking {
    pub word: bool,
    pub budget: bool,
}

impl Able {
    /// Of the model that the result names or will be sent to.
    pub fn of(plan: &Plan, model: Option<&str>) -> Able {
        let dialect = plan.to.info().name;
        let known = model.filter(|model| models::maker(model).is_none_or(|maker| models::serves(dialect, maker)));
        // Items name no model: whoever reads them knows nothing of it.
        let home = known.filter(|_| plan.written == Written::Request);
        let home = home.and_then(|model| models::home(model, dialect));
        let target = plan.target.filter(|target| target.dialect == dialect).or(home);
        let usual = target.or_else(|| usual(plan.to));
        let own = usual.map(|target| target.traits(known)).unwrap_or_default();
        let traits = own.with(known.map(models::traits).unwrap_or_default());
        let sampling = match () {
            () if traits.has(Trait::NoSampling) => Sampling::Refused,
            () if traits.has(Trait::NoSamplingWhenThinking) => Sampling::UnlessThinking,
            () => Sampling::Taken,
        };
        let (word, budget) = (traits.has(Trait::EffortByWord), traits.has(Trait::EffortByBudget));
        let unknown = !(word || budget || traits.has(Trait::NeverThinks));
        let is_openai = known.and_then(models::maker) == Some(models::Maker::OpenAi);
        let chat = dialect == "chat";
        let readable = match dialect {
            "chat" => {
                let renamed = traits.has(Trait::NamesItReasoning);
                (renamed || !traits.has(Trait::RefusesReasoning)) && !is_openai
            }
            "responses" => usual.is_some_and(|target| target.caps.bare_reasoning),
            _ => traits.has(Trait::UnsignedReasoning),
        };
        Able {
            target,
            sampling,
            thinking: Thinking { word: word || unknown, budget },
            signed_calls: known.and_then(models::maker).map(|_| traits.has(Trait::SignedCalls)),
            media_in_results: traits.has(Trait::MediaInResults),
            readable,
            wants_reasoning: traits.has(Trait::WantsReasoning),
            thoughts: if traits.has(Trait::NamesItReasoning) { "reasoning" } else { "reasoning_content" },
            old_limit: chat && !is_openai && target.is_some_and(|target| target.name != "chat"),
        }
    }
}

/// The target that a dialect's requests are judged by.
pub fn usual(dialect: &dyn Dialect) -> Option<&'static Target> {
    let openai = if dialect.info().name == "responses" { "openai" } else { dialect.info().name };
    targets::by_name(openai)
}
