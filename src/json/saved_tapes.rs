//! Copies of tapes: a record that is read a second time need not be scanned again.

use super::tape::{Node, Tape};

/// Nodes that are saved at most, so that long records need no more memory.
const MOST_NODES: usize = 1 << 18;

/// The tapes of several records, in their order.
#[derive(Debug, Default)]
pub struct SavedTapes {
    nodes: Vec<Node>,
    records: Vec<SavedRecord>,
}

#[derive(Debug)]
struct SavedRecord {
    /// Its offset in the document.
    start: u64,
    /// The end of its nodes.
    end: usize,
    ascii: bool,
    has_replaylint_ref: bool,
}

impl SavedTapes {
    /// Saves the tape of a record after the last one, unless it is long or reports something about its keys.
    pub fn save(&mut self, start: u64, tape: &Tape) {
        let is_next = self.records.last().is_none_or(|last| last.start < start);
        if is_next && !tape.is_odd() && self.nodes.len() + tape.nodes.len() <= MOST_NODES {
            self.nodes.extend_from_slice(&tape.nodes);
            let Tape { ascii, has_replaylint_ref, .. } = *tape;
            self.records.push(SavedRecord { start, end: self.nodes.len(), ascii, has_replaylint_ref });
        }
    }

    /// Restores the tape of the record at an offset. Returns false if there is none.
    pub fn restore(&self, start: u64, tape: &mut Tape) -> bool {
        let Ok(ix) = self.records.binary_search_by_key(&start, |record| record.start) else { return false };
        let before = ix.checked_sub(1).and_then(|ix| self.records.get(ix));
        let from = before.map_or(0, |record| record.end);
        let Some(record) = self.records.get(ix) else { return false };
        let Some(nodes) = self.nodes.get(from..record.end) else { return false };
        tape.nodes.clear();
        tape.nodes.extend_from_slice(nodes);
        tape.odd.clear();
        (tape.ascii, tape.has_replaylint_ref) = (record.ascii, record.has_replaylint_ref);
        true
    }
}
