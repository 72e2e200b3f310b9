//! The cheapest repair that the statement accepts, found by exhaustive search: every set of acts on the rows near a fault,
//! cheapest first, under the default policy (results and thinking never become text, approvals and calls with results
//! other than text are never answered, the user's text is never removed).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use replaylint::Dialect;

use super::generator::ServerLinks;
use super::loss::RepairLoss;
use super::rows::{ProofRow, RowKind, RowRole, SharedStr};
use super::statement::{self, FaultCertainty, LegalityContext, LegalityFault};

/// Maximum number of rows near a fault; with more the search gives no answer.
const MAX_ROWS: usize = 10;

/// Maximum number of repairs that are judged.
const MAX_TRIES: usize = 6_000;

/// A change of one row that the search may try; ordered by preference at equal cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrialAct {
    /// A result moves to directly after the calls of its call's turn.
    Move,
    /// A call and its result get a new id.
    Rename,
    /// An output gets the type that its call requires.
    Retype,
    /// A missing or invalid value is filled in.
    Fill,
    /// A block moves to before the calls of its turn.
    MoveBeforeCalls,
    Drop,
    Answer,
    Strip,
}

/// An act on a row, and its cost.
#[derive(Clone, Debug)]
struct CandidateAct {
    row: usize,
    act: TrialAct,
    cost: RepairLoss,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum SearchResult {
    Found(RepairLoss, Vec<(usize, TrialAct)>),
    /// No set of acts makes the history legal.
    Impossible,
    /// Too many rows or repairs to try all of them.
    Unknown,
}

/// The search for the cheapest repair of one history.
pub struct Search<'c> {
    pub rows: &'c [ProofRow],
    pub context: &'c LegalityContext,
    pub links: &'c ServerLinks,
    /// True if doubtful faults must be repaired, too.
    pub is_strict: bool,
}

impl Search<'_> {
    /// The cheapest repair below a cost; a cost without acts if there is none below it.
    pub fn find_below(&self, most: Option<RepairLoss>) -> SearchResult {
        let faults = statement::faults(self.rows, self.context);
        let mut near = rows_near_faults(self.rows, &faults, self.is_strict);
        let is_cut = near.len() > MAX_ROWS;
        near.truncate(MAX_ROWS);
        let choices = self.choices(&near);
        let doubts = statement::other_faults(self.rows, &faults);
        let mut queue = BinaryHeap::from([Reverse((RepairLoss::NONE, 0usize, Vec::<u16>::new()))]);
        let mut tries = 0;
        while let Some(Reverse((cost, _, chosen))) = queue.pop() {
            if most.is_some_and(|most| cost >= most) {
                return SearchResult::Found(cost, Vec::new());
            }
            tries += 1;
            if tries > MAX_TRIES {
                return SearchResult::Unknown;
            }
            let acts: Vec<(usize, TrialAct)> =
                chosen.iter().map(|n| &choices[usize::from(*n)]).map(|choice| (choice.row, choice.act)).collect();
            let repaired = apply(self.rows, &acts, self.context.dialect);
            let found = statement::faults(&repaired, self.context);
            let left = statement::other_faults(&repaired, &found);
            let doubted = match self.is_strict {
                true => found.iter().any(|fault| fault.certainty == FaultCertainty::Doubtful),
                false => !left.is_subset(&doubts),
            };
            let legal = !found.iter().any(LegalityFault::is_certain) && !doubted;
            if legal && statement::new_hidden_faults(self.rows, &repaired, self.links, self.context).is_empty() {
                return SearchResult::Found(cost, acts);
            }
            let from = chosen.last().map_or(0, |last| usize::from(*last) + 1);
            for (n, choice) in choices.iter().enumerate().skip(from) {
                let clashes = |other: &(usize, TrialAct)| {
                    other.0 == choice.row && (other.1 == TrialAct::Drop || choice.act == TrialAct::Drop)
                };
                if !acts.iter().any(clashes) {
                    let mut chosen = chosen.clone();
                    chosen.push(u16::try_from(n).expect("few"));
                    queue.push(Reverse((cost.plus(choice.cost), chosen.len(), chosen)));
                }
            }
        }
        if is_cut { SearchResult::Unknown } else { SearchResult::Impossible }
    }

    fn choices(&self, near: &[usize]) -> Vec<CandidateAct> {
        let mut choices = Vec::new();
        let dialect = self.context.dialect;
        for &row in near {
            let mut add = |act: TrialAct, cost: RepairLoss| choices.push(CandidateAct { row, act, cost });
            let this = &self.rows[row];
            let call = call_of(self.rows, row);
            match this.kind {
                RowKind::Result => {
                    if call.is_some_and(|call| is_misplaced(self.rows, call, row, dialect)) {
                        add(TrialAct::Move, RepairLoss::NONE);
                    }
                    let has_own = |call: usize| {
                        let of =
                            |row: &ProofRow| row.kind == RowKind::Result && row.family == self.rows[call].family;
                        self.rows.iter().any(|row| of(row) && row.key == this.key)
                    };
                    if call.is_some_and(|call| self.rows[call].family != this.family && !has_own(call)) {
                        add(TrialAct::Retype, RepairLoss::NONE);
                    }
                    if !this.has_value || this.name.is_empty() && dialect == Dialect::Gemini {
                        add(TrialAct::Fill, RepairLoss::NONE);
                    }
                }
                RowKind::Call => {
                    if partner(self.rows, row).is_some() {
                        add(TrialAct::Rename, RepairLoss::NONE);
                    }
                    if !this.has_valid_arguments || dialect == Dialect::Gemini && !this.is_sealed {
                        add(TrialAct::Fill, RepairLoss::NONE);
                    }
                    if ["function", "custom_tool", "local_shell"].contains(&&*this.family) {
                        add(TrialAct::Answer, RepairLoss::PLACEHOLDER);
                    }
                }
                RowKind::Text if !this.has_value => add(TrialAct::Fill, RepairLoss::NONE),
                _ => {}
            }
            if this.is_from_model() && this.kind != RowKind::Call && dialect == Dialect::Anthropic {
                add(TrialAct::MoveBeforeCalls, RepairLoss::NONE);
            }
            if this.id.is_some()
                && ![RowKind::Hosted, RowKind::Reference, RowKind::ApprovalRequest].contains(&this.kind)
            {
                add(TrialAct::Strip, RepairLoss::ID);
            }
            // Where calls need no ids, two equal calls without ids are two calls.
            let is_distinct = dialect != Dialect::Gemini
                || !matches!(this.kind, RowKind::Call | RowKind::Result)
                || this.key.as_deref().is_some_and(|key| !key.is_empty());
            let is_copy = is_distinct
                && self.rows[..row]
                    .iter()
                    .any(|other| other.identity().is_some() && other.identity() == this.identity());
            let cost = if is_copy { RepairLoss::NONE } else { RepairLoss::of(this) };
            if cost.user == 0 {
                add(TrialAct::Drop, cost);
            }
        }
        // Cheapest first: sets are extended in this order only.
        choices.sort_by_key(|choice| (choice.cost, choice.act, choice.row));
        choices
    }
}

/// The rows that a repair can change, the most likely first: those with faults, their partners, and the runs and turns
/// that contain them.
fn rows_near_faults(rows: &[ProofRow], faults: &[LegalityFault], doubtful: bool) -> Vec<usize> {
    let mut near: Vec<usize> = Vec::new();
    let add = |near: &mut Vec<usize>, more: &mut dyn Iterator<Item = usize>| {
        for n in more {
            if n < rows.len() && !near.contains(&n) {
                near.push(n);
            }
        }
    };
    add(&mut near, &mut faults.iter().filter(|fault| doubtful || fault.is_certain()).map(|fault| fault.row));
    for n in near.clone() {
        let row = &rows[n];
        let alike = |other: &ProofRow| {
            row.key.is_some() && row.key == other.key
                || row.id.is_some() && row.id == other.id
                || row.identity().is_some() && row.identity() == other.identity()
        };
        add(&mut near, &mut (0..rows.len()).filter(|n| alike(&rows[*n])));
    }
    // The item that reasoning was separated from.
    for n in near.clone().into_iter().filter(|n| is_reasoning_or_reference(&rows[*n])) {
        let parted = n + 1 + rows[n + 1..].iter().take_while(|row| is_reasoning_or_reference(row)).count();
        add(&mut near, &mut (parted..rows.len()).filter(|n| rows[*n].is_from_model()).take(1));
    }
    // The rows before the user's first text.
    if near.contains(&0) && rows[0].is_from_model() {
        let begins = rows.iter().position(|row| row.role == RowRole::User && row.kind == RowKind::Text);
        add(&mut near, &mut (0..begins.unwrap_or(rows.len())));
    }
    // The model's run of rows, and the outputs after it.
    for n in near.clone() {
        let at = match rows[n].is_from_model() {
            true => n,
            false => rows[..n].iter().rposition(ProofRow::is_from_model).unwrap_or(n),
        };
        let is_model = |row: &&ProofRow| row.is_from_model();
        let start = at - rows[..at].iter().rev().take_while(is_model).count();
        let end = at + rows[at..].iter().take_while(is_model).count();
        let outputs =
            rows[end..].iter().take_while(|row| [RowKind::Result, RowKind::Empty].contains(&row.kind)).count();
        add(&mut near, &mut (start..end + outputs));
    }
    near
}

/// The call with the key of a result.
fn call_of(rows: &[ProofRow], result: usize) -> Option<usize> {
    let Some(key) = rows[result].key.as_deref().filter(|key| !key.is_empty()) else {
        let is = |call: usize| rows[call].kind == RowKind::Call && partner(rows, call) == Some(result);
        return (0..result).find(|call| is(*call));
    };
    let is = |row: &ProofRow| row.kind == RowKind::Call && row.key.as_deref() == Some(key);
    // The nearest one before the result, else the first.
    rows[..result].iter().rposition(is).or_else(|| rows.iter().position(is))
}

/// The result that shares an id with a call, if no other row does.
fn partner(rows: &[ProofRow], call: usize) -> Option<usize> {
    let key = &rows[call].key;
    let share = |kind: RowKind| {
        let of = move |(_, row): &(usize, &ProofRow)| {
            row.kind == kind && row.key_text() == key.as_deref().unwrap_or_default()
        };
        rows.iter().enumerate().filter(of).map(|(n, _)| n).collect::<Vec<_>>()
    };
    let (calls, results) = (share(RowKind::Call), share(RowKind::Result));
    if key.as_deref().unwrap_or_default().is_empty() {
        // One call and one result, in one batch.
        let (&[_], &[result]) = (calls.as_slice(), results.as_slice()) else { return None };
        let between = rows.get(call..result)?;
        return between.iter().all(|row| row.kind != RowKind::Text || row.is_from_model()).then_some(result);
    }
    results
        .into_iter()
        .find(|result| *result > call && !calls.iter().any(|other| (call + 1..*result).contains(other)))
}

/// True if a result is not among those directly after its call's turn.
fn is_misplaced(rows: &[ProofRow], call: usize, result: usize, dialect: Dialect) -> bool {
    let (start, slot) = slot(rows, call, dialect);
    !(start..slot).contains(&result)
}

fn is_reasoning_or_reference(row: &ProofRow) -> bool {
    row.kind == RowKind::Reasoning || row.kind == RowKind::Reference
}

/// The start of the results of a call's turn, and the position for another one.
fn slot(rows: &[ProofRow], call: usize, dialect: Dialect) -> (usize, usize) {
    let mut at = call + 1;
    let while_some = |mut at: usize, holds: &dyn Fn(&ProofRow) -> bool| {
        while rows.get(at).is_some_and(holds) {
            at += 1;
        }
        at
    };
    at = match dialect {
        Dialect::Responses => while_some(at, &|row| row.is_from_model() && !is_reasoning_or_reference(row)),
        Dialect::Chat => while_some(at, &|row| row.message == rows[call].message),
        _ => while_some(at, &|row| row.is_from_model()),
    };
    (at, while_some(at, &|row| row.kind == RowKind::Result))
}

/// Inserts a result after those of its call's turn.
fn insert_result(rows: &mut Vec<ProofRow>, mut row: ProofRow, call: usize, dialect: Dialect, message: u32) {
    let (start, at) = slot(rows, call, dialect);
    (row.role, row.message) = match dialect {
        Dialect::Responses | Dialect::Chat => (RowRole::Client, message),
        // Into the user's message, if there is one.
        _ => (
            RowRole::User,
            rows.get(start).filter(|next| next.role == RowRole::User).map_or(message, |next| next.message),
        ),
    };
    rows.insert(at, row);
}

fn apply(rows: &[ProofRow], acts: &[(usize, TrialAct)], dialect: Dialect) -> Vec<ProofRow> {
    // Rows keep their numbers until all acts are applied.
    let mut repaired: Vec<(usize, ProofRow)> = rows.iter().cloned().enumerate().collect();
    let with = |act: TrialAct| acts.iter().filter(move |(_, other)| *other == act).map(|(row, _)| *row);
    for row in with(TrialAct::Rename) {
        let key: SharedStr = format!("renamed_{row}").into();
        let partner = partner(rows, row).expect("only those with one are renamed");
        repaired[row].1.key = Some(key.clone());
        repaired[partner].1.key = Some(key);
    }
    for row in with(TrialAct::Retype) {
        let family = call_of(rows, row).map(|call| rows[call].family.clone());
        repaired[row].1.family = family.expect("only those with a call are changed");
    }
    for row in with(TrialAct::Strip) {
        repaired[row].1.id = None;
    }
    for row in with(TrialAct::Fill) {
        let row = &mut repaired[row].1;
        (row.has_value, row.has_valid_arguments, row.is_sealed, row.name) = (true, true, true, "f".into());
    }
    let answered: Vec<usize> = with(TrialAct::Answer).collect();
    let moved: Vec<usize> = with(TrialAct::Move).collect();
    let fronted: Vec<usize> = with(TrialAct::MoveBeforeCalls).collect();
    repaired.retain(|(n, _)| !acts.contains(&(*n, TrialAct::Drop)));
    for number in fronted {
        let Some(at) = repaired.iter().position(|(n, _)| *n == number) else { continue };
        let start = at - repaired[..at].iter().rev().take_while(|(_, row)| row.is_from_model()).count();
        if let Some(call) = repaired[start..at].iter().position(|(_, row)| row.kind == RowKind::Call) {
            let mut row = repaired.remove(at);
            row.1.message = repaired[start + call].1.message;
            repaired.insert(start + call, row);
        }
    }
    let mut next = u32::MAX;
    for (number, is_new) in moved.into_iter().map(|n| (n, false)).chain(answered.into_iter().map(|n| (n, true))) {
        next -= 1;
        let Some(at) = repaired.iter().position(|(n, _)| *n == number) else { continue };
        let (row, call) = if is_new {
            let call = &repaired[at].1;
            let mut row = ProofRow::new(next, RowRole::Client, RowKind::Result, "no result");
            (row.key, row.family, row.name) = (call.key.clone(), call.family.clone(), call.name.clone());
            ((usize::MAX, row), at)
        } else {
            let row = repaired.remove(at);
            let call = repaired.iter().position(|(_, call)| call.kind == RowKind::Call && call.key == row.1.key);
            let Some(call) = call else {
                repaired.insert(at, row);
                continue;
            };
            (row, call)
        };
        let numbers: Vec<usize> = repaired.iter().map(|(n, _)| *n).collect();
        let mut plain: Vec<ProofRow> = repaired.into_iter().map(|(_, row)| row).collect();
        let (_, slot) = slot(&plain, call, dialect);
        insert_result(&mut plain, row.1, call, dialect, next);
        repaired = numbers
            .into_iter()
            .zip(plain.iter().cloned().enumerate().filter(|(n, _)| *n != slot).map(|(_, row)| row))
            .collect();
        repaired.insert(slot, (row.0, plain[slot].clone()));
    }
    repaired.into_iter().map(|(_, row)| row).collect()
}
