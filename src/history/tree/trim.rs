//! The start of a history whose client keeps only its newest messages.

use foldhash::HashMap;

use crate::history::Row;

use super::{EntryMarks, EntryRole, Forest, NO_NODE, NodeName, TreeEntry};

/// Starts the history at a node, including the user messages directly above it: at most two, and no outputs whose calls
/// would be cut off.
pub(super) fn trim(forest: &mut Forest, mut at: u32) {
    for _ in 0..2 {
        let up = forest.node(at).parent;
        if up == NO_NODE || forest.node(up).entry.part != EntryRole::Input || is_results(forest.rows_of(up)) {
            break;
        }
        at = up;
    }
    if let Some(node) = forest.nodes.get_mut(at as usize) {
        node.entry.marks.set(EntryMarks::RESTART.and(EntryMarks::TRIMMED));
    }
}

/// The entry that the last summary refers to, if it comes before it: otherwise the summary is a title from another
/// file.
pub(super) fn summarised(entries: &[TreeEntry], names: &HashMap<NodeName, u32>) -> Option<usize> {
    let mut summaries = entries.iter().enumerate().rev().filter(|(_, entry)| entry.marks.has(EntryMarks::SUMMARY));
    summaries.find_map(|(ix, entry)| {
        let leaf = *names.get(entry.parent.as_deref()?)? as usize;
        (leaf < ix).then_some(leaf)
    })
}

/// True if there are outputs of calls, possibly with user text.
pub(super) fn is_results(rows: &[Row]) -> bool {
    rows.iter().any(is_result)
}

pub(super) fn is_result(row: &Row) -> bool {
    row.answers_call() && row.key != 0
}
