//! What an output is.

use std::io::{self, Write};

use super::changes::ChangeNote;
use super::summary::{Seen, Summary};
use super::sums::Counts;

/// A form of report. Docs come in order; the summary comes last.
pub trait Report {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()>;

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;

    /// What `fix` changed, or would change; comes before the docs, which tell what is left.
    fn repairs(&mut self, _changes: &[ChangeNote], _counts: &Counts) {}

    /// It is read by people, who want a diff beside it, and words at its end.
    fn is_for_people(&self) -> bool {
        false
    }

    /// Whether anything was refused, if this report answers for the provider: then that decides the exit code.
    fn answer(&self) -> Option<bool> {
        None
    }
}
