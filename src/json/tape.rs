//! The tape: the result of a scan. One 20-byte node per value and key, in document order, with byte spans relative
//! to the record and the index of the next sibling. It is not a value tree: numbers, escapes and whitespace remain
//! as they are in the text, and the tape's memory is reused for the next record.

use std::borrow::Cow;

use super::names::{KeyName, NameSet};
use super::steps;
use super::string::Str;

/// The kind of a node. A key is a string node before its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NodeKind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// One value or key. `start..end` includes the quotes of a string and the brackets of a container.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Index of the node after this one and everything in it.
    pub(super) next: u32,
    /// Fingerprint of the text of a key; number of members or elements of a container.
    pub(super) hash: u32,
    /// The name of a key.
    pub(super) name: KeyName,
    pub(super) kind: NodeKind,
    /// The string contains a backslash.
    pub(super) escaped: bool,
}

/// A container whose end the scanner has not reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenContainer {
    pub node: u32,
    /// Members or elements so far.
    pub count: u32,
    /// Bloom filter of the keys so far.
    pub keys: u64,
    pub is_object: bool,
    /// Two of the keys may be equal.
    pub suspect: bool,
}

impl OpenContainer {
    /// Outside of all containers.
    pub const ROOT: OpenContainer =
        OpenContainer { node: u32::MAX, count: 0, keys: 0, is_object: false, suspect: false };
}

/// Something that is valid JSON but must be reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oddity {
    DuplicateKey,
    LoneSurrogate,
}

/// Nodes of one record. Clear it by scanning the next record into it.
#[derive(Debug, Default)]
pub struct Tape {
    pub(super) nodes: Vec<Node>,
    pub(super) open: Vec<OpenContainer>,
    pub(super) odd: Vec<(Oddity, u32)>,
    pub(super) keys: Vec<(u32, u32)>,
    pub(super) has_replaylint_ref: bool,
    pub(super) ascii: bool,
}

impl Tape {
    pub fn new() -> Self {
        Tape::default()
    }

    /// The scanned value, or `None` if nothing was scanned yet.
    pub fn root<'t>(&'t self, bytes: &'t [u8]) -> Option<Val<'t>> {
        (!self.nodes.is_empty()).then_some(Val { bytes, tape: self, ix: 0 })
    }

    /// The value at exactly these offsets.
    pub fn at<'t>(&'t self, bytes: &'t [u8], start: u32, end: u32) -> Option<Val<'t>> {
        let ix = self.nodes.partition_point(|node| node.start < start);
        self.nodes.get(ix).filter(|node| node.start == start && node.end == end)?;
        Some(Val { bytes, tape: self, ix: ix as u32 })
    }

    /// Duplicate keys and lone surrogates, with their offsets (of the later key; of the escape), by offset.
    pub fn oddities(&mut self) -> &[(Oddity, u32)] {
        self.odd.sort_unstable_by_key(|(_, at)| *at);
        &self.odd
    }

    /// True if the record contains a duplicate key or a lone surrogate.
    pub fn is_odd(&self) -> bool {
        !self.odd.is_empty()
    }

    /// True if an object of the record has the key [`replaylint_ref`](super::name::replaylint_ref).
    pub fn has_replaylint_ref(&self) -> bool {
        self.has_replaylint_ref
    }

    /// True if the scan has found no byte above 0x7f.
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// Gives memory back after an unusually large record.
    pub fn shrink(&mut self, to: usize) {
        if self.nodes.capacity() > to {
            self.nodes.clear();
            self.nodes.shrink_to(to);
        }
    }
}

/// A value in the text, seen through the tape.
#[derive(Clone, Copy)]
pub struct Val<'t> {
    bytes: &'t [u8],
    tape: &'t Tape,
    ix: u32,
}

impl std::fmt::Debug for Val<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} at {}..{}", self.kind(), self.start(), self.end())
    }
}

impl<'t> Val<'t> {
    fn node(&self) -> &'t Node {
        &self.tape.nodes[self.ix as usize]
    }

    pub fn kind(&self) -> NodeKind {
        self.node().kind
    }

    /// Offset of the first byte in the record.
    pub fn start(&self) -> u32 {
        self.node().start
    }

    /// Offset after the last byte in the record.
    pub fn end(&self) -> u32 {
        self.node().end
    }

    /// Length of the text in bytes.
    pub fn size(&self) -> u32 {
        self.end() - self.start()
    }

    /// The raw text.
    pub fn raw(&self) -> &'t [u8] {
        &self.bytes[self.start() as usize..self.end() as usize]
    }

    /// The whole record that contains the value.
    pub fn record(&self) -> &'t [u8] {
        self.bytes
    }

    pub fn is_null(&self) -> bool {
        self.kind() == NodeKind::Null
    }

    pub fn is_object(&self) -> bool {
        self.kind() == NodeKind::Object
    }

    pub fn is_array(&self) -> bool {
        self.kind() == NodeKind::Array
    }

    pub fn is_string(&self) -> bool {
        self.kind() == NodeKind::String
    }

    /// Number of members or elements; 0 for anything else.
    pub fn count(&self) -> u32 {
        match self.kind() {
            NodeKind::Object | NodeKind::Array => self.node().hash,
            _ => 0,
        }
    }

    /// `true` and `false` as such.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            NodeKind::True => Some(true),
            NodeKind::False => Some(false),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<Str<'t>> {
        let node = self.node();
        (node.kind == NodeKind::String).then(|| Str {
            raw: &self.bytes[node.start as usize + 1..node.end as usize - 1],
            escaped: node.escaped,
        })
    }

    /// The decoded string; `None` for a value of another kind.
    pub fn text(&self) -> Option<Cow<'t, [u8]>> {
        self.as_str().map(|s| s.decode())
    }

    /// The value of a non-negative integer; `None` for anything else.
    pub fn as_u64(&self) -> Option<u64> {
        (self.kind() == NodeKind::Number)
            .then(|| std::str::from_utf8(self.raw()).ok())
            .flatten()
            .and_then(|s| s.parse().ok())
    }

    /// True if the value is this string.
    pub fn is(&self, text: &str) -> bool {
        self.as_str().is_some_and(|s| s.is(text.as_bytes()))
    }

    /// Members of an object, in order; empty for anything else.
    pub fn members(&self) -> Members<'t> {
        let (at, end) = self.inside(NodeKind::Object);
        Members { bytes: self.bytes, tape: self.tape, at, end }
    }

    /// Members as names and values, for lookups by name only.
    #[inline]
    pub fn named_members(&self) -> NamedMembers<'t> {
        let (at, end) = self.inside(NodeKind::Object);
        NamedMembers { bytes: self.bytes, tape: self.tape, at, end }
    }

    /// Elements of an array, in order; empty for anything else.
    pub fn elements(&self) -> Elements<'t> {
        let (at, end) = self.inside(NodeKind::Array);
        Elements { bytes: self.bytes, tape: self.tape, at, end }
    }

    fn inside(&self, kind: NodeKind) -> (u32, u32) {
        let node = self.node();
        if node.kind == kind { (self.ix + 1, node.next) } else { (0, 0) }
    }

    /// The last member with this key, as a parser into a map would see it.
    #[inline]
    pub fn get(&self, key: impl MemberKey) -> Option<Val<'t>> {
        let at = self.find(key)?;
        Some(Val { bytes: self.bytes, tape: self.tape, ix: at + 1 })
    }

    #[inline]
    pub fn member(&self, key: impl MemberKey) -> Option<Member<'t>> {
        let at = self.find(key)?;
        Members { bytes: self.bytes, tape: self.tape, at, end: u32::MAX }.next()
    }

    /// The names of an object's keys.
    #[inline]
    pub fn names(&self) -> NameSet {
        self.named_members().fold(NameSet::EMPTY, |set, (name, _)| set.with(name))
    }

    /// The key of a value that is a member of an object.
    pub fn key(&self) -> Option<Str<'t>> {
        let key = self.tape.nodes.get((self.ix as usize).checked_sub(1)?)?;
        let inner = key.start as usize + 1..(key.end as usize).checked_sub(1)?;
        (key.kind == NodeKind::String).then_some(Str { raw: self.bytes.get(inner)?, escaped: key.escaped })
    }

    /// The node of the last member with this key.
    fn find(&self, key: impl MemberKey) -> Option<u32> {
        let (mut at, end) = self.inside(NodeKind::Object);
        let mut found = None;
        while at < end {
            steps::count();
            let nodes = self.tape.nodes.get(at as usize..)?;
            let [node, val] = nodes.first_chunk::<2>()?;
            if key.is(self.bytes, node) {
                found = Some(at);
                // Only a record with duplicate keys may hold another.
                if self.tape.odd.is_empty() {
                    break;
                }
            }
            at = val.next;
        }
        found
    }

    /// Follows keys down through objects.
    pub fn at(&self, path: &[&str]) -> Option<Val<'t>> {
        path.iter().try_fold(*self, |val, key| val.get(key))
    }
}

/// A key to look up a member by: its text or its name.
pub trait MemberKey: Copy + Sealed {}

impl<K: Copy + Sealed> MemberKey for K {}

mod sealed {
    use super::Node;

    pub trait Sealed {
        /// True if a node is this key.
        fn is(&self, bytes: &[u8], node: &Node) -> bool;
    }
}

use sealed::Sealed;

impl Sealed for KeyName {
    #[inline(always)]
    fn is(&self, _: &[u8], node: &Node) -> bool {
        node.name == *self
    }
}

impl Sealed for &str {
    #[inline(always)]
    fn is(&self, bytes: &[u8], node: &Node) -> bool {
        let key = self.as_bytes();
        if node.escaped {
            return is_escaped_key(bytes, node, key);
        }
        // Most keys of one length differ in their first letter.
        (node.end - node.start) as usize == key.len() + 2
            && bytes.get(node.start as usize + 1) == key.first().or(Some(&b'"'))
            && bytes.get(node.start as usize + 1..node.end as usize - 1) == Some(key)
    }
}

impl<K: Sealed> Sealed for &K {
    fn is(&self, bytes: &[u8], node: &Node) -> bool {
        (**self).is(bytes, node)
    }
}

#[cold]
fn is_escaped_key(bytes: &[u8], node: &Node, key: &[u8]) -> bool {
    let raw = bytes.get(node.start as usize + 1..node.end as usize - 1).unwrap_or_default();
    Str { raw, escaped: true }.is(key)
}

/// A key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Member<'t> {
    pub key: Str<'t>,
    pub name: KeyName,
    /// Offset of the key's opening quote in the record.
    pub key_start: u32,
    pub val: Val<'t>,
}

/// The members of an object, in order.
#[derive(Clone)]
pub struct Members<'t> {
    bytes: &'t [u8],
    tape: &'t Tape,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Members<'t> {
    type Item = Member<'t>;

    fn next(&mut self) -> Option<Member<'t>> {
        if self.at >= self.end {
            return None;
        }
        steps::count();
        let key = &self.tape.nodes[self.at as usize];
        let val = Val { bytes: self.bytes, tape: self.tape, ix: self.at + 1 };
        self.at = val.node().next;
        let raw = &self.bytes[key.start as usize + 1..key.end as usize - 1];
        Some(Member { key: Str { raw, escaped: key.escaped }, name: key.name, key_start: key.start, val })
    }
}

/// Members of an object by name.
#[derive(Clone)]
pub struct NamedMembers<'t> {
    bytes: &'t [u8],
    tape: &'t Tape,
    at: u32,
    end: u32,
}

impl<'t> Iterator for NamedMembers<'t> {
    type Item = (KeyName, Val<'t>);

    #[inline(always)]
    fn next(&mut self) -> Option<(KeyName, Val<'t>)> {
        if self.at >= self.end {
            return None;
        }
        steps::count();
        let [key, val] = self.tape.nodes.get(self.at as usize..)?.first_chunk::<2>()?;
        let ix = self.at + 1;
        self.at = val.next;
        Some((key.name, Val { bytes: self.bytes, tape: self.tape, ix }))
    }
}

/// The elements of an array, in order.
#[derive(Clone)]
pub struct Elements<'t> {
    bytes: &'t [u8],
    tape: &'t Tape,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Elements<'t> {
    type Item = Val<'t>;

    fn next(&mut self) -> Option<Val<'t>> {
        if self.at >= self.end {
            return None;
        }
        steps::count();
        let val = Val { bytes: self.bytes, tape: self.tape, ix: self.at };
        self.at = val.node().next;
        Some(val)
    }
}
