//! Logs whose records are no items of a provider: their dialect reads them as a thread.

use std::collections::BTreeSet;

use crate::json::Val;
use crate::json::edit::Base;
use crate::message::{LossKind, Losses, Media, MediaKind, Part, PartKind, Role, Source, Text, Thread, ToolResult};
use crate::place::Place;

/// Reads the records of a log, one after the other.
pub trait LogReader {
    fn read(&mut self, record: Val<'_>, base: Base<'_>);

    fn finish(self: Box<Self>) -> Log;
}

/// How a log is read.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// The server keeps items, so that they can be sent by reference.
    pub stored: bool,
    /// Only records in which one of these offsets lies, where records are not in the order of the log.
    pub only: Option<BTreeSet<u64>>,
}

/// A log as a thread. What the model made in one response is one message; items of its provider are copied into it.
#[derive(Default)]
pub struct Log {
    pub thread: Thread,
    pub losses: Losses,
    /// Why parts of the log are not sent, a reason for each of them.
    pub unsent: Vec<&'static str>,
    /// Reasoning that lost its id, because nothing of the model follows it.
    pub detached: usize,
    /// Reasoning with its blob keeps its id where its follower has none, as the log's client sends it.
    pub keeps_ids: bool,
    /// The last response goes on.
    is_open: bool,
}

impl Log {
    /// Adds a part of a response.
    pub fn answer(&mut self, kind: PartKind, place: Place) {
        self.push(Role::Assistant, Part::new(kind, place.into()));
    }

    /// Adds the result of a call.
    pub fn result(&mut self, result: ToolResult, place: Place) {
        self.push(Role::Tool, Part::new(PartKind::Result(result), place.into()));
    }

    /// Adds a message of a user or a system.
    pub fn message(&mut self, role: Role, parts: impl IntoIterator<Item = Part>) {
        for (n, part) in parts.into_iter().enumerate() {
            self.thread.add(role, n > 0, part);
        }
    }

    /// Adds a part to the last message, if that is of the same role and goes on.
    pub fn push(&mut self, role: Role, part: Part) {
        let joins = role == Role::Tool || role == Role::Assistant && self.is_open;
        self.is_open |= role == Role::Assistant;
        self.thread.add(role, joins, part);
    }

    /// Adds what comes after it.
    pub fn extend(&mut self, more: Log) {
        self.thread.messages.extend(more.thread.messages);
        self.losses.list.extend(more.losses.list);
        self.unsent.extend(more.unsent);
        self.detached += more.detached;
        self.keeps_ids |= more.keeps_ids;
        self.is_open = false;
    }

    /// What the model says next is another response.
    pub fn end_response(&mut self) {
        self.is_open = false;
    }

    /// Notes what is not sent.
    pub fn omit(&mut self, place: Place, why: &'static str) {
        self.losses.add(LossKind::NOT_REPLAYED, place.into());
        self.unsent.push(why);
    }

    /// Notes what is not sent because the log holds no result of it.
    pub fn omit_unanswered(&mut self, place: Place, why: &'static str) {
        self.losses.add(LossKind::WITHOUT_RESULT, place.into());
        self.unsent.push(why);
    }
}

/// Data of a media type, and the name of its file.
pub fn media(mime: Option<Text>, data: Text, name: Option<Text>) -> Media {
    let mime = mime.filter(|mime| !mime.is_empty());
    let kind = mime.as_ref().map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime.plain()));
    // No request names an image.
    let name = name.filter(|_| kind != MediaKind::Image);
    Media { name, ..Media::new(kind, Source::Data(data)).mime(mime) }
}
