//! Hunks of a preview: which changes belong together, and which of them are shown.

use std::fmt::{self, Display, Formatter};

use foldhash::HashMap;

use crate::history::Code;
use crate::place::Place;
use crate::repair::{Action, Cause, ItemChange};

/// Hunks of one kind that are shown.
pub(super) const SHOWN_PER_KIND: u64 = 3;

/// What hunks of one kind have in common: the rule or the flag, and what is done.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct HunkKind {
    pub rule: RuleOrFlag,
    action: Action,
    pub description: &'static str,
}

impl HunkKind {
    /// The kind of a hunk that begins with such a change.
    pub fn of(cause: Cause, action: Action, description: &'static str) -> Self {
        let rule = match cause {
            Cause::Rule(code, ..) => RuleOrFlag::Rule(code),
            Cause::Flag(flag) => RuleOrFlag::Flag(flag),
        };
        HunkKind { rule, action, description }
    }
}

/// What asked for a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum RuleOrFlag {
    Rule(Code),
    Flag(&'static str),
}

impl Display for RuleOrFlag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RuleOrFlag::Rule(code) => code.fmt(f),
            RuleOrFlag::Flag(flag) => f.write_str(flag),
        }
    }
}

/// For each change whether a preview of the document shows it, if it does not show all.
pub(super) fn shown_changes(changes: &[ItemChange]) -> Vec<bool> {
    let mut shown = vec![false; changes.len()];
    let mut kinds: HashMap<HunkKind, u64> = HashMap::default();
    for hunk in hunks(changes) {
        let Some(first) = hunk.first().and_then(|first| changes.get(*first)) else { continue };
        let kind = HunkKind::of(first.cause, first.action, first.description);
        let count = kinds.entry(kind).or_default();
        *count += 1;
        if *count <= SHOWN_PER_KIND {
            for number in hunk {
                if let Some(shown) = shown.get_mut(number) {
                    *shown = true;
                }
            }
        }
    }
    shown
}

/// The numbers of the changes of each hunk: all changes for one finding, wherever they are, and all changes to one item.
pub(super) fn hunks(changes: &[ItemChange]) -> Vec<Vec<usize>> {
    let mut hunks: Vec<Vec<usize>> = Vec::new();
    let mut of_place: HashMap<Place, usize> = HashMap::default();
    let mut of_cause: HashMap<Cause, usize> = HashMap::default();
    for (number, change) in changes.iter().enumerate() {
        let (at, cause) = (change.row.at, change.cause);
        // Changes for a flag have nothing else in common.
        let is_found = matches!(cause, Cause::Rule(..));
        let known = of_place.get(&at).or_else(|| of_cause.get(&cause).filter(|_| is_found));
        let hunk = known.copied().unwrap_or(hunks.len());
        of_place.entry(at).or_insert(hunk);
        of_cause.entry(cause).or_insert(hunk);
        match hunks.get_mut(hunk) {
            Some(hunk) => hunk.push(number),
            None => hunks.push(vec![number]),
        }
    }
    hunks
}
