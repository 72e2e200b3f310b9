//! JSON under construction, as the events of a stream add up to it: strings that grow, members that are set, lists whose
//! elements are named by an index. Strings keep their escapes, so that a pair of surrogates may come in two pieces. Each piece
//! remembers where it came from.

use std::collections::HashMap;

use crate::place::Place;

use super::edit::Base;
use super::provenance::{self, Provenance, Run, Span, Written};
use super::string::decode;
use super::{Member, NodeKind, Val, is_json};

/// Levels of a value that can change after it was set; what lies deeper is kept as text.
const LEVELS: u32 = 5;

/// How members of one object are added to another.
pub struct MergeRules {
    /// Members whose strings grow; of any other string the first that is not empty holds.
    pub grows: &'static [&'static str],
    /// Elements without an index that continue the one before them, if that is of the same type.
    pub parts: &'static [&'static str],
    /// Lists whose elements lose their index.
    pub unindexed: &'static [&'static str],
}

/// A value in the making.
#[derive(Clone)]
pub struct JsonBuilder {
    /// Where it began.
    from: Place,
    what: What,
}

#[derive(Clone)]
enum What {
    /// JSON as it is written.
    Raw {
        json: Vec<u8>,
        /// It is the value at its place; else it was made up.
        copied: bool,
    },
    /// Text of a string with its escapes, and where it came from. With `json` it spells a value.
    Text {
        raw: Vec<u8>,
        runs: Vec<Run>,
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
    pub fn of(val: Val<'_>, base: Base<'_>) -> JsonBuilder {
        JsonBuilder::of_level(val, base, LEVELS)
    }

    fn of_level(val: Val<'_>, base: Base<'_>, levels: u32) -> JsonBuilder {
        let what = match val.kind() {
            NodeKind::Object if levels > 0 => {
                let member = |member: Member<'_>| {
                    (member.key.raw.into(), JsonBuilder::of_level(member.val, base, levels - 1))
                };
                What::Object(val.members().map(member).collect())
            }
            NodeKind::Array if levels > 0 => What::List {
                elements: val.elements().map(|one| JsonBuilder::of_level(one, base, levels - 1)).collect(),
                slots: HashMap::new(),
            },
            NodeKind::String => {
                let mut text = What::text(false);
                text.grow(val, base);
                text
            }
            _ => What::Raw { json: val.raw().to_vec(), copied: true },
        };
        JsonBuilder { from: base.of(val), what }
    }

    /// An object without members.
    pub fn object(from: Place) -> JsonBuilder {
        JsonBuilder { from, what: What::Object(Vec::new()) }
    }

    /// JSON that came from nowhere: it is named by this place.
    pub fn fixed(json: &str, from: Place) -> JsonBuilder {
        JsonBuilder { from, what: What::Raw { json: json.as_bytes().to_vec(), copied: false } }
    }

    /// The member with this key.
    pub fn get(&self, key: &str) -> Option<&JsonBuilder> {
        match &self.what {
            What::Object(members) => members.iter().find(|(own, _)| **own == *key.as_bytes()).map(|(_, val)| val),
            _ => None,
        }
    }

    pub fn at(&self, path: &[&str]) -> Option<&JsonBuilder> {
        path.iter().try_fold(self, |val, key| val.get(key))
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut JsonBuilder> {
        match &mut self.what {
            What::Object(members) => {
                members.iter_mut().find(|(own, _)| **own == *key.as_bytes()).map(|(_, val)| val)
            }
            _ => None,
        }
    }

    /// The elements of a list, else nothing.
    pub fn elements(&self) -> &[JsonBuilder] {
        if let What::List { elements, .. } = &self.what { elements } else { &[] }
    }

    pub fn elements_mut(&mut self) -> &mut [JsonBuilder] {
        if let What::List { elements, .. } = &mut self.what { elements } else { &mut [] }
    }

    /// The element of a list that goes by an index.
    pub fn element(&self, index: u64) -> Option<&JsonBuilder> {
        match &self.what {
            What::List { elements, slots } => elements.get(*slots.get(&index)?),
            _ => None,
        }
    }

    /// Keeps those elements of a list, by their number and the index they go by, that are wanted.
    pub fn retain(&mut self, wanted: impl Fn(usize, Option<u64>, &JsonBuilder) -> bool) {
        if let What::List { elements, slots } = &mut self.what {
            let mut names: Vec<Option<u64>> = vec![None; elements.len()];
            for (name, slot) in slots.drain() {
                names.get_mut(slot).into_iter().for_each(|own| *own = Some(name));
            }
            let mut names = names.into_iter().enumerate();
            elements.retain(|element| names.next().is_some_and(|(number, name)| wanted(number, name, element)));
        }
    }

    pub fn remove(&mut self, key: &str) {
        if let What::Object(members) = &mut self.what {
            members.retain(|(own, _)| **own != *key.as_bytes());
        }
    }

    /// True unless it is null or empty.
    pub fn has_content(&self) -> bool {
        match &self.what {
            What::Raw { json, .. } => !matches!(json.as_slice(), b"null" | b"[]" | b"{}"),
            What::Text { raw, .. } => !raw.is_empty(),
            What::Object(members) => !members.is_empty(),
            What::List { elements, .. } => !elements.is_empty(),
        }
    }

    /// Whether it is this string.
    pub fn is(&self, text: &str) -> bool {
        self.is_raw(text.as_bytes())
    }

    fn is_raw(&self, text: &[u8]) -> bool {
        matches!(&self.what, What::Text { raw, .. } if raw == text)
    }

    /// Whether it is a string that spells a whole value.
    pub fn spells_json(&self) -> bool {
        matches!(&self.what, What::Text { raw, .. } if is_json(&decode(raw)))
    }

    fn is_null(&self) -> bool {
        matches!(&self.what, What::Raw { json, .. } if json == b"null")
    }

    /// The member with this key, null if it was not there. Any other value is replaced by an object.
    pub fn member(&mut self, key: &[u8], from: Place) -> Option<&mut JsonBuilder> {
        if !matches!(self.what, What::Object(_)) {
            *self = JsonBuilder::object(from);
        }
        let What::Object(members) = &mut self.what else { return None };
        let found = members.iter().position(|(own, _)| **own == *key);
        if found.is_none() {
            members.push((key.into(), JsonBuilder::fixed("null", from)));
        }
        let at = found.unwrap_or(members.len() - 1);
        members.get_mut(at).map(|(_, val)| val)
    }

    /// The element that goes by an index, null if it was not there. Any other value is replaced by a list.
    pub fn slot(&mut self, index: u64, from: Place) -> Option<&mut JsonBuilder> {
        let (elements, slots) = self.list(from)?;
        let at = *slots.entry(index).or_insert(elements.len());
        if at == elements.len() {
            elements.push(JsonBuilder::fixed("null", from));
        }
        elements.get_mut(at)
    }

    /// Adds an element to the end of a list.
    pub fn push(&mut self, val: Val<'_>, base: Base<'_>) {
        if let Some((elements, _)) = self.list(base.of(val)) {
            elements.push(JsonBuilder::of(val, base));
        }
    }

    fn list(&mut self, from: Place) -> Option<(&mut Vec<JsonBuilder>, &mut HashMap<u64, usize>)> {
        if !matches!(self.what, What::List { .. }) {
            let what = What::List { elements: Vec::new(), slots: HashMap::new() };
            let before = std::mem::replace(self, JsonBuilder { from, what });
            if let (true, What::List { elements, .. }) = (before.has_content(), &mut self.what) {
                elements.push(before.into_part());
            }
        }
        match &mut self.what {
            What::List { elements, slots } => Some((elements, slots)),
            _ => None,
        }
    }

    /// A text as a part of a list of parts.
    fn into_part(self) -> JsonBuilder {
        let from = self.from;
        let kind = What::Text { raw: b"text".to_vec(), runs: Vec::new(), json: false };
        let kind = JsonBuilder { from, what: kind };
        JsonBuilder { from, what: What::Object(vec![((*b"type").into(), kind), ((*b"text").into(), self)]) }
    }

    /// Adds a string to the text that is there. With `json` the text spells a value.
    pub fn grow(&mut self, val: Val<'_>, base: Base<'_>, json: bool) {
        let Some(piece) = val.as_str() else { return };
        if !matches!(&self.what, What::Text { json: own, .. } if *own == json) {
            // Nothing was said yet: what was there holds.
            if json && piece.is_empty() {
                return;
            }
            let keeps = self.is_null() || json;
            *self = JsonBuilder { from: if keeps { base.of(val) } else { self.from }, what: What::text(json) };
        }
        self.what.grow(val, base);
    }

    /// Adds the members of an object.
    pub fn merge(&mut self, delta: Val<'_>, base: Base<'_>, how: &MergeRules) {
        if delta.is_object() && !matches!(self.what, What::Object(_)) {
            *self = JsonBuilder::object(base.of(delta));
        }
        for member in delta.members() {
            let (val, from) = (member.val, base.of(member.val));
            let key = member.key.raw;
            let grows = how.grows.iter().any(|name| name.as_bytes() == key);
            let is_new = match &self.what {
                What::Object(members) => !members.iter().any(|(own, _)| **own == *key),
                _ => true,
            };
            let Some(slot) = self.member(key, from) else { return };
            match val.kind() {
                // What was there is not taken back.
                NodeKind::Null => {}
                NodeKind::String if grows && matches!(slot.what, What::List { .. }) => slot.grow_last(val, base),
                NodeKind::String if grows => slot.grow(val, base, false),
                NodeKind::String
                    if !is_new && (slot.has_content() || val.as_str().is_some_and(|s| s.is_empty())) => {}
                NodeKind::Array => {
                    let indexed = !how.unindexed.iter().any(|name| name.as_bytes() == key);
                    slot.merge_list(val, base, how, indexed);
                }
                NodeKind::Object if matches!(slot.what, What::Object(_)) => slot.merge(val, base, how),
                _ => *slot = JsonBuilder::of(val, base),
            }
        }
    }

    /// Adds a text to a list of parts.
    fn grow_last(&mut self, val: Val<'_>, base: Base<'_>) {
        if val.as_str().is_none_or(|text| text.is_empty()) {
            return;
        }
        let What::List { elements, .. } = &mut self.what else { return };
        match elements.last_mut().filter(|last| last.get("type").is_some_and(|kind| kind.is("text"))) {
            Some(last) => {
                if let Some(text) = last.get_mut("text") {
                    text.grow(val, base, false);
                }
            }
            None => elements.push(JsonBuilder::of(val, base).into_part()),
        }
    }

    /// Adds the elements of a list: to those that go by the same index, to the last one if they go on with it, else to
    /// the end.
    fn merge_list(&mut self, list: Val<'_>, base: Base<'_>, how: &MergeRules, indexed: bool) {
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
                Some(_) => !begins_call(before, element),
                None => goes_on(before, element, how),
            };
            let at = known.filter(|at| elements.get(*at).is_some_and(fits)).unwrap_or(elements.len());
            if at == elements.len() {
                elements.push(JsonBuilder { from, what: What::Object(Vec::new()) });
                slots.extend(index.map(|index| (index, at)));
            }
            let Some(slot) = elements.get_mut(at) else { return };
            if !element.is_object() {
                *slot = JsonBuilder::of(element, base);
                continue;
            }
            slot.merge(element, base, how);
            if !indexed {
                slot.remove("index");
            }
        }
    }

    /// Appends the value as JSON.
    pub fn write(&self, out: &mut Written) {
        let begin = |out: &mut Written| {
            let at = out.text.len() as u64;
            out.spans.push(Span { at, from: self.from, provenance: Provenance::Named });
        };
        match &self.what {
            What::Raw { json, copied } => {
                // A value of a record that was put together itself may not be in the document as it is here.
                let provenance = match (copied, json.len() == self.from.len as usize) {
                    (true, true) => Provenance::Copied,
                    (true, false) => Provenance::Respelled,
                    (false, _) => Provenance::Named,
                };
                out.spans.push(Span { at: out.text.len() as u64, from: self.from, provenance });
                out.text.extend_from_slice(json);
            }
            What::Text { raw, runs, json } => {
                begin(out);
                if *json && is_json(&decode(raw)) {
                    return provenance::decode(raw, runs, &mut out.text, &mut out.spans);
                }
                out.text.push(b'"');
                let start = out.text.len() as u64;
                let span =
                    |run: &Run| Span { at: start + u64::from(run.at), from: run.from, provenance: run.provenance };
                out.spans.extend(runs.iter().map(span));
                out.text.extend_from_slice(raw);
                out.text.push(b'"');
            }
            What::Object(members) => {
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
            What::List { elements, .. } => {
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

impl What {
    fn text(json: bool) -> What {
        What::Text { raw: Vec::new(), runs: Vec::new(), json }
    }

    fn grow(&mut self, val: Val<'_>, base: Base<'_>) {
        if let (What::Text { raw, runs, .. }, Some(piece)) = (self, val.as_str())
            && !piece.is_empty()
        {
            let from = base.place(val.start() + 1, val.end() - 1);
            let at = u32::try_from(raw.len()).unwrap_or(u32::MAX);
            runs.push(Run { at, from, provenance: Provenance::Copied });
            raw.extend_from_slice(piece.raw);
        }
    }
}

/// Whether a call is another one than the one that goes by its index: some servers give all of them the same.
fn begins_call(before: &JsonBuilder, element: Val<'_>) -> bool {
    let id = element.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty());
    let named =
        element.at(&["function", "name"]).and_then(|name| name.text()).is_some_and(|name| !name.is_empty());
    let other = |own: &JsonBuilder| own.has_content() && id.as_deref().is_some_and(|id| !own.is_raw(id));
    named && before.get("id").is_some_and(other)
}

/// Whether an element without an index goes on with the one before it.
fn goes_on(before: &JsonBuilder, element: Val<'_>, how: &MergeRules) -> bool {
    let kind = element.get("type").and_then(|kind| kind.text());
    if kind.as_deref().is_some_and(|kind| how.parts.iter().any(|part| part.as_bytes() == kind)) {
        let own = before.get("type");
        return own.is_some_and(|own| kind.as_deref().is_some_and(|kind| own.is_raw(kind)));
    }
    let has = |path: &[&str]| element.at(path).and_then(|val| val.text()).is_some_and(|text| !text.is_empty());
    let id = element.get("id").and_then(|id| id.text()).filter(|id| !id.is_empty());
    let same = id.is_some_and(|id| before.get("id").is_some_and(|own| own.is_raw(&id)));
    before.get("function").is_some() && (same || !has(&["id"]) && !has(&["function", "name"]))
}
