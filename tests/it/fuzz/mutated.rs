//! A mutation fuzzer: broken texts of every format go through every command, and what must hold of all of them is looked
//! at. The same on every run; `REPLAYLINT_FUZZ_RUNS` asks for more runs, `REPLAYLINT_FUZZ_SEED` for one alone.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;

use replaylint::internals::judge;
use replaylint::internals::repair;
use serde_json::Value;

use crate::fuzz::hold::{Ask, Fault, faults};
use crate::fuzz::mutate::{Rng, at, kinds, mutated, paths, remove};
use crate::fuzz::seeds::{requests, seeds};
use crate::rules::corpus::corpus;
use crate::support::DOC;

/// Runs of the random part in a test that is not asked for more.
const RUNS: u64 = 3000;

/// How many kinds of faults are shown.
const SHOWN: usize = 60;

/// Attempts to make an example smaller.
const ATTEMPTS: usize = 1500;

/// What was found: by kind, how often, and the first example.
#[derive(Default)]
struct Found {
    kinds: BTreeMap<String, (usize, String)>,
}

impl Found {
    /// Looks at a text; `replay` says how to get it again.
    fn look(&mut self, replay: &str, text: &[u8], ask: &Ask) {
        for fault in faults(text, ask) {
            let kind = fault.kind();
            if let Some((count, _)) = self.kinds.get_mut(&kind) {
                *count += 1;
                continue;
            }
            let small = shrunk(text, ask, &kind);
            let again = faults(&small, ask).into_iter().find(|fault| fault.kind() == kind);
            let Fault { how, with, .. } = again.unwrap_or(fault);
            let mut page = format!("{replay}, {with}: {how}\n");
            let _ = writeln!(page, "    {}", String::from_utf8_lossy(&small).trim_end().replace('\n', "\n    "));
            self.kinds.insert(kind, (1, page));
        }
    }

    fn assert_none(self) {
        let mut page = String::new();
        for (kind, (count, example)) in self.kinds.iter().take(SHOWN) {
            let _ = writeln!(page, "{kind} ({count} times)\n  {example}");
        }
        assert!(self.kinds.is_empty(), "{} kinds of faults\n{page}", self.kinds.len());
    }
}

/// A larger file is left to the tests of its format.
const LARGE: u64 = 48 << 10;

#[test]
fn what_real_people_have_holds_with_each_flag() {
    let Some(root) = corpus() else { return };
    let (mut found, mut texts) = (Found::default(), 0);
    let ask = Ask::all();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().flatten() {
        let small = entry.file_type().is_file() && entry.metadata().is_ok_and(|meta| meta.len() < LARGE);
        if let Some(text) = small.then(|| fs::read(entry.path()).ok()).flatten() {
            found.look(&entry.path().display().to_string(), &text, &ask);
            texts += 1;
        }
    }
    println!("files: {texts}");
    found.assert_none();
}

/// A smaller text with a fault of the same kind.
fn shrunk(text: &[u8], ask: &Ask, kind: &str) -> Vec<u8> {
    let mut left = ATTEMPTS;
    let mut fails = |text: &[u8]| {
        left = left.saturating_sub(1);
        left > 0 && faults(text, ask).iter().any(|fault| fault.kind() == kind)
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
                let root = smaller(root, &mut |root| fails(&whole(root)));
                best = whole(&root);
            }
            n += 1;
        }
        if let Ok(root) = serde_json::from_slice::<Value>(&best) {
            best = smaller(root, &mut |root| fails(root.to_string().as_bytes())).to_string().into_bytes();
        }
        if best.len() >= before || !fails(&best) {
            return best;
        }
    }
}

/// Takes members and elements out while what is left fails.
fn smaller(mut root: Value, fails: &mut dyn FnMut(&Value) -> bool) -> Value {
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

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn a_wrong_kind_at_any_path_of_a_request_breaks_nothing() {
    let mut found = Found::default();
    let mut rng = Rng(1);
    let mut texts = 0;
    for (name, body) in requests() {
        for path in paths(&body) {
            let mut wrong: Vec<(String, Value)> = Vec::new();
            for kind in kinds() {
                let mut other = body.clone();
                if let Some(value) = at(&mut other, &path) {
                    *value = kind.clone();
                    wrong.push((format!("{name}: {path:?} is {kind}"), other));
                }
            }
            let mut without = body.clone();
            remove(&mut without, &path);
            wrong.push((format!("{name}: no {path:?}"), without));
            for (what, body) in wrong {
                let text = body.to_string();
                found.look(&what, text.as_bytes(), &Ask::some(&mut rng));
                texts += 1;
            }
        }
    }
    println!("{texts} texts");
    found.assert_none();
}

#[test]
fn mutations_break_nothing() {
    let seeds = seeds();
    let one = number("REPLAYLINT_FUZZ_SEED");
    let start = number("REPLAYLINT_FUZZ_START").unwrap_or(0);
    let runs = number("REPLAYLINT_FUZZ_RUNS").unwrap_or(RUNS);
    let range = one.map_or(start..start + runs, |one| one..one + 1);
    let mut found = Found::default();
    for n in range {
        let mut rng = Rng(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (name, text) = mutated(&seeds, &mut rng);
        let ask = Ask::some(&mut rng);
        if one.is_some() {
            println!("{name}\n{}", String::from_utf8_lossy(&text));
        }
        found.look(&format!("REPLAYLINT_FUZZ_SEED={n} ({name})"), &text, &ask);
    }
    println!("{} seeds, {runs} runs", seeds.len());
    found.assert_none();
}

#[test]
fn threads_change_nothing_of_broken_logs() {
    let mut rng = Rng(7);
    for (name, body) in requests() {
        let seeds = [crate::fuzz::seeds::Seed { name: String::new(), text: body.to_string().into_bytes() }];
        let mut log = Vec::new();
        // More than one chunk.
        while log.len() < 3 << 20 {
            let mut text = mutated(&seeds, &mut rng).1;
            text.retain(|byte| *byte != b'\n');
            text.push(b'\n');
            (0..40).for_each(|_| log.extend_from_slice(&text));
        }
        let run = |threads| {
            let fixed =
                repair::fix(DOC, &log, &judge::Options::default(), &repair::FixOptions::default(), threads);
            let fixed = fixed.expect("memory reads");
            let key = |judged: &judge::Judged| (judged.finding.row.at, judged.finding.code, judged.history);
            let left: Vec<_> = fixed.left().judged.iter().map(key).collect();
            (fixed.patch.edits(DOC).to_vec(), left, fixed.bug)
        };
        let (one, two) = (run(1), run(2));
        assert!(one == two, "{name}: two threads repair otherwise than one");
        assert_eq!(one.2, None, "{name}");
    }
}
