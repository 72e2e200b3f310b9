//! Nodes of formats without nodes: each history is one.

use crate::format::Assembler;
use crate::history::History;
use crate::history::tree::{EntryMarks, EntryRole, TreeBuilder, TreeEntry};
use crate::place::{DocId, Place};

/// The nodes of a doc, or of a record that is a history by itself. `ended` are the histories that have already
/// ended.
pub(super) fn into_nodes(mut assembler: Assembler, ended: Vec<History>, doc: DocId) -> TreeBuilder {
    assembler.resolve_ranked();
    let nodes = assembler.custom_assembler().map(|own| own.nodes());
    let has_nodes = assembler.has_nodes();
    let last = if has_nodes || nodes.is_some() { None } else { assembler.finish() };
    let mut tree = assembler.into_tree();
    for (entry, rows) in nodes.into_iter().flatten() {
        tree.add_entry(entry);
        tree.add_rows(&rows);
    }
    if !has_nodes {
        ended.iter().chain(&last).for_each(|history| add_history(history, doc, &mut tree));
    }
    tree
}

/// Adds a history as a node.
fn add_history(history: &History, doc: DocId, tree: &mut TreeBuilder) {
    let Some(first) = history.rows.first() else { return };
    let role = EntryRole::of_rows(&history.rows);
    let mut entry = TreeEntry::new("", Place::new(doc, first.at.start, 0), first.record, role);
    (entry.model, entry.store) = (history.settings.model.as_deref().map(Into::into), history.settings.store);
    if history.settings.is_of_subagent {
        entry.marks.set(EntryMarks::SIDE);
    }
    tree.add_entry(entry);
    tree.add_rows(&history.rows);
}
