//! A mutation fuzzer: broken texts of every format go through every command, and the invariants are checked. Every run is
//! the same; `REPLAYLINT_FUZZ_RUNS` sets the number of mutations, `REPLAYLINT_FUZZ_SEED` chooses a single one.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;

use replaylint::internals::judge;
use replaylint::internals::repair;
use serde_json::Value;

use crate::fuzz::invariants::{FuzzOptions, InvariantViolation, violations};
use crate::fuzz::mutate::{Rng, mutate, paths, remove, value_at, values_of_each_type};
use crate::fuzz::seeds::{requests, seeds};
use crate::rules::corpus::corpus;
use crate::support::DOC;

/// Default number of mutations.
const RUNS: u64 = 3000;

/// Maximum number of kinds of violations that are printed.
const MAX_SHOWN: usize = 60;

/// Maximum number of attempts to shrink an example.
const MAX_ATTEMPTS: usize = 1500;

/// The violations found: by kind, the count and the first example.
#[derive(Default)]
struct ViolationTally {
    kinds: BTreeMap<String, (usize, String)>,
}

impl ViolationTally {
    /// Checks a text; `replay` says how to generate it again.
    fn check_text(&mut self, replay: &str, text: &[u8], options: &FuzzOptions) {
        for violation in violations(text, options) {
            let kind = violation.kind();
            if let Some((count, _)) = self.kinds.get_mut(&kind) {
                *count += 1;
                continue;
            }
            let small = shrink(text, options, &kind);
            let again = violations(&small, options).into_iter().find(|violation| violation.kind() == kind);
            let InvariantViolation { details, options_text, .. } = again.unwrap_or(violation);
            let mut page = format!("{replay}, {options_text}: {details}\n");
            let _ = writeln!(page, "    {}", String::from_utf8_lossy(&small).trim_end().replace('\n', "\n    "));
            self.kinds.insert(kind, (1, page));
        }
    }

    fn assert_none(self) {
        let mut page = String::new();
        for (kind, (count, example)) in self.kinds.iter().take(MAX_SHOWN) {
            let _ = writeln!(page, "{kind} ({count} times)\n  {example}");
        }
        assert!(self.kinds.is_empty(), "{} kinds of violations\n{page}", self.kinds.len());
    }
}

/// Larger files are left to the tests of their formats.
const MAX_SIZE: u64 = 48 << 10;

#[test]
fn invariants_hold_for_the_corpus_with_each_flag() {
    let Some(root) = corpus() else { return };
    let (mut found, mut texts) = (ViolationTally::default(), 0);
    let options = FuzzOptions::all();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().flatten() {
        let small = entry.file_type().is_file() && entry.metadata().is_ok_and(|meta| meta.len() < MAX_SIZE);
        if let Some(text) = small.then(|| fs::read(entry.path()).ok()).flatten() {
            found.check_text(&entry.path().display().to_string(), &text, &options);
            texts += 1;
        }
    }
    println!("files: {texts}");
    found.assert_none();
}

/// A smaller text with a violation of the same kind.
fn shrink(text: &[u8], options: &FuzzOptions, kind: &str) -> Vec<u8> {
    let mut left = MAX_ATTEMPTS;
    let mut fails = |text: &[u8]| {
        left = left.saturating_sub(1);
        left > 0 && violations(text, options).iter().any(|violation| violation.kind() == kind)
    };
    let mut best = text.to_vec();
    loop {
        let before = best.len();
        let mut n = 0;
        while n < best.split(|byte| *byte == b'\n').count() {
            let mut lines: Vec<&[u8]> = best.split_inclusive(|byte| *byte == b'\n').collect();
            if lines.len() > 1 && n < lines.len() {
                lines.remove(n);
                let fewer = lines.concat();
                if fails(&fewer) {
                    best = fewer;
                    continue;
                }
            }
            let lines: Vec<&[u8]> = best.split_inclusive(|byte| *byte == b'\n').collect();
            if let Some(Ok(root)) = lines.get(n).map(|line| serde_json::from_slice::<Value>(line)) {
                let (front, back) = (lines[..n].concat(), lines[n + 1..].concat());
                let end: &[u8] = if lines[n].ends_with(b"\n") { b"\n" } else { b"" };
                let whole = |root: &Value| [&front, root.to_string().as_bytes(), end, &back].concat();
                let root = shrink_value(root, &mut |root| fails(&whole(root)));
                best = whole(&root);
            }
            n += 1;
        }
        if let Ok(root) = serde_json::from_slice::<Value>(&best) {
            best = shrink_value(root, &mut |root| fails(root.to_string().as_bytes())).to_string().into_bytes();
        }
        if best.len() >= before || !fails(&best) {
            return best;
        }
    }
}

/// Removes members and elements while the rest fails.
fn shrink_value(mut root: Value, fails: &mut dyn FnMut(&Value) -> bool) -> Value {
    if !fails(&root) {
        return root;
    }
    let mut n = 1;
    loop {
        let all = paths(&root);
        let Some(path) = all.get(n) else { return root };
        let mut fewer = root.clone();
        remove(&mut fewer, path);
        match fails(&fewer) {
            true => root = fewer,
            false => n += 1,
        }
    }
}

fn env_number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn invariants_hold_with_a_wrong_type_at_any_path_of_a_request() {
    let mut found = ViolationTally::default();
    let mut rng = Rng(1);
    let mut texts = 0;
    for (name, body) in requests() {
        for path in paths(&body) {
            let mut wrong: Vec<(String, Value)> = Vec::new();
            for kind in values_of_each_type() {
                let mut other = body.clone();
                if let Some(value) = value_at(&mut other, &path) {
                    *value = kind.clone();
                    wrong.push((format!("{name}: {path:?} is {kind}"), other));
                }
            }
            let mut without = body.clone();
            remove(&mut without, &path);
            wrong.push((format!("{name}: no {path:?}"), without));
            for (description, body) in wrong {
                let text = body.to_string();
                found.check_text(&description, text.as_bytes(), &FuzzOptions::pick(&mut rng));
                texts += 1;
            }
        }
    }
    println!("{texts} texts");
    found.assert_none();
}

#[test]
fn invariants_hold_for_mutations() {
    let seeds = seeds();
    let one = env_number("REPLAYLINT_FUZZ_SEED");
    let start = env_number("REPLAYLINT_FUZZ_START").unwrap_or(0);
    let runs = env_number("REPLAYLINT_FUZZ_RUNS").unwrap_or(RUNS);
    let range = one.map_or(start..start + runs, |one| one..one + 1);
    let mut found = ViolationTally::default();
    for n in range {
        let mut rng = Rng(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (name, text) = mutate(&seeds, &mut rng);
        let options = FuzzOptions::pick(&mut rng);
        if one.is_some() {
            println!("{name}\n{}", String::from_utf8_lossy(&text));
        }
        found.check_text(&format!("REPLAYLINT_FUZZ_SEED={n} ({name})"), &text, &options);
    }
    println!("{} seeds, {runs} runs", seeds.len());
    found.assert_none();
}

#[test]
fn repairs_of_broken_logs_do_not_depend_on_the_number_of_threads() {
    let mut rng = Rng(7);
    for (name, body) in requests() {
        let seeds = [crate::fuzz::seeds::Seed { name: String::new(), text: body.to_string().into_bytes() }];
        let mut log = Vec::new();
        // More than one chunk.
        while log.len() < 3 << 20 {
            let mut text = mutate(&seeds, &mut rng).1;
            text.retain(|byte| *byte != b'\n');
            text.push(b'\n');
            (0..40).for_each(|_| log.extend_from_slice(&text));
        }
        let run = |threads| {
            let fixed =
                repair::fix(DOC, &log, &judge::Options::default(), &repair::FixOptions::default(), threads);
            let fixed = fixed.expect("memory reads");
            let key =
                |judged: &judge::WeighedFinding| (judged.finding.row.at, judged.finding.code, judged.history);
            let left: Vec<_> = fixed.remaining().findings.iter().map(key).collect();
            (fixed.patch.edits(DOC).to_vec(), left, fixed.bug)
        };
        let (one, two) = (run(1), run(2));
        assert!(one == two, "{name}: two threads repair differently than one");
        assert_eq!(one.2, None, "{name}");
    }
}
