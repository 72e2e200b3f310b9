//! Parts of a log that are put in order before they make a history: their rows and marks are kept until all have been read.

use crate::history::ranked_order::{Rank, resolve};
use crate::history::{Row, UnsentItem};

/// Rows or a mark of a part.
pub(super) enum RankedEntry<M> {
    Rows(Vec<Row>),
    Mark(M),
}

/// The parts so far: their ranks, and the entries of each.
pub(super) struct RankedParts<M> {
    ranks: Vec<Rank>,
    entries: Vec<Vec<RankedEntry<M>>>,
}

impl<M> Default for RankedParts<M> {
    fn default() -> Self {
        RankedParts { ranks: Vec::new(), entries: Vec::new() }
    }
}

impl<M> RankedParts<M> {
    /// Begins another part.
    pub fn begin(&mut self, rank: Rank) {
        self.ranks.push(rank);
        self.entries.push(Vec::new());
    }

    /// Adds an entry to the current part.
    pub fn push(&mut self, entry: RankedEntry<M>) {
        if let Some(last) = self.entries.last_mut() {
            last.push(entry);
        }
    }

    /// The entries of the parts that are sent, in order, and the parts that are not sent.
    pub fn finish(self) -> (Vec<RankedEntry<M>>, Vec<UnsentItem>) {
        let RankedParts { ranks, mut entries } = self;
        let (sent, unsent) = resolve(&ranks);
        let entries =
            sent.into_iter().flat_map(|ix| entries.get_mut(ix).map(std::mem::take).unwrap_or_default()).collect();
        let unsent = unsent.into_iter().filter_map(|(ix, why)| {
            let rank = ranks.get(ix)?;
            let what = if rank.name.is_empty() { "a message".into() } else { rank.name.clone() };
            Some(UnsentItem::at(rank.at, rank.record, what, why))
        });
        (entries, unsent.collect())
    }
}
