//! Surroundings of the items that a repair changes, before the repair: the turn, the prompt of the user in it, and
//! the neighbours. They cost nothing while a plan is made; whoever shows the plan would have to read the history
//! again.

use foldhash::{HashMap, HashSet};

use crate::format::FormatInfo;
use crate::history::turns::{self, TurnCounter};
use crate::history::{History, NONE, Row};
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

/// The surroundings of the changed items of a history. A row that several items refer to is kept once.
pub struct HistorySurroundings {
    info: &'static FormatInfo,
    items: Vec<SurroundedItem>,
    /// The rows of the items, and those that they refer to, in the order of their indices.
    rows: Vec<IndexedRow>,
}

/// An item and what surrounds it, by their indices in the history; [`NONE`] for nothing.
struct SurroundedItem {
    ix: u32,
    turn: u32,
    prompt: u32,
    before: u32,
    after: u32,
}

impl HistorySurroundings {
    fn row(&self, ix: u32) -> Option<IndexedRow> {
        let at = self.rows.binary_search_by_key(&ix, |row| row.ix).ok()?;
        self.rows.get(at).copied()
    }

    fn surroundings(&self, item: &SurroundedItem) -> Option<Surroundings> {
        Some(Surroundings {
            info: self.info,
            row: self.row(item.ix)?.row,
            ix: item.ix,
            turn: item.turn,
            prompt: self.row(item.prompt).map(|prompt| prompt.row),
            before: self.row(item.before),
            after: self.row(item.after),
        })
    }
}

/// The surroundings of the changed items of a document, by the place of the item.
#[derive(Default)]
pub struct SurroundingsByPlace {
    histories: Vec<HistorySurroundings>,
    /// The numbers of the history and of the item in it.
    places: HashMap<Place, (u32, u32)>,
}

impl SurroundingsByPlace {
    /// `origin` maps places of rows to those of the document.
    pub(super) fn new(
        histories: impl Iterator<Item = HistorySurroundings>,
        origin: impl Fn(Place) -> Place,
    ) -> SurroundingsByPlace {
        let mut all = SurroundingsByPlace { histories: histories.collect(), places: HashMap::default() };
        for (number, history) in (0..).zip(&all.histories) {
            for (item, surrounded) in (0..).zip(&history.items) {
                if let Some(own) = history.row(surrounded.ix) {
                    all.places.insert(origin(own.row.at), (number, item));
                }
            }
        }
        all
    }

    pub fn get(&self, at: &Place) -> Option<Surroundings> {
        let (number, item) = self.places.get(at)?;
        let history = self.histories.get(*number as usize)?;
        history.surroundings(history.items.get(*item as usize)?)
    }
}

/// Collects the surroundings of the changed items, and of those beside which something is inserted; `None` if there are none.
pub(super) fn collect(
    history: &History,
    info: &'static FormatInfo,
    changes: &[ItemChange],
) -> Option<HistorySurroundings> {
    let places = changes.iter().flat_map(|change| [Some(change.row.at), change.anchor]).flatten();
    let wanted: HashSet<Place> = places.collect();
    if wanted.is_empty() {
        return None;
    }
    let mut counter = TurnCounter::default();
    let (mut items, mut prompt) = (Vec::with_capacity(wanted.len()), NONE);
    let mut ix = 0;
    for message in turns::messages(&history.rows) {
        let last = counter.count;
        counter.add(message);
        if counter.count > last {
            prompt = ix;
        }
        for row in message {
            if wanted.contains(&row.at) {
                let (before, after) = neighbours(history, ix);
                items.push(SurroundedItem { ix, turn: counter.count, prompt, before, after });
            }
            ix += 1;
        }
    }
    let indices = items.iter().flat_map(|item| [item.ix, item.prompt, item.before, item.after]);
    let mut indices: Vec<u32> = indices.filter(|ix| *ix != NONE).collect();
    indices.sort_unstable();
    indices.dedup();
    let rows = indices.into_iter().map(|ix| IndexedRow { ix, row: *history.row(ix) }).collect();
    Some(HistorySurroundings { info, items, rows })
}

/// The items before and after an item. A message is no neighbour of its blocks.
fn neighbours(history: &History, ix: u32) -> (u32, u32) {
    let at = history.row(ix).at;
    let is_apart = |other: &u32| {
        let other = history.row(*other).at;
        !other.contains(&at) && !at.contains(&other)
    };
    let before = (0..ix).rev().find(is_apart);
    let after = (ix + 1..history.rows.len() as u32).find(is_apart);
    (before.unwrap_or(NONE), after.unwrap_or(NONE))
}
