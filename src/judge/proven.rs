//! Rules that a provider's error message has confirmed (`--proven`). Their findings are errors, whatever the
//! verdict of the target, and where a rule depends on a trait of the server or model, the trait is set.

use crate::history::{Code, codes};
use crate::target::{Trait, Traits};

/// The traits that the error of a rule proves.
const PROVEN_TRAITS: [(Code, Trait); 10] = [
    (codes::ITEM_WITHOUT_REASONING, Trait::WantsReasoningBefore),
    (codes::CHAT_REFUSED_REASONING, Trait::RefusesReasoning),
    (codes::CHAT_ROLE_ORDER, Trait::RoleOrder),
    (codes::CHAT_CALL_ID_FORM, Trait::NineCharIds),
    (codes::ANTHROPIC_PREFILL, Trait::RefusesPrefill),
    (codes::ANTHROPIC_SYSTEM_MESSAGE, Trait::RefusesSystemMessages),
    (codes::GEMINI_MISSING_RESPONSE, Trait::CountsResponses),
    (codes::GEMINI_UNSIGNED_CALL, Trait::SignedCalls),
    (codes::BEDROCK_REMOTE_DOCUMENT, Trait::NoRemoteDocuments),
    (codes::BEDROCK_MISPLACED_REASONING, Trait::NoReasoning),
];

/// The traits of a server that has reported the errors of these rules.
pub fn traits(proven: &[Code]) -> Traits {
    let shown = PROVEN_TRAITS.iter().filter(|(code, _)| proven.contains(code));
    shown.fold(Traits::default(), |traits, (_, one)| traits.and(*one))
}
