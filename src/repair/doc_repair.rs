//! The result of repairing a doc: the patch, its changes, and the reasons for what stays.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use crate::history::Code;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::place::{Patch, Place};
use crate::rules::logs::{broken_ordinals, missing_session_meta, other_history_base};

use super::plan::reasons::{EMPTY, EMPTY_CALL};
use super::surroundings::SurroundingsByPlace;
use super::{FixOptions, HistoryPlan, ItemChange, LengthChange, Refusal, RemovedValue, SkippedGroup};

/// The result of repairing a doc.
pub struct DocRepair {
    pub patch: Patch,
    /// Changes, with places in the original bytes.
    pub changes: Vec<ItemChange>,
    /// Surroundings of what changes in the first round. Later rounds change text that the original bytes do not
    /// contain.
    pub surroundings: SurroundingsByPlace,
    /// Values that are removed, besides whole items.
    pub removed: Vec<RemovedValue>,
    /// The findings on the original bytes.
    pub before: JudgedDoc<HistoryPlan>,
    /// The remaining findings, with places in the patched bytes; `None` if nothing was changed.
    pub after: Option<JudgedDoc<HistoryPlan>>,
    /// Findings on the patched bytes that were not fixed, and why.
    pub refusals: Vec<Refusal>,
    /// Groups that `--reasoning` asks to change and that stay unchanged, with places in the original bytes.
    pub skipped_groups: Vec<SkippedGroup>,
    /// The length of its histories, if any was shortened.
    pub length: Option<LengthChange>,
    /// Histories that are left unchanged, and why; the key `None` is what belongs to no history.
    pub abandoned: AbandonedHistories,
    /// True if other files refer to lines of this one by number or offset.
    pub has_numbered_lines: bool,
    /// True if a copy repairs its line numbers.
    pub is_renumbered: bool,
    /// Why the provider was not set; `None` if it was, or if nobody asked for it.
    pub provider_refusal: Option<&'static str>,
    /// The bug in replaylint that prevented any repair; `None` if there was none.
    pub bug: Option<String>,
}

/// Histories that are not repaired, and why.
pub(super) type AbandonedHistories = BTreeMap<Option<u32>, &'static str>;

pub(super) const OTHER_FORMAT: &str =
    "after the fix the format of the file would no longer be recognised, so nothing was changed";
pub(super) const ENDLESS: &str = "its fix does not converge, so this history was not changed";
const NOWHERE: &str = "the fix cannot be made at this place";
const BUG: &str = "the fix would have damaged the file, which is a bug in replaylint";

/// Reasons that only say that a fix failed.
pub const GENERIC_REASONS: [&str; 3] = [ENDLESS, NOWHERE, BUG];

impl DocRepair {
    /// The remaining findings: those after the repair, or those before it if nothing was changed.
    pub fn remaining(&self) -> &JudgedDoc<HistoryPlan> {
        self.after.as_ref().unwrap_or(&self.before)
    }

    /// True if a repair was refused because a list or the file would become empty.
    pub fn would_empty_list(&self) -> bool {
        self.refusals.iter().any(|refusal| [EMPTY, EMPTY_CALL].contains(&refusal.reason))
            || self.abandoned.values().any(|why| *why == OTHER_FORMAT)
    }

    /// A lookup of the reason for which the fix of a remaining finding was not made.
    pub fn refusal_reasons(&self) -> impl Fn(&WeighedFinding) -> Option<&'static str> {
        let refusals = Refusal::reasons(&self.refusals);
        move |judged| {
            let refusal = refusals.get(&(judged.finding.code, judged.finding.row.at));
            refusal.or_else(|| self.abandoned.get(&judged.history)).copied()
        }
    }

    /// A repair that has changed nothing yet.
    pub(super) fn new(before: JudgedDoc<HistoryPlan>) -> DocRepair {
        DocRepair {
            patch: Patch::default(),
            changes: Vec::new(),
            surroundings: SurroundingsByPlace::default(),
            removed: Vec::new(),
            before,
            after: None,
            refusals: Vec::new(),
            skipped_groups: Vec::new(),
            length: None,
            abandoned: AbandonedHistories::new(),
            has_numbered_lines: false,
            is_renumbered: false,
            provider_refusal: None,
            bug: None,
        }
    }

    /// Reverts the whole repair because of a bug.
    pub(super) fn revert(&mut self, bug: String, fix_options: &FixOptions) {
        self.patch = Patch::default();
        self.changes.clear();
        self.removed.clear();
        self.length = None;
        self.after = None;
        let selected = self.before.findings.iter().filter(|judged| fix_options.selects(judged));
        self.refusals = selected.map(|judged| Refusal::of(judged, BUG)).collect();
        self.bug = Some(bug);
    }

    /// Removes findings about line numbers: a copy that can be resumed has no numbered lines.
    pub(super) fn drop_number_findings(&mut self, fix_options: &FixOptions) {
        let headless = |judged: &WeighedFinding| judged.finding.code == missing_session_meta::RULE.code;
        if !fix_options.writes_copy || !self.has_numbered_lines || self.before.findings.iter().any(headless) {
            return;
        }
        let codes = [broken_ordinals::RULE.code, other_history_base::RULE.code];
        for judged in std::iter::once(&mut self.before).chain(&mut self.after) {
            let count = judged.findings.len();
            judged.findings.retain(|judged| !codes.contains(&judged.finding.code));
            self.is_renumbered |= judged.findings.len() < count;
        }
    }

    /// Gives a reason to each remaining finding that should have been fixed.
    pub(super) fn refuse_remaining(&mut self, fix_options: &FixOptions) {
        let known: HashSet<(Code, Place)> =
            self.refusals.iter().map(|refusal| (refusal.code, refusal.at)).collect();
        let left = self.remaining().findings.iter().filter(|judged| {
            fix_options.selects(judged)
                && !known.contains(&(judged.finding.code, judged.finding.row.at))
                && !self.abandoned.contains_key(&judged.history)
        });
        // Another finding on the same item may have been refused for a reason that holds for both.
        let at_place: HashMap<Place, &'static str> =
            self.refusals.iter().map(|refusal| (refusal.at, refusal.reason)).collect();
        let why = |judged: &WeighedFinding| at_place.get(&judged.finding.row.at).copied().unwrap_or(NOWHERE);
        let rest: Vec<Refusal> = left.map(|judged| Refusal::of(judged, why(judged))).collect();
        self.refusals.extend(rest);
    }
}
