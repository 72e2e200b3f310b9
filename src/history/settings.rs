//! What a stored conversation says about the request that it was, or would be: whether it is a request or a log,
//! whether the server stores items, which state it builds on, and for which model. Options override.

use crate::place::Place;

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

/// Settings of one history.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub usage: Usage,
    pub store: Option<bool>,
    pub model: Option<Box<str>>,
    pub effort: Option<Effort>,
    /// A target that the file itself names, before the format's default.
    pub target: Option<&'static str>,
    /// The value of `previous_response_id`, if it is set.
    pub previous: Option<Place>,
    /// The value of `conversation`, if it is set.
    pub conversation: Option<Place>,
    /// Items are stored newest first.
    pub newest_first: bool,
    /// A record of this history could not be read, so partners may be missing from it.
    pub broken: bool,
    /// Why nothing of this history can be edited.
    pub read_only: Option<&'static str>,
}

impl Settings {
    /// The server may hold items that the history does not show.
    pub fn has_server_state(&self) -> bool {
        self.previous.is_some() || self.conversation.is_some()
    }
}
