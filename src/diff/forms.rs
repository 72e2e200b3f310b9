//! The equivalent forms of one item, read by the tables of [`super::equivalence`]: which members count, which lists are text,
//! and which texts are JSON.

use std::borrow::Cow;

use crate::json::{NodeKind, Val};

use super::equivalence::{
    CACHE_MARKS, DefaultValue, FREE_FORM_MEMBERS, JSON_TEXTS, JsonText, MemberLevel, NESTED_MEMBERS,
    NULL_IS_UNSET, SILENT_MEMBERS, STORED_MEMBERS, SilentMember, TEXT_LISTS, TWO_SPELLINGS, TextList,
    camel_case_key,
};

/// What two forms are compared for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Purpose {
    /// What they mean to a model and to its API.
    #[default]
    Meaning,
    /// The prompt that a provider makes of them: marks of its cache do not count, the order of keys in arguments does.
    Prompt,
}

/// The dialect of an item and its author, which determine the forms.
#[derive(Clone, Copy, Debug)]
pub struct Forms {
    pub dialect: &'static str,
    pub of_model: bool,
    pub purpose: Purpose,
}

/// An element of a list of parts, with its index. Texts that follow each other are one element.
#[derive(Debug)]
pub enum ListPart<'t> {
    Text { at: usize, text: Cow<'t, [u8]> },
    Other { at: usize, val: Val<'t> },
}

/// A member by its normalised name.
pub type NamedMember<'t> = (Cow<'t, [u8]>, Val<'t>);

impl Forms {
    pub fn new(dialect: &'static str) -> Self {
        Forms { dialect, of_model: false, purpose: Purpose::Meaning }
    }

    pub fn of_item(dialect: &'static str, item: Val<'_>) -> Self {
        let role = item.get("role").and_then(|role| role.text()).unwrap_or_default();
        Forms { of_model: matches!(&*role, b"assistant" | b"model"), ..Forms::new(dialect) }
    }

    /// The members of an item or part with a meaning.
    pub fn members<'t>(self, val: Val<'t>, level: MemberLevel) -> Vec<NamedMember<'t>> {
        let mut kind = val.get("type").and_then(|kind| kind.text()).unwrap_or_default();
        if level == MemberLevel::Item && kind.is_empty() && val.get("role").is_some() {
            kind = Cow::Borrowed(b"message");
        }
        let two = TWO_SPELLINGS.contains(&self.dialect);
        let member = |member: crate::json::Member<'t>| {
            let key = member.key.decode();
            let key = if two { Cow::Owned(camel_case_key(self.dialect, &key)) } else { key };
            (key, member.val)
        };
        let has_meaning = |(key, val): &NamedMember<'t>| {
            let unset = val.is_null() && NULL_IS_UNSET.contains(&self.dialect);
            let named = |names: &[&str]| names.iter().any(|name| name.as_bytes() == &**key);
            let is_outside = self.purpose == Purpose::Prompt
                && (named(CACHE_MARKS) || level == MemberLevel::Item && named(STORED_MEMBERS));
            !unset
                && !is_outside
                && !SILENT_MEMBERS.iter().any(|silent| silent.is(self.dialect, level, &kind, key, *val))
        };
        val.members().map(member).filter(has_meaning).collect()
    }

    /// True for a member with a list of parts, or with the object in a part.
    pub fn is_nested(self, key: &[u8]) -> bool {
        let named = |list: &[&str]| list.iter().any(|name| name.as_bytes() == key);
        if TWO_SPELLINGS.contains(&self.dialect) { !named(FREE_FORM_MEMBERS) } else { named(NESTED_MEMBERS) }
    }

    /// The parts of a list.
    pub fn list_parts<'t>(self, key: &[u8], list: Val<'t>) -> Vec<ListPart<'t>> {
        let texts = self.text_list(key);
        let mut parts: Vec<ListPart<'t>> = Vec::with_capacity(list.count() as usize);
        for (at, val) in list.elements().enumerate() {
            if self.purpose == Purpose::Prompt
                && CACHE_MARKS.iter().any(|mark| val.get(*mark).is_some())
                && val.count() == 1
            {
                continue;
            }
            let own = texts.and_then(|texts| self.plain_text(texts, val));
            match (own, parts.last_mut()) {
                (Some(own), Some(ListPart::Text { text, .. })) => text.to_mut().extend_from_slice(&own),
                (Some(text), _) => parts.push(ListPart::Text { at, text }),
                (None, _) => parts.push(ListPart::Other { at, val }),
            }
        }
        parts
    }

    /// The parts of a member with texts, which may be one text instead of a list; `None` for other members and values.
    pub fn text_parts<'t>(self, key: &[u8], val: Val<'t>) -> Option<Vec<ListPart<'t>>> {
        self.text_list(key)?;
        match val.kind() {
            NodeKind::String => Some(vec![ListPart::Text { at: 0, text: val.text()? }]),
            NodeKind::Array => Some(self.list_parts(key, val)),
            _ => None,
        }
    }

    /// The text of a member of an object that is JSON, if it is an object or a list.
    pub fn json_text<'t>(self, object: Val<'_>, key: &[u8], val: Val<'t>) -> Option<Cow<'t, [u8]>> {
        let is = |json: &&JsonText| {
            let holds = |(name, value): (&str, &str)| object.get(name).is_some_and(|own| own.is(value));
            json.dialect == self.dialect && json.key.as_bytes() == key && json.beside.is_none_or(holds)
        };
        JSON_TEXTS.iter().find(is).filter(|_| self.purpose == Purpose::Meaning)?;
        let text = match self.text_parts(key, val) {
            Some(parts) => match (parts.len(), parts.into_iter().next()?) {
                (1, ListPart::Text { text, .. }) => text,
                _ => return None,
            },
            None => val.text()?,
        };
        matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')).then_some(text)
    }

    fn text_list(self, key: &[u8]) -> Option<&'static TextList> {
        TEXT_LISTS.iter().find(|list| {
            list.dialect == self.dialect && list.key.as_bytes() == key && list.of_model == self.of_model
        })
    }

    /// The text of a part that contains nothing else.
    fn plain_text<'t>(self, list: &TextList, part: Val<'t>) -> Option<Cow<'t, [u8]>> {
        if !part.is_object() {
            return None;
        }
        let text = part.get("text").and_then(|text| text.text())?;
        let (is_text, members) = match list.part {
            "" => (true, 1),
            kind => (part.get("type").is_some_and(|own| own.is(kind)), 2),
        };
        (is_text && self.members(part, MemberLevel::Part).len() == members).then_some(text)
    }
}

impl SilentMember {
    fn is(&self, dialect: &str, level: MemberLevel, kind: &[u8], key: &[u8], val: Val<'_>) -> bool {
        self.key.as_bytes() == key
            && self.dialect == dialect
            && self.level == level
            && (self.kinds.is_empty() || self.kinds.iter().any(|own| own.as_bytes() == kind))
            && self.values.iter().any(|holds| holds.is(val))
    }
}

impl DefaultValue {
    fn is(self, val: Val<'_>) -> bool {
        match self {
            DefaultValue::Null => val.is_null(),
            DefaultValue::EmptyText => val.is(""),
            DefaultValue::EmptyList => val.is_array() && val.count() == 0,
            DefaultValue::False => val.kind() == NodeKind::False,
            DefaultValue::Word(word) => val.is(word),
        }
    }
}
