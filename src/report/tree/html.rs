//! Trees of turns on a page: each branch as a history that begins in another one.

use std::io::{self, Write};

use serde_json::json;

use crate::report::html::data::{PageDoc, PageHistory, PageItem};
use crate::report::html::draw::finding;
use crate::report::html::frame::PageFrame;
use crate::report::{Diagnostic, Style};
use crate::target::Severity;

use super::{TreeView, TurnView};

/// Prints trees and their diagnostics.
pub fn print(trees: &[TreeView], diagnostics: &[Diagnostic], _: &Style, out: &mut dyn Write) -> io::Result<bool> {
    let mut frame = PageFrame::default();
    for tree in trees {
        frame.doc(&serde_json::to_string(&doc(tree, diagnostics))?, out)?;
    }
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    frame.finish(&json!({ "summary": { "errors": errors, "warnings": warnings, "fixable": 0 } }), out)?;
    Ok(true)
}

fn doc(tree: &TreeView, diagnostics: &[Diagnostic]) -> PageDoc {
    let mut doc = PageDoc {
        command: "tree",
        path: tree.title.clone(),
        format: tree.format,
        content: tree.shows_content,
        ..PageDoc::default()
    };
    let mut places = vec![None; tree.turns.len()];
    // Branches to be laid out, the next one last, so that the first child continues where its parent ends.
    let roots = tree.turns.iter().enumerate().filter(|(_, turn)| turn.parent.is_none());
    let mut branches: Vec<usize> = roots.map(|(ix, _)| ix).collect();
    branches.reverse();
    while let Some(root) = branches.pop() {
        let (start, mut depth) = (doc.items.len() as u32, 0);
        let from = tree.turns.get(root).and_then(|turn| places.get(turn.parent?).copied().flatten());
        let mut next = Some(root);
        while let Some((ix, turn)) = next.and_then(|ix| Some((ix, tree.turns.get(ix)?))) {
            if let Some(place) = places.get_mut(ix) {
                *place = Some(doc.items.len() as u32);
            }
            doc.items.push(item(tree, turn, tree.current == Some(ix)));
            depth += 1;
            // The live branch comes first.
            let live = turn.children.iter().find(|child| tree.turns.get(**child).is_some_and(|child| child.live));
            next = live.or(turn.children.first()).copied();
            branches.extend(turn.children.iter().rev().filter(|child| Some(**child) != next));
        }
        let number = doc.histories.len() as u32;
        let end = doc.items.len() as u32;
        let notes = match number {
            0 => [tree.sending_words(), tree.sizes.words()].into_iter().chain(tree.saving_words()).collect(),
            _ => Vec::new(),
        };
        doc.histories.push(PageHistory {
            number,
            from,
            start,
            end,
            length: depth,
            notes,
            ..PageHistory::default()
        });
    }
    let of = |record: u32, path: &str| {
        let at = |turn: &TurnView| turn.record <= record && turn.path == path;
        let turns = tree.turns.iter().enumerate().filter(|(_, turn)| at(turn));
        turns.max_by_key(|(_, turn)| turn.record).and_then(|(ix, _)| places.get(ix).copied().flatten())
    };
    let own =
        diagnostics.iter().filter(|own| own.path == tree.title || tree.turns.iter().any(|t| t.path == own.path));
    doc.findings = own.map(|own| finding(own, of(own.record, &own.path), None)).collect();
    doc
}

fn item(tree: &TreeView, turn: &TurnView, current: bool) -> PageItem {
    let mark = match (current, turn.answered, turn.live) {
        (true, ..) => "current",
        (_, false, _) => "waiting",
        (_, _, true) => "live",
        _ => "branch",
    };
    let mut lines: Vec<String> =
        turn.reasons.iter().map(|(code, words)| format!("{}: {words} ({code})", turn.verdict_words())).collect();
    if lines.is_empty() {
        lines.push(turn.verdict_words().to_owned());
    }
    lines.push(turn.sizes.words());
    lines.extend(turn.model.iter().map(|model| format!("model {model}")));
    lines.extend(turn.missing_parent.iter().map(|parent| format!("its parent {parent} is not in this file")));
    lines.extend(turn.open_calls.iter().map(|call| format!("call {call} has no output")));
    let words = tree.deviation(turn).map(|words| format!("({words})"));
    let says: Vec<String> = turn.says.iter().map(|says| format!("\"{says}\"")).chain(words).collect();
    PageItem {
        kind: format!("{} {}", if turn.is_side_chain { "side turn" } else { "turn" }, turn.name),
        class: if turn.live { "model" } else { "other" },
        id: turn.response.clone(),
        name: Some(mark.to_owned()).filter(|_| mark == "current" || mark == "waiting"),
        record: turn.record,
        says: says.join("  "),
        json: lines.join("\n"),
        ..PageItem::default()
    }
}
