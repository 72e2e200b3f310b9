//! A finding: what a rule found, where, and its possible repairs. It contains no text; the report reads that when it
//! prints.

use std::fmt;

use crate::json::value_edit::ValueEdit;
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

/// The possible repairs of a finding: intent, never bytes. A rule lists them without choosing; the search for a repair
/// chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// There is no legal repair, for this reason.
    Never(&'static str),
    /// This act, on the item of the finding.
    One(RepairAct),
    /// Any of these, on the item of the finding or its group. The first describes the fix if no search is made.
    Any(&'static [RepairAct]),
}

impl Remedy {
    /// The acts to choose from.
    pub fn acts(&self) -> &[RepairAct] {
        match self {
            Remedy::Never(_) => &[],
            Remedy::One(act) => std::slice::from_ref(act),
            Remedy::Any(acts) => acts,
        }
    }

    /// True if the whole group of the item is to be replayed in another mode.
    pub fn changes_group(&self) -> bool {
        self.acts().first().is_some_and(|act| act.mode().is_some())
    }
}

/// For an unanswered call: answer it, or drop it.
pub const ANSWER: Remedy = Remedy::Any(&[RepairAct::Answer, RepairAct::Drop]);
/// For an output without its call: drop it, or turn it into text.
pub const ORPHAN: Remedy = Remedy::Any(&[RepairAct::Drop, RepairAct::AsText]);
/// For an item without a key: give it and its partner one, or drop it.
pub const KEYLESS: Remedy = Remedy::Any(&[RepairAct::Rekey, RepairAct::Drop]);
/// For a reference: replace it with its item, or drop it.
pub const INLINE: Remedy = Remedy::Any(&[RepairAct::Inline, RepairAct::Drop]);
/// For an id that the server did not assign: without it, its item is replayed as a new one.
pub const STRIP_ID: Remedy =
    Remedy::Any(&[RepairAct::StripId, RepairAct::Detach, RepairAct::Thin, RepairAct::Flatten]);
/// For reasoning that no model can read.
pub const UNREADABLE: Remedy = Remedy::Any(&[RepairAct::Drop, RepairAct::Flatten]);
/// For a group that cannot be replayed under its ids.
pub const DETACH: Remedy = Remedy::Any(&[RepairAct::Detach, RepairAct::Thin, RepairAct::Flatten]);
/// For a group whose reasoning may be elsewhere in the file.
pub const RESTORE: Remedy =
    Remedy::Any(&[RepairAct::Restore, RepairAct::Detach, RepairAct::Thin, RepairAct::Flatten]);
/// For a group that the server stores.
pub const REFER: Remedy = Remedy::Any(&[RepairAct::Refer, RepairAct::Detach, RepairAct::Thin, RepairAct::Flatten]);

/// How the items of a group are replayed, by increasing loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GroupMode {
    /// As references to what the server stores.
    Referenced,
    /// Without their ids.
    Detached,
    /// Without their ids, and without the items that depend on them.
    Thinned,
    /// Without their ids and their reasoning.
    Flattened,
}

/// An act of repair on an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairAct {
    /// Remove it.
    Drop,
    /// Answer the call with an output that claims nothing.
    Answer,
    /// Turn the output into user text.
    AsText,
    /// Restore the reasoning before it from a recorded response.
    Restore,
    /// Remove the id of this item only.
    StripId,
    /// Replace the items of its group with references.
    Refer,
    /// Remove the ids of the items of its group.
    Detach,
    /// The same, and remove the items that depend on their ids.
    Thin,
    /// Remove the ids of the items of its group, and its reasoning.
    Flatten,
    /// Move the output to its place after the calls of its batch.
    Reorder,
    /// Give the output the type that answers its call.
    Retype,
    /// Give call and output a key that the target accepts.
    Rename,
    /// Edit its members.
    EditValue(&'static ValueEdit),
    /// Replace the reference with the full item, if it is found.
    Inline,
    /// Give this call and its result a new key.
    Rekey,
    /// Move the message to the instructions of the request.
    Hoist,
    /// Insert a model message before it, so that the turns alternate as the target requires.
    Bridge,
    /// Move the blocks after the call in its turn to before it.
    Advance,
    /// Append a user message that asks the model to continue.
    AskToContinue,
    /// Move everything that is not a result into a separate message after it.
    Split,
    /// Edit members of the request around the messages.
    EditRequest(&'static ValueEdit),
    /// Copy the pending safety checks of the call to its output.
    Acknowledge,
    /// Apply the fix of this row of the table of field rules.
    FixField(u16),
    /// Give the call the namespace in which its tool is defined.
    SetNamespace,
    /// Remove the request member whose value is at the place of the finding.
    Unset,
    /// Remove the items that the server already has: this many rows.
    SendNew(u32),
    /// Repair the damaged text of a line; the partner of the finding is the whole line.
    RepairText,
    /// Replace it with U+FFFD, the replacement character.
    ReplaceCharacter,
    /// Replace the line with an empty one that keeps its id and parent.
    Placeholder,
    /// Link the entry to the nearest one before it.
    Relink,
    /// Let the format repair its own stored form; the description of that.
    RepairStored(&'static str),
}

impl RepairAct {
    /// The mode in which the group is replayed then; `None` if it is not an act on a group.
    pub fn mode(self) -> Option<GroupMode> {
        match self {
            RepairAct::Refer => Some(GroupMode::Referenced),
            RepairAct::StripId | RepairAct::Restore | RepairAct::Detach => Some(GroupMode::Detached),
            RepairAct::Thin => Some(GroupMode::Thinned),
            RepairAct::Flatten => Some(GroupMode::Flattened),
            _ => None,
        }
    }
}

/// A violation of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    pub code: Code,
    /// Index of the rule's variant: each has its own message and severity.
    pub variant: u8,
    pub row: Row,
    pub partner: Option<Place>,
    pub remedy: Remedy,
    /// A number for the message, if its template has one.
    pub arg: u32,
    /// The number that it exceeds, if its template has one.
    pub limit: u32,
    /// Row of the table of field rules with the path in the item; [`NO_FIELD`] if there is none.
    pub field: u16,
}

/// The finding is not about a field.
pub const NO_FIELD: u16 = u16::MAX;

impl Finding {
    pub fn new(code: Code, row: Row) -> Self {
        Finding {
            code,
            variant: 0,
            row,
            partner: None,
            remedy: Remedy::Never(""),
            arg: 0,
            limit: 0,
            field: NO_FIELD,
        }
    }

    /// The identity of a finding, the same before and after a repair.
    pub fn code_and_start(&self) -> (Code, u64) {
        (self.code, self.row.at.start)
    }

    /// A finding about a whole doc.
    pub fn on_doc(code: Code, doc: DocId) -> Self {
        Finding::new(code, Row::of_place(Place::new(doc, 0, 0), 0))
    }

    pub fn variant(mut self, variant: u8) -> Self {
        self.variant = variant;
        self
    }

    pub fn with_partner(mut self, partner: impl Into<Option<Place>>) -> Self {
        self.partner = partner.into();
        self
    }

    pub fn arg(mut self, arg: u32) -> Self {
        self.arg = arg;
        self
    }

    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
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

    pub fn edit_value(self, mend: &'static ValueEdit) -> Self {
        self.act(RepairAct::EditValue(mend))
    }

    pub fn act(self, act: RepairAct) -> Self {
        self.remedy(Remedy::One(act))
    }
}
