//! The best repair of a component: the candidate that leaves the fewest errors, and of those the one that loses least.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::history::{Act, Code, DETACH, NONE, Row, UNNAME, codes};
use crate::judge::Judged;
use crate::place::Place;
use crate::target::Severity;

use super::acts;
use super::acts::Limits;
use super::defect::{Defect, Key};
use super::ground::Ground;
use super::links;
use super::loss::Losses;
use super::node::{Node, Queue, by_kind, done, is_made_worse, weight};
use super::rows_after::{RowsAfter, is_new};
use super::scope::Scope;
use crate::repair::Cause;
use crate::repair::plan::chosen;
use crate::repair::plan::chosen::Chosen;
use crate::repair::plan::history_plan::Plan;
use crate::repair::plan::reasons::EMPTY;

/// With more findings than these, an act is tried on all of one kind at once.
const SINGLY: usize = 6;

/// A component takes so many judgements at most.
const MOST: usize = 64;

const NO_BETTER: &str = "no fix was found that would reduce the number of errors";

/// Why a finding stays, or the flag that helps where nothing else is known.
fn reason(why: &'static str, out: Option<&'static str>) -> &'static str {
    out.filter(|_| why == NO_BETTER).unwrap_or(why)
}

/// A repair of a component.
pub(super) struct Solved {
    pub chosen: Vec<Chosen>,
    pub skipped: Vec<(Judged, &'static str)>,
}

impl<'g> Ground<'g> {
    /// The best repair of some findings, on top of what was chosen before.
    pub(super) fn solve(&'g self, scope: &Scope, base: &[Chosen], defects: &[Defect]) -> Solved {
        let had = weight(defects.iter());
        let limits = Limits::of(self.search.options);
        let mut best = self.best(scope, base, defects, limits);
        if !best.skipped.is_empty() && defects.iter().any(|defect| self.decided(defect).is_some()) {
            best = self.best(scope, base, defects, Limits { keeps_fates: false, ..limits });
        }
        let has = best.weight();
        if has < had && best.skipped.is_empty() {
            return Solved { chosen: best.chosen, skipped: Vec::new() };
        }
        let out = self.way_out(scope, base, defects, has.min(had));
        if has < had {
            let skipped = best.skipped.iter().map(|(defect, why)| (defect.judged, reason(why, out)));
            return Solved { skipped: skipped.collect(), chosen: best.chosen };
        }
        let why = |defect: &Defect| {
            let skipped = best.skipped.iter().find(|(other, _)| self.key(other) == self.key(defect));
            reason(skipped.map_or(NO_BETTER, |(_, why)| why), out)
        };
        let skipped = defects.iter().map(|defect| (defect.judged, why(defect))).collect();
        Solved { chosen: base.to_vec(), skipped }
    }

    /// The flag with which a better repair would be found.
    fn way_out(
        &'g self,
        scope: &Scope,
        base: &[Chosen],
        defects: &[Defect],
        than: (u32, u32),
    ) -> Option<&'static str> {
        let limits = Limits::of(self.search.options);
        let cx = self.case.cx;
        if defects.iter().all(|defect| limits.acts(cx, defect).len() == Limits::NONE.acts(cx, defect).len()) {
            return None;
        }
        let best = self.best(scope, base, defects, Limits::NONE);
        let is_limited = |chosen: &&Chosen| !limits.acts(cx, &Defect::of_chosen(chosen)).contains(&chosen.act);
        let flag = best.chosen.iter().skip(base.len()).find(is_limited).and_then(|chosen| acts::flag(chosen.act));
        flag.filter(|_| best.weight() < than)
    }

    /// The cheapest candidate that leaves nothing, or as little as can be.
    fn best(&'g self, scope: &Scope, base: &[Chosen], defects: &[Defect], limits: Limits) -> Node<'g> {
        let mut queue = Queue::default();
        let mut seen: HashSet<u64> = HashSet::new();
        queue.push(Node { open: Some(defects.to_vec()), ..self.node(scope, base.to_vec(), Vec::new()) });
        let (mut nearest, mut judged): (Option<Node<'g>>, usize) = (None, 0);
        while let Some(mut node) = queue.pop() {
            if node.open.is_none() {
                judged += 1;
                self.judge(scope, &mut node);
                if node.dead > 0 {
                    queue.push(node);
                    continue;
                }
            }
            let open = node.open.as_deref().unwrap_or_default();
            if open.is_empty() {
                return node;
            }
            if judged < MOST {
                for child in self.extended(scope, &node, open, limits) {
                    if seen.insert(child.print()) {
                        queue.push(child);
                    }
                }
            }
            if nearest.as_ref().is_none_or(|nearest| node.left() < nearest.left()) {
                nearest = Some(node);
            }
            if judged >= MOST {
                break;
            }
        }
        let mut node = nearest.unwrap_or_else(|| self.node(scope, base.to_vec(), Vec::new()));
        let open = node.open.take().unwrap_or_default();
        node.skipped.extend(open.into_iter().map(|defect| (defect, NO_BETTER)));
        node
    }

    /// A candidate of acts that can be made.
    pub(super) fn node(
        &'g self,
        scope: &Scope,
        chosen: Vec<Chosen>,
        skipped: Vec<(Defect, &'static str)>,
    ) -> Node<'g> {
        let plan = self.made(scope, &chosen);
        Node { losses: Losses::of(&plan), chosen, skipped, dead: 0, plan: Some(plan), open: None }
    }

    fn made(&'g self, scope: &Scope, chosen: &[Chosen]) -> Plan<'g> {
        let mut plan = self.new_plan();
        plan.in_part = !scope.is_whole;
        plan.make(chosen);
        plan
    }

    /// Finds out what a candidate leaves.
    pub(super) fn judge(&'g self, scope: &Scope, node: &mut Node<'g>) {
        let Some(plan) = node.plan.take() else { return };
        let after = RowsAfter::of(&plan, &scope.stretches);
        let mut open = Vec::new();
        for broken in links::broken(&plan, &scope.stretches, &after) {
            open.extend(self.link(&plan, broken, &node.chosen));
        }
        let items = self.items_after(scope, &plan, &after);
        let (found, after) = self.judge_rows(scope, after, &items);
        if self.search.predicts && scope.is_whole {
            self.last.replace(Some((chosen::print(&node.chosen), found.clone(), after.len() as u32)));
        }
        let all = found.iter().flat_map(|judged| {
            let at = self.index_of(&judged.finding.row);
            let is_run = judged.finding.code == codes::ORPHAN_TOOL_RUN;
            let run = is_run.then(|| after.iter().position(|row| row.at == judged.finding.row.at)).flatten();
            match run.and_then(|n| after.get(n..)) {
                Some(rows) => self.outputs_of_run(judged, rows),
                None => vec![Defect::of(judged, at)],
            }
        });
        let done = done(&node.chosen);
        let skipped: HashSet<Key> = node.skipped.iter().map(|(other, _)| self.key(other)).collect();
        let by_row: BTreeMap<u32, Cause> = node.chosen.iter().map(|chosen| (chosen.at, chosen.cause)).collect();
        for mut defect in all {
            let judged = defect.judged;
            if scope.ignored.contains(&self.key(&defect)) || done.contains(&(defect.at, judged.finding.code)) {
                continue;
            }
            let is_skipped = skipped.contains(&self.key(&defect));
            let is_made_up = defect.at == NONE && is_new(judged.finding.row.at);
            if is_skipped {
            } else if !is_made_up && (self.search.options.wants(&judged) || is_made_worse(&judged)) {
                // What was there before has its own reason; anything else has that of what was done last near it.
                if !self.known().contains(&self.key(&defect)) {
                    let before = by_row.range(..=defect.at).next_back();
                    let near = before.or_else(|| by_row.range(defect.at..).next());
                    defect.cause = near.map_or(defect.cause, |(_, cause)| *cause);
                }
                open.push(defect);
            } else if judged.severity == Severity::Error {
                node.dead += 1;
            }
        }
        node.open = Some(open);
    }

    /// A link that a candidate breaks, as a finding on its group.
    fn link(&self, plan: &Plan<'_>, at: u32, chosen: &[Chosen]) -> Option<Defect> {
        let history = self.case.cx.history;
        let group = history.group_of(at)?;
        // What went from the group, or after it.
        let (_, change) = plan.changes().filter(|(ix, _)| *ix >= group.start).min_by_key(|(ix, _)| *ix)?;
        let chosen = chosen.iter().find(|chosen| chosen.cause == change.cause).or(chosen.last())?;
        let mut judged = chosen.judged;
        judged.finding.remedy = DETACH;
        Some(Defect { judged, at, cause: change.cause })
    }

    /// The candidates that go on from one: each with an act of the first finding that it leaves, or without a repair of
    /// that; and each with an act of another one that loses nothing, which may make the first one's needless.
    fn extended(&'g self, scope: &Scope, node: &Node<'g>, open: &[Defect], limits: Limits) -> Vec<Node<'g>> {
        let batches: Vec<Vec<Defect>> = match open.len() <= SINGLY {
            true => open.iter().map(|defect| vec![*defect]).collect(),
            false => by_kind(open),
        };
        let mut children = Vec::new();
        for (n, batch) in batches.iter().enumerate() {
            let Some(one) = batch.first() else { continue };
            let mut reason = None;
            let mut acts = limits.acts(self.case.cx, one);
            if let Some(decided) = self.decided(one).filter(|_| limits.keeps_fates) {
                acts.retain(|act| *act == decided);
            }
            for act in acts {
                if n > 0 && !acts::loses_nothing(act, one) {
                    continue;
                }
                // Of two items with one id either can lose it.
                let partner = one.judged.finding.partner.filter(|_| one.judged.finding.remedy == UNNAME);
                let partner = partner.map(|at| self.index_of(&Row::of_place(at, 0))).filter(|ix| *ix != NONE);
                if let (Some(at), [one]) = (partner, batch.as_slice())
                    && let Ok(child) = self.child(scope, node, &[Defect { at, ..*one }], act)
                    && n == 0
                {
                    children.push(child);
                }
                match self.child(scope, node, batch, act) {
                    Ok(child) if n == 0 || child.losses <= node.losses => children.push(child),
                    Ok(_) => {}
                    Err(why) if why == Some(EMPTY) => reason = why,
                    Err(why) => reason = reason.or(why),
                }
            }
            if n == 0 {
                let why = reason.or_else(|| acts::refusal(self.case.cx, one, limits)).unwrap_or(NO_BETTER);
                let mut skipped = node.skipped.clone();
                skipped.extend(batch.iter().map(|defect| (*defect, why)));
                let mut child = self.node(scope, node.chosen.clone(), skipped);
                child.dead = 0;
                children.push(child);
            }
        }
        children
    }

    /// A candidate with one act more, on all findings of a batch where it can be made. `Err` says why it cannot, if it is
    /// known.
    fn child(
        &'g self,
        scope: &Scope,
        node: &Node<'g>,
        batch: &[Defect],
        act: Act,
    ) -> Result<Node<'g>, Option<&'static str>> {
        let more = batch.iter().map(|defect| defect.chosen(act));
        let made: HashSet<u64> = node.chosen.iter().map(Chosen::print).collect();
        let more: Vec<Chosen> = more.filter(|more| !made.contains(&more.print())).collect();
        if more.is_empty() {
            return Err(None);
        }
        let mut skipped = node.skipped.clone();
        let mut chosen: Vec<Chosen> = node.chosen.iter().chain(&more).copied().collect();
        for _ in 0..2 {
            let plan = self.made(scope, &chosen);
            let refused = plan.refused(self.case.info, self.search.spread);
            let Some((_, _, last)) = refused.last().copied() else {
                let losses = Losses::of(&plan);
                return Ok(Node { losses, chosen, skipped, dead: 0, plan: Some(plan), open: None });
            };
            if batch.len() == 1 {
                return Err(Some(last));
            }
            // Of many some may be possible.
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
