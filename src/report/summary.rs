//! The results of a run, per document and in total.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::formats::agents::resume;
use crate::history::UnsentItem;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::repair::handover::HandoverUpdate;
use crate::rule::{is_end_of_log, is_repaired_in_copy};
use crate::rules::sessions::healed_by_agent;
use crate::source::Container;
use crate::target::Severity;

use super::command_line::CommandLine;
use super::diagnostic::Diagnostic;
use super::prediction::fix_outcome::PredictedFix;
use super::prediction::predictions::Predictions;
use super::sampling::SimilarFindings;
use super::words::count;

/// The totals of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    pub files: u64,
    pub histories: u64,
    pub items: u64,
    pub errors: u64,
    pub warnings: u64,
    /// Warnings that fail the run.
    pub denied: u64,
    /// Findings that are not reported: accepted by the config file, or in the baseline.
    pub accepted: u64,
    pub in_baseline: u64,
    /// Findings that `fix` repairs by default.
    pub fixable: u64,
    /// Findings that it repairs only with `--fix-warnings`, and only with `--acknowledge-safety`.
    pub with_warnings: u64,
    pub with_safety: u64,
    /// Findings that it repairs only in a copy.
    pub in_copy: u64,
    /// True if it repairs findings in compressed files or archives, which are not written to: it makes copies.
    pub packed: bool,
    /// Files whose log ends in an open call.
    pub open_logs: u64,
    /// Problems that agents repair by themselves: their number, by the row of the table of agents.
    pub agent_acts: BTreeMap<u8, u32>,
    /// Files found in folders that contain no conversation.
    pub skipped: u64,
    /// Files and folders that were not read because of an ignore file, or because such folders never are.
    pub ignored: IgnoredCounts,
    /// Number of files by format and targets.
    pub input_kinds: BTreeMap<InputKind, u64>,
    /// The database that was counted last.
    pub database: Option<PathBuf>,
}

/// Numbers of ignored files and folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgnoredCounts {
    pub files: u64,
    pub folders: u64,
}

impl IgnoredCounts {
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

/// The format that a file was read as, and the targets that it was checked against.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InputKind {
    pub format: &'static str,
    pub targets: Vec<&'static str>,
}

impl RunSummary {
    /// Counts a file; of the histories of a database only the first.
    pub fn count_file(&mut self, database: Option<&Path>) {
        if database.is_none() || database != self.database.as_deref() {
            self.files += 1;
        }
        self.database = database.map(Path::to_owned);
    }

    /// Adds a document: its format and its totals.
    pub fn add_doc(&mut self, doc: &DocReport) {
        self.histories += u64::from(doc.histories);
        self.items += doc.items;
        self.accepted += doc.accepted;
        for (line, count) in &doc.agent_acts {
            *self.agent_acts.entry(*line).or_default() += count;
        }
        if let Some(format) = doc.format {
            *self.input_kinds.entry(InputKind { format, targets: doc.targets.clone() }).or_default() += 1;
        }
    }

    /// Adds the findings of one more file, in which warnings may be denied; files, histories and items are counted separately.
    pub fn add(&mut self, other: &RunSummary, denies_warnings: bool) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.denied += if denies_warnings { other.warnings } else { 0 };
        self.fixable += other.fixable;
        self.with_warnings += other.with_warnings;
        self.with_safety += other.with_safety;
        self.in_copy += other.in_copy;
        self.open_logs += other.open_logs;
        self.packed |= other.packed;
    }

    /// The command that repairs the findings: in place, or as copies if that is impossible.
    pub fn fix_command(&self) -> CommandLine {
        CommandLine::new("fix").with_flags(if self.packed { "-o repaired/" } else { "-w" }).on_all_inputs()
    }

    /// Counts of the findings of a file, and of their predicted fixes.
    pub fn of_judged(judged: &[WeighedFinding], predictions: &Predictions) -> RunSummary {
        let mut counts = RunSummary { fixable: predictions.resolved, ..RunSummary::default() };
        let of_each = || judged.iter().zip(&predictions.outcomes);
        let ends_open = |(judged, predicted): (&WeighedFinding, &PredictedFix)| {
            predicted.no_fix_reason(judged).is_some_and(is_end_of_log)
        };
        counts.open_logs = u64::from(of_each().any(ends_open));
        for (judged, predicted) in of_each() {
            let (_, flag) = predicted.availability(judged);
            counts.count_one(judged.severity, flag, predicted.no_fix_reason(judged));
        }
        counts
    }

    /// Counts a finding, and the flag that its fix needs or why there is none.
    fn count_one(&mut self, severity: Severity, flag: Option<&str>, no_fix: Option<&str>) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return,
        }
        self.with_warnings += u64::from(flag == Some("--fix-warnings"));
        self.with_safety += u64::from(flag == Some("--acknowledge-safety"));
        self.in_copy += u64::from(no_fix.is_some_and(is_repaired_in_copy));
    }

    /// True if the findings fail the run.
    pub fn fails(&self) -> bool {
        self.errors + self.denied > 0
    }

    /// Counts of the diagnostics of a file.
    pub fn of(diagnostics: &[Diagnostic]) -> RunSummary {
        let ends_open = |diagnostic: &Diagnostic| diagnostic.no_fix.is_some_and(is_end_of_log);
        let open_logs = u64::from(diagnostics.iter().any(ends_open));
        let mut counts = RunSummary { open_logs, ..RunSummary::default() };
        for diagnostic in diagnostics {
            let fix = diagnostic.fix.as_ref();
            counts.count_one(diagnostic.severity, fix.and_then(|fix| fix.flag), diagnostic.no_fix);
            let is_default = fix.is_some_and(|fix| fix.default);
            counts.fixable += u64::from(is_default && diagnostic.severity > Severity::Info);
        }
        counts
    }
}

/// The results of one document.
#[derive(Clone, Debug, Default)]
pub struct DocReport {
    /// The document, as the user named it.
    pub path: String,
    /// Its format; `None` if it was not recognised.
    pub format: Option<&'static str>,
    /// The targets that its histories were checked against.
    pub targets: Vec<&'static str>,
    pub items: u64,
    pub histories: u32,
    pub records: u32,
    /// Lines of the conversations that were left out for what their conversion would lose.
    pub left_out: Vec<u64>,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<UnsentItem>,
    /// True if each record is a conversation by itself.
    pub is_per_record: bool,
    /// Problems that its agent repairs by itself: rows of the table of agents, and their numbers.
    pub agent_acts: Vec<(u8, u32)>,
    /// The update that the program that owns the store can make instead of a repair.
    pub update: Option<HandoverUpdate>,
    /// The document as data of a page, in JSON; `None` unless a page is written.
    pub page: Option<Box<str>>,
    /// Findings that the config file accepts.
    pub accepted: u64,
    /// In the order of the document.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings similar to some of these, which are only counted.
    pub similar: Vec<SimilarFindings>,
}

impl DocReport {
    pub fn new<T>(path: &str, lint: &JudgedDoc<T>, diagnostics: Vec<Diagnostic>) -> DocReport {
        let is_healed = |judged: &&WeighedFinding| judged.finding.code == healed_by_agent::RULE.code;
        let healed = lint.findings.iter().filter(is_healed).map(|judged| resume::decode_arg(judged.finding.arg));
        let one = lint.format.is_some_and(|format| format.info().histories.span_records());
        DocReport {
            path: path.to_owned(),
            format: lint.format_name(),
            targets: lint.targets.clone(),
            items: lint.items,
            histories: lint.histories,
            records: lint.records,
            left_out: Vec::new(),
            unsent: lint.unsent.clone(),
            is_per_record: matches!(lint.container, Container::Lines { .. }) && !one,
            agent_acts: healed.collect(),
            update: None,
            page: None,
            accepted: 0,
            diagnostics,
            similar: Vec::new(),
        }
    }
}
