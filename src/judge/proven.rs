//! Rules that a provider's error message has confirmed (`--proven`). Their findings are errors, whatever the
//! verdict of the target, and where a rule depends on a trait of the server or model, the trait is set.

use crate::history::{Code, codes};
use crate::target::{Trait, Traits};

/// The traits that the error of a rule proves: a server or model that is not known for them has them then.
const PROVEN_TRAITS: &[(Code, Trait)] = &[
    (codes::ITEM_WITHOUT_REASONING, Trait::WantsReasoningBefore),
    (codes::CHAT_ROLE, Trait::NoDeveloper),
    (codes::CHAT_NULL_CONTENT, Trait::TextOnly),
    (codes::CHAT_MISSING_REASONING, Trait::WantsReasoning),
    (codes::CHAT_MISSING_REASONING, Trait::AlwaysThinks),
    (codes::CHAT_REFUSED_REASONING, Trait::RefusesReasoning),
    (codes::CHAT_ROLE_ORDER, Trait::RoleOrder),
    (codes::CHAT_ROLE_ORDER, Trait::OldMistralOrder),
    (codes::CHAT_LAST_ROLE, Trait::RoleOrder),
    (codes::CHAT_CALL_ID_FORM, Trait::NineCharIds),
    (codes::CHAT_TEMPLATE_ORDER, Trait::ChatTemplate),
    (codes::CHAT_TEMPLATE_ORDER, Trait::WantsUser),
    (codes::CHAT_CONTENT_WITH_THINKING, Trait::HarmonyTemplate),
    (codes::ANTHROPIC_PREFILL, Trait::RefusesPrefill),
    (codes::ANTHROPIC_SYSTEM_MESSAGE, Trait::RefusesSystemMessages),
    (codes::ANTHROPIC_DISABLED_THINKING, Trait::NoAdaptiveThinking),
    (codes::GEMINI_MISSING_RESPONSE, Trait::CountsResponses),
    (codes::GEMINI_UNSIGNED_CALL, Trait::SignedCalls),
    (codes::GEMINI_MIXED_RESPONSE, Trait::UserLast),
    (codes::GEMINI_MODEL_LAST, Trait::UserLast),
    (codes::BEDROCK_ASSISTANT_FIRST, Trait::UserFirst),
    (codes::BEDROCK_REMOTE_DOCUMENT, Trait::NoRemoteDocuments),
    (codes::BEDROCK_MISPLACED_REASONING, Trait::NoReasoning),
    (codes::BEDROCK_MIXED_RESULT, Trait::ResultsAlone),
    (codes::BEDROCK_MIXED_RESULT, Trait::CallsAlone),
    (codes::UNSUPPORTED_THINKING, Trait::NoBudget),
    (codes::UNSUPPORTED_THINKING, Trait::NoDisabledThinking),
    (codes::UNSUPPORTED_THINKING, Trait::NoAdaptiveThinking),
    (codes::THINKING_BUDGET, Trait::BudgetRestrictsOptions),
    (codes::THINKING_WITH_SAMPLING, Trait::BudgetRestrictsOptions),
    (codes::FORCED_TOOL, Trait::NoForcedTool),
    (codes::SAMPLING_CONFLICT, Trait::OneSampling),
    (codes::REFUSED_SAMPLING, Trait::NoSampling),
    (codes::BLANK_STOP, Trait::NoBlankStops),
    (codes::STRICT_SCHEMA, Trait::StrictSchemas),
];

/// The traits of a server that has reported the errors of these rules.
pub fn traits(proven: &[Code]) -> Traits {
    let shown = PROVEN_TRAITS.iter().filter(|(code, _)| proven.contains(code));
    shown.fold(Traits::default(), |traits, (_, one)| traits.and(*one))
}
