//! The part of a history that is judged for a repair: all of it if it is short, else the rows that the repair can
//! change and their neighbours.

use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::dialect::TextChange;
use crate::history::{Code, Finding, History, Kind, RepairAct, Row, codes};
use crate::judge::{EnabledRules, WeighedFinding};

use super::component::{Component, ComponentMap};
use super::context::SearchContext;
use super::defect::{Defect, DefectKey, key_of_finding};
use crate::repair::plan::history_plan::PlanBuilder;

/// Rules about the first or the last message, or about all of them: they do not apply to a part of a history.
pub(super) const WHOLE_HISTORY_RULES: &[Code] = &[
    codes::CHAT_LAST_ROLE,
    codes::CHAT_TEMPLATE_ORDER,
    codes::CHAT_EMPTY_MESSAGES,
    codes::CHAT_MISSING_REASONING,
    codes::CHAT_ASSUMED,
    codes::ANTHROPIC_PREFILL,
    codes::ANTHROPIC_MISSING_THINKING,
    codes::ANTHROPIC_DISABLED_THINKING,
    codes::ANTHROPIC_EMPTY_MESSAGES,
    codes::UNSUPPORTED_THINKING,
    codes::THINKING_BUDGET,
    codes::THINKING_WITH_SAMPLING,
    codes::FORCED_TOOL,
    codes::UNSUPPORTED_EFFORT,
    codes::GEMINI_THINKING_LEVEL,
    codes::SAMPLING_CONFLICT,
    codes::REFUSED_SAMPLING,
    codes::OPTION_RANGE,
    codes::BLANK_STOP,
    codes::ANTHROPIC_STRICT_SCHEMA,
    codes::ANTHROPIC_TOOL_SCHEMA,
    codes::STRICT_SCHEMA,
    codes::GEMINI_SCHEMA,
    codes::STRICT_TOOL_LIMITS,
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

/// The part of a history that is judged, with its known findings.
pub(super) struct SearchScope {
    pub stretches: Vec<Range<u32>>,
    /// True if it is the whole history.
    pub is_whole: bool,
    pub ignored: IgnoredFindings,
    /// Findings of rules about single items.
    pub items: Vec<Finding>,
}

/// The findings that a repair does not have to resolve.
pub(super) enum IgnoredFindings {
    /// All of the unchanged history but these.
    InitialExcept(HashSet<DefectKey>),
    Only(HashSet<DefectKey>),
}

impl<'g> SearchContext<'g> {
    /// True if a repair does not have to resolve the finding.
    pub(super) fn is_ignored(&self, scope: &SearchScope, key: &DefectKey) -> bool {
        match &scope.ignored {
            IgnoredFindings::InitialExcept(own) => self.is_initial(key) && !own.contains(key),
            IgnoredFindings::Only(ignored) => ignored.contains(key),
        }
    }

    /// The whole history; all findings but these are ignored.
    pub(super) fn whole_scope(&self, defects: &[Defect]) -> SearchScope {
        let own: HashSet<DefectKey> = defects.iter().map(|defect| self.key(defect)).collect();
        let items = self.case.findings.iter().filter(|judged| is_of_item(judged)).map(|judged| judged.finding);
        SearchScope {
            stretches: std::iter::once(0..self.case.cx.history.rows.len() as u32).collect(),
            is_whole: true,
            ignored: IgnoredFindings::InitialExcept(own),
            items: items.collect(),
        }
    }

    /// A component with its neighbours.
    pub(super) fn component_scope(&'g self, component: &Component, map: &ComponentMap<'_>) -> SearchScope {
        let stretches = map.with_neighbours(&component.stretches);
        let rows: Vec<Row> = stretches.iter().cloned().flatten().map(|ix| *self.case.cx.row(ix)).collect();
        let judged = self.case.findings;
        let mut items = Vec::new();
        for stretch in &stretches {
            let (Some(first), Some(last)) = (stretch.clone().next(), stretch.clone().next_back()) else {
                continue;
            };
            let (from, to) = (self.case.cx.row(first).at.start, self.case.cx.row(last).at.end());
            // Findings are in the order of the doc, as are rows, except in trees.
            let start = judged.partition_point(|judged| judged.finding.row.at.start < from.min(to));
            let own = judged.iter().skip(start).take_while(|judged| judged.finding.row.at.start < to.max(from));
            items.extend(own.filter(|judged| is_of_item(judged)).map(|judged| judged.finding));
        }
        let nothing = IgnoredFindings::Only(HashSet::default());
        let mut scope = SearchScope { stretches, is_whole: false, ignored: nothing, items };
        let (found, _) = self.judge_rows(&scope, rows, &scope.items);
        let own: HashSet<DefectKey> = component.defects.iter().map(|defect| self.key(defect)).collect();
        // Findings caused by judging only a part, and those of other components.
        let keys = found.iter().map(|judged| key_of_finding(&judged.finding));
        let ignored = keys.filter(|key| !self.is_initial(key) || !own.contains(key));
        scope.ignored = IgnoredFindings::Only(ignored.collect());
        scope
    }

    /// Judges rows as a history, and returns the findings and the rows.
    pub(super) fn judge_rows(
        &'g self,
        scope: &SearchScope,
        rows: Vec<Row>,
        items: &[Finding],
    ) -> (Vec<WeighedFinding>, Vec<Row>) {
        let cx = self.case.cx;
        let settings = self.settings.take().unwrap_or_else(|| cx.history.settings.clone());
        let mut history = History::new(rows, settings, self.case.info.dialect.info().pairing);
        let ends = scope.stretches.last().is_some_and(|last| last.end as usize == cx.history.rows.len());
        if !ends {
            history.call_patterns.tail = history.rows.len() as u32;
        }
        let enabled = match scope.is_whole {
            true => None,
            false => Some(self.partial_rules.get_or_init(|| {
                let own = &self.case.options.enabled;
                let proven = own.proven().to_vec();
                EnabledRules::new(|rule| own.has(rule.code) && !WHOLE_HISTORY_RULES.contains(&rule.code))
                    .with_proven(proven)
            })),
        };
        let judged = self.case.judge_rows(&history, items, enabled);
        self.settings.replace(Some(history.settings));
        (judged, history.rows)
    }

    /// Findings of rules about single items, as far as the items stay and the finding is not fixed.
    pub(super) fn items_after(&self, scope: &SearchScope, plan: &PlanBuilder<'_>, after: &[Row]) -> Vec<Finding> {
        if scope.items.is_empty() {
            return Vec::new();
        }
        let stays: HashMap<u64, Kind> = after.iter().map(|row| (row.at.start, row.kind)).collect();
        let is_changed = |finding: &Finding, fits: fn(&TextChange) -> bool| {
            let decision = plan.decisions.get(&self.index_of(&finding.row));
            decision.is_some_and(|decision| decision.text.iter().any(fits))
        };
        let is_rename = |text: &TextChange| matches!(text, TextChange::Rename(_));
        let is_of_id = |text: &TextChange| matches!(text, TextChange::StripId | TextChange::ReplaceWithReference);
        let is_left = |finding: &&Finding| {
            let as_it_was = stays.get(&finding.row.at.start).is_some_and(|kind| *kind == finding.row.kind);
            let is_of_key =
                finding.remedy.acts().iter().any(|act| matches!(act, RepairAct::Rekey | RepairAct::Rename));
            let is_mended = is_of_key && is_changed(finding, is_rename)
                || finding.remedy.changes_group() && is_changed(finding, is_of_id);
            as_it_was && !is_mended
        };
        scope.items.iter().filter(is_left).copied().collect()
    }
}

/// True if the finding was raised by a rule about single items.
pub(super) fn is_of_item(judged: &WeighedFinding) -> bool {
    judged.rule().check.judges_single_items()
}
