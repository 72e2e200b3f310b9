//! Mutations of a text: of its bytes, of its lines, and of the values in it.

use serde_json::{Value, json};

use crate::fuzz::seeds::Seed;
pub use crate::support::rng::Rng;

/// A step of a path: the name of a member or the index of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueStep {
    Key(String),
    Index(usize),
}

pub type ValuePath = Vec<ValueStep>;

/// The paths of all values, containers before their members.
pub fn paths(value: &Value) -> Vec<ValuePath> {
    fn walk(value: &Value, at: &mut ValuePath, out: &mut Vec<ValuePath>) {
        out.push(at.clone());
        let mut step = |step: ValueStep, value: &Value| {
            at.push(step);
            walk(value, at, out);
            at.pop();
        };
        match value {
            Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| step(ValueStep::Index(n), value)),
            Value::Object(map) => map.iter().for_each(|(key, value)| step(ValueStep::Key(key.clone()), value)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(value, &mut Vec::new(), &mut out);
    out
}

/// The value at a path.
pub fn value_at<'v>(value: &'v mut Value, path: &[ValueStep]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        ValueStep::Key(key) => value.get_mut(key),
        ValueStep::Index(n) => value.get_mut(n),
    })
}

/// Removes the value at a path from its container.
pub fn remove(value: &mut Value, path: &[ValueStep]) {
    let Some((last, holder)) = path.split_last() else { return };
    match (value_at(value, holder), last) {
        (Some(Value::Object(map)), ValueStep::Key(key)) => drop(map.shift_remove(key)),
        (Some(Value::Array(list)), ValueStep::Index(n)) if *n < list.len() => drop(list.remove(*n)),
        _ => {}
    }
}

/// Values of each JSON type.
pub fn values_of_each_type() -> [Value; 10] {
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

/// Types, roles, statuses and ids.
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
pub fn mutate(seeds: &[Seed], rng: &mut Rng) -> (String, Vec<u8>) {
    let seed = rng.pick(seeds);
    let mut text = seed.text.clone();
    for _ in 0..1 + rng.below(4) {
        match rng.below(12) {
            10 => pretty_print(&mut text),
            0 => mutate_bytes(&mut text, rng),
            1 => mutate_lines(&mut text, seeds, rng),
            _ => text = mutate_values(&text, seeds, rng),
        }
    }
    (seed.name.clone(), text)
}

fn mutate_bytes(text: &mut Vec<u8>, rng: &mut Rng) {
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

/// Formats a document over several lines.
fn pretty_print(text: &mut Vec<u8>) {
    if let Ok(root) = serde_json::from_slice::<Value>(text) {
        *text = serde_json::to_vec_pretty(&root).expect("JSON");
    }
}

fn mutate_lines(text: &mut Vec<u8>, seeds: &[Seed], rng: &mut Rng) {
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
fn mutate_values(text: &[u8], seeds: &[Seed], rng: &mut Rng) -> Vec<u8> {
    if let Ok(mut root) = serde_json::from_slice::<Value>(text) {
        mutate_value(&mut root, seeds, rng);
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
        mutate_value(&mut root, seeds, rng);
        all[n] = [&all[n][..start], root.to_string().as_bytes(), &end].concat();
    }
    all.concat()
}

fn mutate_value(root: &mut Value, seeds: &[Seed], rng: &mut Rng) {
    let all = paths(root);
    let path = rng.pick(&all).clone();
    match rng.below(9) {
        0 | 1 => replace(root, &path, rng.pick(&values_of_each_type()).clone()),
        2 => remove(root, &path),
        3 => reorder_list(root, &all, rng),
        4 | 5 => rename_value(root, &all, rng),
        6 => add_member(root, &path, rng),
        7 => {
            // A value from elsewhere in the same text, or from another one.
            let other = serde_json::from_slice::<Value>(&rng.pick(seeds).text).ok();
            let mut from = other.filter(|_| rng.one_in(2)).unwrap_or_else(|| root.clone());
            let place = rng.pick(&paths(&from)).clone();
            let piece = value_at(&mut from, &place).map_or(Value::Null, |piece| piece.take());
            match value_at(root, &path) {
                Some(Value::Array(list)) => list.insert(rng.below(list.len() + 1), piece),
                Some(value) => *value = piece,
                None => {}
            }
        }
        _ => reorder_list(root, &all, rng),
    }
}

fn replace(root: &mut Value, path: &[ValueStep], with: Value) {
    if let Some(value) = value_at(root, path) {
        *value = with;
    }
}

/// Removes, duplicates or swaps elements of a list.
fn reorder_list(root: &mut Value, all: &[ValuePath], rng: &mut Rng) {
    let elements: Vec<&ValuePath> =
        all.iter().filter(|path| matches!(path.last(), Some(ValueStep::Index(_)))).collect();
    if elements.is_empty() {
        return;
    }
    // Lists are picked by their elements, so the long ones, the messages, are picked most often.
    let path = *rng.pick(&elements);
    let Some(Value::Array(list)) = value_at(root, &path[..path.len() - 1]) else { return };
    let (a, b) = (rng.below(list.len()), rng.below(list.len()));
    match rng.below(4) {
        _ if list.is_empty() => {}
        0 => drop(list.remove(a)),
        1 => list.insert(b, list[a].clone()),
        2 => list.insert(a, list[a].clone()),
        _ => list.swap(a, b),
    }
}

/// Replaces an id, a type or a role, often by that of another value.
fn rename_value(root: &mut Value, all: &[ValuePath], rng: &mut Rng) {
    let is_name = |path: &&ValuePath| match path.last() {
        Some(ValueStep::Key(key)) => {
            let key = key.to_ascii_lowercase();
            key.ends_with("id") || ["type", "role", "status", "name", "phase"].contains(&key.as_str())
        }
        _ => false,
    };
    let named: Vec<&ValuePath> = all.iter().filter(is_name).collect();
    if named.is_empty() {
        return;
    }
    let (path, other) = (*rng.pick(&named), *rng.pick(&named));
    let with = match rng.below(4) {
        0 => json!(rng.pick(&WORDS)),
        1 if rng.one_in(3) => return remove(root, path),
        1 => json!("x/ y"),
        _ => value_at(root, other).map_or(Value::Null, |value| value.clone()),
    };
    replace(root, path, with);
}

fn add_member(root: &mut Value, path: &[ValueStep], rng: &mut Rng) {
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
    let with = if rng.one_in(2) { json!(rng.pick(&WORDS)) } else { rng.pick(&values_of_each_type()).clone() };
    if let Some(Value::Object(map)) = value_at(root, path) {
        map.insert((*rng.pick(&KEYS)).to_owned(), with);
    }
}
