//! The fast check: a definition compiled to flat nodes, and one pass over an item. It only decides whether the item is
//! valid; `jsonschema` describes the violations.
//!
//! Only what our own schemas use is understood: `type`, `enum`, `properties`, `required`, `items`, lengths, one
//! pattern, `$ref`, and `anyOf` whose branches are recognised by their `type` (or accept null). A definition with
//! anything else has no table, and is checked by `jsonschema` alone.

use std::borrow::Cow;

use crate::json::{ByName, KeyName, Member, NodeKind, Str, Val, name};

use super::view::is_integer;

/// A compiled definition. Nodes refer to each other by index; the first is the item itself.
pub struct SchemaTable {
    nodes: Vec<TableNode>,
}

/// A member of an object.
#[derive(Clone, Copy)]
struct TableField {
    node: u32,
    /// Its bit among the required ones.
    required: u64,
    /// Values that its node accepts without a check.
    free: FastAccept,
}

/// Values that are valid by their kind and size alone, as most members are.
#[derive(Clone, Copy, Default)]
struct FastAccept {
    /// Bits of [`bit`].
    kinds: u8,
    /// Maximum bytes of a string, with its quotes, that is valid whatever its content; 0 if none is.
    size: u32,
}

impl FastAccept {
    #[inline(always)]
    fn takes(self, val: Val<'_>) -> bool {
        let kind = val.kind();
        self.kinds & bit(kind) != 0 || kind == NodeKind::String && val.size() <= self.size
    }
}

/// The constraints on a value.
#[derive(Default)]
struct TableNode {
    /// Bits of [`bit`]; 0 accepts any kind.
    kinds: u8,
    /// Members that are checked.
    fields: ByName<TableField>,
    /// A bit for each required member.
    required: u64,
    /// Node of each element of a list.
    items: Option<u32>,
    /// Allowed strings; empty for any.
    texts: Vec<Box<[u8]>>,
    /// Minimum characters of a string.
    shortest: u32,
    longest: Option<u32>,
    /// Only letters, digits, underscores and dashes.
    plain: bool,
    /// The node of an object by its `type`: (type, node).
    branches: Branches,
}

/// Nodes by type.
type Branches = Vec<(Box<[u8]>, u32)>;

/// The only pattern that the table supports.
const PLAIN: &str = "^[a-zA-Z0-9_-]+$";

const INTEGER: u8 = 1 << 6;

/// Keywords without an effect on validity.
const SILENT: [&str; 4] = ["$comment", "$schema", "x-severity", "x-expected"];

/// Maximum number of required properties, limited by the bits for those that were seen.
const MOST_REQUIRED: usize = 32;

const fn bit(kind: NodeKind) -> u8 {
    match kind {
        NodeKind::Object => 1,
        NodeKind::Array => 1 << 1,
        NodeKind::String => 1 << 2,
        NodeKind::Number => 1 << 3,
        NodeKind::True | NodeKind::False => 1 << 4,
        NodeKind::Null => 1 << 5,
    }
}

impl SchemaTable {
    /// Compiles a definition of a schema file. The error names the part that a table does not support.
    pub fn compile(file: Val<'_>, name: &str) -> Result<SchemaTable, String> {
        let definitions = file.get("$defs").ok_or("the file defines nothing")?;
        let mut compiler = Compiler { definitions, nodes: Vec::new(), known: Vec::new() };
        compiler.refer(name.as_bytes().to_vec().into())?;
        let mut nodes = compiler.nodes;
        let free: Vec<FastAccept> = nodes.iter().map(TableNode::free).collect();
        for field in nodes.iter_mut().flat_map(|node| node.fields.values_mut()) {
            field.free = free.get(field.node as usize).copied().unwrap_or_default();
        }
        Ok(SchemaTable { nodes })
    }

    /// True if a value is valid.
    pub fn fits(&self, val: Val<'_>) -> bool {
        self.check(0, val)
    }

    fn check(&self, node: u32, val: Val<'_>) -> bool {
        // Nodes refer to existing nodes.
        let Some(node) = self.nodes.get(node as usize) else { return true };
        let kind = val.kind();
        if node.kinds != 0 && node.kinds & bit(kind) == 0 {
            return node.kinds & INTEGER != 0 && kind == NodeKind::Number && is_integer(val.raw());
        }
        match kind {
            NodeKind::Object if !node.branches.is_empty() => self.branch(node, val),
            NodeKind::Object => self.object(node, val),
            NodeKind::Array => node.items.is_none_or(|items| val.elements().all(|val| self.check(items, val))),
            NodeKind::String => val.as_str().is_none_or(|text| node.takes(text)),
            _ => true,
        }
    }

    fn object(&self, node: &TableNode, val: Val<'_>) -> bool {
        let mut seen = 0u64;
        for (name, val) in val.named_members() {
            let Some(field) = node.fields.get(name) else { continue };
            seen |= field.required;
            if !field.free.takes(val) && !self.check(field.node, val) {
                return false;
            }
        }
        seen == node.required
    }

    fn branch(&self, node: &TableNode, val: Val<'_>) -> bool {
        let Some(name) = val.get(name::r#type).and_then(|name| name.as_str()) else { return false };
        let branch = node.branches.iter().find(|(known, _)| name.is(known));
        branch.is_some_and(|(_, node)| self.check(*node, val))
    }
}

impl TableNode {
    /// The values that it accepts without a check.
    fn free(&self) -> FastAccept {
        let scalars = bit(NodeKind::Number) | bit(NodeKind::True) | bit(NodeKind::Null);
        let any_object = self.fields.is_empty() && self.required == 0 && self.branches.is_empty();
        let any_text = self.texts.is_empty() && self.shortest == 0 && !self.plain;
        let unseen = [
            (bit(NodeKind::Object), any_object),
            (bit(NodeKind::Array), self.items.is_none()),
            (bit(NodeKind::String), any_text && self.longest.is_none()),
            (scalars, true),
        ];
        let unseen = unseen.iter().filter(|(_, unseen)| *unseen).fold(0, |all, (kinds, _)| all | kinds);
        let takes_texts = self.kinds == 0 || self.kinds & bit(NodeKind::String) != 0;
        let size =
            if any_text && takes_texts { self.longest.map_or(u32::MAX, |most| most.saturating_add(2)) } else { 0 };
        FastAccept { kinds: if self.kinds == 0 { unseen } else { self.kinds & unseen }, size }
    }

    fn takes(&self, text: Str<'_>) -> bool {
        if !self.texts.is_empty() && !self.texts.iter().any(|known| text.is(known)) {
            return false;
        }
        // A character has at least one byte, and at most the twelve of two escaped surrogates.
        let short = (text.raw.len() as u64) < 12 * u64::from(self.shortest);
        let long = self.longest.is_some_and(|most| text.raw.len() > most as usize);
        if short || long {
            let length = text.characters();
            if length < self.shortest as usize || self.longest.is_some_and(|most| length > most as usize) {
                return false;
            }
        }
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !self.plain || (!text.is_empty() && text.decode().iter().all(is_plain))
    }
}

struct Compiler<'f> {
    definitions: Val<'f>,
    nodes: Vec<TableNode>,
    /// Nodes of compiled definitions, by name.
    known: Vec<(Cow<'f, [u8]>, u32)>,
}

/// The prefix of references to definitions.
const DEFINITIONS: &[u8] = b"#/$defs/";

impl<'f> Compiler<'f> {
    fn refer(&mut self, name: Cow<'f, [u8]>) -> Result<u32, String> {
        if let Some((_, node)) = self.known.iter().find(|(known, _)| *known == name) {
            return Ok(*node);
        }
        let words = String::from_utf8_lossy(&name);
        let schema = self.definitions.get(&*words).ok_or_else(|| format!("{words} is not defined"))?;
        if let Some(target) = schema.get("$ref") {
            return self.reference(target);
        }
        let node = self.begin();
        self.known.push((name, node));
        self.fill(node, schema)
    }

    fn reference(&mut self, target: Val<'f>) -> Result<u32, String> {
        let name = match target.text() {
            Some(Cow::Borrowed(text)) => text.strip_prefix(DEFINITIONS).map(Cow::Borrowed),
            Some(Cow::Owned(text)) => text.strip_prefix(DEFINITIONS).map(|name| name.to_vec().into()),
            None => None,
        };
        self.refer(name.ok_or("a $ref leads to no definition of the file")?)
    }

    fn begin(&mut self) -> u32 {
        self.nodes.push(TableNode::default());
        self.nodes.len() as u32 - 1
    }

    fn compile(&mut self, schema: Val<'f>) -> Result<u32, String> {
        if let Some(target) = schema.get("$ref") {
            return self.reference(target);
        }
        let node = self.begin();
        self.fill(node, schema)
    }

    fn fill(&mut self, at: u32, schema: Val<'f>) -> Result<u32, String> {
        if !schema.is_object() {
            return Err("a schema is not an object".to_owned());
        }
        let mut node = TableNode::default();
        for Member { key, val, .. } in schema.members() {
            match key.decode().as_ref() {
                b"type" => node.kinds = kinds(val)?,
                b"enum" => node.texts = texts(val)?,
                b"minLength" => node.shortest = number(val)?,
                b"maxLength" => node.longest = Some(number(val)?),
                b"pattern" if val.is(PLAIN) => node.plain = true,
                b"items" => node.items = Some(self.compile(val)?),
                b"properties" | b"required" => {}
                b"anyOf" => node.branches = self.branches(val, &mut node.kinds)?,
                silent if SILENT.iter().any(|known| known.as_bytes() == silent) => {}
                other => {
                    return Err(format!("the keyword {} with {}", String::from_utf8_lossy(other), words(val)));
                }
            }
        }
        self.fields(&mut node, schema)?;
        if !node.branches.is_empty() && (schema.get("properties").is_some() || schema.get("type").is_some()) {
            return Err("anyOf next to a type or properties".to_owned());
        }
        // An enum accepts strings, and null if it lists it, whatever the type says.
        if let Some(values) = schema.get("enum") {
            let has_null = values.elements().any(|value| value.is_null());
            node.kinds &= bit(NodeKind::String) | if has_null { bit(NodeKind::Null) } else { 0 };
            if node.kinds == 0 {
                return Err("an enum without the type of its values".to_owned());
            }
        }
        if let Some(reserved) = self.nodes.get_mut(at as usize) {
            *reserved = node;
        }
        Ok(at)
    }

    /// The branches of an `anyOf`. Values that are not objects are recognised by `kinds`.
    fn branches(&mut self, list: Val<'f>, kinds: &mut u8) -> Result<Branches, String> {
        let mut branches = Vec::new();
        *kinds |= bit(NodeKind::Object);
        for schema in list.elements() {
            if schema.count() == 1 && schema.get("type").is_some_and(|kind| kind.is("null")) {
                *kinds |= bit(NodeKind::Null);
                continue;
            }
            let node = self.compile(schema)?;
            let compiled = self.nodes.get(node as usize);
            let names = compiled.and_then(|node| node.fields.get(name::r#type));
            let names = names.filter(|field| field.required != 0).map(|field| field.node);
            let names = names.ok_or("a branch of an anyOf requires no type")?;
            let only_object = compiled.is_some_and(|node| node.kinds == bit(NodeKind::Object));
            match self.nodes.get(names as usize).map(|node| node.texts.as_slice()) {
                None | Some([]) => return Err("a branch of an anyOf names no type".to_owned()),
                _ if !only_object => return Err("a branch of an anyOf is not an object".to_owned()),
                Some(texts) => branches.extend(texts.iter().map(|text| (text.clone(), node))),
            }
        }
        Ok(branches)
    }

    fn fields(&mut self, node: &mut TableNode, schema: Val<'f>) -> Result<(), String> {
        let required: Vec<Cow<'_, [u8]>> = schema
            .get("required")
            .into_iter()
            .flat_map(|list| list.elements())
            .filter_map(|key| key.text())
            .collect();
        if required.len() > MOST_REQUIRED {
            return Err("too many required properties".to_owned());
        }
        let mut fields = Vec::new();
        for Member { key, val, .. } in schema.get("properties").into_iter().flat_map(|own| own.members()) {
            let key = key.decode();
            let nth = required.iter().position(|required| *required == key);
            let bit = nth.map_or(0, |nth| 1 << nth);
            fields.push((
                named(&key)?,
                TableField { node: self.compile(val)?, required: bit, free: FastAccept::default() },
            ));
            node.required |= bit;
        }
        if node.required.count_ones() as usize != required.len() {
            return Err("a property is required and not described".to_owned());
        }
        node.fields = ByName::new(fields);
        Ok(())
    }
}

fn named(key: &[u8]) -> Result<KeyName, String> {
    let name = KeyName::find(key);
    if name.is_some() {
        Ok(name)
    } else {
        Err(format!("the table of names lacks {}", String::from_utf8_lossy(key)))
    }
}

fn kinds(value: Val<'_>) -> Result<u8, String> {
    let one = |name: Val<'_>| match name.text().as_deref() {
        Some(b"object") => Ok(bit(NodeKind::Object)),
        Some(b"array") => Ok(bit(NodeKind::Array)),
        Some(b"string") => Ok(bit(NodeKind::String)),
        Some(b"number") => Ok(bit(NodeKind::Number)),
        Some(b"integer") => Ok(INTEGER),
        Some(b"boolean") => Ok(bit(NodeKind::True)),
        Some(b"null") => Ok(bit(NodeKind::Null)),
        _ => Err(format!("the type {}", words(name))),
    };
    match value.is_array() {
        true => value.elements().try_fold(0, |all, name| Ok(all | one(name)?)),
        false => one(value),
    }
}

/// The strings of an `enum`; null is recognised by the type.
fn texts(value: Val<'_>) -> Result<Vec<Box<[u8]>>, String> {
    if !value.is_array() {
        return Err("an enum is not a list".to_owned());
    }
    let text = |value: Val<'_>| match value.text() {
        Some(text) => Ok(text.into_owned().into()),
        None => Err(format!("{} in an enum", words(value))),
    };
    value.elements().filter(|value| !value.is_null()).map(text).collect()
}

fn number(value: Val<'_>) -> Result<u32, String> {
    value.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| format!("the limit {}", words(value)))
}

fn words(value: Val<'_>) -> Cow<'_, str> {
    String::from_utf8_lossy(value.raw())
}
