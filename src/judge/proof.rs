//! What a provider's answer proves. A verdict weighs what is known of a target; a server that has rejected a history in
//! the words of a rule needs no weighing: the rule's findings are errors, and where the rule asks first whether the
//! server or the model minds at all, it does.

use crate::history::{Code, codes};
use crate::target::{Trait, Traits};

/// The traits that an answer in the words of a rule shows.
const SHOWN: [(Code, Trait); 10] = [
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

/// What is known of a server that has said what these rules say.
pub fn traits(proven: &[Code]) -> Traits {
    let shown = SHOWN.iter().filter(|(code, _)| proven.contains(code));
    shown.fold(Traits::default(), |traits, (_, one)| traits.and(*one))
}
