//! Conversion: every case of `testdata/convert`, and the order of lines. Conversions among all dialects are tested in
//! `across`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::carry::{CarryOptions, CarryOver, SessionWriter};
use replaylint::internals::convert::{ConvertOptions, ConvertedDoc, convert_doc};
use replaylint::internals::convert::{ConvertPlan, ReasoningMode};
use replaylint::internals::formats::session_writer;
use replaylint::internals::history::Code;
use replaylint::internals::judge::Options;
use replaylint::internals::report::{self, ContentDisplay};
use replaylint::internals::target::Severity;
use serde::Deserialize;
use serde_json::json;

use crate::convert::across::{DIALECTS, legal};
pub use crate::support::memory::{convert_bytes, convert_text, plan};
use crate::support::snapshots::Snapshots;
use crate::support::{DOC, growable_text};

fn render_diagnostics(text: &[u8], done: ConvertedDoc) -> String {
    let found = report::diagnose(DOC, "case", &text.to_vec(), &done.into_judged_doc(), ContentDisplay::None)
        .expect("memory reads");
    let mut out = String::new();
    for diagnostic in found {
        let (severity, rule, message) = (diagnostic.severity.name(), diagnostic.rule, diagnostic.message);
        let _ = writeln!(out, "{severity} {rule} {message} ({})", diagnostic.location.pointers());
    }
    out
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvertCaseFile {
    case: Vec<ConvertCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvertCase {
    name: String,
    about: String,
    input: String,
    to: Vec<String>,
    reasoning: Option<String>,
    model: Option<String>,
}

impl ConvertCase {
    fn run(&self) -> String {
        let mut page = format!("{}\n", self.about);
        for to in &self.to {
            let reasoning = match self.reasoning.as_deref() {
                Some("text") => ReasoningMode::Text,
                Some("drop") => ReasoningMode::Drop,
                _ => ReasoningMode::Auto,
            };
            let text = self.input.trim_start().as_bytes();
            let writer = session_writer(to);
            let plan = plan(if writer.is_some() { "anthropic" } else { to });
            let plan = ConvertPlan { reasoning, model: self.model.clone(), ..plan };
            let (out, done) = match writer {
                Some(writer) => convert_to_session(text, writer, plan),
                None => convert_text(text, &Options::default(), plan),
            };
            if writer.is_none() {
                legal(&self.name, to, &out);
            }
            let _ = write!(page, "\n→ {to}\n{}{}", String::from_utf8_lossy(&out), render_diagnostics(text, done));
        }
        page
    }
}

/// Converts to a session, or to the messages of an SDK.
fn convert_to_session(text: &[u8], writer: &'static SessionWriter, plan: ConvertPlan) -> (Vec<u8>, ConvertedDoc) {
    let carry = CarryOver::new(writer, CarryOptions { current_dir: "/".into(), ..CarryOptions::default() });
    let options = Options::default();
    let mut how = ConvertOptions::new(&options, plan);
    how.carry = Some(&carry);
    let mut out = Vec::new();
    let done = convert_doc(DOC, &text.to_vec(), &how, 1, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    (out, done.expect("memory reads"))
}

#[test]
fn cases_of_conversion() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/convert");
    let mut files: Vec<_> = fs::read_dir(&folder).expect("cases").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut snapshots = Snapshots::new("testdata/convert");
    for path in files {
        let file: ConvertCaseFile = toml::from_str(&fs::read_to_string(&path).expect("UTF-8"))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let group = path.file_stem().expect("a name").to_string_lossy();
        for case in &file.case {
            snapshots.check(&group, &case.name, || case.run());
        }
    }
    assert!(snapshots.finish() > 0);
}

/// Messages without their numbers, by what a report takes for one message.
type MessagesByDigest = HashMap<(Code, u8, Severity, u64), HashSet<String>>;

/// Adds the losses of a conversion, and returns how many have a digest.
fn add_messages(text: &[u8], options: &Options, to: &str, all: &mut MessagesByDigest) -> usize {
    let how = ConvertOptions { digests_names: true, ..ConvertOptions::new(options, plan(to)) };
    let bytes = growable_text(text);
    let mut done = convert_doc(DOC, &bytes, &how, 1, &mut |_| Ok(())).expect("memory reads");
    let digests = std::mem::take(&mut done.name_digests);
    let judged = done.into_judged_doc();
    let found = report::diagnose(DOC, "case", &bytes, &judged, ContentDisplay::None).expect("memory reads");
    let mut digested = 0;
    for (judged, diagnostic) in judged.findings.iter().zip(found) {
        let finding = &judged.finding;
        let Some(digest) = digests.get(&(finding.row.at, finding.code, finding.variant)) else { continue };
        digested += 1;
        let bare = |word: &str| if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word }.to_owned();
        let message: Vec<String> = diagnostic.message.split(' ').map(bare).collect();
        let own = (finding.code, finding.variant, judged.severity, *digest);
        all.entry(own).or_default().insert(message.join(" "));
    }
    digested
}

#[test]
fn losses_with_one_digest_have_one_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut texts: Vec<String> = Vec::new();
    for entry in walkdir::WalkDir::new(root.join("formats")).sort_by_file_name().into_iter().flatten() {
        let is_request =
            entry.path().parent().is_some_and(|folder| folder.to_string_lossy().ends_with("-request"));
        if is_request && entry.file_type().is_file() {
            texts.extend(fs::read_to_string(entry.path()));
        }
    }
    for entry in fs::read_dir(root.join("convert")).expect("cases").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "toml") {
            let file: ConvertCaseFile =
                toml::from_str(&fs::read_to_string(entry.path()).expect("UTF-8")).expect("cases");
            texts.extend(file.case.into_iter().map(|case| case.input));
        }
    }
    let (mut messages, mut digested) = (MessagesByDigest::new(), 0);
    for text in &texts {
        // As lines, and as a document.
        let line: Option<serde_json::Value> = serde_json::from_str(text).ok();
        let lines = line.map(|line| format!("{line}\n{line}\n"));
        for text in [Some(text.clone()), lines].into_iter().flatten() {
            for to in DIALECTS {
                digested += add_messages(text.as_bytes(), &Options::default(), to, &mut messages);
            }
        }
    }
    let differ: Vec<_> = messages.values().filter(|messages| messages.len() > 1).collect();
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(digested > 2 * messages.len() && messages.len() > 100, "{digested} of {} digests", messages.len());
}

#[test]
fn lines_come_out_in_their_order_on_any_number_of_threads() {
    let mut text = Vec::new();
    for n in 0..30_000 {
        let body = json!({"model": "m", "input": [{"role": "user", "content": format!("number {n} {}", "x".repeat(200))}]});
        text.extend_from_slice(body.to_string().as_bytes());
        text.push(b'\n');
        if n % 10_000 == 9_999 {
            text.extend_from_slice(b"{\"broken\": \n");
        }
    }
    let run = |threads| {
        let options = Options::default();
        let how = ConvertOptions::new(&options, plan("chat"));
        let mut out = Vec::new();
        let done = convert_doc(DOC, &text, &how, threads, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        (out, done.expect("memory reads"))
    };
    let ((one, first), (many, second)) = (run(1), run(4));
    assert_eq!((first.converted, first.failed, first.records), (30_000, 3, 30_003));
    assert!(one == many, "threads change the order");
    let places = |done: &ConvertedDoc| {
        done.judged.iter().map(|j| (j.finding.row.at.start, j.finding.row.record)).collect::<Vec<_>>()
    };
    assert_eq!(places(&first), places(&second));
    assert_eq!(places(&first)[0].1, 10_000);
    for (n, line) in one.split(|b| *b == b'\n').filter(|line| !line.is_empty()).enumerate() {
        assert!(String::from_utf8_lossy(line).contains(&format!("number {n} ")));
    }
}
