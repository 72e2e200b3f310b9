//! Options of a conversion.

use crate::carry::CarryOver;
use crate::judge::Options;
use crate::target::Severity;

use super::plan::ConvertPlan;

/// The target of a conversion, and what to report.
pub struct ConvertOptions<'r> {
    /// Options for reading and judging the source.
    pub judge: &'r Options,
    pub plan: ConvertPlan,
    /// The lowest severity of findings that are kept; all are counted.
    pub min_severity: Severity,
    /// The most findings that are kept.
    pub max_findings: usize,
    /// Losses are listed one by one that are only counted otherwise: dropped ids, cache marks, names.
    pub lists_each: bool,
    /// What messages of losses name is digested, so that a report need not read each.
    pub digests_names: bool,
    /// Conversations that would lose something are left out.
    pub lossless_only: bool,
    /// Conversations in the target's dialect are skipped.
    pub foreign_only: bool,
    /// Writes sessions of another agent; `None`: requests.
    pub carry: Option<&'r CarryOver>,
}

impl<'r> ConvertOptions<'r> {
    /// Converts everything, and keeps all findings.
    pub fn new(options: &'r Options, plan: ConvertPlan) -> Self {
        ConvertOptions {
            judge: options,
            plan,
            min_severity: Severity::Info,
            max_findings: usize::MAX,
            lists_each: false,
            digests_names: false,
            lossless_only: false,
            foreign_only: false,
            carry: None,
        }
    }

    /// Number of the next conversation: among those that are written, or among all if some are skipped.
    pub(super) fn number(&self, converted: u32, total: u32) -> u32 {
        if self.foreign_only { total } else { converted }
    }
}
