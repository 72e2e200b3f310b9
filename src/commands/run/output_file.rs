//! Reports that are written to standard output or a file.

use std::io::{self, Write};
use std::path::Path;

use crate::report::{ContentDisplay, Reporter, Style};
use crate::source::outputs::new_file::{ExistingFile, NewFile};

use super::outcome::{Failure, commit_failure};
use super::{Output, Run};

/// A report that is being written.
pub(in crate::commands) struct ReportOutput {
    pub report: Box<dyn Reporter>,
    pub file: Option<NewFile>,
}

impl ReportOutput {
    /// `private`: the report may show content.
    pub fn new(output: &Output, style: Style, private: bool) -> Result<Self, Failure> {
        // A file is not a terminal.
        let style = if output.file.is_some() { Style { color: false, ..style } } else { style };
        let file =
            output.file.as_ref().map(|path| NewFile::create(path, private, ExistingFile::Replace)).transpose();
        let file = file.map_err(commit_failure)?;
        Ok(ReportOutput { report: (output.make)(style), file })
    }

    /// Writes a part of the report to its file, or to `out`.
    pub fn write(
        &mut self,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Reporter, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut self.file {
            Some(file) => write(&mut *self.report, file),
            None => write(&mut *self.report, out),
        }
    }

    pub fn save(self) -> Result<(), Failure> {
        self.file.map_or(Ok(()), |file| file.save().map(drop).map_err(commit_failure))
    }
}

/// A page that is written to a file, or to `out` without one.
pub(in crate::commands) struct PageOutput(Option<NewFile>);

impl PageOutput {
    pub fn new(path: Option<&Path>, private: bool) -> Result<Self, Failure> {
        let file = path.map(|path| NewFile::create(path, private, ExistingFile::Replace)).transpose();
        Ok(PageOutput(file.map_err(commit_failure)?))
    }

    pub fn of(output: &Output, private: bool) -> Result<Self, Failure> {
        Self::new(output.file.as_deref(), private)
    }

    pub fn write<T>(
        &mut self,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        match &mut self.0 {
            Some(file) => write(file),
            None => write(out),
        }
    }

    pub fn save(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), |file| file.save().map(drop).map_err(commit_failure))
    }
}

impl Run {
    pub(in crate::commands) fn report_outputs(&self, style: Style) -> Result<Vec<ReportOutput>, Failure> {
        let report_output = |output: &Output| {
            // Programs read lines as well, so only text has a default limit.
            let limit = if output.name == "text" { style.limit } else { self.max_diagnostics };
            ReportOutput::new(output, Style { limit, ..style }, self.is_private())
        };
        self.outputs.iter().map(report_output).collect()
    }

    /// True if reports may show content.
    pub(in crate::commands) fn is_private(&self) -> bool {
        self.content() == ContentDisplay::Shown || self.has_page() && self.show_content
    }
}
