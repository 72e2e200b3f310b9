//! Histories of up to a hundred thousand items and folders of up to ten thousand files, in four sizes: their work is linear.
//! Two sizes of some hundreds hide what is looked up once for each item in a short list, and keys that differ only at the end.

use std::fs;
use std::path::Path;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::prediction::predictions;
use replaylint::internals::source::GrowableBytes;

use super::folders::walk_work;
use super::shapes::ShapePart::{Calls, Results, User};
use super::shapes::{RequestWriter, ShapePart, anthropic, chat, document, repeated, responses};
use crate::support::work::{CountedDoc, Work, growth};
use crate::support::{DOC, check_of, repair_of};

/// Numbers of calls; as many results come with them.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 50_000];

/// The most growth beyond the size: sorting is a little more than linear, a buffer may have just doubled, and a document
/// that is too large to be kept in memory is read several times. Quadratic work would be 500 at least.
const MOST_PERCENT: u64 = 300;

/// A longer document is not kept in memory. Its reads for each item, and the times that its bytes are read: those of a
/// shorter one say nothing about them.
const LENGTH_IN_MEMORY: u64 = 8 << 20;
const READS_PER_ITEM: u64 = 10;
const TIMES_READ: u64 = 3;

/// Fails unless each kind of work grows about linearly over all sizes.
fn assert_grows_linearly(name: &str, sizes: &[usize], work: &dyn Fn(usize) -> Work) {
    let works: Vec<(usize, Work)> = sizes.iter().map(|n| (*n, work(*n))).collect();
    for pair in works.windows(2) {
        let [(few, small), (many, large)] = pair else { continue };
        assert_ne!(small.allocations, 0, "{name}: nothing is counted");
        let most = (many / few) as u64 * MOST_PERCENT / 100;
        let usual = *few as u64 * READS_PER_ITEM;
        let small = match small.reads < usual && large.read > LENGTH_IN_MEMORY {
            true => Work { reads: usual, read: small.read * TIMES_READ, ..*small },
            false => *small,
        };
        let excess = growth(small, *large, most);
        assert!(excess.is_empty(), "{name}, from {few} to {many}: {}", excess.join(", "));
    }
}

/// `check` and `fix` of a history of `n` calls.
fn assert_history_linear(name: &str, write: RequestWriter, shape: fn(usize) -> Vec<ShapePart>, key: &str) {
    let text = |n: usize| document(write, &shape(n), "x").replace(r#":"c"#, &format!(r#":"{key}"#));
    let doc = |n: usize| GrowableBytes::new(CountedDoc(text(n).into_bytes()));
    let options = Options::default();
    assert_grows_linearly(&format!("check, {name}"), &SIZES, &|n| {
        let doc = doc(n);
        Work::of(|| check_of(&doc, &options)).0
    });
    assert_grows_linearly(&format!("fix, {name}"), &SIZES, &|n| {
        let doc = doc(n);
        let (work, repaired) = Work::of(|| repair_of(&doc, &options, &FixOptions::default()));
        assert!(repaired.fixed.changes.len() + 1 >= n, "{name}: {} changes", repaired.fixed.changes.len());
        work
    });
}

/// Calls one after the other, and their results in reverse.
fn reversed(n: usize) -> Vec<ShapePart> {
    let calls = (0..n).map(|n| Calls(vec![n]));
    calls.chain((0..n).rev().map(|n| Results(vec![n]))).collect()
}

fn answered(n: usize) -> Vec<ShapePart> {
    (0..n).flat_map(|n| [Calls(vec![n]), Results(vec![n])]).collect()
}

fn open(n: usize) -> Vec<ShapePart> {
    (0..n).flat_map(|n| [Calls(vec![n]), User]).collect()
}

/// More than any API accepts.
const LONG_KEY: &str =
    "call_0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789_";

#[test]
fn results_in_reverse_are_linear_up_to_a_hundred_thousand_items() {
    assert_history_linear("results in reverse", chat, reversed, "call_");
}

#[test]
fn long_keys_with_one_prefix_are_linear_up_to_a_hundred_thousand_items() {
    assert_history_linear("long keys of Chat", chat, answered, LONG_KEY);
    assert_history_linear("long keys of Responses", responses, answered, LONG_KEY);
}

#[test]
fn open_calls_are_linear_up_to_a_hundred_thousand_items() {
    assert_history_linear("open calls", anthropic, open, "c");
}

/// Numbers of requests in a log.
const LOG_SIZES: [usize; 3] = [50, 500, 3_000];

/// A log of short requests: each has an error that stays, an open call, a result without its call, and a copy of a result.
fn log(n: usize) -> Vec<u8> {
    let call = |id: &str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let output = |id: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"x"}}"#);
    let (user, unknown) =
        (r#"{"role":"user","content":"x"}"#, r#"{"type":"message","role":"wizard","content":"x"}"#);
    let items = [user.to_owned(), call("a"), output("a"), output("a"), call("b"), output("c"), unknown.to_owned()];
    let line = format!("{{\"model\":\"gpt-5\",\"input\":[{}]}}\n", items.join(","));
    line.repeat(n).into_bytes()
}

/// A document of short requests: each has two errors that are found as its items are read, and two results without calls.
fn batch(n: usize) -> Vec<u8> {
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"bad name!","input":"x"}]}"#;
    let results = ["a", "b", "c"]
        .map(|id| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}"#))
        .join(",");
    let messages =
        [r#"{"role":"user","content":"x"}"#, call, &format!(r#"{{"role":"user","content":[{results}]}}"#)]
            .join(",");
    let request = |n: usize| {
        format!(
            r#"{{"custom_id":"{n}","params":{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{messages}]}}}}"#
        )
    };
    let requests: Vec<String> = (0..n).map(request).collect();
    format!(r#"{{"requests":[{}]}}"#, requests.join(",")).into_bytes()
}

/// `check`, which predicts at least two fixes for each request, and `fix`, which makes at least three changes.
fn assert_requests_linear(name: &str, requests: fn(usize) -> Vec<u8>) {
    let options = Options::default();
    let doc = |n: usize| GrowableBytes::new(CountedDoc(requests(n)));
    assert_grows_linearly(&format!("check of {name}"), &LOG_SIZES, &|n| {
        let doc = doc(n);
        Work::of(|| {
            let mut found = check_of(&doc, &options);
            let predicted = predictions::predict(DOC, &doc, &mut found, &options, 1, false).expect("memory reads");
            assert!(predicted.resolved >= 2 * n as u64, "{} of {n}", predicted.resolved);
        })
        .0
    });
    assert_grows_linearly(&format!("fix of {name}"), &LOG_SIZES, &|n| {
        let doc = doc(n);
        let (work, repaired) = Work::of(|| repair_of(&doc, &options, &FixOptions::default()));
        assert!(repaired.fixed.changes.len() >= 3 * n, "{} changes of {n}", repaired.fixed.changes.len());
        work
    });
}

#[test]
fn logs_are_linear_in_the_number_of_their_requests() {
    assert_requests_linear("a log", log);
}

#[test]
fn documents_are_linear_in_the_number_of_their_requests() {
    assert_requests_linear("a document", batch);
}

/// Samples whose copies have the same ids: all items of one id are repaired together, are continued by the same items, or are
/// replaced again by each compaction.
const COPIED: [&str; 5] = [
    "ag2-log/aborted.jsonl",
    "coder-chat/v0.json",
    "codex-rollout/2025-compacted-to-text.jsonl",
    "responses-item-lines/session.jsonl",
    "responses-object/response.json",
];

/// Numbers of copies.
const COPIES: [usize; 3] = [5, 50, 300];

#[test]
fn copies_of_a_conversation_in_its_file_are_linear() {
    let options = Options::default();
    for name in COPIED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats").join(name);
        let sample = fs::read(path).expect("a sample");
        let doc = |n: usize| {
            let text = repeated(name, &sample, n).expect("a list or lines");
            GrowableBytes::new(CountedDoc(text.into_bytes()))
        };
        assert_grows_linearly(&format!("check of {name}"), &COPIES, &|n| {
            let doc = doc(n);
            Work::of(|| check_of(&doc, &options)).0
        });
        assert_grows_linearly(&format!("fix of {name}"), &COPIES, &|n| {
            let doc = doc(n);
            Work::of(|| repair_of(&doc, &options, &FixOptions::default())).0
        });
    }
}

/// A rollout to whose lines other files refer, so that none may move: each has a message with an id that the API refuses.
fn numbered_lines(n: usize) -> Vec<u8> {
    let line = |ordinal: usize, kind: &str, payload: &str| {
        format!(
            r#"{{"timestamp":"2026-09-18T09:31:00.106Z","ordinal":{ordinal},"type":"{kind}","payload":{payload}}}"#
        ) + "\n"
    };
    let meta = r#"{"id":"01a0c2b0-0000-7000-8000-00000000000a","timestamp":"2026-09-18T09:30:54.133Z","cwd":"/w","originator":"codex-tui","cli_version":"0.154.0","source":"cli","model_provider":"openai","history_mode":"paginated"}"#;
    let message = |n: usize| {
        format!(
            r#"{{"type":"message","id":"user_{n}","role":"user","content":[{{"type":"input_text","text":"a"}}]}}"#
        )
    };
    let lines = (0..n).map(|n| line(n + 1, "response_item", &message(n)));
    (line(0, "session_meta", meta) + &lines.collect::<String>()).into_bytes()
}

#[test]
fn numbered_lines_are_linear() {
    let options = Options::default();
    assert_grows_linearly("fix of numbered lines", &LOG_SIZES, &|n| {
        let doc = GrowableBytes::new(CountedDoc(numbered_lines(n)));
        let wanted = FixOptions { warnings: true, ..FixOptions::default() };
        let (work, repaired) = Work::of(|| repair_of(&doc, &options, &wanted));
        assert!(repaired.fixed.changes.len() >= n, "{} changes of {n}", repaired.fixed.changes.len());
        work
    });
}

/// A history of images without data.
fn images(n: usize) -> Vec<u8> {
    let message =
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]}"#;
    format!(r#"{{"model":"gpt-5","messages":[{}]}}"#, vec![message; n].join(",")).into_bytes()
}

#[test]
fn images_that_are_refused_are_linear() {
    let options = Options::default();
    assert_grows_linearly("check of images", &[100, 1_000, 10_000], &|n| {
        let doc = GrowableBytes::new(CountedDoc(images(n)));
        let (work, found) = Work::of(|| check_of(&doc, &options));
        assert!(found.findings.len() >= n, "{} findings of {n}", found.findings.len());
        work
    });
}

#[test]
fn folders_are_linear_in_the_number_of_their_files() {
    assert_grows_linearly("files", &[10, 100, 1_000, 10_000], &|n| {
        let folder = tempfile::tempdir().expect("a folder");
        for n in 0..n {
            fs::write(folder.path().join(format!("{n:05}.json")), "{}").expect("written");
        }
        walk_work(folder.path(), n)
    });
}
