//! Logs that do not store what their requests sent, but name each request by the event that made it: what a format of
//! such a log knows of its events, and how the history of a request is put together from the events up to it.

use std::any::Any;
use std::fmt;

use crate::history::tree::Entry;
use crate::history::{Finding, Role, Row};
use crate::json::Val;
use crate::place::Place;
use crate::source::ReadAt;

use super::record::Record;

/// An event that only the assembler of its own format understands.
pub trait Own: Any + Send {
    /// Counts records from where the ones before ended.
    fn renumber(&mut self, records: u32);

    fn any(self: Box<Self>) -> Box<dyn Any>;
}

/// Makes the history of a doc from events of its format, in order.
pub trait Assemble {
    /// Takes an event, before its rows.
    fn event(&mut self, event: Box<dyn Own>);

    /// Takes rows of the event that came last.
    fn rows(&mut self, rows: &[Row]);

    /// What a request would send that is made now.
    fn history(&self) -> Vec<Row>;

    /// The rows that it would not send, and why.
    fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        Vec::new()
    }

    /// The steps of the conversation as a path of nodes.
    fn nodes(&self) -> Vec<(Entry, Vec<Row>)>;

    /// What does not fit, in the order of the doc.
    fn finish(&mut self, bytes: &dyn ReadAt) -> Vec<Finding>;
}

/// How the requests of a log are found and rebuilt.
pub trait Requests: Sync {
    /// Names of those who carry requests out, each in a way of its own.
    fn providers(&self) -> &'static [&'static str];

    fn follow(&self) -> Box<dyn Follow>;

    fn rebuild<'a>(&self, asked: Asked<'a>) -> Box<dyn Rebuild + 'a>;
}

/// A state of the history: which of the log's messages a request would send.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Context {
    pub from: u32,
    pub to: u32,
    /// Index of the instructions that hold, plus one; 0 for the default.
    pub system: u32,
}

impl Context {
    /// Whether it says what another did, and perhaps more.
    pub fn continues(self, other: Context) -> bool {
        (self.from, self.system) == (other.from, other.system) && self.to >= other.to
    }
}

/// What a record was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Not an event.
    Other,
    Event,
    /// An event without an offset, or with one that is not above the one before: what requests sent is uncertain.
    Disorder,
}

/// A list of messages in an event that repeats what the history says.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    pub at: Place,
    /// Offset of the request that sends it; `None` if the log does not hold that request.
    pub request: Option<u64>,
    /// What the request sends by the history.
    pub context: Context,
}

/// Follows a log record by record, and knows what each of its requests sends.
pub trait Follow {
    fn take(&mut self, record: &Record<'_>) -> Taken;

    /// What the event that came last repeats.
    fn repeat(&self) -> Option<Repeat>;

    /// What the request at an offset sends, if the event that came last speaks of it.
    fn request(&self, offset: u64) -> Option<Context>;

    /// The first message from `from` on in which a list is not what a state of the history says.
    fn divergence(&self, context: Context, bytes: &dyn ReadAt, list: Val<'_>, from: u32) -> Option<Divergence>;

    /// The messages of a state of the history without the first `from` of them, as JSON, without white space.
    fn messages(&self, context: Context, bytes: &dyn ReadAt, from: u32) -> Vec<Vec<u8>>;
}

/// The first message in which a body differs from the history, by what can be said of both without their content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Index of the message.
    pub index: u32,
    pub body: Side,
    pub history: Side,
}

/// One of two messages that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// There are no more messages.
    Nothing,
    /// No message that holds just a role and a text.
    Other,
    /// A role and the length of the text in bytes.
    Text(Role, usize),
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Nothing => write!(f, "nothing"),
            Side::Other => write!(f, "more than a role and a text"),
            Side::Text(role, len) => {
                write!(f, "{} text of {len} bytes", format!("{role:?}").to_ascii_lowercase())
            }
        }
    }
}

/// Which request is to be rebuilt.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Offset or name of a request, or any other offset; without it, the end of the log.
    pub at: Option<&'a str>,
    /// What the user says next.
    pub ask: Option<&'a str>,
    /// Who carries it out; else the log may say it.
    pub provider: Option<&'a str>,
    /// As a list of messages, whoever carries it out.
    pub as_messages: bool,
}

/// A request that was rebuilt.
pub struct Sent {
    pub body: Vec<u8>,
    pub messages: usize,
    pub provider: Option<&'static str>,
    /// The request is in the log; else this is what one would send that is made there.
    pub is_request: bool,
    /// Offset up to which events count.
    pub offset: u64,
    pub model: Option<String>,
    /// What the log says of its end.
    pub state: &'static str,
    /// The body that the log holds is another, from this message on.
    pub differs: Option<u32>,
}

/// Why no request can be rebuilt.
#[derive(Debug)]
pub enum Refused {
    /// There is no such event; the nearest ones are these.
    Unknown(Vec<String>),
    /// The event in this record has no offset, or one that is not above the one before.
    Order(u32),
    /// The event in this record is of a contract by which what requests sent is not in the log.
    Unstored(u32),
}

/// Rebuilds one request of a log.
pub trait Rebuild {
    /// Takes a record. Says whether more are needed.
    fn take(&mut self, record: &Record<'_>, bytes: &dyn ReadAt) -> bool;

    /// All records up to the request were taken. Says whether the log is to be read once more, for what it says of the
    /// request later.
    fn taken(&mut self) -> Result<bool, Refused>;

    /// Takes a record of the second reading. Says whether more are needed.
    fn take_later(&mut self, record: &Record<'_>) -> bool;

    fn finish(&self, bytes: &dyn ReadAt) -> Sent;
}
