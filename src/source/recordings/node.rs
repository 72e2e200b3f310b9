//! A value of a recording: of JSON or YAML, which has bytes as well.

use serde_json::{Map, Number, Value};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    /// `!!binary` of YAML, decoded.
    Bytes(Vec<u8>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The member with this key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Node::Map(members) => members.iter().find(|(own, _)| own == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The first member with one of these keys.
    pub fn first(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().find_map(|key| self.get(key))
    }

    pub fn elements(&self) -> Option<&[Node]> {
        match self {
            Node::List(elements) => Some(elements),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as JSON. Bytes that are not UTF-8 lose what is not.
    pub fn to_json(&self) -> Value {
        match self {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(*value),
            Node::Number(number) => Value::Number(number.clone()),
            Node::Text(text) => Value::String(text.clone()),
            Node::Bytes(bytes) => Value::String(String::from_utf8_lossy(bytes).into_owned()),
            Node::List(elements) => elements.iter().map(Node::to_json).collect(),
            Node::Map(members) => {
                let members = members.iter().map(|(key, value)| (key.clone(), value.to_json()));
                Value::Object(members.collect::<Map<String, Value>>())
            }
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(value),
            Value::Number(number) => Node::Number(number),
            Value::String(text) => Node::Text(text),
            Value::Array(elements) => Node::List(elements.into_iter().map(Node::from).collect()),
            Value::Object(members) => {
                Node::Map(members.into_iter().map(|(key, value)| (key, Node::from(value))).collect())
            }
        }
    }
}
