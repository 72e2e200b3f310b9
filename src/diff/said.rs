//! What an item says, whatever way it is written in: a hash that is the same for items that say the same, and the ids
//! that it is tied to others with. Only items that differ in their bytes are looked at.

use std::borrow::Cow;

use crate::json::string::fingerprint_of;
use crate::json::{NodeKind, Tape, Val, canonical, scan};

use super::same::{
    FREE, Holds, IDS, INWARD, LOOSE, Level, NULL_IS_UNSET, SHORT, SILENT, SPELLED_TWICE, Short, Silent, Tie,
    spelled,
};

/// Values nested deeper than this are compared as they are written.
const DEPTH: u32 = 200;

/// An id, and what it ties together.
pub type Id = (Tie, Box<[u8]>);

/// What an item says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The same for what says the same, whatever its ids are.
    pub hash: u64,
    /// The same, but for what does not matter when a counterpart is looked for.
    pub loose: u64,
    /// In an order that does not depend on how the item is written.
    pub ids: Vec<Id>,
}

/// What the text of an item of this dialect says.
pub fn of_item(dialect: &'static str, text: &[u8]) -> Said {
    read(text, |val| {
        let role = val.get("role").and_then(|role| role.text()).unwrap_or_default();
        let mut reader = Reader { dialect, of_model: matches!(&*role, b"assistant" | b"model"), ids: Vec::new() };
        let (hash, loose) = reader.object(val, Level::Item, DEPTH);
        Said { hash, loose, ids: reader.ids }
    })
}

/// What a member of a request says: instructions as the content of a message, anything else as a part.
pub fn of_member(dialect: &'static str, key: &str, text: &[u8]) -> Said {
    read(text, |val| {
        let mut reader = Reader { dialect, of_model: false, ids: Vec::new() };
        let hash = reader.inward(key.as_bytes(), val, DEPTH);
        Said { hash, loose: hash, ids: Vec::new() }
    })
}

/// What a text in words that all dialects share says.
pub fn of_shared(kind: &str, text: &[u8], ids: &[Id]) -> Said {
    let kind = fingerprint_of(kind.as_bytes());
    let said = read(text, |val| Said {
        hash: canonical::hash(val, &[]),
        loose: canonical::hash(val, &["from"]),
        ids: ids.to_vec(),
    });
    Said { hash: kind ^ said.hash, loose: kind ^ said.loose, ids: ids.to_vec() }
}

/// All ids of an item, without reading what it says.
pub fn ids(val: Val<'_>) -> Vec<Id> {
    let mut ids = Vec::new();
    take_ids(val, Level::Item, &mut ids);
    let lists = INWARD.iter().filter_map(|key| val.get(key));
    for part in lists.flat_map(|list| list.elements()) {
        take_ids(part, Level::Part, &mut ids);
        // What a part wraps has its id in some dialects.
        part.members().filter(|own| own.val.is_object()).for_each(|own| take_ids(own.val, Level::Part, &mut ids));
    }
    ids
}

fn take_ids(val: Val<'_>, level: Level, ids: &mut Vec<Id>) {
    for (_, key, tie) in IDS.iter().filter(|(of, ..)| *of == level) {
        let id = val.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
        ids.extend(id.map(|id| (*tie, Box::from(&*id))));
    }
}

fn read(text: &[u8], say: impl FnOnce(Val<'_>) -> Said) -> Said {
    let mut tape = Tape::new();
    let root = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
    root.map(say).unwrap_or_else(|| {
        let hash = fingerprint_of(text);
        Said { hash, loose: hash, ids: Vec::new() }
    })
}

struct Reader {
    dialect: &'static str,
    of_model: bool,
    ids: Vec<Id>,
}

impl Reader {
    /// A value that holds parts, or is one.
    fn inward(&mut self, key: &[u8], val: Val<'_>, depth: u32) -> u64 {
        if depth == 0 {
            return fingerprint_of(val.raw());
        }
        match val.kind() {
            NodeKind::Object => self.object(val, Level::Part, depth).0,
            NodeKind::Array => {
                if let Some(text) = self.only_text(key, val) {
                    return canonical::hash(text, &[]);
                }
                val.elements().fold(11, |hash, part| mixed(hash, self.inward(b"", part, depth - 1)))
            }
            _ => canonical::hash(val, &[]),
        }
    }

    /// The hash of an object, and the one without what is loose.
    fn object(&mut self, val: Val<'_>, level: Level, depth: u32) -> (u64, u64) {
        if !val.is_object() {
            let hash = self.inward(b"", val, depth);
            return (hash, hash);
        }
        let mut members = self.members(val, level);
        members.sort_by(|a, b| a.0.cmp(&b.0));
        // Of a key that occurs twice, the last value counts.
        members.reverse();
        members.dedup_by(|a, b| a.0 == b.0);
        let (mut hash, mut loose) = (12, 12);
        for (key, val) in members {
            let own = match self.id(level, &key, val) {
                Some(tie) => mixed(13, tie as u64),
                None if self.leads_inward(&key) => self.inward(&key, val, depth - 1),
                None => canonical::hash(val, &[]),
            };
            let member = mixed(fingerprint_of(&key), own);
            hash = mixed(hash, member);
            if level != Level::Item || !LOOSE.iter().any(|name| name.as_bytes() == &*key) {
                loose = mixed(loose, member);
            }
        }
        (hash, loose)
    }

    /// The members that say something, by their names in one spelling.
    fn members<'t>(&self, val: Val<'t>, level: Level) -> Vec<(Cow<'t, [u8]>, Val<'t>)> {
        let mut kind = val.get("type").and_then(|kind| kind.text()).unwrap_or_default();
        if level == Level::Item && kind.is_empty() && val.get("role").is_some() {
            kind = Cow::Borrowed(b"message");
        }
        let two = SPELLED_TWICE.contains(&self.dialect);
        let member = |member: crate::json::Member<'t>| {
            let key = member.key.decode();
            let key = if two { Cow::Owned(spelled(self.dialect, &key)) } else { key };
            (key, member.val)
        };
        let says = |(key, val): &(Cow<'t, [u8]>, Val<'t>)| {
            let unset = val.is_null() && NULL_IS_UNSET.contains(&self.dialect);
            !unset && !SILENT.iter().any(|silent| silent.is(self.dialect, level, &kind, key, *val))
        };
        val.members().map(member).filter(says).collect()
    }

    fn leads_inward(&self, key: &[u8]) -> bool {
        let named = |list: &[&str]| list.iter().any(|name| name.as_bytes() == key);
        if SPELLED_TWICE.contains(&self.dialect) { !named(FREE) } else { named(INWARD) }
    }

    fn id(&mut self, level: Level, key: &[u8], val: Val<'_>) -> Option<Tie> {
        let (.., tie) = IDS.iter().find(|(of, name, _)| *of == level && name.as_bytes() == key)?;
        let id = val.text().filter(|id| !id.is_empty())?;
        self.ids.push((*tie, id.into()));
        Some(*tie)
    }

    /// The text that a list says, if it holds nothing else.
    fn only_text<'t>(&self, key: &[u8], list: Val<'t>) -> Option<Val<'t>> {
        let fits = |short: &&Short| {
            short.dialect == self.dialect && short.key.as_bytes() == key && short.of_model == self.of_model
        };
        let part = SHORT.iter().find(fits)?.part;
        let only = list.elements().next().filter(|only| list.count() == 1 && only.is_object())?;
        let text = only.get("text").filter(Val::is_string)?;
        let is_text = only.get("type").is_some_and(|kind| kind.is(part));
        (is_text && self.members(only, Level::Part).len() == 2).then_some(text)
    }
}

impl Silent {
    fn is(&self, dialect: &str, level: Level, kind: &[u8], key: &[u8], val: Val<'_>) -> bool {
        self.key.as_bytes() == key
            && self.dialect == dialect
            && self.level == level
            && (self.kinds.is_empty() || self.kinds.iter().any(|own| own.as_bytes() == kind))
            && self.holds.iter().any(|holds| holds.is(val))
    }
}

impl Holds {
    fn is(self, val: Val<'_>) -> bool {
        match self {
            Holds::Null => val.is_null(),
            Holds::EmptyText => val.is(""),
            Holds::EmptyList => val.is_array() && val.count() == 0,
            Holds::False => val.kind() == NodeKind::False,
            Holds::Word(word) => val.is(word),
        }
    }
}

fn mixed(a: u64, b: u64) -> u64 {
    fingerprint_of(&[a.to_le_bytes(), b.to_le_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(dialect: &'static str, a: &str, b: &str) -> bool {
        let (a, b) = (of_item(dialect, a.as_bytes()), of_item(dialect, b.as_bytes()));
        a.hash == b.hash
    }

    #[test]
    fn what_says_nothing_is_left_out() {
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
        let said = of_item("chat", call.as_bytes());
        let other = of_item("chat", call.replace("c1", "x1").as_bytes());
        assert_eq!(said.hash, other.hash);
        assert_eq!(said.ids, [(Tie::Call, (*b"c1").into()), (Tie::Call, (*b"c2").into())]);
        assert_ne!(said.ids, other.ids);
        assert!(!same("chat", call, &call.replace(r#""id":"c1","#, "")));
    }
}
