//! How docs are converted.

use crate::carry::CarryOver;
use crate::judge::Options;
use crate::target::Severity;

use super::plan::Plan;

/// What to convert to, and what is to be told of it.
pub struct ConvertOptions<'r> {
    /// How the source is read and judged.
    pub options: &'r Options,
    pub plan: Plan,
    /// The least weight of findings that are kept; all are counted.
    pub least: Severity,
    /// How many findings are kept.
    pub most: usize,
    /// Conversations that would lose something are left out.
    pub lossless_only: bool,
    /// Records whose conversations are in the target's dialect are passed over.
    pub foreign_only: bool,
    /// Sessions of another agent are written, not requests.
    pub carry: Option<&'r CarryOver>,
}

impl<'r> ConvertOptions<'r> {
    /// Everything is converted, and all that it loses is kept.
    pub fn new(options: &'r Options, plan: Plan) -> Self {
        ConvertOptions {
            options,
            plan,
            least: Severity::Info,
            most: usize::MAX,
            lossless_only: false,
            foreign_only: false,
            carry: None,
        }
    }

    /// Number of the next conversation: among those that are written, or among all where some are passed over.
    pub(super) fn number(&self, converted: u32, met: u32) -> u32 {
        if self.foreign_only { met } else { converted }
    }
}
