//! Lines that name one another: what followed a line that goes follows the one before it, and what followed a line after
//! which others come follows the last of these.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::format::Links;
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Edit, Patch, Place};
use crate::source::{Container, lines};

use super::view::{Stored, View};
use crate::repair::edit::item_text::patched;

/// A line that goes, or beside which others come.
pub(super) struct Line {
    /// With its end.
    pub at: Place,
    pub text: Vec<u8>,
    pub goes: bool,
    pub before: Vec<Vec<u8>>,
    pub behind: Vec<Vec<u8>>,
}

/// Lines that change as a whole, in order.
#[derive(Default)]
pub(super) struct Changed {
    pub lines: Vec<Line>,
}

impl Changed {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn note(&mut self, record: &Stored, goes: bool, before: &[Vec<u8>], behind: &[Vec<u8>]) {
        let (at, text) = (record.at, record.text.clone());
        self.lines.push(Line { at, text, goes, before: before.to_vec(), behind: behind.to_vec() });
    }
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
        (*b"null").into()
    }

    /// What a line is to follow that follows this one.
    fn parent(&self, name: &[u8]) -> Name {
        self.behind.get(name).cloned().unwrap_or_else(|| {
            let left = self.left(name);
            self.behind.get(&left).cloned().unwrap_or(left)
        })
    }
}

/// Links the new lines, and gives the edits on others.
pub(super) fn relinked(view: &View<'_>, links: &Links, changed: &mut Changed) -> io::Result<Vec<Relinked>> {
    let mut chain = Chain::default();
    let mut own_parents: HashMap<u64, Name> = HashMap::new();
    let of = |text: &[u8], key: &str| -> Option<Name> {
        let mut tape = Tape::new();
        scan(text, &mut tape).ok()?;
        let name = tape.root(text)?.get(key)?;
        Some(name.raw().into())
    };
    for line in changed.lines.iter().filter(|line| line.goes) {
        if let Some(name) = of(&line.text, links.name).filter(|name| is_name(name)) {
            let parent = of(&line.text, links.parent).unwrap_or_else(|| (*b"null").into());
            chain.before.insert(name.clone(), parent);
            chain.at.insert(name, line.at);
        }
    }
    let new = changed.lines.iter().flat_map(|line| line.before.iter().chain(&line.behind));
    chain.moved =
        new.filter_map(|text| of(text, links.name)).filter(|name| chain.before.contains_key(name)).collect();
    for line in &mut changed.lines {
        let Some(name) = of(&line.text, links.name).filter(|name| is_name(name)) else { continue };
        let parent = of(&line.text, links.parent).unwrap_or_else(|| (*b"null").into());
        let mut last = chain.left(&parent);
        for new in &mut line.before {
            *new = with_parent(new, links, &last);
            last = of(new, links.name).unwrap_or(last);
        }
        if !line.before.is_empty() {
            own_parents.insert(line.at.start, last.clone());
        }
        let mut last = if line.goes { last } else { name.clone() };
        for new in &mut line.behind {
            *new = with_parent(new, links, &last);
            last = of(new, links.name).unwrap_or(last);
        }
        if !line.behind.is_empty() {
            chain.behind.insert(name.clone(), last);
            chain.at.insert(name, line.at);
        }
    }
    let goes: HashMap<u64, bool> = changed.lines.iter().map(|line| (line.at.start, line.goes)).collect();
    let mut edits = Vec::new();
    each_line(view, &mut |val, base, at, number| {
        if goes.get(&at.start) == Some(&true) {
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

/// A new line with another parent.
fn with_parent(text: &[u8], links: &Links, parent: &[u8]) -> Vec<u8> {
    let mut tape = Tape::new();
    let root = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
    let Some(val) = root.and_then(|root| root.get(links.parent)) else { return text.to_vec() };
    let mut patch = Patch::default();
    patch.add([Edit::replace(Base::new(DocId(0), 0).of(val), parent)]);
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
