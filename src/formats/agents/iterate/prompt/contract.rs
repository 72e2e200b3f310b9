//! The contracts, how a stream shows which one a request follows, and the text that stands first in their prompts.

use serde_json::Value;

use super::event::PromptEvent;

/// The style of messages in contracts 7 and 8, which the stream does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Headers {
    /// What a person or the model says stands alone.
    #[default]
    Bare,
    /// Every message begins with the offset of its event.
    Every,
}

/// A contract of the agent's events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contract {
    /// Before version 4: a flat history.
    Flat,
    /// Version 4: instructions and history apart.
    Lanes,
    /// Between versions 4 and 7: one list, with the date in the last message.
    Dated,
    /// Version 7: sections, and messages with roles.
    Sections,
    /// Version 8: the same; roles follow from who wrote.
    Actors,
    /// The agent that was written anew, from version 1 on.
    Plain,
}

/// The contract of the request at an offset: by its own event, else by the events up to it. A stream may have had several.
pub(super) fn of_request(events: &[PromptEvent], newest_flat: Option<u64>, at: Option<u64>) -> Contract {
    let own = events.iter().find(|event| Some(event.offset) == at).map(|event| &event.payload);
    let has = |event: &PromptEvent, kind: &str| event.kind.ends_with(kind);
    let is_plain = |event: &PromptEvent| {
        event.kind == "agent/context-added"
            || event.payload.get("triggerOffset").is_some()
            || event.kind == "agent/created" && event.payload.get("path").is_some()
    };
    if events.iter().any(is_plain) {
        return Contract::Plain;
    }
    let version = own.and_then(|own| own.get("contractVersion")).and_then(Value::as_str).unwrap_or_default();
    match version.split('.').next() {
        Some("4") => return Contract::Lanes,
        Some("5" | "6") => return Contract::Dated,
        Some("7") => return Contract::Sections,
        Some("8") => return Contract::Actors,
        _ => {}
    }
    let contexts = || events.iter().filter(|event| has(event, "/context-added"));
    let newest = contexts().next_back().map(|event| event.offset);
    let has_expiry = own.is_some_and(|own| own.get("expiresAt").is_some());
    match () {
        () if newest.is_none() || newest < newest_flat && !has_expiry => Contract::Flat,
        () if contexts().any(|event| event.payload.get("role").is_none()) => Contract::Actors,
        () if events.iter().any(|event| has(event, "/context-rewritten")) => Contract::Sections,
        () if events.iter().any(|event| has(event, "/llm-request-settled")) => Contract::Dated,
        () if has_expiry => Contract::Dated,
        () => Contract::Lanes,
    }
}

/// The text that stands first in the prompts of a contract. It is in the code of the agent only.
pub struct ProtocolPrompt {
    pub characters: usize,
    /// SHA-256 of its UTF-8 bytes.
    pub sha256: &'static str,
}

const fn text(characters: usize, sha256: &'static str) -> ProtocolPrompt {
    ProtocolPrompt { characters, sha256 }
}

/// Lengths and hashes were read in the versions of `apps/os/src/domains/agents` in iterate/iterate.
static LANES: ProtocolPrompt = text(1298, "2b172856e38fe9916a8aabd10c98f730678748392ea13b3db25c418eaa3f05e1");
static DATED: ProtocolPrompt = text(1310, "cca17b487c373963407efb037ad30b8c351e29aaeed39c38760863cba0946038");
static SECTIONS_EVERY: ProtocolPrompt =
    text(1468, "8e67e9aad61c87b6261b6a794cc25c3480e93fba8573d31981879e4eed90e292");
static SECTIONS_BARE: ProtocolPrompt =
    text(1574, "2a94eaeb6aeacd5b1a36452e27e7ed38a00726b31a14ffc46b2d389b4501bbc1");
static ACTORS_EVERY: ProtocolPrompt =
    text(1832, "16e8376e7ab93843acd5e44ce0477467608230aebcf01b31fcb285fc54bd97ab");
static ACTORS_BARE: ProtocolPrompt =
    text(1938, "8f382d47db83e42919312bc2aae214b55c0dd5e7a98ad7599cfb64ba86affd63");

/// The text of a contract; `None` if its prompts have none.
pub fn protocol_prompt(contract: Contract, headers: Headers) -> Option<&'static ProtocolPrompt> {
    match (contract, headers) {
        (Contract::Flat | Contract::Plain, _) => None,
        (Contract::Lanes, _) => Some(&LANES),
        (Contract::Dated, _) => Some(&DATED),
        (Contract::Sections, Headers::Every) => Some(&SECTIONS_EVERY),
        (Contract::Sections, Headers::Bare) => Some(&SECTIONS_BARE),
        (Contract::Actors, Headers::Every) => Some(&ACTORS_EVERY),
        (Contract::Actors, Headers::Bare) => Some(&ACTORS_BARE),
    }
}
