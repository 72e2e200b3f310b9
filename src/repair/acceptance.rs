//! Acceptance of repairs: a history that has as many errors after its repair as before is left unchanged.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::history::Code;
use crate::judge::JudgedDoc;
use crate::target::Severity;

use super::plan::history_plan::HistoryPlan;
use super::{Cause, ItemChange};

/// Number of errors of a history, by rule and variant.
type CountsByCode = BTreeMap<(Code, u8), usize>;

/// Error counts of each history, by the number of the history.
#[derive(Default)]
pub(super) struct ErrorCounts(HashMap<u32, CountsByCode>);

impl ErrorCounts {
    pub fn of(doc: &JudgedDoc<HistoryPlan>) -> ErrorCounts {
        let mut all: HashMap<u32, CountsByCode> = HashMap::new();
        for judged in doc.findings.iter().filter(|judged| judged.severity == Severity::Error) {
            let kinds = all.entry(judged.history.unwrap_or(u32::MAX)).or_default();
            *kinds.entry((judged.finding.code, judged.finding.variant)).or_default() += 1;
        }
        ErrorCounts(all)
    }

    /// Numbers of the changed histories that the repair did not improve: they have more errors, or as many, be it
    /// the same ones after the repair of an error or others in their place.
    pub fn not_improved(&self, after: &ErrorCounts, changes: &[ItemChange]) -> Vec<u32> {
        let tried: HashSet<u32> = changes.iter().filter_map(|change| change.history).collect();
        let none = CountsByCode::new();
        let is_worse = |number: &u32| {
            let (had, has) = (self.0.get(number).unwrap_or(&none), after.0.get(number).unwrap_or(&none));
            let (many, left) = (had.values().sum::<usize>(), has.values().sum::<usize>());
            left > many || left == many && many > 0 && (had != has || has_change_for(changes, *number, had))
        };
        tried.into_iter().filter(is_worse).collect()
    }
}

/// True if a change of this history was made for one of its errors.
fn has_change_for(changes: &[ItemChange], number: u32, errors: &CountsByCode) -> bool {
    changes.iter().any(|change| match change.cause {
        Cause::Rule(code, variant, _) => change.history == Some(number) && errors.contains_key(&(code, variant)),
        Cause::Flag(_) => false,
    })
}
