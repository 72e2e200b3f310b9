//! What a stored conversation says about the request that it was, or would be: whether it is a request or a log,
//! whether the server stores items, which state it builds on, and for which model. Options override.

use crate::json::fingerprint_of;
use crate::place::Place;

use super::finding::Finding;
use super::kind::Kind;
use super::numbered::Numbered;
use super::row::Row;
use super::{Version, id};

/// Whether a history is about to be sent or was written down as it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Usage {
    /// An open call at the end is an error.
    #[default]
    Request,
    /// An open call at the end is about to run.
    Log,
    /// A request with its response: items of the request are judged as one, the response's tail as a log.
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

/// How hard a model is asked to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    None,
    Some,
}

impl Effort {
    pub fn of(name: &[u8]) -> Effort {
        if name == b"none" { Effort::None } else { Effort::Some }
    }
}

/// A response that a request builds on, or that a record holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anchor {
    /// Where its id is.
    pub at: Place,
    /// Fingerprint of the id.
    pub id: u64,
    /// The lineage inside the id; 0 if there is none.
    pub lineage: u64,
    /// When it was made, in Unix seconds: as the record says, else as the id does; 0 if neither tells.
    pub time: u32,
    /// The id has a form that only clients invent.
    pub synthetic: bool,
}

impl Anchor {
    /// Of the text of an id.
    pub fn of(at: Place, id: &[u8]) -> Anchor {
        let anatomy = id::anatomy(id);
        Anchor {
            at,
            id: fingerprint_of(id),
            lineage: anatomy.lineage,
            time: anatomy.time,
            synthetic: id::is_synthetic(id),
        }
    }
}

/// What a request's body says beside its messages, as far as rules ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts(u32);

impl Facts {
    /// The body is known, and defines no tools.
    pub const NO_TOOLS: Facts = Facts(1);
    /// Thinking is turned on with a budget: the model thinks in every turn.
    pub const MANUAL_THINKING: Facts = Facts(1 << 1);
    /// Nothing in the body tells its dialect from another one.
    pub const PLAIN: Facts = Facts(1 << 8);

    /// Values of it were cut off when it was stored: what is found may be the trace of that.
    pub const CUT: Facts = Facts(1 << 16);

    pub fn has(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set_if(&mut self, other: Facts, holds: bool) {
        if holds {
            self.0 |= other.0;
        }
    }
}

/// The body of the request around the items of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Around {
    pub at: Place,
    /// It lies in a JSON string.
    pub embedded: bool,
}

impl Around {
    /// A body that lies in the doc as it is.
    pub fn of(at: Place) -> Self {
        Around { at, embedded: false }
    }

    /// Whether an item lies in the body.
    pub fn holds(&self, at: Place) -> bool {
        self.at.start <= at.start && at.end() <= self.at.end()
    }
}

/// Something that a log holds and no request says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsent {
    /// The name of a row; of anything else what it is, with a space in it.
    pub what: Box<str>,
    pub why: &'static str,
    /// Where it is, and the number of its record. `None` for a row, whose name tells.
    pub at: Option<(Place, u32)>,
    /// It was sent once, or would be if the log held all of it.
    pub is_lost: bool,
}

impl Unsent {
    /// Something that its agent does not send either.
    pub fn at(at: Place, record: u32, what: impl Into<Box<str>>, why: &'static str) -> Unsent {
        Unsent { what: what.into(), why, at: Some((at, record)), is_lost: false }
    }

    /// Something that was sent, and cannot be sent again.
    pub fn lost(at: Place, record: u32, what: impl Into<Box<str>>, why: &'static str) -> Unsent {
        Unsent { is_lost: true, ..Unsent::at(at, record, what, why) }
    }
}

/// The items of these rows, none of which is sent. Blocks go with their message.
pub fn not_sent<'r>(rows: impl IntoIterator<Item = &'r Row>, why: &'static str) -> Vec<Unsent> {
    let mut unsent: Vec<Unsent> = Vec::new();
    for row in rows {
        let is_told = |last: &Unsent| last.at.is_some_and(|(at, _)| at.contains(&row.at));
        if !unsent.last().is_some_and(is_told) {
            unsent.push(Unsent::at(row.at, row.record, what(row), why));
        }
    }
    unsent
}

/// What an item is, in words.
fn what(row: &Row) -> &'static str {
    match row.kind {
        Kind::Message | Kind::BlockMessage => "a message",
        _ if row.kind.is_output() => "a result",
        _ => "an item",
    }
}

/// Settings of one history.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub usage: Usage,
    /// What tells this history from others of its doc, where the doc says so: the name of a request in a batch, the
    /// number of a choice.
    pub label: Option<Box<str>>,
    pub store: Option<bool>,
    pub model: Option<Box<str>>,
    pub effort: Option<Effort>,
    /// A target that the file itself names, before the format's default.
    pub target: Option<&'static str>,
    /// The response that `previous_response_id` names, if it is set.
    pub previous: Option<Anchor>,
    /// The value of `conversation`, if it is set.
    pub conversation: Option<Place>,
    /// The list of tools of the request: of Responses if it defines namespaces, of Anthropic if it names them all.
    pub tools: Option<Place>,
    /// The response that the record holds.
    pub response: Option<Anchor>,
    /// Items are stored newest first.
    pub newest_first: bool,
    /// A record of this history could not be read, so partners may be missing from it.
    pub broken: bool,
    /// Offsets of records of a tree that could not be read: what partners miss before or after them may lie there.
    pub gaps: Vec<u64>,
    /// Offsets at which a log says that a turn was cut off.
    pub aborted: Vec<u64>,
    /// A reference stands for some of its items.
    pub slimmed: bool,
    pub facts: Facts,
    /// Marks for the prompt cache that stand in front of the messages: on tools and instructions.
    pub cache_marks: u32,
    /// The body of the request that holds the first items, with its tools and settings, where there is one.
    pub around: Option<Around>,
    /// The request's body, where something can be put beside its messages.
    pub request: Option<Place>,
    /// The list of the request's messages, where it is there and holds none, though the model has nothing else to answer.
    pub empty: Option<Place>,
    /// Why nothing of this history can be edited.
    pub read_only: Option<&'static str>,
    /// The version of the store, where that is not known.
    pub unknown_version: Option<Place>,
    /// Each item is a row of a table: rows can be changed and removed, but not added or moved.
    pub in_rows: bool,
    /// The version of the agent that wrote the log last.
    pub agent_version: Option<Version>,
    /// What the log holds and is not sent. Of items that a history is made of it is gathered where that is asked for.
    pub unsent: Vec<Unsent>,
    /// What is lost where it is converted, before its messages are looked at: what a record says beside the request, and what
    /// the dialect of a translated store cannot say; with the option `coverage` also what no message
    /// of that store says.
    pub lost: Vec<Finding>,
    /// Of a log whose lines may be numbered.
    pub numbered: Option<Box<Numbered>>,
}

impl Settings {
    /// What tells this history from others, in addition to what is known.
    pub fn add_label(&mut self, label: Box<str>) {
        self.label = Some(match self.label.take() {
            Some(first) => format!("{first}, {label}").into(),
            None => label,
        });
    }

    /// The newest version holds: a session goes on with the agent that is installed.
    pub fn set_agent_version(&mut self, version: Box<str>) {
        self.agent_version = self.agent_version.max(Version::parse(&version));
    }

    /// The server, or a log that was not read, may hold items that the history does not show.
    pub fn has_server_state(&self) -> bool {
        self.previous.is_some() || self.conversation.is_some() || self.window().is_some()
    }

    /// Where a log names the one that it continues from, if that was not read.
    pub fn window(&self) -> Option<Place> {
        self.numbered.as_ref()?.window
    }

    /// The lines of the log may not move.
    pub fn keeps_lines(&self) -> bool {
        self.numbered.as_ref().is_some_and(|numbered| numbered.holds)
    }
}
