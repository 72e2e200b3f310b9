//! The search for a repair. Findings fall into components, which are repaired by themselves; of each the repair is looked
//! for that leaves the fewest errors and then loses the least, among all that the acts of its findings allow. What a
//! repair comes to is judged on rows, by the rules that found the fault: nothing is rendered, and nothing is read again.
//!
//! The cheapest repair comes first: candidates wait in a queue ordered by what they lose, and each is extended by the acts
//! of one finding that it leaves. So a component takes a handful of judgements. Where very many findings hang together, as
//! of thousands of calls in one message, an act is tried on all findings of one kind at once.

mod acts;
mod best;
mod component;
mod defect;
mod ground;
mod links;
mod loss;
mod node;
mod rows_after;
mod scope;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use crate::format::Histories;
use crate::history::{Code, NONE};
use crate::judge::{Case, Judged, OnHistory};
use crate::place::Place;

use super::plan::chosen;
use super::plan::chosen::Chosen;
use super::plan::history_plan::{HistoryPlan, Plan};
use super::plan::memo::Once;
use super::plan::predicted::Predicted;
use super::plan::reasons::{EMPTY, EMPTY_CALL, SPREAD_ENTRY};
use super::{Action, Cause, surroundings};
use component::Map;
use defect::{Defect, Key, key_of_finding};
use ground::Ground;
pub use ground::Search;
use rows_after::RowsAfter;
pub(super) use rows_after::is_new;

/// A history of so many rows is judged as a whole; of a longer one the component, and what is around it.
const WHOLE: usize = 64;

/// Of so few findings all of the history is judged, too: that costs no more than to judge parts of it first, and then all.
const FEW: usize = 3;

/// A plan of which something cannot be made is made again without it, so many times.
const ATTEMPTS: usize = 8;

/// What one repair brings up elsewhere in the history is repaired with it, so many times.
const PASSES: usize = 3;

impl OnHistory for Search<'_> {
    type Made = HistoryPlan;

    fn history(&self, case: &Case<'_>) -> Option<HistoryPlan> {
        if case.cx.history.settings.read_only.is_some() {
            return None;
        }
        let ground = Ground {
            case,
            search: self,
            once: Once::default(),
            settings: RefCell::new(None),
            known: OnceCell::new(),
            last: RefCell::new(None),
            in_part: OnceCell::new(),
            view: OnceCell::new(),
        };
        ground.plan()
    }

    fn renumber(made: &mut HistoryPlan, by: u32) {
        made.number += by;
        for change in &mut made.changes {
            change.history = Some(made.number);
        }
    }

    fn renumber_records(made: &mut HistoryPlan, by: u32) {
        made.fates.iter_mut().for_each(|(row, _)| row.record += by);
        made.changes.iter_mut().for_each(|change| change.row.record += by);
    }
}

impl<'g> Ground<'g> {
    fn plan(&'g self) -> Option<HistoryPlan> {
        let case = self.case;
        let (cx, info) = (case.cx, case.info);
        let defects = self.defects();
        let by_lines = info.histories == Histories::Session || cx.history.settings.numbered.is_some();
        if self.search.spread && by_lines {
            let mut plan = self.new_plan();
            defects.iter().for_each(|defect| plan.refuse(&defect.judged, SPREAD_ENTRY));
            return plan.finish(info);
        }
        let mut chosen: Vec<Chosen> = Vec::new();
        let mut skipped: Vec<(Judged, &'static str)> = Vec::new();
        if !defects.is_empty() {
            self.search(defects, &mut chosen, &mut skipped);
        }
        self.finish(chosen, skipped)
    }

    /// Repairs component after component. `chosen` and `skipped` get what comes of it.
    fn search(
        &'g self,
        defects: Vec<Defect>,
        chosen: &mut Vec<Chosen>,
        skipped: &mut Vec<(Judged, &'static str)>,
    ) {
        let history = self.case.cx.history;
        let map = Map::new(history, &self.once);
        let is_whole = history.rows.len() <= WHOLE || defects.len() <= FEW;
        for component in map.components(defects) {
            if component.stretches.is_empty()
                || component.stretches.iter().any(|s| s.end as usize > history.rows.len())
            {
                chosen.extend(component.defects.iter().filter_map(|defect| self.first_act(defect)));
                continue;
            }
            let scope = match is_whole {
                true => self.whole(&component.defects),
                false => self.part(&component, &map),
            };
            let base: &[Chosen] = if is_whole { chosen } else { &[] };
            let solved = self.solve(&scope, base, &component.defects);
            match is_whole {
                true => *chosen = solved.chosen,
                false => chosen.extend(solved.chosen),
            }
            skipped.extend(solved.skipped);
        }
        if is_whole {
            return;
        }
        // What the repairs of parts bring up elsewhere.
        for _ in 0..PASSES {
            if chosen.is_empty() {
                return;
            }
            let scope = self.whole(&[]);
            let mut node = self.node(&scope, chosen.clone(), Vec::new());
            self.judge(&scope, &mut node);
            let left: HashSet<Key> = skipped.iter().map(|(judged, _)| key_of_finding(&judged.finding)).collect();
            let open = node.open.unwrap_or_default().into_iter();
            let open: Vec<Defect> = open.filter(|defect| !left.contains(&self.key(defect))).collect();
            if open.is_empty() {
                return;
            }
            let solved = self.solve(&scope, chosen, &open);
            *chosen = solved.chosen;
            skipped.extend(solved.skipped);
        }
    }

    /// The act of a finding that no part of the history has a say in.
    fn first_act(&self, defect: &Defect) -> Option<Chosen> {
        let act = *defect.judged.finding.remedy.acts().first()?;
        Some(defect.chosen(act))
    }

    /// The plan of all that was chosen. What cannot be made after all is left out.
    fn finish(&'g self, mut chosen: Vec<Chosen>, skipped: Vec<(Judged, &'static str)>) -> Option<HistoryPlan> {
        let info = self.case.info;
        let mut refused = skipped;
        let mut flag = None;
        for _ in 0..ATTEMPTS {
            let mut plan = self.new_plan();
            plan.by_flag = flag.is_none();
            refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
            plan.make(&chosen);
            plan.left.extend(flag.and_then(|why| plan.first_left(why)));
            let impossible = plan.impossible(info, self.search.spread);
            if impossible.is_empty() {
                self.decide(&chosen);
                let predicted = self.search.predicts.then(|| self.predicted(&plan, &chosen));
                let made = plan.finish(info)?;
                let around = surroundings::of(self.case.cx.history, info, &made.changes);
                return Some(HistoryPlan { predicted, around, ..made });
            }
            let by_flag = impossible.iter().find(|(cause, _)| matches!(cause, Cause::Flag(_)));
            flag = flag.or(by_flag.map(|(_, why)| *why));
            let why: HashMap<Cause, &'static str> = impossible.into_iter().collect();
            chosen.retain(|chosen| {
                let Some(why) = why.get(&chosen.cause) else { return true };
                let why = if *why == EMPTY && chosen.drops_call(self.case.cx) { EMPTY_CALL } else { why };
                refused.push((chosen.judged, why));
                false
            });
        }
        // What is left hangs together with what cannot be made.
        let mut plan = self.new_plan();
        refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
        let why = "it depends on a fix that cannot be made";
        chosen.iter().for_each(|chosen| plan.refuse(&chosen.judged, why));
        plan.finish(info)
    }
}

impl<'g> Ground<'g> {
    /// What is left of the history after a plan.
    fn predicted(&'g self, plan: &Plan<'_>, chosen: &[Chosen]) -> Predicted {
        let history = self.case.cx.history;
        let print = chosen::print(chosen);
        let known = self.last.take().filter(|(last, ..)| *last == print && history.continued.is_empty());
        let (found, count) = match known {
            Some((_, found, count)) => (found, count),
            None => {
                let scope = self.whole(&[]);
                let mut after = RowsAfter::of(plan, &scope.stretches);
                let continued = history.continued.iter().zip(history.rows.len() as u32..);
                after.extend(continued.filter(|(_, ix)| !plan.is_dropped(*ix)).map(|(row, _)| *row));
                let items = self.items_after(&scope, plan, &after);
                let (found, after) = self.judge_rows(&scope, after, &items);
                (found, after.len() as u32)
            }
        };
        let mended: HashSet<(Code, Place)> = plan
            .changes()
            .filter_map(|(ix, change)| match change.cause {
                Cause::Rule(code, _, at) if ix == NONE || self.case.cx.row(ix).at == at => {
                    matches!(change.action, Action::Rewrite | Action::Strip).then_some((code, at))
                }
                _ => None,
            })
            .collect();
        let is_mended = |judged: &Judged| mended.contains(&(judged.finding.code, judged.finding.row.at));
        let left: Vec<Judged> = found.into_iter().filter(|judged| !is_mended(judged)).collect();
        // What a second round would repair is not left.
        let is_last = !left.iter().any(|judged| self.search.options.wants(judged));
        Predicted {
            left,
            items: count,
            is_sure: is_last
                && chosen.iter().all(|chosen| acts::shows_in_rows(chosen.act))
                && plan.changes().all(|(_, change)| matches!(change.cause, Cause::Rule(..))),
        }
    }
}
