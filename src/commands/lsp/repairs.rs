//! The repairs of a file, as they are kept between two requests for quick fixes.

use lsp_types::TextEdit;

use crate::report::Diagnostic;
use crate::report::words::count;
use crate::rule::Loss;

/// The repairs of a file.
pub struct Repairs {
    /// The findings, each with the replacements that repair it alone; those with the same ones are next to each other.
    pub proposed: Vec<Diagnostic>,
    pub whole: Option<WholeRepair>,
}

/// The repair of a conversation.
pub struct WholeRepair {
    pub edits: Vec<TextEdit>,
    /// The number of changes.
    pub changes: usize,
    /// The errors that it leaves.
    pub errors: usize,
    /// The worst loss of a change.
    pub loss: Loss,
}

impl WholeRepair {
    pub fn title(&self) -> String {
        let left = match self.errors {
            0 => String::new(),
            errors => format!("; leaves {}", count(errors as u64, "error")),
        };
        format!("Repair the conversation: {} ({}){left}", count(self.changes as u64, "change"), self.loss.term())
    }
}
