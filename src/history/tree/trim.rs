//! Where a history begins whose client keeps only its newest messages.

use crate::history::Row;

use super::{Forest, Marks, NO_NODE, Part};

/// The history begins at a node, with what the user says directly above it: at most two messages, and no outputs of
/// calls that would be cut off.
pub(super) fn trim(forest: &mut Forest, mut at: u32) {
    for _ in 0..2 {
        let up = forest.node(at).parent;
        if up == NO_NODE || forest.node(up).entry.part != Part::Input || is_results(forest.rows_of(up)) {
            break;
        }
        at = up;
    }
    if let Some(node) = forest.nodes.get_mut(at as usize) {
        node.entry.marks.set(Marks::RESTART.and(Marks::TRIMMED));
    }
}

/// Outputs of calls; the user may have added a text to them.
pub(super) fn is_results(rows: &[Row]) -> bool {
    rows.iter().any(is_result)
}

pub(super) fn is_result(row: &Row) -> bool {
    row.answers_call() && row.key != 0
}
