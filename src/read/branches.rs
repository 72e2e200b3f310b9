//! From a tree to the histories that are judged: the live branch, each side chain's own, and with `all_branches` every
//! other; and what is wrong with the tree itself.

use std::collections::HashSet;

use crate::format::{Assembler, FormatInfo, Histories};
use crate::history::tree::{Forest, Marks, Problem, Wrong};
use crate::history::{Act, Finding, History, Kind, Row, codes};

mod left;

use super::Options;
use left::Left;

/// Ends a doc whose records make a tree.
pub fn of_tree(
    assembler: &mut Assembler,
    info: &FormatInfo,
    options: &Options,
) -> Option<(Vec<History>, Vec<Finding>)> {
    let forest = assembler.forest()?;
    let leaves = match info.histories {
        Histories::PerNode => (0..forest.nodes.len() as u32).collect(),
        _ => leaves(&forest, options.all_branches),
    };
    let (lost, unsent) = assembler.take_apart();
    let mut histories = assembler.branches(&forest, leaves.iter().copied());
    if options.unsent {
        let of_nodes = info.histories == Histories::PerNode;
        Left::new(&forest, &leaves, of_nodes).tell(lost, unsent, &mut histories);
    }
    let findings = forest.problems.iter().map(|problem| finding(problem, &forest));
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
pub fn finding(problem: &Problem, forest: &Forest) -> Finding {
    let row = Row::of_place(problem.at, problem.record);
    let of = |code, variant| Finding::new(code, row).variant(variant).with(problem.partner);
    match problem.wrong {
        Wrong::MissingParent => of(codes::MISSING_PARENT, 0).never("its parent is not in the file"),
        Wrong::Phantom => {
            let reach = Reach::of(forest);
            let mut finding = of(codes::PHANTOM_PARENT, u8::from(!reach.is_cut)).arg(reach.reached);
            // The message wants two numbers.
            finding.row.turn = reach.of;
            finding.act(Act::Relink)
        }
        Wrong::Cycle => of(codes::CYCLE, 0).never("it is not known which of the links is wrong"),
        Wrong::Copied => of(codes::DUPLICATE_NODE, 0).never("readers take the later copy"),
        Wrong::Changed => of(codes::DUPLICATE_NODE, 1).never("it is not known which of the two was sent"),
        Wrong::OtherParent => of(codes::BROKEN_CHAIN, 0).never("it is not known which of the two was meant"),
        Wrong::NotStored => of(codes::BROKEN_CHAIN, 1)
            .never("`replaylint rebuild --chain never FILE` prints a request with the whole history"),
        Wrong::Unanswered => of(codes::BROKEN_CHAIN, 2).never("the result of the call is not known"),
        Wrong::Unfinished => of(codes::UNFINISHED_STREAM, 0).never("the rest is not in the file"),
        Wrong::Lost(count) => {
            let one = u8::from(count == 1);
            of(codes::LINKS_TO_LOST_LINE, one).arg(count).never("what the line held is not known")
        }
        Wrong::FirstLine => {
            of(codes::UNFINDABLE_SESSION, 0).never("move the line to after the first message by hand")
        }
        Wrong::UnknownType(_) => of(codes::UNKNOWN_LINE, 0).never("its meaning is not known"),
        Wrong::Host(host) => of(codes::SESSION_HOST, host).never("nothing is wrong"),
    }
}

/// How much of a session a client reads that follows the links from the live leaf.
struct Reach {
    /// Messages on the live branch since the last compaction, and all of the main chain.
    reached: u32,
    of: u32,
    /// The branch begins where a parent is not stored.
    is_cut: bool,
}

impl Reach {
    fn of(forest: &Forest) -> Reach {
        let leaves = forest.live_leaves();
        let paths: Vec<Vec<u32>> = leaves.iter().map(|leaf| forest.path(*leaf)).collect();
        let begins_cut = |path: &&Vec<u32>| {
            let root = path.first().map(|root| forest.node(*root));
            root.is_some_and(|root| !root.has(Marks::RESTART) && root.entry.parent.is_some())
        };
        let is_main = |node: &u32| !forest.node(*node).has(Marks::SIDE) || forest.current.is_none();
        let all = || (0..forest.nodes.len() as u32).filter(is_main);
        let begins = all().filter(|node| forest.node(*node).has(Marks::RESTART));
        let from = begins.map(|node| forest.node(node).entry.record).max().unwrap_or(0);
        let messages = |node: u32| {
            let rows = forest.rows_of(node).iter();
            rows.filter(|row| row.kind == Kind::BlockMessage && row.record >= from).count() as u32
        };
        let live = if forest.current.is_some() { 1 } else { paths.len() };
        Reach {
            reached: paths.iter().take(live).flatten().map(|node| messages(*node)).sum(),
            of: all().map(messages).sum(),
            is_cut: paths.iter().any(|path| begins_cut(&path)),
        }
    }
}
