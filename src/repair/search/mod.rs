//! The search for a repair. Findings fall into components, which are repaired separately; for each, the search
//! finds the repair that leaves the fewest errors and then loses the least, among all that the acts of its
//! findings allow. The outcome of a repair is judged on rows, by the rules that raised the findings: nothing is
//! rendered or read again.
//!
//! Candidates are kept in a queue ordered by their losses, cheapest first, and each is extended by the acts of one
//! finding that it leaves, so a component takes a handful of judgements. Where very many findings are connected,
//! as for thousands of calls in one message, an act is tried on all findings of one kind at once.

mod acts;
mod best;
mod component;
mod context;
mod defect;
mod kept_format;
mod links;
mod loss;
mod node;
mod predicted_rows;
mod scope;

use std::cell::{OnceCell, RefCell};

use foldhash::{HashMap, HashSet};

use crate::format::HistoryScope;
use crate::history::{Code, NONE};
use crate::judge::{HistoryVisitor, JudgedHistory, WeighedFinding};
use crate::place::Place;
use crate::rule::is_repaired_in_copy;

use super::plan::chosen_act;
use super::plan::chosen_act::{ChosenAct, SharedFinding};
use super::plan::history_plan::{HistoryPlan, PlanBuilder};
use super::plan::memo::HistoryMemo;
use super::plan::outcome::PlanOutcome;
use super::plan::reasons::{COPY_WITH_FLAG, EMPTY, EMPTY_CALL, SPREAD_ENTRY};
use super::plan::shorten::SHORTEN;
use super::{Action, Cause, FixOptions, Refusal, surroundings};
use component::{Component, ComponentMap};
use context::SearchContext;
pub use context::{PlanUse, RepairSearch};
use defect::{Defect, DefectKey, key_of_finding};
use predicted_rows::PredictedRows;
pub(super) use predicted_rows::is_new;

/// Up to this number of rows a history is judged as a whole; of a longer one, the component and its neighbours.
const MAX_WHOLE_ROWS: usize = 64;

/// Up to this number of findings the whole history is judged, too: that costs no more than judging parts first and
/// then everything.
const MAX_WHOLE_DEFECTS: usize = 3;

/// Number of times that a plan is made again without its impossible changes.
const ATTEMPTS: usize = 8;

/// Number of passes that repair what other repairs cause elsewhere in the history.
const PASSES: usize = 3;

impl HistoryVisitor for RepairSearch<'_> {
    type Output = HistoryPlan;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<HistoryPlan> {
        let history = case.cx.history;
        let read_only = history.settings.read_only;
        if read_only.is_some() && !self.options.has_flag_requests() {
            return None;
        }
        let context = SearchContext {
            case,
            search: self,
            memo: HistoryMemo::default(),
            settings: RefCell::new(None),
            initial_keys: OnceCell::new(),
            last_outcome: RefCell::new(None),
            partial_rules: OnceCell::new(),
            view: OnceCell::new(),
        };
        if let Some(why) = read_only {
            let mut plan = context.new_plan();
            plan.applies_flags = true;
            let skipped = plan.is_asked_to_change().then(|| plan.skipped_history(why)).flatten();
            plan.skipped_groups.extend(skipped);
            return plan.finish(case.info);
        }
        context.plan()
    }

    fn renumber(made: &mut HistoryPlan, by: u32) {
        made.number += by;
        for change in &mut made.changes {
            change.history = Some(made.number);
        }
        for judged in made.outcome.iter_mut().flat_map(|predicted| &mut predicted.remaining) {
            judged.history = Some(made.number);
        }
    }

    fn renumber_records(made: &mut HistoryPlan, by: u32) {
        made.decisions.iter_mut().for_each(|(row, _)| row.record += by);
        made.changes.iter_mut().for_each(|change| change.row.record += by);
        let remaining = made.outcome.iter_mut().flat_map(|predicted| &mut predicted.remaining);
        remaining.for_each(|judged| judged.finding.row.record += by);
    }
}

impl<'g> SearchContext<'g> {
    fn plan(&'g self) -> Option<HistoryPlan> {
        let case = self.case;
        let (cx, info) = (case.cx, case.info);
        let defects = self.defects();
        let by_lines = info.histories == HistoryScope::Session || cx.history.settings.ordinals.is_some();
        if self.search.is_multiline && by_lines {
            let mut plan = self.new_plan();
            defects.iter().for_each(|defect| plan.refuse(&defect.judged, SPREAD_ENTRY));
            return plan.finish(info);
        }
        let mut chosen: Vec<ChosenAct<'g>> = Vec::new();
        let mut skipped: Vec<(SharedFinding<'g>, &'static str)> = Vec::new();
        if !defects.is_empty() {
            self.search_components(defects, &mut chosen, &mut skipped);
        }
        skipped.extend(self.refused_with_flags());
        self.finish(chosen, skipped)
    }

    /// The findings that a flag which is not given would not fix either, and why: no flag is offered in vain.
    fn refused_with_flags(&self) -> Vec<(SharedFinding<'g>, &'static str)> {
        let options = self.search.options;
        let flagged =
            || self.case.findings.iter().filter(|judged| judged.needs_flag() && !options.selects(judged));
        if flagged().next().is_none() {
            return Vec::new();
        }
        let options = FixOptions { warnings: true, acknowledge_safety: true, ..options.clone() };
        if !flagged().any(|judged| options.selects(judged)) {
            return Vec::new();
        }
        let mut search = RepairSearch::new(&options, self.search.is_multiline, false).for_use(PlanUse::Predicted);
        search.only_flagged = true;
        let Some(plan) = search.visit(self.case) else { return Vec::new() };
        let why = Refusal::reasons(&plan.refusals);
        let refused = |judged: &'g WeighedFinding| {
            let why = *why.get(&(judged.finding.code, judged.finding.row.at))?;
            // The copy needs the flag, too.
            let why = if is_repaired_in_copy(why) { COPY_WITH_FLAG } else { why };
            Some((SharedFinding::Initial(judged), why))
        };
        flagged().filter_map(refused).collect()
    }

    /// Repairs one component after another, and appends to `chosen` and `skipped`.
    fn search_components(
        &'g self,
        defects: Vec<Defect<'g>>,
        chosen: &mut Vec<ChosenAct<'g>>,
        skipped: &mut Vec<(SharedFinding<'g>, &'static str)>,
    ) {
        let history = self.case.cx.history;
        let map = ComponentMap::new(history, &self.memo);
        let is_whole = history.rows.len() <= MAX_WHOLE_ROWS || defects.len() <= MAX_WHOLE_DEFECTS;
        chosen.reserve(if is_whole { 0 } else { defects.len() });
        let is_searched = |component: &Component<'_>| {
            !self.search.only_flagged || component.defects.iter().any(|defect| defect.judged.needs_flag())
        };
        for component in map.components(defects).filter(is_searched) {
            if component.stretches.is_empty()
                || component.stretches.iter().any(|s| s.end as usize > history.rows.len())
            {
                chosen.extend(component.defects.iter().filter_map(|defect| self.first_act(defect)));
                continue;
            }
            let scope = match is_whole {
                true => self.whole_scope(&component.defects),
                false => self.component_scope(&component, &map),
            };
            let base: &[ChosenAct<'g>] = if is_whole { chosen } else { &[] };
            let solved = self.solve(&scope, base, &component.defects);
            match is_whole {
                true => *chosen = solved.chosen,
                false => chosen.extend(solved.chosen),
            }
            skipped.extend(solved.skipped);
        }
        if is_whole || self.search.only_flagged {
            return;
        }
        drop(map);
        // Repair what the repairs of parts cause elsewhere.
        for _ in 0..PASSES {
            if chosen.is_empty() {
                return;
            }
            let scope = self.whole_scope(&[]);
            let mut node = self.node(&scope, std::mem::take(chosen), Vec::new());
            self.judge(&scope, &mut node);
            *chosen = node.chosen;
            let left: HashSet<DefectKey> =
                skipped.iter().map(|(judged, _)| key_of_finding(&judged.finding)).collect();
            let open = node.open.unwrap_or_default().into_iter();
            let open: Vec<Defect<'g>> = open.filter(|defect| !left.contains(&self.key(defect))).collect();
            if open.is_empty() {
                return;
            }
            let solved = self.solve(&scope, chosen, &open);
            *chosen = solved.chosen;
            skipped.extend(solved.skipped);
        }
    }

    /// The first act of a finding that depends on no part of the history.
    fn first_act(&self, defect: &Defect<'g>) -> Option<ChosenAct<'g>> {
        let act = *defect.judged.finding.remedy.acts().first()?;
        Some(defect.chosen(act))
    }

    /// The plan of all chosen acts, without those that prove impossible.
    fn finish(
        &'g self,
        mut chosen: Vec<ChosenAct<'g>>,
        skipped: Vec<(SharedFinding<'g>, &'static str)>,
    ) -> Option<HistoryPlan> {
        let info = self.case.info;
        let mut refused = skipped;
        let mut flag = None;
        for _ in 0..ATTEMPTS {
            let mut plan = self.new_plan();
            plan.applies_flags = flag.is_none();
            let changes_images = self.search.options.images != crate::repair::ImageOptions::default();
            plan.media = changes_images.then(|| self.case.media_profile());
            refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
            plan.apply_acts(&chosen);
            plan.drop_unsent_thinking_by_flag(info);
            plan.skipped_groups.extend(flag.and_then(|why| plan.skipped_history(why)));
            let impossible = plan.infeasible_causes(info, self.search.is_multiline);
            if impossible.is_empty() {
                self.share_decisions(&chosen);
                let mut predicted =
                    (self.search.predicts && !plan.is_empty()).then(|| self.predict(&plan, &chosen));
                let open = predicted.as_mut().filter(|open| open.depends_on_format());
                if self.search.plan_use == PlanUse::Predicted && open.is_none() {
                    plan.keep_first_change();
                }
                let made = plan.finish(info)?;
                if let Some(open) = open {
                    let refuses_nothing = made.refusals.is_empty() && made.skipped_groups.is_empty();
                    open.keeps_format = refuses_nothing && kept_format::keeps_format(self.case, &made);
                }
                let collect = || surroundings::collect(self.case.cx.history, info, &made.changes);
                let around = (self.search.plan_use == PlanUse::Shown).then(collect).flatten();
                return Some(HistoryPlan { outcome: predicted, surroundings: around, ..made });
            }
            let is_flag = |cause: Cause| matches!(cause, Cause::Flag(_)) && cause != SHORTEN;
            let by_flag = impossible.iter().find(|(cause, _)| is_flag(*cause));
            flag = flag.or(by_flag.map(|(_, why)| *why));
            let why: HashMap<Cause, &'static str> = impossible.into_iter().collect();
            chosen.retain(|chosen| {
                let Some(why) = why.get(&chosen.cause) else { return true };
                let why = if *why == EMPTY && chosen.drops_call(self.case.cx) { EMPTY_CALL } else { why };
                refused.push((chosen.judged.clone(), why));
                false
            });
        }
        // The remaining acts depend on impossible ones.
        let mut plan = self.new_plan();
        refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
        let why = "it depends on another fix that cannot be made";
        chosen.iter().for_each(|chosen| plan.refuse(&chosen.judged, why));
        plan.finish(info)
    }
}

impl<'g> SearchContext<'g> {
    /// Predicts the outcome of a plan.
    fn predict(&'g self, plan: &PlanBuilder<'_>, chosen: &[ChosenAct]) -> PlanOutcome {
        let history = self.case.cx.history;
        let fingerprint = chosen_act::fingerprint(chosen);
        let known =
            self.last_outcome.take().filter(|(last, ..)| *last == fingerprint && history.continuations.is_empty());
        let (found, count) = match known {
            Some((_, found, count)) => (found, count),
            None => {
                let scope = self.whole_scope(&[]);
                let mut after = PredictedRows::of(plan, &scope.stretches);
                let continued = history.continuations.iter().zip(history.rows.len() as u32..);
                after.extend(continued.filter(|(_, ix)| !plan.is_dropped(*ix)).map(|(row, _)| *row));
                let items = self.items_after(&scope, plan, &after);
                let (found, after) = self.judge_rows(&scope, after, &items);
                (found, after.len() as u32)
            }
        };
        let mended: HashSet<(Code, Place)> = plan
            .changed_rows()
            .filter_map(|(row, change)| match change.cause {
                Cause::Rule(code, _, at) if change.ix == NONE || row.at == at => {
                    matches!(change.action, Action::Rewrite | Action::Strip).then_some((code, at))
                }
                _ => None,
            })
            .collect();
        let is_mended = |judged: &WeighedFinding| mended.contains(&(judged.finding.code, judged.finding.row.at));
        let remaining: Vec<WeighedFinding> = found.into_iter().filter(|judged| !is_mended(judged)).collect();
        // Findings that a second round would fix do not remain.
        let is_last = !remaining.iter().any(|judged| self.search.options.selects(judged));
        PlanOutcome {
            remaining,
            items: count,
            keeps_format: false,
            is_sure: is_last
                && chosen.iter().all(|chosen| acts::shows_in_rows(chosen.act))
                && plan.changes().all(|change| matches!(change.cause, Cause::Rule(..))),
        }
    }
}
