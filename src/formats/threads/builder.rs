//! Puts a thread together from what a log, an export or a trace says, in order: blocks and messages like those of a provider.

use std::collections::HashSet;

use crate::format::FormatInfo;
use crate::format::translate::{Stored, Translated};
use crate::history::{Role, Settings, Unsent};
use crate::json::Val;
use crate::message::{Message, Part, PartKind, Text};

use super::{left, parts, translated};

/// A thread that is being put together.
#[derive(Default)]
pub(in crate::formats) struct ThreadBuilder {
    pub(super) messages: Vec<Message>,
    pub(super) unsent: Vec<Unsent>,
    /// The next part begins a message, whoever spoke before.
    begins: bool,
    /// How many ids were invented for calls, and which.
    pub(super) invented: u32,
    pub(super) unnamed: HashSet<Text>,
}

impl ThreadBuilder {
    /// What comes next is a message by itself, whoever spoke before.
    pub fn begin(&mut self) {
        self.begins = true;
    }

    /// Adds a part to the message at hand, if that is of the same side. Results are the tool's.
    pub fn push(&mut self, role: Role, part: Part, from: &Stored<'_>) {
        let role = if matches!(part.kind, PartKind::Result(_)) { Role::Tool } else { role };
        match self.messages.last_mut().filter(|last| last.role == role && !self.begins) {
            Some(last) => parts::push(&mut last.parts, part),
            None => {
                let at = part.at.place;
                self.messages.push(parts::message(role, vec![part], at, from.number));
            }
        }
        self.begins = false;
    }

    /// Adds a text that is not empty.
    pub fn text(&mut self, role: Role, text: Option<Val<'_>>, from: &Stored<'_>) {
        if let Some(part) = parts::said(text, from.base) {
            self.push(role, part, from);
        }
    }

    /// Names those of an export's messages that are not on the way to the current one.
    pub fn leave_branches(&mut self, all: &[Val<'_>], path: &[Val<'_>], from: &Stored<'_>) {
        let on_path: HashSet<u32> = path.iter().map(|message| message.start()).collect();
        for other in all.iter().filter(|message| !on_path.contains(&message.start())) {
            self.leave_out("a message", *other, from, "it is on another branch than the newest message");
        }
    }

    /// Names something that was sent, and cannot be sent again.
    pub fn lose(&mut self, what: impl Into<Box<str>>, val: Val<'_>, from: &Stored<'_>, why: &'static str) {
        self.unsent.push(Unsent::lost(from.base.of(val), from.number, what, why));
    }

    /// Names something that is not sent.
    pub fn leave_out(&mut self, what: impl Into<Box<str>>, val: Val<'_>, from: &Stored<'_>, why: &'static str) {
        self.unsent.push(Unsent::at(from.base.of(val), from.number, what, why));
    }

    /// Names all that another builder holds: it is not sent.
    pub fn leave(&mut self, other: ThreadBuilder, why: &'static str) {
        self.unsent.extend(left(&other.messages, why));
        self.unsent.extend(other.unsent);
    }

    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Forgets all messages so far, but for the instructions and the newest ones of the user; those of the records
    /// `injected` are of the agent.
    pub fn forget(&mut self, kept: usize, injected: &HashSet<u32>) {
        let is_users = |message: &Message| message.role == Role::User && !injected.contains(&message.record);
        let mut goes = self.messages.iter().filter(|message| is_users(message)).count().saturating_sub(kept);
        let (kept, forgotten): (Vec<Message>, Vec<Message>) =
            std::mem::take(&mut self.messages).into_iter().partition(|message| match message.role {
                Role::System => true,
                _ if !is_users(message) => false,
                _ if goes > 0 => {
                    goes -= 1;
                    false
                }
                _ => true,
            });
        self.messages = kept;
        self.unsent.extend(left(&forgotten, "a compaction has replaced it"));
        self.begins = true;
    }

    /// Adds the messages of another builder.
    pub fn join(&mut self, other: ThreadBuilder) {
        self.messages.extend(other.messages);
        self.unsent.extend(other.unsent);
        self.begins = true;
    }

    /// Takes back the results at the end: a call that comes late belongs to the answer before them.
    pub fn take_results(&mut self) -> ThreadBuilder {
        let at = self.messages.iter().rposition(|message| message.role != Role::Tool).map_or(0, |at| at + 1);
        ThreadBuilder { messages: self.messages.split_off(at), ..ThreadBuilder::default() }
    }

    /// All of it as a history in the dialect of a format's row.
    pub fn finish(self, info: &'static FormatInfo, settings: Settings) -> Translated {
        translated(info, Settings { unsent: self.unsent, ..settings }, self.messages)
    }
}
