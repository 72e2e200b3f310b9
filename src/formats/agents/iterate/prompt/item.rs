//! Items of the context, as an event adds them.

use serde_json::{Map, Value};

use crate::history::Role;

use super::contract::Contract;

/// An item of the context.
pub(super) struct Item {
    /// The offset of its event, or of the one that replaced its content.
    pub offset: u64,
    pub body: ItemBody,
}

pub(super) enum ItemBody {
    /// A request was made at this time.
    Stamp(String),
    Entry(Entry),
}

/// A section or a message.
pub(super) struct Entry {
    /// It has a key, and a contract with sections.
    pub is_section: bool,
    pub role: Option<String>,
    pub key: Option<String>,
    pub content: String,
    /// Who wrote it; null if that is not stored.
    pub actor: Value,
    pub refs: Vec<Value>,
    pub files: Vec<Value>,
    pub is_compaction: bool,
    /// The offset of the item with its key that was sent before.
    pub supersedes: Option<u64>,
}

/// Members of an item in a contract that skips any other.
const LANE_MEMBERS: [(&str, &[&str]); 4] = [
    ("system", &["role", "content", "key", "files", "refs"]),
    ("developer", &["role", "content", "key", "files", "refs", "actor", "llmRequestPolicy", "compaction"]),
    ("user", &["role", "content", "key", "files", "refs", "actor", "llmRequestPolicy"]),
    ("assistant", &["role", "content", "key", "files", "refs", "llmRequestOffset"]),
];
const SECTION_MEMBERS: [&str; 12] = [
    "role",
    "content",
    "key",
    "files",
    "refs",
    "actor",
    "llmRequestPolicy",
    "llmRequestOffset",
    "compaction",
    "attachments",
    "richContent",
    "referenceResolution",
];

/// Members of an item in a contract that tells who wrote it.
const ACTOR_MEMBERS: [&str; 8] =
    ["kind", "key", "content", "actor", "files", "refs", "llmRequestPolicy", "compaction"];

/// True if a contract reads an item with this payload. It skips any other without a word.
fn fits(payload: &Map<String, Value>, contract: Contract) -> bool {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let role = text("role");
    let has_known_role = role.is_some_and(|role| LANE_MEMBERS.iter().any(|(known, _)| *known == role));
    let only = |members: &[&str]| payload.keys().all(|key| members.contains(&&**key));
    let is_quiet = || {
        let policy = payload.get("llmRequestPolicy");
        let behaviour = policy.and_then(|policy| policy.get("behaviour").unwrap_or(policy).as_str());
        behaviour == Some("dont-trigger-request")
    };
    // A summary must ask for no request, and replaces no section.
    let compacts = payload.contains_key("compaction");
    let is_sound_summary = !compacts || is_quiet() && !payload.contains_key("key");
    let fits = match contract {
        Contract::Lanes => {
            let own = LANE_MEMBERS.iter().find(|(known, _)| role == Some(known));
            own.is_some_and(|(known, members)| {
                only(members) && (*known != "user" || payload.contains_key("actor"))
            })
        }
        Contract::Sections => has_known_role && only(&SECTION_MEMBERS) && is_sound_summary,
        Contract::Actors if role.is_none() => {
            only(&ACTOR_MEMBERS) && payload.contains_key("actor") && (!compacts || is_quiet())
        }
        Contract::Actors => has_known_role && is_sound_summary,
        Contract::Flat | Contract::Dated | Contract::Plain => has_known_role,
    };
    fits && text("content").is_some()
}

/// The contracts that read an item of the context, as bits in the order of [`Contract::PROJECTED`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Readers(u8);

impl Readers {
    pub const ALL: Readers = Readers(u8::MAX);
    pub const NONE: Readers = Readers(0);

    pub fn has(self, contract: Contract) -> bool {
        let bit = Contract::PROJECTED.iter().position(|own| *own == contract);
        bit.is_none_or(|bit| self.0 & 1 << bit != 0)
    }
}

/// The contracts that read an item of the context with this payload.
pub fn readers(payload: &Value, offset: u64) -> Readers {
    let Some(members) = payload.as_object() else { return Readers::NONE };
    let cutoff = payload.pointer("/compaction/replacesHistoryThrough").and_then(Value::as_u64);
    let is_late = cutoff.is_some_and(|cutoff| cutoff >= offset);
    let reads = |contract: Contract| fits(members, contract) && (contract == Contract::Plain || !is_late);
    let bits = Contract::PROJECTED.iter().enumerate().filter(|(_, contract)| reads(**contract));
    Readers(bits.fold(0, |all, (bit, _)| all | 1 << bit))
}

impl Entry {
    /// The item with a payload; `None` if the contract does not read it.
    pub fn of(payload: &Value, contract: Contract) -> Option<Entry> {
        let payload = payload.as_object().filter(|payload| fits(payload, contract))?;
        let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
        let list = |key: &str| payload.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let key = text("key");
        Some(Entry {
            is_section: key.is_some() && matches!(contract, Contract::Sections | Contract::Actors),
            role: text("role"),
            key,
            content: text("content")?,
            actor: payload.get("actor").cloned().unwrap_or_default(),
            refs: list("refs"),
            files: list("files"),
            is_compaction: payload.contains_key("compaction"),
            supersedes: None,
        })
    }

    pub fn has_role(&self, role: &str) -> bool {
        self.role.as_deref() == Some(role)
    }

    /// The type of the actor; empty if none is stored.
    pub fn actor_type(&self) -> &str {
        self.actor.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// The role of the message in a request.
    pub fn sent_role(&self, contract: Contract) -> Role {
        let stored = match self.role.as_deref().map(|role| Role::of(role.as_bytes())) {
            Some(own @ (Role::System | Role::Developer | Role::Assistant)) => own,
            _ => Role::User,
        };
        match contract {
            Contract::Plain if stored == Role::Developer => Role::System,
            Contract::Flat | Contract::Plain => stored,
            Contract::Actors if self.key.is_some() => Role::System,
            Contract::Actors if self.is_compaction => Role::User,
            Contract::Actors => match self.actor_type() {
                "" => stored,
                "platform" | "agent" | "script" | "worker" => Role::Developer,
                "model" => Role::Assistant,
                _ => Role::User,
            },
            _ if stored != Role::Developer => stored,
            Contract::Lanes if !self.is_compaction && matches!(self.actor_type(), "" | "agent") => stored,
            Contract::Lanes => Role::User,
            _ if !self.is_compaction && matches!(self.actor_type(), "" | "agent" | "script") => stored,
            _ => Role::User,
        }
    }
}
