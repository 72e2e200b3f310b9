//! The tree itself: what is above a node, which leaf is the live one, which calls are open, and how people name
//! nodes.

use std::collections::{HashMap, HashSet};

use crate::history::Row;
use crate::place::Place;

use super::{Marks, NO_NODE, Name, Node, Part, Problem, Wrong, cycles};

/// All nodes of a conversation, in the order in which they are stored; there may be several roots.
#[derive(Default)]
pub struct Forest {
    pub nodes: Vec<Node>,
    pub rows: Vec<Row>,
    pub problems: Vec<Problem>,
    /// Entries that gave way to another one of their name: where, and the numbers of their records.
    pub replaced: Vec<(Place, u32)>,
    /// The leaf at which the conversation goes on.
    pub current: Option<u32>,
    pub(super) names: HashMap<Name, u32>,
    /// For each node the nearest one, from it upwards, in which the model speaks.
    pub(super) answers: Vec<u32>,
}

/// What a name that a person typed means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    One(u32),
    /// The beginning or end of several names.
    Several(Vec<u32>),
    None,
}

/// Names that are shown are at least this long.
const SHORT: usize = 8;

impl Forest {
    /// Entries that do not lead to one another may do so as nodes: a copy is one node with what it is a copy of.
    #[expect(clippy::indexing_slicing, reason = "parents are numbers of nodes, or none")]
    pub(super) fn cut_cycles(&mut self) {
        let mut parents: Vec<u32> = self.nodes.iter().map(|node| node.parent).collect();
        for (first, parent) in cycles::cut(&mut parents) {
            self.nodes[first as usize].parent = NO_NODE;
            let (first, partner) = (&self.nodes[first as usize].entry, self.nodes[parent as usize].entry.at);
            let cycle =
                Problem { wrong: Wrong::Cycle, at: first.at, record: first.record, partner: Some(partner) };
            self.problems.push(cycle);
        }
    }

    /// Sets children, names and the current leaf; finds what is wrong with chains.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents are numbers of nodes, or none, and each node has an answer"
    )]
    pub(super) fn link(&mut self, current: Option<u32>) {
        for ix in 0..self.nodes.len() {
            let parent = self.nodes[ix].parent;
            if parent != NO_NODE {
                self.nodes[parent as usize].children.push(ix as u32);
            }
            for name in self.nodes[ix].names.clone() {
                self.names.entry(name).or_insert(ix as u32);
            }
        }
        self.answers = vec![NO_NODE; self.nodes.len()];
        for ix in self.parents_first() {
            let node = self.node(ix);
            self.answers[ix as usize] = match (node.is_answer(), node.parent) {
                (true, _) => ix,
                (false, NO_NODE) => NO_NODE,
                (false, parent) => self.answers[parent as usize],
            };
        }
        // Of files that were put together nobody says which came last, but their times.
        let chained = self.nodes.iter().all(|node| node.has(Marks::CHAINED));
        let files = self.nodes.iter().map(|node| node.entry.at.doc).collect::<HashSet<_>>().len();
        let newest = (0..self.nodes.len() as u32).max_by_key(|ix| (self.node(*ix).entry.time, *ix));
        self.current = if chained || files > 1 { newest } else { current }.map(|at| self.leaf_below(at));
        for ix in 0..self.nodes.len() as u32 {
            self.check_chain(ix);
        }
        self.problems.sort_by_key(|problem| problem.at.order());
    }

    #[expect(clippy::indexing_slicing, reason = "nodes are asked for by the numbers that they have here")]
    pub fn node(&self, ix: u32) -> &Node {
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

    /// The node itself, then what is above it.
    pub fn upward(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let step = |at: u32| (at != NO_NODE).then_some(at);
        std::iter::successors(step(from), move |at| step(self.node(*at).parent))
    }

    /// What a request would replay: from where the history begins down to the node.
    pub fn path(&self, to: u32) -> Vec<u32> {
        let mut path = Vec::new();
        for at in self.upward(to) {
            path.push(at);
            if self.node(at).has(Marks::RESTART) {
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

    /// The leaf at which each conversation of its own goes on: the live one, and that of each side chain.
    pub fn live_leaves(&self) -> Vec<u32> {
        let sides = self.roots().filter(|root| self.node(*root).has(Marks::SIDE));
        self.current.into_iter().chain(sides.map(|root| self.leaf_below(root))).collect()
    }

    /// The nearest node, from this one upwards, in which the model speaks.
    pub fn answer_above(&self, from: u32) -> Option<u32> {
        self.answers.get(from as usize).copied().filter(|answer| *answer != NO_NODE)
    }

    /// Calls of the last response above (or in) a node that nothing answers up to the node.
    pub fn open_calls(&self, at: u32) -> Vec<Row> {
        let Some(answer) = self.answer_above(at) else { return Vec::new() };
        let mut outputs: HashSet<u64> = HashSet::new();
        for node in self.upward(at) {
            outputs.extend(self.rows_of(node).iter().filter(|row| row.answers_call()).map(|row| row.key));
            if node == answer {
                break;
            }
        }
        let calls = self.rows_of(answer).iter().filter(|row| row.calls_client());
        calls.filter(|call| !outputs.contains(&call.key)).copied().collect()
    }

    /// What the response above leaves open, a request that builds on it must answer; and it must be there.
    fn check_chain(&mut self, ix: u32) {
        let node = self.node(ix);
        let entry = &node.entry;
        let mut wrong = None;
        if entry.claimed.is_some() && entry.claimed != entry.parent {
            wrong = Some(Wrong::OtherParent);
        } else if entry.marks.has(Marks::UNFINISHED) {
            wrong = Some(Wrong::Unfinished);
        }
        let mut partner = None;
        // A request that was answered was no error.
        if entry.marks.has(Marks::CHAINED) && entry.part == Part::Input && node.parent != NO_NODE {
            let parent = self.node(node.parent);
            if parent.entry.store == Some(false) {
                wrong = Some(Wrong::NotStored);
                partner = Some(parent.entry.at);
            } else if let Some(call) = self.open_calls(ix).first() {
                wrong = Some(Wrong::Unanswered);
                partner = Some(call.at);
            }
        }
        if let Some(wrong) = wrong {
            let problem = Problem { wrong, at: entry.at, record: entry.record, partner };
            self.problems.push(problem);
        }
    }

    /// The node that a name, its beginning or its end, or the number of a record (from 1) means.
    pub fn find(&self, name: &str) -> Named {
        if let Some(ix) = self.names.get(name) {
            return Named::One(*ix);
        }
        let part = name.trim_matches('…');
        let fits = |full: &str| !part.is_empty() && (full.starts_with(part) || full.ends_with(part));
        let mut found: Vec<u32> = self.names.iter().filter(|(full, _)| fits(full)).map(|(_, ix)| *ix).collect();
        found.sort_unstable();
        found.dedup();
        match (found.as_slice(), name.trim_start_matches('#').parse::<u32>()) {
            ([one], _) => Named::One(*one),
            (_, Ok(number)) if number > 0 => self.at_record(number - 1).map_or(Named::None, Named::One),
            ([], _) => Named::None,
            _ => Named::Several(found),
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

    /// For each node a name that is short and means no other: the beginning of its name, or, where names begin alike,
    /// the end; the number of its record where nothing names it.
    pub fn short_names(&self) -> Vec<String> {
        let names: Vec<&str> = self.names.keys().map(|name| &**name).collect();
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
        let number = |node: &Node| format!("#{}", node.entry.record + 1);
        self.nodes.iter().map(|node| node.name().map_or_else(|| number(node), shorten)).collect()
    }

    /// The names that look most like one that is not there, at most three.
    pub fn nearest(&self, name: &str, distance: impl Fn(&str, &str) -> usize) -> Vec<u32> {
        let mut all: Vec<(usize, u32)> = self
            .names
            .iter()
            .map(|(full, ix)| {
                let start: String = full.chars().take(name.chars().count()).collect();
                (distance(name, full).min(distance(name, &start)), *ix)
            })
            .collect();
        all.sort_unstable();
        all.dedup_by_key(|(_, ix)| *ix);
        all.into_iter().take(3).map(|(_, ix)| ix).collect()
    }

    /// Sets the response id of a node, where the store did not keep it.
    pub fn set_response(&mut self, ix: u32, id: &str) {
        let Some(node) = self.nodes.get_mut(ix as usize) else { return };
        node.entry.response = Some(id.into());
        node.names.push(id.into());
        self.names.entry(id.into()).or_insert(ix);
    }

    /// Says that a node's text was edited.
    pub fn set_edited(&mut self, ix: u32) {
        if let Some(node) = self.nodes.get_mut(ix as usize) {
            node.entry.marks.set(Marks::EDITED);
        }
    }
}

/// How many letters of each text tell it from all others.
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
