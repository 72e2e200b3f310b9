//! What a repair does to a doc, and why it leaves what it leaves.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::history::Code;
use crate::judge::{Judged, JudgedDoc};
use crate::place::{Patch, Place};
use crate::rules::logs::{broken_ordinals, missing_session_meta, other_history_base};

use super::plan::reasons::{EMPTY, EMPTY_CALL};
use super::{Change, FixOptions, HistoryPlan, Left, Refusal, Removed, Surroundings};

/// What a repair does to a doc.
pub struct Fixed {
    pub patch: Patch,
    /// By place in the original bytes.
    pub changes: Vec<Change>,
    /// What is around what changes in the first round. Later ones change what is not in the original bytes like this.
    pub around: HashMap<Place, Surroundings>,
    /// What is taken away besides the items that are dropped as such.
    pub removed: Vec<Removed>,
    /// The findings on the original bytes.
    pub before: JudgedDoc<HistoryPlan>,
    /// The findings that are left, with their places in the patched bytes; `None` if nothing was changed.
    pub after: Option<JudgedDoc<HistoryPlan>>,
    /// Findings on the patched bytes whose fix was not made, and why.
    pub refusals: Vec<Refusal>,
    /// Groups that `--reasoning` asks to change and that stay as they are, by place in the original bytes.
    pub left_alone: Vec<Left>,
    /// Histories that are left as they were, and why; `None` is what belongs to no history.
    pub given_up: GivenUp,
    /// Other files point at its lines, by number or offset.
    pub numbered: bool,
    /// Why the provider was not set.
    pub provider_left: Option<&'static str>,
    /// Why nothing was repaired at all: a bug of ours.
    pub bug: Option<String>,
}

/// Histories that are not repaired, and why.
pub(super) type GivenUp = BTreeMap<Option<u32>, &'static str>;

pub(super) const OTHER_FORMAT: &str =
    "after the fix the format of the file would no longer be recognised, so nothing was changed";
pub(super) const ENDLESS: &str = "its fix does not converge, so this history was not changed";
const NOWHERE: &str = "the fix cannot be made at this place";
const BUG: &str = "the fix would have damaged the file, which is a bug in replaylint";

/// Reasons that say no more than that something went wrong.
pub const NO_REASONS: [&str; 3] = [ENDLESS, NOWHERE, BUG];

impl Fixed {
    /// What is left.
    pub fn left(&self) -> &JudgedDoc<HistoryPlan> {
        self.after.as_ref().unwrap_or(&self.before)
    }

    /// A repair was not made because nothing would be left.
    pub fn would_empty(&self) -> bool {
        self.refusals.iter().any(|refusal| [EMPTY, EMPTY_CALL].contains(&refusal.why))
            || self.given_up.values().any(|why| *why == OTHER_FORMAT)
    }

    /// Why the fixes of findings that are left were not made.
    pub fn reasons(&self) -> impl Fn(&Judged) -> Option<&'static str> {
        let refusals = self.refusals.iter().rev().map(|refusal| ((refusal.code, refusal.at), refusal.why));
        let refusals: HashMap<(Code, Place), &'static str> = refusals.collect();
        move |judged| {
            let refusal = refusals.get(&(judged.finding.code, judged.finding.row.at));
            refusal.or_else(|| self.given_up.get(&judged.history)).copied()
        }
    }

    /// Nothing is done yet.
    pub(super) fn new(before: JudgedDoc<HistoryPlan>) -> Fixed {
        Fixed {
            patch: Patch::default(),
            changes: Vec::new(),
            around: HashMap::new(),
            removed: Vec::new(),
            before,
            after: None,
            refusals: Vec::new(),
            left_alone: Vec::new(),
            given_up: GivenUp::new(),
            numbered: false,
            provider_left: None,
            bug: None,
        }
    }

    /// Nothing is repaired, for this bug.
    pub(super) fn take_back(&mut self, bug: String, wanted: &FixOptions) {
        self.patch = Patch::default();
        self.changes.clear();
        self.removed.clear();
        self.after = None;
        let wanted = self.before.judged.iter().filter(|judged| wanted.wants(judged));
        self.refusals = wanted.map(|judged| Refusal::of(judged, BUG)).collect();
        self.bug = Some(bug);
    }

    /// In a copy that can be gone on with, lines have no numbers that could be wrong.
    pub(super) fn forget_numbers(&mut self, wanted: &FixOptions) {
        let headless = |judged: &Judged| judged.finding.code == missing_session_meta::RULE.code;
        if !wanted.copies || !self.numbered || self.before.judged.iter().any(headless) {
            return;
        }
        let codes = [broken_ordinals::RULE.code, other_history_base::RULE.code];
        for judged in std::iter::once(&mut self.before).chain(&mut self.after) {
            judged.judged.retain(|judged| !codes.contains(&judged.finding.code));
        }
    }

    /// What is left with a fix that was wanted has a reason.
    pub(super) fn refuse_the_rest(&mut self, wanted: &FixOptions) {
        let known: HashSet<(Code, Place)> =
            self.refusals.iter().map(|refusal| (refusal.code, refusal.at)).collect();
        let left = self.left().judged.iter().filter(|judged| {
            wanted.wants(judged)
                && !known.contains(&(judged.finding.code, judged.finding.row.at))
                && !self.given_up.contains_key(&judged.history)
        });
        let rest: Vec<Refusal> = left.map(|judged| Refusal::of(judged, NOWHERE)).collect();
        self.refusals.extend(rest);
    }
}
