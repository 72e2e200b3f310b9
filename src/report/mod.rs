//! Reports: findings made readable, and the outputs that print them. All outputs show the same diagnostics with the same
//! places.

mod diagnose;
pub mod histories;
pub mod homes;
pub mod page;
pub mod place;
pub mod promise;
pub mod proposal;
pub mod recognise;
pub mod repair;
pub mod rulebook;
pub mod saving;
pub mod seek;
pub mod snippet;
pub mod table;
pub mod tree;
pub mod words;

mod api_error;
mod ci;
mod concise;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod kinds;
mod sarif;
mod text;

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::format::Unsent;
use crate::history::Code;
use crate::lint::DocLint;
use crate::place::Place;
use crate::rule::{Evidence, Loss, is_end_of_log};
use crate::source::Container;
use crate::target::Severity;

use repair::{ChangeNote, Counts};

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
    /// What else the provider's error says: its type, what it names as the place, its code.
    pub error_type: &'static str,
    pub error_param: Option<String>,
    pub error_code: Option<&'static str>,
    pub evidence: Evidence,
    pub target: &'static str,
    pub format: Option<&'static str>,
    pub fix: Option<FixNote>,
    /// Why there is no fix.
    pub no_fix: Option<&'static str>,
    pub snippet: Option<Snippet>,
    /// What `fix` would put in place of what, where a report asks for that.
    pub proposal: Vec<proposal::Replacement>,
}

/// Where something stands: line and column from 1, column in code points; the span in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    pub line: u64,
    pub column: u64,
    /// Line and column of the first code point that is no part of it.
    pub end: (u64, u64),
    pub span: (u64, u64),
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` holds.
    pub inner_pointer: Option<String>,
}

impl Spot {
    /// A place whose start and end are among the positions.
    fn new(at: Place, positions: &HashMap<u64, (u64, u64)>) -> Spot {
        let of = |offset| positions.get(&offset).copied().unwrap_or((1, 1));
        let (line, column) = of(at.start);
        Spot { line, column, end: of(at.end()), span: (at.start, at.end()), ..Spot::default() }
    }

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
    /// The flag that makes it, where it is not made by default.
    pub flag: Option<&'static str>,
}

impl FixNote {
    /// What the fix loses, and the flag that it needs.
    pub fn terms(&self) -> String {
        let loss = self.loss.term();
        match self.flag {
            Some(flag) => format!("{loss}, requires {flag}"),
            None => loss.to_owned(),
        }
    }
}

/// What a run saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: u64,
    pub histories: u64,
    pub items: u64,
    pub errors: u64,
    pub warnings: u64,
    /// Findings that `fix` repairs without being asked for more.
    pub fixable: u64,
    /// Findings that it repairs with `--fix-warnings`, and with `--acknowledge-safety`.
    pub with_warnings: u64,
    pub with_safety: u64,
    /// Files whose log ends in an open call.
    pub open_logs: u64,
    /// Files met in a walk that hold no conversation.
    pub skipped: u64,
    /// How many files were read as each format, for each target.
    pub read_as: BTreeMap<ReadAs, u64>,
}

/// What a file was taken for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReadAs {
    pub format: &'static str,
    pub targets: Vec<&'static str>,
}

impl Summary {
    /// Adds what a doc was read as, and what it holds.
    pub fn see(&mut self, doc: &Seen) {
        self.histories += u64::from(doc.histories);
        self.items += doc.items;
        if let Some(format) = doc.format {
            *self.read_as.entry(ReadAs { format, targets: doc.targets.clone() }).or_default() += 1;
        }
    }

    /// Adds what was found in one more file; files, histories and items are counted apart.
    pub fn add(&mut self, other: &Summary) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.fixable += other.fixable;
        self.with_warnings += other.with_warnings;
        self.with_safety += other.with_safety;
        self.open_logs += other.open_logs;
    }

    /// Counts what was found in a file.
    pub fn count(&mut self, diagnostics: &[Diagnostic]) {
        let ends_open = |diagnostic: &Diagnostic| diagnostic.no_fix.is_some_and(is_end_of_log);
        self.open_logs += u64::from(diagnostics.iter().any(ends_open));
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => continue,
            }
            let Some(fix) = &diagnostic.fix else { continue };
            self.fixable += u64::from(fix.default);
            self.with_warnings += u64::from(fix.flag == Some("--fix-warnings"));
            self.with_safety += u64::from(fix.flag == Some("--acknowledge-safety"));
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
    /// What is only noted is told only if that was asked for.
    fn shows(&self, diagnostic: &Diagnostic) -> bool {
        self.info || diagnostic.severity != Severity::Info
    }
}

#[cfg(test)]
impl Style {
    /// A small terminal without colours.
    const SMALL: Style = Style {
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

/// What was seen of a doc, and what is to be told of it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The doc, as the user named it.
    pub path: String,
    /// What it was read as, if it was recognised.
    pub format: Option<&'static str>,
    /// What its histories were judged for.
    pub targets: Vec<&'static str>,
    pub items: u64,
    pub histories: u32,
    pub records: u32,
    /// Each record is a conversation by itself, told apart from the others.
    pub apart: bool,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<Unsent>,
    /// In the order of the doc.
    pub diagnostics: Vec<Diagnostic>,
}

impl Seen {
    pub fn new<T>(path: &str, lint: &DocLint<T>, diagnostics: Vec<Diagnostic>) -> Seen {
        let one = lint.format.is_some_and(|format| format.info().histories.span_records());
        Seen {
            path: path.to_owned(),
            format: lint.format.map(|format| format.info().name),
            targets: lint.targets.clone(),
            items: lint.items,
            histories: lint.histories,
            records: lint.records,
            apart: matches!(lint.container, Container::Lines { .. }) && !one,
            unsent: lint.unsent.clone(),
            diagnostics,
        }
    }
}

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

/// Makes a report.
pub type Make = fn(Style) -> Box<dyn Report>;

/// The table of outputs.
pub static OUTPUTS: &[(&str, Make)] = &[
    ("text", |style| Box::new(text::Text::new(style))),
    ("concise", |style| Box::new(concise::Concise::new(style))),
    ("json", |_| Box::new(json::Json::default())),
    ("jsonl", |_| Box::new(jsonl::JsonLines::default())),
    ("sarif", |style| Box::new(sarif::Sarif::new(style))),
    ("github", |style| Box::new(github::Github::new(style))),
    ("gitlab", |style| Box::new(gitlab::Gitlab::new(style))),
    ("junit", |style| Box::new(junit::Junit::new(style))),
    ("api-error", |style| Box::new(api_error::ApiError::new(style))),
];

/// The output with this name.
pub fn by_name(name: &str) -> Option<Make> {
    OUTPUTS.iter().find(|(known, _)| *known == name).map(|(_, make)| *make)
}

pub use json::{diagnostic_value, summary_value, write_pretty};
pub use text::offers;
