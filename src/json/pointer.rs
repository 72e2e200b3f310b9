//! JSON Pointers (RFC 6901): from a span to its pointer, and from a pointer to its value.

use std::cell::RefCell;
use std::fmt::Write;

use foldhash::HashMap;

use super::string::Str;
use super::tape::{Member, Val};

/// Finds values and their pointers by spans. Long lists are indexed once, so that the cost is linear in the number
/// of spans.
pub struct PointerFinder<'t> {
    root: Val<'t>,
    lists: RefCell<HashMap<u32, Vec<Val<'t>>>>,
    objects: RefCell<HashMap<u32, Vec<Member<'t>>>>,
}

/// A step of a pointer.
#[derive(Clone, Copy)]
pub enum Step<'t> {
    Key(Str<'t>),
    Index(usize),
}

/// Lists and objects from this length on are indexed.
const LONG: u32 = 32;

impl<'t> PointerFinder<'t> {
    pub fn new(root: Val<'t>) -> Self {
        PointerFinder { root, lists: RefCell::default(), objects: RefCell::default() }
    }

    /// The pointer of the smallest value that contains `start..end`. A key belongs to its member's value.
    pub fn pointer(&self, start: u32, end: u32) -> String {
        let mut pointer = String::new();
        self.each_step(start, end, &mut |step| match step {
            Step::Key(key) => push_key(&mut pointer, &String::from_utf8_lossy(&key.decode())),
            Step::Index(index) => push_index(&mut pointer, index),
        });
        pointer
    }

    /// Calls `see` with each step from the root down to the smallest value that contains `start..end`, and returns that
    /// value. A key belongs to its member's value.
    pub fn each_step(&self, start: u32, end: u32, see: &mut dyn FnMut(Step<'t>)) -> Val<'t> {
        let mut at = self.root;
        while at.start() < start || end < at.end() {
            if let Some(member) = self.member(at, start, end) {
                see(Step::Key(member.key));
                at = member.val;
                if start < at.start() {
                    break;
                }
                continue;
            }
            match self.element(at, start, end) {
                Some((index, element)) => {
                    see(Step::Index(index));
                    at = element;
                }
                None => break,
            }
        }
        at
    }

    /// The value with exactly this span.
    pub fn value(&self, start: u32, end: u32) -> Option<Val<'t>> {
        let holds = |val: &Val<'_>| val.start() <= start && end <= val.end();
        let mut at = self.root;
        while at.start() != start || at.end() != end {
            let member = self.member(at, start, end).map(|member| member.val).filter(holds);
            at = member.or_else(|| self.element(at, start, end).map(|(_, val)| val))?;
        }
        Some(at)
    }

    /// The array that contains the value with exactly this span as an element.
    pub fn list(&self, start: u32, end: u32) -> Option<Val<'t>> {
        let holds = |val: &Val<'_>| val.start() <= start && end <= val.end();
        let mut at = self.root;
        let mut list = None;
        while at.start() != start || at.end() != end {
            list = at.is_array().then_some(at);
            let member = self.member(at, start, end).map(|member| member.val).filter(holds);
            at = member.or_else(|| self.element(at, start, end).map(|(_, val)| val))?;
        }
        list
    }

    /// The member of an object that contains a span, its key included.
    fn member(&self, object: Val<'t>, start: u32, end: u32) -> Option<Member<'t>> {
        let holds = |member: &Member<'_>| member.key_start <= start && end <= member.val.end();
        if object.count() < LONG || !object.is_object() {
            return object.members().find(holds);
        }
        let mut objects = self.objects.borrow_mut();
        let members = objects.entry(object.start()).or_insert_with(|| object.members().collect());
        let at = members.partition_point(|member| member.key_start <= start).checked_sub(1)?;
        members.get(at).copied().filter(holds)
    }

    /// Follows steps down from the root, as [`resolve`] does.
    pub fn resolve(&self, steps: &[String]) -> Option<Val<'t>> {
        steps.iter().try_fold(self.root, |val, step| {
            if !val.is_array() {
                return val.get(&**step);
            }
            let index: usize = step.parse().ok()?;
            if val.count() < LONG {
                return val.elements().nth(index);
            }
            let mut lists = self.lists.borrow_mut();
            lists.entry(val.start()).or_insert_with(|| val.elements().collect()).get(index).copied()
        })
    }

    /// The element of an array that contains a span.
    fn element(&self, array: Val<'t>, start: u32, end: u32) -> Option<(usize, Val<'t>)> {
        let holds = |val: &Val<'_>| val.start() <= start && end <= val.end();
        if array.count() < LONG || !array.is_array() {
            return array.elements().enumerate().find(|(_, val)| holds(val));
        }
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry(array.start()).or_insert_with(|| array.elements().collect());
        let at = list.partition_point(|val| val.start() <= start).checked_sub(1)?;
        list.get(at).copied().filter(holds).map(|val| (at, val))
    }
}

/// [`PointerFinder::pointer`] for one span.
pub fn of_span(root: Val<'_>, start: u32, end: u32) -> String {
    PointerFinder::new(root).pointer(start, end)
}

/// Appends one step.
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Appends one step into an array.
pub fn push_index(pointer: &mut String, index: usize) {
    // Writing to a String cannot fail.
    let _ = write!(pointer, "/{index}");
}

/// The steps of a pointer; `None` if the text is not a pointer.
pub fn parse(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    Some(steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect())
}

/// Follows steps down from a value.
pub fn resolve<'t>(root: Val<'t>, steps: &[String]) -> Option<Val<'t>> {
    steps.iter().try_fold(root, |val, step| {
        if val.is_array() { step.parse().ok().and_then(|n| val.elements().nth(n)) } else { val.get(&**step) }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, scan};
    use super::*;

    #[test]
    fn spans_and_pointers_lead_to_each_other() {
        let text = br#"{"a/b":[1,{"c~d":"x"}],"a":2}"#;
        let mut tape = Tape::new();
        assert_eq!(scan(text, &mut tape), Ok(()));
        let root = tape.root(text).expect("scanned");
        for pointer in ["", "/a~1b", "/a~1b/0", "/a~1b/1/c~0d", "/a"] {
            let steps = parse(pointer).expect("a pointer");
            let val = resolve(root, &steps).expect("a value");
            assert_eq!(of_span(root, val.start(), val.end()), pointer);
        }
        assert_eq!(parse("a"), None);
    }

    #[test]
    fn the_span_of_a_key_belongs_to_its_member() {
        let text = br#"{"a":{"b":1}}"#;
        let mut tape = Tape::new();
        assert_eq!(scan(text, &mut tape), Ok(()));
        let root = tape.root(text).expect("scanned");
        assert_eq!(of_span(root, 6, 9), "/a/b");
    }
}
