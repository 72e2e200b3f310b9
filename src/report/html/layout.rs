//! Histories as one list of items: items that branches share are listed once, and each branch knows where it begins.

use foldhash::{HashMap, HashSet};

use crate::format::FormatInfo;
use crate::history::pairs::NONE;
use crate::history::{Group, HistorySettings, Kind, MessageSpans, Pair, Row};
use crate::judge::{HistoryVisitor, JudgedHistory};
use crate::place::Place;

/// A copy of a history: its rows, pairs and groups.
pub(super) struct HistoryCopy {
    pub info: &'static FormatInfo,
    pub number: u32,
    pub rows: Vec<Row>,
    pub settings: HistorySettings,
    pairs: Vec<Pair>,
    groups: Vec<Group>,
    messages: MessageSpans,
}

/// Copies the histories with their pairs and groups, and judges nothing.
pub(super) struct HistoryCopier;

impl HistoryVisitor for HistoryCopier {
    type Output = HistoryCopy;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<HistoryCopy> {
        let JudgedHistory { cx, info, number, .. } = *case;
        let history = cx.history;
        Some(HistoryCopy {
            info,
            number,
            rows: history.rows.clone(),
            settings: history.settings.clone(),
            pairs: history.pairs.clone(),
            groups: history.groups.clone(),
            messages: history.messages.clone(),
        })
    }

    fn renumber(made: &mut HistoryCopy, by: u32) {
        made.number += by;
    }

    fn renumber_records(made: &mut HistoryCopy, by: u32) {
        made.rows.iter_mut().for_each(|row| row.record += by);
    }
}

/// The range of a history's own items in the list.
pub(super) struct HistoryRange {
    pub copy: usize,
    pub from: Option<u32>,
    pub start: u32,
    pub end: u32,
}

/// All items of a document, each once.
#[derive(Default)]
pub(super) struct PageItems {
    /// The numbers of the history and the row of each item.
    pub items: Vec<(usize, u32)>,
    pub ranges: Vec<HistoryRange>,
    pub pairs: Vec<(u32, u32)>,
    pub groups: Vec<(u32, u32)>,
    /// Number of items that are left out.
    pub left_out: u64,
    seen: HashSet<(u32, u32)>,
}

/// Lays out histories as one list of at most `most` items.
pub(super) fn flatten(copies: &[HistoryCopy], most: usize) -> PageItems {
    let mut flat = PageItems::default();
    // Which item follows another one, by its place.
    let mut next: HashMap<(Option<u32>, Place), u32> = HashMap::default();
    for (n, copy) in copies.iter().enumerate() {
        let mut last = None;
        let mut numbers = Vec::with_capacity(copy.rows.len());
        for row in &copy.rows {
            let Some(known) = next.get(&(last, row.at)) else { break };
            numbers.push(*known);
            last = Some(*known);
        }
        let (from, shared, start) = (last, numbers.len(), flat.items.len() as u32);
        let own = copy.rows.get(shared..).unwrap_or_default();
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
        flat.ranges.push(HistoryRange { copy: n, from, start, end: flat.items.len() as u32 });
        flat.add_pairs_and_groups(copy, &numbers, shared as u32);
    }
    flat
}

impl PageItems {
    /// Adds the pairs of a history, and the groups of what it does not share.
    fn add_pairs_and_groups(&mut self, copy: &HistoryCopy, numbers: &[u32], shared: u32) {
        let number = |ix: u32| numbers.get(ix as usize).copied();
        for pair in copy.pairs.iter().filter(|pair| pair.call != NONE && pair.output != NONE) {
            if let (Some(call), Some(output)) = (number(pair.call), number(pair.output))
                && self.seen.insert((call, output))
            {
                self.pairs.push((call, output));
            }
        }
        for (start, end) in copy.group_ranges() {
            if let (Some(first), Some(last)) = (number(start.max(shared)), end.checked_sub(1).and_then(number))
                && first < last
            {
                self.groups.push((first, last + 1));
            }
        }
    }
}

impl HistoryCopy {
    /// Rows that belong together: reasoning and the items that it leads to, or one step of the model.
    fn group_ranges(&self) -> Vec<(u32, u32)> {
        if self.messages.is_empty() {
            return self.groups.iter().map(|group| (group.start, group.end)).collect();
        }
        let steps = self.messages.steps.iter().filter(|step| !step.model.is_empty());
        steps
            .map(|step| (self.messages.get(step.model.start).row, self.messages.get(step.model.end - 1).end))
            .collect()
    }

    /// True if a row is a block of a message that is a row itself.
    pub fn is_block(&self, ix: u32) -> bool {
        let message = self.messages.of_row(ix);
        message.is_some_and(|message| message.row != ix && self.kind(message.row) == Some(Kind::BlockMessage))
    }

    /// The row of the message that a row belongs to, or the row itself.
    pub fn message_row(&self, ix: u32) -> Option<&Row> {
        let row = self.messages.of_row(ix).map_or(ix, |message| message.row);
        self.rows.get(row as usize)
    }

    fn kind(&self, ix: u32) -> Option<Kind> {
        self.rows.get(ix as usize).map(|row| row.kind)
    }
}
