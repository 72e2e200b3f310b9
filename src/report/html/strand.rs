//! Histories as one list of items: what two branches share is there once, and each branch knows where it leaves.

use std::collections::{HashMap, HashSet};

use crate::format::FormatInfo;
use crate::history::pairs::NONE;
use crate::history::{Group, Kind, Messages, Pair, Row, Settings};
use crate::judge::{Case, OnHistory};
use crate::place::Place;

/// A history as it was put together.
pub(super) struct Strand {
    pub info: &'static FormatInfo,
    pub number: u32,
    pub rows: Vec<Row>,
    pub settings: Settings,
    pairs: Vec<Pair>,
    groups: Vec<Group>,
    messages: Messages,
}

/// Keeps the histories with their pairs and groups, and judges nothing.
pub(super) struct Strands;

impl OnHistory for Strands {
    type Made = Strand;

    fn judges(&self) -> bool {
        false
    }

    fn history(&self, case: &Case<'_>) -> Option<Strand> {
        let Case { cx, info, number, .. } = *case;
        let history = cx.history;
        Some(Strand {
            info,
            number,
            rows: history.rows.clone(),
            settings: history.settings.clone(),
            pairs: history.pairs.clone(),
            groups: history.groups.clone(),
            messages: history.messages.clone(),
        })
    }

    fn renumber(made: &mut Strand, by: u32) {
        made.number += by;
    }

    fn renumber_records(made: &mut Strand, by: u32) {
        made.rows.iter_mut().for_each(|row| row.record += by);
    }
}

/// Where the own items of a history begin and end in the list.
pub(super) struct Stretch {
    pub strand: usize,
    pub from: Option<u32>,
    pub start: u32,
    pub end: u32,
}

/// All items of a document, each once.
#[derive(Default)]
pub(super) struct Flat {
    /// The strand and the row of each item.
    pub items: Vec<(usize, u32)>,
    pub stretches: Vec<Stretch>,
    pub pairs: Vec<(u32, u32)>,
    pub groups: Vec<(u32, u32)>,
    /// Items that are left out.
    pub left_out: u64,
    seen: HashSet<(u32, u32)>,
}

/// Lays histories into one list, up to so many items.
pub(super) fn flatten(strands: &[Strand], most: usize) -> Flat {
    let mut flat = Flat::default();
    // Which item follows another one, by its place.
    let mut next: HashMap<(Option<u32>, Place), u32> = HashMap::new();
    for (n, strand) in strands.iter().enumerate() {
        let mut last = None;
        let mut numbers = Vec::with_capacity(strand.rows.len());
        for row in &strand.rows {
            let Some(known) = next.get(&(last, row.at)) else { break };
            numbers.push(*known);
            last = Some(*known);
        }
        let (from, shared, start) = (last, numbers.len(), flat.items.len() as u32);
        let own = strand.rows.get(shared..).unwrap_or_default();
        if flat.items.len() + own.len() > most {
            flat.left_out += own.len() as u64;
            continue;
        }
        for (row, ix) in own.iter().zip(shared as u32..) {
            let number = flat.items.len() as u32;
            next.insert((last, row.at), number);
            flat.items.push((n, ix));
            numbers.push(number);
            last = Some(number);
        }
        flat.stretches.push(Stretch { strand: n, from, start, end: flat.items.len() as u32 });
        flat.tie(strand, &numbers, shared as u32);
    }
    flat
}

impl Flat {
    /// Adds the pairs of a history, and the groups of what it does not share.
    fn tie(&mut self, strand: &Strand, numbers: &[u32], shared: u32) {
        let number = |ix: u32| numbers.get(ix as usize).copied();
        for pair in strand.pairs.iter().filter(|pair| pair.call != NONE && pair.output != NONE) {
            if let (Some(call), Some(output)) = (number(pair.call), number(pair.output))
                && self.seen.insert((call, output))
            {
                self.pairs.push((call, output));
            }
        }
        for (start, end) in strand.frames() {
            if let (Some(first), Some(last)) = (number(start.max(shared)), end.checked_sub(1).and_then(number))
                && first < last
            {
                self.groups.push((first, last + 1));
            }
        }
    }
}

impl Strand {
    /// What goes together: groups of reasoning and what it leads to, or what the model says in one step.
    fn frames(&self) -> Vec<(u32, u32)> {
        if self.messages.is_empty() {
            return self.groups.iter().map(|group| (group.start, group.end)).collect();
        }
        let steps = self.messages.steps.iter().filter(|step| !step.model.is_empty());
        steps
            .map(|step| (self.messages.get(step.model.start).row, self.messages.get(step.model.end - 1).end))
            .collect()
    }

    /// Whether a row is a block of a message that is a row itself.
    pub fn is_block(&self, ix: u32) -> bool {
        let message = self.messages.of_row(ix);
        message.is_some_and(|message| message.row != ix && self.kind(message.row) == Some(Kind::BlockMessage))
    }

    /// Who says what a row holds.
    pub fn speaker(&self, ix: u32) -> Option<&Row> {
        let row = self.messages.of_row(ix).map_or(ix, |message| message.row);
        self.rows.get(row as usize)
    }

    fn kind(&self, ix: u32) -> Option<Kind> {
        self.rows.get(ix as usize).map(|row| row.kind)
    }
}
