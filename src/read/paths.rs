//! Nodes of formats without nodes: each history is a path with a node for each turn of the user.

use crate::format::Assembler;
use crate::history::tree::{EntryRole, TreeBuilder, TreeEntry};
use crate::history::{History, Row};
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
        ended.into_iter().chain(last).for_each(|history| add_path(history, doc, &mut tree));
    }
    tree
}

/// A history without nodes as a path: a node for each turn of the user, if the format counts them.
fn add_path(history: History, doc: DocId, tree: &mut TreeBuilder) {
    let turns: Vec<&[Row]> = history.rows.chunk_by(|a, b| a.turn == b.turn).collect();
    let name = |n: usize| if turns.len() > 1 { format!("turn-{}", n + 1) } else { String::new() };
    for (n, turn) in turns.iter().enumerate() {
        let Some(first) = turn.first() else { continue };
        let answered = turn.iter().any(Row::is_model_made);
        let part = if answered { EntryRole::Exchange } else { EntryRole::Input };
        let mut entry = TreeEntry::new(&name(n), Place::new(doc, first.at.start, 0), first.record, part);
        entry.parent = (n > 0).then(|| name(n - 1).into());
        (entry.model, entry.store) = (history.settings.model.as_deref().map(Into::into), history.settings.store);
        tree.add_entry(entry);
        tree.add_rows(turn);
    }
}
