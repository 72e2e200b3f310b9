//! Repair. Findings list the acts that would fix them; the search chooses those that leave the fewest errors and
//! lose least; the plan of a history decides what they do to each item; rendering turns that into edits on bytes;
//! then the patched bytes are judged again, and planned again, until no finding is left whose fix applies.

mod acceptance;
mod disjoint_sets;
mod doc_repair;
mod edit;
pub mod flatten;
pub mod guard;
pub mod handover;
mod incremental;
mod plan;
mod preview;
mod removed;
mod round_changes;
mod rounds;
mod search;
mod session;
mod store;
mod surroundings;

pub use plan::selection::AcceptedFinding;

use foldhash::HashMap;

use crate::history::{Code, Flags, Row};
use crate::judge::WeighedFinding;
use crate::message::smaller_image::ImageChange;
use crate::place::Place;
use crate::rule::Loss;

pub use disjoint_sets::DisjointSets;
pub use doc_repair::{DocRepair, GENERIC_REASONS};
pub use plan::history_plan::HistoryPlan;
pub use plan::outcome::PlanOutcome;
pub use preview::{HistoryPreview, PredictedFix, Previewer};
pub use rounds::{fix, fix_judged};
pub use search::{PlanUse, RepairSearch};
pub use surroundings::{IndexedRow, Surroundings};

/// Treatment of calls without a result, and of results without a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Orphans {
    /// Adds a placeholder result where the result is a text; removes other calls, and results without a call.
    #[default]
    Auto,
    /// Removes it.
    Drop,
    /// Adds a neutral placeholder result, or leaves the call.
    Stub,
    /// The same as [`Orphans::Auto`], but results without a call become text.
    Text,
}

impl Orphans {
    /// The choices by their names.
    pub const NAMES: [(&'static str, Orphans); 4] =
        [("auto", Orphans::Auto), ("drop", Orphans::Drop), ("stub", Orphans::Stub), ("text", Orphans::Text)];
}

/// Treatment of reasoning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reasoning {
    /// Changed only as far as the findings need.
    #[default]
    Auto,
    /// Every group that can be referenced as a whole becomes references.
    Reference,
    /// Every reference is replaced by its item, where the file contains it.
    Inline,
    /// Never removed or rewritten.
    Keep,
    /// Removed, with the ids of its groups.
    Strip,
}

impl Reasoning {
    /// The choices by their names.
    pub const NAMES: [(&'static str, Reasoning); 5] = [
        ("auto", Reasoning::Auto),
        ("reference", Reasoning::Reference),
        ("inline", Reasoning::Inline),
        ("keep", Reasoning::Keep),
        ("strip", Reasoning::Strip),
    ];
}

/// Which images are replaced by a text, or made smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImageOptions {
    /// All of them.
    pub all: bool,
    /// Those above a limit are made smaller; where no limit is given, one of the target.
    pub shrinks: bool,
    /// Those with more bytes, in base64.
    pub max_bytes: Option<u32>,
    /// Those of which a side has more pixels.
    pub max_pixels: Option<u32>,
    /// All but so many of the last of a conversation.
    pub max_count: Option<u32>,
}

/// How long a conversation may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LengthOptions {
    /// Estimated tokens, with the instructions and the tools of the request; `None` for no limit.
    pub max_tokens: Option<u64>,
    /// Messages of the user stay.
    pub keeps_prompts: bool,
    /// So many turns at the end stay as they are; `None` if the last one is shortened too, but last.
    pub last: Option<u32>,
}

impl Default for LengthOptions {
    fn default() -> Self {
        LengthOptions { max_tokens: None, keeps_prompts: true, last: None }
    }
}

/// Options of a repair.
#[derive(Clone, Debug, Default)]
pub struct FixOptions {
    pub orphans: Orphans,
    pub reasoning: Reasoning,
    /// Only repairs that remove nothing that the model saw.
    pub lossless: bool,
    /// Also fixes warnings whose fix is off by default.
    pub warnings: bool,
    /// Rules whose fixes were requested by name.
    pub selected: Vec<Code>,
    pub acknowledge_safety: bool,
    pub images: ImageOptions,
    pub length: LengthOptions,
    /// The provider to write into the header of a session.
    pub provider: Option<String>,
    /// The result is a separate file, so lines that other files refer to may move.
    pub writes_copy: bool,
    /// Another file continues a part of this one, so none of its lines may change.
    pub pinned: bool,
    /// Findings that are not fixed.
    pub accepted: Vec<AcceptedFinding>,
    /// Nothing is written, so the result is not checked by reading it again.
    pub is_preview: bool,
}

/// The estimated tokens of what was shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LengthChange {
    pub before: u64,
    pub after: u64,
}

impl LengthChange {
    /// The length of both together.
    pub fn plus(self, other: LengthChange) -> LengthChange {
        LengthChange { before: self.before + other.before, after: self.after + other.after }
    }
}

impl FixOptions {
    /// True if flags ask for changes that no finding asks for.
    pub(in crate::repair) fn has_flag_requests(&self) -> bool {
        self.images != ImageOptions::default()
            || self.length.max_tokens.is_some()
            || matches!(self.reasoning, Reasoning::Strip | Reasoning::Reference)
    }
}

/// The cause of a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// A finding of this rule, in this variant, on the item at this place.
    Rule(Code, u8, Place),
    /// A flag that the user gave.
    Flag(&'static str),
}

/// What a repair does to an item.
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

/// A reported change.
#[derive(Clone, Debug)]
pub struct ItemChange {
    pub cause: Cause,
    /// The item that changes; for a stub, the call that it answers. Its place is in the original bytes.
    pub row: Row,
    /// The item beside which a moved item or a placeholder is inserted, or the source of a copy.
    pub anchor: Option<Place>,
    pub action: Action,
    pub loss: Loss,
    /// Description for the user.
    pub description: &'static str,
    pub history: Option<u32>,
    /// What becomes of its images, if they are made smaller.
    pub images: Option<Box<ImageChange>>,
}

/// A value that a repair removes.
#[derive(Clone, Copy, Debug)]
pub struct RemovedValue {
    pub at: Place,
    /// The item whose change removes it.
    pub item: Place,
}

/// A finding that is not fixed, and why.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub code: Code,
    pub at: Place,
    pub reason: &'static str,
}

impl Refusal {
    /// A refusal to fix a finding.
    pub(in crate::repair) fn of(judged: &WeighedFinding, reason: &'static str) -> Refusal {
        Refusal { code: judged.finding.code, at: judged.finding.row.at, reason }
    }

    /// The reasons by the rule and the place of their findings; the first of several counts.
    fn reasons(refusals: &[Refusal]) -> HashMap<(Code, Place), &'static str> {
        refusals.iter().rev().map(|refusal| ((refusal.code, refusal.at), refusal.reason)).collect()
    }

    /// A refusal to fix the finding that caused a change; `None` if a flag caused it.
    pub(in crate::repair) fn of_change(change: &ItemChange, reason: &'static str) -> Option<Refusal> {
        match change.cause {
            Cause::Rule(code, _, at) => Some(Refusal { code, at, reason }),
            Cause::Flag(_) => None,
        }
    }
}

/// A group that a flag asks to change and that stays unchanged, and why.
#[derive(Clone, Copy, Debug)]
pub struct SkippedGroup {
    pub at: Place,
    pub flags: Flags,
    pub reason: &'static str,
}

impl SkippedGroup {
    pub(in crate::repair) fn of(first: &Row, reason: &'static str) -> SkippedGroup {
        SkippedGroup { at: first.at, flags: first.flags, reason }
    }
}
