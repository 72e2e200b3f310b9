//! The histories of a tree: the live branch, the branch of each side chain, and with `all_branches` all others;
//! and the findings about the tree itself.

use std::cell::OnceCell;

use foldhash::HashSet;

use crate::format::agent::{ResumeEffect, SessionDefect};
use crate::format::{Assembler, FormatInfo, HistoryScope};
use crate::history::tree::{EntryMarks, Forest, TreeProblem, TreeProblemKind};
use crate::history::{BlockFlags, Finding, History, Kind, RepairAct, Row, codes};

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
    let reach = TreeReach::of(&forest);
    let findings = forest.problems.iter().map(|problem| tree_finding(problem, &reach, info));
    Some((histories, findings.collect()))
}

/// What the agent that resumes a session makes of an entry whose parent is missing; `None` if that is not known, or if the
/// session is not resumed.
pub fn effect_of_missing_parent(from: &Assembler, info: &FormatInfo, options: &Options) -> Option<ResumeEffect> {
    let acts = options.agent_acts(info.name, from.agent_version());
    acts.iter().find(|own| own.act.defect == SessionDefect::MissingParent).map(|own| own.act.effect)
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
pub fn tree_finding(problem: &TreeProblem, reach: &TreeReach<'_>, info: &FormatInfo) -> Finding {
    let row = Row::of_place(problem.at, problem.record);
    let of = |code, variant| Finding::new(code, row).variant(variant).with_partner(problem.partner);
    match problem.kind {
        TreeProblemKind::MissingParent => {
            let reach = reach.messages();
            match reach.is_truncated && reach.reached < reach.of {
                true => reach.relink(of(codes::MISSING_PARENT, 1), info),
                false => of(codes::MISSING_PARENT, 0).never(NO_PARENT),
            }
        }
        TreeProblemKind::Phantom => {
            let reach = reach.messages();
            reach.relink(of(codes::PHANTOM_PARENT, u8::from(!reach.is_truncated)), info)
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

const NO_PARENT: &str = "its parent is not in the file";

/// The messages of a tree that a resume reaches, counted once for all problems.
pub struct TreeReach<'f> {
    forest: &'f Forest,
    messages: OnceCell<ReachableMessages>,
}

impl<'f> TreeReach<'f> {
    pub fn of(forest: &'f Forest) -> TreeReach<'f> {
        TreeReach { forest, messages: OnceCell::new() }
    }

    fn messages(&self) -> &ReachableMessages {
        self.messages.get_or_init(|| ReachableMessages::of(self.forest))
    }
}

/// The number of messages reachable by following the links from the live leaf.
struct ReachableMessages {
    /// Messages on the live branch since the last compaction, and those that it would have if each entry with a missing
    /// parent followed the one before it.
    reached: u32,
    of: u32,
    /// The branch begins at a node whose parent is not stored.
    is_truncated: bool,
}

impl ReachableMessages {
    fn of(forest: &Forest) -> ReachableMessages {
        let leaves = forest.live_leaves();
        let live = if forest.current.is_some() { 1 } else { leaves.len() };
        let mut all = ReachableMessages { reached: 0, of: 0, is_truncated: false };
        for leaf in leaves.into_iter().take(live) {
            let mut path = forest.path(leaf);
            all.is_truncated |= is_cut(forest, &path);
            let reached = count_messages(forest, &path);
            all.reached += reached;
            all.of += reached;
            while is_cut(forest, &path)
                && let Some(root) = path.first().copied()
                && let Some(before) = node_before(forest, root)
            {
                path = forest.path(before);
                // A parent may be stored after its child.
                if path.first().is_none_or(|next| *next >= root) {
                    break;
                }
                all.of += count_messages(forest, &path);
            }
        }
        all
    }

    /// The finding that the entry is to be linked to the one before it.
    fn relink(&self, finding: Finding, info: &FormatInfo) -> Finding {
        let mut finding = finding.arg(self.reached);
        // The message has two numbers.
        finding.row.turn = self.of;
        let has_links = info.histories == HistoryScope::Session || info.links().is_some();
        if has_links { finding.act(RepairAct::Relink) } else { finding.never(NO_PARENT) }
    }
}

/// True if a path begins at a node whose parent is not stored.
fn is_cut(forest: &Forest, path: &[u32]) -> bool {
    let root = path.first().map(|root| forest.node(*root));
    root.is_some_and(|root| !root.has(EntryMarks::RESTART) && root.entry.parent.is_some())
}

fn count_messages(forest: &Forest, path: &[u32]) -> u32 {
    let rows = path.iter().flat_map(|node| forest.rows_of(*node));
    rows.filter(|row| row.kind == Kind::BlockMessage || row.has(BlockFlags::MESSAGE)).count() as u32
}

/// The nearest node that is stored before another one, in the main chain or in a side chain as that one.
fn node_before(forest: &Forest, node: u32) -> Option<u32> {
    let is_side = |node: u32| forest.node(node).has(EntryMarks::SIDE);
    (0..node).rev().find(|before| is_side(*before) == is_side(node))
}
