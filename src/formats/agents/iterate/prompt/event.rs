//! Events of a stream, as far as a prompt depends on them.

use serde_json::Value;

/// An event that a prompt may depend on.
pub struct PromptEvent {
    pub offset: u64,
    pub created_at: String,
    /// Its type without the prefix.
    pub kind: String,
    pub payload: Value,
}
