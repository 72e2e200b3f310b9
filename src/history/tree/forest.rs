//! The tree: paths, the current leaf, open calls, and short names of nodes.

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};

use crate::history::Row;
use crate::place::Place;

use super::{EntryMarks, EntryRole, NO_NODE, TreeNode, TreeProblem, TreeProblemKind, cycles};

/// All nodes of a conversation, in the order in which they are stored; there may be several roots.
#[derive(Default)]
pub struct Forest {
    pub nodes: Vec<TreeNode>,
    pub rows: Vec<Row>,
    pub problems: Vec<TreeProblem>,
    /// Entries that were replaced by another one with the same name: their places and record numbers.
    pub replaced: Vec<(Place, u32)>,
    /// The leaf at which the conversation continues.
    pub current: Option<u32>,
    /// For each node the nearest answer of the model, from it upwards, once that is asked for.
    pub(super) answers: OnceLock<Vec<u32>>,
}

/// The result of looking up a name that a user typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeMatch {
    One(u32),
    /// The start or end of several names.
    Several(Vec<u32>),
    None,
}

/// Minimum length of shortened names.
const SHORT: usize = 8;

impl Forest {
    /// Cuts cycles of nodes, which may exist without a cycle of entries: a copy is one node with its original.
    #[expect(clippy::indexing_slicing, reason = "parents are numbers of nodes, or none")]
    pub(super) fn cut_cycles(&mut self) {
        let mut parents: Vec<u32> = self.nodes.iter().map(|node| node.parent).collect();
        for (first, parent) in cycles::cut(&mut parents) {
            self.nodes[first as usize].parent = NO_NODE;
            let (first, partner) = (&self.nodes[first as usize].entry, self.nodes[parent as usize].entry.at);
            let cycle = TreeProblem {
                kind: TreeProblemKind::Cycle,
                at: first.at,
                record: first.record,
                partner: Some(partner),
            };
            self.problems.push(cycle);
        }
    }

    /// Sets children and the current leaf, and reports problems of chains.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents are numbers of nodes, or none; the first node is there where one is visited"
    )]
    pub(super) fn link(&mut self, current: Option<u32>) {
        for ix in 0..self.nodes.len() {
            let parent = self.nodes[ix].parent;
            if parent != NO_NODE {
                self.nodes[parent as usize].children.push(ix as u32);
            }
        }
        // For files that were merged, only their times say which came last.
        let chained = self.nodes.iter().all(|node| node.has(EntryMarks::CHAINED));
        let is_merged = self.nodes.iter().any(|node| node.entry.at.doc != self.nodes[0].entry.at.doc);
        let newest = || (0..self.nodes.len() as u32).max_by_key(|ix| (self.node(*ix).entry.time, *ix));
        let last = if chained || is_merged { newest() } else { current };
        self.current = last.map(|at| self.leaf_below(at));
        for ix in 0..self.nodes.len() as u32 {
            self.check_chain(ix);
        }
        self.problems.sort_by_key(|problem| problem.at.order());
    }

    /// The nearest answer of each node.
    #[expect(clippy::indexing_slicing, reason = "parents are numbers of nodes, or none")]
    fn find_answers(&self) -> Vec<u32> {
        let mut answers = vec![NO_NODE; self.nodes.len()];
        for ix in self.parents_first() {
            let node = self.node(ix);
            answers[ix as usize] = match (node.is_answer(), node.parent) {
                (true, _) => ix,
                (false, NO_NODE) => NO_NODE,
                (false, parent) => answers[parent as usize],
            };
        }
        answers
    }

    #[expect(clippy::indexing_slicing, reason = "nodes are looked up by their indices")]
    pub fn node(&self, ix: u32) -> &TreeNode {
        &self.nodes[ix as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "the rows of a node are a run of those of the forest")]
    pub fn rows_of(&self, ix: u32) -> &[Row] {
        let rows = &self.node(ix).rows;
        &self.rows[rows.start as usize..rows.end as usize]
    }

    pub fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.nodes.len() as u32).filter(|ix| self.node(*ix).parent == NO_NODE)
    }

    pub fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.nodes.len() as u32).filter(|ix| self.node(*ix).children.is_empty())
    }

    /// All nodes, parents before children.
    pub fn parents_first(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.roots().collect();
        let mut at = 0;
        while let Some(ix) = order.get(at) {
            order.extend_from_slice(&self.node(*ix).children);
            at += 1;
        }
        order
    }

    /// The node itself, then its ancestors.
    pub fn upward(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let step = |at: u32| (at != NO_NODE).then_some(at);
        std::iter::successors(step(from), move |at| step(self.node(*at).parent))
    }

    /// The path that a request would replay: from the start of the history down to the node.
    pub fn path(&self, to: u32) -> Vec<u32> {
        let mut path = Vec::new();
        for at in self.upward(to) {
            path.push(at);
            if self.node(at).has(EntryMarks::RESTART) {
                break;
            }
        }
        path.reverse();
        path
    }

    /// The leaf that the newest children lead to.
    fn leaf_below(&self, mut at: u32) -> u32 {
        while let Some(last) = self.node(at).children.last() {
            at = *last;
        }
        at
    }

    /// The leaf at which each separate conversation continues: the current one, and that of each side chain.
    pub fn live_leaves(&self) -> Vec<u32> {
        let sides = self.roots().filter(|root| self.node(*root).has(EntryMarks::SIDE));
        self.current.into_iter().chain(sides.map(|root| self.leaf_below(root))).collect()
    }

    /// The nearest answer of the model, from this node upwards.
    pub fn answer_above(&self, from: u32) -> Option<u32> {
        let answers = self.answers.get_or_init(|| self.find_answers());
        answers.get(from as usize).copied().filter(|answer| *answer != NO_NODE)
    }

    /// Calls of the last response above (or in) a node that are not answered up to the node.
    pub fn open_calls(&self, at: u32) -> Vec<Row> {
        let Some(answer) = self.answer_above(at) else { return Vec::new() };
        let mut outputs: HashSet<u64> = HashSet::default();
        for node in self.upward(at) {
            outputs.extend(self.rows_of(node).iter().filter(|row| row.answers_call()).map(|row| row.key));
            if node == answer {
                break;
            }
        }
        let calls = self.rows_of(answer).iter().filter(|row| row.calls_client());
        calls.filter(|call| !outputs.contains(&call.key)).copied().collect()
    }

    /// Checks that the response a request builds on is stored, and that the request answers its open calls.
    fn check_chain(&mut self, ix: u32) {
        let node = self.node(ix);
        let entry = &node.entry;
        let mut kind = None;
        if entry.claimed.is_some() && entry.claimed != entry.parent {
            kind = Some(TreeProblemKind::OtherParent);
        } else if entry.marks.has(EntryMarks::UNFINISHED) {
            kind = Some(TreeProblemKind::Unfinished);
        }
        let mut partner = None;
        // A request with a response was accepted.
        if entry.marks.has(EntryMarks::CHAINED) && entry.part == EntryRole::Input && node.parent != NO_NODE {
            let parent = self.node(node.parent);
            if parent.entry.store == Some(false) {
                kind = Some(TreeProblemKind::NotStored);
                partner = Some(parent.entry.at);
            } else if let Some(call) = self.open_calls(ix).first() {
                kind = Some(TreeProblemKind::Unanswered);
                partner = Some(call.at);
            }
        }
        if let Some(kind) = kind {
            let problem = TreeProblem { kind, at: entry.at, record: entry.record, partner };
            self.problems.push(problem);
        }
    }

    /// The first node of each name.
    fn names(&self) -> HashMap<&str, u32> {
        let mut names = HashMap::default();
        for (ix, node) in (0..).zip(&self.nodes) {
            for name in &node.names {
                names.entry(&**name).or_insert(ix);
            }
        }
        names
    }

    /// Finds a node by its name, the start or end of its name, or the number of a record (from 1).
    pub fn find(&self, name: &str) -> NodeMatch {
        let names = self.names();
        if let Some(ix) = names.get(name) {
            return NodeMatch::One(*ix);
        }
        let part = name.trim_matches('…');
        let fits = |full: &str| !part.is_empty() && (full.starts_with(part) || full.ends_with(part));
        let mut found: Vec<u32> = names.into_iter().filter(|(full, _)| fits(full)).map(|(_, ix)| ix).collect();
        found.sort_unstable();
        found.dedup();
        match (found.as_slice(), name.trim_start_matches('#').parse::<u32>()) {
            ([one], _) => NodeMatch::One(*one),
            (_, Ok(number)) if number > 0 => self.at_record(number - 1).map_or(NodeMatch::None, NodeMatch::One),
            ([], _) => NodeMatch::None,
            _ => NodeMatch::Several(found),
        }
    }

    /// The last node that begins at or before a record.
    fn at_record(&self, record: u32) -> Option<u32> {
        let nodes = (0..self.nodes.len() as u32).filter(|ix| self.node(*ix).entry.record <= record);
        let last = nodes.max_by_key(|ix| (self.node(*ix).entry.record, *ix))?;
        let end = self.nodes.iter().map(|node| node.entry.record).max().unwrap_or(0);
        let within = self.rows_of(last).iter().map(|row| row.record).max().unwrap_or(0);
        (record <= end.max(within)).then_some(last)
    }

    /// A short unique name for each node: the start of its name, or the end if names start alike; the number of its
    /// record if it has no name.
    pub fn short_names(&self) -> Vec<String> {
        let names: Vec<&str> = self.names().into_keys().collect();
        let fronts = unique_lengths(names.iter().map(|name| name.chars().collect()).collect());
        let backs = unique_lengths(names.iter().map(|name| name.chars().rev().collect()).collect());
        let lengths: HashMap<&str, (usize, usize)> =
            names.into_iter().zip(fronts.into_iter().zip(backs)).collect();
        let shorten = |name: &str| {
            let count = name.chars().count();
            let (front, back) = lengths.get(name).copied().unwrap_or((count, count));
            let (front, back) = (front.max(SHORT), back.max(SHORT));
            if count <= SHORT + 2 {
                name.to_owned()
            } else if front <= back.max(SHORT + 4) {
                name.chars().take(front).collect()
            } else {
                format!("…{}", name.chars().skip(count.saturating_sub(back)).collect::<String>())
            }
        };
        let number = |node: &TreeNode| format!("#{}", node.entry.record + 1);
        self.nodes.iter().map(|node| node.name().map_or_else(|| number(node), shorten)).collect()
    }

    /// The nodes with the names most similar to an unknown one, at most three.
    pub fn nearest(&self, name: &str, distance: impl Fn(&str, &str) -> usize) -> Vec<u32> {
        let mut all: Vec<(usize, u32)> = self
            .names()
            .into_iter()
            .map(|(full, ix)| {
                let start: String = full.chars().take(name.chars().count()).collect();
                (distance(name, full).min(distance(name, &start)), ix)
            })
            .collect();
        all.sort_unstable();
        all.dedup_by_key(|(_, ix)| *ix);
        all.into_iter().take(3).map(|(_, ix)| ix).collect()
    }

    /// Sets the response id of a node, if the store does not have it.
    pub fn set_response(&mut self, ix: u32, id: &str) {
        let Some(node) = self.nodes.get_mut(ix as usize) else { return };
        node.entry.response = Some(id.into());
        node.names.push(id.into());
    }

    /// Marks a node as edited.
    pub fn mark_edited(&mut self, ix: u32) {
        if let Some(node) = self.nodes.get_mut(ix as usize) {
            node.entry.marks.set(EntryMarks::EDITED);
        }
    }
}

/// The number of leading characters that distinguish each text from all others.
#[expect(clippy::indexing_slicing, reason = "there is a length for each text, and numbers are counted over them")]
fn unique_lengths(texts: Vec<Vec<char>>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by(|a, b| texts[*a].cmp(&texts[*b]));
    let mut lengths = vec![1; texts.len()];
    for pair in order.windows(2) {
        let common = texts[pair[0]].iter().zip(&texts[pair[1]]).take_while(|(a, b)| a == b).count();
        lengths[pair[0]] = lengths[pair[0]].max(common + 1);
        lengths[pair[1]] = lengths[pair[1]].max(common + 1);
    }
    lengths
}
