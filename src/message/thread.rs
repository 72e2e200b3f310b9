//! A thread, and how it grows as it is read.

use crate::source::bytes::spool::Outlet;

use super::open_calls::Waiting;
use super::spill::{Aside, Store};
use super::{At, Message, Part, PartKind, Role, Settings, Text, Tool};

/// One conversation: what one request says.
#[derive(Default)]
pub struct Thread {
    pub model: Option<Text>,
    /// Where its name stands.
    pub model_at: Option<At>,
    /// The member of a message of Chat Completions that holds what was thought.
    pub thoughts: &'static str,
    /// A message with calls has that member in any case.
    pub always_thinks: bool,
    /// What the request says to the model outside of its messages; text blocks.
    pub instructions: Vec<Part>,
    pub tools: Vec<Tool>,
    pub settings: Settings,
    pub messages: Vec<Message>,
    pub(super) calls: usize,
    pub(super) waiting: Waiting,
    /// Where the beginning goes of what is written of it.
    pub outlet: Outlet,
    pub(super) aside: Aside,
    /// How many messages were looked at for what can be put away, and how many blocks of the next one.
    pub(super) kept: (usize, usize),
}

impl Thread {
    /// These messages, of a request that says nothing else.
    pub fn of(messages: Vec<Message>) -> Self {
        Thread { messages, ..Thread::default() }
    }

    /// Adds a block to the last message if that is of the same role and `joins`, else to a new one.
    pub fn add(&mut self, role: Role, joins: bool, block: Part) {
        let joins = joins && self.messages.last().is_some_and(|last| last.role == role);
        self.calls += usize::from(matches!(block.kind, PartKind::Call(_)));
        match self.messages.last_mut().filter(|_| joins) {
            Some(last) => last.parts.push(block),
            None => {
                let at = block.at;
                self.messages.push(Message { parts: vec![block], ..Message::new(role, at) });
            }
        }
    }

    /// Adds a message as it is.
    pub fn push(&mut self, message: Message) {
        self.calls += message.calls().count();
        self.messages.push(message);
    }

    /// How many calls there are so far.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// The id of the first call without a result among the newest ones, of this name if one is given: what a result
    /// without an id answers.
    pub fn open_call(&mut self, name: Option<&Text>) -> Option<Text> {
        self.waiting.catch_up(&self.messages);
        self.waiting.first(name)
    }

    /// Where texts wait, if there are too many for memory.
    pub fn store(&self) -> Option<Store> {
        self.aside.store().cloned()
    }

    /// Puts what was added into a file without a name, as far as it is too much for memory.
    pub fn put_away(&mut self) {
        let (from, mut block) = self.kept;
        for (n, message) in self.messages.iter_mut().enumerate().skip(from) {
            for own in message.parts.iter_mut().skip(block) {
                if let Some(store) = self.aside.place_for(|| own.size()) {
                    own.put_away(store);
                }
            }
            // More blocks may join the last one.
            self.kept = (n, message.parts.len());
            block = 0;
        }
    }
}
