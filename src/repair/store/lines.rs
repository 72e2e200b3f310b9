//! Lines that name one another: what followed a line that goes follows the one before it, and what followed a line after
//! which others come follows the last of these.

use std::collections::{HashMap, HashSet};
use std::io;
use std::rc::Rc;

use crate::format::Links;
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Edit, Patch, Place};
use crate::source::{Container, lines};

use super::view::{Stored, View};
use crate::repair::edit::item_text::patched;

/// What comes to stand beside an element of a list, or a line.
#[derive(Clone, Default)]
pub(in crate::repair) struct Beside {
    pub before: Vec<Vec<u8>>,
    pub behind: Vec<Vec<u8>>,
}

impl Beside {
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }

    pub fn put(&mut self, text: Vec<u8>, is_before: bool) {
        if is_before { self.before.push(text) } else { self.behind.push(text) }
    }
}

/// A line that goes, or beside which others come.
pub(super) struct Line {
    pub record: Rc<Stored>,
    pub goes: bool,
    pub beside: Beside,
}

/// An edit of a link, the line that it lies in with its number, and the line that it comes of.
pub(super) struct Relinked {
    pub edit: Edit,
    pub line: (Place, u32),
    pub because: Place,
}

/// The texts of names, as JSON.
type Name = Box<[u8]>;

/// Which line each one follows from now on, by its name.
#[derive(Default)]
struct Chain {
    /// Lines that go, and come to stand elsewhere.
    moved: HashSet<Name>,
    /// Lines that go: the line that they followed.
    before: HashMap<Name, Name>,
    /// Lines after which others come: the last of these.
    behind: HashMap<Name, Name>,
    /// Where that is done.
    at: HashMap<Name, Place>,
}

impl Chain {
    /// The line that is there in the place of one that goes.
    fn left(&self, name: &[u8]) -> Name {
        let mut name: Name = name.into();
        // A circle of lines that go leads nowhere.
        for _ in 0..=self.before.len() {
            match self.before.get(&name) {
                Some(before) => name = before.clone(),
                None => return name,
            }
        }
        null()
    }

    /// What a line is to follow that follows this one.
    fn parent(&self, name: &[u8]) -> Name {
        self.behind.get(name).cloned().unwrap_or_else(|| {
            let left = self.left(name);
            self.behind.get(&left).cloned().unwrap_or(left)
        })
    }
}

/// Links the new lines, and gives the edits on others. `changed` is in order.
pub(super) fn relinked(view: &View<'_>, links: &Links, changed: &mut [Line]) -> io::Result<Vec<Relinked>> {
    let mut chain = Chain::default();
    let mut own_parents: HashMap<u64, Name> = HashMap::new();
    let name_of = |record: &Stored| member(record.root(), links.name).filter(|name| is_name(name));
    let parent_of = |record: &Stored| member(record.root(), links.parent).unwrap_or_else(null);
    for Line { record, .. } in changed.iter().filter(|line| line.goes) {
        if let Some(name) = name_of(record) {
            chain.before.insert(name.clone(), parent_of(record));
            chain.at.insert(name, record.at);
        }
    }
    let new = changed.iter().flat_map(|line| line.beside.before.iter().chain(&line.beside.behind));
    chain.moved = new
        .filter_map(|text| read(text, |line| member(line, links.name)))
        .filter(|name| chain.before.contains_key(name))
        .collect();
    for Line { record, goes, beside } in changed.iter_mut().filter(|line| !line.beside.is_empty()) {
        let Some(name) = name_of(record) else { continue };
        let before = link(&mut beside.before, links, chain.left(&parent_of(record)));
        if !beside.before.is_empty() {
            own_parents.insert(record.at.start, before.clone());
        }
        let behind = link(&mut beside.behind, links, if *goes { before } else { name.clone() });
        if !beside.behind.is_empty() {
            chain.behind.insert(name.clone(), behind);
            chain.at.insert(name, record.at);
        }
    }
    let gone: HashSet<u64> = changed.iter().filter(|line| line.goes).map(|line| line.record.at.start).collect();
    let mut edits = Vec::new();
    each_line(view, &mut |val, base, at, number| {
        if gone.contains(&at.start) {
            return;
        }
        let mut relink = |val: Val<'_>, name: Name, because: Option<&Place>| {
            if *val.raw() != *name {
                let because = because.copied().unwrap_or(at);
                let edit = Edit::replace(base.of(val), name.to_vec());
                edits.push(Relinked { edit, line: (at, number), because });
            }
        };
        if let Some(parent) = val.get(links.parent) {
            let new = own_parents.get(&at.start).cloned().unwrap_or_else(|| chain.parent(parent.raw()));
            relink(parent, new, chain.at.get(parent.raw()));
        }
        let others = links.others.iter().filter_map(|path| val.at(path));
        for other in others.filter(|other| !chain.moved.contains(other.raw())) {
            relink(other, chain.left(other.raw()), chain.at.get(other.raw()));
        }
    })?;
    Ok(edits)
}

fn is_name(text: &[u8]) -> bool {
    text.len() > 2 && text.starts_with(b"\"")
}

fn null() -> Name {
    (*b"null").into()
}

/// The text of a member.
fn member(line: Option<Val<'_>>, key: &str) -> Option<Name> {
    Some(line?.get(key)?.raw().into())
}

/// What is to be known of a text; it gets `None` if that cannot be read.
fn read<T>(text: &[u8], see: impl FnOnce(Option<Val<'_>>) -> T) -> T {
    let mut tape = Tape::new();
    see(scan(text, &mut tape).ok().and_then(|()| tape.root(text)))
}

/// Links new lines to one another, and the first to the line before it. Gives the name of the last.
fn link(lines: &mut [Vec<u8>], links: &Links, mut last: Name) -> Name {
    for line in lines {
        *line = with(line, &[(links.parent, &last)]);
        last = read(line, |line| member(line, links.name)).unwrap_or(last);
    }
    last
}

/// A new line with other values of the members that it has.
pub(super) fn with(text: &[u8], members: &[(&str, &[u8])]) -> Vec<u8> {
    let base = Base::new(DocId(0), 0);
    let mut patch = Patch::default();
    patch.add(read(text, |line| -> Vec<Edit> {
        let members = members.iter().filter_map(|(key, new)| Some((line?.get(key)?, *new)));
        members.map(|(old, new)| Edit::replace(base.of(old), new)).collect()
    }));
    patched(text, &patch, DocId(0))
}

/// Hands over each line that can be read, with its place and number.
fn each_line(view: &View<'_>, see: &mut dyn FnMut(Val<'_>, Base<'_>, Place, u32)) -> io::Result<()> {
    let (Container::Lines { start } | Container::Document { start }) = view.container else { return Ok(()) };
    let (mut buf, mut tape, mut number) = (Vec::new(), Tape::new(), 0);
    for chunk in 0..lines::chunks(view.bytes.len(), start) {
        let read = lines::read(view.bytes, start, chunk, u64::from(u32::MAX), &mut buf)?;
        for (at, text) in lines::split(read.bytes) {
            let ended = u32::from(at + text.len() < read.bytes.len());
            let place = Place::new(view.id, read.start + at as u64, text.len() as u32 + ended);
            if let Some(line) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                see(line, Base::new(view.id, place.start), place, number);
            }
            number += u32::from(!text.trim_ascii().is_empty());
        }
    }
    Ok(())
}
