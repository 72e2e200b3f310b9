//! A finding: what a rule saw, where, and what it asks for. It carries no text; the report reads that when it prints.

use std::fmt;

use crate::json::mend::Mend;
use crate::place::{DocId, Place};

use super::row::Row;

/// The code of a rule: `Code(102)` is RL102.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RL{:03}", self.0)
    }
}

impl Code {
    /// Reads `RL102`, in any case.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.get(..2).filter(|letters| letters.eq_ignore_ascii_case("RL")).and(text.get(2..))?;
        (digits.len() == 3).then(|| digits.parse().ok().map(Code)).flatten()
    }
}

/// What would put a finding right: intent, never bytes. A rule lists what it knows of and chooses nothing; the search
/// for a repair does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// There is no legal repair, and this is why.
    Never(&'static str),
    /// This one thing, on the item of the finding.
    One(Act),
    /// Any of these, on the item of the finding or its group. The first is what is said of the fix where none is searched
    /// for.
    Any(&'static [Act]),
}

impl Remedy {
    /// The acts that would do.
    pub fn acts(&self) -> &[Act] {
        match self {
            Remedy::Never(_) => &[],
            Remedy::One(act) => std::slice::from_ref(act),
            Remedy::Any(acts) => acts,
        }
    }

    /// Whether the whole group of the item is to be replayed in another way.
    pub fn is_of_group(&self) -> bool {
        self.acts().first().is_some_and(|act| act.mode().is_some())
    }
}

/// An unanswered call gets an answer, or goes.
pub const ANSWER: Remedy = Remedy::Any(&[Act::Answer, Act::Drop]);
/// An output without its call goes, or is said as a text.
pub const ORPHAN: Remedy = Remedy::Any(&[Act::Drop, Act::AsText]);
/// What has no key gets one, together with what it belongs to, or goes.
pub const KEYLESS: Remedy = Remedy::Any(&[Act::Rekey, Act::Drop]);
/// A reference gives way to the item that it names, or goes.
pub const INLINE: Remedy = Remedy::Any(&[Act::Inline, Act::Drop]);
/// An id that the server never gave: without it, its item stands for itself.
pub const UNNAME: Remedy = Remedy::Any(&[Act::StripId, Act::Detach, Act::Thin, Act::Flatten]);
/// Reasoning that nobody can read.
pub const UNREAD: Remedy = Remedy::Any(&[Act::Drop, Act::Flatten]);
/// A group that cannot be replayed under its ids.
pub const DETACH: Remedy = Remedy::Any(&[Act::Detach, Act::Thin, Act::Flatten]);
/// A group whose reasoning may be elsewhere in the file.
pub const RESTORE: Remedy = Remedy::Any(&[Act::Restore, Act::Detach, Act::Thin, Act::Flatten]);
/// A group that the server stores.
pub const REFER: Remedy = Remedy::Any(&[Act::Refer, Act::Detach, Act::Thin, Act::Flatten]);

/// How the items of a group are replayed, from gentle to harsh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// As references to what the server stores.
    Referenced,
    /// Without their ids.
    Detached,
    /// Without their ids, and without what says nothing to the server then.
    Thinned,
    /// Without their ids and their reasoning.
    Flattened,
}

/// What may be done to an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Take it out.
    Drop,
    /// Answer the call with an output that claims nothing.
    Answer,
    /// Say the output as a text of the user.
    AsText,
    /// Put the reasoning back before it that a recorded response shows.
    Restore,
    /// Take the id off the item alone.
    StripId,
    /// Put references in the place of the items of its group.
    Refer,
    /// Take the ids off the items of its group.
    Detach,
    /// The same, and take out what says nothing to the server without its id.
    Thin,
    /// Take the ids off the items of its group, and take out its reasoning.
    Flatten,
    /// Bring the output to its place after the calls of its batch.
    Reorder,
    /// Give the output the type that answers its call.
    Retype,
    /// Give both sides a key that the target takes.
    Rename,
    /// Edit members of it.
    Mend(&'static Mend),
    /// Put the full item where its reference is, if it is found.
    Inline,
    /// Give this call, and its result, a key of its own.
    Rekey,
    /// Put what the message says where the request keeps its instructions.
    Hoist,
    /// Put a message of the model in front, so that the turns alternate as the target wants.
    Bridge,
    /// Bring what follows the call in its turn to before it.
    Advance,
    /// Put a message of the user after that asks the model to go on.
    GoOn,
    /// Put what is no result into a message of its own behind.
    Split,
    /// Edit members of the request around the messages.
    Request(&'static Mend),
    /// Copy the pending safety checks of the call to its output.
    Acknowledge,
    /// What this row of the table of field rules says about members of the item.
    Spot(u16),
    /// Give the call the namespace in which its tool is defined.
    Adopt,
    /// Take the member out of the request whose value is at the place of the finding.
    Unset,
    /// Take out what the server holds: everything up to this many rows.
    SendNew(u32),
    /// Repair the damaged text of a line; the partner of the finding is all of the line.
    Text,
    /// Put the character in its place that stands for one that is not known.
    Replace,
    /// Put a line in its place that says nothing, and keeps its name and what it follows.
    Placeholder,
    /// Link the entry to the nearest one before it.
    Relink,
    /// Have the format repair what it stores in a form of its own; what it does, in words.
    Stored(&'static str),
}

impl Act {
    /// How the group of the item is replayed after it; `None` if it is no act on a group.
    pub fn mode(self) -> Option<Mode> {
        match self {
            Act::Refer => Some(Mode::Referenced),
            Act::StripId | Act::Restore | Act::Detach => Some(Mode::Detached),
            Act::Thin => Some(Mode::Thinned),
            Act::Flatten => Some(Mode::Flattened),
            _ => None,
        }
    }
}

/// What a rule saw.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    pub code: Code,
    /// Index of the rule's variant: each has its own words and severity.
    pub variant: u8,
    pub row: Row,
    pub partner: Option<Place>,
    pub remedy: Remedy,
    /// A number for the message, if the variant has one.
    pub arg: u32,
    /// Row of the table of field rules that says where in the item it lies; [`NO_FIELD`] if none does.
    pub field: u16,
}

/// The finding lies on no field.
pub const NO_FIELD: u16 = u16::MAX;

impl Finding {
    pub fn new(code: Code, row: Row) -> Self {
        Finding { code, variant: 0, row, partner: None, remedy: Remedy::Never(""), arg: 0, field: NO_FIELD }
    }

    /// By what the finding is known before and after a repair.
    pub fn code_and_start(&self) -> (Code, u64) {
        (self.code, self.row.at.start)
    }

    /// On a doc as a whole.
    pub fn on_doc(code: Code, doc: DocId) -> Self {
        Finding::new(code, Row::of_place(Place::new(doc, 0, 0), 0))
    }

    pub fn variant(mut self, variant: u8) -> Self {
        self.variant = variant;
        self
    }

    pub fn with(mut self, partner: impl Into<Option<Place>>) -> Self {
        self.partner = partner.into();
        self
    }

    pub fn arg(mut self, arg: u32) -> Self {
        self.arg = arg;
        self
    }

    pub fn never(mut self, why: &'static str) -> Self {
        self.remedy = Remedy::Never(why);
        self
    }

    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = remedy;
        self
    }

    pub fn mend(self, mend: &'static Mend) -> Self {
        self.act(Act::Mend(mend))
    }

    pub fn act(self, act: Act) -> Self {
        self.remedy(Remedy::One(act))
    }
}
