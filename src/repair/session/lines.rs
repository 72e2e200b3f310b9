//! The lines of a session, as far as their links are concerned.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;

use crate::history::Row;
use crate::json::{Tape, Val, fingerprint, fingerprint_of, scan};
use crate::place::{DocId, Place};
use crate::source::{ReadAt, lines};

use super::table::{ANCHORS, LINKS, NAME, OWN_RESULT, PARENT, THREAD};

/// One line.
#[derive(Default)]
pub struct Line {
    /// With its end.
    pub at: Place,
    /// Number of the record.
    pub record: u32,
    /// Fingerprints; 0 where it has none.
    pub name: u64,
    pub parent: u64,
    pub thread: u64,
    /// Of the response that it is a line of.
    pub message: u64,
    pub kind: u64,
    /// Another line may be linked to it.
    pub is_anchor: bool,
    /// It is longer than records may be: what it says is not known here, but whoever reads the session knows.
    pub is_unread: bool,
    /// Number of blocks of its message.
    pub blocks: u32,
    pub calls: Vec<u64>,
    pub results: Vec<u64>,
    /// Names of lines that it holds besides that of its parent.
    pub links: Vec<u64>,
    /// Its agent keeps the result in a form of its own, too.
    pub has_own_result: bool,
}

impl Line {
    /// Its text, with its end.
    pub fn text(&self, bytes: &dyn ReadAt) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        bytes.read_into(self.at.start, self.at.len as usize, &mut text)?;
        Ok(text)
    }
}

/// All lines that can be read, and those that are too long to be, in order.
#[derive(Default)]
pub struct Lines {
    pub list: Vec<Line>,
    /// The text of each name, with its quotes.
    names: HashMap<u64, Box<[u8]>>,
    /// The first line with a name.
    by_name: HashMap<u64, u32>,
    /// All lines with a name that several have.
    copies: HashMap<u64, Vec<u32>>,
    /// The lines of each response, which is known by its id and its thread; made when it is asked for.
    responses: OnceCell<HashMap<(u64, u64), Vec<u32>>>,
    /// What is asked for where no line is.
    none: Line,
}

impl Lines {
    pub fn read(id: DocId, bytes: &dyn ReadAt, start: u64, limit: u64) -> io::Result<Lines> {
        let mut all = Lines::default();
        let (mut buf, mut tape, mut record) = (Vec::new(), Tape::new(), 0);
        for chunk in 0..lines::chunks(bytes.len(), start) {
            let read = lines::read(bytes, start, chunk, limit, &mut buf)?;
            for (at, text) in lines::split(read.bytes) {
                let ended = u32::from(at + text.len() < read.bytes.len());
                let place = Place::new(id, read.start + at as u64, text.len() as u32 + ended);
                if text.trim_ascii().len() as u64 > limit {
                    all.list.push(Line { at: place, record, is_unread: true, ..Line::default() });
                } else if let Some(line) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                    all.add(line, place, record);
                }
                record += u32::from(!text.trim_ascii().is_empty());
            }
            if let Some(start) = read.too_long {
                all.list.push(Line { at: Place::new(id, start, 0), record, is_unread: true, ..Line::default() });
                record += 1;
            }
        }
        Ok(all)
    }

    fn add(&mut self, line: Val<'_>, at: Place, record: u32) {
        let name = name_of(line, &[NAME]);
        if let Some(text) = line.get(NAME).filter(|_| name != 0) {
            self.names.entry(name).or_insert_with(|| text.raw().into());
            let ix = self.list.len() as u32;
            let first = *self.by_name.entry(name).or_insert(ix);
            if first != ix {
                self.copies.entry(name).or_insert_with(|| vec![first]).push(ix);
            }
        }
        let kind = line.get("type").and_then(|kind| kind.text()).unwrap_or_default();
        let content = line.at(&["message", "content"]);
        let blocks = || content.into_iter().flat_map(|content| content.elements());
        let keys = |field: &str| blocks().map(|block| name_of(block, &[field])).filter(|key| *key != 0).collect();
        let part = |key: &&str| {
            line.get(key).filter(|val| val.as_bool() != Some(false)).map_or(&b""[..], |val| val.raw())
        };
        let thread: Vec<&[u8]> = THREAD.iter().map(part).collect();
        self.list.push(Line {
            at,
            record,
            name,
            parent: name_of(line, &[PARENT]),
            thread: fingerprint_of(&thread.join(&b"\n"[..])),
            message: if &*kind == b"assistant" { name_of(line, &["message", "id"]) } else { 0 },
            kind: fingerprint_of(&kind),
            is_anchor: ANCHORS.contains(&kind.as_ref()),
            is_unread: false,
            blocks: blocks().count() as u32,
            calls: if &*kind == b"assistant" { keys("id") } else { Vec::new() },
            results: keys("tool_use_id"),
            has_own_result: line.get(OWN_RESULT).is_some_and(|own| own.raw() != b"null"),
            links: LINKS.iter().map(|path| name_of(line, path)).filter(|name| *name != 0).collect(),
        });
    }

    /// The line in which an offset lies.
    pub fn at(&self, offset: u64) -> Option<u32> {
        let ix = self.list.partition_point(|line| line.at.start <= offset).checked_sub(1)?;
        self.list.get(ix).is_some_and(|line| offset < line.at.end()).then_some(ix as u32)
    }

    pub fn line(&self, ix: u32) -> &Line {
        self.list.get(ix as usize).unwrap_or(&self.none)
    }

    pub fn named(&self, name: u64) -> Option<u32> {
        self.by_name.get(&name).copied()
    }

    /// The other lines with the name of this one.
    pub fn copies(&self, ix: u32) -> impl Iterator<Item = u32> + '_ {
        self.copies.get(&self.line(ix).name).into_iter().flatten().copied().filter(move |other| *other != ix)
    }

    /// All lines of the response that a line is one of, in order; none if it is of no response.
    pub fn response_of(&self, ix: u32) -> &[u32] {
        let all = self.responses.get_or_init(|| {
            let mut all: HashMap<(u64, u64), Vec<u32>> = HashMap::new();
            for ix in self.indices().filter(|ix| self.line(*ix).message != 0) {
                all.entry((self.line(ix).message, self.line(ix).thread)).or_default().push(ix);
            }
            all
        });
        all.get(&(self.line(ix).message, self.line(ix).thread)).map_or(&[], Vec::as_slice)
    }

    /// Of the lines of a response that follow none, the name of the one before this one; 0 if there is none.
    pub fn root_before(&self, ix: u32) -> u64 {
        let own = self.response_of(ix);
        let before = own.partition_point(|other| *other < ix).checked_sub(1).and_then(|n| own.get(n));
        before.map(|before| self.line(*before)).filter(|before| before.parent == 0).map_or(0, |before| before.name)
    }

    /// The line of a result, if its message holds nothing else.
    pub fn holding_only(&self, result: &Row) -> Option<u32> {
        let ix = self.at(result.at.start)?;
        let line = self.line(ix);
        (line.name != 0 && line.blocks == 1 && line.results.len() == 1).then_some(ix)
    }

    /// The text of a name as JSON.
    pub fn text(&self, name: u64) -> &[u8] {
        self.names.get(&name).map_or(b"null", |text| text)
    }

    pub fn name_as(&mut self, text: Vec<u8>) -> u64 {
        let name = fingerprint_of(
            text.trim_ascii().strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(&text),
        );
        self.names.insert(name, text.into());
        name
    }

    pub fn has(&self, name: u64) -> bool {
        self.names.contains_key(&name)
    }

    pub fn indices(&self) -> std::ops::Range<u32> {
        0..self.list.len() as u32
    }
}

fn name_of(val: Val<'_>, path: &[&str]) -> u64 {
    val.at(path).and_then(|val| val.as_str()).filter(|text| !text.is_empty()).map_or(0, fingerprint)
}
