//! Transcripts: logs, exports and traces that say what was said, in blocks and messages like those of a provider. They are
//! gathered as turns, in order, and written in the dialect of the format.

mod answered;
mod blocks;
mod cut;
mod embedded;
mod media;
mod messages;

use std::collections::HashSet;

use crate::format::FormatInfo;
use crate::format::translate::{Stored, Translated};
use crate::history::{Role, Settings, Unsent};
use crate::json::Val;
use crate::json::pieces::Pieced;
use crate::place::Place;

use super::spoken::{self, Says, Turn};

pub(super) use cut::is_cut;
pub(super) use embedded::within;

/// A conversation that is being gathered.
#[derive(Default)]
pub(super) struct Transcript {
    turns: Vec<Turn>,
    unsent: Vec<Unsent>,
    /// What is said next begins a turn.
    begins: bool,
    /// How many ids were invented for calls, and which.
    invented: u32,
    unnamed: HashSet<Box<str>>,
    /// Results that are lists stay lists: the dialect has them.
    keeps_lists: bool,
}

impl Transcript {
    /// One whose results may be lists of blocks.
    pub fn of_blocks() -> Transcript {
        Transcript { keeps_lists: true, ..Transcript::default() }
    }

    /// What is said next is a message by itself, whoever spoke before.
    pub fn begin(&mut self) {
        self.begins = true;
    }

    /// Adds to the turn at hand, if it is of the same side.
    pub fn say(&mut self, role: Role, says: Says, at: Place, from: &Stored<'_>) {
        let role = if matches!(says, Says::Result { .. }) { Role::Tool } else { role };
        match self.turns.last_mut().filter(|last| last.role == role && !self.begins) {
            Some(last) => last.says.push(says),
            None => self.turns.push(Turn { role, says: vec![says], at, record: from.number }),
        }
        self.begins = false;
    }

    /// Adds a text that says something.
    pub fn text(&mut self, role: Role, text: Option<Val<'_>>, from: &Stored<'_>) {
        let Some(text) = text.filter(|text| text.as_str().is_some_and(|text| !text.is_empty())) else { return };
        let at = from.base.of(text);
        self.say(role, Says::Text { text: Pieced::of(text, from.base), id: None, at }, at, from);
    }

    /// Names those of an export's messages that are not on the way to the current one.
    pub fn leave_branches(&mut self, all: &[Val<'_>], path: &[Val<'_>], from: &Stored<'_>) {
        let on_path: HashSet<u32> = path.iter().map(|message| message.start()).collect();
        for other in all.iter().filter(|message| !on_path.contains(&message.start())) {
            self.leave_out("a message", *other, from, "it is on another branch than the newest message");
        }
    }

    /// Names something that was sent, and cannot be sent again.
    pub fn lose(&mut self, what: impl Into<Box<str>>, val: Val<'_>, from: &Stored<'_>, why: &'static str) {
        self.unsent.push(Unsent::lost(from.base.of(val), from.number, what, why));
    }

    /// Names something that is not sent.
    pub fn leave_out(&mut self, what: impl Into<Box<str>>, val: Val<'_>, from: &Stored<'_>, why: &'static str) {
        self.unsent.push(Unsent::at(from.base.of(val), from.number, what, why));
    }

    /// Names all that another one says: it is not sent.
    pub fn leave(&mut self, other: Transcript, why: &'static str) {
        self.unsent.extend(spoken::left(&other.turns, why));
        self.unsent.extend(other.unsent);
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Forgets what was said so far, but for the instructions and the newest turns of the user; those of the records
    /// `injected` are of the agent.
    pub fn forget(&mut self, kept: usize, injected: &HashSet<u32>) {
        let is_users = |turn: &Turn| turn.role == Role::User && !injected.contains(&turn.record);
        let mut goes = self.turns.iter().filter(|turn| is_users(turn)).count().saturating_sub(kept);
        let (kept, forgotten): (Vec<Turn>, Vec<Turn>) =
            std::mem::take(&mut self.turns).into_iter().partition(|turn| match turn.role {
                Role::System => true,
                _ if !is_users(turn) => false,
                _ if goes > 0 => {
                    goes -= 1;
                    false
                }
                _ => true,
            });
        self.turns = kept;
        self.unsent.extend(spoken::left(&forgotten, "a compaction has replaced it"));
        self.begins = true;
    }

    /// Adds what another one says.
    pub fn join(&mut self, other: Transcript) {
        self.turns.extend(other.turns);
        self.unsent.extend(other.unsent);
        self.begins = true;
    }

    /// Takes back the results at the end: a call that comes late belongs to the answer before them.
    pub fn take_results(&mut self) -> Transcript {
        let at = self.turns.iter().rposition(|turn| turn.role != Role::Tool).map_or(0, |at| at + 1);
        Transcript { turns: self.turns.split_off(at), ..Transcript::default() }
    }

    /// Writes all as a history in the dialect of a format's row.
    pub fn told(self, info: &'static FormatInfo, settings: Settings) -> Translated {
        spoken::told_in(info, Settings { unsent: self.unsent, ..settings }, self.turns)
    }
}

/// Whether a value is an object with a list under this key.
pub(super) fn has_list(val: Val<'_>, key: &str) -> bool {
    val.get(key).is_some_and(|list| list.is_array())
}

/// The conversations of an export: the elements of a list, or the document itself.
pub(super) fn each<'v>(val: Val<'v>) -> Vec<Val<'v>> {
    if val.is_array() { val.elements().collect() } else { vec![val] }
}

/// Conversations that are looked at to recognise an export.
pub(super) const SAMPLE: usize = 8;

/// Whether a document is one conversation of a kind, or a list of them.
pub(super) fn is_all(val: Val<'_>, is_one: fn(Val<'_>) -> bool) -> bool {
    match val.is_array() {
        true => val.count() > 0 && val.elements().take(SAMPLE).all(is_one),
        false => is_one(val),
    }
}
