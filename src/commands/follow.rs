//! `check --follow`: reads files that are being written again whenever they have changed, and reports each finding once.
//! The end of such a file is not the end of its conversation: what only the end proves is no finding until more follows.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::history::Code;
use crate::options::Misuse;
use crate::place::DocId;
use crate::report::{Diagnostic, Seen, Style, Summary};
use crate::rule::is_end_of_log;
use crate::rules::container::{invalid_json, truncated_last_line, unknown_format};
use crate::rules::trees::unfinished_stream;
use crate::source::{Input, Stamp, display_name, words};
use crate::target::Severity;

use super::check::{Checked, is_no_conversation, look, nothing_found};
use super::run::labels::label_of;
use super::{Failure, Outcome, Run, Sheet, complain, talk};

/// How often files are looked at. A file that takes long to read is looked at less often.
const POLL: Duration = Duration::from_millis(250);
const SLICE: Duration = Duration::from_millis(50);
/// A document that cannot be parsed may be half written until it has not changed for this long.
const SETTLED: Duration = Duration::from_secs(2);
/// As much of a file as tells whether it is still the same.
const HEAD: u64 = 4096;

/// Outputs that can be read before they are finished.
const LIVE: [&str; 4] = ["text", "concise", "jsonl", "github"];

/// Findings that only the end of a file shows.
fn is_of_end(diagnostic: &Diagnostic) -> bool {
    let of_end = [truncated_last_line::RULE.code, unfinished_stream::RULE.code].contains(&diagnostic.rule);
    of_end || diagnostic.no_fix.is_some_and(is_end_of_log)
}

/// Findings that a document shows while it is being written.
fn may_pass(diagnostic: &Diagnostic) -> bool {
    [invalid_json::RULE.code, unknown_format::RULE.code].contains(&diagnostic.rule)
}

/// What a finding is known by: ids where there are some, for these stay when a file is written anew.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    rule: Code,
    variant: u8,
    ids: (u64, u64),
    place: Option<(u32, String)>,
}

impl Key {
    fn of(diagnostic: &Diagnostic) -> Key {
        let ids = (diagnostic.identity.id, diagnostic.identity.key);
        let place = (ids == (0, 0)).then(|| (diagnostic.record, diagnostic.spot.pointer.clone()));
        Key { rule: diagnostic.rule, variant: diagnostic.variant, ids, place }
    }
}

/// A file that is followed.
struct Followed {
    stamps: Vec<Option<Stamp>>,
    /// When it was seen to have changed.
    changed: Instant,
    len: u64,
    head: u64,
    /// How many findings of each kind were reported.
    reported: HashMap<Key, usize>,
    /// Findings that are reported if the file stays as it is.
    held: Vec<Diagnostic>,
    seen: Seen,
    skipped: bool,
}

struct Session<'r> {
    run: &'r Run,
    sheets: Vec<Sheet>,
    summary: Summary,
    files: HashMap<String, Followed>,
    /// In the order in which they were met.
    order: Vec<String>,
    complained: HashSet<String>,
}

pub fn follow(run: &Run, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if let Some(output) = run.outputs.iter().find(|output| output.file.is_some() || !LIVE.contains(&output.name)) {
        let what = format!("--follow cannot write {}, which is finished only at the end", output.name);
        return Err(Misuse::new(what).help(format!("it prints {} to standard output", LIVE.join(", "))).into());
    }
    if run.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Misuse::new("--follow needs files or folders, not standard input").into());
    }
    let interrupted = interruption();
    let style = Style { grouped: false, limit: run.most_shown, ..run.style };
    let mut session = Session {
        run,
        sheets: run.sheets(style)?,
        summary: Summary::default(),
        files: HashMap::new(),
        order: Vec::new(),
        complained: HashSet::new(),
    };
    while !interrupted.load(Ordering::Relaxed) {
        let started = Instant::now();
        match session.look(&interrupted, out).and_then(|()| Ok(out.flush()?)) {
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

/// Is set when the user has had enough.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without it the signal ends the program, as ever.
        let _ = signal_hook::flag::register(signal, flag.clone());
    }
    flag
}

impl Session<'_> {
    /// Looks at all files once.
    fn look(&mut self, interrupted: &AtomicBool, out: &mut dyn Write) -> Result<(), Failure> {
        let (inputs, errors) = self.run.inputs_now();
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
            self.file(n, input, out)?;
        }
        Ok(())
    }

    fn file(&mut self, n: usize, input: &Input, out: &mut dyn Write) -> Result<(), Failure> {
        let label = label_of(input);
        let stamps = stamps(input);
        if let Some(known) = self.files.get_mut(&label)
            && known.stamps == stamps
        {
            if known.held.is_empty() || known.changed.elapsed() < SETTLED {
                return Ok(());
            }
            let held = std::mem::take(&mut known.held);
            return self.report(&label, held, out);
        }
        let run = self.run;
        let looked =
            run.open(DocId(n as u32), input).and_then(|doc| look(run, doc, run.threads, run.content(), false));
        match looked {
            Ok(checked) => self.changed(&label, input, stamps, checked, out),
            Err(error) => {
                self.complain_once(&words(&label, &error));
                Ok(())
            }
        }
    }

    /// A file is new, or has changed.
    fn changed(
        &mut self,
        label: &str,
        input: &Input,
        stamps: Vec<Option<Stamp>>,
        mut checked: Checked,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let found = std::mem::take(&mut checked.seen.diagnostics);
        let len = stamps.iter().flatten().map(|stamp| stamp.len).sum();
        let now = Instant::now();
        if !self.files.contains_key(label) {
            self.order.push(label.to_owned());
        }
        let known = self.files.entry(label.to_owned()).or_insert_with(|| Followed {
            stamps: Vec::new(),
            changed: now,
            len: 0,
            head: 0,
            reported: HashMap::new(),
            held: Vec::new(),
            seen: Seen::default(),
            skipped: false,
        });
        let path = file_of(input);
        if len < known.len || path.is_some_and(|path| head(path, known.len) != Some(known.head)) {
            // Another text: what is at a place of it is something else. What has an id is still the same.
            known.reported.retain(|key, _| key.place.is_none());
            if known.len > 0 && !self.run.quiet {
                talk(&format!("{}: replaced; reading it from the beginning", display_name(label)));
            }
        }
        known.len = len;
        known.head = path.and_then(|path| head(path, len)).unwrap_or_default();
        (known.stamps, known.changed, known.skipped) = (stamps, now, checked.skipped);
        known.seen = checked.seen;
        let shows = |found: &Diagnostic| found.severity > Severity::Info || self.run.verbose;
        let found = found.into_iter().filter(|found| shows(found) && !is_of_end(found));
        let (held, found) = found.partition(may_pass);
        known.held = held;
        self.report(label, found, out)
    }

    /// Reports those findings of a file that were not reported yet.
    fn report(&mut self, label: &str, found: Vec<Diagnostic>, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(known) = self.files.get_mut(label) else { return Ok(()) };
        let mut here: HashMap<Key, usize> = HashMap::new();
        let mut new = Vec::new();
        for diagnostic in found {
            let key = Key::of(&diagnostic);
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
        self.summary.count(&new);
        self.summary.deny(&new, self.run.denies_warnings(label));
        let seen = Seen { diagnostics: new, ..known.seen.clone() };
        for sheet in &mut self.sheets {
            sheet.write(out, |report, out| report.doc(&seen, out))?;
        }
        Ok(out.flush()?)
    }

    fn complain_once(&mut self, what: &str) {
        if self.complained.insert(what.to_owned()) {
            complain(what);
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
            self.summary.see(&known.seen);
            recognised += u64::from(known.seen.format.is_some() && !is_no_conversation(&known.seen));
        }
        for mut sheet in std::mem::take(&mut self.sheets) {
            sheet.write(out, |report, out| report.finish(&self.summary, out))?;
        }
        let failed = nothing_found(self.run, recognised, &self.summary, false);
        Ok(self.run.outcome(failed, self.summary.fails()))
    }
}

/// The files that an input is made of, as they are now.
fn stamps(input: &Input) -> Vec<Option<Stamp>> {
    let stamp = |path: &Path| fs::metadata(path).ok().map(|meta| Stamp::of(&meta));
    match input {
        Input::Stdin => Vec::new(),
        Input::File { path, .. } => vec![stamp(path)],
        Input::Member { member, .. } => vec![stamp(&member.archive)],
        Input::Log { paths, .. } | Input::Tree { paths, .. } => paths.iter().map(|path| stamp(path)).collect(),
        Input::History { path, .. } => {
            // New rows wait in a file of their own.
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            vec![stamp(path), stamp(Path::new(&log))]
        }
    }
}

/// The file of an input that is one text.
fn file_of(input: &Input) -> Option<&Path> {
    match input {
        Input::File { path, .. } => Some(path),
        _ => None,
    }
}

/// A hash of the beginning of a file, of as much of it as there was.
fn head(path: &Path, len: u64) -> Option<u64> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(len.min(HEAD)).read_to_end(&mut bytes).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}
