//! The lines of a session, with their links.

use std::cell::OnceCell;
use std::io;

use foldhash::HashMap;

use crate::history::Row;
use crate::json::{Tape, Val, fingerprint, fingerprint_of, scan};
use crate::place::{DocId, Place};
use crate::source::{ReadAt, lines};

use super::table::{LINKS, LineKeys, OWN_RESULT};

/// One line of a session.
#[derive(Default)]
pub struct LinkedLine {
    /// Its place, with the line end.
    pub at: Place,
    /// Number of the record.
    pub record: u32,
    /// Fingerprint of its name; as for the following ones, 0 if it has none.
    pub name: u64,
    pub parent: u64,
    pub thread: u64,
    /// Id of the response that it is a part of.
    pub message: u64,
    pub kind: u64,
    /// True if other lines may be linked to it.
    pub is_anchor: bool,
    /// True if it is longer than the limit of records and was not read.
    pub is_unread: bool,
    /// Number of blocks of its message.
    pub blocks: u32,
    pub calls: Vec<u64>,
    pub results: Vec<u64>,
    /// Names of other lines that it refers to, besides its parent.
    pub links: Vec<u64>,
    /// True if its agent also stores the result in a form of its own.
    pub has_own_result: bool,
}

impl LinkedLine {
    /// Its text, with the line end.
    pub fn text(&self, bytes: &dyn ReadAt) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        bytes.read_into(self.at.start, self.at.len as usize, &mut text)?;
        Ok(text)
    }
}

/// All readable lines, and those that are too long to be read, in order.
#[derive(Default)]
pub struct LinkedLines {
    pub list: Vec<LinkedLine>,
    /// The text of each name, with quotes.
    names: HashMap<u64, Box<[u8]>>,
    /// The first line with a name.
    by_name: HashMap<u64, u32>,
    /// All lines with a name that several have.
    copies: HashMap<u64, Vec<u32>>,
    /// The lines of each response, by its id and thread; built when first needed.
    responses: OnceCell<HashMap<(u64, u64), Vec<u32>>>,
    /// Returned for an index without a line.
    none: LinkedLine,
}

impl LinkedLines {
    pub fn read(
        id: DocId,
        bytes: &dyn ReadAt,
        start: u64,
        limit: u64,
        keys: &LineKeys,
    ) -> io::Result<LinkedLines> {
        let mut all = LinkedLines::default();
        let (mut buf, mut tape, mut record) = (Vec::new(), Tape::new(), 0);
        for chunk in 0..lines::chunk_count(bytes.len(), start) {
            let read = lines::read_chunk(bytes, start, chunk, limit, &mut buf)?;
            for (at, text) in lines::split(read.bytes) {
                let ended = u32::from(at + text.len() < read.bytes.len());
                let place = Place::new(id, read.start + at as u64, text.len() as u32 + ended);
                if text.trim_ascii().len() as u64 > limit {
                    all.list.push(LinkedLine { at: place, record, is_unread: true, ..LinkedLine::default() });
                } else if let Some(line) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
                    all.add(line, place, record, keys);
                }
                record += u32::from(!text.trim_ascii().is_empty());
            }
            if let Some(start) = read.too_long {
                all.list.push(LinkedLine {
                    at: Place::new(id, start, 0),
                    record,
                    is_unread: true,
                    ..LinkedLine::default()
                });
                record += 1;
            }
        }
        Ok(all)
    }

    fn add(&mut self, line: Val<'_>, at: Place, record: u32, keys: &LineKeys) {
        let name = name_of(line, &[keys.name]);
        if let Some(text) = line.get(keys.name).filter(|_| name != 0) {
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
        let ids = |field: &str| blocks().map(|block| name_of(block, &[field])).filter(|key| *key != 0).collect();
        let part = |key: &&str| {
            line.get(key).filter(|val| val.as_bool() != Some(false)).map_or(&b""[..], |val| val.raw())
        };
        let thread: Vec<&[u8]> = keys.thread.iter().map(part).collect();
        self.list.push(LinkedLine {
            at,
            record,
            name,
            parent: name_of(line, &[keys.parent]),
            thread: fingerprint_of(&thread.join(&b"\n"[..])),
            message: if &*kind == b"assistant" { name_of(line, &["message", "id"]) } else { 0 },
            kind: fingerprint_of(&kind),
            is_anchor: if keys.anchors.is_empty() {
                line.get(keys.parent).is_some()
            } else {
                keys.anchors.contains(&kind.as_ref())
            },
            is_unread: false,
            blocks: blocks().count() as u32,
            calls: if &*kind == b"assistant" { ids("id") } else { Vec::new() },
            results: ids("tool_use_id"),
            has_own_result: line.get(OWN_RESULT).is_some_and(|own| own.raw() != b"null"),
            links: LINKS.iter().map(|path| name_of(line, path)).filter(|name| *name != 0).collect(),
        });
    }

    /// The line that contains an offset.
    pub fn at(&self, offset: u64) -> Option<u32> {
        let ix = self.list.partition_point(|line| line.at.start <= offset).checked_sub(1)?;
        self.list.get(ix).is_some_and(|line| offset < line.at.end()).then_some(ix as u32)
    }

    pub fn line(&self, ix: u32) -> &LinkedLine {
        self.list.get(ix as usize).unwrap_or(&self.none)
    }

    pub fn named(&self, name: u64) -> Option<u32> {
        self.by_name.get(&name).copied()
    }

    /// The other lines with the name of this one.
    pub fn copies(&self, ix: u32) -> impl Iterator<Item = u32> + '_ {
        self.copies.get(&self.line(ix).name).into_iter().flatten().copied().filter(move |other| *other != ix)
    }

    /// All lines of the response that a line is a part of, in order; empty if it is part of none.
    pub fn response_of(&self, ix: u32) -> &[u32] {
        let all = self.responses.get_or_init(|| {
            let mut all: HashMap<(u64, u64), Vec<u32>> = HashMap::default();
            for ix in self.indices().filter(|ix| self.line(*ix).message != 0) {
                all.entry((self.line(ix).message, self.line(ix).thread)).or_default().push(ix);
            }
            all
        });
        all.get(&(self.line(ix).message, self.line(ix).thread)).map_or(&[], Vec::as_slice)
    }

    /// The name of the previous line of the same response, if that has no parent; otherwise 0.
    pub fn root_before(&self, ix: u32) -> u64 {
        let own = self.response_of(ix);
        let before = own.partition_point(|other| *other < ix).checked_sub(1).and_then(|n| own.get(n));
        before.map(|before| self.line(*before)).filter(|before| before.parent == 0).map_or(0, |before| before.name)
    }

    /// The line of a result, if its message contains nothing else.
    pub fn line_with_only(&self, result: &Row) -> Option<u32> {
        let ix = self.at(result.at.start)?;
        let line = self.line(ix);
        (line.name != 0 && line.blocks == 1 && line.results.len() == 1).then_some(ix)
    }

    /// The text of a name as JSON.
    pub fn text(&self, name: u64) -> &[u8] {
        self.names.get(&name).map_or(b"null", |text| text)
    }

    pub fn add_name(&mut self, text: Vec<u8>) -> u64 {
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
