//! What a report costs beside the scan: findings are told with one read of their record, and what the default repair would
//! do is found out on the records that it changes. Reads and bytes are counted, not timed.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::place::Place;
use replaylint::internals::repair;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report;
use replaylint::internals::report::prediction::promise;
use replaylint::internals::report::{Content, Diagnostic, Picked, Seen, Style};
use replaylint::internals::source::ReadAt;
use replaylint::internals::target::Severity;

use crate::generate::{Shape, generate};
use crate::report::outputs::texts;
use crate::support::{DOC, STYLE, check_of, roomy};

/// Counts what is read of a text.
pub struct Counted {
    text: Vec<u8>,
    reads: AtomicU64,
    bytes: AtomicU64,
}

impl Counted {
    fn new(text: Vec<u8>) -> Self {
        Counted { text, reads: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Reads and bytes since this was asked last.
    pub fn take(&self) -> (u64, u64) {
        (self.reads.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }

    /// The line around an offset: its start and its length.
    fn line(&self, offset: u64) -> (u64, u64) {
        let (before, after) = self.text.split_at(offset as usize);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let len = after.iter().position(|byte| *byte == b'\n').map_or(after.len(), |at| at + 1);
        (start as u64, (before.len() - start + len) as u64)
    }

    /// The lines in which findings and their partners lie, and how long each is.
    fn lines_of<T>(&self, found: &JudgedDoc<T>) -> BTreeMap<u64, u64> {
        let places = found.judged.iter().flat_map(|judged| {
            let partner: Option<Place> = judged.finding.partner;
            [Some(judged.finding.row.at), partner]
        });
        places.flatten().map(|place| self.line(place.start)).collect()
    }
}

impl ReadAt for Counted {
    fn len(&self) -> u64 {
        self.text.as_slice().len() as u64
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read_at(start, buf)?;
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

fn generated(shape: Shape, fault_every: u64) -> Counted {
    of_size(3 << 20, shape, fault_every)
}

pub fn of_size(bytes: u64, shape: Shape, fault_every: u64) -> Counted {
    let mut text = Vec::new();
    generate(shape, bytes, fault_every, 7, &mut text).expect("memory writes");
    Counted::new(text)
}

/// Marks of lines are so many bytes apart; a read goes from one to the next.
const STRETCH: u64 = 4 << 10;

#[test]
fn findings_are_told_with_one_read_of_each_record() {
    for (shape, fault_every) in [(Shape::Rollout, 3), (Shape::Requests, 40)] {
        let text = generated(shape, fault_every);
        let found = check_of(&text, &Options::default());
        let lines = text.lines_of(&found);
        text.take();
        let told = report::diagnose(DOC, "case", &text, &found, Content::Masked).expect("memory reads");
        let (reads, bytes) = text.take();
        assert!(told.len() > 20, "{shape:?}: {} findings", told.len());
        assert!(reads <= lines.len() as u64, "{shape:?}: {reads} reads for {} records", lines.len());
        let most = lines.values().map(|len| len + STRETCH).sum::<u64>();
        assert!(bytes <= most, "{shape:?}: {bytes} bytes, {most} at most");
    }
}

#[test]
fn a_promise_reads_only_the_records_that_would_change() {
    let text = generated(Shape::Requests, 400);
    let mut found = check_of(&text, &Options::default());
    let errors = found.judged.iter().filter(|judged| judged.severity == Severity::Error).count();
    let lines = text.lines_of(&found);
    text.take();
    let promises = promise::plan(DOC, &text, &mut found, &Options::default(), 1, false).expect("memory reads");
    let gone = promises.gone;
    let (_, bytes) = text.take();
    assert!(errors > 0 && gone == errors as u64, "{gone} of {errors}");
    // Each is looked for from both sides in steps that grow, then read once; so is the first record.
    let most = (lines.values().sum::<u64>() + text.line(0).1) * 4;
    assert!(bytes <= most && most < text.len(), "{bytes} bytes, {most} at most of {}", text.len());
}

/// What a check promises, and of which finding.
fn promised(text: &[u8]) -> (u64, Vec<String>) {
    let bytes = roomy(text);
    let options = Options::default();
    let mut found = check_of(&bytes, &options);
    let promises = promise::plan(DOC, &bytes, &mut found, &options, 1, false).expect("memory reads");
    let told = promises.diagnose(DOC, "case", &bytes, &found, &Picked::all(&found), Content::None);
    (promises.gone, words(&told.expect("memory reads")))
}

/// What `fix` keeps of that.
fn kept(text: &[u8]) -> (u64, Vec<String>) {
    let bytes = roomy(text);
    let fixed = repair::fix(DOC, &bytes, &Options::default(), &FixOptions::default(), 1).expect("memory reads");
    let (promises, gone) = promise::outcome(&fixed, text.len() as u64);
    let mut told = report::diagnose(DOC, "case", &bytes, &fixed.before, Content::None).expect("memory reads");
    for ((told, judged), promise) in told.iter_mut().zip(&fixed.before.judged).zip(promises) {
        promise.tell(told, judged);
    }
    (gone, words(&told))
}

fn words(told: &[Diagnostic]) -> Vec<String> {
    let words = |own: &Diagnostic| {
        let fix = own.fix.as_ref().map(|fix| (fix.title.clone(), fix.loss, fix.default, fix.flag));
        format!("{} {} {fix:?} {:?}", own.rule, own.spot.line, own.no_fix)
    };
    told.iter().map(words).collect()
}

/// Logs of several records: generated ones, and those of testdata, each record of another file.
pub fn logs() -> Vec<(String, Vec<u8>)> {
    let mut all = vec![("generated".to_owned(), generated(Shape::Requests, 100).text)];
    all.push(("generated with many faults".to_owned(), generated(Shape::Requests, 20).text));
    all.extend(texts());
    let lines: Vec<&[u8]> = all.iter().skip(2).flat_map(|(_, text)| text.split(|byte| *byte == b'\n')).collect();
    let requests = lines.iter().filter(|line| line.starts_with(b"{") && line.len() < 1 << 14);
    let requests: Vec<&[u8]> = requests.copied().collect();
    let mixed: Vec<Vec<u8>> = requests.chunks(40).map(|lines| lines.join(&b'\n')).collect();
    // Many of a kind.
    let many: Vec<Vec<u8>> = requests.chunks(8).map(|lines| lines.join(&b'\n').repeat(30)).collect();
    all.extend(mixed.into_iter().enumerate().map(|(n, text)| (format!("mixed {n}"), text)));
    all.extend(many.into_iter().enumerate().map(|(n, text)| (format!("many {n}"), text)));
    all
}

#[test]
fn what_is_promised_is_what_fix_does_to_the_whole_doc() {
    for (name, text) in logs() {
        assert_eq!(promised(&text), kept(&text), "{name}");
    }
}

#[test]
fn text_of_what_is_picked_is_text_of_all() {
    let style = Style { grouped: true, width: 200, ..STYLE };
    let mut only_counted = 0;
    for (name, text) in logs() {
        let bytes = roomy(&text);
        let mut found = check_of(&bytes, &Options::default());
        let promises =
            promise::plan(DOC, &bytes, &mut found, &Options::default(), 1, false).expect("memory reads");
        let written = |picked: Picked| {
            let told = promises.diagnose(DOC, "case", &bytes, &found, &picked, Content::None);
            let seen = Seen { more: picked.more, ..Seen::new("case", &found, told.expect("memory reads")) };
            let (mut report, mut out) = (report::by_name("text").expect("text")(style), Vec::new());
            report.doc(&seen, &mut out).expect("memory writes");
            String::from_utf8(out).expect("text")
        };
        let picked = Picked::of(&found, &promises.of, &style);
        only_counted += picked.more.iter().map(|more| more.count).sum::<u64>();
        assert_eq!(written(picked), written(Picked::all(&found)), "{name}");
    }
    assert!(only_counted > 1000, "{only_counted} findings are only counted");
}
