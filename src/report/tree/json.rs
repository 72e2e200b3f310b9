//! Trees for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::report::{Diagnostic, Style, diagnostic_value, write_pretty};

use super::sizes::{ContentSize, ContentSizes};
use super::{Sending, TreeView, TurnView};

/// Version of the contract.
const VERSION: u32 = 1;

pub(super) fn print(
    trees: &[TreeView],
    diagnostics: &[Diagnostic],
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let diagnostics: Vec<Value> = diagnostics.iter().map(diagnostic_value).collect();
    let trees: Vec<Value> = trees.iter().map(tree_value).collect();
    let report = json!({ "version": VERSION, "conversations": trees, "diagnostics": diagnostics });
    write_pretty(&report, out)?;
    Ok(true)
}

fn tree_value(tree: &TreeView) -> Value {
    let turns: Vec<Value> = tree.turns.iter().enumerate().map(|(ix, turn)| turn_value(tree, ix, turn)).collect();
    let reason = match &tree.sending {
        Sending::History(Some(reason)) => reason_value(reason),
        _ => Value::Null,
    };
    let sent = tree.sent_tokens();
    json!({
        "path": tree.title,
        "format": tree.format,
        "current": name_of(tree, tree.current),
        "answered": tree.answered(),
        "verdict": tree.sending.verdict(),
        "reason": reason,
        "sizes": sizes_value(&tree.sizes),
        "sent_tokens": { "chained": sent.0, "repeated": sent.1 },
        "turns": turns,
    })
}

fn name_of(tree: &TreeView, turn: Option<usize>) -> Option<&str> {
    Some(&tree.turns.get(turn?)?.name)
}

fn turn_value(tree: &TreeView, ix: usize, turn: &TurnView) -> Value {
    let reasons: Vec<Value> = turn.reasons.iter().map(reason_value).collect();
    json!({
        "name": turn.name,
        "entries": turn.names,
        "parent": name_of(tree, turn.parent),
        "missing_parent": turn.missing_parent,
        "current": tree.current == Some(ix),
        "on_current_branch": turn.live,
        "side_chain": turn.is_side_chain,
        "answered": turn.answered,
        "response_id": turn.response,
        "model": turn.model,
        "time": turn.time,
        "age_seconds": turn.age,
        "edited": turn.edited,
        "trimmed": turn.trimmed,
        "open_calls": turn.open_calls,
        "verdict": turn.verdict,
        "reasons": reasons,
        "path": turn.path,
        "record": turn.record,
        "says": turn.says,
        "sizes": sizes_value(&turn.sizes),
    })
}

/// Bytes and estimated tokens, by kind of content.
fn sizes_value(sizes: &ContentSizes) -> Value {
    let value = |size: ContentSize| json!({ "bytes": size.bytes, "tokens": size.tokens() });
    let kinds = sizes.by_kind().filter(|(_, size)| size.bytes > 0);
    let mut all: serde_json::Map<String, Value> =
        kinds.map(|(kind, size)| (kind.to_owned(), value(size))).collect();
    all.insert("total".to_owned(), value(sizes.total()));
    Value::Object(all)
}

fn reason_value((code, words): &(&str, String)) -> Value {
    json!({ "code": code, "message": words })
}
