//! Parts of a log that are put in order before they make a history: their rows and marks wait until all are there.

use crate::history::ranked::{Rank, resolve};
use crate::history::{Row, Unsent};

/// What a part of a log gave, in its order.
pub(super) enum Told<M> {
    Rows(Vec<Row>),
    Mark(M),
}

/// The parts that were met so far.
pub(super) struct Ranked<M> {
    ranks: Vec<Rank>,
    told: Vec<Vec<Told<M>>>,
}

impl<M> Default for Ranked<M> {
    fn default() -> Self {
        Ranked { ranks: Vec::new(), told: Vec::new() }
    }
}

impl<M> Ranked<M> {
    /// Another part begins.
    pub fn begin(&mut self, rank: Rank) {
        self.ranks.push(rank);
        self.told.push(Vec::new());
    }

    /// Takes what the part at hand gave.
    pub fn take(&mut self, told: Told<M>) {
        if let Some(last) = self.told.last_mut() {
            last.push(told);
        }
    }

    /// What the parts gave that are sent, in the order in which they are; and those that are not.
    pub fn finish(self) -> (Vec<Told<M>>, Vec<Unsent>) {
        let Ranked { ranks, mut told } = self;
        let (sent, unsent) = resolve(&ranks);
        let told =
            sent.into_iter().flat_map(|ix| told.get_mut(ix).map(std::mem::take).unwrap_or_default()).collect();
        let unsent = unsent.into_iter().filter_map(|(ix, why)| {
            let rank = ranks.get(ix)?;
            let what = if rank.name.is_empty() { "a message".into() } else { rank.name.clone() };
            Some(Unsent::at(rank.at, rank.record, what, why))
        });
        (told, unsent.collect())
    }
}
