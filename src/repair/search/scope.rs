//! What is judged of a history that a repair changes: all of it where it is short, else the rows that the repair can touch
//! and what is around them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::dialect::TextChange;
use crate::history::{Act, Code, Finding, History, Kind, Row, codes};
use crate::judge::{Enabled, Judged};

use super::component::{Component, Map};
use super::defect::{Defect, Key, key_of_finding};
use super::ground::Ground;
use crate::repair::plan::history_plan::Plan;

/// Rules about the first or the last message, or about all of them: of a part of a history they say nothing.
pub(super) const OF_WHOLE: &[Code] = &[
    codes::CHAT_LAST_ROLE,
    codes::CHAT_TEMPLATE_ORDER,
    codes::CHAT_EMPTY_MESSAGES,
    codes::CHAT_MISSING_REASONING,
    codes::CHAT_ASSUMED,
    codes::ANTHROPIC_PREFILL,
    codes::ANTHROPIC_MISSING_THINKING,
    codes::ANTHROPIC_EMPTY_MESSAGES,
    codes::ANTHROPIC_UNDEFINED_TOOLS,
    codes::ANTHROPIC_UNDEFINED_REFERENCE,
    codes::ANTHROPIC_CACHE_CONTROL,
    codes::GEMINI_MODEL_LAST,
    codes::GEMINI_LEADING_CALL,
    codes::GEMINI_UNSIGNED_CALL,
    codes::GEMINI_EMPTY_CONTENTS,
    codes::BEDROCK_ASSISTANT_FIRST,
    codes::BEDROCK_MISSING_TOOL_CONFIG,
    codes::BEDROCK_EMPTY_MESSAGES,
    codes::EMPTY_INPUT,
    codes::COMPACTION_TRIGGER_NOT_LAST,
    codes::ITEMS_BEFORE_COMPACTION,
    codes::CHAIN_WITH_HISTORY,
    codes::CHAIN_AND_CONVERSATION,
    codes::CHAIN_WITHOUT_STORE,
    codes::CHAIN_NOT_SUPPORTED,
    codes::MIXED_LINEAGES,
    codes::CONFLICTING_BLOBS,
    codes::NAMESPACE_MISMATCH,
];

/// The part of a history that is judged, and what is known of it.
pub(super) struct Scope {
    pub stretches: Vec<Range<u32>>,
    /// All of the history.
    pub is_whole: bool,
    /// What is found of it and is nobody's matter here.
    pub ignored: HashSet<Key>,
    /// What was found of its items by themselves.
    pub items: Vec<Finding>,
}

impl<'g> Ground<'g> {
    /// All of the history. What is found of it besides these findings is let be.
    pub(super) fn whole(&self, defects: &[Defect]) -> Scope {
        let own: HashSet<Key> = defects.iter().map(|defect| self.key(defect)).collect();
        let items = self.case.judged.iter().filter(|judged| is_of_item(judged)).map(|judged| judged.finding);
        Scope {
            stretches: std::iter::once(0..self.case.cx.history.rows.len() as u32).collect(),
            is_whole: true,
            ignored: self.known().difference(&own).copied().collect(),
            items: items.collect(),
        }
    }

    /// A component with what is around it.
    pub(super) fn part(&'g self, component: &Component, map: &Map<'_>) -> Scope {
        let stretches = map.with_neighbours(&component.stretches);
        let rows: Vec<Row> = stretches.iter().cloned().flatten().map(|ix| *self.case.cx.row(ix)).collect();
        let judged = self.case.judged;
        let mut items = Vec::new();
        for stretch in &stretches {
            let (Some(first), Some(last)) = (stretch.clone().next(), stretch.clone().next_back()) else {
                continue;
            };
            let (from, to) = (self.case.cx.row(first).at.start, self.case.cx.row(last).at.end());
            // Findings are in the order of the doc, as rows are but for trees.
            let start = judged.partition_point(|judged| judged.finding.row.at.start < from.min(to));
            let own = judged.iter().skip(start).take_while(|judged| judged.finding.row.at.start < to.max(from));
            items.extend(own.filter(|judged| is_of_item(judged)).map(|judged| judged.finding));
        }
        let mut scope = Scope { stretches, is_whole: false, ignored: HashSet::new(), items };
        let (found, _) = self.judge_rows(&scope, rows, &scope.items);
        let own: HashSet<Key> = component.defects.iter().map(|defect| self.key(defect)).collect();
        // What cutting it out makes, and what is another component's.
        let keys = found.iter().map(|judged| key_of_finding(&judged.finding));
        scope.ignored = keys.filter(|key| !self.known().contains(key) || !own.contains(key)).collect();
        scope
    }

    /// Judges rows as a history, and gives them back.
    pub(super) fn judge_rows(
        &'g self,
        scope: &Scope,
        rows: Vec<Row>,
        items: &[Finding],
    ) -> (Vec<Judged>, Vec<Row>) {
        let cx = self.case.cx;
        let settings = self.settings.take().unwrap_or_else(|| cx.history.settings.clone());
        let mut history = History::new(rows, settings, self.case.info.dialect.info().pairing);
        let ends = scope.stretches.last().is_some_and(|last| last.end as usize == cx.history.rows.len());
        if !ends {
            history.shapes.tail = history.rows.len() as u32;
        }
        let enabled = match scope.is_whole {
            true => None,
            false => Some(self.in_part.get_or_init(|| {
                let own = &self.case.options.enabled;
                let proven = own.proven().to_vec();
                Enabled::new(|rule| own.has(rule.code) && !OF_WHOLE.contains(&rule.code)).proving(proven)
            })),
        };
        let judged = self.case.judge_rows(&history, items, enabled);
        self.settings.replace(Some(history.settings));
        (judged, history.rows)
    }

    /// What was found of items by themselves, as far as they stay and are not what was changed.
    pub(super) fn items_after(&self, scope: &Scope, plan: &Plan<'_>, after: &[Row]) -> Vec<Finding> {
        if scope.items.is_empty() {
            return Vec::new();
        }
        let stays: HashMap<u64, Kind> = after.iter().map(|row| (row.at.start, row.kind)).collect();
        let is_changed = |finding: &Finding, fits: fn(&TextChange) -> bool| {
            let fate = plan.fates.get(&self.index_of(&finding.row));
            fate.is_some_and(|fate| fate.text.iter().any(fits))
        };
        let is_rename = |text: &TextChange| matches!(text, TextChange::Rename(_));
        let is_of_id = |text: &TextChange| matches!(text, TextChange::StripId | TextChange::Refer);
        let is_left = |finding: &&Finding| {
            let as_it_was = stays.get(&finding.row.at.start).is_some_and(|kind| *kind == finding.row.kind);
            let is_of_key = finding.remedy.acts().iter().any(|act| matches!(act, Act::Rekey | Act::Rename));
            let is_mended = is_of_key && is_changed(finding, is_rename)
                || finding.remedy.is_of_group() && is_changed(finding, is_of_id);
            as_it_was && !is_mended
        };
        scope.items.iter().filter(is_left).copied().collect()
    }
}

/// Raised on the item by itself, and not by the history that it is in.
pub(super) fn is_of_item(judged: &Judged) -> bool {
    judged.rule().check.is_of_item()
}
