//! From a tree to the histories that are judged: the live branch, each side chain's own, and with `all_branches` every
//! other; and what is wrong with the tree itself.

use std::collections::HashSet;

use crate::format::{Assembler, FormatInfo, Histories};
use crate::history::tree::{Forest, Problem, Wrong};
use crate::history::{Finding, History, Row};
use crate::rules::{broken_chain, cycle, duplicate_node, missing_parent, unfinished_stream};

use super::Judged;

/// Ends a doc whose records make a tree.
pub fn of_tree(
    assembler: &mut Assembler,
    info: &FormatInfo,
    all_branches: bool,
) -> Option<(Vec<History>, Vec<Finding>)> {
    let forest = assembler.forest()?;
    let nodes = 0..forest.nodes.len() as u32;
    let histories = match info.histories {
        Histories::PerNode => assembler.branches(&forest, nodes),
        _ => assembler.branches(&forest, leaves(&forest, all_branches).into_iter()),
    };
    let findings = forest.problems.iter().map(finding);
    Some((histories, findings.collect()))
}

/// The live leaves, then the others if they are wanted.
fn leaves(forest: &Forest, all: bool) -> Vec<u32> {
    let mut leaves = forest.live_leaves();
    if all {
        let live: HashSet<u32> = leaves.iter().copied().collect();
        leaves.extend(forest.leaves().filter(|leaf| !live.contains(leaf)));
    }
    leaves
}

/// The rule of a problem, and its variant.
pub fn finding(problem: &Problem) -> Finding {
    let (rule, variant, why) = match problem.wrong {
        Wrong::MissingParent => (&missing_parent::RULE, 0, "its parent is not in the file"),
        Wrong::Cycle => (&cycle::RULE, 0, "it is not known which of the links is wrong"),
        Wrong::Copied => (&duplicate_node::RULE, 0, "readers take the later copy"),
        Wrong::Changed => (&duplicate_node::RULE, 1, "it is not known which of the two was sent"),
        Wrong::OtherParent => (&broken_chain::RULE, 0, "it is not known which of the two was meant"),
        Wrong::NotStored => {
            (&broken_chain::RULE, 1, "`rebuild --chain never` prints a request with the whole history")
        }
        Wrong::Unanswered => (&broken_chain::RULE, 2, "the result of the call is not known"),
        Wrong::Unfinished => (&unfinished_stream::RULE, 0, "the rest is not in the file"),
    };
    let row = Row::of_place(problem.at, problem.record);
    Finding::new(rule.code, row).variant(variant).with(problem.partner).never(why)
}

/// Branches share what stands above their fork: there each finding is told once.
pub fn once_a_place(judged: &mut Vec<Judged>) {
    let mut seen = HashSet::new();
    judged.retain(|judged| {
        let finding = &judged.finding;
        seen.insert((finding.code, finding.variant, finding.row.at))
    });
}
