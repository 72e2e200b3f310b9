//! Links between lines: the lines that followed a removed line follow the one before it, and those that followed a
//! line after which others are inserted follow the last of these.

use std::io;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::format::LineLinks;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Edit, Patch, Place};
use crate::source::{Container, lines};

use super::view::{StoreRecord, StoreView};

/// Insertions beside an element of a list, or a line.
#[derive(Clone, Default)]
pub(in crate::repair) struct Insertions {
    pub before: Vec<Vec<u8>>,
    pub after: Vec<Vec<u8>>,
}

impl Insertions {
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    pub fn insert(&mut self, text: Vec<u8>, is_before: bool) {
        if is_before { self.before.push(text) } else { self.after.push(text) }
    }
}

/// A line that is removed, or beside which others are inserted.
pub(super) struct ChangedLine {
    pub record: Rc<StoreRecord>,
    pub goes: bool,
    pub beside: Insertions,
}

/// An edit of a link, the line that contains it, with its number, and the line that caused it.
pub(super) struct LinkEdit {
    pub edit: Edit,
    pub line: (Place, u32),
    pub cause: Place,
}

/// The text of a name, as JSON.
type LinkName = Box<[u8]>;

/// The new order of lines, by name.
#[derive(Default)]
struct LinkChain {
    /// Lines that are moved.
    moved: HashSet<LinkName>,
    /// Removed lines: the line that they followed.
    before: HashMap<LinkName, LinkName>,
    /// Lines after which others are inserted: the last of these.
    after: HashMap<LinkName, LinkName>,
    /// The places of these lines.
    at: HashMap<LinkName, Place>,
}

impl LinkChain {
    /// The nearest remaining ancestor of a removed line.
    fn surviving(&self, name: &[u8]) -> LinkName {
        let mut name: LinkName = name.into();
        // A cycle of removed lines has no remaining ancestor.
        for _ in 0..=self.before.len() {
            match self.before.get(&name) {
                Some(before) => name = before.clone(),
                None => return name,
            }
        }
        null_name()
    }

    /// The new parent of the lines that followed this one.
    fn parent(&self, name: &[u8]) -> LinkName {
        self.after.get(name).cloned().unwrap_or_else(|| {
            let left = self.surviving(name);
            self.after.get(&left).cloned().unwrap_or(left)
        })
    }
}

/// Links the new lines, and returns the edits on others. `changed` is in order.
pub(super) fn relink(
    view: &StoreView<'_>,
    links: &LineLinks,
    changed: &mut [ChangedLine],
) -> io::Result<Vec<LinkEdit>> {
    let mut chain = LinkChain::default();
    let mut own_parents: HashMap<u64, LinkName> = HashMap::default();
    let name_of = |record: &StoreRecord| member(record.root(), links.name).filter(|name| is_name(name));
    let parent_of = |record: &StoreRecord| member(record.root(), links.parent).unwrap_or_else(null_name);
    for ChangedLine { record, .. } in changed.iter().filter(|line| line.goes) {
        if let Some(name) = name_of(record) {
            chain.before.insert(name.clone(), parent_of(record));
            chain.at.insert(name, record.at);
        }
    }
    let new = changed.iter().flat_map(|line| line.beside.before.iter().chain(&line.beside.after));
    chain.moved = new
        .filter_map(|text| parse(text, |line| member(line, links.name)))
        .filter(|name| chain.before.contains_key(name))
        .collect();
    for ChangedLine { record, goes, beside } in changed.iter_mut().filter(|line| !line.beside.is_empty()) {
        let Some(name) = name_of(record) else { continue };
        let before = link(&mut beside.before, links, chain.surviving(&parent_of(record)));
        if !beside.before.is_empty() {
            own_parents.insert(record.at.start, before.clone());
        }
        let after = link(&mut beside.after, links, if *goes { before } else { name.clone() });
        if !beside.after.is_empty() {
            chain.after.insert(name.clone(), after);
            chain.at.insert(name, record.at);
        }
    }
    let gone: HashSet<u64> = changed.iter().filter(|line| line.goes).map(|line| line.record.at.start).collect();
    let mut edits = Vec::new();
    visit_lines(view, &mut |val, base, at, number| {
        if gone.contains(&at.start) {
            return;
        }
        let mut relink = |val: Val<'_>, name: LinkName, cause: Option<&Place>| {
            if *val.raw() != *name {
                let cause = cause.copied().unwrap_or(at);
                let edit = Edit::replace(base.of(val), name.to_vec());
                edits.push(LinkEdit { edit, line: (at, number), cause });
            }
        };
        if let Some(parent) = val.get(links.parent) {
            let new = own_parents.get(&at.start).cloned().unwrap_or_else(|| chain.parent(parent.raw()));
            relink(parent, new, chain.at.get(parent.raw()));
        }
        let others = links.others.iter().filter_map(|path| val.at(path));
        for other in others.filter(|other| !chain.moved.contains(other.raw())) {
            relink(other, chain.surviving(other.raw()), chain.at.get(other.raw()));
        }
    })?;
    Ok(edits)
}

fn is_name(text: &[u8]) -> bool {
    text.len() > 2 && text.starts_with(b"\"")
}

fn null_name() -> LinkName {
    (*b"null").into()
}

/// The text of a member.
fn member(line: Option<Val<'_>>, key: &str) -> Option<LinkName> {
    Some(line?.get(key)?.raw().into())
}

/// Parses a text and calls `see`, with `None` if it is invalid.
fn parse<T>(text: &[u8], see: impl FnOnce(Option<Val<'_>>) -> T) -> T {
    let mut tape = Tape::new();
    see(scan(text, &mut tape).ok().and_then(|()| tape.root(text)))
}

/// Links new lines to one another, and the first to the line before it. Returns the name of the last.
fn link(lines: &mut [Vec<u8>], links: &LineLinks, mut last: LinkName) -> LinkName {
    for line in lines {
        *line = with_members(line, &[(links.parent, &last)]);
        last = parse(line, |line| member(line, links.name)).unwrap_or(last);
    }
    last
}

/// A line with other values of existing members.
pub(super) fn with_members(text: &[u8], members: &[(&str, &[u8])]) -> Vec<u8> {
    let base = RecordBase::new(DocId(0), 0);
    let mut patch = Patch::default();
    patch.add(parse(text, |line| -> Vec<Edit> {
        let members = members.iter().filter_map(|(key, new)| Some((line?.get(key)?, *new)));
        members.map(|(old, new)| Edit::replace(base.of(old), new)).collect()
    }));
    patch.apply(DocId(0), text)
}

/// Calls `see` with each readable line, its place and its number.
fn visit_lines(view: &StoreView<'_>, see: &mut dyn FnMut(Val<'_>, RecordBase<'_>, Place, u32)) -> io::Result<()> {
    let (Container::Lines { start } | Container::Document { start }) = view.container else { return Ok(()) };
    let (mut buf, mut tape, mut number) = (Vec::new(), Tape::new(), 0);
    for chunk in 0..lines::chunk_count(view.bytes.len(), start) {
        let read = lines::read_chunk(view.bytes, start, chunk, u64::from(u32::MAX), &mut buf)?;
        for (at, text) in lines::split(read.bytes) {
            let ended = u32::from(at + text.len() < read.bytes.len());
            let place = Place::new(view.id, read.start + at as u64, text.len() as u32 + ended);
            if let Some(line) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                see(line, RecordBase::new(view.id, place.start), place, number);
            }
            number += u32::from(!text.trim_ascii().is_empty());
        }
    }
    Ok(())
}
