//! Surroundings of the items that a repair changes, before the repair: the turn, the prompt of the user in it, and
//! the neighbours. They cost nothing while a plan is made; whoever shows the plan would have to read the history
//! again.

use std::collections::HashSet;

use crate::format::FormatInfo;
use crate::history::turns::{self, TurnCounter};
use crate::history::{History, Row};
use crate::place::Place;

use super::ItemChange;

/// An item with its index in its history.
#[derive(Clone, Copy, Debug)]
pub struct IndexedRow {
    pub ix: u32,
    pub row: Row,
}

/// The surroundings of an item.
#[derive(Clone, Copy)]
pub struct Surroundings {
    /// The format: a store may send its histories in several dialects.
    pub info: &'static FormatInfo,
    pub row: Row,
    /// Its index in its history.
    pub ix: u32,
    /// Number of the user turn, from 1; 0 before the first.
    pub turn: u32,
    /// The first message of the user in this turn.
    pub prompt: Option<Row>,
    pub before: Option<IndexedRow>,
    pub after: Option<IndexedRow>,
}

/// Collects the surroundings of the changed items, and of those beside which something is inserted. Sorted by
/// place.
pub(super) fn collect(
    history: &History,
    info: &'static FormatInfo,
    changes: &[ItemChange],
) -> Vec<(Place, Surroundings)> {
    let places = changes.iter().flat_map(|change| [Some(change.row.at), change.anchor]).flatten();
    let wanted: HashSet<Place> = places.collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut counter = TurnCounter::default();
    let mut found = Vec::with_capacity(wanted.len());
    let mut indices = 0..;
    for message in turns::messages(&history.rows) {
        counter.add(message);
        for (row, ix) in message.iter().zip(&mut indices) {
            if wanted.contains(&row.at) {
                let (before, after) = neighbours(history, ix);
                let TurnCounter { count: turn, prompt, .. } = counter;
                found.push((row.at, Surroundings { info, row: *row, ix, turn, prompt, before, after }));
            }
        }
    }
    // Rows are in order, except in trees; sorting takes memory.
    if !found.is_sorted_by_key(|(at, _)| at.order()) {
        found.sort_by_key(|(at, _)| at.order());
    }
    found
}

/// The items before and after an item. A message is no neighbour of its blocks.
fn neighbours(history: &History, ix: u32) -> (Option<IndexedRow>, Option<IndexedRow>) {
    let at = history.row(ix).at;
    let numbered = |ix: usize| history.rows.get(ix).map(|row| IndexedRow { ix: ix as u32, row: *row });
    let is_apart = |other: &IndexedRow| !other.row.at.contains(&at) && !at.contains(&other.row.at);
    let here = ix as usize;
    let before = (0..here).rev().filter_map(numbered).find(is_apart);
    let after = (here + 1..history.rows.len()).filter_map(numbered).find(is_apart);
    (before, after)
}
