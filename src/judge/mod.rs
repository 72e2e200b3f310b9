//! Rules over what was read: findings with their weight. `check`, `fix` and every other command share it.

mod bench;
mod doc;
mod healing;
mod items;
mod judged;
mod keep;
mod look;
mod proof;

use crate::format::{Format, FormatInfo};
use crate::history::{Finding, History, Unsent, Version};
use crate::read;
use crate::read::Skipped;
use crate::rule::{Age, Cx};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::{Severity, Target};

pub use bench::{Bench, Enabled, levels, speaks};
pub use doc::{judge, judge_made, judging};
pub use judged::Judged;
pub use keep::{Keep, Kept, each_piece, unjudged};

/// What the user said about the files, and which rules run.
#[derive(Clone)]
pub struct Options {
    pub read: read::Options,
    pub target: Option<&'static Target>,
    pub store: Option<bool>,
    pub model: Option<String>,
    /// The version of the agent that is to go on with a session, instead of the one that wrote it.
    pub agent_version: Option<Version>,
    /// What items must look like.
    pub schemas: Schemas,
    /// Stored items older than this are reported.
    pub age: Option<Age>,
    pub enabled: Enabled,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            read: read::Options::default(),
            target: None,
            store: None,
            model: None,
            agent_version: None,
            schemas: Schemas::Official,
            age: None,
            enabled: Enabled::default(),
        }
    }
}

/// A history that was judged, with what is needed to judge others as it was.
pub struct Case<'c> {
    pub cx: &'c Cx<'c>,
    pub info: &'static FormatInfo,
    /// What was found, in the order in which it is printed; nothing if nobody judges.
    pub judged: &'c [Judged],
    /// Number of the history in the doc.
    pub number: u32,
    pub options: &'c Options,
    bench: &'c Bench<'c>,
}

impl Case<'_> {
    /// Judges what the history might become, or a part of it. `items` are the findings of its items; `enabled` are the
    /// rules, where those of the run do not fit.
    pub fn judge_rows(&self, history: &History, items: &[Finding], enabled: Option<&Enabled>) -> Vec<Judged> {
        let bench = self.bench.of(history);
        let cx = bench.cx(self.cx.look, self.cx.known);
        let enabled = enabled.unwrap_or(&self.options.enabled);
        bench.judge(&cx, items, self.options, enabled, self.number).0
    }
}

/// Gets each history once it is judged, on the thread that judged it.
pub trait OnHistory: Sync {
    type Made: Send;

    fn history(&self, case: &Case<'_>) -> Option<Self::Made>;

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

    fn history(&self, _: &Case<'_>) -> Option<()> {
        None
    }

    fn renumber(_: &mut (), _: u32) {}
}

/// A doc that was judged.
pub struct JudgedDoc<T> {
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
    /// A record may hold a reference.
    pub may_refer: bool,
    /// No history asks for what may be elsewhere in the doc.
    pub alone: bool,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<Unsent>,
    /// (offset, number of the line that starts at or before it and begins there) every few kilobytes.
    pub lines: Vec<(u64, u64)>,
    /// Records that were skipped because of a bug here.
    pub bugs: Vec<Skipped>,
}

impl<T> JudgedDoc<T> {
    /// The same, with something else made of its histories.
    pub fn with_made<U>(&self, made: Vec<U>) -> JudgedDoc<U> {
        JudgedDoc {
            container: self.container,
            format: self.format,
            targets: self.targets.clone(),
            schemas: self.schemas.clone(),
            judged: self.judged.clone(),
            made,
            records: self.records,
            histories: self.histories,
            items: self.items,
            slimmed: self.slimmed,
            may_refer: self.may_refer,
            alone: self.alone,
            unsent: self.unsent.clone(),
            lines: self.lines.clone(),
            bugs: self.bugs.clone(),
        }
    }

    /// Name of the format.
    pub fn format_name(&self) -> Option<&'static str> {
        self.format.map(|format| format.info().name)
    }

    /// Each line is a conversation by itself, about which no other line has a say.
    pub fn is_by_line(&self) -> bool {
        let by_itself = |format: &'static dyn Format| {
            !format.info().histories.span_records()
                && !format.layout().is_translated()
                && format.layout().reduction().is_none()
        };
        self.format.is_some_and(by_itself) && matches!(self.container, Container::Lines { .. }) && self.alone
    }

    /// The first finding that is an error.
    pub fn first_error(&self) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.severity == Severity::Error)
    }
}
