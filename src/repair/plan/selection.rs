//! Which findings are repaired.

use crate::history::{Code, Finding};
use crate::judge::Judged;
use crate::rule::When;
use crate::target::Severity;

use crate::repair::FixOptions;

/// A finding that is accepted as it is. Edits move what comes after them, so it is known by its ids, if it has any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    code: Code,
    id: u64,
    key: u64,
    start: u64,
}

impl Accepted {
    pub fn of(finding: &Finding) -> Accepted {
        let row = &finding.row;
        let start = if row.id == 0 && row.key == 0 { row.at.start } else { 0 };
        Accepted { code: finding.code, id: row.id, key: row.key, start }
    }
}

impl FixOptions {
    /// Whether the fix of a finding is to be made.
    pub fn wants(&self, judged: &Judged) -> bool {
        match judged.variant().when {
            _ if !judged.has_fix() || judged.severity == Severity::Info && !judged.is_about_text() => false,
            _ if self.accepted.contains(&Accepted::of(&judged.finding)) => false,
            When::Flag => self.acknowledge_safety,
            _ => judged.is_fixed_by_default() || self.warnings || self.selected.contains(&judged.finding.code),
        }
    }
}
