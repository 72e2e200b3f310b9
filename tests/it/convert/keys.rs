//! No key is lost silently: every key of requests in the official SDKs' types is put into one, wherever its path leads, and
//! converted. Either this changes the result, or a loss is reported at the key or at what contains it, or `meaningless.txt`
//! gives the reason why not.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use replaylint::internals::history::Code;
use replaylint::internals::message::LossKind;
use serde_json::{Value, json};

use crate::convert::across::{DIALECTS, LocatedLoss, located_losses, read_as};
use crate::convert::cases::{convert_text, plan};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/sdk_keys")
}

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder().join(name)).expect("a list of keys");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// A step of a path: a member, and the number of nested lists in it.
#[derive(Clone, Debug)]
struct KeyStep {
    key: String,
    lists: usize,
}

fn steps(path: &str) -> Vec<KeyStep> {
    let step = |part: &str| {
        let key = part.trim_end_matches("[]");
        KeyStep { key: key.to_owned(), lists: (part.len() - key.len()) / 2 }
    };
    path.split('.').map(step).collect()
}

/// The pointers of all objects of a request to which the steps lead, as far as they exist, each with the remaining steps.
fn holders(value: &Value, pointer: &str, steps: &[KeyStep], out: &mut Vec<(String, Vec<KeyStep>)>) {
    let Some((first, rest)) = steps.split_first() else { return };
    let Some(object) = value.as_object() else { return };
    let inner = object.get(&first.key).filter(|_| !rest.is_empty());
    let at = format!("{pointer}/{}", first.key);
    let next: Vec<(String, &Value)> = match inner {
        Some(Value::Array(list)) if first.lists > 0 => {
            list.iter().enumerate().map(|(n, one)| (format!("{at}/{n}"), one)).collect()
        }
        Some(own @ Value::Object(_)) if first.lists == 0 => vec![(at, own)],
        _ => Vec::new(),
    };
    match next.is_empty() {
        true => out.push((pointer.to_owned(), steps.to_vec())),
        false => next.into_iter().for_each(|(at, one)| holders(one, &at, rest, out)),
    }
}

/// The probe as a value nested at the end of the steps.
fn nest(steps: &[KeyStep], probe: &Value) -> Value {
    let Some((first, rest)) = steps.split_first() else { return probe.clone() };
    let inner = match rest {
        [] => probe.clone(),
        rest => json!({ rest[0].key.as_str(): nest(rest, probe) }),
    };
    (0..if rest.is_empty() { 0 } else { first.lists }).fold(inner, |inner, _| json!([inner]))
}

/// True for losses of a whole object, or of its kind.
fn is_whole(kind: LossKind) -> bool {
    [
        LossKind::SERVER_TOOL,
        LossKind::SERVER_TOOL_DEFINITION,
        LossKind::WEB_SEARCH,
        LossKind::UNKNOWN,
        LossKind::COMPACTION,
        LossKind::REFERENCE,
        LossKind::MEDIA,
        LossKind::MEDIA_URL,
        LossKind::FILE_ID,
        LossKind::REASONING,
        LossKind::CALL_AS_FUNCTION,
        LossKind::ORPHAN_RESULT,
    ]
    .contains(&kind)
}

/// True if a loss is about a member: it names the member, something in it, or a whole object that contains it.
fn is_about(lost: &LocatedLoss, at: &str, old: &[(LossKind, String)]) -> bool {
    let within = |a: &str, b: &str| a == b || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
    if lost.pointer.is_empty() || [Code(906), Code(913)].contains(&lost.kind.code) {
        return false;
    }
    let is_new = !old.iter().any(|(kind, pointer)| *kind == lost.kind && *pointer == lost.pointer);
    within(&lost.pointer, at) || within(at, &lost.pointer) && (is_new || is_whole(lost.kind))
}

/// True if a key is lost silently, whatever its value.
fn is_silent(dialect: &str, to: &str, base: &Value, holder: &str, left: &[KeyStep]) -> bool {
    let options = read_as(&format!("{dialect}-request"));
    let before = serde_json::to_vec(base).expect("JSON");
    let (out, done) = convert_text(&before, &options, plan(to));
    assert_eq!(done.failed, 0, "{dialect} to {to}");
    let old: Vec<(LossKind, String)> =
        located_losses(&before, &done).into_iter().map(|lost| (lost.kind, lost.pointer)).collect();
    let probes = [json!("probe"), json!(7), json!(true), json!(["probe"]), json!({"probe": "probe"})];
    probes.iter().all(|probe| {
        let mut with = base.clone();
        let own = with.pointer_mut(holder).and_then(Value::as_object_mut).expect("an object");
        let key = left[0].key.clone();
        own.insert(key.clone(), nest(left, probe));
        let text = serde_json::to_vec(&with).expect("JSON");
        let (changed, done) = convert_text(&text, &options, plan(to));
        let at = format!("{holder}/{key}");
        let lost = located_losses(&text, &done);
        done.failed == 0 && changed == out && !lost.iter().any(|lost| is_about(lost, &at, &old))
    })
}

#[test]
fn no_key_of_a_request_is_lost_silently() {
    let meaningless: BTreeSet<(String, String)> = lines("meaningless.txt")
        .iter()
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            let row = (words.next().expect("a dialect"), words.next().expect("a path"));
            assert!(words.next().is_some(), "no reason: {line}");
            row
        })
        .collect();
    let mut used = BTreeSet::new();
    let mut faults = Vec::new();
    let mut tried = 0;
    for dialect in DIALECTS {
        let text = fs::read_to_string(folder().join(format!("requests/{dialect}.json"))).expect("a request");
        let base: Value = serde_json::from_str(&text).expect("JSON");
        for path in lines(&format!("{dialect}.txt")) {
            let mut found = Vec::new();
            holders(&base, "", &steps(&path), &mut found);
            for (holder, left) in found {
                // An unknown type or role is a different case from a lost member.
                let is_there = base.pointer(&format!("{holder}/{}", left[0].key)).is_some();
                if is_there && ["type", "role"].contains(&left[0].key.as_str()) {
                    continue;
                }
                for to in DIALECTS.into_iter().filter(|to| *to != dialect) {
                    tried += 1;
                    if !is_silent(dialect, to, &base, &holder, &left) {
                        continue;
                    }
                    let row = (dialect.to_owned(), path.clone());
                    match meaningless.get(&row) {
                        Some(row) => {
                            used.insert(row.clone());
                        }
                        None => faults.push(format!("{dialect} {path} (in {holder}) to {to}")),
                    }
                }
            }
        }
    }
    println!("{tried} keys in their places");
    assert!(faults.is_empty(), "{} lost in silence:\n{}", faults.len(), faults.join("\n"));
    let idle: Vec<_> = meaningless.difference(&used).collect();
    assert!(idle.is_empty(), "listed as meaningless, and reported: {idle:?}");
}
