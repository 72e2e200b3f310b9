//! `check --follow`: checks files again whenever they change, and reports each finding once. The end of such a file is not
//! the end of its conversation, so findings that depend on the end are not reported.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use foldhash::{HashMap, HashSet};

use crate::history::Code;
use crate::options::UsageError;
use crate::place::DocId;
use crate::report::{Diagnostic, DocReport, RunSummary, Style};
use crate::rule::is_end_of_log;
use crate::rules::container::{invalid_json, truncated_last_line, unknown_format};
use crate::rules::trees::unfinished_stream;
use crate::source::{FileStamp, Input, describe_error, display_name};
use crate::target::Severity;

use super::check::{DocCheck, ReportMode, check_doc, is_not_conversation, report_nothing_found};
use super::run::labels::label_of;
use super::{Failure, Outcome, ReportOutput, Run, print_error, print_note};

/// Interval between checks of the files; longer if they take long to read.
const POLL: Duration = Duration::from_millis(250);
const SLICE: Duration = Duration::from_millis(50);
/// Time without a change after which a document that cannot be parsed is no longer considered half written.
const SETTLE_TIME: Duration = Duration::from_secs(2);
/// Bytes at the beginning of a file that identify it.
const HASHED_BYTES: u64 = 4096;

/// Output formats that can be read while they are written.
const STREAMED_OUTPUTS: [&str; 4] = ["text", "concise", "jsonl", "github"];

/// True for findings that depend on the end of a file.
fn is_end_finding(diagnostic: &Diagnostic) -> bool {
    let of_end = [truncated_last_line::RULE.code, unfinished_stream::RULE.code].contains(&diagnostic.rule);
    of_end || diagnostic.no_fix.is_some_and(is_end_of_log)
}

/// True for findings that may disappear once a document is completely written.
fn is_transient(diagnostic: &Diagnostic) -> bool {
    [invalid_json::RULE.code, unknown_format::RULE.code].contains(&diagnostic.rule)
}

/// Identity of a finding: its ids if it has any, because these remain when a file is rewritten.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FindingKey {
    rule: Code,
    variant: u8,
    ids: (u64, u64),
    place: Option<(u32, String)>,
}

impl FindingKey {
    fn of(diagnostic: &Diagnostic) -> FindingKey {
        let ids = (diagnostic.identity.id, diagnostic.identity.key);
        let place = (ids == (0, 0)).then(|| (diagnostic.record, diagnostic.location.pointer.clone()));
        FindingKey { rule: diagnostic.rule, variant: diagnostic.variant, ids, place }
    }
}

/// A file that is followed.
struct FollowedFile {
    stamps: Vec<Option<FileStamp>>,
    /// The time at which the last change was noticed.
    changed: Instant,
    len: u64,
    head: u64,
    /// Number of reported findings by identity.
    reported: HashMap<FindingKey, usize>,
    /// Findings that are reported if the file does not change.
    pending: Vec<Diagnostic>,
    report: DocReport,
    skipped: bool,
}

struct FollowRun<'r> {
    run: &'r Run,
    report_outputs: Vec<ReportOutput>,
    summary: RunSummary,
    files: HashMap<String, FollowedFile>,
    /// Labels of the files in the order of their discovery.
    order: Vec<String>,
    complained: HashSet<String>,
}

pub fn follow(run: &Run, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if let Some(output) =
        run.outputs.iter().find(|output| output.file.is_some() || !STREAMED_OUTPUTS.contains(&output.name))
    {
        let what = format!("--follow cannot write {}, which is complete only at the end", output.name);
        return Err(UsageError::new(what)
            .help(format!("use {} on standard output", STREAMED_OUTPUTS.join(", ")))
            .into());
    }
    if run.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(UsageError::new("--follow requires files or folders, not standard input").into());
    }
    let interrupted = interrupt_flag();
    let style = Style { grouped: false, limit: run.max_diagnostics, ..run.style };
    let mut session = FollowRun {
        run,
        report_outputs: run.report_outputs(style)?,
        summary: RunSummary::default(),
        files: HashMap::default(),
        order: Vec::new(),
        complained: HashSet::default(),
    };
    while !interrupted.load(Ordering::Relaxed) {
        let started = Instant::now();
        match session.poll(&interrupted, out).and_then(|()| Ok(out.flush()?)) {
            Err(failure) if failure.is_broken_pipe() => return session.finish(&mut io::sink()),
            looked => looked?,
        }
        let pause = POLL.max(started.elapsed() * 4);
        let until = Instant::now() + pause;
        while Instant::now() < until && !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(SLICE);
        }
    }
    session.finish(out)
}

/// A flag that is set on interruption.
fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the handler, the signal ends the program.
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

impl FollowRun<'_> {
    /// Checks all files that have changed, once.
    fn poll(&mut self, interrupted: &AtomicBool, out: &mut dyn Write) -> Result<(), Failure> {
        let (inputs, errors) = self.run.current_inputs();
        for error in errors {
            self.complain_once(&error.to_string());
        }
        let is_new = |input: &&Input| !self.files.contains_key(&label_of(input));
        let new: Vec<Input> = inputs.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            self.run.configure(&new)?;
        }
        for (n, input) in inputs.iter().enumerate() {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.poll_file(n, input, out)?;
        }
        Ok(())
    }

    fn poll_file(&mut self, n: usize, input: &Input, out: &mut dyn Write) -> Result<(), Failure> {
        let label = label_of(input);
        let stamps = stamps(input);
        if let Some(known) = self.files.get_mut(&label)
            && known.stamps == stamps
        {
            if known.pending.is_empty() || known.changed.elapsed() < SETTLE_TIME {
                return Ok(());
            }
            let pending = std::mem::take(&mut known.pending);
            return self.report(&label, pending, out);
        }
        let run = self.run;
        let looked = run
            .open(DocId(n as u32), input)
            .and_then(|doc| check_doc(run, doc, run.threads, run.content(), ReportMode::All));
        match looked {
            Ok(checked) => self.update_file(&label, input, stamps, checked, out),
            Err(error) => {
                self.complain_once(&describe_error(&label, &error));
                Ok(())
            }
        }
    }

    /// Records a new or changed file, and reports its findings.
    fn update_file(
        &mut self,
        label: &str,
        input: &Input,
        stamps: Vec<Option<FileStamp>>,
        mut checked: DocCheck,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let found = std::mem::take(&mut checked.report.diagnostics);
        let len = stamps.iter().flatten().map(|stamp| stamp.len).sum();
        let now = Instant::now();
        if !self.files.contains_key(label) {
            self.order.push(label.to_owned());
        }
        let known = self.files.entry(label.to_owned()).or_insert_with(|| FollowedFile {
            stamps: Vec::new(),
            changed: now,
            len: 0,
            head: 0,
            reported: HashMap::default(),
            pending: Vec::new(),
            report: DocReport::default(),
            skipped: false,
        });
        let path = single_file(input);
        if len < known.len || path.is_some_and(|path| hash_head(path, known.len) != Some(known.head)) {
            // The text was replaced: places no longer identify findings, ids still do.
            known.reported.retain(|key, _| key.place.is_none());
            if known.len > 0 && !self.run.quiet {
                print_note(&format!("{}: replaced; reading it from the beginning", display_name(label)));
            }
        }
        known.len = len;
        known.head = path.and_then(|path| hash_head(path, len)).unwrap_or_default();
        (known.stamps, known.changed, known.skipped) = (stamps, now, checked.skipped);
        known.report = checked.report;
        let shows = |found: &Diagnostic| found.severity > Severity::Info || self.run.verbose;
        let found = found.into_iter().filter(|found| shows(found) && !is_end_finding(found));
        let (pending, found) = found.partition(is_transient);
        known.pending = pending;
        self.report(label, found, out)
    }

    /// Reports findings of a file that were not reported before.
    fn report(&mut self, label: &str, found: Vec<Diagnostic>, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(known) = self.files.get_mut(label) else { return Ok(()) };
        let mut here: HashMap<FindingKey, usize> = HashMap::default();
        let mut new = Vec::new();
        for diagnostic in found {
            let key = FindingKey::of(&diagnostic);
            let nth = here.entry(key.clone()).or_default();
            *nth += 1;
            let reported = known.reported.entry(key).or_default();
            if *nth > *reported {
                *reported = *nth;
                new.push(diagnostic);
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        self.summary.add(&RunSummary::of(&new), self.run.denies_warnings(label));
        let seen = DocReport { diagnostics: new, ..known.report.clone() };
        for report_output in &mut self.report_outputs {
            report_output.write(out, |report, out| report.write_doc(&seen, out))?;
        }
        Ok(out.flush()?)
    }

    fn complain_once(&mut self, what: &str) {
        if self.complained.insert(what.to_owned()) {
            print_error(what);
        }
    }

    fn finish(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let mut recognised = 0;
        for known in self.order.iter().filter_map(|label| self.files.get(label)) {
            if known.skipped {
                self.summary.skipped += 1;
                continue;
            }
            self.summary.count_file(None);
            self.summary.add_doc(&known.report);
            recognised += u64::from(known.report.format.is_some() && !is_not_conversation(&known.report));
        }
        for mut report_output in std::mem::take(&mut self.report_outputs) {
            report_output.write(out, |report, out| report.finish(&self.summary, out))?;
        }
        let failed = report_nothing_found(self.run, recognised, &self.summary, false);
        Ok(self.run.outcome(failed, self.summary.fails()))
    }
}

/// The current stamps of the files of an input.
fn stamps(input: &Input) -> Vec<Option<FileStamp>> {
    let stamp = |path: &Path| fs::metadata(path).ok().map(|meta| FileStamp::of(&meta));
    match input {
        Input::Stdin => Vec::new(),
        Input::File { path, .. } => vec![stamp(path)],
        Input::Member { member, .. } => vec![stamp(&member.archive)],
        Input::Log { paths, .. } | Input::Tree { paths, .. } => paths.iter().map(|path| stamp(path)).collect(),
        Input::History { path, .. } => {
            // New rows are in the write-ahead log.
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            vec![stamp(path), stamp(Path::new(&log))]
        }
    }
}

/// The file of an input that is a single file.
fn single_file(input: &Input) -> Option<&Path> {
    match input {
        Input::File { path, .. } => Some(path),
        _ => None,
    }
}

/// A hash of the beginning of a file, of at most its former length.
fn hash_head(path: &Path, len: u64) -> Option<u64> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(len.min(HASHED_BYTES)).read_to_end(&mut bytes).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}
