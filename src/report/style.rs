//! The style of reports.

use crate::target::Severity;

use super::diagnostic::Diagnostic;

/// The style of a report: what the terminal can show, and how much is reported.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Box drawing and other characters that are not ASCII.
    pub unicode: bool,
    /// Width in columns.
    pub width: usize,
    /// Reports findings of severity `info`, too.
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
    /// True if a diagnostic is reported: one of severity `info` only if that was asked for.
    pub(super) fn shows(&self, diagnostic: &Diagnostic) -> bool {
        self.info || diagnostic.severity != Severity::Info
    }

    /// True if a diagnostic is reported to people, who are always shown some of severity `info`.
    pub(super) fn shows_to_people(&self, diagnostic: &Diagnostic) -> bool {
        self.shows(diagnostic) || diagnostic.always_shown
    }
}

impl Style {
    /// Text without colours.
    pub const PLAIN: Style = Style {
        color: false,
        unicode: true,
        width: 80,
        info: false,
        grouped: true,
        quiet: false,
        statistics: false,
        denies_warnings: false,
        limit: None,
    };

    /// A small terminal without colours.
    #[cfg(test)]
    pub(super) const SMALL: Style = Style { width: 40, ..Style::PLAIN };
}
