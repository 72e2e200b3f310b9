//! The base of all commands that read documents: the options of a run, its inputs, and opening documents in order, on
//! several threads.

pub mod bugs;
pub mod consent;
pub mod fix_summary;
pub mod known_findings;
pub mod labels;
pub mod notice;
pub mod outcome;
pub mod output_file;
pub mod products;
pub mod progress;
pub mod severities;
pub mod walked_files;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use foldhash::HashSet;

use crate::judge::{self, JudgedDoc};
use crate::options::{LintSettings, UsageError};
use crate::place::DocId;
use crate::read::detect::{self, RecordReading};
use crate::report::html::draw::{self, Drawing};
use crate::report::words::group_digits;
use crate::report::{self, ContentDisplay, Diagnostic, IgnoredCounts, Style};
use crate::source::bug::{self, Bug};
use crate::source::bytes::read::FileBytes;
use crate::source::inputs::filter::{EXTENSIONS, FolderFilters};
use crate::source::inputs::walk::{SkippedPaths, WalkError, walk};
use crate::source::lineage::{LineageLookup, LogFamily};
use crate::source::{Doc, Input, InputOptions, display_name, display_path, folders, parallel, segments, sqlite};

use self::labels::label_of;
use self::notice::{print_error, print_note};
use self::outcome::{Failure, Outcome};
use self::progress::Progress;
use super::lineage;

/// Options of all commands that read documents.
pub struct Run {
    pub paths: Vec<PathBuf>,
    pub lints: LintSettings,
    pub threads: usize,
    pub allow_empty: bool,
    pub exit_zero: bool,
    pub deny_warnings: bool,
    pub stdin_name: Option<String>,
    /// Maximum size of an unpacked file in bytes.
    pub max_unpacked: u64,
    pub show_content: bool,
    pub verbose: bool,
    pub quiet: bool,
    /// The progress bar may be shown.
    pub progress: bool,
    pub style: Style,
    /// The value of `--max-diagnostics`; `None` for the default, or for 0.
    pub max_diagnostics: Option<usize>,
    /// Paths from this index on come from a list, which with `--allow-empty` may contain files without a conversation.
    pub listed_from: usize,
    pub outputs: Vec<Output>,
    /// Diagnostics have the replacements of their fixes.
    pub proposes: bool,
    /// True if `-o` specifies the file of a report.
    pub report_flag: bool,
    /// Other files that are read: lists of inputs, config files, schemas.
    pub also_read: Vec<PathBuf>,
    /// The folders to search for files that a log continues from.
    pub lookup: LineageLookup,
}

/// A report format, and the file to write it to; `None` for standard output.
pub struct Output {
    pub name: &'static str,
    pub make: report::ReporterConstructor,
    pub file: Option<PathBuf>,
}

/// The inputs of a run.
pub(super) struct Inputs {
    /// In order.
    pub all: Vec<Input>,
    /// A path could not be read, which was reported.
    pub failed: bool,
    /// Numbers of ignored files and folders.
    pub ignored_counts: IgnoredCounts,
}

/// Files up to this size, in bytes, are judged in parallel, each by one thread; a larger one by all threads.
const MAX_SMALL_FILE: u64 = 4 << 20;

impl Run {
    /// The outcome of a run: `failed` if it is incomplete, `found` if it has findings.
    pub(super) fn outcome(&self, failed: bool, found: bool) -> Outcome {
        match (failed, found && !self.exit_zero) {
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::Found,
            (false, false) => Outcome::Clean,
        }
    }

    /// Collects the inputs in order, and loads their config files.
    pub(super) fn inputs(&self) -> Result<Inputs, Failure> {
        let walked = walk(&self.paths, &self.lints);
        for error in &walked.errors {
            print_error(&error.to_string());
        }
        let mut failed = !walked.errors.is_empty();
        let mut all = Vec::with_capacity(walked.inputs.len());
        let lenient: HashSet<&PathBuf> = match self.allow_empty {
            true => self.paths.iter().skip(self.listed_from).collect(),
            false => HashSet::default(),
        };
        for mut input in walked.inputs {
            if let Input::File { path, named } = &mut input {
                *named &= !lenient.contains(path);
            }
            match self.members(&input) {
                Ok(None) => all.push(input),
                Ok(Some(members)) => all.extend(members),
                Err(error) => {
                    print_error(&error.message);
                    failed = true;
                }
            }
        }
        let all = self.group_inputs(all);
        self.configure(&all)?;
        if self.verbose {
            for (path, why) in &walked.passed.each {
                print_note(&format!("{}: ignored: {}", display_path(path), display_name(why)));
            }
        }
        let SkippedPaths { files, folders, .. } = walked.passed;
        Ok(Inputs { all, failed, ignored_counts: IgnoredCounts { files, folders } })
    }

    /// The current inputs, when files appear and grow. Errors are returned, not reported.
    pub(super) fn current_inputs(&self) -> (Vec<Input>, Vec<WalkError>) {
        let walked = walk(&self.paths, &self.lints);
        (self.group_inputs(walked.inputs), walked.errors)
    }

    /// Loads the config files of the inputs, and reports their errors and unused globs.
    pub(super) fn configure(&self, inputs: &[Input]) -> Result<(), Failure> {
        let mut errors = self.lints.take_errors();
        for input in inputs {
            let label = match input {
                Input::Stdin => self.stdin_name.clone().unwrap_or_else(|| "-".to_owned()),
                input => label_of(input),
            };
            // This marks the globs of the file that match.
            let loaded = self.lints.load(Path::new(&label)).map(|()| self.lints.effective(&label));
            errors.extend(loaded.err().filter(|new| errors.iter().all(|old| old.message != new.message)));
        }
        if !errors.is_empty() {
            let last = errors.pop();
            for usage_error in errors {
                print_error(&usage_error.to_string());
                usage_error.help.iter().for_each(|help| print_error(help));
            }
            return last.map_or(Ok(()), |usage_error| Err(usage_error.into()));
        }
        if !self.quiet {
            self.lints.unused_globs(&self.folders()).iter().for_each(|idle| print_error(idle));
        }
        Ok(())
    }

    /// The given folders.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.paths.iter().filter(|path| path.is_dir()).cloned().collect()
    }

    /// The files of a given archive; `None` if the input is not an archive.
    pub(super) fn members(&self, input: &Input) -> Result<Option<Vec<Input>>, UsageError> {
        let Input::File { path, named: true } = input else { return Ok(None) };
        let filter = self.lints.of_folder(path.parent().unwrap_or(Path::new("")));
        let Some(members) = filter.members(path) else { return Ok(None) };
        let wrong = |error| UsageError::new(WalkError { path: path.clone(), error }.to_string());
        let members = members.map_err(wrong)?.into_iter();
        Ok(Some(members.map(|member| Input::Member { member, named: false }).collect()))
    }

    /// True if warnings about a document fail the run.
    pub(super) fn denies_warnings(&self, label: &str) -> bool {
        self.deny_warnings || self.lints.effective(label).denies_warnings()
    }

    /// Replaces each database with its histories. One that is unreadable or empty stays, and is reported when it is opened.
    fn expand_databases(inputs: Vec<Input>) -> Vec<Input> {
        let is_text = |path: &Path| {
            path.extension().is_some_and(|ending| EXTENSIONS.iter().any(|text| ending.eq_ignore_ascii_case(text)))
        };
        // To look into each of many small files takes a fifth of the time of checking it.
        let is_database = |path: &Path, named: bool| match !named && is_text(path) {
            true => sqlite::is_misnamed_database(path),
            false => sqlite::is_database(path),
        };
        let mut out = Vec::with_capacity(inputs.len());
        for input in inputs {
            match &input {
                Input::File { path, named } if is_database(path, *named) => match sqlite::histories(path) {
                    Ok(Ok(keys)) => {
                        let history = |key| Input::History { path: path.clone(), key, named: *named };
                        out.extend(keys.into_iter().map(history));
                    }
                    _ => out.push(input),
                },
                _ => out.push(input),
            }
        }
        out
    }

    /// Groups files that belong to one log.
    pub(super) fn group_inputs(&self, inputs: Vec<Input>) -> Vec<Input> {
        let inputs = segments::group_logs(folders::group_sessions(Self::expand_databases(inputs)), has_segments);
        LogFamily::new(&lineage::FileLineageReader, &self.lookup, &inputs).group_logs(inputs)
    }

    /// Opens each input and passes it to `work`, with the number of threads to use. `take` receives the results in the order
    /// of the inputs, and ends the run by returning `false`.
    pub(super) fn each_doc<R: Send>(
        &self,
        inputs: &[Input],
        work: impl Fn(io::Result<Doc>, usize) -> R + Sync,
        mut take: impl FnMut(&Input, R) -> bool,
    ) {
        let lens: Vec<Option<u64>> = inputs.iter().map(input_len).collect();
        let all = lens.iter().flatten().fold(0u64, |all, len| all.saturating_add(*len));
        let progress = Progress::new(self.progress, inputs.len(), all);
        let open = |n: usize, input| Doc::open(DocId(n as u32), input, &self.input_options());
        #[expect(clippy::indexing_slicing, reason = "the loop below counts no further than to the last input")]
        let work = |n: usize, threads: usize| {
            let input = &inputs[n];
            let done = bug::catch_panic(|| {
                let doc = open(n, input);
                let warning = doc.as_ref().ok().and_then(|doc| self.size_warning(doc));
                bug::panic_for_test(label_of(input).as_bytes());
                (warning, work(doc, threads))
            });
            (n, done)
        };
        let mut take = |(n, done): (usize, Result<(Option<String>, R), Bug>)| {
            let (Some(input), Some(len)) = (inputs.get(n), lens.get(n)) else { return false };
            progress.finish_file(len.unwrap_or(0));
            progress.without_line(|| match done {
                Ok((warning, result)) => {
                    warning.iter().for_each(|warning| print_error(warning));
                    take(input, result)
                }
                Err(bug) => {
                    bugs::report(&label_of(input), &format_args!("skipped: {bug}"));
                    true
                }
            })
        };
        let mut at = 0;
        while let Some(len) = lens.get(at) {
            let is_small = |len: &&Option<u64>| len.is_some_and(|len| len <= MAX_SMALL_FILE);
            let many = lens.iter().skip(at).take_while(is_small).count();
            if many == 0 {
                progress.begin_file(len.unwrap_or(0));
                if !take(work(at, self.threads)) {
                    return;
                }
                at += 1;
                continue;
            }
            let mut continues = true;
            parallel::run_in_order(
                self.threads,
                many,
                || (),
                |(), n| work(at + n, 1),
                |result| {
                    continues = take(result);
                    continues
                },
            );
            if !continues {
                return;
            }
            at += many;
        }
    }

    /// Options for opening inputs.
    pub(super) fn input_options(&self) -> InputOptions<'_> {
        InputOptions { stdin_name: self.stdin_name.as_deref(), max_unpacked: self.max_unpacked, open_text: None }
    }

    /// Opens an input of a command that reads inputs sequentially.
    pub(super) fn open(&self, id: DocId, input: &Input) -> io::Result<Doc> {
        let doc = Doc::open(id, input, &self.input_options())?;
        self.size_warning(&doc).iter().for_each(|warning| print_error(warning));
        Ok(doc)
    }

    /// A warning about a document that is much larger than its compressed file.
    fn size_warning(&self, doc: &Doc) -> Option<String> {
        let unpacked = doc.unpacked.filter(|_| !self.quiet)?;
        let ratio = unpacked.odd_ratio()?;
        let (label, to) = (display_name(&doc.label), group_digits(unpacked.to));
        Some(format!("{label}: warning: unpacks to {to} bytes, {} times its size", group_digits(ratio)))
    }

    /// True if only people read the report: it may show the first of a kind and count the others.
    pub(super) fn has_only_text(&self) -> bool {
        self.outputs.iter().all(|output| output.name == "text")
    }

    /// True if an HTML page is written.
    pub(super) fn has_page(&self) -> bool {
        self.outputs.iter().any(|output| output.name == "html")
    }

    /// Draws a document with its findings, if an HTML page is written.
    pub(super) fn draw_page<T>(
        &self,
        command: &'static str,
        doc: &Doc,
        found: &JudgedDoc<T>,
        diagnostics: &[Diagnostic],
    ) -> io::Result<Option<Box<str>>> {
        let drawing = || self.drawing(command, doc, self.lints.options_for(&doc.label));
        self.has_page().then(|| draw::draw_findings(drawing(), found, diagnostics)).transpose()
    }

    /// Options for drawing a document. A page may be shared, so it shows content only with `--show-content`.
    pub(super) fn drawing<'d>(
        &self,
        command: &'static str,
        doc: &'d Doc,
        options: &'d judge::Options,
    ) -> Drawing<'d> {
        let Doc { id, label, bytes, .. } = doc;
        Drawing { command, id: *id, label, bytes: &**bytes, options, content: self.show_content }
    }

    /// Content is shown on a terminal, or with `--show-content`.
    pub(super) fn content(&self) -> ContentDisplay {
        let wanted = self.outputs.iter().any(|output| output.name == "text");
        match (wanted, self.show_content || io::stdout().is_terminal()) {
            (false, _) => ContentDisplay::None,
            (true, true) => ContentDisplay::Shown,
            (true, false) => ContentDisplay::Masked,
        }
    }
}

/// Bytes of the files that are read for an input; `None` if that is not known.
fn input_len(input: &Input) -> Option<u64> {
    let len = |path: &PathBuf| std::fs::metadata(path).ok().map(|meta| meta.len());
    match input {
        Input::Stdin | Input::Member { .. } => None,
        // Only the rows of the history are read.
        Input::History { .. } => Some(0),
        Input::File { path, .. } => len(path),
        Input::Tree { paths, .. } => paths.iter().map(len).sum(),
        Input::Log { base, paths, .. } => base.iter().map(|earlier| &earlier.path).chain(paths).map(len).sum(),
    }
}

/// True if a file is a log of a kind that may consist of several files, by its first lines.
fn has_segments(path: &Path) -> bool {
    // A pipe can be read only once.
    if !path.is_file() {
        return false;
    }
    let bytes = File::open(path).and_then(|file| FileBytes::of_path(file, path));
    let reading = bytes.and_then(|bytes| detect::of_first_lines(&bytes, 0, u64::MAX / 2));
    matches!(reading, Ok(Some(RecordReading::Format(format))) if format.info().has_segments)
}
