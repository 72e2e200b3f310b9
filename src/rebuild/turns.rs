//! Turns of a tree: a message of the user, and what follows it up to the next one. Where the tree branches within a
//! turn, because a response was made twice, each branch is a turn, and they begin with the same nodes.

use crate::history::tree::{EntryMarks, Forest, NO_NODE};
use crate::history::turns::{TurnPart, TurnProgress, messages};

/// At most this many nodes with messages of the user are kept of a turn.
const MAX_PROMPTS: usize = 8;

/// A turn of the user.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Nodes from top to bottom; never empty. Nodes that several turns share are listed in the first of them.
    pub nodes: Vec<u32>,
    /// The nodes with the last messages of the user that it begins with, from top to bottom. Empty for a history that
    /// begins with a message of the model.
    pub prompts: Vec<u32>,
    /// True if it ends in an answer of the model: not in a message of the user, a call, or a result.
    pub is_answered: bool,
    /// Marks of all its nodes.
    pub marks: EntryMarks,
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
#[expect(clippy::indexing_slicing, reason = "the lists have a place for each node, and parents are nodes")]
pub fn turns(forest: &Forest) -> Vec<Turn> {
    let steps = TurnSteps::of(forest);
    // The turn that ends at each node, and the nodes that are in a turn.
    let mut ended = vec![usize::MAX; forest.nodes.len()];
    let mut is_listed: Vec<bool> = steps.ends.clone();
    let mut turns = Vec::new();
    for last in (0..forest.nodes.len() as u32).filter(|ix| steps.ends[*ix as usize]) {
        let step = &steps.list[last as usize];
        let mut nodes = vec![last];
        while let Some(node) = nodes.last().filter(|node| **node != step.begins_in) {
            let up = forest.node(*node).parent;
            if std::mem::replace(&mut is_listed[up as usize], true) {
                break;
            }
            nodes.push(up);
        }
        nodes.reverse();
        ended[last as usize] = turns.len();
        turns.push(Turn {
            nodes,
            prompts: steps.prompts(forest, last),
            is_answered: step.progress.is_answered(),
            marks: step.marks,
            parent: None,
            children: Vec::new(),
            is_live: false,
        });
    }
    for ix in 0..turns.len() {
        let up = forest.node(steps.list[turns[ix].last() as usize].begins_in).parent;
        if up != NO_NODE {
            let parent = ended[up as usize];
            turns[ix].parent = Some(parent);
            turns[parent].children.push(ix);
        }
    }
    let mut at = forest.current.map(|current| ended[current as usize]);
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

/// A node as a step of a turn.
#[derive(Clone, Copy)]
struct TurnStep {
    /// True if a turn begins here.
    begins: bool,
    /// The node in which the turn begins.
    begins_in: u32,
    /// The last node with a message of the user that the turn begins with; [`NO_NODE`] without one.
    prompt: u32,
    /// The state of the turn after this node.
    progress: TurnProgress,
    /// The marks of the turn's nodes up to this one.
    marks: EntryMarks,
    /// True if there is more in it than texts that a client inserted.
    has_part: bool,
}

struct TurnSteps {
    list: Vec<TurnStep>,
    /// True for a node at which a turn ends: nothing follows it, or a message of the user does. Branches that consist of
    /// texts that a client inserted are in no turn.
    ends: Vec<bool>,
}

#[expect(clippy::indexing_slicing, reason = "there is a step for each node, and parents are nodes")]
impl TurnSteps {
    fn of(forest: &Forest) -> TurnSteps {
        let (progress, marks) = (TurnProgress::default(), EntryMarks::default());
        let unknown =
            TurnStep { begins: true, begins_in: NO_NODE, prompt: NO_NODE, progress, marks, has_part: false };
        let mut list = vec![unknown; forest.nodes.len()];
        for ix in forest.parents_first() {
            let node = forest.node(ix);
            let above = if node.parent == NO_NODE { unknown } else { list[node.parent as usize] };
            let mut step = TurnStep { begins: node.parent == NO_NODE, has_part: false, ..above };
            let mut has_prompt = false;
            for message in messages(forest.rows_of(ix)) {
                let added = step.progress.add(message);
                step.begins |= added.begins;
                has_prompt |= added.part == Some(TurnPart::Prompt);
                step.has_part |= added.part.is_some();
            }
            if step.begins {
                (step.begins_in, step.marks, step.prompt) = (ix, marks, NO_NODE);
            }
            if has_prompt {
                step.prompt = ix;
            }
            step.marks.set(node.entry.marks);
            list[ix as usize] = step;
        }
        let mut is_empty = vec![false; forest.nodes.len()];
        let mut ends = vec![false; forest.nodes.len()];
        for ix in forest.parents_first().into_iter().rev() {
            let children = || forest.node(ix).children.iter().map(|child| *child as usize);
            let is_leaf = children().all(|child| is_empty[child]);
            is_empty[ix as usize] = is_leaf && !list[ix as usize].has_part && forest.current != Some(ix);
            let begins = children().any(|child| list[child].begins && !is_empty[child]);
            ends[ix as usize] = !is_empty[ix as usize] && (is_leaf || begins);
        }
        TurnSteps { list, ends }
    }

    /// The nodes with the messages that begin the turn of a node.
    fn prompts(&self, forest: &Forest, of: u32) -> Vec<u32> {
        let TurnStep { prompt, begins_in, .. } = self.list[of as usize];
        let mut prompts = Vec::new();
        for node in forest.upward(prompt).take(MAX_PROMPTS) {
            prompts.push(node);
            if node == begins_in {
                break;
            }
        }
        prompts.reverse();
        prompts
    }
}
