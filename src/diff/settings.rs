//! Comparison of the settings of two requests: setting by setting, tools by name.

use std::collections::HashMap;

use crate::json::{Tape, Val, canonical, scan};

use super::entry::{Entry, text_of};
use super::equivalence::{FREE_FORM_MEMBERS, SHARED, TWO_SPELLINGS, UNSET_SETTINGS, camel_case_key};

/// A difference in a setting, or in a part of it. Values are JSON texts; `None` if not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The member of the request, or the tool.
    pub of: String,
    /// The path of the part; empty for the whole setting.
    pub part: String,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// Settings that are lists of tools.
const TOOLS: [&str; 2] = ["tools", "functions"];

/// The differences, in the order of the first request, then of the second.
pub fn changes(before: &[Entry], after: &[Entry]) -> Vec<SettingChange> {
    // For a duplicate member, the last one applies.
    let last = |entries: &'_ [Entry]| -> HashMap<String, usize> {
        entries.iter().enumerate().map(|(n, entry)| (entry.kind.clone(), n)).collect()
    };
    let (olds, news) = (last(before), last(after));
    let mut changes = Vec::new();
    for (_, old) in before.iter().enumerate().filter(|(n, old)| olds.get(&old.kind) == Some(n)) {
        compare(&old.kind, Some(old), news.get(&old.kind).and_then(|n| after.get(*n)), &mut changes);
    }
    for (n, new) in after.iter().enumerate() {
        if news.get(&new.kind) == Some(&n) && !olds.contains_key(&new.kind) {
            compare(&new.kind, None, Some(new), &mut changes);
        }
    }
    changes
}

fn compare(name: &str, before: Option<&Entry>, after: Option<&Entry>, changes: &mut Vec<SettingChange>) {
    if before.zip(after).is_some_and(|(before, after)| before.text == after.text) {
        return;
    }
    let dialect = before.or(after).map_or(SHARED, |entry| entry.grammar.dialect());
    let (mut old, mut new) = (Tape::new(), Tape::new());
    let texts = [before, after].map(text_of);
    let [was, is] = &texts;
    let old = before.and_then(|_| scan(was, &mut old).ok().and_then(|()| old.root(was)));
    let new = after.and_then(|_| scan(is, &mut new).ok().and_then(|()| new.root(is)));
    SettingComparison { dialect, of: name.to_owned(), changes }.values(name, "", false, old, new);
}

struct SettingComparison<'c> {
    dialect: &'static str,
    of: String,
    changes: &'c mut Vec<SettingChange>,
}

impl SettingComparison<'_> {
    /// Compares two values. `key` is the name of the member, `part` its path below the setting.
    fn values(&mut self, key: &str, part: &str, free: bool, old: Option<Val<'_>>, new: Option<Val<'_>>) {
        let unset = !free && UNSET_SETTINGS.contains(&self.dialect);
        let set = |val: Option<Val<'_>>| val.is_some_and(|val| !(unset && val.is_null()));
        let (old, new) = (old.filter(|_| set(old)), new.filter(|_| set(new)));
        match (old, new) {
            (None, None) => {}
            (Some(a), Some(b)) if a.raw() == b.raw() => {}
            (a, b) if TOOLS.contains(&key) && !free && are_tool_lists(a, b) => self.tools(a, b),
            (Some(a), Some(b)) if a.is_object() && b.is_object() => {
                self.objects(part, free || FREE_FORM_MEMBERS.contains(&key), a, b);
            }
            (Some(a), Some(b)) if a.is_array() && b.is_array() && a.count() == b.count() => {
                for (n, (a, b)) in a.elements().zip(b.elements()).enumerate() {
                    self.values("", &format!("{part}[{n}]"), free, Some(a), Some(b));
                }
            }
            (Some(a), Some(b)) if canonical::is_equal(a, b) => {}
            _ => self.change(part, old, new),
        }
    }

    fn change(&mut self, part: &str, old: Option<Val<'_>>, new: Option<Val<'_>>) {
        let text = |val: Option<Val<'_>>| val.map(|val| val.raw().to_vec());
        let change =
            SettingChange { of: self.of.clone(), part: part.to_owned(), before: text(old), after: text(new) };
        self.changes.push(change);
    }

    fn objects(&mut self, part: &str, free: bool, old: Val<'_>, new: Val<'_>) {
        let dialect = if free { SHARED } else { self.dialect };
        let (olds, news) = (members(dialect, old), members(dialect, new));
        let last = |list: &[(String, Val<'_>)]| -> HashMap<String, usize> {
            list.iter().enumerate().map(|(n, (name, _))| (name.clone(), n)).collect()
        };
        let (in_old, in_new) = (last(&olds), last(&news));
        for (n, (name, _)) in olds.iter().chain(&news).enumerate() {
            let (a, b) = (in_old.get(name), in_new.get(name));
            let is_last = a.map_or_else(|| b.is_some_and(|b| olds.len() + b == n), |a| *a == n);
            if is_last {
                let path = if part.is_empty() { name.clone() } else { format!("{part}.{name}") };
                let old = a.and_then(|a| olds.get(*a)).map(|(_, val)| *val);
                let new = b.and_then(|b| news.get(*b)).map(|(_, val)| *val);
                self.values(name, &path, free, old, new);
            }
        }
    }

    /// Compares two lists of tools by their names.
    fn tools(&mut self, old: Option<Val<'_>>, new: Option<Val<'_>>) {
        let (old, new) = (tools_by_name(self.dialect, old), tools_by_name(self.dialect, new));
        let find = |list: &[(String, Val<'_>)]| -> HashMap<String, usize> {
            list.iter().enumerate().map(|(n, (name, _))| (name.clone(), n)).collect()
        };
        let (in_old, in_new) = (find(&old), find(&new));
        let (of, before) = (std::mem::take(&mut self.of), self.changes.len());
        for (name, val) in &old {
            self.of = format!("tool {name}");
            match in_new.get(name).and_then(|n| new.get(*n)) {
                Some((_, new)) => self.values("", "", false, Some(*val), Some(*new)),
                None => self.change("", Some(*val), None),
            }
        }
        for (name, val) in new.iter().filter(|(name, _)| !in_old.contains_key(name)) {
            self.of = format!("tool {name}");
            self.change("", None, Some(*val));
        }
        self.of = of;
        let order = |list: &[(String, Val<'_>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let (old, new) = (order(&old), order(&new));
        if self.changes.len() == before && old != new {
            let text = |names: Vec<String>| serde_json::to_vec(&names).ok();
            let change = SettingChange {
                of: self.of.clone(),
                part: "order".to_owned(),
                before: text(old),
                after: text(new),
            };
            self.changes.push(change);
        }
    }
}

fn members<'t>(dialect: &str, val: Val<'t>) -> Vec<(String, Val<'t>)> {
    let name = |key: &[u8]| String::from_utf8_lossy(&camel_case_key(dialect, key)).into_owned();
    val.members().map(|member| (name(&member.key.decode()), member.val)).collect()
}

fn are_tool_lists(old: Option<Val<'_>>, new: Option<Val<'_>>) -> bool {
    let is_list =
        |val: Option<Val<'_>>| val.is_none_or(|val| val.is_array() && val.elements().all(|e| e.is_object()));
    is_list(old) && is_list(new)
}

/// The tools of a list by name; several with one name are numbered. Function declarations in one tool are tools of their
/// own.
fn tools_by_name<'t>(dialect: &str, list: Option<Val<'t>>) -> Vec<(String, Val<'t>)> {
    let mut tools: Vec<(String, Val<'t>)> = Vec::new();
    let mut times: HashMap<String, u32> = HashMap::new();
    let mut add = |name: String, val: Val<'t>| {
        let n = times.entry(name.clone()).or_default();
        *n += 1;
        tools.push((if *n == 1 { name } else { format!("{name} ({n})") }, val));
    };
    for tool in list.iter().flat_map(Val::elements) {
        if !TWO_SPELLINGS.contains(&dialect) {
            add(tool_name(tool), tool);
            continue;
        }
        for member in tool.members() {
            let key = camel_case_key(dialect, &member.key.decode());
            match key == DECLARATIONS {
                true => member.val.elements().for_each(|own| add(tool_name(own), own)),
                false => add(String::from_utf8_lossy(&key).into_owned(), member.val),
            }
        }
    }
    tools
}

const DECLARATIONS: &[u8] = b"functionDeclarations";

/// The name of a tool, or its type without a name.
fn tool_name(tool: Val<'_>) -> String {
    const PATHS: [&[&str]; 6] = [
        &["function", "name"],
        &["custom", "name"],
        &["toolSpec", "name"],
        &["name"],
        &["server_label"],
        &["type"],
    ];
    let named = PATHS.iter().find_map(|path| tool.at(path).and_then(|name| name.text()));
    let own = named.or_else(|| tool.members().next().map(|member| member.key.decode()));
    own.map_or_else(|| "without a name".to_owned(), |name| String::from_utf8_lossy(&name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::entry::EntryGrammar;
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
        let name = |change: SettingChange| format!("{} {}", change.of, change.part).trim_end().to_owned();
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
