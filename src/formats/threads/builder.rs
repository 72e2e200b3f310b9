//! Builds a thread from the content of a log, an export or a trace, in order: blocks and messages like those of a provider.

use foldhash::{HashMap, HashSet};

use crate::format::FormatInfo;
use crate::format::translate::{ParsedRecord, TranslatedThread};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::Val;
use crate::message::{Message, Part, PartKind, Text};
use crate::place::Place;

use super::{parts, translate, unsent_parts};

/// A thread under construction.
#[derive(Default)]
pub(in crate::formats) struct ThreadBuilder {
    pub(super) messages: Vec<Message>,
    pub(super) unsent: Vec<UnsentItem>,
    /// True if the next part begins a message, whatever the role of the last one.
    begins: bool,
    /// The number of generated ids of calls, and these ids.
    pub(super) invented: u32,
    pub(super) unnamed: HashSet<Text>,
    /// True if it is joined to what comes before it: the calls of its first results may be there.
    pub(super) is_continuation: bool,
}

impl ThreadBuilder {
    /// A builder of messages that are joined to those before them.
    pub fn continuation() -> ThreadBuilder {
        ThreadBuilder { is_continuation: true, ..ThreadBuilder::default() }
    }

    /// Makes the next part begin a message, whatever the role of the last one.
    pub fn begin(&mut self) {
        self.begins = true;
    }

    /// True if the last message is an answer of which there is only reasoning so far.
    pub fn ends_in_thought(&self) -> bool {
        let is_thought = |part: &Part| matches!(part.kind, PartKind::Reasoning(_));
        let last = self.messages.last().filter(|last| last.role == Role::Assistant && !self.begins);
        last.is_some_and(|last| last.parts.iter().all(is_thought))
    }

    /// Adds a part to the current message, if that has the same role, else to a new one. Results have the role of the tool.
    pub fn push(&mut self, role: Role, part: Part, from: &ParsedRecord<'_>) {
        let role = if matches!(part.kind, PartKind::Result(_)) { Role::Tool } else { role };
        match self.messages.last_mut().filter(|last| last.role == role && !self.begins) {
            Some(last) => {
                last.is_inserted = false;
                parts::push(&mut last.parts, part);
            }
            None => {
                let at = part.at.place;
                self.messages.push(parts::message(role, vec![part], at, from.number));
            }
        }
        self.begins = false;
    }

    /// Marks the last message as one that the client inserted in the user's name, if a record wrote it.
    pub fn mark_inserted(&mut self, from: &ParsedRecord<'_>) {
        let last = self.messages.last_mut().filter(|last| last.role == Role::User && last.record == from.number);
        last.into_iter().for_each(|last| last.is_inserted = true);
    }

    /// Adds a text, unless it is empty.
    pub fn text(&mut self, role: Role, text: Option<Val<'_>>, from: &ParsedRecord<'_>) {
        if let Some(part) = parts::text_part(text, from.base) {
            self.push(role, part, from);
        }
    }

    /// Reports messages of an export that are not on the path to the current one as unsent.
    pub fn omit_branches(&mut self, all: &[Val<'_>], path: &[Val<'_>], from: &ParsedRecord<'_>) {
        let on_path: HashSet<u32> = path.iter().map(|message| message.start()).collect();
        for other in all.iter().filter(|message| !on_path.contains(&message.start())) {
            self.omit("a message", *other, from, "it is not on the branch of the newest message");
        }
    }

    /// Reports a value that was sent, and cannot be sent again.
    pub fn report_loss(
        &mut self,
        what: impl Into<Box<str>>,
        val: Val<'_>,
        from: &ParsedRecord<'_>,
        why: &'static str,
    ) {
        self.unsent.push(UnsentItem::lost(from.base.of(val), from.number, what, why));
    }

    /// Reports a value that is not sent.
    pub fn omit(&mut self, what: impl Into<Box<str>>, val: Val<'_>, from: &ParsedRecord<'_>, why: &'static str) {
        self.unsent.push(UnsentItem::at(from.base.of(val), from.number, what, why));
    }

    /// Reports all messages of another builder as unsent.
    pub fn omit_all(&mut self, other: ThreadBuilder, why: &'static str) {
        self.unsent.extend(unsent_parts(&other.messages, why));
        self.unsent.extend(other.unsent);
    }

    /// True if there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Removes all messages so far, except the instructions and the newest `count` user messages. Those that the agent
    /// inserted do not count.
    pub fn keep_recent_user_messages(&mut self, count: usize) {
        let is_users = |message: &Message| message.role == Role::User && !message.is_inserted;
        let mut surplus = self.messages.iter().filter(|message| is_users(message)).count().saturating_sub(count);
        let (rest, removed): (Vec<Message>, Vec<Message>) =
            std::mem::take(&mut self.messages).into_iter().partition(|message| match message.role {
                Role::System => true,
                _ if !is_users(message) => false,
                _ if surplus > 0 => {
                    surplus -= 1;
                    false
                }
                _ => true,
            });
        self.messages = rest;
        self.unsent.extend(unsent_parts(&removed, "a compaction has replaced it"));
        self.begins = true;
    }

    /// A new id for a call that has none.
    pub(super) fn invent_call_id(&mut self, at: Place) -> Text {
        self.invented += 1;
        let id = Text::synthetic(&format!("call_{}", self.invented), at);
        self.unnamed.insert(id.clone());
        id
    }

    /// Adds the messages of another builder. Its calls without an id are numbered on from those before them, and its first
    /// results may belong to such a call.
    pub fn join(&mut self, other: ThreadBuilder) {
        let mut renamed: HashMap<Text, Text> = HashMap::default();
        for mut message in other.messages {
            let parts = std::mem::take(&mut message.parts);
            self.messages.push(message);
            for mut part in parts {
                match &mut part.kind {
                    PartKind::Call(call) if other.unnamed.contains(&call.id) => {
                        let id = self.invent_call_id(part.at.place);
                        renamed.insert(std::mem::replace(&mut call.id, id.clone()), id);
                    }
                    PartKind::Result(result) => {
                        let next = || self.open_call().filter(|_| result.id.is_empty());
                        let call = match renamed.get(&result.id) {
                            None if self.has_call(&result.id) => None,
                            None => self.open_unnamed_call().or_else(next),
                            renamed => renamed.cloned(),
                        };
                        if let Some(call) = call {
                            result.id = call;
                        }
                    }
                    _ => {}
                }
                // A result is known to its call before the next one is looked at.
                if let Some(last) = self.messages.last_mut() {
                    last.parts.push(part);
                }
            }
        }
        self.unsent.extend(other.unsent);
        self.begins = true;
    }

    /// Splits off the results at the end: a late call belongs to the answer before them.
    pub fn split_off_results(&mut self) -> ThreadBuilder {
        let at = self.messages.iter().rposition(|message| message.role != Role::Tool).map_or(0, |at| at + 1);
        ThreadBuilder { messages: self.messages.split_off(at), ..ThreadBuilder::default() }
    }

    /// The thread as a history in the dialect of a format's row.
    pub fn finish(self, info: &'static FormatInfo, settings: HistorySettings) -> TranslatedThread {
        translate(info, HistorySettings { unsent: self.unsent, ..settings }, self.messages)
    }
}
