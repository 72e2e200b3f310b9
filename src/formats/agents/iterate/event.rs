//! What is kept of one event of a stream: what it does to the conversation, and fingerprints of what it says.

use std::any::Any;

use crate::format::requests::Own;
use crate::place::Place;

use super::digest::Digest;

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

impl Own for Event {
    fn renumber(&mut self, records: u32) {
        self.record += records;
    }

    fn any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
