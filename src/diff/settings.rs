//! The settings of two requests: members other than the list of items and the instructions.

use foldhash::HashMap;

use super::entry::Entry;
use super::values::{ValueChange, ValueComparison};

/// The differences, in the order of the first request, then of the second.
pub fn changes(before: &[Entry], after: &[Entry]) -> Vec<ValueChange> {
    // For a duplicate member, the last one applies.
    let last = |entries: &'_ [Entry]| -> HashMap<String, usize> {
        entries.iter().enumerate().map(|(n, entry)| (entry.kind.clone(), n)).collect()
    };
    let (olds, news) = (last(before), last(after));
    let mut changes = Vec::new();
    for (_, old) in before.iter().enumerate().filter(|(n, old)| olds.get(&old.kind) == Some(n)) {
        changes.extend(compare(&old.kind, Some(old), news.get(&old.kind).and_then(|n| after.get(*n))));
    }
    for (n, new) in after.iter().enumerate() {
        if news.get(&new.kind) == Some(&n) && !olds.contains_key(&new.kind) {
            changes.extend(compare(&new.kind, None, Some(new)));
        }
    }
    changes
}

fn compare(name: &str, before: Option<&Entry>, after: Option<&Entry>) -> Vec<ValueChange> {
    if before.zip(after).is_some_and(|(before, after)| before.text == after.text) {
        return Vec::new();
    }
    ValueComparison::of_setting(name, before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::entry::EntryGrammar;
    use crate::diff::equivalence::camel_case_key;
    use crate::json::{Tape, scan};
    use crate::place::Place;

    fn members(dialect: &'static str, body: &str) -> Vec<Entry> {
        let mut tape = Tape::new();
        assert_eq!(scan(body.as_bytes(), &mut tape), Ok(()));
        let root = tape.root(body.as_bytes()).expect("scanned");
        let entry = |member: crate::json::Member<'_>| {
            let name = String::from_utf8_lossy(&camel_case_key(dialect, &member.key.decode())).into_owned();
            Entry::new(name, None, EntryGrammar::Member(dialect), member.val.raw().to_vec(), Place::default(), 1)
        };
        root.members().map(entry).collect()
    }

    fn changed_settings(dialect: &'static str, before: &str, after: &str) -> Vec<String> {
        let name = |change: ValueChange| format!("{} {}", change.of, change.path).trim_end().to_owned();
        changes(&members(dialect, before), &members(dialect, after)).into_iter().map(name).collect()
    }

    #[test]
    fn null_is_not_set_where_servers_accept_it() {
        assert_eq!(changed_settings("chat", r#"{"stop":null,"a":{"b":null}}"#, r#"{"a":{}}"#), [""; 0]);
        assert_eq!(changed_settings("anthropic", r#"{"top_k":null}"#, "{}"), ["top_k"]);
        assert_eq!(changed_settings("chat", r#"{"metadata":{"b":null}}"#, r#"{"metadata":{}}"#), ["metadata b"]);
        assert_eq!(
            changed_settings("chat", r#"{"seed":9007199254740992}"#, r#"{"seed":9007199254740993}"#),
            ["seed"]
        );
        assert_eq!(changed_settings("chat", r#"{"a":1,"a":2,"b":1.0}"#, r#"{"b":1,"a":2}"#), [""; 0]);
    }

    #[test]
    fn tools_are_identified_by_name() {
        let tool =
            |name: &str, more: &str| format!(r#"{{"name":"{name}","input_schema":{{"type":"object"{more}}}}}"#);
        let list = |tools: &[String]| format!(r#"{{"tools":[{}]}}"#, tools.join(","));
        let (f, g) = (tool("f", ""), tool("g", ""));
        let both = list(&[f.clone(), g.clone()]);
        assert_eq!(changed_settings("anthropic", &both, &list(std::slice::from_ref(&g))), ["tool f"]);
        assert_eq!(changed_settings("anthropic", "{}", &both), ["tool f", "tool g"]);
        assert_eq!(changed_settings("anthropic", &both, &list(&[g.clone(), f.clone()])), ["tools order"]);
        assert_eq!(changed_settings("anthropic", &both, &list(&[f.clone(), f.clone(), g])), ["tool f (2)"]);
        let other = list(&[f, tool("g", r#","x":1"#)]);
        assert_eq!(changed_settings("anthropic", &both, &other), ["tool g input_schema.x"]);
        let (camel, snake) = (
            r#"{"tools":[{"functionDeclarations":[{"name":"f","parameters":{"a_b":1}}]},{"googleSearch":{}}]}"#,
            r#"{"tools":[{"function_declarations":[{"name":"f","parameters":{"a_b":1}}]},{"google_search":{}}]}"#,
        );
        assert_eq!(changed_settings("gemini", camel, snake), [""; 0]);
        assert_eq!(
            changed_settings("gemini", camel, &snake.replace("a_b", "aB")),
            ["tool f parameters.a_b", "tool f parameters.aB"]
        );
    }
}
