//! How a dialect pairs calls and outputs.

/// The way in which the output of a call is identified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairing {
    /// By key, anywhere in the history (Responses).
    Keys,
    /// By key; results are messages directly after the message of the call (Chat). Some servers pair results without a
    /// key by order.
    Replies,
    /// By key; results are blocks of the user messages directly after those of the call (Anthropic, Bedrock).
    Blocks,
    /// By number: as many results as calls, directly after them. They are matched by id, name and order (Gemini).
    Counts,
}

impl Pairing {
    /// True if calls and results are in messages, and the position of a result matters.
    pub fn is_by_place(self) -> bool {
        self != Pairing::Keys
    }
}
