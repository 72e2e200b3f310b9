//! One event of a stream: its effect on the conversation, and fingerprints of its content.

use std::any::Any;

use crate::format::requests::CustomEvent;
use crate::place::Place;

use super::digest::Digest;
use super::prompt::{Readers, RequestTell, Tell};

/// The effect of an event on the conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Sets the instructions from here on.
    System,
    /// Adds a message.
    Message,
    /// An output of the model, for the request that it names, if any.
    Output,
    /// Replaces all messages so far.
    Rewrite,
    /// A request will be made.
    Scheduled,
    /// A request was made: its offset is its name.
    Requested,
    /// The provider started a request.
    Started,
    /// The request has ended.
    Completed,
    /// The provider has finished the request; the agent has not recorded that yet.
    Ended,
    Cancelled,
    /// No effect.
    Other,
    /// An event of an unknown type.
    Unknown,
    /// An event of a known type without its required content.
    Invalid,
}

/// An event of a stream.
#[derive(Clone, Debug)]
pub struct IterateEvent {
    pub kind: EventKind,
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub offset: Option<u64>,
    /// Offset of the request that it is about.
    pub request: Option<u64>,
    /// Fingerprint of the name that a request has before it is made; 0 if there is none.
    pub name: u64,
    /// What it shows of the contract that is followed, and for a request, of its own.
    pub tell: Tell,
    pub request_tell: RequestTell,
    /// The contracts that read it, if it adds an item of the context.
    pub readers: Readers,
    /// Unix seconds; `None` if it has no valid time.
    pub time: Option<i64>,
    /// When a request expires, in Unix seconds.
    pub expires_at: Option<i64>,
    /// Fingerprint of its type.
    pub type_digest: u64,
    /// Fingerprint of the messages that it adds to the history.
    pub content: Digest,
    /// A request body that repeats the history.
    pub body: Option<RepeatedBody>,
}

/// Messages of the history that an event repeats.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedBody {
    /// The list of messages.
    pub at: Place,
    /// Fingerprint of all of them.
    pub digest: Digest,
    /// True if the instructions are the default ones.
    pub default: bool,
}

impl CustomEvent for IterateEvent {
    fn renumber(&mut self, records: u32) {
        self.record += records;
    }

    fn any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
