//! Requests of the contracts from version 4 on. Their prompts are projected from the items of the context that the stream
//! holds: sections with a key, which are replaced or superseded, messages with an actor, and the times of requests. Each
//! request is projected by the rules of its own contract, whatever wrote the events before it.

mod contract;
mod event;
mod fold;
mod item;
mod render;

pub use contract::{Contract, Headers, RequestTell, Tell, Tells, protocol_prompt};
pub use event::{request_of, stored_type};
pub use fold::NotSent;
pub use item::{Readers, readers};
pub use render::Prompt;

use foldhash::HashSet;

use crate::json::{Val, name};

use event::PromptEvent;
use fold::Fold;

/// Types of events that prompts depend on, without `agent/` or `agents/`.
const KINDS: [&str; 8] = [
    "context-added",
    "context-rewritten",
    "llm-request-requested",
    "llm-request-settled",
    "paused",
    "resumed",
    "created",
    "configured",
];

/// The events of a stream up to a request.
#[derive(Default)]
pub struct PromptLog {
    events: Vec<PromptEvent>,
    tells: Tells,
    /// What the newest request shows of its contract, and its offset.
    newest_request: Option<(u64, RequestTell)>,
    /// Offsets of requests that later events name: these were sent.
    named: HashSet<u64>,
}

impl PromptLog {
    /// Adds an event. Those after the request count only for the requests that they name.
    pub fn push(&mut self, event: Val<'_>, offset: u64, is_after: bool) {
        let Some(kind) = stored_type(event) else { return };
        let payload = event.get(name::payload);
        self.named.extend(payload.and_then(request_of));
        if is_after {
            return;
        }
        self.tells.observe(Tell::of(&kind, payload), offset);
        let bare = kind.strip_prefix("agents/").or_else(|| kind.strip_prefix("agent/"));
        if bare == Some("llm-request-requested") {
            self.newest_request = Some((offset, RequestTell::of(payload)));
        }
        if !bare.is_some_and(|bare| KINDS.contains(&bare)) {
            return;
        }
        let payload = payload.and_then(|payload| serde_json::from_slice(payload.raw()).ok()).unwrap_or_default();
        let created_at = event.get("createdAt").and_then(|time| time.text()).unwrap_or_default();
        let created_at = String::from_utf8_lossy(&created_at).into_owned();
        self.events.push(PromptEvent { offset, created_at, kind, payload });
    }

    /// The contract of the request at an offset, or of one that would be sent after the last event.
    pub fn contract(&self, at: Option<u64>) -> Contract {
        let own = self.newest_request.filter(|(offset, _)| at.is_none_or(|at| at == *offset));
        self.tells.contract(own.map(|(_, tell)| tell).unwrap_or_default())
    }

    /// The messages of the request at an offset, or of one that would be sent now. `protocol` is the text that only the code
    /// of the agent contains.
    pub fn project(&self, at: Option<u64>, headers: Headers, protocol: Option<&str>) -> Result<Prompt, NotSent> {
        let contract = self.contract(at);
        let mut fold = Fold::new(contract, &self.named);
        let mut refused = None;
        for event in &self.events {
            let reason = fold.apply(event);
            if Some(event.offset) == at {
                refused = reason;
            }
        }
        if let Some(reason) = refused {
            return Err(reason);
        }
        let mut prompt = render::prompt(&fold, at, headers, protocol);
        let own = self.events.iter().find(|event| Some(event.offset) == at);
        if matches!(contract, Contract::Lanes | Contract::Dated) {
            prompt.messages.extend(own.map(|event| render::date(&event.created_at)));
        }
        Ok(prompt)
    }
}
