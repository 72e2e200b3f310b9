//! Repair. Findings list the acts that would mend them; the search chooses those that leave the fewest errors and lose
//! least; the plan of a history says what they do to each item; rendering turns that into edits on bytes; then the patched
//! bytes are judged again, and planned again, until nothing is left whose fix applies.

mod acceptance;
mod disjoint_sets;
mod edit;
mod fixed;
pub mod flatten;
pub mod guard;
pub mod handover;
mod incremental;
mod plan;
mod preview;
mod removed;
mod rounds;
mod search;
mod session;
mod store;
mod surroundings;

pub use plan::selection::Accepted;

use crate::history::{Code, Flags, Row};
use crate::judge::Judged;
use crate::place::Place;
use crate::rule::Loss;

pub use disjoint_sets::DisjointSets;
pub use fixed::{Fixed, NO_REASONS};
pub use plan::history_plan::HistoryPlan;
pub use plan::predicted::Predicted;
pub use preview::{Promise, Sketch, Sketcher};
pub use rounds::{fix, fix_judged};
pub use search::Search;
pub use surroundings::{Numbered, Surroundings};

/// What to do about a call that nobody answered, and a result that nobody asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Orphans {
    /// Answer a call whose result is a text; take out what cannot be answered, and results without a call.
    #[default]
    Auto,
    /// Take it out.
    Drop,
    /// Answer it with an output that claims nothing, or leave it.
    Stub,
    /// The same as [`Orphans::Auto`], but results without a call become texts.
    Text,
}

/// What to do about reasoning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reasoning {
    /// Whatever the findings need, as little as possible.
    #[default]
    Auto,
    /// Every group that can be referenced whole becomes references.
    Reference,
    /// Every reference gives way to the item that it names, where the file contains it.
    Inline,
    /// Never removed or rewritten.
    Keep,
    /// All of it goes, with the ids of its groups.
    Strip,
}

/// What the user wants of a repair.
#[derive(Clone, Debug, Default)]
pub struct FixOptions {
    pub orphans: Orphans,
    pub reasoning: Reasoning,
    /// Only repairs that take nothing from what the model saw.
    pub lossless: bool,
    /// Also the fixes of warnings that are off by default.
    pub warnings: bool,
    /// Rules whose fixes were asked for by name.
    pub selected: Vec<Code>,
    pub acknowledge_safety: bool,
    /// Encrypted content and ids are another account's.
    pub account_changed: bool,
    /// Inline images of more bytes give way to a text.
    pub max_image_bytes: Option<u32>,
    /// The provider that the header of a session is to name.
    pub provider: Option<String>,
    /// The result is a file of its own, so lines that other files point at may move.
    pub copies: bool,
    /// Another file continues from a part of this one.
    pub pinned: bool,
    /// Findings that stay.
    pub accepted: Vec<Accepted>,
    /// Nothing is written: what the plans tell is not read again.
    pub preview: bool,
}

/// Why something is changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// A finding of this rule, in this variant, on the item at this place.
    Rule(Code, u8, Place),
    /// The user asked for it: the flag.
    Flag(&'static str),
}

/// What happens to an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    Drop,
    Move,
    Stub,
    Rewrite,
    Strip,
}

impl Action {
    pub fn name(self) -> &'static str {
        match self {
            Action::Drop => "drop",
            Action::Move => "move",
            Action::Stub => "stub",
            Action::Rewrite => "rewrite",
            Action::Strip => "strip",
        }
    }
}

/// One change, as it is reported.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub cause: Cause,
    /// The item that changes; for a stub, the call that it answers. Its place is in the original bytes.
    pub row: Row,
    /// The item after which a moved one or an answer comes to stand, or from where a copy comes.
    pub other: Option<Place>,
    pub action: Action,
    pub loss: Loss,
    /// What is done, in words.
    pub what: &'static str,
    pub history: Option<u32>,
}

/// A value that a repair takes away.
#[derive(Clone, Copy, Debug)]
pub struct Removed {
    pub at: Place,
    /// The item whose change takes it away.
    pub item: Place,
}

/// A finding that stays, and why its fix was not made.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub code: Code,
    pub at: Place,
    pub why: &'static str,
}

impl Refusal {
    /// The finding stays.
    pub(in crate::repair) fn of(judged: &Judged, why: &'static str) -> Refusal {
        Refusal { code: judged.finding.code, at: judged.finding.row.at, why }
    }

    /// The finding stays for which a change was to be made; `None` if a flag asked for it.
    pub(in crate::repair) fn of_change(change: &Change, why: &'static str) -> Option<Refusal> {
        match change.cause {
            Cause::Rule(code, _, at) => Some(Refusal { code, at, why }),
            Cause::Flag(_) => None,
        }
    }
}

/// A group that a flag asks to change, and why it stays as it is.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub at: Place,
    pub flags: Flags,
    pub why: &'static str,
}
