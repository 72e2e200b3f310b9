//! Candidates for a repair, and the queue in which they wait: the cheapest comes first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::history::Code;
use crate::judge::Judged;
use crate::rule::When;
use crate::target::Severity;

use super::acts;
use super::defect::Defect;
use super::loss::Losses;
use crate::repair::plan::chosen;
use crate::repair::plan::chosen::Chosen;
use crate::repair::plan::history_plan::Plan;

/// How far a candidate is from a repair, and at what price: less is better.
pub(super) type Price = (u32, u32, Losses, u32);

/// A candidate.
pub(super) struct Node<'p> {
    pub chosen: Vec<Chosen>,
    pub skipped: Vec<(Defect, &'static str)>,
    /// Errors that it makes, and nothing repairs.
    pub dead: u32,
    pub losses: Losses,
    pub plan: Option<Plan<'p>>,
    /// What it leaves, once it was judged.
    pub open: Option<Vec<Defect>>,
}

impl Node<'_> {
    /// Errors and warnings that are left for good.
    pub(super) fn weight(&self) -> (u32, u32) {
        let (errors, warnings) = weight(self.skipped.iter().map(|(defect, _)| defect));
        (errors + self.dead, warnings)
    }

    pub(super) fn price(&self) -> Price {
        let (errors, warnings) = self.weight();
        (errors, warnings, self.losses, self.chosen.len() as u32)
    }

    /// What is left of it, also what may be repaired yet.
    pub(super) fn left(&self) -> (u32, u32, Losses) {
        let (errors, warnings) = self.weight();
        let open = weight(self.open.iter().flatten());
        (errors + open.0, warnings + open.1, self.losses)
    }

    /// Equal for the same acts in another order.
    pub(super) fn print(&self) -> u64 {
        let skipped = self.skipped.iter().map(|(defect, _)| {
            let mut hasher = DefaultHasher::new();
            (defect.at, defect.judged.finding.code, defect.judged.finding.variant).hash(&mut hasher);
            !hasher.finish()
        });
        skipped.fold(chosen::print(&self.chosen), u64::wrapping_add)
    }
}

/// Candidates, the cheapest first; of those at one price the one that was gone on with furthest.
#[derive(Default)]
pub(super) struct Queue<'p> {
    pub order: BinaryHeap<Reverse<(Price, Reverse<usize>, usize)>>,
    pub nodes: Vec<Option<Node<'p>>>,
}

impl<'p> Queue<'p> {
    pub(super) fn push(&mut self, node: Node<'p>) {
        let depth = node.chosen.len() + node.skipped.len();
        self.order.push(Reverse((node.price(), Reverse(depth), self.nodes.len())));
        self.nodes.push(Some(node));
    }

    pub(super) fn pop(&mut self) -> Option<Node<'p>> {
        let Reverse((_, _, number)) = self.order.pop()?;
        self.nodes.get_mut(number)?.take()
    }
}

/// How many errors and warnings these are.
pub(super) fn weight<'w>(defects: impl Iterator<Item = &'w Defect>) -> (u32, u32) {
    defects.fold((0, 0), |(errors, warnings), defect| match defect.judged.severity {
        Severity::Error => (errors + 1, warnings),
        _ => (errors, warnings + 1),
    })
}

/// Findings of one kind together, in the order of the first of each.
pub(super) fn by_kind(open: &[Defect]) -> Vec<Vec<Defect>> {
    let mut kinds: Vec<Vec<Defect>> = Vec::new();
    for defect in open {
        let same = |kind: &&mut Vec<Defect>| {
            kind.first().is_some_and(|first| {
                let (a, b) = (&first.judged.finding, &defect.judged.finding);
                (a.code, a.variant) == (b.code, b.variant) && a.remedy == b.remedy && a.row.kind == b.row.kind
            })
        };
        match kinds.iter_mut().find(same) {
            Some(kind) => kind.push(*defect),
            None => kinds.push(vec![*defect]),
        }
    }
    kinds
}

/// Whether an error can be repaired that a repair brings up: it is repaired with that, also where its fix would have to be
/// asked for.
pub(super) fn is_made_worse(judged: &Judged) -> bool {
    judged.severity == Severity::Error && judged.has_fix() && judged.variant().when != When::Flag
}

/// Findings of acts that were made, and that no row shows.
pub(super) fn done(chosen: &[Chosen]) -> HashSet<(u32, Code)> {
    let unseen = chosen.iter().filter(|chosen| !acts::shows_in_rows(chosen.act));
    unseen.map(|chosen| (chosen.at, chosen.judged.finding.code)).collect()
}
