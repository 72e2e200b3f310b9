//! Speed, as ratios to merely parsing the same bytes to `serde_json::Value` in the same run: absolute figures depend on
//! the machine, ratios do not. `REPLAYLINT_BENCH_MB` sets the size of the data (default 64; 1000 shows that memory stays
//! where it is). `cargo bench -- convert` measures conversions only, `cargo bench -- stores` stores of agents and
//! small files, `cargo bench -- data FOLDER` writes the data, `cargo bench -- parse FILE` only parses a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::indexing_slicing)]

mod conversion;
mod generate;
mod logs;
mod messages;
mod stores;

use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use generate::{FaultCounts, LogShape};
use replaylint::internals::convert::stream;
use replaylint::internals::format::Format as _;
use replaylint::internals::format::requests::RebuildQuery;
use replaylint::internals::formats::agents::iterate;
use replaylint::internals::history::{Code, Usage};
use replaylint::internals::judge::{self, EnabledRules, FindingsOnly, JudgedDoc, Options};
use replaylint::internals::place::{DocId, Pieces};
use replaylint::internals::read;
use replaylint::internals::rebuild::Conversation;
use replaylint::internals::rebuild::slim::restore::restore;
use replaylint::internals::rebuild::slim::slim;
use replaylint::internals::repair;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::source::{Doc, Input, InputOptions, PatchedView, ReadAt, lines};

const DOC: DocId = DocId(0);
/// One record in so many has a fault.
const FAULT_EVERY: u64 = 1000;
/// The same for data for other tools.
const FAULT_OFTEN: u64 = 20;
/// No record has one.
const WITHOUT_FAULTS: u64 = u64::MAX / 4;
const RUNS: usize = 5;
/// Set for the child of [`peak`]: the file to work on.
const CHILD: &str = "REPLAYLINT_BENCH_CHILD";

fn main() {
    if let Ok(path) = std::env::var(CHILD) {
        return child(&path);
    }
    let megabytes: u64 = std::env::var("REPLAYLINT_BENCH_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(64);
    if let Some(folder) = std::env::args().skip_while(|argument| argument != "data").nth(1) {
        return data(megabytes, Path::new(&folder));
    }
    if let Some(path) = std::env::args().skip_while(|argument| argument != "parse").nth(1) {
        return parse(Path::new(&path));
    }
    if std::env::args().any(|argument| argument == "convert") {
        return conversions(megabytes);
    }
    if std::env::args().any(|argument| argument == "stores") {
        return stores::tables();
    }
    let folder = tempfile::tempdir().expect("a folder");
    println!("{megabytes} MB each, best of RUNS; a fault in one record of {FAULT_EVERY}\n");
    for (name, shape) in [("rollout, one history", LogShape::Rollout), ("a request a line", LogShape::Requests)] {
        let path = folder.path().join("data.jsonl");
        let mut out = BufWriter::new(std::fs::File::create(&path).expect("a file"));
        let faults = generate::generate(shape, megabytes * 1_000_000, FAULT_EVERY, 7, &mut out).expect("written");
        out.flush().expect("written");
        // Memory first, before the data is in memory.
        let memory = [peak(&path, false), peak(&path, true)];
        measure(name, &path, &faults);
        if let [Some(check), Some(fix)] = memory {
            println!("  peak memory         check {check} MB, fix {fix} MB");
        }
        println!();
    }
    for dialect in &messages::DIALECTS {
        blocks(dialect.0, &messages::requests(dialect, megabytes as usize * 1_000_000));
    }
    conversions(megabytes);
    repetition("event stream with bodies", &logs::stream(600, true));
    repetition("request log", &logs::requests(500, 1));
    repetition("event stream by reference", &logs::stream(40_000, false));
    growth();
    stores::tables();
    startup(folder.path());
}

/// Writes the data for other tools: each shape with faults and without.
fn data(megabytes: u64, folder: &Path) {
    for (name, shape) in [("rollout", LogShape::Rollout), ("requests", LogShape::Requests)] {
        for (faults, every) in [("without", WITHOUT_FAULTS), ("with", FAULT_OFTEN)] {
            let file = std::fs::File::create(folder.join(format!("{name}-{faults}.jsonl"))).expect("a file");
            let mut out = BufWriter::new(file);
            generate::generate(shape, megabytes * 1_000_000, every, 7, &mut out).expect("written");
            out.flush().expect("written");
        }
    }
}

/// Parses a document, or each of its lines.
fn parse(path: &Path) {
    let text = std::fs::read(path).expect("readable");
    let lines = || lines::split(&text).filter_map(|(_, line)| serde_json::from_slice(line).ok()).collect();
    let values: Vec<serde_json::Value> =
        serde_json::from_slice(&text).map_or_else(|_| lines(), |value| vec![value]);
    black_box(values.len());
}

/// Requests of each dialect, converted to each.
fn conversions(megabytes: u64) {
    let mut responses = Vec::new();
    let bytes = megabytes * 1_000_000;
    generate::generate(LogShape::Requests, bytes, WITHOUT_FAULTS, 7, &mut responses).expect("memory takes it");
    let others = messages::DIALECTS.iter().map(|dialect| (dialect.0, messages::requests(dialect, bytes as usize)));
    let sources: Vec<(&str, Vec<u8>)> = [("Responses", responses)].into_iter().chain(others).collect();
    conversion::table(&sources, 1);
    conversion::table(&sources[..1], 2);
    conversion::recorded(&corpus(), bytes as usize);
}

/// The folder of real requests, if it exists.
fn corpus() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    std::env::var_os("REPLAYLINT_CORPUS").map_or(beside, PathBuf::from)
}

/// The cost of validating messages with blocks against their schemas.
fn blocks(name: &str, data: &Vec<u8>) {
    let mb = data.len() as f64 / 1e6;
    let run = |options: &Options| {
        let found = judge::judge(DOC, data, options, 1, &FindingsOnly).expect("memory reads");
        assert!(found.findings.is_empty(), "{name}: the requests are as they should be");
        best(|| drop(black_box(judge::judge(DOC, data, options, 1, &FindingsOnly))))
    };
    let check = run(&Options::default());
    let unheld = Options { enabled: EnabledRules::new(|rule| rule.code != Code(400)), ..Options::default() };
    let bare = run(&unheld);
    println!("{name}, a request a line, {mb:.0} MB\n  check, 1 thread     {:>6.0} MB/s", mb / check.as_secs_f64());
    let ratio = check.as_secs_f64() / bare.as_secs_f64();
    println!(
        "    without schemas   {:>6.0} MB/s; schemas take {ratio:.2} times its time\n",
        mb / bare.as_secs_f64()
    );
}

/// Logs whose requests repeat each other, against `check` on the same bytes.
fn repetition(name: &str, data: &Vec<u8>) {
    let mb = data.len() as f64 / 1e6;
    let options = Options::default();
    let check = best(|| drop(black_box(judge::judge(DOC, data, &options, 1, &FindingsOnly))));
    println!("{name}, {mb:.0} MB\n  check, 1 thread     {:>6.0} MB/s", mb / check.as_secs_f64());
    let row = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / check.as_secs_f64();
        println!("  {what:<19} {:>6.0} MB/s  {ratio:.2} times the time of check", mb / time.as_secs_f64());
    };
    let read = || Conversation::read(vec![Doc::of_bytes(DOC, "log", data.clone())], |_| &options).expect("memory");
    row("tree", best(|| drop(black_box(read()))));
    let requests = iterate::FORMAT.info().requests.expect("it names requests");
    let sent =
        || stream::rebuild(DOC, data, requests, &options.read, &RebuildQuery::default()).expect("memory reads");
    row("rebuild", best(|| drop(black_box(sent()))));
    row("slim", best(|| drop(black_box(slim(DOC, data, &options.read)))));
    let slimmed = slim(DOC, data, &options.read).expect("memory reads");
    let view = PatchedView::new(data, Pieces::new(slimmed.patch.edits(DOC), DOC, data.len() as u64));
    let mut short = Vec::new();
    view.read_into(0, view.len() as usize, &mut short).expect("memory reads");
    let back = best(|| drop(black_box(restore(DOC, &short, &options.read))));
    row("slim --restore", back);
    println!();
}

/// Sizes of growing logs, in full and slimmed.
fn growth() {
    println!("turns        in full    slimmed   (event stream; request log)");
    for turns in [10, 100, 1000] {
        let sizes = [logs::stream(turns, true), logs::requests(turns, 1)].map(|data| {
            let slimmed =
                slim(DOC, &data, &replaylint::internals::read::Options::default()).expect("memory reads");
            let saved = (slimmed.saved.repeated - slimmed.saved.references) as usize;
            format!("{:>12} {:>10}", data.len(), data.len() - saved)
        });
        println!("{turns:>5} {}", sizes.join("; "));
    }
    println!();
}

/// Runs in a process of its own, which prints its peak memory. Returns it in MB.
fn peak(path: &Path, repair: bool) -> Option<u64> {
    let exe = std::env::current_exe().ok()?;
    let output = Command::new(exe)
        .env(CHILD, path)
        .env("REPLAYLINT_BENCH_FIX", if repair { "1" } else { "0" })
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()?.lines().last()?.parse().ok()
}

/// The child of [`peak`].
fn child(path: &str) {
    let doc = Doc::open(DOC, &Input::File { path: path.into(), named: true }, &InputOptions::default())
        .expect("readable");
    let options = Options::default();
    if std::env::var("REPLAYLINT_BENCH_FIX").is_ok_and(|fix| fix == "1") {
        black_box(
            repair::fix(DOC, &*doc.bytes, &options, &FixOptions::default(), 2).expect("readable").changes.len(),
        );
    } else {
        black_box(judge::judge(DOC, &*doc.bytes, &options, 2, &FindingsOnly).expect("readable").findings.len());
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().split(' ').next()?.parse::<u64>().ok());
    println!("{}", peak.map_or(0, |kb| kb / 1000));
}

fn measure(name: &str, path: &Path, faults: &FaultCounts) {
    let mut data = Vec::new();
    let doc = Doc::open(DOC, &Input::File { path: path.to_owned(), named: true }, &InputOptions::default())
        .expect("readable");
    doc.bytes.read_into(0, doc.bytes.len() as usize, &mut data).expect("readable");
    let mb = data.len() as f64 / 1e6;
    // Codex repairs its sessions on resume: faults are only reported in a request.
    let as_request = read::Options { usage: Some(Usage::Request), ..read::Options::default() };
    let options = Options { read: as_request.clone(), ..Options::default() };
    let found = judge::judge(DOC, &data, &options, 1, &FindingsOnly).expect("memory reads");
    assert!(finds_exactly(&found, faults), "the findings are not the injected faults");
    println!("{name}: {} of {} injected faults found, and nothing else", found.findings.len(), faults.total());
    let value = best(|| {
        for (_, line) in lines::split(&data) {
            black_box(serde_json::from_slice::<serde_json::Value>(line).expect("JSON"));
        }
    });
    let rate = |time: Duration| mb / time.as_secs_f64();
    println!("  parse to Value      {:>6.0} MB/s", rate(value));
    let row = |what: &str, time: Duration, base: Duration, of: &str| {
        let ratio = base.as_secs_f64() / time.as_secs_f64();
        println!("  {what:<19} {:>6.0} MB/s  {ratio:.2} times {of}", rate(time));
    };
    let check = best(|| drop(black_box(judge::judge(DOC, &data, &options, 1, &FindingsOnly))));
    row("check, 1 thread", check, value, "as fast as parsing");
    let enabled = EnabledRules::new(|rule| rule.code != Code(400));
    let unheld = Options { read: as_request, enabled, ..Options::default() };
    let bare = best(|| drop(black_box(judge::judge(DOC, &data, &unheld, 1, &FindingsOnly))));
    row("  without schemas", bare, value, "as fast as parsing");
    let both = best(|| drop(black_box(judge::judge(DOC, &data, &options, 2, &FindingsOnly))));
    row("check, 2 threads", both, check, "1 thread");
    let wanted = FixOptions::default();
    let repair = best(|| drop(black_box(repair::fix(DOC, &data, &options, &wanted, 1))));
    println!(
        "  fix, 1 thread       {:>6.0} MB/s  {:.2} times the time of check",
        rate(repair),
        repair.as_secs_f64() / check.as_secs_f64()
    );
}

fn finds_exactly(found: &JudgedDoc<()>, faults: &FaultCounts) -> bool {
    let count = |code| found.findings.iter().filter(|judged| judged.finding.code == Code(code)).count();
    count(101) == faults.missing_outputs
        && count(102) == faults.orphan_outputs
        && count(105) == faults.duplicate_outputs
        && found.findings.len() == faults.total()
}

fn best(mut run: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn startup(folder: &Path) {
    let path = folder.join("tiny.json");
    std::fs::write(&path, r#"[{"role":"user","content":"x"}]"#).expect("written");
    let time = best(|| {
        let run = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args(["check", "--isolated", "-q"])
            .arg(&path)
            .stdout(Stdio::null())
            .status();
        assert!(run.is_ok_and(|status| status.success()));
    });
    println!("start-up on a tiny file: {:.1} ms", time.as_secs_f64() * 1e3);
}
