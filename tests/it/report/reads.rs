//! The cost of a report besides the scan: findings are reported with one read of their record, and the effect of the default
//! repair is predicted from the records that it changes. Reads and bytes are counted, not timed.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use replaylint::internals::convert;
use replaylint::internals::convert::ConvertOptions;
use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::place::Place;
use replaylint::internals::repair;
use replaylint::internals::repair::{FixOptions, Orphans, Reasoning};
use replaylint::internals::report;
use replaylint::internals::report::changes::{self, ChangeNote};
use replaylint::internals::report::prediction::predictions;
use replaylint::internals::report::preview::{Preview, RepairView};
use replaylint::internals::report::{ContentDisplay, Diagnostic, DocReport, FindingSample, RunSummary, Style};
use replaylint::internals::source::ReadAt;
use replaylint::internals::target::Severity;
use replaylint::internals::targets;

use crate::generate::{LogShape, generate};
use crate::report::outputs::sample_texts;
use crate::support::memory::plan;
use crate::support::{DOC, STYLE, check_of, growable_text};

/// A text that counts the reads of it.
pub struct CountedText {
    text: Vec<u8>,
    reads: AtomicU64,
    bytes: AtomicU64,
}

impl CountedText {
    fn new(text: Vec<u8>) -> Self {
        CountedText { text, reads: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// The reads and bytes since the last call.
    pub fn take_counts(&self) -> (u64, u64) {
        (self.reads.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }

    /// The line around an offset: its start and its length.
    fn line(&self, offset: u64) -> (u64, u64) {
        let (before, after) = self.text.split_at(offset as usize);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let len = after.iter().position(|byte| *byte == b'\n').map_or(after.len(), |at| at + 1);
        (start as u64, (before.len() - start + len) as u64)
    }

    /// The lines of findings and of their partners: start and length of each.
    fn lines_of<T>(&self, found: &JudgedDoc<T>) -> BTreeMap<u64, u64> {
        let places = found.findings.iter().flat_map(|judged| {
            let partner: Option<Place> = judged.finding.partner;
            [Some(judged.finding.row.at), partner]
        });
        places.flatten().map(|place| self.line(place.start)).collect()
    }
}

impl ReadAt for CountedText {
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

fn generate_log(shape: LogShape, fault_every: u64) -> CountedText {
    generate_text(3 << 20, shape, fault_every)
}

pub fn generate_text(bytes: u64, shape: LogShape, fault_every: u64) -> CountedText {
    let mut text = Vec::new();
    generate(shape, bytes, fault_every, 7, &mut text).expect("memory writes");
    CountedText::new(text)
}

/// The distance between the entries of the line index, in bytes; a read reaches from one to the next.
const LINE_INDEX_STEP: u64 = 4 << 10;

#[test]
fn findings_are_reported_with_one_read_of_each_record() {
    for (shape, fault_every) in [(LogShape::Rollout, 3), (LogShape::Requests, 40)] {
        let text = generate_log(shape, fault_every);
        let found = check_of(&text, &Options::default());
        let lines = text.lines_of(&found);
        text.take_counts();
        let diagnostics =
            report::diagnose(DOC, "case", &text, &found, ContentDisplay::Masked).expect("memory reads");
        let (reads, bytes) = text.take_counts();
        assert!(diagnostics.len() > 20, "{shape:?}: {} findings", diagnostics.len());
        assert!(reads <= lines.len() as u64, "{shape:?}: {reads} reads for {} records", lines.len());
        let most = lines.values().map(|len| len + LINE_INDEX_STEP).sum::<u64>();
        assert!(bytes <= most, "{shape:?}: {bytes} bytes, {most} at most");
    }
}

#[test]
fn a_prediction_reads_only_the_records_that_would_change() {
    let text = generate_log(LogShape::Requests, 400);
    let mut found = check_of(&text, &Options::default());
    let errors = found.findings.iter().filter(|judged| judged.severity == Severity::Error).count();
    let lines = text.lines_of(&found);
    text.take_counts();
    let predicted =
        predictions::predict(DOC, &text, &mut found, &Options::default(), 1, false).expect("memory reads");
    let resolved = predicted.resolved;
    let (_, bytes) = text.take_counts();
    assert!(errors > 0 && resolved == errors as u64, "{resolved} of {errors}");
    // Each record is searched for from both sides in growing steps, then read once; so is the first record.
    let most = (lines.values().sum::<u64>() + text.line(0).1) * 4;
    assert!(bytes <= most && most < text.len(), "{bytes} bytes, {most} at most of {}", text.len());
}

/// A result without its call in a short request of each dialect.
const SHORT_REQUESTS: [&str; 5] = [
    r#"{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"c1","output":"x"}]}"#,
    r#"{"model":"gpt-5","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c1","content":"x"}]}"#,
    r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"},{"type":"text","text":"hi"}]}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1}}}]},{"role":"user","parts":[{"text":"go on"}]}]}"#,
    r#"{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]},"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"x"}]}},{"text":"hi"}]}]}"#,
];

/// A call whose key is there twice, which is a finding of its own, goes with the call.
#[test]
fn a_prediction_says_what_else_a_repair_of_a_short_request_resolves() {
    let request = r#"{"model":"gpt-5","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"type":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"assistant","content":"x"}]}"#;
    let text = [request, SHORT_REQUESTS[1]].join("\n").into_bytes();
    let (resolved, fixes) = predicted_fixes(&text);
    assert_eq!((resolved, fixes.len()), (3, 3), "{fixes:?}");
    assert_eq!((resolved, fixes), applied_fixes(&text));
}

#[test]
fn a_prediction_for_short_requests_reads_nothing() {
    for request in SHORT_REQUESTS {
        for count in [1, 50] {
            let text = CountedText::new([request].repeat(count).join("\n").into_bytes());
            let mut found = check_of(&text, &Options::default());
            assert_eq!(found.findings.len(), count, "{request}");
            text.take_counts();
            let predicted = predictions::predict(DOC, &text, &mut found, &Options::default(), 1, false);
            assert_eq!(predicted.expect("memory reads").resolved, count as u64, "{request}");
            assert_eq!(text.take_counts(), (0, 0), "{request}");
            assert_eq!(predicted_fixes(&text.text), applied_fixes(&text.text), "{request}");
        }
    }
}

/// The number of findings that `check` predicts as fixed, and the fixes of each finding.
fn predicted_fixes(text: &[u8]) -> (u64, Vec<String>) {
    let bytes = growable_text(text);
    let options = Options::default();
    let mut found = check_of(&bytes, &options);
    let predicted = predictions::predict(DOC, &bytes, &mut found, &options, 1, false).expect("memory reads");
    let diagnostics = predicted.diagnose(DOC, "case", &bytes, &found, &FindingSample::all(), ContentDisplay::None);
    (predicted.resolved, words(&diagnostics.expect("memory reads")))
}

/// The same for the actual repair.
fn applied_fixes(text: &[u8]) -> (u64, Vec<String>) {
    let bytes = growable_text(text);
    let fixed = repair::fix(DOC, &bytes, &Options::default(), &FixOptions::default(), 1).expect("memory reads");
    let (predicted, resolved) = predictions::fix_outcomes(&fixed, text.len() as u64);
    let mut diagnostics =
        report::diagnose(DOC, "case", &bytes, &fixed.before, ContentDisplay::None).expect("memory reads");
    for ((diagnostics, judged), outcome) in diagnostics.iter_mut().zip(&fixed.before.findings).zip(predicted) {
        outcome.apply_to(diagnostics, judged);
    }
    (resolved, words(&diagnostics))
}

fn words(diagnostics: &[Diagnostic]) -> Vec<String> {
    let words = |own: &Diagnostic| {
        let fix = own.fix.as_ref().map(|fix| (fix.title.clone(), fix.loss, fix.default, fix.flag));
        format!("{} {} {fix:?} {:?}", own.rule, own.location.line, own.no_fix)
    };
    diagnostics.iter().map(words).collect()
}

/// Logs of several records: generated ones, and records of several files of testdata.
pub fn logs() -> Vec<(String, Vec<u8>)> {
    let mut all = vec![("generated".to_owned(), generate_log(LogShape::Requests, 100).text)];
    all.push(("generated with many faults".to_owned(), generate_log(LogShape::Requests, 20).text));
    all.extend(sample_texts());
    let lines: Vec<&[u8]> = all.iter().skip(2).flat_map(|(_, text)| text.split(|byte| *byte == b'\n')).collect();
    let requests = lines.iter().filter(|line| line.starts_with(b"{") && line.len() < 1 << 14);
    let requests: Vec<&[u8]> = requests.copied().collect();
    let mixed: Vec<Vec<u8>> = requests.chunks(40).map(|lines| lines.join(&b'\n')).collect();
    // Many equal records.
    let many: Vec<Vec<u8>> = requests.chunks(8).map(|lines| lines.join(&b'\n').repeat(30)).collect();
    all.extend(mixed.into_iter().enumerate().map(|(n, text)| (format!("mixed {n}"), text)));
    all.extend(many.into_iter().enumerate().map(|(n, text)| (format!("many {n}"), text)));
    all
}

#[test]
fn predictions_agree_with_the_repair_of_the_whole_doc() {
    for (name, text) in logs() {
        assert_eq!(predicted_fixes(&text), applied_fixes(&text), "{name}");
    }
}

/// Histories with items of unknown kinds are predicted by a repair of their records, some megabytes at a time.
#[test]
fn predictions_agree_where_records_fill_several_batches() {
    let long = "x".repeat(150_000);
    let request = |n: usize| {
        let of_turn = match n % 5 {
            0 => r#"{"role":"assistant","content":"y"}"#,
            1 => r#"{"role":"wizard","content":"y"},{"role":"tool","tool_call_id":"c1","content":"y"}"#,
            2 => {
                r#"{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#
            }
            3 => r#"{"role":"wizard","content":"y"},{"role":"tool","content":"y"}"#,
            _ => r#"{"role":"tool","content":"y"}"#,
        };
        format!(
            r#"{{"model":"gpt-5","messages":[{{"role":"user","content":"{long}"}},{of_turn},{{"role":"user","content":"{n}"}}]}}"#
        )
    };
    let text = (0..75).map(request).collect::<Vec<_>>().join("\n");
    let (resolved, fixes) = predicted_fixes(text.as_bytes());
    assert!(resolved > 30 && fixes.len() > 50, "{resolved} of {}", fixes.len());
    assert_eq!((resolved, fixes), applied_fixes(text.as_bytes()));
}

#[test]
fn every_finding_has_a_prediction_for_every_target() {
    let mut seen = 0;
    for (name, text) in sample_texts() {
        for target in ["openai", "chat", "anthropic", "gemini", "bedrock"] {
            let options = Options { target: targets::by_name(target), ..Options::default() };
            let bytes = growable_text(&text);
            let mut found = convert::check(DOC, &bytes, &options, 1).expect("memory reads");
            let predicted =
                predictions::predict(DOC, &bytes, &mut found, &options, 1, false).expect("memory reads");
            assert_eq!(predicted.outcomes.len(), found.findings.len(), "{name} for {target}");
            seen += found.findings.len();
        }
    }
    assert!(seen > 500, "{seen} findings");
}

#[test]
fn a_sampled_report_equals_the_text_of_the_full_one() {
    let style = Style { grouped: true, width: 200, ..STYLE };
    let mut only_counted = 0;
    for (name, text) in logs() {
        let bytes = growable_text(&text);
        let mut found = check_of(&bytes, &Options::default());
        let predicted =
            predictions::predict(DOC, &bytes, &mut found, &Options::default(), 1, false).expect("memory reads");
        let written = |picked: FindingSample| {
            let diagnostics = predicted.diagnose(DOC, "case", &bytes, &found, &picked, ContentDisplay::None);
            let seen = DocReport {
                similar: picked.similar,
                ..DocReport::new("case", &found, diagnostics.expect("memory reads"))
            };
            let (mut report, mut out) = (report::by_name("text").expect("text")(style), Vec::new());
            report.write_doc(&seen, &mut out).expect("memory writes");
            String::from_utf8(out).expect("text")
        };
        let picked = FindingSample::of(&found, &predicted.outcomes, &style);
        only_counted += picked.similar.iter().map(|more| more.count).sum::<u64>();
        assert_eq!(written(picked), written(FindingSample::all()), "{name}");
    }
    assert!(only_counted > 1000, "{only_counted} findings are only counted");
}

/// Some of many alike records, of which a report shows some.
fn repetitive_logs() -> impl Iterator<Item = (String, Vec<u8>)> {
    let is_repetitive = |(name, _): &(String, Vec<u8>)| name.starts_with("generated") || name.starts_with("many");
    logs().into_iter().filter(is_repetitive).step_by(5)
}

#[test]
fn sampled_losses_are_reported_like_all() {
    let style = Style { grouped: true, width: 200, ..STYLE };
    let options = Options::default();
    let mut only_counted = 0;
    for (name, text) in repetitive_logs() {
        let bytes = growable_text(&text);
        for to in ["chat", "anthropic", "gemini"] {
            let how = ConvertOptions { digests_names: true, ..ConvertOptions::new(&options, plan(to)) };
            let mut done = convert::convert_doc(DOC, &bytes, &how, 1, &mut |_| Ok(())).expect("memory reads");
            let sample = FindingSample::of_losses(&done.judged, &std::mem::take(&mut done.name_digests));
            let found = done.into_judged_doc();
            let written = |sample: FindingSample| {
                let picked = sample.pick(&found.findings);
                let diagnostics =
                    report::diagnose_some(DOC, "case", &bytes, &found, &picked, ContentDisplay::Masked);
                let seen = DocReport {
                    similar: sample.similar,
                    ..DocReport::new("case", &found, diagnostics.expect("memory reads"))
                };
                let (mut report, mut out) = (report::by_name("text").expect("text")(style), Vec::new());
                report.write_doc(&seen, &mut out).expect("memory writes");
                report.finish(&RunSummary::default(), &mut out).expect("memory writes");
                String::from_utf8(out).expect("text")
            };
            only_counted += sample.similar.iter().map(|more| more.count).sum::<u64>();
            assert_eq!(written(sample), written(FindingSample::all()), "{name} to {to}");
        }
    }
    assert!(only_counted > 1000, "{only_counted} losses are only counted");
}

#[test]
fn a_preview_reads_only_the_changes_that_it_shows() {
    let everything = FixOptions {
        warnings: true,
        reasoning: Reasoning::Strip,
        orphans: Orphans::Stub,
        ..FixOptions::default()
    };
    let mut only_counted = 0;
    for (name, text) in repetitive_logs() {
        let bytes = growable_text(&text);
        for wanted in [&FixOptions::default(), &everything] {
            let fixed = repair::fix(DOC, &bytes, &Options::default(), wanted, 1).expect("memory reads");
            let all = changes::notes(DOC, "case", &bytes, &fixed).expect("memory reads");
            let some = changes::notes_for_preview(DOC, "case", &bytes, &fixed).expect("memory reads");
            let written = |notes: &[ChangeNote]| {
                let (mut preview, mut out) = (Preview::new(STYLE, false), Vec::new());
                let repair = RepairView { fixed: &fixed, notes, bytes: &bytes };
                preview.doc(&repair, ContentDisplay::Masked, &mut out).expect("memory writes");
                preview.finish(&mut out).expect("memory writes");
                String::from_utf8(out).expect("UTF-8")
            };
            only_counted += all.len() - some.len();
            assert_eq!(written(&some), written(&all), "{name}");
        }
    }
    assert!(only_counted > 1000, "{only_counted} changes are only counted");
}
