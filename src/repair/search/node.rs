//! Candidates for a repair, and their queue, cheapest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use foldhash::HashSet;

use crate::history::Code;
use crate::judge::WeighedFinding;
use crate::rule::Autofix;
use crate::target::Severity;

use super::acts;
use super::defect::Defect;
use super::loss::PlanLosses;
use crate::repair::plan::chosen_act;
use crate::repair::plan::chosen_act::ChosenAct;
use crate::repair::plan::history_plan::PlanBuilder;

/// The plan of a candidate with more acts is not kept in the queue: as many may wait as are judged at most, and most never are.
const MAX_KEPT_PLAN: usize = 64;

/// The price of a candidate, lower is better: errors and warnings that stay, losses, and number of acts.
pub(super) type Price = (u32, u32, PlanLosses, u32);

/// A candidate for a repair.
pub(super) struct SearchNode<'p> {
    pub chosen: Vec<ChosenAct<'p>>,
    pub skipped: Vec<(Defect<'p>, &'static str)>,
    /// Number of errors that it causes and that no fix resolves.
    pub unfixable: u32,
    pub losses: PlanLosses,
    /// Its plan until it is judged; `None` if that is to be made again.
    pub plan: Option<PlanBuilder<'p>>,
    /// The open defects; `None` until it is judged.
    pub open: Option<Vec<Defect<'p>>>,
}

impl<'p> SearchNode<'p> {
    pub(super) fn new(
        plan: PlanBuilder<'p>,
        chosen: Vec<ChosenAct<'p>>,
        skipped: Vec<(Defect<'p>, &'static str)>,
    ) -> Self {
        let losses = PlanLosses::of(&plan);
        SearchNode { chosen, skipped, unfixable: 0, losses, plan: Some(plan), open: None }
    }

    /// Numbers of errors and warnings that stay permanently.
    pub(super) fn permanent_counts(&self) -> (u32, u32) {
        let (errors, warnings) = count_by_severity(self.skipped.iter().map(|(defect, _)| defect));
        (errors + self.unfixable, warnings)
    }

    pub(super) fn price(&self) -> Price {
        let (errors, warnings) = self.permanent_counts();
        (errors, warnings, self.losses, self.chosen.len() as u32)
    }

    /// The remaining errors and warnings, including open defects, and the losses.
    pub(super) fn remaining(&self) -> (u32, u32, PlanLosses) {
        let (errors, warnings) = self.permanent_counts();
        let open = count_by_severity(self.open.iter().flatten());
        (errors + open.0, warnings + open.1, self.losses)
    }

    /// A hash that is equal for the same acts in another order.
    pub(super) fn fingerprint(&self) -> u64 {
        chosen_act::fingerprint(&self.chosen).wrapping_add(self.skipped_fingerprint())
    }

    /// What it leaves, once it is judged: a hash of the open and the skipped defects.
    pub(super) fn outcome(&self) -> u64 {
        self.open.iter().flatten().map(fingerprint).fold(self.skipped_fingerprint(), u64::wrapping_add)
    }

    fn skipped_fingerprint(&self) -> u64 {
        self.skipped.iter().map(|(defect, _)| !fingerprint(defect)).fold(0, u64::wrapping_add)
    }
}

fn fingerprint(defect: &Defect<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (defect.at, defect.judged.finding.code, defect.judged.finding.variant).hash(&mut hasher);
    hasher.finish()
}

/// Queue of candidates, cheapest first; at equal prices, the most extended one, and of these the first that was pushed.
#[derive(Default)]
pub(super) struct NodeQueue<'p> {
    nodes: BTreeMap<(Price, Reverse<usize>, usize), SearchNode<'p>>,
    pushed: usize,
}

impl<'p> NodeQueue<'p> {
    pub(super) fn push(&mut self, mut node: SearchNode<'p>) {
        if node.chosen.len() > MAX_KEPT_PLAN {
            node.plan = None;
        }
        let depth = node.chosen.len() + node.skipped.len();
        self.nodes.insert((node.price(), Reverse(depth), self.pushed), node);
        self.pushed += 1;
    }

    pub(super) fn pop(&mut self) -> Option<SearchNode<'p>> {
        self.nodes.pop_first().map(|(_, node)| node)
    }

    /// Drops those that are never judged if this many more are: each may have thousands of acts.
    pub(super) fn keep_cheapest(&mut self, judgements: usize) {
        let mut left = judgements;
        self.nodes.retain(|_, node| {
            let is_reached = node.open.is_some() || left > 0;
            left -= usize::from(node.open.is_none() && is_reached);
            is_reached
        });
    }
}

/// Numbers of errors and warnings.
pub(super) fn count_by_severity<'w, 'g: 'w>(defects: impl Iterator<Item = &'w Defect<'g>>) -> (u32, u32) {
    defects.fold((0, 0), |(errors, warnings), defect| match defect.judged.severity {
        Severity::Error => (errors + 1, warnings),
        _ => (errors, warnings + 1),
    })
}

/// Groups defects by kind, in the order of the first of each kind.
pub(super) fn group_by_kind<'g>(open: &[Defect<'g>]) -> Vec<Vec<Defect<'g>>> {
    let mut kinds: Vec<Vec<Defect<'g>>> = Vec::new();
    for defect in open {
        let same = |kind: &&mut Vec<Defect<'g>>| {
            kind.first().is_some_and(|first| {
                let (a, b) = (&first.judged.finding, &defect.judged.finding);
                (a.code, a.variant) == (b.code, b.variant) && a.remedy == b.remedy && a.row.kind == b.row.kind
            })
        };
        match kinds.iter_mut().find(same) {
            Some(kind) => kind.push(defect.clone()),
            None => kinds.push(vec![defect.clone()]),
        }
    }
    kinds
}

/// True for a fixable error that a repair causes: it is fixed with it, even if its fix is not a default.
pub(super) fn is_fixable_regression(judged: &WeighedFinding) -> bool {
    judged.severity == Severity::Error && judged.has_fix() && judged.variant().autofix != Autofix::Flag
}

/// Findings (row, code) of chosen acts that do not show in the rows.
pub(super) fn unshown_acts(chosen: &[ChosenAct]) -> HashSet<(u32, Code)> {
    let unseen = chosen.iter().filter(|chosen| !acts::shows_in_rows(chosen.act));
    unseen.map(|chosen| (chosen.at, chosen.judged.finding.code)).collect()
}
