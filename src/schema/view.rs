//! The tape as a JSON representation for `jsonschema`: values are read in place, without building a tree.

use std::borrow::Cow;

use foldhash::HashSet;
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp, unique};
use serde_json::{Number, Value};

use crate::json::string::characters;
use crate::json::tape::Elements;
use crate::json::{NodeKind, Str, Val};

/// JSON on a tape.
pub struct TapeJson;

/// A value on the tape, or a string that the validator made from a key.
#[derive(Clone, Copy)]
pub enum NodeView<'a> {
    Val(Val<'a>),
    Key(&'a str),
}

impl Json for TapeJson {
    type Node<'a> = NodeView<'a>;
    type PreparedKey = String;
    type StringBuffer = String;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut String, string: &str, f: impl FnOnce(NodeView<'_>) -> T) -> T {
        string.clone_into(buffer);
        f(NodeView::Key(buffer))
    }
}

impl<'a> NodeView<'a> {
    fn val(self, kind: NodeKind) -> Option<Val<'a>> {
        match self {
            NodeView::Val(val) if val.kind() == kind => Some(val),
            _ => None,
        }
    }
}

impl<'a> Node<'a, TapeJson> for NodeView<'a> {
    type Object = ObjectView<'a>;
    type Array = ArrayView<'a>;
    type Number = NumberView<'a>;

    fn as_object(&self) -> Option<ObjectView<'a>> {
        self.val(NodeKind::Object).map(ObjectView)
    }

    fn as_array(&self) -> Option<ArrayView<'a>> {
        self.val(NodeKind::Array).map(ArrayView)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            NodeView::Val(val) => val.as_str().map(text),
            NodeView::Key(key) => Some(Cow::Borrowed(key)),
        }
    }

    fn as_number(&self) -> Option<NumberView<'a>> {
        self.val(NodeKind::Number).map(|val| NumberView(val.raw()))
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            NodeView::Val(val) => val.as_bool(),
            NodeView::Key(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        self.val(NodeKind::Null).is_some()
    }

    fn is_number(&self) -> bool {
        self.val(NodeKind::Number).is_some()
    }

    fn json_type(&self) -> JsonType {
        let NodeView::Val(val) = self else { return JsonType::String };
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
            NodeView::Val(val) => val.as_str().map(|text| text.characters() as u64),
            NodeView::Key(key) => Some(characters(key.as_bytes()) as u64),
        }
    }

    /// Scalars are compared in place; only a list or an object in a schema's `enum` needs a tree.
    fn equals_value(&self, expected: &Value) -> bool {
        match expected {
            Value::Null => self.is_null(),
            Value::Bool(expected) => self.as_boolean() == Some(*expected),
            Value::String(expected) => self.as_string().is_some_and(|text| text == expected.as_str()),
            Value::Number(expected) => self.as_number().is_some_and(|digits| digits.equals(expected)),
            Value::Array(_) | Value::Object(_) => match self {
                NodeView::Val(val) => cmp::equal(&tree(*val), expected),
                NodeView::Key(_) => false,
            },
        }
    }

    /// The validator asks for this to describe an error. Our errors contain only the place and the type, so no content
    /// gets into an error.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Value::Null)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let start = match self {
            NodeView::Val(val) => val.raw().as_ptr(),
            NodeView::Key(key) => key.as_ptr(),
        };
        Some(NodeIdentity::new(start as usize))
    }
}

/// A value as a tree; null for a value that `serde_json` cannot represent, which equals no value of a schema.
fn tree(val: Val<'_>) -> Value {
    serde_json::from_slice(val.raw()).unwrap_or(Value::Null)
}

fn text(text: Str<'_>) -> Cow<'_, str> {
    match text.decode() {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The members of an object; of a duplicate key the last one is used, as in any parser into a map.
pub struct ObjectView<'a>(Val<'a>);

impl<'a> Object<'a, TapeJson> for ObjectView<'a> {
    type Node = NodeView<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = std::vec::IntoIter<(Cow<'a, str>, NodeView<'a>)>;

    fn len(&self) -> usize {
        self.0.count() as usize
    }

    fn get(&self, key: &String) -> Option<NodeView<'a>> {
        self.0.get(&**key).map(NodeView::Val)
    }

    fn members(&self) -> Self::MembersIter {
        let mut members: Vec<_> =
            self.0.members().map(|member| (text(member.key), NodeView::Val(member.val))).collect();
        let mut seen = HashSet::default();
        let mut last: Vec<bool> = members.iter().rev().map(|(key, _)| seen.insert(key.clone())).collect();
        members.retain(|_| last.pop().unwrap_or(true));
        members.into_iter()
    }
}

pub struct ArrayView<'a>(Val<'a>);

impl<'a> Array<'a, TapeJson> for ArrayView<'a> {
    type Node = NodeView<'a>;
    type ElementsIter = std::iter::Map<Elements<'a>, fn(Val<'a>) -> NodeView<'a>>;

    fn len(&self) -> usize {
        self.0.count() as usize
    }

    fn elements(&self) -> Self::ElementsIter {
        self.0.elements().map(NodeView::Val as fn(Val<'a>) -> NodeView<'a>)
    }

    fn is_unique(&self) -> bool {
        let trees: Vec<Cow<'_, Value>> = self.0.elements().map(|val| Cow::Owned(tree(val))).collect();
        unique::is_unique(&trees)
    }
}

/// A number as it is written.
pub struct NumberView<'a>(&'a [u8]);

impl NumberView<'_> {
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

impl JsonNumber for NumberView<'_> {
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

/// True for a whole number: `1`, `1.0` and `1e2` are.
pub fn is_integer(digits: &[u8]) -> bool {
    let plain = !digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    plain || NumberView(digits).as_f64().is_some_and(|number| number.fract() == 0.0)
}
