//! How a report looks.

use crate::target::Severity;

use super::diagnostic::Diagnostic;

/// How a report looks.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Box drawing and other characters that are not ASCII.
    pub unicode: bool,
    /// Columns.
    pub width: usize,
    /// Also what is only noted.
    pub info: bool,
    /// Of findings of one kind only the first are shown in full (text).
    pub grouped: bool,
    /// No summary.
    pub quiet: bool,
    pub statistics: bool,
    /// Warnings count as errors.
    pub denies_warnings: bool,
    /// At most this many diagnostics (text and concise); the others are counted.
    pub limit: Option<usize>,
}

impl Style {
    /// What is only noted is reported only if that was asked for.
    pub(super) fn shows(&self, diagnostic: &Diagnostic) -> bool {
        self.info || diagnostic.severity != Severity::Info
    }

    /// The same for reports to people, who are to know some of it in any case.
    pub(super) fn tells(&self, diagnostic: &Diagnostic) -> bool {
        self.shows(diagnostic) || diagnostic.shown
    }
}

#[cfg(test)]
impl Style {
    /// A small terminal without colours.
    pub(super) const SMALL: Style = Style {
        color: false,
        unicode: true,
        width: 40,
        info: false,
        grouped: true,
        quiet: false,
        statistics: false,
        denies_warnings: false,
        limit: None,
    };
}
