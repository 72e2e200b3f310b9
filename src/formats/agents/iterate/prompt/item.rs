//! Items of the context, as an event adds them.

use serde_json::Value;

use crate::history::Role;

use super::contract::Contract;
use super::event::PromptEvent;

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

impl Entry {
    /// The item of an event; `None` if its payload does not fit the contract, which then skips the event without a word.
    pub fn of(event: &PromptEvent, contract: Contract) -> Option<Entry> {
        let payload = event.payload.as_object()?;
        let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
        let list = |key: &str| payload.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let role = text("role");
        let only = |members: &[&str]| payload.keys().all(|key| members.contains(&&**key));
        let is_known_role = |role: &str| LANE_MEMBERS.iter().any(|(known, _)| *known == role);
        let fits = match contract {
            Contract::Lanes => {
                let own = LANE_MEMBERS.iter().find(|(known, _)| role.as_deref() == Some(known));
                own.is_some_and(|(known, members)| {
                    only(members) && (*known != "user" || payload.contains_key("actor"))
                })
            }
            Contract::Sections => role.as_deref().is_some_and(is_known_role) && only(&SECTION_MEMBERS),
            Contract::Actors => role.as_deref().is_none_or(is_known_role),
            Contract::Flat | Contract::Dated | Contract::Plain => role.as_deref().is_some_and(is_known_role),
        };
        let content = text("content").filter(|_| fits)?;
        let key = text("key");
        Some(Entry {
            is_section: key.is_some() && matches!(contract, Contract::Sections | Contract::Actors),
            role,
            key,
            content,
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
