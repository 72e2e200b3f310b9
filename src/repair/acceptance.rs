//! Acceptance of repairs: a history that has as many errors after its repair as before is left unchanged.

use foldhash::HashSet;

use crate::history::Code;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::target::Severity;

use super::plan::history_plan::HistoryPlan;
use super::{Cause, ItemChange};

/// Errors of one kind in a history: the number of the history, the rule and its variant, and how many there are.
type ErrorCount = (u32, (Code, u8), usize);

/// Error counts of all histories, sorted.
pub(super) struct ErrorCounts(Vec<ErrorCount>);

impl ErrorCounts {
    pub fn of(doc: &JudgedDoc<HistoryPlan>) -> ErrorCounts {
        let errors = doc.findings.iter().filter(|judged| judged.severity == Severity::Error);
        let kind = |judged: &WeighedFinding| (judged.finding.code, judged.finding.variant);
        let mut all: Vec<(u32, (Code, u8))> =
            errors.map(|judged| (judged.history.unwrap_or(u32::MAX), kind(judged))).collect();
        all.sort_unstable();
        let alike = all.chunk_by(|a, b| a == b);
        ErrorCounts(alike.filter_map(|of| of.first().map(|(number, kind)| (*number, *kind, of.len()))).collect())
    }

    fn of_history(&self, number: u32) -> &[ErrorCount] {
        let start = self.0.partition_point(|(other, ..)| *other < number);
        let rest = self.0.get(start..).unwrap_or_default();
        rest.split_at(rest.partition_point(|(other, ..)| *other == number)).0
    }

    /// Numbers of the changed histories that the repair did not improve: they have more errors, or as many, be it
    /// the same ones after the repair of an error or others in their place.
    pub fn not_improved(&self, after: &ErrorCounts, changes: &[ItemChange]) -> Vec<u32> {
        let tried: HashSet<u32> = changes.iter().filter_map(|change| change.history).collect();
        let repaired: HashSet<(u32, (Code, u8))> = changes
            .iter()
            .filter_map(|change| match change.cause {
                Cause::Rule(code, variant, _) => Some((change.history?, (code, variant))),
                Cause::Flag(_) => None,
            })
            .collect();
        let is_worse = |number: &u32| {
            let (had, has) = (self.of_history(*number), after.of_history(*number));
            let total = |counts: &[ErrorCount]| counts.iter().map(|(.., count)| count).sum::<usize>();
            let (many, left) = (total(had), total(has));
            let tried_one = || had.iter().any(|(number, kind, _)| repaired.contains(&(*number, *kind)));
            left > many || left == many && many > 0 && (had != has || tried_one())
        };
        tried.into_iter().filter(is_worse).collect()
    }
}
