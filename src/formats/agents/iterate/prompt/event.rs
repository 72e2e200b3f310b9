//! Events of a stream, as far as a prompt depends on them.

use serde_json::Value;

use crate::json::{Val, name};

/// Prefix of the types of events.
const PREFIX: &[u8] = b"events.iterate.com/";

/// Keys of the offset of a request, in all versions.
const REQUEST: [&str; 3] = ["llmRequestId", "llmRequestOffset", "requestOffset"];

/// An event that a prompt may depend on.
pub struct PromptEvent {
    pub offset: u64,
    pub created_at: String,
    /// Its type without the prefix.
    pub kind: String,
    pub payload: Value,
}

/// The type of an event without its prefix, as it is stored.
pub fn stored_type(event: Val<'_>) -> Option<String> {
    let name = event.get(name::r#type)?.text()?;
    let bare = name.strip_prefix(b"https://").unwrap_or(&name).strip_prefix(PREFIX)?;
    Some(String::from_utf8_lossy(bare).into_owned())
}

/// The offset of the request that an event is about, from its payload. In newer contracts the actor of an answer names it.
pub fn request_of(payload: Val<'_>) -> Option<u64> {
    let of = |val: Val<'_>| REQUEST.iter().find_map(|key| val.get(key)?.as_u64());
    of(payload).or_else(|| of(payload.get("actor")?))
}
