//! Logs whose records are not items of a provider: their dialect reads them as a thread.

use std::collections::BTreeSet;

use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::message::{
    LossKind, Losses, Media, MediaKind, MediaSource, Part, PartKind, Role, Text, Thread, ToolResult,
};
use crate::place::Place;

/// Reads the records of a log, one after the other.
pub trait LogReader {
    fn read(&mut self, record: Val<'_>, base: RecordBase<'_>);

    fn finish(self: Box<Self>) -> LogThread;
}

/// Options for reading a log.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    /// The server stores items, so that they can be sent by reference.
    pub stored: bool,
    /// Items keep their ids, also those that the log's client does not send.
    pub keeps_item_ids: bool,
    /// Read only the records that contain one of these offsets, where records are not in the order of the log; `None`: all.
    pub only: Option<BTreeSet<u64>>,
}

/// A log as a thread. Each response of the model is one message; items of its provider are copied into it.
#[derive(Default)]
pub struct LogThread {
    pub thread: Thread,
    pub losses: Losses,
    /// Why parts of the log are not sent, a reason for each of them.
    pub unsent: Vec<&'static str>,
    /// How many reasoning parts lost their id, because nothing of the model follows them.
    pub detached_reasoning: usize,
    /// Reasoning with encrypted content keeps its id even if the next item has none, as the log's client sends it.
    pub keeps_ids: bool,
    /// The last response is not finished.
    is_open: bool,
}

impl LogThread {
    /// Adds a part of a response.
    pub fn add_answer(&mut self, kind: PartKind, place: Place) {
        self.push(Role::Assistant, Part::new(kind, place.into()));
    }

    /// Adds the result of a call.
    pub fn add_result(&mut self, result: ToolResult, place: Place) {
        self.push(Role::Tool, Part::new(PartKind::Result(result), place.into()));
    }

    /// Adds a message of a user or a system.
    pub fn add_message(&mut self, role: Role, parts: impl IntoIterator<Item = Part>) {
        for (n, part) in parts.into_iter().enumerate() {
            self.thread.add(role, n > 0, part);
        }
    }

    /// Adds a part to the last message if that has the same role and is not finished, else to a new one.
    pub fn push(&mut self, role: Role, part: Part) {
        let joins = role == Role::Tool || role == Role::Assistant && self.is_open;
        self.is_open |= role == Role::Assistant;
        self.thread.add(role, joins, part);
    }

    /// Appends another log.
    pub fn extend(&mut self, more: LogThread) {
        self.thread.messages.extend(more.thread.messages);
        self.losses.list.extend(more.losses.list);
        self.unsent.extend(more.unsent);
        self.detached_reasoning += more.detached_reasoning;
        self.keeps_ids |= more.keeps_ids;
        self.is_open = false;
    }

    /// Ends the response: the next part of the model begins another one.
    pub fn end_response(&mut self) {
        self.is_open = false;
    }

    /// Reports content that is not sent.
    pub fn omit(&mut self, place: Place, why: &'static str) {
        self.losses.add(LossKind::NOT_REPLAYED, place.into());
        self.unsent.push(why);
    }

    /// Reports a call that is not sent because the log contains no result of it.
    pub fn omit_unanswered(&mut self, place: Place, why: &'static str) {
        self.losses.add(LossKind::WITHOUT_RESULT, place.into());
        self.unsent.push(why);
    }
}

/// Media from data, its type, and the name of its file.
pub fn media_from_data(mime: Option<Text>, data: Text, name: Option<Text>) -> Media {
    let mime = mime.filter(|mime| !mime.is_empty());
    let kind = mime.as_ref().map_or(MediaKind::File, |mime| MediaKind::of_mime(&mime.plain()));
    // No request names an image.
    let name = name.filter(|_| kind != MediaKind::Image);
    Media { name, ..Media::new(kind, MediaSource::Data(data)).mime(mime) }
}
