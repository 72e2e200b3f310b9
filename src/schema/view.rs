//! Our tape as `jsonschema` sees it: values are looked at where they stand in the text, and no tree is built of them.

use std::borrow::Cow;
use std::collections::HashSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp, unique};
use serde_json::{Number, Value};

use crate::json::string::characters;
use crate::json::tape::Elements;
use crate::json::{NodeKind, Str, Val};

/// JSON as it lies on a tape.
pub struct TapeJson;

/// A value on the tape, or a text that the validator made of a key.
#[derive(Clone, Copy)]
pub enum Seen<'a> {
    Val(Val<'a>),
    Key(&'a str),
}

impl Json for TapeJson {
    type Node<'a> = Seen<'a>;
    type PreparedKey = String;
    type StringBuffer = String;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut String, string: &str, f: impl FnOnce(Seen<'_>) -> T) -> T {
        string.clone_into(buffer);
        f(Seen::Key(buffer))
    }
}

impl<'a> Seen<'a> {
    fn val(self, kind: NodeKind) -> Option<Val<'a>> {
        match self {
            Seen::Val(val) if val.kind() == kind => Some(val),
            _ => None,
        }
    }
}

impl<'a> Node<'a, TapeJson> for Seen<'a> {
    type Object = Fields<'a>;
    type Array = List<'a>;
    type Number = Digits<'a>;

    fn as_object(&self) -> Option<Fields<'a>> {
        self.val(NodeKind::Object).map(Fields)
    }

    fn as_array(&self) -> Option<List<'a>> {
        self.val(NodeKind::Array).map(List)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Seen::Val(val) => val.as_str().map(text),
            Seen::Key(key) => Some(Cow::Borrowed(key)),
        }
    }

    fn as_number(&self) -> Option<Digits<'a>> {
        self.val(NodeKind::Number).map(|val| Digits(val.raw()))
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            Seen::Val(val) => val.as_bool(),
            Seen::Key(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        self.val(NodeKind::Null).is_some()
    }

    fn is_number(&self) -> bool {
        self.val(NodeKind::Number).is_some()
    }

    fn json_type(&self) -> JsonType {
        let Seen::Val(val) = self else { return JsonType::String };
        match val.kind() {
            NodeKind::Object => JsonType::Object,
            NodeKind::Array => JsonType::Array,
            NodeKind::String => JsonType::String,
            NodeKind::Number => JsonType::Number,
            NodeKind::True | NodeKind::False => JsonType::Boolean,
            NodeKind::Null => JsonType::Null,
        }
    }

    fn string_length(&self) -> Option<u64> {
        match self {
            Seen::Val(val) => val.as_str().map(|text| text.characters() as u64),
            Seen::Key(key) => Some(characters(key.as_bytes()) as u64),
        }
    }

    /// Scalars are compared where they stand; only a list or an object in a schema's `enum` costs a tree.
    fn equals_value(&self, expected: &Value) -> bool {
        match expected {
            Value::Null => self.is_null(),
            Value::Bool(expected) => self.as_boolean() == Some(*expected),
            Value::String(expected) => self.as_string().is_some_and(|text| text == expected.as_str()),
            Value::Number(expected) => self.as_number().is_some_and(|digits| digits.equals(expected)),
            Value::Array(_) | Value::Object(_) => match self {
                Seen::Val(val) => cmp::equal(&tree(*val), expected),
                Seen::Key(_) => false,
            },
        }
    }

    /// The validator asks for this to say what is wrong with a value. What is said here is its place and its type, so
    /// no content ever gets into an error.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Value::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let start = match self {
            Seen::Val(val) => val.raw().as_ptr(),
            Seen::Key(key) => key.as_ptr(),
        };
        Some(NodeIdentity::new(start as usize))
    }
}

/// A value as a tree. What no tree can hold equals nothing that a schema can say.
fn tree(val: Val<'_>) -> Value {
    serde_json::from_slice(val.raw()).unwrap_or(Value::Null)
}

fn text(text: Str<'_>) -> Cow<'_, str> {
    match text.decode() {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The members of an object; of a key that occurs twice the later one holds, as in any parser into a map.
pub struct Fields<'a>(Val<'a>);

impl<'a> Object<'a, TapeJson> for Fields<'a> {
    type Node = Seen<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = std::vec::IntoIter<(Cow<'a, str>, Seen<'a>)>;

    fn len(&self) -> usize {
        self.0.count() as usize
    }

    fn get(&self, key: &String) -> Option<Seen<'a>> {
        self.0.get(&**key).map(Seen::Val)
    }

    fn members(&self) -> Self::MembersIter {
        let mut members: Vec<_> =
            self.0.members().map(|member| (text(member.key), Seen::Val(member.val))).collect();
        let mut seen = HashSet::new();
        let mut last: Vec<bool> = members.iter().rev().map(|(key, _)| seen.insert(key.clone())).collect();
        members.retain(|_| last.pop().unwrap_or(true));
        members.into_iter()
    }
}

pub struct List<'a>(Val<'a>);

impl<'a> Array<'a, TapeJson> for List<'a> {
    type Node = Seen<'a>;
    type ElementsIter = std::iter::Map<Elements<'a>, fn(Val<'a>) -> Seen<'a>>;

    fn len(&self) -> usize {
        self.0.count() as usize
    }

    fn elements(&self) -> Self::ElementsIter {
        self.0.elements().map(Seen::Val as fn(Val<'a>) -> Seen<'a>)
    }

    fn is_unique(&self) -> bool {
        let trees: Vec<Cow<'_, Value>> = self.0.elements().map(|val| Cow::Owned(tree(val))).collect();
        unique::is_unique(&trees)
    }
}

/// A number as it is written.
pub struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn parse<T: std::str::FromStr>(&self) -> Option<T> {
        std::str::from_utf8(self.0).ok().and_then(|digits| digits.parse().ok())
    }

    fn equals(&self, expected: &Number) -> bool {
        match (expected.as_u64(), expected.as_i64(), expected.as_f64()) {
            (Some(expected), ..) if self.as_u64().is_some() => self.as_u64() == Some(expected),
            (_, Some(expected), _) if self.as_i64().is_some() => self.as_i64() == Some(expected),
            (.., Some(expected)) => self.as_f64() == Some(expected),
            _ => false,
        }
    }
}

impl JsonNumber for Digits<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.parse()
    }

    fn as_i64(&self) -> Option<i64> {
        self.parse()
    }

    fn as_f64(&self) -> Option<f64> {
        self.parse()
    }

    fn as_str(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.0)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(serde_json::from_slice(self.0).unwrap_or_else(|_| Number::from(0)))
    }

    fn is_integer(&self) -> bool {
        is_integer(self.0)
    }
}

/// Whether a number is a whole one: `1`, `1.0` and `1e2` are.
pub fn is_integer(digits: &[u8]) -> bool {
    let plain = !digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    plain || Digits(digits).as_f64().is_some_and(|number| number.fract() == 0.0)
}
