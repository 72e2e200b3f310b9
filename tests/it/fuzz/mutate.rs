//! What the fuzzer does to a text: on its bytes, on its lines, and on the values in it.

use serde_json::{Value, json};

use crate::fuzz::seeds::Seed;
pub use crate::support::rng::Rng;

/// The step to a value: the name of a member or the index of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    Key(String),
    Index(usize),
}

pub type Path = Vec<Step>;

/// The paths of all values, those that hold others first.
pub fn paths(value: &Value) -> Vec<Path> {
    fn walk(value: &Value, at: &mut Path, out: &mut Vec<Path>) {
        out.push(at.clone());
        let mut step = |step: Step, value: &Value| {
            at.push(step);
            walk(value, at, out);
            at.pop();
        };
        match value {
            Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| step(Step::Index(n), value)),
            Value::Object(map) => map.iter().for_each(|(key, value)| step(Step::Key(key.clone()), value)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(value, &mut Vec::new(), &mut out);
    out
}

pub fn at<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(n) => value.get_mut(n),
    })
}

/// Takes the value at a path out of what holds it.
pub fn remove(value: &mut Value, path: &[Step]) {
    let Some((last, holder)) = path.split_last() else { return };
    match (at(value, holder), last) {
        (Some(Value::Object(map)), Step::Key(key)) => drop(map.shift_remove(key)),
        (Some(Value::Array(list)), Step::Index(n)) if *n < list.len() => drop(list.remove(*n)),
        _ => {}
    }
}

/// A value of each kind.
pub fn kinds() -> [Value; 10] {
    [
        json!(7),
        json!(true),
        json!("text"),
        json!(""),
        json!([]),
        json!([7]),
        json!(null),
        json!({}),
        json!({"x": 1}),
        json!([{"type": "text"}]),
    ]
}

/// Words that decide what something is.
const WORDS: [&str; 30] = [
    "user",
    "assistant",
    "system",
    "developer",
    "tool",
    "model",
    "function",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "reasoning",
    "message",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "web_search_call",
    "compaction",
    "text",
    "thinking",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "completed",
    "in_progress",
    "rs_1a",
    "fc_1a",
    "msg_1a",
    "call_1",
    "banana",
];

const BYTES: &[u8] = b"\"\\{}[]:,0n\x00\x1f\n\r \xff\xc3";

/// A seed with a few mutations.
pub fn mutated(seeds: &[Seed], rng: &mut Rng) -> (String, Vec<u8>) {
    let seed = rng.pick(seeds);
    let mut text = seed.text.clone();
    for _ in 0..1 + rng.below(4) {
        match rng.below(12) {
            10 => spread(&mut text),
            0 => bytes(&mut text, rng),
            1 => lines(&mut text, seeds, rng),
            _ => text = values(&text, seeds, rng),
        }
    }
    (seed.name.clone(), text)
}

fn bytes(text: &mut Vec<u8>, rng: &mut Rng) {
    let from = rng.below(text.len());
    let to = (from + 1 + rng.below(12)).min(text.len());
    match rng.below(6) {
        _ if text.is_empty() => {}
        0 => text[from] ^= 1 << rng.below(8),
        1 => text[from] = *rng.pick(BYTES),
        2 => text.insert(from, *rng.pick(BYTES)),
        3 => drop(text.drain(from..to)),
        4 => {
            let piece = text[from..to].to_vec();
            text.splice(to..to, piece);
        }
        _ => text.truncate(from),
    }
}

/// Writes a document over several lines.
fn spread(text: &mut Vec<u8>) {
    if let Ok(root) = serde_json::from_slice::<Value>(text) {
        *text = serde_json::to_vec_pretty(&root).expect("JSON");
    }
}

fn lines(text: &mut Vec<u8>, seeds: &[Seed], rng: &mut Rng) {
    let mut all: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let other: Vec<&[u8]> = rng.pick(seeds).text.split_inclusive(|byte| *byte == b'\n').collect();
    let (a, b) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(5) {
        _ if all.is_empty() => {}
        0 => drop(all.remove(a)),
        1 => all.insert(b, all[a]),
        2 => all.swap(a, b),
        3 if !other.is_empty() => all.insert(a, other[rng.below(other.len())]),
        _ => all.insert(a, b"\n"),
    }
    *text = all.concat();
}

/// Mutates a value of a document, or of one of its lines.
fn values(text: &[u8], seeds: &[Seed], rng: &mut Rng) -> Vec<u8> {
    if let Ok(mut root) = serde_json::from_slice::<Value>(text) {
        value(&mut root, seeds, rng);
        let spaced = text.trim_ascii().contains(&b'\n');
        return if spaced { serde_json::to_vec_pretty(&root) } else { serde_json::to_vec(&root) }.expect("JSON");
    }
    let mut all: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if all.is_empty() {
        return text.to_vec();
    }
    let n = rng.below(all.len());
    let end = all[n].len() - all[n].trim_ascii_end().len();
    let end = all[n][all[n].len() - end..].to_vec();
    let start = if all[n].starts_with(b"data: ") { 6 } else { 0 };
    if let Ok(mut root) = serde_json::from_slice::<Value>(&all[n][start..]) {
        value(&mut root, seeds, rng);
        all[n] = [&all[n][..start], root.to_string().as_bytes(), &end].concat();
    }
    all.concat()
}

fn value(root: &mut Value, seeds: &[Seed], rng: &mut Rng) {
    let all = paths(root);
    let path = rng.pick(&all).clone();
    match rng.below(9) {
        0 | 1 => replace(root, &path, rng.pick(&kinds()).clone()),
        2 => remove(root, &path),
        3 => reorder(root, &all, rng),
        4 | 5 => names(root, &all, rng),
        6 => add_member(root, &path, rng),
        7 => {
            // A value of elsewhere: of the same text, or of another.
            let other = serde_json::from_slice::<Value>(&rng.pick(seeds).text).ok();
            let mut from = other.filter(|_| rng.one_in(2)).unwrap_or_else(|| root.clone());
            let place = rng.pick(&paths(&from)).clone();
            let piece = at(&mut from, &place).map_or(Value::Null, |piece| piece.take());
            match at(root, &path) {
                Some(Value::Array(list)) => list.insert(rng.below(list.len() + 1), piece),
                Some(value) => *value = piece,
                None => {}
            }
        }
        _ => reorder(root, &all, rng),
    }
}

fn replace(root: &mut Value, path: &[Step], with: Value) {
    if let Some(value) = at(root, path) {
        *value = with;
    }
}

/// Drops, doubles or swaps elements of a list that has some.
fn reorder(root: &mut Value, all: &[Path], rng: &mut Rng) {
    let elements: Vec<&Path> = all.iter().filter(|path| matches!(path.last(), Some(Step::Index(_)))).collect();
    if elements.is_empty() {
        return;
    }
    // Long lists are the messages: lists are picked by their elements.
    let path = *rng.pick(&elements);
    let Some(Value::Array(list)) = at(root, &path[..path.len() - 1]) else { return };
    let (a, b) = (rng.below(list.len()), rng.below(list.len()));
    match rng.below(4) {
        _ if list.is_empty() => {}
        0 => drop(list.remove(a)),
        1 => list.insert(b, list[a].clone()),
        2 => list.insert(a, list[a].clone()),
        _ => list.swap(a, b),
    }
}

/// Gives an id, a type or a role another word, often one that another has.
fn names(root: &mut Value, all: &[Path], rng: &mut Rng) {
    let tells = |path: &&Path| match path.last() {
        Some(Step::Key(key)) => {
            let key = key.to_ascii_lowercase();
            key.ends_with("id") || ["type", "role", "status", "name", "phase"].contains(&key.as_str())
        }
        _ => false,
    };
    let named: Vec<&Path> = all.iter().filter(tells).collect();
    if named.is_empty() {
        return;
    }
    let (path, other) = (*rng.pick(&named), *rng.pick(&named));
    let with = match rng.below(4) {
        0 => json!(rng.pick(&WORDS)),
        1 if rng.one_in(3) => return remove(root, path),
        1 => json!("x/ y"),
        _ => at(root, other).map_or(Value::Null, |value| value.clone()),
    };
    replace(root, path, with);
}

fn add_member(root: &mut Value, path: &[Step], rng: &mut Rng) {
    const KEYS: [&str; 16] = [
        "id",
        "call_id",
        "tool_call_id",
        "tool_calls",
        "type",
        "role",
        "content",
        "status",
        "store",
        "input",
        "previous_response_id",
        "thinking",
        "name",
        "cache_control",
        "phase",
        "caller",
    ];
    let with = if rng.one_in(2) { json!(rng.pick(&WORDS)) } else { rng.pick(&kinds()).clone() };
    if let Some(Value::Object(map)) = at(root, path) {
        map.insert((*rng.pick(&KEYS)).to_owned(), with);
    }
}
