//! Conversion: every case of `testdata/convert`, and the order of lines. Conversions among all dialects are tested in
//! `across`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::carry::{CarryOptions, CarryOver, SessionWriter};
use replaylint::internals::convert::{ConvertOptions, ConvertedDoc, convert_doc};
use replaylint::internals::convert::{ConvertPlan, ReasoningMode};
use replaylint::internals::formats::session_writer;
use replaylint::internals::judge::Options;
use replaylint::internals::report::{self, ContentDisplay};
use serde::Deserialize;
use serde_json::json;

use crate::convert::across::legal;
use crate::support::DOC;
pub use crate::support::memory::{convert_bytes, convert_text, plan};
use crate::support::snapshots::Snapshots;

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
