//! The best repair of a component: of the candidates that leave the fewest errors, the one that loses least.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use crate::history::{Code, DETACH, NONE, RepairAct, Row, STRIP_ID, codes};
use crate::place::Place;
use crate::target::Severity;

use super::acts;
use super::acts::ActLimits;
use super::context::SearchContext;
use super::defect::{Defect, DefectKey};
use super::links;
use super::loss::PlanLosses;
use super::node::{NodeQueue, SearchNode, count_by_severity, group_by_kind, is_fixable_regression, unshown_acts};
use super::predicted_rows::{PredictedRows, is_new};
use super::scope::SearchScope;
use crate::repair::Cause;
use crate::repair::plan::chosen_act;
use crate::repair::plan::chosen_act::{ChosenAct, SharedFinding};
use crate::repair::plan::history_plan::PlanBuilder;
use crate::repair::plan::reasons::EMPTY;

/// With more findings than this, an act is tried on all findings of one kind at once.
const MAX_SINGLE_DEFECTS: usize = 6;

/// Largest number of judgements for a component.
const MAX_JUDGEMENTS: usize = 64;

const NO_BETTER: &str = "no fix was found that would reduce the number of errors";

/// The reason for which a finding stays, or the flag that helps if no better reason is known.
fn reason(why: &'static str, out: Option<&'static str>) -> &'static str {
    out.filter(|_| why == NO_BETTER).unwrap_or(why)
}

/// A repair of a component.
pub(super) struct ComponentRepair<'g> {
    pub chosen: Vec<ChosenAct<'g>>,
    pub skipped: Vec<(SharedFinding<'g>, &'static str)>,
}

impl<'g> SearchContext<'g> {
    /// The best repair of some findings, in addition to acts chosen before.
    pub(super) fn solve(
        &'g self,
        scope: &SearchScope,
        base: &[ChosenAct<'g>],
        defects: &[Defect<'g>],
    ) -> ComponentRepair<'g> {
        let had = count_by_severity(defects.iter());
        let limits = ActLimits::of(self.search.options);
        let mut best = self.best(scope, base, defects, limits);
        if !best.skipped.is_empty() && defects.iter().any(|defect| self.shared_decision(defect).is_some()) {
            best = self.best(scope, base, defects, ActLimits { keeps_decisions: false, ..limits });
        }
        let has = best.permanent_counts();
        if has < had && best.skipped.is_empty() {
            return ComponentRepair { chosen: best.chosen, skipped: Vec::new() };
        }
        let out = self.find_helpful_flag(scope, base, defects, has.min(had));
        if has < had {
            let skipped = best.skipped.iter().map(|(defect, why)| (defect.judged.clone(), reason(why, out)));
            return ComponentRepair { skipped: skipped.collect(), chosen: best.chosen };
        }
        // The first reason for a defect is its reason.
        let reasons: HashMap<DefectKey, &'static str> =
            best.skipped.iter().rev().map(|(defect, why)| (self.key(defect), *why)).collect();
        let why = |defect: &Defect| reason(reasons.get(&self.key(defect)).copied().unwrap_or(NO_BETTER), out);
        let skipped = defects.iter().map(|defect| (defect.judged.clone(), why(defect))).collect();
        ComponentRepair { chosen: base.to_vec(), skipped }
    }

    /// The flag that would allow a better repair.
    fn find_helpful_flag(
        &'g self,
        scope: &SearchScope,
        base: &[ChosenAct<'g>],
        defects: &[Defect<'g>],
        than: (u32, u32),
    ) -> Option<&'static str> {
        let limits = ActLimits::of(self.search.options);
        let cx = self.case.cx;
        if defects
            .iter()
            .all(|defect| limits.acts(cx, defect).len() == ActLimits::UNLIMITED.acts(cx, defect).len())
        {
            return None;
        }
        let best = self.best(scope, base, defects, ActLimits::UNLIMITED);
        let is_limited = |chosen: &&ChosenAct| !limits.acts(cx, &Defect::of_chosen(chosen)).contains(&chosen.act);
        let flag =
            best.chosen.iter().skip(base.len()).find(is_limited).and_then(|chosen| acts::flag_for(chosen.act));
        flag.filter(|_| best.permanent_counts() < than)
    }

    /// The cheapest candidate that leaves no finding, or as few as possible.
    fn best(
        &'g self,
        scope: &SearchScope,
        base: &[ChosenAct<'g>],
        defects: &[Defect<'g>],
        limits: ActLimits,
    ) -> SearchNode<'g> {
        let mut queue = NodeQueue::default();
        let mut seen: HashSet<u64> = HashSet::default();
        // The least losses of the candidates with the same outcome.
        let mut least_losses: HashMap<u64, PlanLosses> = HashMap::default();
        queue.push(SearchNode { open: Some(defects.to_vec()), ..self.node(scope, base.to_vec(), Vec::new()) });
        let (mut nearest, mut judged): (Option<SearchNode<'g>>, usize) = (None, 0);
        while let Some(mut node) = queue.pop() {
            if node.open.is_none() {
                judged += 1;
                self.judge(scope, &mut node);
                if node.unfixable > 0 {
                    queue.push(node);
                    continue;
                }
            }
            let open = node.open.as_deref().unwrap_or_default();
            if open.is_empty() {
                return node;
            }
            // Of many findings, not every combination of acts is tried: what another candidate leaves, too, and at no higher
            // price, is not repaired twice.
            let outcome = node.outcome();
            let is_known = least_losses.get(&outcome).is_some_and(|least| *least <= node.losses);
            if !is_known {
                least_losses.insert(outcome, node.losses);
            }
            if judged < MAX_JUDGEMENTS && (!is_known || open.len() <= MAX_SINGLE_DEFECTS) {
                for child in self.extend(scope, &node, open, limits) {
                    if seen.insert(child.fingerprint()) {
                        queue.push(child);
                    }
                }
                queue.keep_cheapest(MAX_JUDGEMENTS - judged);
            }
            if nearest.as_ref().is_none_or(|nearest| node.remaining() < nearest.remaining()) {
                nearest = Some(node);
            }
            if judged >= MAX_JUDGEMENTS {
                break;
            }
        }
        let mut node = nearest.unwrap_or_else(|| self.node(scope, base.to_vec(), Vec::new()));
        let open = node.open.take().unwrap_or_default();
        node.skipped.extend(open.into_iter().map(|defect| (defect, NO_BETTER)));
        node
    }

    /// A candidate made of feasible acts.
    pub(super) fn node(
        &'g self,
        scope: &SearchScope,
        chosen: Vec<ChosenAct<'g>>,
        skipped: Vec<(Defect<'g>, &'static str)>,
    ) -> SearchNode<'g> {
        SearchNode::new(self.build_plan(scope, &chosen), chosen, skipped)
    }

    fn build_plan(&'g self, scope: &SearchScope, chosen: &[ChosenAct<'g>]) -> PlanBuilder<'g> {
        let mut plan = self.new_plan();
        plan.is_partial = !scope.is_whole;
        plan.apply_acts(chosen);
        plan
    }

    /// Judges what a candidate leaves.
    pub(super) fn judge(&'g self, scope: &SearchScope, node: &mut SearchNode<'g>) {
        let plan = node.plan.take().unwrap_or_else(|| self.build_plan(scope, &node.chosen));
        let after = PredictedRows::of(&plan, &scope.stretches);
        let mut open =
            self.broken_link_defects(&plan, &links::find_broken(&plan, &scope.stretches, &after), &node.chosen);
        let items = self.items_after(scope, &plan, &after);
        // The plan of a long history is large, and so is what its rows are judged with.
        drop(plan);
        let (found, after) = self.judge_rows(scope, after, &items);
        if self.search.predicts && scope.is_whole {
            self.last_outcome.replace(Some((
                chosen_act::fingerprint(&node.chosen),
                found.clone(),
                after.len() as u32,
            )));
        }
        let all = found.into_iter().map(SharedFinding::caused).flat_map(|judged| {
            let at = self.index_of(&judged.finding.row);
            let is_run = judged.finding.code == codes::ORPHAN_TOOL_RUN;
            let run = is_run.then(|| after.iter().position(|row| row.at == judged.finding.row.at)).flatten();
            match run.and_then(|n| after.get(n..)) {
                Some(rows) => self.outputs_of_run(&judged, rows),
                None => vec![Defect::of(&judged, at)],
            }
        });
        let done = unshown_acts(&node.chosen);
        let skipped: HashSet<DefectKey> = node.skipped.iter().map(|(other, _)| self.key(other)).collect();
        let by_row: BTreeMap<u32, Cause> = node.chosen.iter().map(|chosen| (chosen.at, chosen.cause)).collect();
        for mut defect in all {
            let judged = defect.judged.clone();
            if self.is_ignored(scope, &self.key(&defect)) || done.contains(&(defect.at, judged.finding.code)) {
                continue;
            }
            let is_skipped = skipped.contains(&self.key(&defect));
            let is_made_up = defect.at == NONE && is_new(judged.finding.row.at);
            if is_skipped {
            } else if !is_made_up && (self.search.options.selects(&judged) || is_fixable_regression(&judged)) {
                // An earlier finding has its own cause; a new one has that of the nearest act before it.
                if !self.is_initial(&self.key(&defect)) {
                    let before = by_row.range(..=defect.at).next_back();
                    let near = before.or_else(|| by_row.range(defect.at..).next());
                    defect.cause = near.map_or(defect.cause, |(_, cause)| *cause);
                }
                open.push(defect);
            } else if judged.severity == Severity::Error {
                node.unfixable += 1;
            }
        }
        node.open = Some(open);
    }

    /// Links that a candidate breaks, as findings on their groups.
    fn broken_link_defects(
        &self,
        plan: &PlanBuilder<'_>,
        broken: &[u32],
        chosen: &[ChosenAct<'g>],
    ) -> Vec<Defect<'g>> {
        if broken.is_empty() {
            return Vec::new();
        }
        let mut changes: Vec<(u32, Cause)> = plan.changes().map(|change| (change.ix, change.cause)).collect();
        changes.sort_by_key(|(ix, _)| *ix);
        let by_cause: HashMap<Cause, &ChosenAct<'g>> =
            chosen.iter().rev().map(|chosen| (chosen.cause, chosen)).collect();
        let defect = |at: u32| {
            let group = self.case.cx.history.group_of(at)?;
            // The first change in the group or after it.
            let (_, cause) = *changes.get(changes.partition_point(|(ix, _)| *ix < group.start))?;
            let chosen = by_cause.get(&cause).copied().or(chosen.last())?;
            let mut judged = *chosen.judged;
            judged.finding.remedy = DETACH;
            Some(Defect { judged: SharedFinding::caused(judged), at, cause })
        };
        broken.iter().filter_map(|at| defect(*at)).collect()
    }

    /// The candidates that extend one: each with an act for the first finding that it leaves, or skipping that
    /// finding; and each with a lossless act for another finding, which may make the first act unnecessary.
    fn extend(
        &'g self,
        scope: &SearchScope,
        node: &SearchNode<'g>,
        open: &[Defect<'g>],
        limits: ActLimits,
    ) -> Vec<SearchNode<'g>> {
        let batches: Vec<Vec<Defect<'g>>> = match open.len() <= MAX_SINGLE_DEFECTS {
            true => open.iter().map(|defect| vec![defect.clone()]).collect(),
            false => group_by_kind(open),
        };
        let mut children = Vec::new();
        for (n, batch) in batches.iter().enumerate() {
            let Some(one) = batch.first() else { continue };
            let mut reason = None;
            let mut acts = limits.acts(self.case.cx, one);
            if let Some(shared_decision) = self.shared_decision(one).filter(|_| limits.keeps_decisions) {
                acts.retain(|act| *act == shared_decision);
            }
            for act in acts {
                if n > 0 && !acts::loses_nothing(act, one) {
                    continue;
                }
                // Of two items with the same id, either can lose it.
                let partner = one.judged.finding.partner.filter(|_| one.judged.finding.remedy == STRIP_ID);
                let partner = partner.map(|at| self.index_of(&Row::of_place(at, 0))).filter(|ix| *ix != NONE);
                if let (Some(at), [one]) = (partner, batch.as_slice())
                    && let Ok(child) = self.extend_with(scope, node, &[Defect { at, ..one.clone() }], act)
                    && n == 0
                {
                    children.push(child);
                }
                match self.extend_with(scope, node, batch, act) {
                    Ok(child) if n == 0 || child.losses <= node.losses => children.push(child),
                    Ok(_) => {}
                    Err(why) if why == Some(EMPTY) => reason = why,
                    Err(why) => reason = reason.or(why),
                }
            }
            if n == 0 {
                let why = reason.or_else(|| acts::refusal(self.case.cx, one, limits)).unwrap_or(NO_BETTER);
                let mut skipped = node.skipped.clone();
                skipped.extend(batch.iter().map(|defect| (defect.clone(), why)));
                let mut child = self.node(scope, node.chosen.clone(), skipped);
                child.unfixable = 0;
                children.push(child);
            }
        }
        children
    }

    /// A candidate with one more act, on all findings of a batch for which it is feasible. `Err` is the reason for
    /// which it is not, if known.
    fn extend_with(
        &'g self,
        scope: &SearchScope,
        node: &SearchNode<'g>,
        batch: &[Defect<'g>],
        act: RepairAct,
    ) -> Result<SearchNode<'g>, Option<&'static str>> {
        let more = batch.iter().map(|defect| defect.chosen(act));
        let made: HashSet<u64> = node.chosen.iter().map(ChosenAct::fingerprint).collect();
        let more: Vec<ChosenAct<'g>> = more.filter(|more| !made.contains(&more.fingerprint())).collect();
        if more.is_empty() {
            return Err(None);
        }
        let mut skipped = node.skipped.clone();
        let mut chosen: Vec<ChosenAct<'g>> = node.chosen.iter().chain(&more).cloned().collect();
        for _ in 0..2 {
            let plan = self.build_plan(scope, &chosen);
            let refused = plan.all_refusals(self.case.info, self.search.is_multiline);
            let Some((_, _, last)) = refused.last().copied() else {
                return Ok(SearchNode::new(plan, chosen, skipped));
            };
            if batch.len() == 1 {
                return Err(Some(last));
            }
            // Of many acts, some may be possible.
            let why: HashMap<(Code, Place), &'static str> =
                refused.into_iter().map(|(code, at, why)| ((code, at), why)).collect();
            let own = chosen.split_off(node.chosen.len());
            for one in own {
                match why.get(&(one.judged.finding.code, one.judged.finding.row.at)) {
                    Some(why) => skipped.push((Defect::of_chosen(&one), why)),
                    None => chosen.push(one),
                }
            }
            if chosen.len() == node.chosen.len() {
                return Err(Some(last));
            }
        }
        Err(None)
    }
}
