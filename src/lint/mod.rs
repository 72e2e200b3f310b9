//! The engine: a doc goes in, findings with their weight come out. `check`, `fix` and every other command share it.
//!
//! Stage (a) reads records on any number of threads; stage (b) puts their rows together in order; stage (c) judges each
//! history. A format whose records are histories by themselves is judged where it is read.

mod branches;
pub mod broken;
pub mod detect;
mod doc;
mod gather;
mod gathered;
mod judge;
mod keep;
mod look;
mod stage;
pub mod streams;
mod unknown;

use crate::format::{Format, FormatInfo, Unsent};
use crate::history::{Effort, Usage};
use crate::rule::{Age, Cx};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::{Severity, Target};

pub use branches::finding;
pub use doc::{gathering, lint, lint_made};
pub use gather::gather;
pub use judge::{Bench, Enabled, Judged, levels, speaks};
pub use keep::{Keep, Kept, each_body, unjudged};
pub use look::Texts;

/// What the user said about the files, and which rules run.
#[derive(Clone)]
pub struct Options {
    pub format: Option<&'static dyn Format>,
    pub target: Option<&'static Target>,
    pub store: Option<bool>,
    pub usage: Option<Usage>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    /// Steps from each record to the value that is the conversation.
    pub pointer: Vec<String>,
    pub newest_first: Option<bool>,
    /// Records larger than this many bytes are not read.
    pub max_record: u64,
    /// What items must look like.
    pub schemas: Schemas,
    /// Stored items older than this are told.
    pub age: Option<Age>,
    /// Also the branches of a tree at which it does not go on.
    pub all_branches: bool,
    pub enabled: Enabled,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            format: None,
            target: None,
            store: None,
            usage: None,
            model: None,
            effort: None,
            pointer: Vec::new(),
            newest_first: None,
            max_record: 1 << 30,
            schemas: Schemas::Official,
            age: None,
            all_branches: false,
            enabled: Enabled::new(|_| true),
        }
    }
}

/// Gets each history once it is judged, on the thread that judged it.
pub trait OnHistory: Sync {
    type Made: Send;

    fn history(
        &self,
        cx: &Cx<'_>,
        info: &'static FormatInfo,
        judged: &[Judged],
        number: u32,
    ) -> Option<Self::Made>;

    /// Whether histories are judged before they are handed over; else they are only put together.
    fn judges(&self) -> bool {
        true
    }

    /// Counts histories from where the stretches before ended.
    fn renumber(made: &mut Self::Made, by: u32);

    /// The same for records.
    fn renumber_records(_made: &mut Self::Made, _by: u32) {}
}

/// Wants nothing but findings.
pub struct Findings;

impl OnHistory for Findings {
    type Made = ();

    fn history(&self, _: &Cx<'_>, _: &'static FormatInfo, _: &[Judged], _: u32) -> Option<()> {
        None
    }

    fn renumber(_: &mut (), _: u32) {}
}

/// What linting a doc gave.
pub struct DocLint<T> {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    /// What its histories were judged for; more than one if they name different providers.
    pub targets: Vec<&'static str>,
    /// What items were held against.
    pub schemas: Schemas,
    /// In the order in which they are printed.
    pub judged: Vec<Judged>,
    /// What [`OnHistory`] made, in the order of the histories.
    pub made: Vec<T>,
    pub records: u32,
    pub histories: u32,
    pub items: u64,
    /// References stand for items of it: `slim` was here.
    pub slimmed: bool,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<Unsent>,
    /// (offset, number of the line that starts at or before it and begins there) every few megabytes.
    pub lines: Vec<(u64, u64)>,
}

impl<T> DocLint<T> {
    /// The first finding that is an error.
    pub fn first_error(&self) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.severity == Severity::Error)
    }
}
