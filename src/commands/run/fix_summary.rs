//! The summary of `fix`: what was changed, and what remains.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::change_counts::ChangeCounts;
use crate::report::words::{count, group_digits, write_wrapped};
use crate::report::{self, RunSummary};

use super::walked_files;

/// The result of a run of `fix`.
pub(in crate::commands) struct FixSummary<'c> {
    pub failed: bool,
    /// Number of documents whose repair could not be written.
    pub unwritten: u64,
    pub is_preview: bool,
    /// The command that applies the preview is printed.
    pub shows_hint: bool,
    /// `--dropped` saves removed items.
    pub keeps_dropped: bool,
    pub counts: &'c ChangeCounts,
    pub summary: &'c RunSummary,
    /// Columns to wrap at.
    pub width: usize,
}

impl FixSummary<'_> {
    /// Prints the summary.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.failed && self.summary.files == 0 {
            // No file was read, and the reason was reported.
            return Ok(());
        }
        let made = match (self.counts.total(), self.is_preview) {
            (0, _) => "Nothing to fix".to_owned(),
            (_, is_preview) => {
                let done = if is_preview { "Would fix" } else { "Fixed" };
                let resolved = self.counts.resolved_words().map(|words| format!(" {words}")).unwrap_or_default();
                let lossless = if self.counts.lost.is_empty() { ". No content is lost" } else { "" };
                format!("{done}{resolved}: {}{lossless}", self.counts.words())
            }
        };
        if self.unwritten > 0 {
            let not_written = if self.is_preview { "Cannot be written" } else { "Not written" };
            writeln!(out, "{not_written}: {}.", count(self.unwritten, "file"))?;
            if self.unwritten == self.summary.files {
                return Ok(());
            }
        }
        let remaining = match (self.summary.errors, self.summary.warnings) {
            (0, 0) => "No errors".to_owned(),
            (errors, 0) => count(errors, "error"),
            (0, warnings) => count(warnings, "warning"),
            (errors, warnings) => format!("{} and {}", count(errors, "error"), count(warnings, "warning")),
        };
        let would = self.is_preview && self.counts.total() > 0;
        let remain = match (would, self.summary.errors + self.summary.warnings) {
            (true, _) => "would remain",
            (false, 1) => "remains",
            (false, _) => "remain",
        };
        let offers = report::fix_offers(self.summary, !self.is_preview)
            .map(|offers| format!(" ({offers})"))
            .unwrap_or_default();
        let skipped = walked_files::describe_skipped(self.summary);
        write_wrapped(&format!("{made}. {remaining} {remain}{offers}.{skipped}"), self.width, "", "", out)?;
        if let Some(length) = self.counts.length {
            let (before, after) = (group_digits(length.before), group_digits(length.after));
            writeln!(out, "About {before} tokens before, {after} after (estimated).")?;
        }
        if !self.counts.lost.is_empty() {
            // Once the file is written, it is too late to save them.
            let (loses, keep) = match (self.is_preview, self.keeps_dropped) {
                (true, false) => ("Loses", "; `--dropped FILE` saves removed items"),
                (true, true) => ("Loses", ""),
                (false, _) => ("Lost", ""),
            };
            write_wrapped(&format!("{loses}: {}{keep}.", self.counts.lost.words()), self.width, "", "", out)?;
        }
        if self.is_preview && self.counts.total() > 0 && self.shows_hint {
            writeln!(out, "Run `{}`.", self.summary.fix_command())?;
        }
        Ok(())
    }
}

/// A path as written in a patch: relative to the working folder if it is below it.
pub(in crate::commands) fn patch_path(label: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(label).strip_prefix(here).ok().map(Path::to_path_buf));
    let path = below.unwrap_or_else(|| PathBuf::from(label));
    path.to_string_lossy().trim_start_matches("./").to_owned()
}
