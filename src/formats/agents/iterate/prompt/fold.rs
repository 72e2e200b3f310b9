//! The state of the context after an event, by the rules of a contract. Takes linear time: keys are looked up, and removed items
//! leave a gap.

use foldhash::{HashMap, HashSet};
use serde_json::Value;

use crate::history::{Role, work_counter};

use super::contract::Contract;
use super::event::PromptEvent;
use super::item::{Entry, Item, ItemBody};

/// Why a request event opened no request: nothing was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotSent {
    /// Nothing has asked for a request since the last one.
    NoTrigger,
    /// The request at this offset was still open.
    Open(u64),
    Paused,
    /// Something newer has asked for a request.
    TriggerMoved,
}

/// What asked for the next request.
#[derive(Clone, Copy)]
struct Trigger {
    offset: u64,
    /// By someone else than the agent itself.
    is_external: bool,
}

/// The state of a stream.
pub(super) struct Fold<'n> {
    pub contract: Contract,
    /// Offsets that other events name as requests: these were sent.
    named: &'n HashSet<u64>,
    /// The instructions of a contract that keeps them apart.
    pub system: Items,
    pub items: Items,
    /// The offset up to which items were sent, and can only be superseded.
    published: u64,
    trigger: Option<Trigger>,
    open: Option<u64>,
    paused: bool,
    latest_external: u64,
    failures: u64,
    max_attempts: u64,
}

/// Attempts of a request, unless the agent is configured otherwise.
const MAX_ATTEMPTS: u64 = 3;

/// Items in order, and the places of those with a key.
#[derive(Default)]
pub(super) struct Items {
    list: Vec<Option<Item>>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Items {
    pub fn iter(&self) -> impl Iterator<Item = &Item> {
        self.list.iter().inspect(|_| work_counter::count()).flatten()
    }

    fn push(&mut self, item: Item) {
        work_counter::count();
        if let ItemBody::Entry(Entry { key: Some(key), .. }) = &item.body {
            self.by_key.entry(key.clone()).or_default().push(self.list.len());
        }
        self.list.push(Some(item));
    }

    /// The last item with a key.
    fn last_mut(&mut self, key: &str) -> Option<&mut Item> {
        let place = *self.by_key.get(key)?.last()?;
        self.list.get_mut(place)?.as_mut()
    }

    /// Keeps only what `keeps` returns, in this order.
    fn rebuild(&mut self, items: impl IntoIterator<Item = Item>) {
        let mut new = Items::default();
        items.into_iter().for_each(|item| new.push(item));
        *self = new;
    }

    fn drain(&mut self) -> Vec<Item> {
        std::mem::take(self).list.into_iter().inspect(|_| work_counter::count()).flatten().collect()
    }

    /// Removes all items with a key.
    fn remove(&mut self, key: &str) {
        for place in self.by_key.remove(key).unwrap_or_default() {
            work_counter::count();
            self.list.get_mut(place).into_iter().for_each(|slot| *slot = None);
        }
    }
}

fn entry(item: &Item) -> Option<&Entry> {
    match &item.body {
        ItemBody::Entry(entry) => Some(entry),
        ItemBody::Stamp(_) => None,
    }
}

impl<'n> Fold<'n> {
    pub fn new(contract: Contract, named: &'n HashSet<u64>) -> Self {
        Fold {
            contract,
            named,
            system: Items::default(),
            items: Items::default(),
            published: 0,
            trigger: None,
            open: None,
            paused: false,
            latest_external: 0,
            failures: 0,
            max_attempts: MAX_ATTEMPTS,
        }
    }

    /// Applies an event. For a request event, returns why it opened no request.
    pub fn apply(&mut self, event: &PromptEvent) -> Option<NotSent> {
        let (lane, name) = event.kind.split_once('/')?;
        match name {
            // The agent that was written anew had the old name of the event in its first versions.
            "context-added" if lane == "agents" || self.contract == Contract::Plain => self.add(event),
            "context-rewritten" if matches!(self.contract, Contract::Sections | Contract::Actors) => {
                self.rewrite(event);
            }
            "llm-request-requested" => return self.request(event),
            "llm-request-settled" => self.end_request(event),
            "paused" => self.pause(event),
            "resumed" => self.paused = false,
            "configured" => {
                let attempts = event.payload.pointer("/config/llmRequestRetryPolicy/maxAttempts");
                self.max_attempts = attempts.and_then(Value::as_u64).unwrap_or(self.max_attempts);
            }
            _ => {}
        }
        None
    }

    fn add(&mut self, event: &PromptEvent) {
        let Some(mut entry) = Entry::of(&event.payload, self.contract) else { return };
        let offset = event.offset;
        let compaction = event.payload.pointer("/compaction/replacesHistoryThrough").and_then(Value::as_u64);
        let compacts = self.contract == Contract::Actors || entry.has_role("developer");
        if let Some(cutoff) = compaction.filter(|_| compacts && self.contract != Contract::Plain) {
            if cutoff < offset {
                self.compact(Item { offset, body: ItemBody::Entry(entry) }, cutoff);
            }
            return;
        }
        let answers =
            ["/llmRequestOffset", "/actor/llmRequestOffset"].iter().find_map(|path| event.payload.pointer(path));
        let answers = answers.and_then(Value::as_u64);
        let is_answer =
            entry.has_role("assistant") || self.contract == Contract::Actors && entry.actor_type() == "model";
        let is_guarded = !matches!(self.contract, Contract::Lanes | Contract::Plain);
        if is_guarded && is_answer && answers.is_some_and(|request| self.open != Some(request)) {
            return;
        }
        self.set_trigger(event, &entry);
        let lane = match self.contract {
            Contract::Lanes if entry.has_role("system") => &mut self.system,
            _ => &mut self.items,
        };
        let published = self.published;
        if self.contract != Contract::Plain
            && let Some(key) = &entry.key
            && let Some(last) = lane.last_mut(key)
        {
            match &mut last.body {
                ItemBody::Entry(own) if last.offset > published => {
                    last.offset = offset;
                    match self.contract {
                        // The whole item is another one, but for what it supersedes.
                        Contract::Lanes | Contract::Dated => {
                            entry.supersedes = own.supersedes;
                            *own = entry;
                        }
                        _ => own.content = entry.content,
                    }
                    return;
                }
                _ => entry.supersedes = Some(last.offset),
            }
        }
        lane.push(Item { offset, body: ItemBody::Entry(entry) });
    }

    /// Replaces the history up to an offset by a summary.
    fn compact(&mut self, summary: Item, cutoff: u64) {
        self.published = self.published.max(cutoff);
        if self.contract == Contract::Lanes {
            let kept = last_of_keys(self.system.drain());
            self.system.rebuild(kept);
            let rest = self.items.drain().into_iter().filter(|item| item.offset > cutoff);
            self.items.rebuild([summary].into_iter().chain(rest));
            return;
        }
        let all = self.items.drain();
        let is_instruction = |item: &Item| match self.contract {
            Contract::Dated => entry(item).is_some_and(|entry| entry.has_role("system")),
            _ => entry(item).is_some_and(|entry| entry.is_section || entry.has_role("system")),
        };
        let (instructions, history): (Vec<Item>, Vec<Item>) = all.into_iter().partition(is_instruction);
        let instructions = match self.contract {
            Contract::Dated => last_of_keys(instructions),
            _ => sections_first(instructions),
        };
        let rest = history.into_iter().filter(|item| item.offset > cutoff);
        self.items.rebuild(instructions.into_iter().chain([summary]).chain(rest));
    }

    fn rewrite(&mut self, event: &PromptEvent) {
        let text = |key: &str| event.payload.get(key).and_then(Value::as_str);
        let (Some(op), Some(key)) = (text("op"), text("key")) else { return };
        match (op, text("content")) {
            ("delete", _) if key == "*" => self.items = Items::default(),
            ("delete", _) => self.items.remove(key),
            ("replace", Some(content)) => {
                let places = self.items.by_key.remove(key).unwrap_or_default();
                let Some((first, others)) = places.split_first() else {
                    let payload = serde_json::json!({"role": "system", "key": key, "content": content});
                    if let Some(entry) = Entry::of(&payload, self.contract) {
                        self.items.push(Item { offset: event.offset, body: ItemBody::Entry(entry) });
                    }
                    return;
                };
                let role = |items: &Items, place: usize| {
                    items.list.get(place).and_then(|slot| entry(slot.as_ref()?)?.role.clone())
                };
                let role =
                    others.last().map_or_else(|| role(&self.items, *first), |last| role(&self.items, *last));
                for place in others {
                    work_counter::count();
                    self.items.list.get_mut(*place).into_iter().for_each(|slot| *slot = None);
                }
                self.items.by_key.insert(key.to_owned(), vec![*first]);
                if let Some(Some(item)) = self.items.list.get_mut(*first)
                    && let ItemBody::Entry(own) = &mut item.body
                {
                    item.offset = event.offset;
                    (own.content, own.role, own.supersedes) = (content.to_owned(), role, None);
                }
            }
            _ => {}
        }
    }

    fn set_trigger(&mut self, event: &PromptEvent, entry: &Entry) {
        let behaviour = event.payload.pointer("/llmRequestPolicy/behaviour").and_then(Value::as_str);
        let policy = event.payload.get("llmRequestPolicy").and_then(Value::as_str);
        if behaviour.or(policy) == Some("dont-trigger-request")
            || entry.key.is_some() && self.contract == Contract::Actors
        {
            return;
        }
        let role = match self.contract {
            Contract::Actors => entry.sent_role(self.contract),
            _ => entry.role.as_deref().map_or(Role::User, |role| Role::of(role.as_bytes())),
        };
        let is_external = match role {
            Role::User => true,
            Role::Developer if self.contract == Contract::Actors => false,
            Role::Developer => !matches!(entry.actor_type(), "" | "agent" | "script"),
            _ => return,
        };
        self.trigger = Some(Trigger { offset: event.offset, is_external });
        if is_external {
            (self.latest_external, self.failures) = (event.offset, 0);
        }
    }

    fn request(&mut self, event: &PromptEvent) -> Option<NotSent> {
        let offset = event.offset;
        if self.contract == Contract::Lanes {
            self.published = self.published.max(offset);
            return None;
        }
        let named_trigger = event.payload.get("triggerOffset").and_then(Value::as_u64);
        let refusal = match (self.trigger, self.open) {
            (_, Some(open)) => Some(NotSent::Open(open)),
            _ if self.paused => Some(NotSent::Paused),
            (None, None) => Some(NotSent::NoTrigger),
            (Some(trigger), None) => {
                let moved =
                    self.contract == Contract::Plain && named_trigger.is_some_and(|at| at != trigger.offset);
                moved.then_some(NotSent::TriggerMoved)
            }
        };
        // What begins like a command of the chat asks for nothing, and the stream does not list the commands: a request that
        // other events name was sent.
        if let Some(reason) = refusal.filter(|_| !self.named.contains(&offset)) {
            return Some(reason);
        }
        (self.trigger, self.open, self.published) = (None, Some(offset), offset);
        if matches!(self.contract, Contract::Sections | Contract::Actors) {
            self.items.push(Item { offset, body: ItemBody::Stamp(event.created_at.clone()) });
        }
        None
    }

    fn end_request(&mut self, event: &PromptEvent) {
        let request = event.payload.get("requestOffset").and_then(Value::as_u64);
        if request.is_none() || request != self.open {
            return;
        }
        self.open = None;
        if event.payload.pointer("/result/status").and_then(Value::as_str) == Some("failed") {
            self.failures += 1;
            if self.failures < self.max_attempts {
                let offset =
                    if self.contract == Contract::Plain { request.unwrap_or_default() } else { event.offset };
                self.trigger = Some(Trigger { offset, is_external: false });
            }
        }
    }

    fn pause(&mut self, event: &PromptEvent) {
        let trigger = event.payload.get("triggerOffset").and_then(Value::as_u64);
        if trigger.is_some_and(|offset| offset < self.latest_external) {
            return;
        }
        self.paused = true;
        self.trigger = self.trigger.filter(|trigger| trigger.is_external && self.contract != Contract::Plain);
    }
}

/// Items without a key, and of each key the last one, in order.
fn last_of_keys(items: Vec<Item>) -> Vec<Item> {
    let key = |item: &Item| entry(item).and_then(|entry| entry.key.clone());
    let last: HashMap<String, usize> =
        items.iter().enumerate().filter_map(|(place, item)| Some((key(item)?, place))).collect();
    let all = items.into_iter().enumerate();
    let kept = all.filter(|(place, item)| key(item).is_none_or(|key| last.get(&key) == Some(place)));
    kept.map(|(_, item)| item).collect()
}

/// Of each key the newest section, in the order in which the keys first appeared; then the other instructions.
fn sections_first(items: Vec<Item>) -> Vec<Item> {
    let (mut sections, mut others): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
    let mut places: HashMap<String, usize> = HashMap::default();
    for mut item in items {
        let ItemBody::Entry(own) = &mut item.body else { continue };
        let Some(key) = own.key.clone().filter(|_| own.is_section) else {
            others.push(item);
            continue;
        };
        own.supersedes = None;
        match places.get(&key).and_then(|place| sections.get_mut(*place)) {
            Some(older) => *older = item,
            None => {
                places.insert(key, sections.len());
                sections.push(item);
            }
        }
    }
    sections.append(&mut others);
    sections
}
