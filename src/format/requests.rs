//! Logs that do not store the bodies of requests, but name each request by the event that caused it: the contract of their
//! formats, by which the history of a request is assembled from the events up to it.

use std::any::Any;
use std::fmt;

use crate::history::tree::TreeEntry;
use crate::history::{Finding, Role, Row};
use crate::json::Val;
use crate::place::Place;
use crate::source::ReadAt;

use super::record::Record;

/// An event that only the assembler of its format understands.
pub trait CustomEvent: Any + Send {
    /// Adds the number of preceding records to the record numbers of the event.
    fn renumber(&mut self, records: u32);

    fn any(self: Box<Self>) -> Box<dyn Any>;
}

/// Assembles the history of a document from events of its format, in order.
pub trait CustomAssembler {
    /// Adds an event, before its rows.
    fn event(&mut self, event: Box<dyn CustomEvent>);

    /// Adds rows of the last event.
    fn rows(&mut self, rows: &[Row]);

    /// The rows that a request would send now.
    fn history(&self) -> Vec<Row>;

    /// The rows that it would not send, with the reason.
    fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        Vec::new()
    }

    /// The steps of the conversation as a path of nodes.
    fn nodes(&self) -> Vec<(TreeEntry, Vec<Row>)>;

    /// Findings about contradictory events, in the order of the document.
    fn finish(&mut self, bytes: &dyn ReadAt) -> Vec<Finding>;
}

/// A log whose requests can be found and rebuilt.
pub trait RequestLog: Sync {
    /// The names of the providers that requests can be rebuilt for.
    fn providers(&self) -> &'static [&'static str];

    fn tracker(&self) -> Box<dyn RequestTracker>;

    fn rebuilder<'a>(&self, asked: RebuildQuery<'a>) -> Box<dyn RequestRebuilder + 'a>;
}

/// A state of the history: the range of the log's messages that a request would send.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Context {
    pub from: u32,
    pub to: u32,
    /// The index of the instructions that apply, plus one; 0 for the default.
    pub system: u32,
}

impl Context {
    /// True if it contains all messages of another, and perhaps more.
    pub fn continues(self, other: Context) -> bool {
        (self.from, self.system) == (other.from, other.system) && self.to >= other.to
    }
}

/// The kind of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordClass {
    /// Not an event.
    Other,
    Event,
    /// An event without an offset, or with one that is not above the previous: the content of requests is uncertain.
    Disorder,
}

/// A list of messages in an event that repeats messages of the history.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedMessages {
    pub at: Place,
    /// The offset of the request that sends it; `None` if the log does not contain that request.
    pub request: Option<u64>,
    /// The state of the history that the request sends.
    pub context: Context,
}

/// Reads a log record by record, and tracks what each of its requests sends.
pub trait RequestTracker {
    fn track(&mut self, record: &Record<'_>) -> RecordClass;

    /// The list that the last event repeats, if any.
    fn repeat(&self) -> Option<RepeatedMessages>;

    /// The state that the request at an offset sends, if the last event refers to it.
    fn request(&self, offset: u64) -> Option<Context>;

    /// The first message from `from` on in which a list differs from a state of the history.
    fn divergence(&self, context: Context, bytes: &dyn ReadAt, list: Val<'_>, from: u32) -> Option<Divergence>;

    /// The messages of a state of the history from number `from` on, as JSON without white space.
    fn messages(&self, context: Context, bytes: &dyn ReadAt, from: u32) -> Vec<Vec<u8>>;
}

/// The first message in which a body differs from the history, described without its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// The index of the message.
    pub index: u32,
    pub body: DivergentMessage,
    pub history: DivergentMessage,
}

/// One of two messages that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DivergentMessage {
    /// There is no such message.
    Nothing,
    /// A message with more than a role and a text.
    Other,
    /// A message with this role, and a text of this length in bytes.
    Text(Role, usize),
}

impl fmt::Display for DivergentMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DivergentMessage::Nothing => write!(f, "nothing"),
            DivergentMessage::Other => write!(f, "more than a role and a text"),
            DivergentMessage::Text(role, len) => {
                write!(f, "{} text of {len} bytes", format!("{role:?}").to_ascii_lowercase())
            }
        }
    }
}

/// The request to rebuild.
#[derive(Clone, Copy, Default)]
pub struct RebuildQuery<'a> {
    /// The offset or name of a request, or any other offset; `None`: the end of the log.
    pub at: Option<&'a str>,
    /// A user message to append.
    pub next_message: Option<&'a str>,
    /// The provider; `None`: the one that the log names.
    pub provider: Option<&'a str>,
    /// True for the list of messages instead of a body for the provider.
    pub as_messages: bool,
    /// True if every message begins with the offset of its event, where versions of the agent differ in that.
    pub every_header: bool,
    /// The text of a prompt that is only in the code of the agent.
    pub protocol_prompt: Option<&'a str>,
}

/// A rebuilt request.
pub struct RebuiltRequest {
    pub body: Vec<u8>,
    pub messages: usize,
    pub provider: Option<&'static str>,
    /// True if the log contains the request; else it is the one that would be sent at this offset.
    pub is_request: bool,
    /// The offset of the last event that is included.
    pub offset: u64,
    pub model: Option<String>,
    /// The outcome of the request by the log.
    pub state: &'static str,
    /// The first message in which the body in the log differs, if it does.
    pub differs: Option<u32>,
    /// A text of the prompt is not in the log, and was not given: the first message only names it.
    pub lacks_prompt: bool,
    /// What may not be exactly as it was sent.
    pub notes: Vec<&'static str>,
}

/// The reason why a request cannot be rebuilt.
#[derive(Debug)]
pub enum RebuildError {
    /// There is no such event; these are the nearest ones.
    Unknown(Vec<String>),
    /// The event in this record has no offset, or one that is not above the previous.
    Order(u32),
    /// The event asked for a request, and none was sent: why.
    NotSent(String),
    /// The given text of the prompt is not that of the contract, whose hash this is.
    OtherPrompt(&'static str),
}

/// Rebuilds one request of a log.
pub trait RequestRebuilder {
    /// Adds a record. Returns true if more are needed.
    fn push(&mut self, record: &Record<'_>, bytes: &dyn ReadAt) -> bool;

    /// Ends the first pass, after all records up to the request. Returns true if a second pass is needed, for later records
    /// about the request.
    fn end_first_pass(&mut self) -> Result<bool, RebuildError>;

    /// Adds a record of the second pass. Returns true if more are needed.
    fn push_second_pass(&mut self, record: &Record<'_>) -> bool;

    fn finish(&self, bytes: &dyn ReadAt) -> RebuiltRequest;
}
