//! Selection of the findings to fix.

use crate::history::{Code, Finding};
use crate::judge::WeighedFinding;
use crate::rule::Autofix;
use crate::target::Severity;

use crate::repair::FixOptions;

/// A finding that is accepted and not fixed. Edits move what comes after them, so it is identified by its ids, if
/// it has any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcceptedFinding {
    code: Code,
    id: u64,
    key: u64,
    start: u64,
}

impl AcceptedFinding {
    pub fn of(finding: &Finding) -> AcceptedFinding {
        let row = &finding.row;
        let start = if row.id == 0 && row.key == 0 { row.at.start } else { 0 };
        AcceptedFinding { code: finding.code, id: row.id, key: row.key, start }
    }
}

impl FixOptions {
    /// True if a finding is to be fixed.
    pub fn selects(&self, judged: &WeighedFinding) -> bool {
        match judged.variant().autofix {
            _ if !judged.has_fix() || judged.severity == Severity::Info && !judged.is_about_text() => false,
            _ if self.accepted.contains(&AcceptedFinding::of(&judged.finding)) => false,
            Autofix::Flag => self.acknowledge_safety,
            _ => judged.is_fixed_by_default() || self.warnings || self.selected.contains(&judged.finding.code),
        }
    }
}
