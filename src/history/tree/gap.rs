//! Records that could not be read. Each holds at most one entry, which others may follow: those hang on to what was stored
//! before it, so that a damaged line does not take the rest of the tree with it.

use std::collections::HashMap;

use crate::place::Place;

use super::{Entry, Marks, NO_NODE, Name, Problem, Wrong};

/// A record that could not be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub at: Place,
    pub record: u32,
    /// Number of entries before it.
    pub before: u32,
}

/// Which unknown names may be those of lost entries.
pub(super) struct Gaps<'g> {
    gaps: &'g [Gap],
    /// The gap that each unknown name was given.
    of: HashMap<Name, usize>,
    /// Number of gaps that have been passed, and those among them that no name was found for.
    passed: usize,
    free: Vec<usize>,
    /// Entries that hang on to what is before a gap.
    held: Vec<(usize, u32)>,
}

impl<'g> Gaps<'g> {
    pub fn new(gaps: &'g [Gap]) -> Self {
        Gaps { gaps, of: HashMap::new(), passed: 0, free: Vec::new(), held: Vec::new() }
    }

    /// The entry on which the child of an unknown one goes on; [`NO_NODE`] if nothing is before the gap. `None` if no gap
    /// is left that may hold the unknown one. Children come in their order.
    pub fn hold(&mut self, name: &str, child: u32, entries: &[Entry]) -> Option<u32> {
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
        self.held.push((gap, child));
        let is_beside = |entry: &Entry| {
            entry.at.doc == own.at.doc
                && !entry.name.is_empty()
                && !entry.marks.has(Marks::SUMMARY)
                && entry.marks.has(Marks::SIDE) == own.marks.has(Marks::SIDE)
        };
        let mut before = entries.iter().take(self.gaps.get(gap)?.before as usize);
        Some(before.rposition(is_beside).map_or(NO_NODE, |ix| ix as u32))
    }

    /// How many entries are linked to each of the lost ones. `order` has parents before their children.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents are numbers of entries, or none; gaps and children were given theirs by what holds them"
    )]
    pub fn problems(&self, parents: &[u32], order: &[u32]) -> Vec<Problem> {
        if self.held.is_empty() {
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
        self.held.iter().for_each(|(gap, child)| counts[*gap] += below[*child as usize]);
        let told = self.gaps.iter().zip(counts).filter(|(_, count)| *count > 0);
        told.map(|(gap, count)| Problem {
            wrong: Wrong::Lost(count),
            at: gap.at,
            record: gap.record,
            partner: None,
        })
        .collect()
    }
}
