//! What a store holds and no request says: ids and links of its records, times, costs, what is only shown. A format whose
//! records are translated names it by paths, each with a reason; whatever else no message was made of is a loss.

use crate::json::Val;

/// Paths of a store that no request says, and why.
///
/// A path is keys from the record down, with `/` between them; elements of lists have no key. `*` in a key stands for any
/// characters, and `**` for any number of keys. `[type=a|b]` before a key holds only in objects whose member is one of these
/// strings, `[parts]` only in those that have the member, and `=a|b` at the end only for these values.
#[derive(Clone, Copy, Debug)]
pub struct UnsentPaths {
    pub paths: &'static [&'static str],
    pub why: &'static str,
}

/// What all stores have in common: a key means the same wherever it is.
const COMMON: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["**/type", "**/kind", "**/role"],
        why: "it says what an object is, which the message says in its own way",
    },
    UnsentPaths {
        paths: &[
            "**/id",
            "**/uuid",
            "**/parentId",
            "**/parent_id",
            "**/parentUuid",
            "**/sessionId",
            "**/session_id",
            "**/sessionID",
            "**/messageId",
            "**/message_id",
            "**/messageID",
        ],
        why: "an id by which records of the store name one another",
    },
    UnsentPaths {
        paths: &[
            "**/timestamp",
            "**/created",
            "**/created_at",
            "**/createdAt",
            "**/create_time",
            "**/createTime",
            "**/updated_at",
            "**/updatedAt",
            "**/update_time",
            "**/updateTime",
            "**/lastUpdated",
            "**/last_updated",
            "**/startTime",
            "**/endTime",
        ],
        why: "when something happened",
    },
    UnsentPaths {
        paths: &["**/finish_reason", "**/finishReason", "**/stop_reason", "**/stopReason"],
        why: "why the model stopped, which its answer shows",
    },
    UnsentPaths {
        paths: &["**/model", "**/model_name", "**/model_slug", "**/modelID", "**/providerID", "**/provider"],
        why: "the model is a setting of the request",
    },
];

/// A member on the way to a value: the object, and the key in it.
pub type Step<'v> = (Val<'v>, Vec<u8>);

/// Why a value is not sent, if that is known: what the format says of it, else what holds for all.
pub fn reason(table: &[UnsentPaths], steps: &[Step<'_>], val: Val<'_>) -> Option<&'static str> {
    let names = |unsent: &&UnsentPaths| unsent.paths.iter().any(|path| is_path(path, steps, val));
    table.iter().chain(COMMON).find(names).map(|unsent| unsent.why)
}

/// Whether a pattern is the path of a value.
fn is_path(pattern: &str, steps: &[Step<'_>], val: Val<'_>) -> bool {
    let mut is_condition = false;
    let value_at = pattern.find(|c| {
        is_condition = c == '[' || is_condition && c != ']';
        c == '=' && !is_condition
    });
    let (path, values) = match value_at.and_then(|at| pattern.split_at_checked(at)) {
        Some((path, values)) => (path, values.strip_prefix('=')),
        None => (pattern, None),
    };
    values.is_none_or(|values| is_one_of(values, val)) && leads(path, steps)
}

/// Whether keys lead along these steps.
fn leads(path: &str, steps: &[Step<'_>]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return path.is_empty() || path == "**" };
    let (condition, path) = match path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        Some((condition, path)) => (Some(condition), path),
        None => (None, path),
    };
    if condition.is_some_and(|condition| !holds(condition, step.0)) {
        return false;
    }
    let (key, below) = path.split_once('/').unwrap_or((path, ""));
    match key {
        "" => false,
        "**" => leads(below, steps) || leads(path, rest),
        key => is_like(key, &step.1) && leads(below, rest),
    }
}

/// Whether an object has one of the values that a condition names.
fn holds(condition: &str, object: Val<'_>) -> bool {
    let Some((key, values)) = condition.split_once('=') else { return object.get(condition).is_some() };
    object.get(key).is_some_and(|own| is_one_of(values, own))
}

/// Whether a string is one of these, with `|` between them.
fn is_one_of(values: &str, val: Val<'_>) -> bool {
    let Some(text) = val.text().filter(|_| val.is_string()) else { return false };
    values.split('|').any(|value| is_like(value, &text))
}

/// Whether a text is what a pattern says, in which `*` stands for any characters.
fn is_like(pattern: &str, text: &[u8]) -> bool {
    match pattern.split_once('*') {
        None => pattern.as_bytes() == text,
        Some((start, end)) => text
            .strip_prefix(start.as_bytes())
            .is_some_and(|rest| (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| is_like(end, rest)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};

    #[test]
    fn paths_are_matched() {
        let text = br#"{"kind":"a","m":{"type":"t","x":"v","y":{"z":"w"}}}"#;
        let mut tape = Tape::new();
        assert_eq!(scan(text, &mut tape), Ok(()));
        let root = tape.root(text).expect("scanned");
        let m = root.get("m").expect("a member");
        let x = [(root, b"m".to_vec()), (m, b"x".to_vec())];
        let val = m.get("x").expect("a member");
        for (pattern, expected) in [
            ("m/x", true),
            ("m/*", true),
            ("**/x", true),
            ("**", true),
            ("m/**", true),
            ("x", false),
            ("m", false),
            ("m/x/y", false),
            ("[kind=a]m/x", true),
            ("[kind=b]m/x", false),
            ("[kind=b|a]**", true),
            ("**/[type=t]x", true),
            ("m/[type=s]x", false),
            ("m/x=u|v", true),
            ("m/x=u", false),
            ("m/x=v*", true),
            ("m/[y]x", true),
            ("m/[q]x", false),
            ("*/x*", true),
            ("[kind=a]m/[type=t]x=v", true),
        ] {
            assert_eq!(is_path(pattern, &x, val), expected, "{pattern}");
        }
        let z = [(root, b"m".to_vec()), (m, b"y".to_vec()), (m.get("y").expect("y"), b"z".to_vec())];
        assert!(is_path("m/y/**", &z, val) && is_path("**/z", &z, val) && !is_path("m/*", &z, val));
    }
}
