//! Settings of the request that a stored conversation was, or would be: whether it is a request or a log, whether the
//! server stores items, which state it builds on, and the model. Options override them.

use crate::json::fingerprint_of;
use crate::place::Place;

use super::finding::Finding;
use super::kind::Kind;
use super::ordinals::Ordinals;
use super::request_options::RequestOptions;
use super::row::Row;
use super::{Version, id};

/// The use of a history: a request to be sent, or a log of a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Usage {
    /// An open call at the end is an error.
    #[default]
    Request,
    /// An open call at the end is about to run.
    Log,
    /// A request with its response: items of the request are judged as a request, the tail of the response as a log.
    Exchange,
}

impl Usage {
    pub fn name(self) -> &'static str {
        match self {
            Usage::Request => "request",
            Usage::Log => "log",
            Usage::Exchange => "both",
        }
    }
}

/// Whether a request asks the model to reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReasoningEffort {
    None,
    Some,
}

impl ReasoningEffort {
    pub fn of(name: &[u8]) -> ReasoningEffort {
        if name == b"none" { ReasoningEffort::None } else { ReasoningEffort::Some }
    }
}

/// A response that a request builds on, or that a record contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResponseAnchor {
    /// The place of its id.
    pub at: Place,
    /// Fingerprint of the id.
    pub id: u64,
    /// The lineage inside the id; 0 if there is none.
    pub lineage: u64,
    /// When it was created, in Unix seconds: from the record, else from the id; 0 if neither has it.
    pub time: u32,
    /// The id has a form that only clients invent.
    pub synthetic: bool,
}

impl ResponseAnchor {
    /// From the text of an id.
    pub fn of(at: Place, id: &[u8]) -> ResponseAnchor {
        let anatomy = id::parse_id(id);
        ResponseAnchor {
            at,
            id: fingerprint_of(id),
            lineage: anatomy.lineage,
            time: anatomy.time,
            synthetic: id::is_synthetic(id),
        }
    }
}

/// Facts about a request's body, apart from its messages, that rules ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RequestFlags(u32);

impl RequestFlags {
    /// The body is known, and defines no tools.
    pub const NO_TOOLS: RequestFlags = RequestFlags(1);
    /// Thinking is enabled with a budget: the model thinks in every turn.
    pub const MANUAL_THINKING: RequestFlags = RequestFlags(1 << 1);
    /// Nothing in the body distinguishes its dialect from another one.
    pub const PLAIN: RequestFlags = RequestFlags(1 << 8);

    /// It defines tools with names that its API rejects.
    pub const BAD_TOOL_NAMES: RequestFlags = RequestFlags(1 << 9);

    /// A session that is judged as a request: the user's next message is still to come.
    pub const SESSION: RequestFlags = RequestFlags(1 << 10);

    /// Values were truncated when it was stored, which may be the cause of findings.
    pub const CUT: RequestFlags = RequestFlags(1 << 16);

    pub fn has(self, other: RequestFlags) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set_if(&mut self, other: RequestFlags, holds: bool) {
        if holds {
            self.0 |= other.0;
        }
    }
}

/// The body of the request around the items of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestBody {
    pub at: Place,
    /// It is inside a JSON string.
    pub embedded: bool,
}

impl RequestBody {
    /// A body that is plain JSON in the doc.
    pub fn of(at: Place) -> Self {
        RequestBody { at, embedded: false }
    }

    /// True if an item is inside the body.
    pub fn contains(&self, at: Place) -> bool {
        self.at.start <= at.start && at.end() <= self.at.end()
    }
}

/// Something in a log that no request contains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsentItem {
    /// The name of a row; for anything else a description, which contains a space.
    pub description: Box<str>,
    pub reason: &'static str,
    /// Its place, and the number of its record. `None` for a row, which has its name.
    pub at: Option<(Place, u32)>,
    /// It was sent once, or would be if the log had all of it.
    pub is_lost: bool,
}

impl UnsentItem {
    /// Something that its agent does not send either.
    pub fn at(at: Place, record: u32, what: impl Into<Box<str>>, reason: &'static str) -> UnsentItem {
        UnsentItem { description: what.into(), reason, at: Some((at, record)), is_lost: false }
    }

    /// Something that was sent, and cannot be sent again.
    pub fn lost(at: Place, record: u32, what: impl Into<Box<str>>, why: &'static str) -> UnsentItem {
        UnsentItem { is_lost: true, ..UnsentItem::at(at, record, what, why) }
    }
}

/// The items of rows that are not sent. Blocks are part of their message.
pub fn unsent_items<'r>(rows: impl IntoIterator<Item = &'r Row>, why: &'static str) -> Vec<UnsentItem> {
    let mut unsent: Vec<UnsentItem> = Vec::new();
    for row in rows {
        let is_told = |last: &UnsentItem| last.at.is_some_and(|(at, _)| at.contains(&row.at));
        if !unsent.last().is_some_and(is_told) {
            unsent.push(UnsentItem::at(row.at, row.record, describe(row), why));
        }
    }
    unsent
}

/// A short description of an item.
fn describe(row: &Row) -> &'static str {
    match row.kind {
        Kind::Message | Kind::BlockMessage => "a message",
        _ if row.kind.is_output() => "a result",
        _ => "an item",
    }
}

/// Settings of one history.
#[derive(Clone, Debug, Default)]
pub struct HistorySettings {
    pub usage: Usage,
    /// Distinguishes this history from others of its doc: the name of a request in a batch, the number of a choice.
    pub label: Option<Box<str>>,
    /// The name of the request in its batch.
    pub entry_name: Option<Box<str>>,
    /// It is an answer that the model is to be trained not to give.
    pub is_rejected_answer: bool,
    /// The record, if it is a line for training that holds more than this history.
    pub training_line: Option<Place>,
    /// It is the conversation of a subagent, next to that of the main agent.
    pub is_of_subagent: bool,
    pub store: Option<bool>,
    pub model: Option<Box<str>>,
    pub effort: Option<ReasoningEffort>,
    /// A target that the file itself names, which overrides the format's default.
    pub target: Option<&'static str>,
    /// The response that `previous_response_id` names, if it is set.
    pub previous: Option<ResponseAnchor>,
    /// The value of `conversation`, if it is set.
    pub conversation: Option<Place>,
    /// The list of tools of the request: of Responses if it defines namespaces, of Anthropic if it names them all.
    pub tools: Option<Place>,
    /// The response that the record contains.
    pub response: Option<ResponseAnchor>,
    /// Items are stored newest first.
    pub newest_first: bool,
    /// A record of this history could not be read, so partners may be missing from it.
    pub broken: bool,
    /// Offsets of records of a tree that could not be read: missing partners may be there.
    pub gaps: Vec<u64>,
    /// Offsets at which a log says that a turn was aborted.
    pub aborted: Vec<u64>,
    /// A reference replaces some of its items.
    pub slimmed: bool,
    pub facts: RequestFlags,
    /// The options of the request, if it has any.
    pub options: Option<Box<RequestOptions>>,
    /// Number of prompt cache marks before the messages, on tools and instructions.
    pub cache_marks: u32,
    /// The body of the request with the first items, its tools and settings, if there is one.
    pub body: Option<RequestBody>,
    /// The request's body, if members can be added to it.
    pub request: Option<Place>,
    /// The list of the request's messages, if it is empty and the model has nothing else to answer.
    pub empty: Option<Place>,
    /// Why nothing of this history can be edited.
    pub read_only: Option<&'static str>,
    /// The place of the store's version, if that is unknown.
    pub unknown_version: Option<Place>,
    /// Each item is a row of a table: rows can be changed and removed, but not added or moved.
    pub in_rows: bool,
    /// The agent sends a call at the end of the log without a result: none is about to run.
    pub sends_open_calls: bool,
    /// The version of the agent that wrote the log last.
    pub agent_version: Option<Version>,
    /// Parts of the log that are not sent. For items of the history itself they are collected on demand.
    pub unsent: Vec<UnsentItem>,
    /// Losses of a conversion that are known before its messages are read: members of a record outside the request, and
    /// content that the dialect of a translated store cannot express; with the option `coverage` also content that is
    /// in no message of that store.
    pub conversion_losses: Vec<Finding>,
    /// For a log whose lines may be numbered.
    pub ordinals: Option<Box<Ordinals>>,
}

impl HistorySettings {
    /// Names the request in its batch.
    pub fn set_entry_name(&mut self, name: Box<str>) {
        self.entry_name = Some(name);
    }

    /// Appends to the label.
    pub fn add_label(&mut self, label: Box<str>) {
        self.label = Some(match self.label.take() {
            Some(first) => format!("{first}, {label}").into(),
            None => label,
        });
    }

    /// Keeps the newest version: a session is resumed by the installed agent.
    pub fn set_agent_version(&mut self, version: Box<str>) {
        self.agent_version = self.agent_version.max(Version::parse(&version));
    }

    /// True if the server, or a log that was not read, may have items that the history does not show.
    pub fn has_server_state(&self) -> bool {
        self.previous.is_some() || self.conversation.is_some() || self.window().is_some()
    }

    /// Place of the name of the log that this one continues, if that was not read.
    pub fn window(&self) -> Option<Place> {
        self.ordinals.as_ref()?.window
    }
}
