//! The rules for the input of the Responses API.

use std::collections::BTreeSet;

use super::{FaultList, LegalityContext};
use crate::repair::proof::generator::ServerLinks;
use crate::repair::proof::rows::{ProofRow, RowKind, RowRole};

const MAX_ID_LENGTH: usize = 64;

/// The kinds of faults that show a broken link.
pub const LINKS: [&str; 3] =
    ["an item with id after reasoning without", "a search without its reasoning", "reasoning without its item"];

/// Prefixes of the ids of calls that a client answers.
const CALL_ID_PREFIXES: [&str; 6] = ["fc_", "ctc_", "lsh_", "sh_", "apc_", "cu_"];

/// Adds the faults of a history.
pub fn judge(rows: &[ProofRow], context: &LegalityContext, faults: &mut FaultList) {
    if rows.is_empty() {
        faults.add("nothing is sent", 0);
    }
    check_pairs(rows, faults);
    check_approvals(rows, faults);
    check_ids(rows, faults);
    check_reasoning(rows, context, faults);
    for (n, row) in rows.iter().enumerate() {
        match row.kind {
            RowKind::Result if !row.has_value => faults.add("an output without a value", n),
            RowKind::Text if !row.has_value => faults.add("null content", n),
            RowKind::Reference if !context.is_stored => faults.add("a reference to what is not stored", n),
            RowKind::Hosted if row.id.is_none() => faults.add("a hosted call without its id", n),
            RowKind::Call if row.id.is_none() && needs_id(row) => faults.add_doubtful("a call without its id", n),
            RowKind::Other => faults.add("an unknown item", n),
            _ => {}
        }
    }
}

/// True for items whose id the schema requires.
pub fn needs_id(row: &ProofRow) -> bool {
    row.kind == RowKind::Hosted || row.kind == RowKind::Call && ["computer", "local_shell"].contains(&&*row.family)
}

/// Checks that calls and outputs pair one to one by their `call_id`.
fn check_pairs(rows: &[ProofRow], faults: &mut FaultList) {
    for (n, row) in rows.iter().enumerate() {
        let key = row.key_text();
        let others = |kind: RowKind| {
            rows.iter().enumerate().filter(move |(_, other)| other.kind == kind && other.key_text() == key)
        };
        match row.kind {
            RowKind::Call | RowKind::Result if key.is_empty() => faults.add("no call_id", n),
            RowKind::Call | RowKind::Result if key.len() > MAX_ID_LENGTH => faults.add("a long call_id", n),
            _ => {}
        }
        match row.kind {
            RowKind::Call if !key.is_empty() => {
                let mut outputs = others(RowKind::Result).filter(|(_, output)| output.family == row.family);
                if outputs.next().is_none() {
                    faults.add("a call without an output", n);
                }
                if let Some((_, first)) = others(RowKind::Call).find(|(at, _)| *at < n) {
                    if first.tag == row.tag && first.id == row.id {
                        faults.add("a copy of a call", n);
                    } else {
                        faults.add_doubtful("a call_id used again", n);
                    }
                }
            }
            RowKind::Result if !key.is_empty() => {
                let calls = || others(RowKind::Call).filter(|(_, call)| call.family == row.family);
                if others(RowKind::Call).next().is_none() {
                    // The call may be a referenced one.
                    if !rows[..n].iter().any(is_referenced_call) {
                        faults.add("an output without a call", n);
                    }
                } else if calls().next().is_none() {
                    faults.add("an output of another type", n);
                } else if !calls().any(|(at, _)| at < n) {
                    faults.add("an output before its call", n);
                }
                let before: Vec<&ProofRow> =
                    others(RowKind::Result).filter(|(at, _)| *at < n).map(|(_, output)| output).collect();
                if before.len() >= calls().count().max(1) {
                    faults.add_duplicate("a second output", n, before.iter().any(|first| first.tag == row.tag));
                }
            }
            _ => {}
        }
    }
}

fn is_referenced_call(row: &ProofRow) -> bool {
    let id = row.id.as_deref().unwrap_or_default();
    row.kind == RowKind::Reference && CALL_ID_PREFIXES.iter().any(|prefix| id.starts_with(prefix))
}

fn check_approvals(rows: &[ProofRow], faults: &mut FaultList) {
    for (n, row) in rows.iter().enumerate() {
        let of = |kind: RowKind, id: Option<&str>| {
            rows.iter().any(|other| {
                other.kind == kind && id.is_some() && (other.key.as_deref() == id || other.id.as_deref() == id)
            })
        };
        match row.kind {
            RowKind::ApprovalRequest if !of(RowKind::ApprovalResponse, row.id.as_deref()) => {
                faults.add("an approval without an answer", n)
            }
            RowKind::ApprovalResponse if !of(RowKind::ApprovalRequest, row.key.as_deref()) => {
                faults.add_doubtful("an answer to no approval", n)
            }
            _ => {}
        }
    }
}

fn check_ids(rows: &[ProofRow], faults: &mut FaultList) {
    let mut seen = BTreeSet::new();
    for (n, row) in rows.iter().enumerate() {
        let Some(id) = row.id.as_deref() else { continue };
        if !seen.insert(id) {
            faults.add("an id twice", n);
        }
        if id.is_empty() || id.len() > MAX_ID_LENGTH || id.starts_with("toolu_") || id.starts_with("call_") {
            faults.add("an id of another kind", n);
        }
    }
}

/// The first row after reasoning that is no reasoning itself.
fn next_other_row(rows: &[ProofRow], n: usize) -> Option<&ProofRow> {
    rows[n + 1..].iter().find(|row| !is_reasoning(row))
}

fn is_reasoning(row: &ProofRow) -> bool {
    row.kind == RowKind::Reasoning
        || row.kind == RowKind::Reference && row.id.as_deref().is_some_and(|id| id.starts_with("rs_"))
}

/// The last reasoning before an item in the run of the model's rows.
fn preceding_reasoning(rows: &[ProofRow], n: usize) -> Option<&ProofRow> {
    rows[..n].iter().rev().take_while(|row| row.is_from_model()).find(|row| is_reasoning(row))
}

fn check_reasoning(rows: &[ProofRow], context: &LegalityContext, faults: &mut FaultList) {
    for (n, row) in rows.iter().enumerate() {
        if is_reasoning(row) {
            if row.kind == RowKind::Reasoning && !row.is_sealed {
                if !context.is_stored {
                    faults.add("reasoning without a blob", n);
                } else if row.id.is_none() {
                    faults.add_doubtful("reasoning with neither id nor blob", n);
                }
            }
            if row.id.is_some() {
                check_follower(rows, n, context, faults);
            }
        } else if row.is_from_model() && row.id.is_some() && row.kind != RowKind::Reference {
            match preceding_reasoning(rows, n) {
                Some(reasoning) if reasoning.id.is_none() => faults.add(LINKS[0], n),
                None if &*row.family == "web_search" => faults.add(LINKS[1], n),
                // Something may have come between it and its reasoning.
                None if follows_lone_reasoning(rows, n) => faults.add_doubtful("an item apart from reasoning", n),
                _ => {}
            }
        }
    }
    check_regrouping(rows, faults);
}

/// True if the model's previous run of rows ends with reasoning.
fn follows_lone_reasoning(rows: &[ProofRow], n: usize) -> bool {
    let own = rows[..n].iter().rev().take_while(|row| row.is_from_model()).count();
    rows[..n - own].iter().rev().find(|row| row.is_from_model()).is_some_and(is_reasoning)
}

/// Checks that reasoning with an id is followed by its item.
fn check_follower(rows: &[ProofRow], n: usize, context: &LegalityContext, faults: &mut FaultList) {
    let kind = LINKS[2];
    match next_other_row(rows, n) {
        Some(next) if next.is_from_model() && next.id.is_some() => {}
        // A client that stores no ids of messages sends this each turn.
        Some(next) if next.is_from_model() => faults.add_doubtful(kind, n),
        _ if context.is_stored => faults.add(kind, n),
        _ => faults.add_doubtful(kind, n),
    }
}

/// Finds all reasoning before all calls, as sorting by kind leaves them.
fn check_regrouping(rows: &[ProofRow], faults: &mut FaultList) {
    for n in 0..rows.len() {
        let with_id = |row: &&ProofRow| row.id.is_some();
        let run = rows[n..].iter().take_while(|row| row.kind == RowKind::Reasoning).filter(with_id).count();
        let begins = n == 0 || rows[n - 1].kind != RowKind::Reasoning;
        let calls = rows[n + run..].iter().take_while(|row| row.kind == RowKind::Call).filter(with_id).count();
        if begins && run > 1 && calls > 1 {
            faults.add("reasoning regrouped", n);
        }
    }
}

/// The ids of items that break a link of the server: reasoning and its follower, and referenced calls and their outputs.
pub fn hidden_faults(rows: &[ProofRow], links: &ServerLinks) -> BTreeSet<String> {
    let mut illegal = BTreeSet::new();
    for (n, row) in rows.iter().enumerate() {
        let Some(id) = row.id.as_deref() else { continue };
        if is_referenced_call(row) {
            let key = links.call_id_of.get(id).map(|key| &**key);
            if !rows[n..].iter().any(|row| row.kind == RowKind::Result && row.key.as_deref() == key) {
                illegal.insert(id.to_owned());
            }
        }
        if let Some(reasoning) = links.reasoning_of.get(id) {
            let between = |row: &&ProofRow| row.is_from_model() && !is_reasoning(row);
            let before = rows[..n].iter().rev().find(|row| !between(row));
            if before.and_then(|row| row.id.as_deref()) != Some(reasoning) {
                illegal.insert(id.to_owned());
            }
        }
        if is_reasoning(row) {
            // Reasoning that belongs to no response of the history has lost its item before.
            let follower = links.follower_of.get(id);
            if follower.is_none()
                || next_other_row(rows, n).and_then(|row| row.id.as_deref()) != follower.map(|id| &**id)
            {
                illegal.insert(id.to_owned());
            }
        }
        debug_assert!(row.role != RowRole::Client, "outputs have no ids");
    }
    let referenced: Vec<&str> =
        rows.iter().filter(|row| is_referenced_call(row)).filter_map(|row| row.id.as_deref()).collect();
    for row in rows.iter().filter(|row| row.kind == RowKind::Result && !referenced.is_empty()) {
        let key = row.key.as_deref();
        let called = rows.iter().any(|call| call.kind == RowKind::Call && call.key.as_deref() == key);
        if !called && !referenced.iter().any(|id| links.call_id_of.get(*id).map(|key| &**key) == key) {
            illegal.insert(row.key_text().to_owned());
        }
    }
    illegal
}
