//! Whether a repair is worth it: a history that has as many errors after it as before is left as it was.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::history::Code;
use crate::judge::JudgedDoc;
use crate::target::Severity;

use super::plan::history_plan::HistoryPlan;
use super::{Cause, Change};

/// How many errors of which kind a history has.
type Kinds = BTreeMap<(Code, u8), usize>;

/// The errors of each history, by its number.
#[derive(Default)]
pub(super) struct Errors(HashMap<u32, Kinds>);

impl Errors {
    pub fn of(doc: &JudgedDoc<HistoryPlan>) -> Errors {
        let mut all: HashMap<u32, Kinds> = HashMap::new();
        for judged in doc.judged.iter().filter(|judged| judged.severity == Severity::Error) {
            let kinds = all.entry(judged.history.unwrap_or(u32::MAX)).or_default();
            *kinds.entry((judged.finding.code, judged.finding.variant)).or_default() += 1;
        }
        Errors(all)
    }

    /// Histories in which something was to be repaired, and that have as many errors as these: the same ones after the
    /// repair of an error, or others in their place.
    pub fn not_fewer(&self, after: &Errors, changes: &[Change]) -> Vec<u32> {
        let tried: HashSet<u32> = changes.iter().filter_map(|change| change.history).collect();
        let none = Kinds::new();
        let is_worse = |number: &u32| {
            let (had, has) = (self.0.get(number).unwrap_or(&none), after.0.get(number).unwrap_or(&none));
            let (many, left) = (had.values().sum::<usize>(), has.values().sum::<usize>());
            left > many || left == many && many > 0 && (had != has || is_for(changes, *number, had))
        };
        tried.into_iter().filter(is_worse).collect()
    }
}

/// Whether a change of this history was made for one of its errors.
fn is_for(changes: &[Change], number: u32, errors: &Kinds) -> bool {
    changes.iter().any(|change| match change.cause {
        Cause::Rule(code, variant, _) => change.history == Some(number) && errors.contains_key(&(code, variant)),
        Cause::Flag(_) => false,
    })
}
