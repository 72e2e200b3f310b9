//! A thread, and how it is built while it is read.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::source::bytes::spool::SpoolSink;

use super::open_calls::OpenCalls;
use super::spill::{SpillBudget, SpillStore};
use super::{Message, Part, PartKind, RequestSettings, Role, SourceLocation, Text, Tool};

/// The names of tools, by the ids of their calls.
pub type ToolNames<'t> = HashMap<Cow<'t, [u8]>, &'t Text>;

/// One conversation: the content of one request.
#[derive(Default)]
pub struct Thread {
    pub model: Option<Text>,
    /// The location of the model's name.
    pub model_at: Option<SourceLocation>,
    /// The member of a Chat Completions message that contains its reasoning.
    pub reasoning_key: &'static str,
    /// A message with calls always has that member.
    pub always_writes_reasoning: bool,
    /// Instructions outside of the messages: text parts.
    pub instructions: Vec<Part>,
    pub tools: Vec<Tool>,
    pub settings: RequestSettings,
    pub messages: Vec<Message>,
    pub(super) calls: usize,
    pub(super) open_calls: OpenCalls,
    /// The file for the beginning of the written text, if that is large.
    pub outlet: SpoolSink,
    pub(super) spill_budget: SpillBudget,
    /// How many messages were considered for spilling, and how many parts of the next one.
    pub(super) spilled_to: (usize, usize),
}

impl Thread {
    /// A thread of these messages alone.
    pub fn of(messages: Vec<Message>) -> Self {
        Thread { messages, ..Thread::default() }
    }

    /// Adds a part: to the last message if `joins` and that has the same role, else to a new one.
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

    /// The names of tools, by the ids of their calls.
    pub fn tool_names(&self) -> ToolNames<'_> {
        let calls = self.messages.iter().flat_map(Message::calls);
        calls.map(|call| (call.id.raw(), &call.name)).collect()
    }

    /// The number of calls so far.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// The id of the first unanswered call in the newest message with calls, of this name if one is given: the call that a
    /// result without an id answers.
    pub fn open_call(&mut self, name: Option<&Text>) -> Option<Text> {
        self.open_calls.catch_up(&self.messages);
        self.open_calls.first(name)
    }

    /// The temporary file of spilled texts, if there is one.
    pub fn spill_store(&self) -> Option<SpillStore> {
        self.spill_budget.store().cloned()
    }

    /// Spills what was added, as far as it is too large for memory.
    pub fn spill(&mut self) {
        let (from, mut block) = self.spilled_to;
        for (n, message) in self.messages.iter_mut().enumerate().skip(from) {
            for own in message.parts.iter_mut().skip(block) {
                if let Some(store) = self.spill_budget.file_for(|| own.spillable_size()) {
                    own.spill(store);
                }
            }
            // The last message may get more parts.
            self.spilled_to = (n, message.parts.len());
            block = 0;
        }
    }
}
