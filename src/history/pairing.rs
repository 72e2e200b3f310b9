//! How calls and outputs find each other, as data of a dialect.

/// How a dialect tells which output answers which call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairing {
    /// By key, wherever in the history the two are (Responses).
    Keys,
    /// By key, and results are messages of their own, directly after the message of the call (Chat). Some servers pair by
    /// order what has no key.
    Replies,
    /// By key, and results are blocks of the user's messages directly after those of the call (Anthropic, Bedrock).
    Blocks,
    /// By their number: as many results as calls, directly after them. Ids, names and the order say which one answers
    /// which (Gemini).
    Counts,
}

impl Pairing {
    /// Calls and results are in messages, and the place of a result matters.
    pub fn is_by_place(self) -> bool {
        self != Pairing::Keys
    }
}
