//! JSON under construction, merged from the events of a stream: strings that grow, members that are set, lists
//! whose elements are addressed by an index. Strings keep their escapes, so that a surrogate pair may arrive in
//! two pieces. Each piece records where it came from.

use foldhash::HashMap;

use crate::place::Place;

use super::edit::RecordBase;
use super::provenance::{self, Provenance, ProvenanceRun, ProvenanceSpan, TracedText};
use super::string::decode;
use super::{Member, NodeKind, Val, is_json};

/// Levels of a value that can change after it was set; deeper ones are kept as text.
const LEVELS: u32 = 5;

/// The members of a part that is only a text.
const PLAIN_TEXT: [&str; 2] = ["text", "thought"];

/// Rules for merging the members of one object into another.
pub struct MergeRules {
    /// Members whose strings are concatenated; of any other string the first non-empty one is kept.
    pub grows: &'static [&'static str],
    /// Elements without an index that continue the one before them, if that is of the same type.
    pub parts: &'static [&'static str],
    /// Lists whose elements lose their index.
    pub unindexed: &'static [&'static str],
}

/// A JSON value under construction.
#[derive(Clone)]
pub struct JsonBuilder {
    /// The place of its first event.
    from: Place,
    node: JsonNode,
}

#[derive(Clone)]
enum JsonNode {
    /// JSON text.
    Raw {
        json: Vec<u8>,
        /// True if it is a copy of the value at its place; else it is synthetic.
        copied: bool,
    },
    /// The text of a string with its escapes, and where it came from. With `json` the text is itself JSON.
    Text {
        raw: Vec<u8>,
        runs: Vec<ProvenanceRun>,
        json: bool,
    },
    Object(Vec<(Box<[u8]>, JsonBuilder)>),
    List {
        elements: Vec<JsonBuilder>,
        slots: HashMap<u64, usize>,
    },
}

impl JsonBuilder {
    /// A copy of a value.
    pub fn of(val: Val<'_>, base: RecordBase<'_>) -> JsonBuilder {
        JsonBuilder::from_val(val, base, LEVELS)
    }

    fn from_val(val: Val<'_>, base: RecordBase<'_>, levels: u32) -> JsonBuilder {
        let node = match val.kind() {
            NodeKind::Object if levels > 0 => {
                let member = |member: Member<'_>| {
                    (member.key.raw.into(), JsonBuilder::from_val(member.val, base, levels - 1))
                };
                JsonNode::Object(val.members().map(member).collect())
            }
            NodeKind::Array if levels > 0 => JsonNode::List {
                elements: val.elements().map(|one| JsonBuilder::from_val(one, base, levels - 1)).collect(),
                slots: HashMap::default(),
            },
            NodeKind::String => {
                let mut text = JsonNode::text(false);
                text.append_text(val, base);
                text
            }
            _ => JsonNode::Raw { json: val.raw().to_vec(), copied: true },
        };
        JsonBuilder { from: base.of(val), node }
    }

    /// An object without members.
    pub fn object(from: Place) -> JsonBuilder {
        JsonBuilder { from, node: JsonNode::Object(Vec::new()) }
    }

    /// A JSON constant that is attributed to this place.
    pub fn constant(json: &str, from: Place) -> JsonBuilder {
        JsonBuilder { from, node: JsonNode::Raw { json: json.as_bytes().to_vec(), copied: false } }
    }

    /// The member with this key.
    pub fn get(&self, key: &str) -> Option<&JsonBuilder> {
        match &self.node {
            JsonNode::Object(members) => {
                members.iter().find(|(own, _)| **own == *key.as_bytes()).map(|(_, val)| val)
            }
            _ => None,
        }
    }

    pub fn at(&self, path: &[&str]) -> Option<&JsonBuilder> {
        path.iter().try_fold(self, |val, key| val.get(key))
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut JsonBuilder> {
        match &mut self.node {
            JsonNode::Object(members) => {
                members.iter_mut().find(|(own, _)| **own == *key.as_bytes()).map(|(_, val)| val)
            }
            _ => None,
        }
    }

    /// The elements of a list, else nothing.
    pub fn elements(&self) -> &[JsonBuilder] {
        if let JsonNode::List { elements, .. } = &self.node { elements } else { &[] }
    }

    pub fn elements_mut(&mut self) -> &mut [JsonBuilder] {
        if let JsonNode::List { elements, .. } = &mut self.node { elements } else { &mut [] }
    }

    /// The element of a list with this index.
    pub fn element(&self, index: u64) -> Option<&JsonBuilder> {
        match &self.node {
            JsonNode::List { elements, slots } => elements.get(*slots.get(&index)?),
            _ => None,
        }
    }

    /// Retains the elements of a list for which `wanted` (position, index, element) is true.
    pub fn retain(&mut self, wanted: impl Fn(usize, Option<u64>, &JsonBuilder) -> bool) {
        if let JsonNode::List { elements, slots } = &mut self.node {
            let mut names: Vec<Option<u64>> = vec![None; elements.len()];
            for (name, slot) in slots.drain() {
                names.get_mut(slot).into_iter().for_each(|own| *own = Some(name));
            }
            let mut names = names.into_iter().enumerate();
            elements.retain(|element| names.next().is_some_and(|(number, name)| wanted(number, name, element)));
        }
    }

    pub fn remove(&mut self, key: &str) {
        if let JsonNode::Object(members) = &mut self.node {
            members.retain(|(own, _)| **own != *key.as_bytes());
        }
    }

    /// True unless it is null or empty.
    pub fn has_content(&self) -> bool {
        match &self.node {
            JsonNode::Raw { json, .. } => !matches!(json.as_slice(), b"null" | b"[]" | b"{}"),
            JsonNode::Text { raw, .. } => !raw.is_empty(),
            JsonNode::Object(members) => !members.is_empty(),
            JsonNode::List { elements, .. } => !elements.is_empty(),
        }
    }

    /// True if it is this string.
    pub fn is(&self, text: &str) -> bool {
        self.is_raw(text.as_bytes())
    }

    fn is_raw(&self, text: &[u8]) -> bool {
        matches!(&self.node, JsonNode::Text { raw, .. } if raw == text)
    }

    /// True if it is a string that contains a whole JSON value.
    pub fn is_json_text(&self) -> bool {
        matches!(&self.node, JsonNode::Text { raw, .. } if is_json(&decode(raw)))
    }

    pub fn is_null(&self) -> bool {
        self.is_literal(b"null")
    }

    fn is_literal(&self, literal: &[u8]) -> bool {
        matches!(&self.node, JsonNode::Raw { json, .. } if json == literal)
    }

    /// The member with this key, inserted as null if missing. A value that is not an object is replaced by one.
    pub fn member_or_insert(&mut self, key: &[u8], from: Place) -> Option<&mut JsonBuilder> {
        if !matches!(self.node, JsonNode::Object(_)) {
            *self = JsonBuilder::object(from);
        }
        let JsonNode::Object(members) = &mut self.node else { return None };
        let found = members.iter().position(|(own, _)| **own == *key);
        if found.is_none() {
            members.push((key.into(), JsonBuilder::constant("null", from)));
        }
        let at = found.unwrap_or(members.len() - 1);
        members.get_mut(at).map(|(_, val)| val)
    }

    /// The element with this index, inserted as null if missing. A value that is not a list is replaced by one.
    pub fn element_or_insert(&mut self, index: u64, from: Place) -> Option<&mut JsonBuilder> {
        let (elements, slots) = self.list(from)?;
        let at = *slots.entry(index).or_insert(elements.len());
        if at == elements.len() {
            elements.push(JsonBuilder::constant("null", from));
        }
        elements.get_mut(at)
    }

    /// Adds an element to the end of a list.
    pub fn push(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        if let Some((elements, _)) = self.list(base.of(val)) {
            elements.push(JsonBuilder::of(val, base));
        }
    }

    /// Appends a part to a list of parts. A plain text continues the text before it; one with a signature stays a part by itself,
    /// as the signature covers it.
    pub fn append_part(&mut self, part: Val<'_>, base: RecordBase<'_>) {
        let plain = part.members().all(|member| PLAIN_TEXT.iter().any(|key| key.as_bytes() == member.key.raw));
        let text = part.get("text").filter(|text| plain && text.is_string());
        let Some((elements, _)) = self.list(base.of(part)) else { return };
        match (text, elements.last_mut().and_then(|last| last.plain_text(part.get("thought")))) {
            (Some(text), Some(before)) => before.append_text(text, base, false),
            (Some(text), None) if text.as_str().is_some_and(|text| text.is_empty()) => {}
            _ => elements.push(JsonBuilder::of(part, base)),
        }
    }

    /// The text of a part that is only a text, and a thought as `thought` says.
    fn plain_text(&mut self, thought: Option<Val<'_>>) -> Option<&mut JsonBuilder> {
        let JsonNode::Object(members) = &self.node else { return None };
        let plain = members.iter().all(|(key, _)| PLAIN_TEXT.iter().any(|name| name.as_bytes() == &**key));
        let is_thought = self.get("thought").is_some_and(|own| own.is_literal(b"true"));
        let same = is_thought == (thought.and_then(|val| val.as_bool()) == Some(true));
        self.get_mut("text").filter(|text| plain && same && matches!(text.node, JsonNode::Text { .. }))
    }

    fn list(&mut self, from: Place) -> Option<(&mut Vec<JsonBuilder>, &mut HashMap<u64, usize>)> {
        if !matches!(self.node, JsonNode::List { .. }) {
            let node = JsonNode::List { elements: Vec::new(), slots: HashMap::default() };
            let before = std::mem::replace(self, JsonBuilder { from, node });
            if let (true, JsonNode::List { elements, .. }) = (before.has_content(), &mut self.node) {
                elements.push(before.into_part());
            }
        }
        match &mut self.node {
            JsonNode::List { elements, slots } => Some((elements, slots)),
            _ => None,
        }
    }

    /// A text as a part of a list of parts.
    fn into_part(self) -> JsonBuilder {
        let from = self.from;
        let kind = JsonNode::Text { raw: b"text".to_vec(), runs: Vec::new(), json: false };
        let kind = JsonBuilder { from, node: kind };
        JsonBuilder { from, node: JsonNode::Object(vec![((*b"type").into(), kind), ((*b"text").into(), self)]) }
    }

    /// Appends a string to the text. With `json` the text is itself JSON.
    pub fn append_text(&mut self, val: Val<'_>, base: RecordBase<'_>, json: bool) {
        let Some(piece) = val.as_str() else { return };
        if !matches!(&self.node, JsonNode::Text { json: own, .. } if *own == json) {
            // Nothing was received yet: the old value remains.
            if json && piece.is_empty() {
                return;
            }
            let keeps = self.is_null() || json;
            *self = JsonBuilder { from: if keeps { base.of(val) } else { self.from }, node: JsonNode::text(json) };
        }
        self.node.append_text(val, base);
    }

    /// Adds the members of an object.
    pub fn merge(&mut self, delta: Val<'_>, base: RecordBase<'_>, rules: &MergeRules) {
        if delta.is_object() && !matches!(self.node, JsonNode::Object(_)) {
            *self = JsonBuilder::object(base.of(delta));
        }
        for member in delta.members() {
            let (val, from) = (member.val, base.of(member.val));
            let key = member.key.raw;
            let grows = rules.grows.iter().any(|name| name.as_bytes() == key);
            let is_new = match &self.node {
                JsonNode::Object(members) => !members.iter().any(|(own, _)| **own == *key),
                _ => true,
            };
            let Some(slot) = self.member_or_insert(key, from) else { return };
            match val.kind() {
                // Null does not remove a value.
                NodeKind::Null => {}
                NodeKind::String if grows && matches!(slot.node, JsonNode::List { .. }) => {
                    slot.append_to_last_part(val, base)
                }
                NodeKind::String if grows => slot.append_text(val, base, false),
                NodeKind::String
                    if !is_new && (slot.has_content() || val.as_str().is_some_and(|s| s.is_empty())) => {}
                NodeKind::Array => {
                    let indexed = !rules.unindexed.iter().any(|name| name.as_bytes() == key);
                    slot.merge_list(val, base, rules, indexed);
                }
                NodeKind::Object if matches!(slot.node, JsonNode::Object(_)) => slot.merge(val, base, rules),
                _ => *slot = JsonBuilder::of(val, base),
            }
        }
    }

    /// Adds a text to a list of parts.
    fn append_to_last_part(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        if val.as_str().is_none_or(|text| text.is_empty()) {
            return;
        }
        let JsonNode::List { elements, .. } = &mut self.node else { return };
        match elements.last_mut().filter(|last| last.get("type").is_some_and(|kind| kind.is("text"))) {
            Some(last) => {
                if let Some(text) = last.get_mut("text") {
                    text.append_text(val, base, false);
                }
            }
            None => elements.push(JsonBuilder::of(val, base).into_part()),
        }
    }

    /// Adds the elements of a list: to those with the same index, to the last one if they continue it, else to the
    /// end.
    fn merge_list(&mut self, list: Val<'_>, base: RecordBase<'_>, rules: &MergeRules, indexed: bool) {
        if self.is_null() && list.count() == 0 {
            *self = JsonBuilder::of(list, base);
        }
        for element in list.elements() {
            let from = base.of(element);
            let Some((elements, slots)) = self.list(from) else { return };
            let index = element.get("index").and_then(|index| index.as_u64());
            let known = match index {
                Some(index) => slots.get(&index).copied(),
                None => elements.len().checked_sub(1),
            };
            let fits = |before: &JsonBuilder| match index {
                Some(_) => !starts_new_call(before, element),
                None => continues_previous(before, element, rules),
            };
            let at = known.filter(|at| elements.get(*at).is_some_and(fits)).unwrap_or(elements.len());
            if at == elements.len() {
                elements.push(JsonBuilder { from, node: JsonNode::Object(Vec::new()) });
                slots.extend(index.map(|index| (index, at)));
            }
            let Some(slot) = elements.get_mut(at) else { return };
            if !element.is_object() {
                *slot = JsonBuilder::of(element, base);
                continue;
            }
            slot.merge(element, base, rules);
            if !indexed {
                slot.remove("index");
            }
        }
    }

    /// Appends the value as JSON.
    pub fn write(&self, out: &mut TracedText) {
        let begin = |out: &mut TracedText| {
            let at = out.text.len() as u64;
            out.spans.push(ProvenanceSpan { at, from: self.from, provenance: Provenance::Named });
        };
        match &self.node {
            JsonNode::Raw { json, copied } => {
                // A value of a record that was itself assembled may have another text in the document.
                let provenance = match (copied, json.len() == self.from.len as usize) {
                    (true, true) => Provenance::Copied,
                    (true, false) => Provenance::Respelled,
                    (false, _) => Provenance::Named,
                };
                out.spans.push(ProvenanceSpan { at: out.text.len() as u64, from: self.from, provenance });
                out.text.extend_from_slice(json);
            }
            JsonNode::Text { raw, runs, json } => {
                begin(out);
                if *json && is_json(&decode(raw)) {
                    return provenance::decode(raw, runs, &mut out.text, &mut out.spans);
                }
                out.text.push(b'"');
                let start = out.text.len() as u64;
                let span = |run: &ProvenanceRun| ProvenanceSpan {
                    at: start + u64::from(run.at),
                    from: run.from,
                    provenance: run.provenance,
                };
                out.spans.extend(runs.iter().map(span));
                out.text.extend_from_slice(raw);
                out.text.push(b'"');
            }
            JsonNode::Object(members) => {
                begin(out);
                out.text.push(b'{');
                for (n, (key, val)) in members.iter().enumerate() {
                    out.text.extend_from_slice(if n > 0 { b",\"" } else { b"\"" });
                    out.text.extend_from_slice(key);
                    out.text.extend_from_slice(b"\":");
                    val.write(out);
                }
                out.text.push(b'}');
            }
            JsonNode::List { elements, .. } => {
                begin(out);
                out.text.push(b'[');
                for (n, element) in elements.iter().enumerate() {
                    out.text.extend_from_slice(if n > 0 { b"," } else { b"" });
                    element.write(out);
                }
                out.text.push(b']');
            }
        }
    }
}

impl JsonNode {
    fn text(json: bool) -> JsonNode {
        JsonNode::Text { raw: Vec::new(), runs: Vec::new(), json }
    }

    fn append_text(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        if let (JsonNode::Text { raw, runs, .. }, Some(piece)) = (self, val.as_str())
            && !piece.is_empty()
        {
            let from = base.place(val.start() + 1, val.end() - 1);
            let at = u32::try_from(raw.len()).unwrap_or(u32::MAX);
            runs.push(ProvenanceRun { at, from, provenance: Provenance::Copied });
            raw.extend_from_slice(piece.raw);
        }
    }
}

/// True if a call is not the one with its index: some servers give all calls the same index.
fn starts_new_call(before: &JsonBuilder, element: Val<'_>) -> bool {
    let id = element.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty());
    let named =
        element.at(&["function", "name"]).and_then(|name| name.text()).is_some_and(|name| !name.is_empty());
    let other = |own: &JsonBuilder| own.has_content() && id.as_deref().is_some_and(|id| !own.is_raw(id));
    named && before.get("id").is_some_and(other)
}

/// True if an element without an index continues the one before it.
fn continues_previous(before: &JsonBuilder, element: Val<'_>, rules: &MergeRules) -> bool {
    let kind = element.get("type").and_then(|kind| kind.text());
    if kind.as_deref().is_some_and(|kind| rules.parts.iter().any(|part| part.as_bytes() == kind)) {
        let own = before.get("type");
        return own.is_some_and(|own| kind.as_deref().is_some_and(|kind| own.is_raw(kind)));
    }
    let has = |path: &[&str]| element.at(path).and_then(|val| val.text()).is_some_and(|text| !text.is_empty());
    let id = element.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty());
    let same = id.is_some_and(|id| before.get("id").is_some_and(|own| own.is_raw(&id)));
    before.get("function").is_some() && (same || !has(&["id"]) && !has(&["function", "name"]))
}
