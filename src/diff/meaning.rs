//! The meaning of an item, independent of its form: a hash that is equal for equivalent items, and the ids that refer to
//! other items. It is computed only for items whose bytes differ.

use crate::json::string::{self, fingerprint_of};
use crate::json::{NodeKind, Tape, Val, canonical, scan};

use super::equivalence::{FREE_FORM_MEMBERS, ID_MEMBERS, IdKind, LOOSE_MEMBERS, MemberLevel, NESTED_MEMBERS};
use super::forms::{Forms, ListPart, Purpose};

/// Depth below which values are compared as text.
const DEPTH: u32 = 200;

/// An id and its kind.
pub type Id = (IdKind, Box<[u8]>);

/// The meaning of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// A hash that is equal for equivalent items, without ids.
    pub hash: u64,
    /// The hash without members that are ignored when searching a changed counterpart.
    pub loose: u64,
    /// The ids, in an order that does not depend on the form.
    pub ids: Vec<Id>,
}

/// The meaning of an item of a dialect.
pub fn of_item(dialect: &'static str, purpose: Purpose, text: &[u8]) -> Meaning {
    read(text, |val| {
        let forms = Forms { purpose, ..Forms::of_item(dialect, val) };
        let mut reader = MeaningReader { forms, ids: Vec::new() };
        let (hash, loose) = reader.object(val, MemberLevel::Item, DEPTH);
        Meaning { hash, loose, ids: reader.ids }
    })
}

/// The meaning of a member of a request: instructions as the content of a message, others as a part.
pub fn of_member(dialect: &'static str, purpose: Purpose, key: &str, text: &[u8]) -> Meaning {
    read(text, |val| {
        let mut reader = MeaningReader { forms: Forms { purpose, ..Forms::new(dialect) }, ids: Vec::new() };
        let hash = reader.nested(key.as_bytes(), val, DEPTH);
        Meaning { hash, loose: hash, ids: Vec::new() }
    })
}

/// The meaning of a text in the shared vocabulary.
pub fn of_shared(kind: &str, text: &[u8], ids: &[Id]) -> Meaning {
    let kind = fingerprint_of(kind.as_bytes());
    let said = read(text, |val| Meaning {
        hash: canonical::hash(val, &[]),
        loose: canonical::hash(val, &["from"]),
        ids: ids.to_vec(),
    });
    Meaning { hash: kind ^ said.hash, loose: kind ^ said.loose, ids: ids.to_vec() }
}

/// All ids of an item, without its meaning.
pub fn ids(val: Val<'_>) -> Vec<Id> {
    let mut ids = Vec::new();
    collect_ids(val, MemberLevel::Item, &mut ids);
    let lists = NESTED_MEMBERS.iter().filter_map(|key| val.get(key));
    for part in lists.flat_map(|list| list.elements()) {
        collect_ids(part, MemberLevel::Part, &mut ids);
        // In some dialects, the object in a part has the id.
        part.members()
            .filter(|own| own.val.is_object())
            .for_each(|own| collect_ids(own.val, MemberLevel::Part, &mut ids));
    }
    ids
}

fn collect_ids(val: Val<'_>, level: MemberLevel, ids: &mut Vec<Id>) {
    for (_, key, tie) in ID_MEMBERS.iter().filter(|(of, ..)| *of == level) {
        let id = val.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
        ids.extend(id.map(|id| (*tie, Box::from(&*id))));
    }
}

fn read(text: &[u8], to_meaning: impl FnOnce(Val<'_>) -> Meaning) -> Meaning {
    let mut tape = Tape::new();
    let root = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
    root.map(to_meaning).unwrap_or_else(|| {
        let hash = fingerprint_of(text);
        Meaning { hash, loose: hash, ids: Vec::new() }
    })
}

/// A hash that is equal for equivalent parts, without ids.
pub(super) fn part_hash(forms: Forms, part: &ListPart<'_>) -> u64 {
    MeaningReader { forms, ids: Vec::new() }.part(part, DEPTH)
}

struct MeaningReader {
    forms: Forms,
    ids: Vec<Id>,
}

impl MeaningReader {
    /// The hash of a value that contains parts, or is one.
    fn nested(&mut self, key: &[u8], val: Val<'_>, depth: u32) -> u64 {
        if depth == 0 {
            return fingerprint_of(val.raw());
        }
        match val.kind() {
            NodeKind::Object => self.object(val, MemberLevel::Part, depth).0,
            NodeKind::Array => match self.forms.list_parts(key, val).as_slice() {
                [only @ ListPart::Text { .. }] => self.part(only, depth),
                parts => parts.iter().fold(11, |hash, part| mix_hash(hash, self.part(part, depth))),
            },
            NodeKind::String => text_hash(&val.text().unwrap_or_default()),
            _ => canonical::hash(val, &[]),
        }
    }

    fn part(&mut self, part: &ListPart<'_>, depth: u32) -> u64 {
        match part {
            ListPart::Text { text, .. } => text_hash(text),
            ListPart::Other { val, .. } => self.nested(b"", *val, depth - 1),
        }
    }

    /// The hash of an object, and the one without loose members.
    fn object(&mut self, val: Val<'_>, level: MemberLevel, depth: u32) -> (u64, u64) {
        if !val.is_object() {
            let hash = self.nested(b"", val, depth);
            return (hash, hash);
        }
        let mut members = self.forms.members(val, level);
        members.sort_by(|a, b| a.0.cmp(&b.0));
        // For a duplicate key, the last value applies.
        members.reverse();
        members.dedup_by(|a, b| a.0 == b.0);
        let (mut hash, mut loose) = (12, 12);
        for (key, member) in members {
            let own = match self.id(level, &key, member) {
                Some(tie) => mix_hash(13, tie as u64),
                None => self.json_text(val, &key, member).unwrap_or_else(|| match self.forms.is_nested(&key) {
                    true => self.nested(&key, member, depth - 1),
                    false => self.plain_hash(&key, member),
                }),
            };
            let member = mix_hash(fingerprint_of(&key), own);
            hash = mix_hash(hash, member);
            if level != MemberLevel::Item || !LOOSE_MEMBERS.iter().any(|name| name.as_bytes() == &*key) {
                loose = mix_hash(loose, member);
            }
        }
        (hash, loose)
    }

    /// The hash of a value without equivalent forms.
    fn plain_hash(&self, key: &[u8], val: Val<'_>) -> u64 {
        let in_order = self.forms.purpose == Purpose::Prompt;
        if in_order && FREE_FORM_MEMBERS.iter().any(|name| name.as_bytes() == key) {
            let mut text = Vec::new();
            string::one_line(val.raw(), &mut text);
            return fingerprint_of(&text);
        }
        canonical::hash(val, &[])
    }

    /// The hash of a text that is JSON; `None` for any other value.
    fn json_text(&self, object: Val<'_>, key: &[u8], val: Val<'_>) -> Option<u64> {
        let text = self.forms.json_text(object, key, val)?;
        let mut tape = Tape::new();
        scan(&text, &mut tape).ok()?;
        tape.root(&text).map(|root| mix_hash(14, canonical::hash(root, &[])))
    }

    fn id(&mut self, level: MemberLevel, key: &[u8], val: Val<'_>) -> Option<IdKind> {
        let (.., tie) = ID_MEMBERS.iter().find(|(of, name, _)| *of == level && name.as_bytes() == key)?;
        let id = val.text().filter(|id| !id.is_empty())?;
        self.ids.push((*tie, id.into()));
        Some(*tie)
    }
}

fn text_hash(text: &[u8]) -> u64 {
    mix_hash(15, fingerprint_of(text))
}

fn mix_hash(a: u64, b: u64) -> u64 {
    fingerprint_of(&[a.to_le_bytes(), b.to_le_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(dialect: &'static str, purpose: Purpose, text: &str) -> u64 {
        of_item(dialect, purpose, text.as_bytes()).hash
    }

    fn same(dialect: &'static str, a: &str, b: &str) -> bool {
        hash(dialect, Purpose::Meaning, a) == hash(dialect, Purpose::Meaning, b)
    }

    #[test]
    fn members_without_meaning_are_ignored() {
        let plain = r#"{"role":"assistant","content":"a"}"#;
        for silent in [
            r#""refusal":null"#,
            r#""refusal":"""#,
            r#""annotations":[]"#,
            r#""tool_calls":[]"#,
            r#""tool_calls":null"#,
            r#""logprobs":null"#,
        ] {
            assert!(same("chat", plain, &format!(r#"{{{silent},"content":"a","role":"assistant"}}"#)), "{silent}");
        }
        assert!(!same("chat", plain, r#"{"role":"assistant","content":"a","refusal":"no"}"#));
        assert!(!same("chat", plain, r#"{"role":"assistant","content":null}"#));
        assert!(!same("chat", plain, r#"{"role":"assistant","content":"a","x":null}"#));
        let call = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
        assert!(same("responses", call, &call.replacen('{', r#"{"status":"completed","#, 1)));
        assert!(!same("responses", call, &call.replacen('{', r#"{"status":"incomplete","#, 1)));
        assert!(!same("responses", call, &call.replacen('{', r#"{"refusal":null,"#, 1)));
    }

    #[test]
    fn a_text_has_two_forms() {
        let list = |role: &str, kind: &str, more: &str| {
            format!(r#"{{"role":"{role}","content":[{{"type":"{kind}","text":"a"{more}}}]}}"#)
        };
        let plain = |role: &str| format!(r#"{{"role":"{role}","content":"\u0061"}}"#);
        assert!(same("chat", &plain("user"), &list("user", "text", "")));
        assert!(same("anthropic", &plain("user"), &list("user", "text", r#","citations":null"#)));
        assert!(!same(
            "anthropic",
            &plain("user"),
            &list("user", "text", r#","cache_control":{"type":"ephemeral"}"#)
        ));
        assert!(same("responses", &plain("user"), &list("user", "input_text", "")));
        assert!(same("responses", &plain("assistant"), &list("assistant", "output_text", r#","annotations":[]"#)));
        assert!(!same("responses", &plain("assistant"), &list("assistant", "input_text", "")));
        let typed = r#"{"type":"message","role":"user","content":"a"}"#;
        assert!(same("responses", &plain("user"), typed));
        assert!(!same("chat", &plain("user"), typed));
        let result = |content: &str| {
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{content}}}]}}"#
            )
        };
        assert!(same("anthropic", &result(r#""a""#), &result(r#"[{"type":"text","text":"a"}]"#)));
    }

    #[test]
    fn a_text_in_several_parts_is_one_text() {
        let parts = |texts: &[&str], more: &str| {
            let part = |text: &&str| format!(r#"{{"type":"text","text":"{text}"{more}}}"#);
            let parts: Vec<String> = texts.iter().map(part).collect();
            format!(r#"{{"role":"user","content":[{}]}}"#, parts.join(","))
        };
        let image = r#"{"type":"image_url","image_url":{"url":"x"}}"#;
        let divided = parts(&["a", "b"], "").replacen("},{", &format!("}},{image},{{"), 1);
        for dialect in ["chat", "anthropic"] {
            assert!(same(dialect, &parts(&["a", "b", "c"], ""), &parts(&["ab", "c"], "")));
            assert!(same(dialect, &parts(&["a", "b"], ""), r#"{"role":"user","content":"ab"}"#));
            assert!(!same(dialect, &parts(&["a", "b"], ""), &parts(&["a", "c"], "")));
            assert!(!same(dialect, &parts(&["a", "b"], r#","x":1"#), &parts(&["ab"], r#","x":1"#)));
        }
        assert!(!same("chat", &divided, &parts(&["ab"], "")));
        let gemini = |parts: &str| format!(r#"{{"role":"user","parts":[{parts}]}}"#);
        assert!(same("gemini", &gemini(r#"{"text":"a"},{"text":"b"}"#), &gemini(r#"{"text":"ab"}"#)));
        assert!(!same(
            "gemini",
            &gemini(r#"{"text":"a","thought":true},{"text":"b"}"#),
            &gemini(r#"{"text":"ab"}"#)
        ));
    }

    #[test]
    fn arguments_and_outputs_are_json() {
        let call =
            |arguments: &str| format!(r#"{{"type":"function_call","call_id":"c","arguments":"{arguments}"}}"#);
        let (compact, spaced) = (call(r#"{\"a\":1,\"b\":2}"#), call(r#"{ \"b\": 2, \"a\": 1 }"#));
        assert!(same("responses", &compact, &spaced));
        assert!(!same("responses", &compact, &call(r#"{\"a\":1,\"b\":3}"#)));
        assert!(!same("responses", &call("{ }"), &call("{ ")));
        let chat = |arguments: &str| {
            format!(
                r#"{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
            )
        };
        assert!(same("chat", &chat(r#"{\"a\":1}"#), &chat(r#"{ \"a\": 1 }"#)));
        let message = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
        assert!(same("chat", &message("tool", "[1,2]"), &message("tool", "[1, 2]")));
        assert!(!same("chat", &message("user", "[1,2]"), &message("user", "[1, 2]")));
        let result = |text: &str| {
            format!(r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{text}}}]}}"#)
        };
        assert!(same("anthropic", &result(r#""{ }""#), &result(r#"[{"type":"text","text":"{}"}]"#)));
    }

    #[test]
    fn names_have_two_spellings_but_not_in_arguments() {
        let camel = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a_b":1}},"thoughtSignature":"s"},
            {"inlineData":{"mimeType":"image/png","data":"x"}}]}"#;
        let snake = r#"{"role":"model","parts":[{"function_call":{"name":"f","args":{"a_b":1}},"thought_signature":"s",
            "thought":false},{"inline_data":{"mime_type":"image/png","data":"x","display_name":null}}]}"#;
        assert!(same("gemini", camel, snake));
        assert!(!same("gemini", camel, &snake.replace("a_b", "aB")));
        assert!(!same("gemini", camel, &snake.replace(r#"{"a_b":1}"#, r#"{"a_b":1,"c":null}"#)));
    }

    #[test]
    fn ids_are_kept_apart() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f"}},{"id":"c2"}]}"#;
        let said = of_item("chat", Purpose::Meaning, call.as_bytes());
        let other = of_item("chat", Purpose::Meaning, call.replace("c1", "x1").as_bytes());
        assert_eq!(said.hash, other.hash);
        assert_eq!(said.ids, [(IdKind::Call, (*b"c1").into()), (IdKind::Call, (*b"c2").into())]);
        assert_ne!(said.ids, other.ids);
        assert!(!same("chat", call, &call.replace(r#""id":"c1","#, "")));
    }
    #[test]
    fn a_prompt_has_no_cache_marks_and_an_order_of_keys() {
        let same_prompt =
            |dialect, a: &str, b: &str| hash(dialect, Purpose::Prompt, a) == hash(dialect, Purpose::Prompt, b);
        let plain = r#"{"role":"user","content":"a"}"#;
        let marked =
            r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#;
        assert!(!same("anthropic", plain, marked) && same_prompt("anthropic", plain, marked));
        let (text, point) = (
            r#"{"role":"user","content":[{"text":"a"}]}"#,
            r#"{"role":"user","content":[{"text":"a"},{"cachePoint":{}}]}"#,
        );
        assert!(!same("bedrock", text, point) && same_prompt("bedrock", text, point));
        let call = |input: &str| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{input}}}]}}"#
            )
        };
        let (one, other) = (call(r#"{"a":1,"b":2}"#), call(r#"{"b":2,"a":1}"#));
        assert!(same("anthropic", &one, &other) && !same_prompt("anthropic", &one, &other));
        assert!(same_prompt("anthropic", &one, &call(r#"{ "a": 1, "b": 2 }"#)));
    }
}
