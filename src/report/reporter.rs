//! The contract of outputs.

use std::io::{self, Write};

use super::change_counts::ChangeCounts;
use super::changes::ChangeNote;
use super::diagnostic::Diagnostic;
use super::summary::{DocReport, RunSummary};

/// An output format. Documents are written in order, the summary last.
pub trait Reporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()>;

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()>;

    /// The output, if it takes the findings of a document as they come, so that they are never in memory together.
    fn sink(&mut self) -> Option<&mut dyn DiagnosticSink> {
        None
    }

    /// Adds what `fix` changed, or would change. Called before the documents, which then report what remains.
    fn add_repairs(&mut self, _changes: &[ChangeNote], _counts: &ChangeCounts) {}

    /// True if people read it: then a diff is printed beside it, and closing sentences after it.
    fn is_for_people(&self) -> bool {
        false
    }

    /// True if anything was refused, which then decides the exit code; `None` unless the output answers for the provider.
    fn is_refused(&self) -> Option<bool> {
        None
    }
}

/// An output that takes findings as they come.
pub trait DiagnosticSink {
    /// Adds findings to the document that was written last.
    fn add_diagnostics(&mut self, more: &[Diagnostic], out: &mut dyn Write) -> io::Result<()>;
}
