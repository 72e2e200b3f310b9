//! A stored conversation as a tree. Formats say what each stored line or exchange is ([`Entry`]); [`Builder`] makes
//! nodes of them: lines of one response become one node, outputs of one batch of calls that the store wrote side by side
//! become one, requests find their responses, and whatever carries no items is passed over. What is wrong with the
//! links is listed as problems; nothing here fails, and everything takes linear time.

mod build;
mod cycles;
mod forest;
mod forks;
mod gap;
mod join;
mod trim;

use std::collections::HashSet;
use std::sync::Arc;

use crate::history::Version;
use crate::place::Place;

pub use build::Builder;
pub use forest::{Forest, Named};

/// What something is called. Entries that say the same one after the other share it.
pub type Name = Arc<str>;

/// No node.
pub const NO_NODE: u32 = u32::MAX;

/// What a stored entry is in a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// What the client says: a user's message, outputs, a request without its response.
    #[default]
    Input,
    /// What the model says: one response, or a line of it.
    Answer,
    /// A request together with its response.
    Exchange,
    /// Nothing of the conversation, but a link in its chain.
    Link,
}

/// Marks of an entry or a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks(pub u16);

impl Marks {
    /// The stored text is not what the model was sent or said.
    pub const EDITED: Marks = Marks(1);
    /// The history before it was cut or summarised.
    pub const TRIMMED: Marks = Marks(2);
    /// Part of a side chain: a subagent's history of its own.
    pub const SIDE: Marks = Marks(4);
    /// What a request replays begins here: links further up only tell where it came from.
    pub const RESTART: Marks = Marks(8);
    /// A stream that has not ended yet.
    pub const UNFINISHED: Marks = Marks(16);
    /// The response failed, or was cut off.
    pub const FAILED: Marks = Marks(32);
    /// Linked by the server's ids: a parent that is not stored here may well be on the server.
    pub const CHAINED: Marks = Marks(64);
    /// It follows the entry that is stored before it: its store knows no links.
    pub const FOLLOWS: Marks = Marks(128);
    /// A link to the message that sums up what is above it: a client that reads the file again begins there.
    pub const SUMMARY: Marks = Marks(256);
    /// Of a client that sends its whole history each time, and builds on no response.
    pub const UNCHAINED: Marks = Marks(512);

    /// Of a client none of whose released versions stores the ids of responses.
    pub const NO_IDS: Marks = Marks(1024);

    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set(&mut self, other: Marks) {
        self.0 |= other.0;
    }

    /// Both.
    pub fn and(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

/// What a format says about one stored line, event or exchange.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What other entries call it; empty if nothing names it.
    pub name: Name,
    /// Name of the entry that it follows.
    pub parent: Option<Name>,
    /// What the response says about the entry that it follows, if the request says something of its own.
    pub claimed: Option<Name>,
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub part: Part,
    /// Lines with the same one are one response.
    pub message: Option<Name>,
    /// The id that a later request may build on.
    pub response: Option<Name>,
    /// Unix seconds.
    pub time: Option<i64>,
    pub model: Option<Name>,
    /// What the client calls the settings that the response was made with, or is to be made with.
    pub config: Option<Name>,
    pub store: Option<bool>,
    /// Where a request body lies whose settings the next request repeats, and whether it lies in a JSON string.
    pub body: Option<(Place, bool)>,
    /// Fingerprint of what it says, to tell a copy from an edit.
    pub digest: u64,
    pub marks: Marks,
    /// If the entry before has the same name, this is more about it.
    pub goes_on: bool,
    /// The session that it was written for, where files are copies of one another.
    pub session: Option<Arc<Session>>,
    /// Entries with the same one follow each other, if they say so or not; 0 where nothing tells.
    pub thread: u64,
    /// The version of the agent that wrote it.
    pub version: Option<Version>,
    /// What is wrong with it by itself.
    pub wrong: Option<Wrong>,
}

/// A session with a file of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    pub id: Name,
    /// The session whose first lines it shares.
    pub forked_from: Option<Name>,
}

impl Entry {
    pub fn new(name: &str, at: Place, record: u32, part: Part) -> Self {
        Entry {
            name: name.into(),
            parent: None,
            claimed: None,
            at,
            record,
            part,
            message: None,
            response: None,
            time: None,
            model: None,
            config: None,
            store: None,
            body: None,
            digest: 0,
            marks: Marks::default(),
            goes_on: false,
            session: None,
            thread: 0,
            version: None,
            wrong: None,
        }
    }

    /// Says what the entry before it says, in its words; and `model`, in the words of whichever entry named it last.
    fn share(&mut self, last: &Entry, model: Option<&Name>) {
        let same = |own: &mut Option<Name>, other: Option<&Name>| {
            if let Some(other) = other.filter(|other| own.as_ref() == Some(other)) {
                *own = Some(Arc::clone(other));
            }
        };
        same(&mut self.parent, Some(&last.name));
        same(&mut self.message, last.message.as_ref());
        same(&mut self.model, model);
        if let Some(session) = last.session.as_ref().filter(|session| self.session.as_ref() == Some(session)) {
            self.session = Some(Arc::clone(session));
        }
    }

    /// The same, with what it holds: what is left here says where it is and what it was.
    fn taken(&mut self) -> Self {
        let Entry { name, parent, claimed, message, response, model, config, session, .. } = self;
        Entry {
            name: std::mem::take(name),
            parent: parent.take(),
            claimed: claimed.take(),
            message: message.take(),
            response: response.take(),
            model: model.take(),
            config: config.take(),
            session: session.take(),
            ..*self
        }
    }
}

/// One step of a conversation.
#[derive(Clone, Debug)]
pub struct Node {
    /// The entry that begins it. Its rows are `rows` of the forest.
    pub entry: Entry,
    /// Names of all entries of which it was made; empty for a request that nothing names.
    pub names: Vec<Name>,
    /// [`NO_NODE`] for a root.
    pub parent: u32,
    pub children: Vec<u32>,
    pub rows: std::ops::Range<u32>,
    /// The parent's name, if it is not stored.
    pub missing: Option<Name>,
}

impl Node {
    pub fn has(&self, marks: Marks) -> bool {
        self.entry.marks.has(marks)
    }

    /// The model speaks in it.
    pub fn is_answer(&self) -> bool {
        matches!(self.entry.part, Part::Answer | Part::Exchange)
    }

    /// The name by which it is called, `None` if nothing names it.
    pub fn name(&self) -> Option<&str> {
        self.names.first().map(|name| &**name)
    }
}

/// The names without those that are empty or come again.
fn distinct(mut names: Vec<Name>) -> Vec<Name> {
    names.retain(|name| !name.is_empty());
    if names.len() > 1 {
        let mut seen = HashSet::with_capacity(names.len());
        names.retain(|name| seen.insert(Name::clone(name)));
    }
    names
}

/// What is wrong with the links of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// The parent is not stored.
    MissingParent,
    /// The parent is not stored, and what came before it is: it is lost to a client that follows the links.
    Phantom,
    /// The parents lead back to the node itself.
    Cycle,
    /// The name was given before, to the same content.
    Copied,
    /// The name was given before, to other content.
    Changed,
    /// Request and response name different parents.
    OtherParent,
    /// The request builds on a response that was not stored.
    NotStored,
    /// The request builds on a response whose calls it does not answer.
    Unanswered,
    /// A stream without its last event.
    Unfinished,
    /// A record that could not be read, and the number of entries that are linked to it.
    Lost(u32),
    /// An entry of a type that is not known, with the fingerprint of its name. It is reported once a type.
    UnknownType(u64),
    /// The client does not find the session by a file that begins with this entry.
    FirstLine,
    /// The model ran on a host of this number. It is reported once a host.
    Host(u8),
}

/// A problem and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    pub wrong: Wrong,
    pub at: Place,
    pub record: u32,
    pub partner: Option<Place>,
}
