//! A stored conversation as a tree. Formats describe each stored line or exchange as a [`TreeEntry`]; [`TreeBuilder`]
//! builds nodes from them: lines of one response become one node, so do the outputs of one batch of calls, requests are
//! joined with their responses, and entries without items are skipped. Wrong links are listed as problems; nothing here
//! fails, and everything takes linear time.

mod build;
mod cycles;
mod forest;
mod forks;
mod gap;
mod join;
mod split;
mod trim;

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use smallvec::SmallVec;

use crate::history::{Role, Row, Version};
use crate::place::Place;

pub use build::TreeBuilder;
pub use forest::{Forest, NodeMatch};

/// The name of an entry, a model or a session. Consecutive entries share equal names.
pub type NodeName = Arc<str>;

/// No node.
pub const NO_NODE: u32 = u32::MAX;

/// The role of a stored entry in a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EntryRole {
    /// From the client: a user message, outputs, a request without its response.
    #[default]
    Input,
    /// From the model: a response, or a line of one.
    Answer,
    /// A request together with its response.
    Exchange,
    /// Not part of the conversation, but a link in its chain.
    Link,
}

impl EntryRole {
    /// The role of rows that are not a record by themselves.
    pub fn of_rows(rows: &[Row]) -> EntryRole {
        let answers = rows.iter().any(|row| row.role == Role::Assistant || row.is_model_made());
        if answers { EntryRole::Exchange } else { EntryRole::Input }
    }
}

/// Marks of an entry or a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryMarks(pub u16);

impl EntryMarks {
    /// The stored text is not what was sent to, or came from, the model.
    pub const EDITED: EntryMarks = EntryMarks(1);
    /// The history before it was truncated or summarised.
    pub const TRIMMED: EntryMarks = EntryMarks(2);
    /// Part of a side chain: the separate history of a subagent.
    pub const SIDE: EntryMarks = EntryMarks(4);
    /// Requests replay the history from here: links further up only show its origin.
    pub const RESTART: EntryMarks = EntryMarks(8);
    /// A stream that has not ended yet.
    pub const UNFINISHED: EntryMarks = EntryMarks(16);
    /// The response failed, or was aborted.
    pub const FAILED: EntryMarks = EntryMarks(32);
    /// Linked by the server's ids: a parent that is not stored here may be on the server.
    pub const CHAINED: EntryMarks = EntryMarks(64);
    /// It follows the entry that is stored before it: its store has no links.
    pub const FOLLOWS: EntryMarks = EntryMarks(128);
    /// A link to the message that summarises the ones before it: a client that reads the file again begins there.
    pub const SUMMARY: EntryMarks = EntryMarks(256);
    /// From a client that sends its whole history each time, and builds on no response.
    pub const UNCHAINED: EntryMarks = EntryMarks(512);

    /// From a client none of whose released versions stores the ids of responses.
    pub const NO_IDS: EntryMarks = EntryMarks(1024);
    /// A request that adds to a conversation which the server stores.
    pub const CONVERSATION: EntryMarks = EntryMarks(2048);

    pub fn has(self, other: EntryMarks) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set(&mut self, other: EntryMarks) {
        self.0 |= other.0;
    }

    /// The difference.
    pub fn without(self, other: EntryMarks) -> EntryMarks {
        EntryMarks(self.0 & !other.0)
    }

    /// The union.
    pub fn and(self, other: EntryMarks) -> EntryMarks {
        EntryMarks(self.0 | other.0)
    }
}

/// How entries whose parent is missing are linked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum MissingLinks {
    /// To the entry before a record that could not be read, which may be the parent; else not at all.
    #[default]
    AcrossGaps,
    /// To the entry before them in their thread.
    InOrder,
    /// Not at all.
    Cut,
}

/// One stored line, event or exchange, as described by its format.
#[derive(Clone, Debug)]
pub struct TreeEntry {
    /// The name by which other entries refer to it; empty if it has none.
    pub name: NodeName,
    /// Name of its parent.
    pub parent: Option<NodeName>,
    /// The parent according to the response, if the request names one, too.
    pub claimed: Option<NodeName>,
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub part: EntryRole,
    /// Lines with the same message are one response.
    pub message: Option<NodeName>,
    /// The response id that a later request may build on.
    pub response: Option<NodeName>,
    /// Unix seconds.
    pub time: Option<i64>,
    pub model: Option<NodeName>,
    /// The client's name for the settings of the response.
    pub config: Option<NodeName>,
    pub store: Option<bool>,
    /// Place of a request body whose settings the next request repeats, and whether it is inside a JSON string.
    pub body: Option<(Place, bool)>,
    /// Fingerprint of its content, to distinguish a copy from an edit; 0 if it is not known.
    pub digest: u64,
    pub marks: EntryMarks,
    /// If the previous entry has the same name, this one continues it.
    pub continues: bool,
    /// The session that it was written for, if files are copies of one another.
    pub session: Option<Arc<SessionOrigin>>,
    /// Entries with the same thread follow each other, even without links; 0 if it is not known.
    pub thread: u64,
    /// The version of the agent that wrote it.
    pub version: Option<Version>,
    /// A problem of the entry itself.
    pub problem: Option<TreeProblemKind>,
}

/// A session with its own file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionOrigin {
    pub id: NodeName,
    /// The session whose first lines it shares.
    pub forked_from: Option<NodeName>,
}

impl TreeEntry {
    pub fn new(name: impl Into<NodeName>, at: Place, record: u32, part: EntryRole) -> Self {
        TreeEntry {
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
            marks: EntryMarks::default(),
            continues: false,
            session: None,
            thread: 0,
            version: None,
            problem: None,
        }
    }

    /// Shares equal names with the previous entry, and the model's name with the entry that named it last.
    fn share_names(&mut self, last: &TreeEntry, model: Option<&NodeName>) {
        let same = |own: &mut Option<NodeName>, other: Option<&NodeName>| {
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

    /// Moves the names out into a copy: only place and role remain here.
    fn take_content(&mut self) -> Self {
        let TreeEntry { name, parent, claimed, message, response, model, config, session, .. } = self;
        TreeEntry {
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
pub struct TreeNode {
    /// Its first entry. Its rows are `rows` of the forest.
    pub entry: TreeEntry,
    /// Names of all its entries; empty for a request without a name.
    pub names: SmallVec<[NodeName; 1]>,
    /// [`NO_NODE`] for a root.
    pub parent: u32,
    pub children: SmallVec<[u32; 2]>,
    pub rows: std::ops::Range<u32>,
    /// The parent's name, if it is not stored.
    pub missing: Option<NodeName>,
}

impl TreeNode {
    pub fn has(&self, marks: EntryMarks) -> bool {
        self.entry.marks.has(marks)
    }

    /// True if it contains an answer of the model.
    pub fn is_answer(&self) -> bool {
        matches!(self.entry.part, EntryRole::Answer | EntryRole::Exchange)
    }

    /// Its first name; `None` if it has none.
    pub fn name(&self) -> Option<&str> {
        self.names.first().map(|name| &**name)
    }
}

/// The names without empty and duplicate ones.
fn distinct(mut names: SmallVec<[NodeName; 1]>) -> SmallVec<[NodeName; 1]> {
    names.retain(|name| !name.is_empty());
    if names.len() > 1 {
        let mut seen = HashSet::with_capacity(names.len());
        names.retain(|name| seen.insert(NodeName::clone(name)));
    }
    names
}

/// A kind of problem with the links of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeProblemKind {
    /// The parent is not stored.
    MissingParent,
    /// The parent is not stored, but earlier entries are: a client that follows the links loses them.
    Phantom,
    /// The parents form a cycle.
    Cycle,
    /// The name occurred before, with the same content.
    Copied,
    /// The name occurred before, with other content.
    Changed,
    /// Request and response name different parents.
    OtherParent,
    /// The request builds on a response that was not stored.
    NotStored,
    /// The request does not answer the calls of the response that it builds on.
    Unanswered,
    /// A stream without its last event.
    Unfinished,
    /// A record that could not be read, and the number of entries that are linked to it.
    Lost(u32),
    /// An entry of an unknown type, with the fingerprint of the type. Reported once per type.
    UnknownType(u64),
    /// The client cannot find a session whose file begins with this entry.
    FirstLine,
    /// The model ran on the host with this number. Reported once per host.
    Host(u8),
}

/// A problem and its place.
#[derive(Clone, Copy, Debug)]
pub struct TreeProblem {
    pub kind: TreeProblemKind,
    pub at: Place,
    pub record: u32,
    pub partner: Option<Place>,
}
