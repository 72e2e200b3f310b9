//! Reports on their way to the terminal or a file.

use std::io::{self, Write};
use std::path::Path;

use crate::report::{Content, Report, Style};
use crate::source::outputs::product::{Existing, NewFile};

use super::outcome::{Failure, unwritten};
use super::{Output, Run};

/// A report that is being written.
pub(in crate::commands) struct Sheet {
    pub report: Box<dyn Report>,
    pub file: Option<NewFile>,
}

impl Sheet {
    /// `private`: the report may show content.
    pub fn new(output: &Output, style: Style, private: bool) -> Result<Self, Failure> {
        // A file is no terminal.
        let style = if output.file.is_some() { Style { color: false, ..style } } else { style };
        let file = output.file.as_ref().map(|path| NewFile::create(path, private, Existing::Replace)).transpose();
        let file = file.map_err(unwritten)?;
        Ok(Sheet { report: (output.make)(style), file })
    }

    /// Lets the report write, to its file or to `out`.
    pub fn write(
        &mut self,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Report, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut self.file {
            Some(file) => write(&mut *self.report, file),
            None => write(&mut *self.report, out),
        }
    }

    pub fn save(self) -> Result<(), Failure> {
        self.file.map_or(Ok(()), |file| file.save().map(drop).map_err(unwritten))
    }
}

/// Something that is written to a file, or to `out` without one.
pub(in crate::commands) struct Page(Option<NewFile>);

impl Page {
    pub fn new(path: Option<&Path>, private: bool) -> Result<Self, Failure> {
        let file = path.map(|path| NewFile::create(path, private, Existing::Replace)).transpose();
        Ok(Page(file.map_err(unwritten)?))
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
        self.0.map_or(Ok(()), |file| file.save().map(drop).map_err(unwritten))
    }
}

impl Run {
    pub(in crate::commands) fn sheets(&self, style: Style) -> Result<Vec<Sheet>, Failure> {
        let sheet = |output: &Output| {
            // Programs read lines, too: they are cut only where that was asked for.
            let limit = if output.name == "text" { style.limit } else { self.most_shown };
            Sheet::new(output, Style { limit, ..style }, self.is_private())
        };
        self.outputs.iter().map(sheet).collect()
    }

    /// Whether reports may show content.
    pub(in crate::commands) fn is_private(&self) -> bool {
        self.content() == Content::Shown || self.draws() && self.show_content
    }
}
