//! Nodes that contain several turns of the user: a history without nodes, a request with its whole history. Each turn
//! becomes a node.

use foldhash::HashSet;
use smallvec::smallvec;

use crate::history::turns::{TurnProgress, messages};
use crate::place::{DocId, Place};

use super::{EntryMarks, EntryRole, Forest, NO_NODE, NodeName, TreeNode};

impl Forest {
    /// Splits nodes at the messages of the user that begin a turn. The last part of a node keeps its name, the others
    /// are named by their numbers; so are nodes without a name that have the same record.
    #[expect(clippy::indexing_slicing, reason = "the lists have a place for each node, and parents are nodes")]
    pub fn split_turns(mut self) -> Forest {
        let (starts, shared) = (self.turn_starts(), self.shared_records());
        if shared.is_empty() && starts.iter().all(Vec::is_empty) {
            return self;
        }
        let old = std::mem::take(&mut self.nodes);
        // The first and the last part of each node.
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(old.len());
        let mut count = 0;
        for more in &starts {
            let last = count + more.len() as u32;
            parts.push((count, last));
            count = last + 1;
        }
        let mut turn = 0;
        for (node, starts) in old.into_iter().zip(&starts) {
            let parent = if node.parent == NO_NODE { NO_NODE } else { parts[node.parent as usize].1 };
            let children = node.children.iter().map(|child| parts[*child as usize].0).collect();
            let node = TreeNode { parent, children, ..node };
            let is_numbered = !starts.is_empty() || shared.contains(&(node.entry.at.doc, node.entry.record));
            self.push_parts(node, starts, is_numbered.then_some(&mut turn));
        }
        self.current = self.current.map(|current| parts[current as usize].1);
        self.answers.take();
        self
    }

    /// The records that contain several nodes without a name.
    fn shared_records(&self) -> HashSet<(DocId, u32)> {
        let unnamed = self.nodes.iter().filter(|node| node.names.is_empty());
        let mut seen = HashSet::default();
        unnamed.map(|node| (node.entry.at.doc, node.entry.record)).filter(|record| !seen.insert(*record)).collect()
    }

    /// For each node, its rows at which a further turn begins.
    #[expect(clippy::indexing_slicing, reason = "the lists have a place for each node, and parents are nodes")]
    fn turn_starts(&self) -> Vec<Vec<u32>> {
        let mut progress = vec![TurnProgress::default(); self.nodes.len()];
        let mut starts = vec![Vec::new(); self.nodes.len()];
        for ix in self.parents_first() {
            let node = self.node(ix);
            let mut own =
                if node.parent == NO_NODE { TurnProgress::default() } else { progress[node.parent as usize] };
            let (mut at, mut has_part) = (node.rows.start, false);
            for message in messages(self.rows_of(ix)) {
                let added = own.add(message);
                if added.begins && has_part {
                    starts[ix as usize].push(at);
                }
                has_part |= added.part.is_some();
                at += message.len() as u32;
            }
            progress[ix as usize] = own;
        }
        starts
    }

    /// Adds a node, split at these rows. `turn` is the number of the last part that was named; `None` if parts need no
    /// names.
    fn push_parts(&mut self, mut node: TreeNode, starts: &[u32], mut turn: Option<&mut u32>) {
        let mut children = std::mem::take(&mut node.children);
        let is_chained = node.has(EntryMarks::CHAINED);
        let ends = starts.iter().copied().chain([node.rows.end]);
        for (n, (start, end)) in
            std::iter::once(node.rows.start).chain(starts.iter().copied()).zip(ends).enumerate()
        {
            let (is_first, is_last) = (n == 0, n == starts.len());
            let ix = self.nodes.len() as u32;
            let mut part = TreeNode { rows: start..end, ..node.clone() };
            if !is_first {
                part.parent = ix - 1;
                part.missing = None;
                part.entry.marks = part.entry.marks.without(EntryMarks::RESTART.and(EntryMarks::TRIMMED));
            }
            part.children = if is_last { std::mem::take(&mut children) } else { smallvec![ix + 1] };
            if !is_last {
                part.names.clear();
                part.entry.response = None;
                part.entry.marks = part.entry.marks.without(EntryMarks::FAILED.and(EntryMarks::UNFINISHED));
            }
            let is_whole = starts.is_empty() || is_last && !part.names.is_empty();
            if !is_whole {
                part.entry.part = if is_chained { EntryRole::Input } else { self.role_of(start..end) };
            }
            if let Some(row) = self.rows.get(start as usize).filter(|_| !is_first) {
                part.entry.record = row.record;
                part.entry.at = Place::new(part.entry.at.doc, row.at.start, 0);
            }
            if let Some(turn) = turn.as_deref_mut().filter(|_| part.names.is_empty()) {
                *turn += 1;
                part.names.push(NodeName::from(format!("turn-{turn}")));
            }
            self.nodes.push(part);
        }
    }

    fn role_of(&self, rows: std::ops::Range<u32>) -> EntryRole {
        let rows = self.rows.get(rows.start as usize..rows.end as usize);
        EntryRole::of_rows(rows.unwrap_or_default())
    }
}
