//! Turns: what the client says and the response to it, as one step. A message that was answered twice is a step of its
//! own, because the branches part after it.

use crate::history::tree::{Forest, NO_NODE, Part};

/// A run of nodes without a fork, which ends in a response if there is one.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Top to bottom; never empty.
    pub nodes: Vec<u32>,
    /// Index of the turn above.
    pub parent: Option<usize>,
    /// In the order in which they are stored, but the one that leads to the current leaf comes last.
    pub children: Vec<usize>,
    /// It leads to the current leaf.
    pub live: bool,
}

impl Turn {
    pub fn first(&self) -> u32 {
        self.nodes.first().copied().unwrap_or(NO_NODE)
    }

    /// The node at which the conversation goes on after this turn.
    pub fn last(&self) -> u32 {
        self.nodes.last().copied().unwrap_or(NO_NODE)
    }
}

/// The turns of a forest, in the order of their last nodes.
#[expect(clippy::indexing_slicing, reason = "each node is in one turn, and parents are nodes")]
pub fn turns(forest: &Forest) -> Vec<Turn> {
    let count = forest.nodes.len() as u32;
    // A node that says something and was answered once is in its answer's turn.
    let goes_on = |ix: u32| {
        let node = forest.node(ix);
        node.entry.part == Part::Input && node.children.len() == 1
    };
    let mut turn_of = vec![usize::MAX; count as usize];
    let mut turns = Vec::new();
    for last in (0..count).filter(|ix| !goes_on(*ix)) {
        let mut nodes = vec![last];
        let mut up = forest.node(last).parent;
        while up != NO_NODE && goes_on(up) {
            nodes.push(up);
            up = forest.node(up).parent;
        }
        nodes.reverse();
        for node in &nodes {
            turn_of[*node as usize] = turns.len();
        }
        turns.push(Turn { nodes, parent: None, children: Vec::new(), live: false });
    }
    for ix in 0..turns.len() {
        let up = forest.node(turns[ix].first()).parent;
        if up != NO_NODE {
            let parent = turn_of[up as usize];
            turns[ix].parent = Some(parent);
            turns[parent].children.push(ix);
        }
    }
    let mut at = forest.current.map(|current| turn_of[current as usize]);
    while let Some(ix) = at {
        turns[ix].live = true;
        at = turns[ix].parent;
    }
    for ix in 0..turns.len() {
        let mut children = std::mem::take(&mut turns[ix].children);
        children.sort_by_key(|child| turns[*child].live);
        turns[ix].children = children;
    }
    turns
}
