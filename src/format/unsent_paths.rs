//! Values of a store that are not part of requests: ids and links of records, times, costs, texts for display. A format whose
//! records are translated lists their paths, each with a reason; any other value that is not in a message is a loss.

use crate::json::Val;

/// Paths of a store that are not part of requests, with the reason.
///
/// A path is the keys from the record down, separated by `/`; elements of lists have no key. `*` in a key matches any
/// characters, and `**` any number of keys. `[type=a|b]` before a key matches only in objects whose member is one of these
/// strings, `[parts]` only in those that have the member, and `=a|b` at the end only these values.
#[derive(Clone, Copy, Debug)]
pub struct UnsentPaths {
    pub paths: &'static [&'static str],
    pub why: &'static str,
}

/// The paths of all stores: keys with the same meaning everywhere.
const COMMON: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["**/type", "**/kind", "**/role"],
        why: "the type of an object, which the message states in its own way",
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
        why: "an id by which records of the store refer to each other",
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
        why: "a time",
    },
    UnsentPaths {
        paths: &["**/finish_reason", "**/finishReason", "**/stop_reason", "**/stopReason"],
        why: "the reason why the model stopped, which its answer shows",
    },
    UnsentPaths {
        paths: &["**/model", "**/model_name", "**/model_slug", "**/modelID", "**/providerID", "**/provider"],
        why: "the model is a setting of the request",
    },
];

/// A member on the path to a value: the object, and the key in it.
pub type PathMember<'v> = (Val<'v>, Vec<u8>);

/// The reason why a value is not sent: of the format's table, else of the common one. `None` if neither has its path.
pub fn reason(table: &[UnsentPaths], steps: &[PathMember<'_>], val: Val<'_>) -> Option<&'static str> {
    let names = |unsent: &&UnsentPaths| unsent.paths.iter().any(|path| matches_path(path, steps, val));
    table.iter().chain(COMMON).find(names).map(|unsent| unsent.why)
}

/// True if a pattern matches the path and the value.
fn matches_path(pattern: &str, steps: &[PathMember<'_>], val: Val<'_>) -> bool {
    let mut is_condition = false;
    let value_at = pattern.find(|c| {
        is_condition = c == '[' || is_condition && c != ']';
        c == '=' && !is_condition
    });
    let (path, values) = match value_at.and_then(|at| pattern.split_at_checked(at)) {
        Some((path, values)) => (path, values.strip_prefix('=')),
        None => (pattern, None),
    };
    values.is_none_or(|values| is_one_of(values, val)) && path_matches(path, steps)
}

/// True if the keys of a pattern match these members.
fn path_matches(path: &str, steps: &[PathMember<'_>]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return path.is_empty() || path == "**" };
    let (condition, path) = match path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        Some((condition, path)) => (Some(condition), path),
        None => (None, path),
    };
    if condition.is_some_and(|condition| !satisfies(condition, step.0)) {
        return false;
    }
    let (key, below) = path.split_once('/').unwrap_or((path, ""));
    match key {
        "" => false,
        "**" => path_matches(below, steps) || path_matches(path, rest),
        key => is_like(key, &step.1) && path_matches(below, rest),
    }
}

/// True if an object has the member, or one of the values, of a condition.
fn satisfies(condition: &str, object: Val<'_>) -> bool {
    let Some((key, values)) = condition.split_once('=') else { return object.get(condition).is_some() };
    object.get(key).is_some_and(|own| is_one_of(values, own))
}

/// True if a string matches one of the patterns, which are separated by `|`.
fn is_one_of(values: &str, val: Val<'_>) -> bool {
    let Some(text) = val.text().filter(|_| val.is_string()) else { return false };
    values.split('|').any(|value| is_like(value, &text))
}

/// True if a text matches a pattern in which `*` matches any characters.
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
            assert_eq!(matches_path(pattern, &x, val), expected, "{pattern}");
        }
        let z = [(root, b"m".to_vec()), (m, b"y".to_vec()), (m.get("y").expect("y"), b"z".to_vec())];
        assert!(matches_path("m/y/**", &z, val) && matches_path("**/z", &z, val) && !matches_path("m/*", &z, val));
    }
}
