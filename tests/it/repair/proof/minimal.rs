//! The cheapest repair that the statement accepts, found by trying: every set of acts on the rows near a fault, cheapest
//! first, under the policy that holds without flags (results and thinking never become text, approvals and calls whose
//! results are no text are never answered, what the user said never goes).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use replaylint::Dialect;

use super::generator::Truth;
use super::loss::Loss;
use super::rows::{Role, Row, Text, What};
use super::statement::{self, Fault, Setting, Weight};

/// So many rows near a fault are tried; with more there is no answer.
const ROWS: usize = 10;

/// So many repairs are judged.
const TRIES: usize = 6_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// Behind the calls that its call belongs to.
    Move,
    /// A call and its result get an id of their own.
    Rename,
    /// An output takes the type that its call asks for.
    Retype,
    /// What has no value, or not the right one, gets one.
    Fill,
    /// Before the calls of its turn.
    Front,
    Drop,
    Answer,
    Strip,
}

#[derive(Clone, Debug)]
struct Choice {
    row: usize,
    act: Act,
    cost: Loss,
}

/// What the search came to.
#[derive(Clone, Debug)]
pub enum Cheapest {
    Found(Loss, Vec<(usize, Act)>),
    /// None of the acts that are on by default makes it legal.
    Impossible,
    /// Too large to try everything.
    Unknown,
}

pub struct Search<'c> {
    pub rows: &'c [Row],
    pub setting: &'c Setting,
    pub truth: &'c Truth,
    /// Whether the result must hold nothing that is doubtful, either.
    pub beyond_doubt: bool,
}

impl Search<'_> {
    /// The cheapest repair, if it costs less than what is given.
    pub fn below(&self, most: Option<Loss>) -> Cheapest {
        let faults = statement::faults(self.rows, self.setting);
        let mut near = near(self.rows, &faults, self.beyond_doubt);
        let is_cut = near.len() > ROWS;
        near.truncate(ROWS);
        let choices = self.choices(&near);
        let doubts = statement::doubtful(self.rows, &faults);
        let mut queue = BinaryHeap::from([Reverse((Loss::NONE, 0usize, Vec::<u16>::new()))]);
        let mut tries = 0;
        while let Some(Reverse((cost, _, chosen))) = queue.pop() {
            if most.is_some_and(|most| cost >= most) {
                return Cheapest::Found(cost, Vec::new());
            }
            tries += 1;
            if tries > TRIES {
                return Cheapest::Unknown;
            }
            let acts: Vec<(usize, Act)> =
                chosen.iter().map(|n| &choices[usize::from(*n)]).map(|choice| (choice.row, choice.act)).collect();
            let made = apply(self.rows, &acts, self.setting.dialect);
            let found = statement::faults(&made, self.setting);
            let left = statement::doubtful(&made, &found);
            let doubted = match self.beyond_doubt {
                true => found.iter().any(|fault| fault.weight == Weight::Doubtful),
                false => !left.is_subset(&doubts),
            };
            let legal = !found.iter().any(Fault::is_certain) && !doubted;
            if legal && statement::worse(self.rows, &made, self.truth, self.setting).is_empty() {
                return Cheapest::Found(cost, acts);
            }
            let from = chosen.last().map_or(0, |last| usize::from(*last) + 1);
            for (n, choice) in choices.iter().enumerate().skip(from) {
                let clashes = |other: &(usize, Act)| {
                    other.0 == choice.row && (other.1 == Act::Drop || choice.act == Act::Drop)
                };
                if !acts.iter().any(clashes) {
                    let mut chosen = chosen.clone();
                    chosen.push(u16::try_from(n).expect("few"));
                    queue.push(Reverse((cost.plus(choice.cost), chosen.len(), chosen)));
                }
            }
        }
        if is_cut { Cheapest::Unknown } else { Cheapest::Impossible }
    }

    fn choices(&self, near: &[usize]) -> Vec<Choice> {
        let mut choices = Vec::new();
        let dialect = self.setting.dialect;
        for &row in near {
            let mut add = |act: Act, cost: Loss| choices.push(Choice { row, act, cost });
            let this = &self.rows[row];
            let call = call_of(self.rows, row);
            match this.what {
                What::Result => {
                    if call.is_some_and(|call| is_misplaced(self.rows, call, row, dialect)) {
                        add(Act::Move, Loss::NONE);
                    }
                    let has_own = |call: usize| {
                        let of = |row: &Row| row.what == What::Result && row.family == self.rows[call].family;
                        self.rows.iter().any(|row| of(row) && row.key == this.key)
                    };
                    if call.is_some_and(|call| self.rows[call].family != this.family && !has_own(call)) {
                        add(Act::Retype, Loss::NONE);
                    }
                    if !this.valued || this.name.is_empty() && dialect == Dialect::Gemini {
                        add(Act::Fill, Loss::NONE);
                    }
                }
                What::Call => {
                    if partner(self.rows, row).is_some() {
                        add(Act::Rename, Loss::NONE);
                    }
                    if !this.formed || dialect == Dialect::Gemini && !this.sealed {
                        add(Act::Fill, Loss::NONE);
                    }
                    if ["function", "custom_tool", "local_shell"].contains(&&*this.family) {
                        add(Act::Answer, Loss::ADD);
                    }
                }
                What::Text if !this.valued => add(Act::Fill, Loss::NONE),
                _ => {}
            }
            if this.is_made() && this.what != What::Call && dialect == Dialect::Anthropic {
                add(Act::Front, Loss::NONE);
            }
            if this.id.is_some() && ![What::Hosted, What::Reference, What::Ask].contains(&this.what) {
                add(Act::Strip, Loss::ID);
            }
            // Where calls need no ids, two without one that say the same are two calls.
            let is_told = dialect != Dialect::Gemini
                || !matches!(this.what, What::Call | What::Result)
                || this.key.as_deref().is_some_and(|key| !key.is_empty());
            let is_copy = is_told
                && self.rows[..row].iter().any(|other| other.unit().is_some() && other.unit() == this.unit());
            let cost = if is_copy { Loss::NONE } else { Loss::of(this) };
            if cost.user == 0 {
                add(Act::Drop, cost);
            }
        }
        // Cheapest first, so that sets of cheap acts are not made after those of dear ones.
        choices.sort_by_key(|choice| (choice.cost, choice.act, choice.row));
        choices
    }
}

/// The rows that a repair can touch, the surest first: those with faults, their partners, and the runs and turns that
/// they are in.
fn near(rows: &[Row], faults: &[Fault], doubtful: bool) -> Vec<usize> {
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
        let alike = |other: &Row| {
            row.key.is_some() && row.key == other.key
                || row.id.is_some() && row.id == other.id
                || row.unit().is_some() && row.unit() == other.unit()
        };
        add(&mut near, &mut (0..rows.len()).filter(|n| alike(&rows[*n])));
    }
    // What reasoning was parted from.
    for n in near.clone().into_iter().filter(|n| heads(&rows[*n])) {
        let parted = n + 1 + rows[n + 1..].iter().take_while(|row| heads(row)).count();
        add(&mut near, &mut (parted..rows.len()).filter(|n| rows[*n].is_made()).take(1));
    }
    // What there is before the user says anything.
    if near.contains(&0) && rows[0].is_made() {
        let begins = rows.iter().position(|row| row.role == Role::User && row.what == What::Text);
        add(&mut near, &mut (0..begins.unwrap_or(rows.len())));
    }
    // What the model made in one go, and the outputs after it.
    for n in near.clone() {
        let at = match rows[n].is_made() {
            true => n,
            false => rows[..n].iter().rposition(Row::is_made).unwrap_or(n),
        };
        let made = |row: &&Row| row.is_made();
        let start = at - rows[..at].iter().rev().take_while(made).count();
        let end = at + rows[at..].iter().take_while(made).count();
        let outputs = rows[end..].iter().take_while(|row| [What::Result, What::Empty].contains(&row.what)).count();
        add(&mut near, &mut (start..end + outputs));
    }
    near
}

/// The call that a result belongs to by its key.
fn call_of(rows: &[Row], result: usize) -> Option<usize> {
    let Some(key) = rows[result].key.as_deref().filter(|key| !key.is_empty()) else {
        let is = |call: usize| rows[call].what == What::Call && partner(rows, call) == Some(result);
        return (0..result).find(|call| is(*call));
    };
    let is = |row: &Row| row.what == What::Call && row.key.as_deref() == Some(key);
    // The nearest before it, else the first.
    rows[..result].iter().rposition(is).or_else(|| rows.iter().position(is))
}

/// The result that a call shares an id with, if only the two of them do.
fn partner(rows: &[Row], call: usize) -> Option<usize> {
    let key = &rows[call].key;
    let share = |what: What| {
        let of = move |(_, row): &(usize, &Row)| {
            row.what == what && row.key_text() == key.as_deref().unwrap_or_default()
        };
        rows.iter().enumerate().filter(of).map(|(n, _)| n).collect::<Vec<_>>()
    };
    let (calls, results) = (share(What::Call), share(What::Result));
    if key.as_deref().unwrap_or_default().is_empty() {
        // One of each, in one batch.
        let (&[_], &[result]) = (calls.as_slice(), results.as_slice()) else { return None };
        let between = rows.get(call..result)?;
        return between.iter().all(|row| row.what != What::Text || row.is_made()).then_some(result);
    }
    results
        .into_iter()
        .find(|result| *result > call && !calls.iter().any(|other| (call + 1..*result).contains(other)))
}

/// Whether a result is not among those directly after its call's turn.
fn is_misplaced(rows: &[Row], call: usize, result: usize, dialect: Dialect) -> bool {
    let (start, slot) = slot(rows, call, dialect);
    !(start..slot).contains(&result)
}

fn heads(row: &Row) -> bool {
    row.what == What::Reasoning || row.what == What::Reference
}

/// Where the results of a call's turn are, and where the next one goes.
fn slot(rows: &[Row], call: usize, dialect: Dialect) -> (usize, usize) {
    let mut at = call + 1;
    let while_some = |mut at: usize, holds: &dyn Fn(&Row) -> bool| {
        while rows.get(at).is_some_and(holds) {
            at += 1;
        }
        at
    };
    at = match dialect {
        Dialect::Responses => while_some(at, &|row| row.is_made() && !heads(row)),
        Dialect::Chat => while_some(at, &|row| row.message == rows[call].message),
        _ => while_some(at, &|row| row.is_made()),
    };
    (at, while_some(at, &|row| row.what == What::Result))
}

fn put(rows: &mut Vec<Row>, mut row: Row, call: usize, dialect: Dialect, message: u32) {
    let (start, at) = slot(rows, call, dialect);
    (row.role, row.message) = match dialect {
        Dialect::Responses | Dialect::Chat => (Role::Client, message),
        // Into the user's message, if there is one.
        _ => (
            Role::User,
            rows.get(start).filter(|next| next.role == Role::User).map_or(message, |next| next.message),
        ),
    };
    rows.insert(at, row);
}

fn apply(rows: &[Row], acts: &[(usize, Act)], dialect: Dialect) -> Vec<Row> {
    // Rows keep their numbers until all is done.
    let mut made: Vec<(usize, Row)> = rows.iter().cloned().enumerate().collect();
    let with = |act: Act| acts.iter().filter(move |(_, other)| *other == act).map(|(row, _)| *row);
    for row in with(Act::Rename) {
        let key: Text = format!("renamed_{row}").into();
        let partner = partner(rows, row).expect("only those with one are renamed");
        made[row].1.key = Some(key.clone());
        made[partner].1.key = Some(key);
    }
    for row in with(Act::Retype) {
        let family = call_of(rows, row).map(|call| rows[call].family.clone());
        made[row].1.family = family.expect("only those with a call are changed");
    }
    for row in with(Act::Strip) {
        made[row].1.id = None;
    }
    for row in with(Act::Fill) {
        let row = &mut made[row].1;
        (row.valued, row.formed, row.sealed, row.name) = (true, true, true, "f".into());
    }
    let answered: Vec<usize> = with(Act::Answer).collect();
    let moved: Vec<usize> = with(Act::Move).collect();
    let fronted: Vec<usize> = with(Act::Front).collect();
    made.retain(|(n, _)| !acts.contains(&(*n, Act::Drop)));
    for number in fronted {
        let Some(at) = made.iter().position(|(n, _)| *n == number) else { continue };
        let start = at - made[..at].iter().rev().take_while(|(_, row)| row.is_made()).count();
        if let Some(call) = made[start..at].iter().position(|(_, row)| row.what == What::Call) {
            let mut row = made.remove(at);
            row.1.message = made[start + call].1.message;
            made.insert(start + call, row);
        }
    }
    let mut next = u32::MAX;
    for (number, is_new) in moved.into_iter().map(|n| (n, false)).chain(answered.into_iter().map(|n| (n, true))) {
        next -= 1;
        let Some(at) = made.iter().position(|(n, _)| *n == number) else { continue };
        let (row, call) = if is_new {
            let call = &made[at].1;
            let mut row = Row::new(next, Role::Client, What::Result, "no result");
            (row.key, row.family, row.name) = (call.key.clone(), call.family.clone(), call.name.clone());
            ((usize::MAX, row), at)
        } else {
            let row = made.remove(at);
            let call = made.iter().position(|(_, call)| call.what == What::Call && call.key == row.1.key);
            let Some(call) = call else {
                made.insert(at, row);
                continue;
            };
            (row, call)
        };
        let numbers: Vec<usize> = made.iter().map(|(n, _)| *n).collect();
        let mut plain: Vec<Row> = made.into_iter().map(|(_, row)| row).collect();
        let (_, slot) = slot(&plain, call, dialect);
        put(&mut plain, row.1, call, dialect, next);
        made = numbers
            .into_iter()
            .zip(plain.iter().cloned().enumerate().filter(|(n, _)| *n != slot).map(|(_, row)| row))
            .collect();
        made.insert(slot, (row.0, plain[slot].clone()));
    }
    made.into_iter().map(|(_, row)| row).collect()
}
