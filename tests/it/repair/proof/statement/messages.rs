//! The rules for messages of the other dialects.

use std::collections::BTreeSet;

use super::{FaultList, LegalityContext};
use crate::repair::proof::rows::{ProofRow, RowKind, RowRole};

/// A turn: consecutive messages of one role, as indices of rows.
pub struct MessageTurn {
    pub role: RowRole,
    pub rows: Vec<usize>,
}

/// Groups rows into turns; `merged` joins consecutive messages of one role.
pub fn turns(rows: &[ProofRow], merged: bool) -> Vec<MessageTurn> {
    let mut turns: Vec<MessageTurn> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let joins = |turn: &&mut MessageTurn| {
            let before = &rows[turn.rows[turn.rows.len() - 1]];
            row.message == before.message || merged && row.role == before.role
        };
        match turns.last_mut().filter(joins) {
            Some(turn) => turn.rows.push(n),
            None => turns.push(MessageTurn { role: row.role, rows: vec![n] }),
        }
    }
    turns
}

fn rows_of_kind<'r>(
    rows: &'r [ProofRow],
    turn: &'r MessageTurn,
    kind: RowKind,
) -> impl Iterator<Item = (usize, &'r ProofRow)> {
    turn.rows.iter().map(|n| (*n, &rows[*n])).filter(move |(_, row)| row.kind == kind)
}

fn has_key(rows: &[ProofRow], turn: &MessageTurn, kind: RowKind, key: &str) -> bool {
    rows_of_kind(rows, turn, kind).any(|(_, row)| row.key_text() == key)
}

/// True if an earlier result is equal.
fn is_copy(rows: &[ProofRow], n: usize) -> bool {
    rows[..n].iter().any(|row| row.kind == RowKind::Result && row.key == rows[n].key && row.tag == rows[n].tag)
}

/// Rows of a kind that repeat the key of an earlier one of the turn.
fn repeated_keys<'r>(rows: &'r [ProofRow], turn: &'r MessageTurn, kind: RowKind) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    rows_of_kind(rows, turn, kind).filter(move |(_, row)| !seen.insert(row.key_text().to_owned())).map(|(n, _)| n)
}

fn check_keys(rows: &[ProofRow], longest: usize, allowed: fn(char) -> bool, faults: &mut FaultList) {
    for (n, row) in rows.iter().enumerate().filter(|(_, row)| [RowKind::Call, RowKind::Result].contains(&row.kind))
    {
        let key = row.key_text();
        if key.is_empty() || key.chars().count() > longest || !key.chars().all(allowed) {
            faults.add("an id that is not accepted", n);
        }
    }
}

pub fn judge_chat(rows: &[ProofRow], faults: &mut FaultList) {
    if rows.is_empty() {
        faults.add("nothing is sent", 0);
    }
    check_keys(rows, 64, |_| true, faults);
    let turns = turns(rows, false);
    let mut call_turn: Option<&MessageTurn> = None;
    let mut answered = BTreeSet::new();
    for (t, turn) in turns.iter().enumerate() {
        if turn.role != RowRole::Client {
            (call_turn, answered) = (Some(turn), BTreeSet::new());
            // The tool messages directly after it answer every call.
            let replies: Vec<&MessageTurn> =
                turns[t + 1..].iter().take_while(|turn| turn.role == RowRole::Client).collect();
            for (n, call) in rows_of_kind(rows, turn, RowKind::Call) {
                if !replies.iter().any(|reply| has_key(rows, reply, RowKind::Result, call.key_text())) {
                    faults.add("a call without a result", n);
                }
            }
            for n in repeated_keys(rows, turn, RowKind::Call) {
                faults.add("an id twice in a message", n);
            }
        }
        for (n, result) in rows_of_kind(rows, turn, RowKind::Result) {
            let key = result.key_text();
            if !call_turn.is_some_and(|turn| has_key(rows, turn, RowKind::Call, key)) {
                faults.add("a result without a call", n);
            } else if !answered.insert(key) {
                faults.add_duplicate("a second result", n, is_copy(rows, n));
            }
        }
    }
    for (n, row) in rows.iter().enumerate() {
        match row.kind {
            RowKind::Empty => faults.add("an empty list of calls", n),
            RowKind::Text | RowKind::Result if !row.has_value => faults.add("null content", n),
            RowKind::Text if row.tag.is_empty() && row.is_from_model() => {
                faults.add_doubtful("an empty message", n)
            }
            _ => {}
        }
    }
}

pub fn judge_anthropic(rows: &[ProofRow], context: &LegalityContext, faults: &mut FaultList) {
    if rows.is_empty() {
        faults.add("nothing is sent", 0);
    }
    check_keys(rows, 1 << 20, |c| c.is_ascii_alphanumeric() || "_-".contains(c), faults);
    let turns = turns(rows, true);
    let mut seen = BTreeSet::new();
    for (t, turn) in turns.iter().enumerate() {
        let before = t.checked_sub(1).map(|t| &turns[t]).filter(|before| before.role == RowRole::Model);
        let leading = turns.get(t + 1).map(|next| {
            let leading = next.rows.iter().take_while(|n| rows[**n].kind == RowKind::Result);
            leading.map(|n| rows[*n].key_text()).collect::<BTreeSet<_>>()
        });
        let mut called = false;
        for n in &turn.rows {
            let row = &rows[*n];
            let key = row.key_text();
            match (row.kind, row.role) {
                (RowKind::Call, RowRole::Model) => {
                    called = true;
                    if !leading.as_ref().is_some_and(|leading| leading.contains(key)) {
                        faults.add("a call without a result", *n);
                    }
                    if !row.has_valid_arguments {
                        faults.add("arguments that are no object", *n);
                    }
                    if !seen.insert(key)
                        && !repeated_keys(rows, turn, RowKind::Call).any(|repeated| repeated == *n)
                    {
                        faults.add_doubtful("an id of an earlier turn", *n);
                    }
                }
                (RowKind::Result, RowRole::User)
                    if !before.is_some_and(|before| has_key(rows, before, RowKind::Call, key)) =>
                {
                    faults.add("a result without a call", *n);
                }
                (RowKind::Result, RowRole::User) => {}
                (RowKind::Call, _) | (RowKind::Result, _) => faults.add("a block on the wrong side", *n),
                (RowKind::Reasoning, _) if !row.is_sealed => faults.add("thinking without a signature", *n),
                (RowKind::Text, _) if row.tag.is_empty() => faults.add("an empty text", *n),
                (RowKind::Empty, RowRole::User) => faults.add("an empty message", *n),
                (RowKind::Empty, _) => faults.add_doubtful("an empty message", *n),
                _ => {}
            }
            match row.kind {
                // Its signature covers its position.
                RowKind::Reasoning if called => faults.add_doubtful("thinking after a call", *n),
                RowKind::Call | RowKind::Empty => {}
                _ if called => faults.add("a block after a call", *n),
                _ => {}
            }
            if row.kind == RowKind::Reasoning && *n != turn.rows[0] && rows[*n - 1].kind != RowKind::Reasoning {
                faults.add_doubtful("thinking that is not first", *n);
            }
        }
        for n in repeated_keys(rows, turn, RowKind::Call) {
            faults.add("an id twice in a turn", n);
        }
        for n in repeated_keys(rows, turn, RowKind::Result) {
            faults.add_duplicate("a second result", n, is_copy(rows, n));
        }
    }
    check_last_thinking(rows, &turns, faults);
    if let Some(last) = turns.last().filter(|last| last.role == RowRole::Model && !context.accepts_prefill) {
        faults.add("ends with the model's words", last.rows[last.rows.len() - 1]);
    }
}

fn check_last_thinking(rows: &[ProofRow], turns: &[MessageTurn], faults: &mut FaultList) {
    for last in turns.iter().filter_map(|turn| turn.rows.last()).filter(|n| rows[**n].kind == RowKind::Reasoning) {
        faults.add_doubtful("a turn that ends with thinking", *last);
    }
}

pub fn judge_gemini(rows: &[ProofRow], context: &LegalityContext, faults: &mut FaultList) {
    if rows.is_empty() {
        faults.add("nothing is sent", 0);
    }
    let turns = turns(rows, true);
    // The current turn begins with the user's last text.
    let says = |turn: &MessageTurn| {
        turn.role == RowRole::User && rows_of_kind(rows, turn, RowKind::Text).next().is_some()
    };
    let current = turns.iter().rposition(says).unwrap_or(0);
    let all = |turn: Option<&MessageTurn>, kind: RowKind| -> Vec<usize> {
        turn.into_iter().flat_map(|turn| rows_of_kind(rows, turn, kind)).map(|(n, _)| n).collect()
    };
    for (t, turn) in turns.iter().enumerate() {
        let (calls, responses) = (all(Some(turn), RowKind::Call), all(Some(turn), RowKind::Result));
        if turn.role == RowRole::Model
            && let Some(first) = calls.first()
        {
            let next = turns.get(t + 1);
            let answers = all(next, RowKind::Result);
            if t == 0 {
                faults.add("a call at the start", *first);
            }
            if answers.is_empty() && next.is_some() && !context.strict_gemini {
                faults.add_doubtful("a call without a response", *first);
            } else if answers.len() != calls.len() {
                for n in calls.iter().chain(&answers) {
                    faults.add("not as many responses as calls", *n);
                }
            }
            // Their number is right, but they may be the wrong ones.
            let answered = |n: &usize| answers.iter().any(|answer| rows[*answer].key == rows[*n].key);
            for n in calls.iter().filter(|n| !answers.is_empty() && rows[**n].key.is_some() && !answered(n)) {
                faults.add_doubtful("a call whose response is another's", *n);
            }
            if t > current && context.strict_gemini && !rows[*first].is_sealed {
                faults.add("a call without a signature", *first);
            }
        }
        if turn.role == RowRole::User && !responses.is_empty() {
            if all(t.checked_sub(1).map(|t| &turns[t]), RowKind::Call).is_empty() {
                for n in &responses {
                    faults.add("a response without a call", *n);
                }
            }
            if responses.len() != turn.rows.len() {
                faults.add_doubtful("responses beside other parts", turn.rows[0]);
            }
        }
        for n in &turn.rows {
            let row = &rows[*n];
            match row.kind {
                RowKind::Result if row.name.is_empty() => faults.add("a response without a name", *n),
                RowKind::Text if row.tag.is_empty() => faults.add_doubtful("an empty text", *n),
                RowKind::Empty => faults.add_doubtful("an empty message", *n),
                _ => {}
            }
        }
    }
}

pub fn judge_bedrock(rows: &[ProofRow], context: &LegalityContext, faults: &mut FaultList) {
    if rows.is_empty() {
        faults.add("nothing is sent", 0);
    }
    check_keys(rows, 64, |c| c.is_ascii_alphanumeric() || "_.:-".contains(c), faults);
    let turns = turns(rows, true);
    for (t, turn) in turns.iter().enumerate() {
        let next = turns.get(t + 1);
        let before = t.checked_sub(1).map(|t| &turns[t]);
        for n in &turn.rows {
            let row = &rows[*n];
            let key = row.key_text();
            let around = |other: Option<&MessageTurn>, kind: RowKind| {
                has_key(rows, turn, kind, key) || other.is_some_and(|other| has_key(rows, other, kind, key))
            };
            match row.kind {
                RowKind::Call if !around(next, RowKind::Result) => faults.add("a call without a result", *n),
                RowKind::Call if !row.has_valid_arguments => faults.add("arguments that are no object", *n),
                RowKind::Result if !around(before, RowKind::Call) => faults.add("a result without a call", *n),
                RowKind::Empty => faults.add("an empty message", *n),
                RowKind::Text if row.tag.is_empty() => faults.add_doubtful("an empty text", *n),
                RowKind::Reasoning if !row.is_sealed => faults.add("reasoning without a signature", *n),
                _ => {}
            }
        }
        for n in repeated_keys(rows, turn, RowKind::Call) {
            faults.add("an id twice in a turn", n);
        }
        for n in repeated_keys(rows, turn, RowKind::Result) {
            faults.add_duplicate("a second result", n, is_copy(rows, n));
        }
    }
    check_last_thinking(rows, &turns, faults);
    if turns.first().is_some_and(|turn| turn.role != RowRole::User) {
        let kind = "begins with the model";
        if context.accepts_model_first { faults.add_doubtful(kind, 0) } else { faults.add(kind, 0) }
    }
}
