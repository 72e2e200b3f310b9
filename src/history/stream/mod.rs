//! A log of events that names its requests by offset: what a request sends is not stored, but reduced from the events up
//! to its own. The format says what each event is ([`Event`]); [`Stream`] reduces them in order, keeps the rows of the
//! messages that count, and notes what does not fit. Linear in time; nothing is kept of an event but what is asked of
//! it later.

mod digest;
mod reduce;

use crate::place::Place;

pub use digest::Digest;
pub use reduce::{Context, Stream};

/// What an event does to the conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Says what the model is instructed with from here on.
    System,
    /// A message that counts.
    Message,
    /// What the model said, for the request that it names, if it names one.
    Output,
    /// All messages so far are replaced by what follows.
    Rewrite,
    /// A request will be made.
    Scheduled,
    /// A request was made: its offset is its name.
    Requested,
    /// Whoever carries requests out began with one.
    Started,
    /// The request has ended.
    Completed,
    /// The provider's part in the request has ended; the agent has not said so yet.
    Ended,
    Cancelled,
    /// Nothing to the conversation.
    Other,
    /// Of a type that is not known.
    Unknown,
    /// Of a known type, and without what that type must say.
    Invalid,
}

/// What a format says about one event.
#[derive(Clone, Debug)]
pub struct Event {
    pub step: EventKind,
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub offset: Option<u64>,
    /// Offset of the request that it speaks of.
    pub request: Option<u64>,
    /// Fingerprint of the name that a request has before it is made; 0 without one.
    pub name: u64,
    /// Fingerprint of its type.
    pub kind: u64,
    /// Fingerprint of what it adds to the history.
    pub said: Digest,
    /// A request body that repeats the history.
    pub body: Option<Repeated>,
}

/// Messages that an event repeats.
#[derive(Clone, Copy, Debug)]
pub struct Repeated {
    /// The list of messages.
    pub at: Place,
    /// Fingerprint of all of them.
    pub digest: Digest,
    /// Their instructions are those of requests for which nobody gave any.
    pub default: bool,
}

/// How a request ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Open,
    Cancelled,
    Done,
}

/// A step of the conversation: messages that count, or a request.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub offset: u64,
    /// The request that it is, or that it answers.
    pub request: Option<u64>,
    pub step: EventKind,
    /// The first of its rows; the next one's is the end.
    pub rows: u32,
}

/// What does not fit in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A request that never ended, though the stream went on to another.
    Abandoned,
    /// A request that had not ended when the stream did.
    Running,
    /// An output while another request was the current one.
    Stale,
    /// An output while no request was.
    Late,
    /// An output of a request that was cancelled.
    AfterCancel,
    /// The second output of a request.
    AnsweredTwice,
    /// An end of a request that is not in the stream.
    EndOfNothing,
    /// An output of a request that is not in the stream.
    OutputOfNothing,
    /// An offset that is not above the one before.
    Order,
    NoOffset,
    /// A body that is not what the history says.
    Body(Context),
    /// Events of a type that is not known, and how many.
    Unknown(u32),
    Invalid,
}

/// A misfit and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Misplaced {
    pub misfit: Misfit,
    pub at: Place,
    pub record: u32,
    pub partner: Option<Place>,
    /// Offset of the event, or of the request that it speaks of.
    pub offset: u64,
}
