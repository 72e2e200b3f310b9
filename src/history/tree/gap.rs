//! Records that could not be read. Each contains at most one entry, which others may follow: those are attached to the
//! entry stored before it, so that a damaged line does not lose the rest of the tree.

use foldhash::HashMap;

use crate::place::Place;

use super::{EntryMarks, NO_NODE, NodeName, TreeEntry, TreeProblem, TreeProblemKind};

/// A record that could not be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeGap {
    pub at: Place,
    pub record: u32,
    /// Number of entries before it.
    pub before: u32,
}

/// Assigns unknown names to unreadable records.
pub(super) struct TreeGaps<'g> {
    gaps: &'g [TreeGap],
    /// The gap that each unknown name was assigned to.
    of: HashMap<NodeName, usize>,
    /// Number of gaps passed so far, and those among them that have no name yet.
    passed: usize,
    free: Vec<usize>,
    /// Entries attached to the entry before a gap, with the index of the gap.
    bridged: Vec<(usize, u32)>,
}

impl<'g> TreeGaps<'g> {
    pub fn new(gaps: &'g [TreeGap]) -> Self {
        TreeGaps { gaps, of: HashMap::default(), passed: 0, free: Vec::new(), bridged: Vec::new() }
    }

    /// The entry to which the child of an unknown parent is attached; [`NO_NODE`] if there is none before the gap.
    /// `None` if no gap remains for the parent. Must be called in the order of the children.
    pub fn bridge(&mut self, name: &str, child: u32, entries: &[TreeEntry]) -> Option<u32> {
        while self.gaps.get(self.passed).is_some_and(|gap| gap.before <= child) {
            self.free.push(self.passed);
            self.passed += 1;
        }
        let own = entries.get(child as usize)?;
        let gap = match self.of.get(name) {
            Some(gap) => *gap,
            None => {
                let nearest = *self
                    .free
                    .last()
                    .filter(|gap| self.gaps.get(**gap).is_some_and(|gap| gap.at.doc == own.at.doc))?;
                self.free.pop();
                self.of.insert(name.into(), nearest);
                nearest
            }
        };
        self.bridged.push((gap, child));
        let is_beside = |entry: &TreeEntry| {
            entry.at.doc == own.at.doc
                && !entry.name.is_empty()
                && !entry.marks.has(EntryMarks::SUMMARY)
                && entry.marks.has(EntryMarks::SIDE) == own.marks.has(EntryMarks::SIDE)
        };
        let mut before = entries.iter().take(self.gaps.get(gap)?.before as usize);
        Some(before.rposition(is_beside).map_or(NO_NODE, |ix| ix as u32))
    }

    /// Problems with the number of entries linked to each gap. `order` has parents before their children.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents are indices of entries, or none; gaps and children are indices of their lists"
    )]
    pub fn problems(&self, parents: &[u32], order: &[u32]) -> Vec<TreeProblem> {
        if self.bridged.is_empty() {
            return Vec::new();
        }
        let mut below = vec![1u32; parents.len()];
        for ix in order.iter().rev() {
            let parent = parents[*ix as usize];
            if parent != NO_NODE {
                below[parent as usize] += below[*ix as usize];
            }
        }
        let mut counts = vec![0; self.gaps.len()];
        self.bridged.iter().for_each(|(gap, child)| counts[*gap] += below[*child as usize]);
        let linked = self.gaps.iter().zip(counts).filter(|(_, count)| *count > 0);
        linked
            .map(|(gap, count)| TreeProblem {
                kind: TreeProblemKind::Lost(count),
                at: gap.at,
                record: gap.record,
                partner: None,
            })
            .collect()
    }
}
