//! Reports: findings made readable, and the outputs that print them. All outputs show the same diagnostics with the same
//! places.

mod diagnose;
pub mod place;
pub mod repair;
pub mod snippet;
pub mod words;

mod concise;
mod json;
mod text;

use std::io::{self, Write};

use crate::history::Code;
use crate::rule::{Evidence, Loss};
use crate::target::Severity;

pub use diagnose::{Content, diagnose};
pub use snippet::Snippet;

/// A finding made readable.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: Code,
    pub variant: u8,
    pub name: &'static str,
    pub severity: Severity,
    pub message: String,
    /// The doc, as the user named it.
    pub path: String,
    /// Number of the history in the doc, from 0; `None` for what concerns a record or the doc.
    pub history: Option<u32>,
    /// Number of the record in the doc, from 1.
    pub record: u32,
    pub spot: Spot,
    pub id: Option<String>,
    pub call_id: Option<String>,
    pub related: Vec<Related>,
    /// What the provider says to this, word for word; `None` where no such text was seen.
    pub api_message: Option<String>,
    /// The HTTP status that comes with it.
    pub status: u16,
    pub evidence: Evidence,
    pub target: &'static str,
    pub format: Option<&'static str>,
    pub fix: Option<FixNote>,
    /// Why there is no fix.
    pub no_fix: Option<&'static str>,
    pub notes: Vec<String>,
    pub snippet: Option<Snippet>,
}

/// Where something stands: line and column from 1, column in code points; the span in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    pub line: u64,
    pub column: u64,
    pub span: (u64, u64),
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` holds.
    pub inner_pointer: Option<String>,
}

impl Spot {
    /// The pointer, and the one within the string that it leads to.
    pub fn pointers(&self) -> String {
        match &self.inner_pointer {
            Some(inner) => format!("{} → {inner}", self.pointer),
            None => self.pointer.clone(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Related {
    pub spot: Spot,
    pub message: String,
}

/// What `fix` would do.
#[derive(Clone, Debug)]
pub struct FixNote {
    pub title: String,
    pub loss: Loss,
    /// Made without being asked for.
    pub default: bool,
}

/// What a run saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: u64,
    pub histories: u64,
    pub items: u64,
    pub errors: u64,
    pub warnings: u64,
    /// Findings that `fix` repairs without being asked for more.
    pub fixable: u64,
    /// Files met in a walk that hold no conversation.
    pub skipped: u64,
}

impl Summary {
    pub fn count(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => continue,
            }
            self.fixable += u64::from(diagnostic.fix.as_ref().is_some_and(|fix| fix.default));
        }
    }
}

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
    /// No summary.
    pub quiet: bool,
    pub statistics: bool,
    /// At most this many diagnostics (text and concise); the others are counted.
    pub limit: Option<usize>,
}

/// A form of report. Diagnostics come doc by doc, in order; the summary comes last.
pub trait Report {
    fn diagnostics(&mut self, diagnostics: &[Diagnostic], out: &mut dyn Write) -> io::Result<()>;

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}

/// The forms, by their names.
pub type Make = fn(Style) -> Box<dyn Report>;

/// The table of outputs.
pub static OUTPUTS: &[(&str, Make)] = &[
    ("text", |style| Box::new(text::Text::new(style))),
    ("concise", |style| Box::new(concise::Concise::new(style))),
    ("json", |_| Box::new(json::Json::default())),
];

/// The output with this name.
pub fn by_name(name: &str) -> Option<Make> {
    OUTPUTS.iter().find(|(known, _)| *known == name).map(|(_, make)| *make)
}

pub use json::{diagnostic_value, summary_value, write_pretty};
