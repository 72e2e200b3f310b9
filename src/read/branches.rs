//! The histories of a tree: the live branch, the branch of each side chain, and with `all_branches` all others;
//! and the findings about the tree itself.

use std::collections::HashSet;

use crate::format::{Assembler, FormatInfo, HistoryScope};
use crate::history::tree::{EntryMarks, Forest, TreeProblem, TreeProblemKind};
use crate::history::{Finding, History, Kind, RepairAct, Row, codes};

mod unsent_nodes;

use super::Options;
use unsent_nodes::UnsentNodes;

/// The histories and findings of a doc whose records form a tree; `None` if they do not.
pub fn histories_of_tree(
    assembler: &mut Assembler,
    info: &FormatInfo,
    options: &Options,
) -> Option<(Vec<History>, Vec<Finding>)> {
    let forest = assembler.take_forest()?;
    let leaves = match info.histories {
        HistoryScope::PerNode => (0..forest.nodes.len() as u32).collect(),
        _ => leaves(&forest, options.all_branches),
    };
    let (lost, unsent) = assembler.take_shared();
    let mut histories = assembler.branches(&forest, leaves.iter().copied());
    if options.unsent {
        let of_nodes = info.histories == HistoryScope::PerNode;
        UnsentNodes::new(&forest, &leaves, of_nodes).add_to(lost, unsent, &mut histories);
    }
    let findings = forest.problems.iter().map(|problem| tree_finding(problem, &forest));
    Some((histories, findings.collect()))
}

/// The live leaves, then with `all` the others.
fn leaves(forest: &Forest, all: bool) -> Vec<u32> {
    let mut leaves = forest.live_leaves();
    if all {
        let live: HashSet<u32> = leaves.iter().copied().collect();
        leaves.extend(forest.leaves().filter(|leaf| !live.contains(leaf)));
    }
    leaves
}

/// The finding that reports a problem of a tree.
pub fn tree_finding(problem: &TreeProblem, forest: &Forest) -> Finding {
    let row = Row::of_place(problem.at, problem.record);
    let of = |code, variant| Finding::new(code, row).variant(variant).with_partner(problem.partner);
    match problem.kind {
        TreeProblemKind::MissingParent => of(codes::MISSING_PARENT, 0).never("its parent is not in the file"),
        TreeProblemKind::Phantom => {
            let reach = ReachableMessages::of(forest);
            let mut finding = of(codes::PHANTOM_PARENT, u8::from(!reach.is_truncated)).arg(reach.reached);
            // The message has two numbers.
            finding.row.turn = reach.of;
            finding.act(RepairAct::Relink)
        }
        TreeProblemKind::Cycle => of(codes::CYCLE, 0).never("it is not known which of the links is wrong"),
        TreeProblemKind::Copied => of(codes::DUPLICATE_NODE, 0).never("readers take the later copy"),
        TreeProblemKind::Changed => {
            of(codes::DUPLICATE_NODE, 1).never("it is not known which of the two was sent")
        }
        TreeProblemKind::OtherParent => {
            of(codes::BROKEN_CHAIN, 0).never("it is not known which of the two was meant")
        }
        TreeProblemKind::NotStored => of(codes::BROKEN_CHAIN, 1)
            .never("`replaylint rebuild --chain never FILE` prints a request with the whole history"),
        TreeProblemKind::Unanswered => of(codes::BROKEN_CHAIN, 2).never("the result of the call is not known"),
        TreeProblemKind::Unfinished => of(codes::UNFINISHED_STREAM, 0).never("the rest is not in the file"),
        TreeProblemKind::Lost(count) => {
            let one = u8::from(count == 1);
            of(codes::LINKS_TO_LOST_LINE, one).arg(count).never("the content of the line is not known")
        }
        TreeProblemKind::FirstLine => {
            of(codes::UNFINDABLE_SESSION, 0).never("move the line after the first message manually")
        }
        TreeProblemKind::UnknownType(_) => of(codes::UNKNOWN_LINE, 0).never("its meaning is not known"),
        TreeProblemKind::Host(host) => of(codes::SESSION_HOST, host).never("nothing is wrong"),
    }
}

/// The number of messages reachable by following the links from the live leaf.
struct ReachableMessages {
    /// Messages on the live branch since the last compaction, and all of the main chain.
    reached: u32,
    of: u32,
    /// The branch begins at a node whose parent is not stored.
    is_truncated: bool,
}

impl ReachableMessages {
    fn of(forest: &Forest) -> ReachableMessages {
        let leaves = forest.live_leaves();
        let paths: Vec<Vec<u32>> = leaves.iter().map(|leaf| forest.path(*leaf)).collect();
        let begins_cut = |path: &&Vec<u32>| {
            let root = path.first().map(|root| forest.node(*root));
            root.is_some_and(|root| !root.has(EntryMarks::RESTART) && root.entry.parent.is_some())
        };
        let is_main = |node: &u32| !forest.node(*node).has(EntryMarks::SIDE) || forest.current.is_none();
        let all = || (0..forest.nodes.len() as u32).filter(is_main);
        let begins = all().filter(|node| forest.node(*node).has(EntryMarks::RESTART));
        let from = begins.map(|node| forest.node(node).entry.record).max().unwrap_or(0);
        let messages = |node: u32| {
            let rows = forest.rows_of(node).iter();
            rows.filter(|row| row.kind == Kind::BlockMessage && row.record >= from).count() as u32
        };
        let live = if forest.current.is_some() { 1 } else { paths.len() };
        ReachableMessages {
            reached: paths.iter().take(live).flatten().map(|node| messages(*node)).sum(),
            of: all().map(messages).sum(),
            is_truncated: paths.iter().any(|path| begins_cut(&path)),
        }
    }
}
