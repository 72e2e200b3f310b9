//! Turns: messages of the client and the response to them, as one step. A message with two responses is a step of
//! its own, because the branches diverge after it.

use crate::history::tree::{EntryRole, Forest, NO_NODE};

/// A run of nodes without a fork, which ends with a response if there is one.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Nodes from top to bottom; never empty.
    pub nodes: Vec<u32>,
    /// Index of the turn above.
    pub parent: Option<usize>,
    /// Indices of the turns below, in stored order, except that the one that leads to the current leaf comes last.
    pub children: Vec<usize>,
    /// True if it leads to the current leaf.
    pub is_live: bool,
}

impl Turn {
    pub fn first(&self) -> u32 {
        self.nodes.first().copied().unwrap_or(NO_NODE)
    }

    /// The node at which the conversation continues after this turn.
    pub fn last(&self) -> u32 {
        self.nodes.last().copied().unwrap_or(NO_NODE)
    }
}

/// The turns of a forest, in the order of their last nodes.
#[expect(clippy::indexing_slicing, reason = "each node is in one turn, and parents are nodes")]
pub fn turns(forest: &Forest) -> Vec<Turn> {
    let count = forest.nodes.len() as u32;
    // An input node with one response is in the turn of that response.
    let goes_on = |ix: u32| {
        let node = forest.node(ix);
        node.entry.part == EntryRole::Input && node.children.len() == 1
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
        turns.push(Turn { nodes, parent: None, children: Vec::new(), is_live: false });
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
        turns[ix].is_live = true;
        at = turns[ix].parent;
    }
    for ix in 0..turns.len() {
        let mut children = std::mem::take(&mut turns[ix].children);
        children.sort_by_key(|child| turns[*child].is_live);
        turns[ix].children = children;
    }
    turns
}
