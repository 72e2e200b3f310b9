//! The thread of a stored history, for a request of one dialect. What is already in that dialect is copied as far as
//! possible; the rest is read and adapted.

use std::io;

use crate::convert::{ConvertPlan, fit_thread, merge, read_thread, session};
use crate::dialect::{BLOCK, Body, BodyShape, Dialect, OutputShape};
use crate::dialects::anthropic::{self, ANTHROPIC};
use crate::dialects::responses;
use crate::format::FormatInfo;
use crate::history::{Flags, History, Role, Row};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::judge::Options;
use crate::message::{ConversionLoss, Losses, Message, Part, RawJson, SourceLocation, Text, Thread};
use crate::place::{DocId, Place};
use crate::read::TextReader;
use crate::source::ReadAt;
use crate::target::Target;

/// A history of a document.
pub struct StoredHistory<'h> {
    pub id: DocId,
    pub bytes: &'h dyn ReadAt,
    pub options: &'h Options,
    pub history: &'h History,
    pub info: &'static FormatInfo,
}

/// A thread, and how its messages are written.
pub(super) struct StoredThread {
    pub thread: Thread,
    losses: Losses,
    messages: MessageUnit,
}

/// What is one message of the request.
enum MessageUnit {
    /// Adjacent messages of one side.
    Side,
    /// What is one item of the store, by the places of these, in order.
    Item(Vec<Place>),
    /// Each message, once it is fitted to the dialect.
    Fitted,
}

impl StoredHistory<'_> {
    /// Reads the history for a request in a dialect.
    pub(super) fn read(&self, to: &'static dyn Dialect) -> io::Result<StoredThread> {
        let own = self.info.dialect.info();
        if session::is_session(self.info) && to.info().name == anthropic::NAME {
            return Ok(self.copy_blocks());
        }
        let is_items = self.info.requests.is_none() && own.log.is_none() && !session::is_session(self.info);
        if is_items && own.capabilities.dialect == to.info().name {
            return Ok(self.read_items(to));
        }
        let (thread, losses) = read_thread(self.id, self.bytes, self.options, self.history, self.info)?;
        Ok(StoredThread { thread, losses, messages: MessageUnit::Fitted })
    }

    fn texts(&self) -> TextReader<'_> {
        TextReader::new(self.bytes, self.info.dialect)
    }

    /// Copies the blocks of a session.
    fn copy_blocks(&self) -> StoredThread {
        let (texts, mut losses, mut thread) = (self.texts(), Losses::default(), Thread::default());
        let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
            texts.with_item(row, see);
        };
        for turn in session::turns(&self.history.rows) {
            thread.messages.extend(session::messages(turn, true, &mut losses, &mut see));
        }
        StoredThread { thread, losses, messages: MessageUnit::Side }
    }

    /// Reads the items, each as the messages that it consists of. Those of the Responses API are copied.
    fn read_items(&self, dialect: &'static dyn Dialect) -> StoredThread {
        let (texts, mut losses, mut thread) = (self.texts(), Losses::default(), Thread::default());
        let around = self.history.settings.body;
        if let Some(around) = around {
            texts.with_body(around, |val, base| {
                let body = Body { val, base, embedded: around.embedded, shape: BodyShape::Request };
                self.info.dialect.read(body, &mut thread, &mut losses);
            });
        }
        let is_copied = dialect.info().name == responses::NAME;
        let mut items = Vec::new();
        let apart = |row: &&Row| row.part != BLOCK && !around.is_some_and(|around| around.contains(row.at));
        for row in self.history.rows.iter().filter(apart) {
            texts.with_item(row, |val| {
                items.push(row.at);
                if is_copied {
                    return thread.push(copied_item(row, val));
                }
                // Nothing of the item joins a message of the item before it.
                thread.push(Message::new(Role::None, SourceLocation::default()));
                let base = RecordBase::new(self.id, row.at.start);
                let body = Body { val, base, embedded: row.has(Flags::EMBEDDED), shape: BodyShape::Item };
                self.info.dialect.read(body, &mut thread, &mut losses);
            });
        }
        thread.messages.retain(|message| message.role != Role::None || !message.parts.is_empty());
        items.sort_unstable_by_key(|at| at.start);
        StoredThread { thread, losses, messages: MessageUnit::Item(items) }
    }
}

/// A message with a copy of an item of the Responses API.
fn copied_item(row: &Row, val: Val<'_>) -> Message {
    let role = match row.role {
        Role::User | Role::System | Role::Developer => row.role,
        _ if row.answers_call() => Role::Tool,
        _ => Role::Assistant,
    };
    let at = SourceLocation { place: row.at, embedded: row.has(Flags::EMBEDDED) };
    let part = match Text::of_val(val) {
        Some(text) => Part::text(text, at),
        None => Part::verbatim(responses::NAME, RawJson::build(row.at, |w| w.bytes(val.raw())), row.at),
    };
    let role = if val.is_string() { Role::User } else { role };
    Message { parts: vec![part], record: row.record, ..Message::new(role, at) }
}

impl StoredThread {
    /// Makes the messages those of a request to the target. Returns what is lost.
    pub(super) fn finish(&mut self, to: &'static dyn Dialect, target: &'static Target) -> Vec<ConversionLoss> {
        let messages = &mut self.thread.messages;
        match &self.messages {
            MessageUnit::Side => merge(messages, &ANTHROPIC),
            MessageUnit::Item(items) => merge_within(messages, items, to),
            MessageUnit::Fitted => {
                let plan = ConvertPlan { target: Some(target), ..ConvertPlan::to(to, OutputShape::Request) };
                fit_thread(&mut self.thread, &plan, &mut self.losses);
            }
        }
        std::mem::take(&mut self.losses.list)
    }
}

/// Merges adjacent messages of one side that come from one item of the store.
fn merge_within(messages: &mut Vec<Message>, items: &[Place], dialect: &dyn Dialect) {
    let Some(side) = dialect.info().capabilities.merged_roles else { return };
    let item_of = |message: &Message| {
        let at = message.at.place;
        let ix = items.partition_point(|item| item.start <= at.start).checked_sub(1)?;
        items.get(ix).is_some_and(|item| item.contains(&at)).then_some(ix)
    };
    messages.dedup_by(|next, last| {
        let is_same =
            side(next.role) == side(last.role) && item_of(next).is_some_and(|ix| item_of(last) == Some(ix));
        if is_same {
            last.parts.append(&mut next.parts);
        }
        is_same
    });
}
