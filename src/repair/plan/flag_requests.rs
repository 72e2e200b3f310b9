//! Changes that flags ask for and no finding does.

use crate::history::{Flags, Kind, Row};

use super::history_plan::PlanBuilder;
use crate::repair::{ImageOptions, Reasoning};

impl PlanBuilder<'_> {
    /// True if the history has something that flags ask to change.
    pub(in crate::repair) fn is_asked_to_change(&self) -> bool {
        let (options, rows) = (self.options, &self.cx.history.rows);
        let removes_reasoning = matches!(options.reasoning, Reasoning::Strip | Reasoning::Reference);
        let thinks = |row: &Row| row.is_reasoning() || matches!(row.kind, Kind::Thinking | Kind::Compaction);
        options.images != ImageOptions::default() && rows.iter().any(|row| row.has(Flags::MEDIA))
            || removes_reasoning && rows.iter().any(thinks)
            || self.is_too_long()
    }
}
