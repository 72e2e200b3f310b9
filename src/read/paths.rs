//! Nodes of what knows no nodes: each history is a path, a node for each turn of the user; what a format itself
//! assembles is one, too.

use crate::format::Assembler;
use crate::history::tree::{Builder, Entry, Part};
use crate::history::{History, Row};
use crate::place::{DocId, Place};

/// Ends a doc, or a record that is a history by itself: what it held as nodes. `ended` are the histories that ended on
/// the way.
pub(super) fn of(mut assembler: Assembler, ended: Vec<History>, doc: DocId) -> Builder {
    assembler.settle();
    let nodes = assembler.own().map(|own| own.nodes());
    let knows_nodes = assembler.knows_nodes();
    let last = if knows_nodes || nodes.is_some() { None } else { assembler.finish() };
    let mut tree = assembler.into_tree();
    for (entry, rows) in nodes.into_iter().flatten() {
        tree.entry(entry);
        tree.rows(&rows);
    }
    if !knows_nodes {
        ended.into_iter().chain(last).for_each(|history| path(history, doc, &mut tree));
    }
    tree
}

/// A history without nodes as a path: a node for each turn of the user, if the format counts them.
fn path(history: History, doc: DocId, tree: &mut Builder) {
    let turns: Vec<&[Row]> = history.rows.chunk_by(|a, b| a.turn == b.turn).collect();
    let name = |n: usize| if turns.len() > 1 { format!("turn-{}", n + 1) } else { String::new() };
    for (n, turn) in turns.iter().enumerate() {
        let Some(first) = turn.first() else { continue };
        let answered = turn.iter().any(Row::is_model_made);
        let part = if answered { Part::Exchange } else { Part::Input };
        let mut entry = Entry::new(&name(n), Place::new(doc, first.at.start, 0), first.record, part);
        entry.parent = (n > 0).then(|| name(n - 1).into());
        (entry.model, entry.store) = (history.settings.model.as_deref().map(Into::into), history.settings.store);
        tree.entry(entry);
        tree.rows(turn);
    }
}
