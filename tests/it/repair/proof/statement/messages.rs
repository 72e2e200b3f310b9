//! What is legal in the messages of the other dialects.

use std::collections::BTreeSet;

use super::{Faults, Setting};
use crate::repair::proof::rows::{Role, Row, What};

/// A turn: the messages of one side that follow each other, as rows.
pub struct Turn {
    pub role: Role,
    pub rows: Vec<usize>,
}

pub fn turns(rows: &[Row], merged: bool) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let joins = |turn: &&mut Turn| {
            let before = &rows[turn.rows[turn.rows.len() - 1]];
            row.message == before.message || merged && row.role == before.role
        };
        match turns.last_mut().filter(joins) {
            Some(turn) => turn.rows.push(n),
            None => turns.push(Turn { role: row.role, rows: vec![n] }),
        }
    }
    turns
}

fn of<'r>(rows: &'r [Row], turn: &'r Turn, what: What) -> impl Iterator<Item = (usize, &'r Row)> {
    turn.rows.iter().map(|n| (*n, &rows[*n])).filter(move |(_, row)| row.what == what)
}

fn has(rows: &[Row], turn: &Turn, what: What, key: &str) -> bool {
    of(rows, turn, what).any(|(_, row)| row.key_text() == key)
}

/// Whether the same result was there before.
fn is_copy(rows: &[Row], n: usize) -> bool {
    rows[..n].iter().any(|row| row.what == What::Result && row.key == rows[n].key && row.tag == rows[n].tag)
}

/// Rows of a kind whose key an earlier one of the turn has.
fn twice<'r>(rows: &'r [Row], turn: &'r Turn, what: What) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    of(rows, turn, what).filter(move |(_, row)| !seen.insert(row.key_text().to_owned())).map(|(n, _)| n)
}

fn keys(rows: &[Row], longest: usize, allowed: fn(char) -> bool, out: &mut Faults) {
    for (n, row) in rows.iter().enumerate().filter(|(_, row)| [What::Call, What::Result].contains(&row.what)) {
        let key = row.key_text();
        if key.is_empty() || key.chars().count() > longest || !key.chars().all(allowed) {
            out.add("an id that is not taken", n);
        }
    }
}

pub fn chat(rows: &[Row], out: &mut Faults) {
    if rows.is_empty() {
        out.add("nothing is sent", 0);
    }
    keys(rows, 64, |_| true, out);
    let turns = turns(rows, false);
    let mut call_turn: Option<&Turn> = None;
    let mut answered = BTreeSet::new();
    for (t, turn) in turns.iter().enumerate() {
        if turn.role != Role::Client {
            (call_turn, answered) = (Some(turn), BTreeSet::new());
            // The tool messages directly after it answer every call.
            let replies: Vec<&Turn> = turns[t + 1..].iter().take_while(|turn| turn.role == Role::Client).collect();
            for (n, call) in of(rows, turn, What::Call) {
                if !replies.iter().any(|reply| has(rows, reply, What::Result, call.key_text())) {
                    out.add("a call without a result", n);
                }
            }
            for n in twice(rows, turn, What::Call) {
                out.add("an id twice in a message", n);
            }
        }
        for (n, result) in of(rows, turn, What::Result) {
            let key = result.key_text();
            if !call_turn.is_some_and(|turn| has(rows, turn, What::Call, key)) {
                out.add("a result without a call", n);
            } else if !answered.insert(key) {
                out.second("a second result", n, is_copy(rows, n));
            }
        }
    }
    for (n, row) in rows.iter().enumerate() {
        match row.what {
            What::Empty => out.add("an empty list of calls", n),
            What::Text | What::Result if !row.valued => out.add("null content", n),
            What::Text if row.tag.is_empty() && row.is_made() => out.doubt("an empty message", n),
            _ => {}
        }
    }
}

pub fn anthropic(rows: &[Row], setting: &Setting, out: &mut Faults) {
    if rows.is_empty() {
        out.add("nothing is sent", 0);
    }
    keys(rows, 1 << 20, |c| c.is_ascii_alphanumeric() || "_-".contains(c), out);
    let turns = turns(rows, true);
    let mut seen = BTreeSet::new();
    for (t, turn) in turns.iter().enumerate() {
        let before = t.checked_sub(1).map(|t| &turns[t]).filter(|before| before.role == Role::Model);
        let leading = turns.get(t + 1).map(|next| {
            let leading = next.rows.iter().take_while(|n| rows[**n].what == What::Result);
            leading.map(|n| rows[*n].key_text()).collect::<BTreeSet<_>>()
        });
        let mut called = false;
        for n in &turn.rows {
            let row = &rows[*n];
            let key = row.key_text();
            match (row.what, row.role) {
                (What::Call, Role::Model) => {
                    called = true;
                    if !leading.as_ref().is_some_and(|leading| leading.contains(key)) {
                        out.add("a call without a result", *n);
                    }
                    if !row.formed {
                        out.add("arguments that are no object", *n);
                    }
                    if !seen.insert(key) && !twice(rows, turn, What::Call).any(|twice| twice == *n) {
                        out.doubt("an id of an earlier turn", *n);
                    }
                }
                (What::Result, Role::User) if !before.is_some_and(|before| has(rows, before, What::Call, key)) => {
                    out.add("a result without a call", *n);
                }
                (What::Result, Role::User) => {}
                (What::Call, _) | (What::Result, _) => out.add("a block on the wrong side", *n),
                (What::Reasoning, _) if !row.sealed => out.add("thinking without a signature", *n),
                (What::Text, _) if row.tag.is_empty() => out.add("an empty text", *n),
                (What::Empty, Role::User) => out.add("an empty message", *n),
                (What::Empty, _) => out.doubt("an empty message", *n),
                _ => {}
            }
            match row.what {
                // It is signed at its place.
                What::Reasoning if called => out.doubt("thinking after a call", *n),
                What::Call | What::Empty => {}
                _ if called => out.add("a block after a call", *n),
                _ => {}
            }
            if row.what == What::Reasoning && *n != turn.rows[0] && rows[*n - 1].what != What::Reasoning {
                out.doubt("thinking that is not first", *n);
            }
        }
        for n in twice(rows, turn, What::Call) {
            out.add("an id twice in a turn", n);
        }
        for n in twice(rows, turn, What::Result) {
            out.second("a second result", n, is_copy(rows, n));
        }
    }
    thinking_last(rows, &turns, out);
    if let Some(last) = turns.last().filter(|last| last.role == Role::Model && !setting.takes_prefill) {
        out.add("ends with the model's words", last.rows[last.rows.len() - 1]);
    }
}

fn thinking_last(rows: &[Row], turns: &[Turn], out: &mut Faults) {
    for last in turns.iter().filter_map(|turn| turn.rows.last()).filter(|n| rows[**n].what == What::Reasoning) {
        out.doubt("a turn that ends with thinking", *last);
    }
}

pub fn gemini(rows: &[Row], setting: &Setting, out: &mut Faults) {
    if rows.is_empty() {
        out.add("nothing is sent", 0);
    }
    let turns = turns(rows, true);
    // The current turn begins with what the user said last.
    let says = |turn: &Turn| turn.role == Role::User && of(rows, turn, What::Text).next().is_some();
    let current = turns.iter().rposition(says).unwrap_or(0);
    let all = |turn: Option<&Turn>, what: What| -> Vec<usize> {
        turn.into_iter().flat_map(|turn| of(rows, turn, what)).map(|(n, _)| n).collect()
    };
    for (t, turn) in turns.iter().enumerate() {
        let (calls, responses) = (all(Some(turn), What::Call), all(Some(turn), What::Result));
        if turn.role == Role::Model
            && let Some(first) = calls.first()
        {
            let next = turns.get(t + 1);
            let answers = all(next, What::Result);
            if t == 0 {
                out.add("a call at the start", *first);
            }
            if answers.is_empty() && next.is_some() && !setting.strict_gemini {
                out.doubt("a call without a response", *first);
            } else if answers.len() != calls.len() {
                for n in calls.iter().chain(&answers) {
                    out.add("not as many responses as calls", *n);
                }
            }
            // By number, they may be the wrong ones.
            let answered = |n: &usize| answers.iter().any(|answer| rows[*answer].key == rows[*n].key);
            for n in calls.iter().filter(|n| !answers.is_empty() && rows[**n].key.is_some() && !answered(n)) {
                out.doubt("a call whose response is another's", *n);
            }
            if t > current && setting.strict_gemini && !rows[*first].sealed {
                out.add("a call without a signature", *first);
            }
        }
        if turn.role == Role::User && !responses.is_empty() {
            if all(t.checked_sub(1).map(|t| &turns[t]), What::Call).is_empty() {
                for n in &responses {
                    out.add("a response without a call", *n);
                }
            }
            if responses.len() != turn.rows.len() {
                out.doubt("responses beside other parts", turn.rows[0]);
            }
        }
        for n in &turn.rows {
            let row = &rows[*n];
            match row.what {
                What::Result if row.name.is_empty() => out.add("a response without a name", *n),
                What::Text if row.tag.is_empty() => out.doubt("an empty text", *n),
                What::Empty => out.doubt("an empty message", *n),
                _ => {}
            }
        }
    }
}

pub fn bedrock(rows: &[Row], setting: &Setting, out: &mut Faults) {
    if rows.is_empty() {
        out.add("nothing is sent", 0);
    }
    keys(rows, 64, |c| c.is_ascii_alphanumeric() || "_.:-".contains(c), out);
    let turns = turns(rows, true);
    for (t, turn) in turns.iter().enumerate() {
        let next = turns.get(t + 1);
        let before = t.checked_sub(1).map(|t| &turns[t]);
        for n in &turn.rows {
            let row = &rows[*n];
            let key = row.key_text();
            let around = |other: Option<&Turn>, what: What| {
                has(rows, turn, what, key) || other.is_some_and(|other| has(rows, other, what, key))
            };
            match row.what {
                What::Call if !around(next, What::Result) => out.add("a call without a result", *n),
                What::Call if !row.formed => out.add("arguments that are no object", *n),
                What::Result if !around(before, What::Call) => out.add("a result without a call", *n),
                What::Empty => out.add("an empty message", *n),
                What::Text if row.tag.is_empty() => out.doubt("an empty text", *n),
                What::Reasoning if !row.sealed => out.add("reasoning without a signature", *n),
                _ => {}
            }
        }
        for n in twice(rows, turn, What::Call) {
            out.add("an id twice in a turn", n);
        }
        for n in twice(rows, turn, What::Result) {
            out.second("a second result", n, is_copy(rows, n));
        }
    }
    thinking_last(rows, &turns, out);
    if turns.first().is_some_and(|turn| turn.role != Role::User) {
        let what = "begins with the model";
        if setting.takes_model_first { out.doubt(what, 0) } else { out.add(what, 0) }
    }
}
