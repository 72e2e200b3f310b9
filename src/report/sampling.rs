//! Of findings of a doc, those that a report of kinds shows or names: the others are only counted, and nothing of them is
//! read again.

use std::collections::HashMap;

use crate::history::{Code, Kind};
use crate::judge::{Judged, JudgedDoc};
use crate::source::Container;
use crate::target::Severity;

use super::counts::{IN_FULL, PLACES};
use super::prediction::fix_outcome::Promise;
use super::{Style, losses};

/// Findings of a doc that are read again to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// Their numbers, in order.
    pub findings: Vec<usize>,
    /// Others of the kind of one of these.
    pub more: Vec<More>,
}

/// Findings that are only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More {
    /// The one of those that are told that they are like, by its number among these.
    pub like: usize,
    pub count: u64,
}

/// Fewer findings are all told.
const MANY: usize = 64;

impl Picked {
    /// All findings of a doc.
    pub fn all<T>(found: &JudgedDoc<T>) -> Self {
        Picked { findings: (0..found.judged.len()).collect(), more: Vec::new() }
    }

    /// Those that text shows or names.
    pub fn of<T>(found: &JudgedDoc<T>, promises: &[Promise], style: &Style) -> Self {
        // What is made of records has no lines of its own.
        let is_made = found.format.is_some_and(|format| format.layout().is_made());
        let is_lines = matches!(found.container, Container::Lines { .. }) && !is_made;
        if !style.grouped || found.judged.len() < MANY || !is_lines {
            return Picked::all(found);
        }
        let mut kinds: HashMap<Likeness, Like> = HashMap::new();
        let mut is_picked = vec![false; found.judged.len()];
        for ((ix, judged), promise) in found.judged.iter().enumerate().zip(promises) {
            let Some(picked) = is_picked.get_mut(ix) else { break };
            *picked = match Likeness::of(judged, *promise) {
                _ if judged.severity == Severity::Info && !style.info && !judged.variant().shown => {
                    judged.history.is_none()
                }
                Some(likeness) => kinds.entry(likeness).or_insert_with(|| Like::new(ix)).takes(ix, judged),
                None => true,
            };
        }
        // The last tells whether all of a kind are on one line.
        for kind in kinds.values() {
            is_picked.iter_mut().skip(kind.last).take(1).for_each(|picked| *picked = true);
        }
        let findings: Vec<usize> =
            is_picked.iter().enumerate().filter_map(|(ix, own)| own.then_some(ix)).collect();
        let more = kinds.into_values().filter_map(|kind| {
            let told = kind.taken + u64::from(!kind.is_last_taken);
            let count = kind.all.checked_sub(told).filter(|count| *count > 0)?;
            Some(More { like: findings.binary_search(&kind.first).ok()?, count })
        });
        let mut more: Vec<More> = more.collect();
        more.sort_by_key(|more| more.like);
        Picked { findings, more }
    }
}

/// What findings have in common that are told in the same words, but for ids and numbers.
#[derive(PartialEq, Eq, Hash)]
struct Likeness {
    code: Code,
    variant: u8,
    severity: Severity,
    kind: Kind,
    of: Kind,
    has: (bool, bool),
    title: &'static str,
    promise: Promise,
    why_not: Option<&'static str>,
    made: (bool, Option<&'static str>),
}

impl Likeness {
    /// Nothing if that takes a look at the item.
    fn of(judged: &Judged, promise: Promise) -> Option<Likeness> {
        let row = &judged.finding.row;
        if judged.history.is_none() || losses::is_loss(judged.finding.code) {
            return None;
        }
        let mut names = judged.variant().message.split('{').skip(1);
        let is_known = |name: &str| match name {
            "type" => row.kind != Kind::Unknown,
            // Ids and numbers, which do not count.
            "id" | "call_id" | "any_id" | "arg" | "length" | "id_length" | "call_id_length" => true,
            _ => false,
        };
        if !names.all(|rest| rest.split_once('}').is_some_and(|(name, _)| is_known(name))) {
            return None;
        }
        Some(Likeness {
            code: judged.finding.code,
            variant: judged.finding.variant,
            severity: judged.severity,
            kind: row.kind,
            of: row.of,
            has: (row.id != 0, row.key != 0),
            title: judged.fix_title(),
            promise,
            why_not: promise.why_not(judged),
            made: promise.made(judged),
        })
    }
}

/// Findings of a kind, as they are met.
struct Like {
    first: usize,
    last: usize,
    all: u64,
    taken: u64,
    /// Records that those have that are told.
    records: usize,
    record: Option<u32>,
    /// The last one is told anyway.
    is_last_taken: bool,
}

impl Like {
    fn new(first: usize) -> Self {
        Like { first, last: first, all: 0, taken: 0, records: 0, record: None, is_last_taken: false }
    }

    /// Whether a finding is told: as many as are shown, and as many records as are named.
    fn takes(&mut self, ix: usize, judged: &Judged) -> bool {
        let is_new = self.record != Some(judged.finding.row.record);
        let takes = self.taken <= (IN_FULL + PLACES) as u64 || is_new && self.records <= IN_FULL + PLACES;
        (self.last, self.is_last_taken) = (ix, takes);
        self.all += 1;
        if takes {
            self.taken += 1;
            self.records += usize::from(is_new);
            self.record = Some(judged.finding.row.record);
        }
        takes
    }
}
