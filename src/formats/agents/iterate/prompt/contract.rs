//! The contracts, how a stream shows which one a request follows, and the text that stands first in their prompts.

use crate::json::Val;

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

impl Contract {
    /// The contracts that project their prompts from items of the context.
    pub const PROJECTED: [Contract; 5] =
        [Contract::Lanes, Contract::Dated, Contract::Sections, Contract::Actors, Contract::Plain];
}

/// What an event shows of the contract that is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tell {
    Nothing,
    /// A name or a member that only the agent has that was written anew.
    Plain,
    /// A message that only contracts before version 4 read.
    Flat,
    /// An item of the context.
    Context,
    /// An item of the context without a role.
    ContextWithoutRole,
    /// A rewrite of a section.
    Rewrite,
    /// The end of a request, as versions between 4 and 7 introduced it.
    Settled,
}

impl Tell {
    /// The tell of an event; `kind` is its type without the prefix.
    pub fn of(kind: &str, payload: Option<Val<'_>>) -> Tell {
        let has = |key: &str| payload.is_some_and(|payload| payload.get(key).is_some());
        match kind {
            "agent/context-added" => Tell::Plain,
            _ if has("triggerOffset") || kind == "agent/created" && has("path") => Tell::Plain,
            "agents/context-added" if has("role") => Tell::Context,
            "agents/context-added" => Tell::ContextWithoutRole,
            "agents/context-rewritten" | "agent/context-rewritten" => Tell::Rewrite,
            "agents/llm-request-settled" | "agent/llm-request-settled" => Tell::Settled,
            _ => match kind.strip_prefix("agents/").or_else(|| kind.strip_prefix("agent/")) {
                Some("input-added" | "output-added" | "message-received") => Tell::Flat,
                _ => Tell::Nothing,
            },
        }
    }
}

impl Tell {
    /// True if only contracts that project their prompts have such an event.
    pub fn is_projected(self) -> bool {
        !matches!(self, Tell::Nothing | Tell::Flat)
    }
}

/// What a request shows of its own contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RequestTell {
    /// The major version that it names.
    version: Option<u32>,
    has_expiry: bool,
}

impl RequestTell {
    pub fn has_expiry(self) -> bool {
        self.has_expiry
    }

    pub fn of(payload: Option<Val<'_>>) -> RequestTell {
        let version = payload.and_then(|payload| payload.get("contractVersion")?.text());
        let version =
            version.and_then(|version| String::from_utf8_lossy(&version).split('.').next()?.parse().ok());
        RequestTell { version, has_expiry: payload.is_some_and(|payload| payload.get("expiresAt").is_some()) }
    }
}

/// What the events of a stream show of its contracts, up to a request. A stream may have had several.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tells {
    is_plain: bool,
    has_no_roles: bool,
    rewrites: bool,
    settles: bool,
    /// Offsets of the newest item of the context, and of the newest message that only contracts before version 4 read.
    newest_context: Option<u64>,
    newest_flat: Option<u64>,
}

impl Tells {
    pub fn observe(&mut self, tell: Tell, offset: u64) {
        match tell {
            Tell::Nothing => {}
            Tell::Plain => (self.is_plain, self.newest_context) = (true, Some(offset)),
            Tell::Flat => self.newest_flat = Some(offset),
            Tell::Context => self.newest_context = Some(offset),
            Tell::ContextWithoutRole => (self.has_no_roles, self.newest_context) = (true, Some(offset)),
            Tell::Rewrite => self.rewrites = true,
            Tell::Settled => self.settles = true,
        }
    }

    /// True if the agent is the one that was written anew, which keeps every answer.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The contract of a request, or of one that would be sent now: by its own event, else by the events before it.
    pub fn contract(&self, request: RequestTell) -> Contract {
        match request.version {
            _ if self.is_plain => return Contract::Plain,
            Some(4) => return Contract::Lanes,
            Some(5 | 6) => return Contract::Dated,
            Some(7) => return Contract::Sections,
            Some(8) => return Contract::Actors,
            _ => {}
        }
        let is_flat =
            self.newest_context.is_none() || self.newest_context < self.newest_flat && !request.has_expiry;
        match () {
            () if is_flat => Contract::Flat,
            () if self.has_no_roles => Contract::Actors,
            () if self.rewrites => Contract::Sections,
            () if self.settles || request.has_expiry => Contract::Dated,
            () => Contract::Lanes,
        }
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
