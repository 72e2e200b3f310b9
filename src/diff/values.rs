//! What changed in an item or a setting: its members with their paths, and the value of each before and after. Equivalent
//! forms are no change, and JSON in a text is compared as JSON.

use std::ops::Range;

use foldhash::HashMap;

use crate::json::string::{self, fingerprint_of};
use crate::json::{Tape, Val, canonical, scan};

use super::entry::{Entry, EntryGrammar, text_of};
use super::equivalence::{
    FREE_FORM_MEMBERS, ID_MEMBERS, INSTRUCTIONS, MemberLevel, SHARED, UNSET_SETTINGS, camel_case_key,
};
use super::forms::{Forms, ListPart};
use super::meaning::part_hash;
use super::renames::RenamedIds;
use super::sequence;
use super::tools::{TOOLS, are_tool_lists, tools_by_name};

/// A value that changed. Values are JSON texts; `None` if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueChange {
    /// The member of the request, or `tool` and its name; empty for an item.
    pub of: String,
    /// Its path in the setting or the item, as `content[0].text`; empty for all of it.
    pub path: String,
    /// True if a user or a tool chose the value and its key, as in arguments or metadata.
    pub is_free_form: bool,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

impl ValueChange {
    /// The name of the innermost member.
    pub fn key(&self) -> &str {
        let step = self.path.rsplit('.').next().unwrap_or_default();
        let key = step.split('[').next().unwrap_or_default();
        if key.is_empty() { &self.of } else { key }
    }
}

/// What may be equivalent in a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    /// An item.
    Item,
    /// A part of an item, or a list of parts.
    Part,
    /// A setting, or a part of one.
    Setting,
    /// A plain value.
    Plain,
    /// A value that a user or a tool chose.
    FreeForm,
}

/// Depth below which values are compared as a whole.
const DEPTH: u32 = 200;

/// A comparison of two values, member by member.
pub struct ValueComparison<'r> {
    forms: Forms,
    renames: &'r RenamedIds<'r>,
    of: String,
    changes: Vec<ValueChange>,
}

impl ValueComparison<'_> {
    /// The changes of a setting.
    pub fn of_setting(name: &str, before: Option<&Entry>, after: Option<&Entry>) -> Vec<ValueChange> {
        let dialect = before.or(after).map_or(SHARED, |entry| entry.grammar.dialect());
        let renames = RenamedIds::default();
        let mut comparison = ValueComparison::new(Forms::new(dialect), &renames);
        comparison.of = name.to_owned();
        comparison.texts([text_of(before).as_ref(), text_of(after).as_ref()], |own, old, new| {
            own.values(Region::Setting, name, "", (old, new), DEPTH);
        });
        comparison.changes
    }

    /// The changes of an item, or of instructions. Ids that are `renames` are left out.
    pub fn of_entries(before: &Entry, after: &Entry, renames: &RenamedIds<'_>) -> Vec<ValueChange> {
        let dialect = after.grammar.dialect();
        let mut comparison = ValueComparison::new(Forms::new(dialect), renames);
        if after.grammar == EntryGrammar::Shared && before.kind != after.kind {
            let [before, after] = [before, after].map(|entry| Some(string::quoted(&entry.kind)));
            comparison.push("kind", Region::Plain, before, after);
        }
        comparison.texts([&text_of(Some(before)), &text_of(Some(after))], |own, old, new| {
            let (region, key) = match after.grammar {
                EntryGrammar::Item(_) => (Region::Item, ""),
                EntryGrammar::Member(_) if INSTRUCTIONS.contains(&&*after.kind) => (Region::Part, &*after.kind),
                EntryGrammar::Member(_) | EntryGrammar::Shared => (Region::Plain, ""),
            };
            if let (Region::Item, Some(item)) = (region, new.or(old)) {
                own.forms = Forms::of_item(dialect, item);
            }
            own.values(region, key, "", (old, new), DEPTH);
        });
        comparison.changes
    }

    fn new<'r>(forms: Forms, renames: &'r RenamedIds<'r>) -> ValueComparison<'r> {
        ValueComparison { forms, renames, of: String::new(), changes: Vec::new() }
    }

    /// Compares two JSON texts; a text that is not JSON counts as a missing value.
    fn texts(&mut self, texts: [&[u8]; 2], compare: impl FnOnce(&mut Self, Option<Val<'_>>, Option<Val<'_>>)) {
        let (mut old, mut new) = (Tape::new(), Tape::new());
        let [was, is] = texts;
        let old = scan(was, &mut old).ok().and_then(|()| old.root(was));
        let new = scan(is, &mut new).ok().and_then(|()| new.root(is));
        compare(self, old, new);
    }

    /// Compares two values. `key` is the name of the member, `path` leads to it.
    fn values(&mut self, region: Region, key: &str, path: &str, sides: Sides<'_>, depth: u32) {
        let unset = region == Region::Setting && UNSET_SETTINGS.contains(&self.forms.dialect);
        let is_set = |val: &Val<'_>| !(unset && val.is_null());
        let (old, new) = (sides.0.filter(is_set), sides.1.filter(is_set));
        match (old, new) {
            (None, None) => {}
            (Some(a), Some(b)) if a.raw() == b.raw() => {}
            (a, b) if region == Region::Setting && TOOLS.contains(&key) && are_tool_lists(a, b) => {
                self.tools(a, b, depth);
            }
            (Some(a), Some(b)) if depth > 0 && self.descend(region, key, path, (a, b), depth) => {}
            (Some(a), Some(b)) if canonical::is_equal(a, b) => {}
            _ => {
                let text = |val: Option<Val<'_>>| val.map(|val| val.raw().to_vec());
                self.push(path, region, text(old), text(new));
            }
        }
    }

    /// Compares what two values contain; false if they are to be compared as a whole.
    fn descend(&mut self, region: Region, key: &str, path: &str, (a, b): (Val<'_>, Val<'_>), depth: u32) -> bool {
        // A setting may be unset itself, but nothing in a value that a user chose is.
        let region = if FREE_FORM_MEMBERS.contains(&key) { Region::FreeForm } else { region };
        if region == Region::Part
            && let (Some(old), Some(new)) =
                (self.forms.text_parts(key.as_bytes(), a), self.forms.text_parts(key.as_bytes(), b))
        {
            self.lists(region, path, (&old, &new), depth);
            return true;
        }
        if a.is_object() && b.is_object() {
            self.objects(region, path, (a, b), depth);
            return true;
        }
        if !(a.is_array() && b.is_array()) {
            return false;
        }
        // Without a key, no list has texts.
        let (old, new) = (self.forms.list_parts(b"", a), self.forms.list_parts(b"", b));
        self.lists(region, path, (&old, &new), depth);
        true
    }

    /// Compares two lists: equal elements first, then those between them in order.
    fn lists(&mut self, region: Region, path: &str, (old, new): (&[ListPart<'_>], &[ListPart<'_>]), depth: u32) {
        if let ([ListPart::Text { text: a, .. }], [ListPart::Text { text: b, .. }]) = (old, new) {
            self.plain_texts(region, path, (a, b));
            return;
        }
        let hash = |part: &ListPart<'_>| match (region, part) {
            (Region::Item | Region::Part, part) => part_hash(self.forms, part),
            (_, ListPart::Text { text, .. }) => fingerprint_of(text),
            (_, ListPart::Other { val, .. }) => canonical::hash(*val, &[]),
        };
        let hashes = [old, new].map(|parts| parts.iter().map(hash).collect::<Vec<u64>>());
        let [olds, news] = &hashes;
        let (mut at_old, mut at_new) = (0, 0);
        let end = (olds.len()..olds.len(), news.len()..news.len());
        for (from, to) in sequence::replaced(olds, news).into_iter().chain([end]) {
            // Equal parts may have other ids.
            if region == Region::Part {
                for (a, b) in (at_old..from.start).zip(at_new..to.start) {
                    self.elements(region, path, (old.get(a), new.get(b)), depth);
                }
            }
            for n in 0..from.len().max(to.len()) {
                let at = |range: &Range<usize>| (n < range.len()).then_some(range.start + n);
                let sides = (at(&from).and_then(|a| old.get(a)), at(&to).and_then(|b| new.get(b)));
                self.elements(region, path, sides, depth);
            }
            (at_old, at_new) = (from.end, to.end);
        }
    }

    fn elements(
        &mut self,
        region: Region,
        path: &str,
        (a, b): (Option<&ListPart<'_>>, Option<&ListPart<'_>>),
        depth: u32,
    ) {
        let at = b.or(a).map_or(0, |part| match part {
            ListPart::Text { at, .. } | ListPart::Other { at, .. } => *at,
        });
        let path = format!("{path}[{at}]");
        match (a, b) {
            (Some(ListPart::Text { text: a, .. }), Some(ListPart::Text { text: b, .. })) => {
                self.plain_texts(region, &format!("{path}.text"), (a, b));
            }
            (Some(ListPart::Other { val: a, .. }), Some(ListPart::Other { val: b, .. })) => {
                self.values(region, "", &path, (Some(*a), Some(*b)), depth - 1);
            }
            (a, b) => {
                let text = |part: Option<&ListPart<'_>>| match part? {
                    ListPart::Text { text, .. } => Some(string::quoted(&String::from_utf8_lossy(text))),
                    ListPart::Other { val, .. } => Some(val.raw().to_vec()),
                };
                self.push(&path, region, text(a), text(b));
            }
        }
    }

    fn plain_texts(&mut self, region: Region, path: &str, (a, b): (&[u8], &[u8])) {
        if a != b {
            let [a, b] = [a, b].map(|text| Some(string::quoted(&String::from_utf8_lossy(text))));
            self.push(path, region, a, b);
        }
    }

    fn push(&mut self, path: &str, region: Region, before: Option<Vec<u8>>, after: Option<Vec<u8>>) {
        let change =
            ValueChange { of: self.of.clone(), path: path.to_owned(), is_free_form: false, before, after };
        let is_free_form = region == Region::FreeForm || FREE_FORM_MEMBERS.contains(&change.key());
        self.changes.push(ValueChange { is_free_form, ..change });
    }

    fn objects(&mut self, region: Region, path: &str, (old, new): (Val<'_>, Val<'_>), depth: u32) {
        let (olds, news) = (self.members(region, old), self.members(region, new));
        let last = |list: &[(String, Val<'_>)]| -> HashMap<String, usize> {
            list.iter().enumerate().map(|(n, (name, _))| (name.clone(), n)).collect()
        };
        let (in_old, in_new) = (last(&olds), last(&news));
        for (n, (name, _)) in olds.iter().chain(&news).enumerate() {
            let (a, b) = (in_old.get(name), in_new.get(name));
            let is_last = a.map_or_else(|| b.is_some_and(|b| olds.len() + b == n), |a| *a == n);
            if is_last {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let a = a.and_then(|a| olds.get(*a)).map(|(_, val)| *val);
                let b = b.and_then(|b| news.get(*b)).map(|(_, val)| *val);
                self.member(region, name, &path, ((old, new), (a, b)), depth);
            }
        }
    }

    /// Compares a member of two objects.
    fn member(
        &mut self,
        region: Region,
        name: &str,
        path: &str,
        ((old, new), (a, b)): ((Val<'_>, Val<'_>), Sides<'_>),
        depth: u32,
    ) {
        let level = match region {
            Region::Item => Some(MemberLevel::Item),
            Region::Part => Some(MemberLevel::Part),
            Region::Setting | Region::Plain | Region::FreeForm => None,
        };
        if let (Some(level), Some(a), Some(b)) = (level, a, b) {
            if self.is_renamed(level, name, a, b) {
                return;
            }
            let json = |object, val| self.forms.json_text(object, name.as_bytes(), val);
            if let (Some(was), Some(is)) = (json(old, a), json(new, b))
                && self.json_texts(path, &was, &is)
            {
                return;
            }
        }
        let region = match region {
            Region::Item | Region::Part if self.forms.is_nested(name.as_bytes()) => Region::Part,
            Region::Item | Region::Part | Region::Plain => Region::Plain,
            Region::Setting => Region::Setting,
            Region::FreeForm => Region::FreeForm,
        };
        self.values(region, name, path, (a, b), depth - 1);
    }

    /// Compares two texts as JSON; false if one of them is not.
    fn json_texts(&mut self, path: &str, was: &[u8], is: &[u8]) -> bool {
        let mut are_json = false;
        self.texts([was, is], |own, old, new| {
            are_json = old.is_some() && new.is_some();
            if are_json {
                own.values(Region::FreeForm, "", path, (old, new), DEPTH);
            }
        });
        are_json
    }

    fn is_renamed(&self, level: MemberLevel, key: &str, a: Val<'_>, b: Val<'_>) -> bool {
        let is_id = ID_MEMBERS.iter().any(|(of, name, _)| *of == level && *name == key);
        let ids = || Some((a.text()?, b.text()?));
        is_id && ids().is_some_and(|(a, b)| self.renames.contains(&a, &b))
    }

    fn members<'t>(&self, region: Region, val: Val<'t>) -> Vec<(String, Val<'t>)> {
        let name = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
        let level = match region {
            Region::Item => MemberLevel::Item,
            Region::Part => MemberLevel::Part,
            Region::Setting | Region::Plain | Region::FreeForm => {
                let dialect = if region == Region::Setting { self.forms.dialect } else { SHARED };
                let key = |key: &[u8]| name(&camel_case_key(dialect, key));
                return val.members().map(|member| (key(&member.key.decode()), member.val)).collect();
            }
        };
        self.forms.members(val, level).into_iter().map(|(key, val)| (name(&key), val)).collect()
    }

    /// Compares two lists of tools by their names.
    fn tools(&mut self, old: Option<Val<'_>>, new: Option<Val<'_>>, depth: u32) {
        let dialect = self.forms.dialect;
        let (old, new) = (tools_by_name(dialect, old), tools_by_name(dialect, new));
        let find = |list: &[(String, Val<'_>)]| -> HashMap<String, usize> {
            list.iter().enumerate().map(|(n, (name, _))| (name.clone(), n)).collect()
        };
        let (in_old, in_new) = (find(&old), find(&new));
        let (of, before) = (std::mem::take(&mut self.of), self.changes.len());
        for (name, val) in &old {
            self.of = format!("tool {name}");
            let new = in_new.get(name).and_then(|n| new.get(*n)).map(|(_, val)| *val);
            self.values(Region::Setting, "", "", (Some(*val), new), depth.saturating_sub(1));
        }
        for (name, val) in new.iter().filter(|(name, _)| !in_old.contains_key(name)) {
            self.of = format!("tool {name}");
            self.values(Region::Setting, "", "", (None, Some(*val)), depth.saturating_sub(1));
        }
        self.of = of;
        let order = |list: &[(String, Val<'_>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let (old, new) = (order(&old), order(&new));
        if self.changes.len() == before && old != new {
            let text = |names: Vec<String>| serde_json::to_vec(&names).ok();
            self.push("order", Region::Setting, text(old), text(new));
        }
    }
}

/// The values of both sides; `None` for one that is missing.
type Sides<'t> = (Option<Val<'t>>, Option<Val<'t>>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;

    fn entry(dialect: &'static str, text: &str) -> Entry {
        let grammar = EntryGrammar::Item(dialect);
        Entry::new("item".to_owned(), None, grammar, text.as_bytes().to_vec(), Place::default(), 1)
    }

    fn changed(dialect: &'static str, before: &str, after: &str) -> Vec<String> {
        let text = |json: &Option<Vec<u8>>| {
            json.as_ref().map_or("none".to_owned(), |json| String::from_utf8_lossy(json).into_owned())
        };
        let words =
            |change: ValueChange| format!("{}: {} → {}", change.path, text(&change.before), text(&change.after));
        let (before, after) = (entry(dialect, before), entry(dialect, after));
        ValueComparison::of_entries(&before, &after, &RenamedIds::default()).into_iter().map(words).collect()
    }

    #[test]
    fn arguments_are_compared_as_json() {
        let call = |arguments: &str| {
            let arguments = String::from_utf8(string::quoted(arguments)).expect("UTF-8");
            format!(r#"{{"type":"function_call","call_id":"c","arguments":{arguments}}}"#)
        };
        let before = call(r#"{"path":"f0.py","lines":[1,2],"old":true}"#);
        let after = call(r#"{ "lines": [1, 2, 3], "path": "f1.py", "new": null }"#);
        assert_eq!(
            changed("responses", &before, &after),
            [
                r#"arguments.path: "f0.py" → "f1.py""#,
                "arguments.lines[2]: none → 3",
                "arguments.old: true → none",
                "arguments.new: none → null",
            ]
        );
        assert_eq!(
            changed("responses", &before, &call("no JSON")),
            [r#"arguments: "{\"path\":\"f0.py\",\"lines\":[1,2],\"old\":true}" → "no JSON""#]
        );
        assert_eq!(changed("responses", &call("{}"), &call("{ }")), [""; 0]);
    }

    #[test]
    fn texts_and_parts_have_paths() {
        let message = |content: &str| format!(r#"{{"role":"user","content":{content}}}"#);
        let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let image = |url: &str| format!(r#"{{"type":"image_url","image_url":{{"url":"{url}"}}}}"#);
        let list = |parts: &[String]| message(&format!("[{}]", parts.join(",")));
        assert_eq!(
            changed("chat", &message(r#""ab""#), &list(&[text("a"), text("c")])),
            [r#"content: "ab" → "ac""#]
        );
        assert_eq!(
            changed("chat", &list(&[text("a"), image("x")]), &list(&[text("a"), image("y")])),
            [r#"content[1].image_url.url: "x" → "y""#]
        );
        assert_eq!(
            changed("chat", &list(&[image("x"), text("a")]), &list(&[image("w"), image("x"), text("b")])),
            [
                r#"content[0]: none → {"type":"image_url","image_url":{"url":"w"}}"#,
                r#"content[2].text: "a" → "b""#,
            ]
        );
        assert_eq!(changed("chat", &message(r#""a""#), &list(&[text("a")])), [""; 0]);
    }

    #[test]
    fn renamed_ids_are_left_out() {
        use crate::diff::equivalence::IdKind;
        use crate::diff::renames::Rename;
        let rename = Rename {
            tie: IdKind::Call,
            before: "c1".to_owned(),
            after: "c2".to_owned(),
            first: (0, 0),
            places: 1,
        };
        let output = |id: &str, text: &str| {
            entry("responses", &format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{text}"}}"#))
        };
        let list = [rename];
        let renames = RenamedIds::of(&list);
        let paths = |before: Entry, after: Entry| {
            let changes = ValueComparison::of_entries(&before, &after, &renames).into_iter();
            changes.map(|change| change.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(output("c1", "a"), output("c2", "b")), ["output"]);
        assert_eq!(paths(output("c1", "a"), output("c3", "b")), ["call_id", "output"]);
    }
}
