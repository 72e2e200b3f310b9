//! From a tree to the histories that are judged: the live branch, each side chain's own, and with `all_branches` every
//! other; and what is wrong with the tree itself.

use std::collections::HashSet;

use crate::format::{Assembler, FormatInfo, Histories};
use crate::history::tree::{Forest, Problem, Wrong};
use crate::history::{Finding, History, Row, codes};

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

/// What is reported of a problem.
pub fn finding(problem: &Problem) -> Finding {
    let (code, variant, why) = match problem.wrong {
        Wrong::MissingParent => (codes::MISSING_PARENT, 0, "its parent is not in the file"),
        Wrong::Cycle => (codes::CYCLE, 0, "it is not known which of the links is wrong"),
        Wrong::Copied => (codes::DUPLICATE_NODE, 0, "readers take the later copy"),
        Wrong::Changed => (codes::DUPLICATE_NODE, 1, "it is not known which of the two was sent"),
        Wrong::OtherParent => (codes::BROKEN_CHAIN, 0, "it is not known which of the two was meant"),
        Wrong::NotStored => {
            (codes::BROKEN_CHAIN, 1, "`rebuild --chain never` prints a request with the whole history")
        }
        Wrong::Unanswered => (codes::BROKEN_CHAIN, 2, "the result of the call is not known"),
        Wrong::Unfinished => (codes::UNFINISHED_STREAM, 0, "the rest is not in the file"),
        Wrong::Lost(count) => (codes::LINKS_TO_LOST_LINE, u8::from(count == 1), "what the line held is not known"),
    };
    let linked = if let Wrong::Lost(linked) = problem.wrong { linked } else { 0 };
    let row = Row::of_place(problem.at, problem.record);
    Finding::new(code, row).variant(variant).with(problem.partner).arg(linked).never(why)
}
