//! What is legal in the input of the Responses API.

use std::collections::BTreeSet;

use super::{Faults, Setting};
use crate::repair::proof::generator::Truth;
use crate::repair::proof::rows::{Role, Row, What};

const LONGEST: usize = 64;

/// What shows that a link is broken.
pub const LINKS: [&str; 3] =
    ["an item with id after reasoning without", "a search without its reasoning", "reasoning without its item"];

/// How the ids of calls that a client answers begin.
const CALL_IDS: [&str; 6] = ["fc_", "ctc_", "lsh_", "sh_", "apc_", "cu_"];

pub fn judge(rows: &[Row], setting: &Setting, out: &mut Faults) {
    if rows.is_empty() {
        out.add("nothing is sent", 0);
    }
    pairs(rows, out);
    approvals(rows, out);
    ids(rows, out);
    reasoning(rows, setting, out);
    for (n, row) in rows.iter().enumerate() {
        match row.what {
            What::Result if !row.valued => out.add("an output without a value", n),
            What::Text if !row.valued => out.add("null content", n),
            What::Reference if !setting.stored => out.add("a reference to what is not stored", n),
            What::Hosted if row.id.is_none() => out.add("a hosted call without its id", n),
            What::Call if row.id.is_none() && needs_id(row) => out.doubt("a call without its id", n),
            What::Other => out.add("an unknown item", n),
            _ => {}
        }
    }
}

/// The schema requires the ids of some kinds.
pub fn needs_id(row: &Row) -> bool {
    row.what == What::Hosted || row.what == What::Call && ["computer", "local_shell"].contains(&&*row.family)
}

/// Calls and outputs belong together by their `call_id`, one to one.
fn pairs(rows: &[Row], out: &mut Faults) {
    for (n, row) in rows.iter().enumerate() {
        let key = row.key_text();
        let others = |what: What| {
            rows.iter().enumerate().filter(move |(_, other)| other.what == what && other.key_text() == key)
        };
        match row.what {
            What::Call | What::Result if key.is_empty() => out.add("no call_id", n),
            What::Call | What::Result if key.len() > LONGEST => out.add("a long call_id", n),
            _ => {}
        }
        match row.what {
            What::Call if !key.is_empty() => {
                let mut outputs = others(What::Result).filter(|(_, output)| output.family == row.family);
                if outputs.next().is_none() {
                    out.add("a call without an output", n);
                }
                if let Some((_, first)) = others(What::Call).find(|(at, _)| *at < n) {
                    if first.tag == row.tag && first.id == row.id {
                        out.add("a copy of a call", n);
                    } else {
                        out.doubt("a call_id used again", n);
                    }
                }
            }
            What::Result if !key.is_empty() => {
                let calls = || others(What::Call).filter(|(_, call)| call.family == row.family);
                if others(What::Call).next().is_none() {
                    // The call may be one that is referenced.
                    if !rows[..n].iter().any(is_referenced_call) {
                        out.add("an output without a call", n);
                    }
                } else if calls().next().is_none() {
                    out.add("an output of another type", n);
                } else if !calls().any(|(at, _)| at < n) {
                    out.add("an output before its call", n);
                }
                let before: Vec<&Row> =
                    others(What::Result).filter(|(at, _)| *at < n).map(|(_, output)| output).collect();
                if before.len() >= calls().count().max(1) {
                    out.second("a second output", n, before.iter().any(|first| first.tag == row.tag));
                }
            }
            _ => {}
        }
    }
}

fn is_referenced_call(row: &Row) -> bool {
    let id = row.id.as_deref().unwrap_or_default();
    row.what == What::Reference && CALL_IDS.iter().any(|prefix| id.starts_with(prefix))
}

fn approvals(rows: &[Row], out: &mut Faults) {
    for (n, row) in rows.iter().enumerate() {
        let of = |what: What, id: Option<&str>| {
            rows.iter().any(|other| {
                other.what == what && id.is_some() && (other.key.as_deref() == id || other.id.as_deref() == id)
            })
        };
        match row.what {
            What::Ask if !of(What::Grant, row.id.as_deref()) => out.add("an approval without an answer", n),
            What::Grant if !of(What::Ask, row.key.as_deref()) => out.doubt("an answer to no approval", n),
            _ => {}
        }
    }
}

fn ids(rows: &[Row], out: &mut Faults) {
    let mut seen = BTreeSet::new();
    for (n, row) in rows.iter().enumerate() {
        let Some(id) = row.id.as_deref() else { continue };
        if !seen.insert(id) {
            out.add("an id twice", n);
        }
        if id.is_empty() || id.len() > LONGEST || id.starts_with("toolu_") || id.starts_with("call_") {
            out.add("an id of another kind", n);
        }
    }
}

/// What follows reasoning in the run of what the model made, outputs not counted.
fn made_after(rows: &[Row], n: usize) -> Option<&Row> {
    rows[n + 1..].iter().find(|row| !is_reasoning(row))
}

fn is_reasoning(row: &Row) -> bool {
    row.what == What::Reasoning
        || row.what == What::Reference && row.id.as_deref().is_some_and(|id| id.starts_with("rs_"))
}

/// The reasoning that an item has before it in its response: the last of the run.
fn head(rows: &[Row], n: usize) -> Option<&Row> {
    rows[..n].iter().rev().take_while(|row| row.is_made()).find(|row| is_reasoning(row))
}

fn reasoning(rows: &[Row], setting: &Setting, out: &mut Faults) {
    for (n, row) in rows.iter().enumerate() {
        if is_reasoning(row) {
            if row.what == What::Reasoning && !row.sealed {
                if !setting.stored {
                    out.add("reasoning without a blob", n);
                } else if row.id.is_none() {
                    out.doubt("reasoning with neither id nor blob", n);
                }
            }
            if row.id.is_some() {
                follower(rows, n, setting, out);
            }
        } else if row.is_made() && row.id.is_some() && row.what != What::Reference {
            match head(rows, n) {
                Some(head) if head.id.is_none() => out.add(LINKS[0], n),
                None if &*row.family == "web_search" => out.add(LINKS[1], n),
                // Something may have come between it and its reasoning.
                None if follows_lonely(rows, n) => out.doubt("an item apart from reasoning", n),
                _ => {}
            }
        }
    }
    regrouped(rows, out);
}

/// Whether the run of what the model made before the one that an item is in is nothing but reasoning at its end.
fn follows_lonely(rows: &[Row], n: usize) -> bool {
    let own = rows[..n].iter().rev().take_while(|row| row.is_made()).count();
    rows[..n - own].iter().rev().find(|row| row.is_made()).is_some_and(is_reasoning)
}

/// Reasoning with id needs what followed it.
fn follower(rows: &[Row], n: usize, setting: &Setting, out: &mut Faults) {
    let what = LINKS[2];
    match made_after(rows, n) {
        Some(next) if next.is_made() && next.id.is_some() => {}
        // A client that keeps no ids of messages sends this each turn.
        Some(next) if next.is_made() => out.doubt(what, n),
        _ if setting.stored => out.add(what, n),
        _ => out.doubt(what, n),
    }
}

/// All reasoning first, then all calls: what sorting by kind makes of them.
fn regrouped(rows: &[Row], out: &mut Faults) {
    for n in 0..rows.len() {
        let with_id = |row: &&Row| row.id.is_some();
        let run = rows[n..].iter().take_while(|row| row.what == What::Reasoning).filter(with_id).count();
        let begins = n == 0 || rows[n - 1].what != What::Reasoning;
        let calls = rows[n + run..].iter().take_while(|row| row.what == What::Call).filter(with_id).count();
        if begins && run > 1 && calls > 1 {
            out.add("reasoning regrouped", n);
        }
    }
}

/// Rules R1 and R2, by identity, and the outputs of referenced calls.
pub fn hidden(rows: &[Row], truth: &Truth) -> BTreeSet<String> {
    let mut illegal = BTreeSet::new();
    for (n, row) in rows.iter().enumerate() {
        let Some(id) = row.id.as_deref() else { continue };
        if is_referenced_call(row) {
            let key = truth.call_id_of.get(id).map(|key| &**key);
            if !rows[n..].iter().any(|row| row.what == What::Result && row.key.as_deref() == key) {
                illegal.insert(id.to_owned());
            }
        }
        if let Some(reasoning) = truth.reasoning_of.get(id) {
            let between = |row: &&Row| row.is_made() && !is_reasoning(row);
            let before = rows[..n].iter().rev().find(|row| !between(row));
            if before.and_then(|row| row.id.as_deref()) != Some(reasoning) {
                illegal.insert(id.to_owned());
            }
        }
        if is_reasoning(row) {
            // What belongs to no response of the history has lost its item before.
            let follower = truth.follower_of.get(id);
            if follower.is_none()
                || made_after(rows, n).and_then(|row| row.id.as_deref()) != follower.map(|id| &**id)
            {
                illegal.insert(id.to_owned());
            }
        }
        debug_assert!(row.role != Role::Client, "outputs have no ids");
    }
    let referenced: Vec<&str> =
        rows.iter().filter(|row| is_referenced_call(row)).filter_map(|row| row.id.as_deref()).collect();
    for row in rows.iter().filter(|row| row.what == What::Result && !referenced.is_empty()) {
        let key = row.key.as_deref();
        let called = rows.iter().any(|call| call.what == What::Call && call.key.as_deref() == key);
        if !called && !referenced.iter().any(|id| truth.call_id_of.get(*id).map(|key| &**key) == key) {
            illegal.insert(row.key_text().to_owned());
        }
    }
    illegal
}
