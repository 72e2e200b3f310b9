//! What a run saw, doc by doc and as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::formats::agents::self_repair;
use crate::history::Unsent;
use crate::judge::{Judged, JudgedDoc};
use crate::repair::handover::Update;
use crate::rule::is_end_of_log;
use crate::rules::sessions::healed_by_agent;
use crate::source::Container;
use crate::target::Severity;

use super::command_line::CommandLine;
use super::diagnostic::Diagnostic;
use super::prediction::fix_outcome::Promise;
use super::prediction::promise::Promises;
use super::sampling::More;
use super::words::count;

/// What a run saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: u64,
    pub histories: u64,
    pub items: u64,
    pub errors: u64,
    pub warnings: u64,
    /// Warnings that fail the run.
    pub denied: u64,
    /// Findings that are not reported: the config file accepts them, or the baseline knows them.
    pub accepted: u64,
    pub known: u64,
    /// Findings that `fix` repairs without being asked for more.
    pub fixable: u64,
    /// Findings that it repairs with `--fix-warnings`, and with `--acknowledge-safety`.
    pub with_warnings: u64,
    pub with_safety: u64,
    /// Findings that it repairs are in compressed files or archives, which are not written to: it makes copies.
    pub packed: bool,
    /// Files whose log ends in an open call.
    pub open_logs: u64,
    /// What agents put right by themselves: numbers of things, by the line of the table of agents.
    pub healed: BTreeMap<u8, u32>,
    /// Files met in a walk that hold no conversation.
    pub skipped: u64,
    /// Files and folders that a walk did not read because of an ignore file, or because nobody looks into such.
    pub ignored: Ignored,
    /// How many files were read as each format, for each target.
    pub read_as: BTreeMap<ReadAs, u64>,
    /// The database that was counted last.
    pub database: Option<PathBuf>,
}

/// What a walk passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    pub files: u64,
    pub folders: u64,
}

impl Ignored {
    /// How many files and folders; `None` if there are none.
    pub fn words(self) -> Option<String> {
        match (self.files, self.folders) {
            (0, 0) => None,
            (files, 0) => Some(count(files, "file")),
            (0, folders) => Some(count(folders, "folder")),
            (files, folders) => Some(format!("{} and {}", count(files, "file"), count(folders, "folder"))),
        }
    }
}

/// What a file was taken for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReadAs {
    pub format: &'static str,
    pub targets: Vec<&'static str>,
}

impl Summary {
    /// Counts a file, or a history of a database, of which the first counts.
    pub fn count_file(&mut self, database: Option<&Path>) {
        if database.is_none() || database != self.database.as_deref() {
            self.files += 1;
        }
        self.database = database.map(Path::to_owned);
    }

    /// Adds what a doc was read as, and what it holds.
    pub fn see(&mut self, doc: &Seen) {
        self.histories += u64::from(doc.histories);
        self.items += doc.items;
        self.accepted += doc.accepted;
        for (line, count) in &doc.healed {
            *self.healed.entry(*line).or_default() += count;
        }
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
        self.packed |= other.packed;
    }

    /// The command that repairs what was found: in place, or where that cannot be as copies.
    pub fn fix(&self) -> CommandLine {
        CommandLine::new("fix").and(if self.packed { "-o repaired/" } else { "-w" }).on_all()
    }

    /// Counts what was found in a file, and what is promised of it.
    pub fn count_judged(&mut self, judged: &[Judged], promises: &Promises) {
        let of_each = || judged.iter().zip(&promises.of);
        let ends_open =
            |(judged, promise): (&Judged, &Promise)| promise.why_not(judged).is_some_and(is_end_of_log);
        self.open_logs += u64::from(of_each().any(ends_open));
        self.fixable += promises.gone;
        for (judged, promise) in of_each() {
            let (_, flag) = promise.made(judged);
            self.count_one(judged.severity, flag);
        }
    }

    /// Counts a finding, and the flag that its fix needs.
    fn count_one(&mut self, severity: Severity, flag: Option<&str>) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return,
        }
        self.with_warnings += u64::from(flag == Some("--fix-warnings"));
        self.with_safety += u64::from(flag == Some("--acknowledge-safety"));
    }

    /// Warnings among these fail the run, if they are denied.
    pub fn deny(&mut self, diagnostics: &[Diagnostic], denied: bool) {
        let is_warning = |diagnostic: &&Diagnostic| denied && diagnostic.severity == Severity::Warning;
        self.denied += diagnostics.iter().filter(is_warning).count() as u64;
    }

    /// Whether what was found fails the run.
    pub fn fails(&self) -> bool {
        self.errors + self.denied > 0
    }

    /// Counts what was found in a file.
    pub fn count(&mut self, diagnostics: &[Diagnostic]) {
        let ends_open = |diagnostic: &Diagnostic| diagnostic.no_fix.is_some_and(is_end_of_log);
        self.open_logs += u64::from(diagnostics.iter().any(ends_open));
        for diagnostic in diagnostics {
            let fix = diagnostic.fix.as_ref();
            self.count_one(diagnostic.severity, fix.and_then(|fix| fix.flag));
            let is_default = fix.is_some_and(|fix| fix.default);
            self.fixable += u64::from(is_default && diagnostic.severity > Severity::Info);
        }
    }
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
    /// Lines of the conversations that were left out for what their conversion would lose.
    pub left_out: Vec<u64>,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<Unsent>,
    /// Each record is a conversation by itself, told apart from the others.
    pub apart: bool,
    /// What its agent puts right by itself: lines of the table of agents, and numbers of things.
    pub healed: Vec<(u8, u32)>,
    /// What the program that keeps it can do instead of a repair.
    pub update: Option<Update>,
    /// The doc as it is drawn on a page, where one is made: JSON.
    pub page: Option<Box<str>>,
    /// Findings that the config file accepts.
    pub accepted: u64,
    /// In the order of the doc.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings like some of these, which are only counted.
    pub more: Vec<More>,
}

impl Seen {
    pub fn new<T>(path: &str, lint: &JudgedDoc<T>, diagnostics: Vec<Diagnostic>) -> Seen {
        let is_healed = |judged: &&Judged| judged.finding.code == healed_by_agent::RULE.code;
        let healed = lint.judged.iter().filter(is_healed).map(|judged| self_repair::parts(judged.finding.arg));
        let one = lint.format.is_some_and(|format| format.info().histories.span_records());
        Seen {
            path: path.to_owned(),
            format: lint.format_name(),
            targets: lint.targets.clone(),
            items: lint.items,
            histories: lint.histories,
            records: lint.records,
            left_out: Vec::new(),
            unsent: lint.unsent.clone(),
            apart: matches!(lint.container, Container::Lines { .. }) && !one,
            healed: healed.collect(),
            update: None,
            page: None,
            accepted: 0,
            diagnostics,
            more: Vec::new(),
        }
    }
}
