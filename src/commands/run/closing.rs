//! The last lines of `fix`: what was done, and what is left.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::sums::Counts;
use crate::report::words::count;
use crate::report::{self, Summary};

use super::walked_files;

/// What a run of `fix` came to.
pub(in crate::commands) struct Closing<'c> {
    pub failed: bool,
    /// Docs whose repair could not be written.
    pub unwritten: u64,
    pub is_preview: bool,
    /// How to apply what was shown is not known yet.
    pub hints: bool,
    /// What goes is kept with `--dropped`.
    pub keeps: bool,
    pub counts: &'c Counts,
    pub summary: &'c Summary,
}

impl Closing<'_> {
    /// What was done, and what is left.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.failed && self.summary.files == 0 {
            // Nothing was looked at; why was said.
            return Ok(());
        }
        let made = match (self.counts.total(), self.is_preview) {
            (0, _) => "Nothing to fix".to_owned(),
            (_, is_preview) => {
                let done = if is_preview { "Would fix" } else { "Fixed" };
                let mended = self.counts.mended_words().map(|words| format!(" {words}")).unwrap_or_default();
                let lossless = if self.counts.lost.is_empty() { ". Nothing is lost" } else { "" };
                format!("{done}{mended}: {}{lossless}", self.counts.words())
            }
        };
        if self.unwritten > 0 {
            let not_written = if self.is_preview { "Cannot be written" } else { "Not written" };
            writeln!(out, "{not_written}: {}.", count(self.unwritten, "file"))?;
            if self.unwritten == self.summary.files {
                return Ok(());
            }
        }
        let left = match (self.summary.errors, self.summary.warnings) {
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
        let offers = report::offers(self.summary, !self.is_preview)
            .map(|offers| format!(" ({offers})"))
            .unwrap_or_default();
        writeln!(out, "{made}. {left} {remain}{offers}.{}", walked_files::skipped_in_words(self.summary))?;
        if !self.counts.lost.is_empty() {
            // After the file is written it is too late.
            let (loses, keep) = match (self.is_preview, self.keeps) {
                (true, false) => ("Loses", "; `--dropped FILE` keeps what goes"),
                (true, true) => ("Loses", ""),
                (false, _) => ("Lost", ""),
            };
            writeln!(out, "{loses}: {}{keep}.", self.counts.lost.words())?;
        }
        if self.is_preview && self.counts.total() > 0 && self.hints {
            writeln!(out, "Run `{}`.", self.summary.fix())?;
        }
        Ok(())
    }
}

/// A path as a patch names it: below the working folder if it lies there.
pub(in crate::commands) fn relative(label: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(label).strip_prefix(here).ok().map(Path::to_path_buf));
    let path = below.unwrap_or_else(|| PathBuf::from(label));
    path.to_string_lossy().trim_start_matches("./").to_owned()
}
