//! What a provider's answer proves. A verdict weighs what is known of a target; a server that has rejected a history in
//! the words of a rule needs no weighing: the rule's findings are errors, and where the rule asks first whether the
//! server or the model minds at all, it does.

use crate::history::Code;
use crate::target::{Trait, Traits};

/// The traits that an answer in the words of a rule shows.
const SHOWN: [(u16, Trait); 9] = [
    (515, Trait::RefusesReasoning),
    (516, Trait::RoleOrder),
    (518, Trait::NineCharIds),
    (546, Trait::RefusesPrefill),
    (547, Trait::RefusesSystemMessages),
    (560, Trait::CountsResponses),
    (565, Trait::SignedCalls),
    (592, Trait::NoRemoteDocuments),
    (593, Trait::NoReasoning),
];

/// What is known of a server that has said what these rules say.
pub fn traits(proven: &[Code]) -> Traits {
    let shown = SHOWN.iter().filter(|(code, _)| proven.contains(&Code(*code)));
    shown.fold(Traits::default(), |traits, (_, one)| traits.and(*one))
}
