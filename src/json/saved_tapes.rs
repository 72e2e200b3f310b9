//! Copies of tapes: a record that is read a second time need not be scanned again.

use super::tape::{Node, Tape};

/// The tapes of several records, in their order.
#[derive(Debug, Default)]
pub struct SavedTapes {
    nodes: Vec<Node>,
    /// The offset of each record in its document, and the end of its nodes.
    records: Vec<(u64, usize)>,
}

impl SavedTapes {
    /// Saves the tape of a record after the last one, unless the tape reports something about its keys.
    pub fn save(&mut self, start: u64, tape: &Tape) {
        if !tape.is_odd() {
            self.nodes.extend_from_slice(&tape.nodes);
            self.records.push((start, self.nodes.len()));
        }
    }

    /// Restores the tape of the record at an offset. Returns false if there is none.
    pub fn restore(&self, start: u64, tape: &mut Tape) -> bool {
        let Ok(ix) = self.records.binary_search_by_key(&start, |(start, _)| *start) else { return false };
        let before = ix.checked_sub(1).and_then(|ix| self.records.get(ix));
        let from = before.map_or(0, |(_, end)| *end);
        let Some(nodes) = self.records.get(ix).and_then(|(_, end)| self.nodes.get(from..*end)) else {
            return false;
        };
        tape.nodes.clear();
        tape.nodes.extend_from_slice(nodes);
        tape.odd.clear();
        true
    }
}
