//! Reading items again, by their places.

use std::cell::RefCell;

use crate::dialect::{Dialect, Names};
use crate::history::{Around, Flags, Row};
use crate::json::edit::Base;
use crate::json::string::Decoder;
use crate::json::{Str, Tape, Val, scan, string};
use crate::place::Place;
use crate::source::ReadAt;
use crate::source::damage::Escaped;

/// Reads the text at places of one doc.
pub struct Texts<'r> {
    bytes: &'r dyn ReadAt,
    dialect: &'static dyn Dialect,
    scratch: RefCell<Vec<(Vec<u8>, Tape)>>,
}

impl<'r> Texts<'r> {
    /// `dialect` says how items are called.
    pub fn new(bytes: &'r dyn ReadAt, dialect: &'static dyn Dialect) -> Self {
        Texts { bytes, dialect, scratch: RefCell::new(Vec::new()) }
    }

    /// Calls `see` with the value at a place; `embedded` says that the place lies inside a JSON string. Gives `None` if
    /// the place cannot be read, or holds no value any more.
    pub fn see<T>(&self, at: Place, embedded: bool, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let (mut text, mut tape) = self.scratch.borrow_mut().pop().unwrap_or_default();
        let found = self.bytes.read_into(at.start, at.len as usize, &mut text).ok().and_then(|()| {
            if embedded {
                text = string::decode(&text);
            }
            if scan(&text, &mut tape).is_err() {
                text = Escaped::of(&text)?.text;
                scan(&text, &mut tape).ok()?;
            }
            tape.root(&text).map(see)
        });
        self.scratch.borrow_mut().push((text, tape));
        found
    }

    /// Calls `see` with the body of a request, and where its text lies in the doc.
    pub fn body<T>(&self, around: Around, see: impl FnOnce(Val<'_>, Base<'_>) -> T) -> Option<T> {
        let at = around.at;
        let mut text = Vec::new();
        self.bytes.read_into(at.start, at.len as usize, &mut text).ok()?;
        let (mut plain, mut runs) = (Vec::new(), Vec::new());
        if around.embedded {
            let mut decoder = Decoder::new(&text);
            loop {
                let from = at.start + decoder.offset() as u64;
                let Some(part) = decoder.next_part() else { break };
                runs.push((plain.len() as u32, from));
                plain.extend_from_slice(part.as_bytes());
            }
        }
        let mut tape = Tape::new();
        if !around.embedded && scan(&text, &mut tape).is_err() {
            let escaped = Escaped::of(&text)?;
            (plain, runs) = (Vec::new(), escaped.runs_from(at.start));
            text = escaped.text;
        }
        let (text, base) = match around.embedded {
            true => (&plain, Base::of_runs(at.doc, &runs)),
            false if runs.is_empty() => (&text, Base::new(at.doc, at.start)),
            false => (&text, Base::of_runs(at.doc, &runs)),
        };
        scan(text, &mut tape).ok()?;
        tape.root(text).map(|val| see(val, base))
    }

    /// What an item is called by.
    pub fn called<'t>(&self, item: Val<'t>) -> Option<Names<'t>> {
        self.dialect.names(item)
    }

    /// The id of an item, where it has one.
    pub fn id_of<'t>(&self, item: Val<'t>) -> Option<Str<'t>> {
        match self.called(item) {
            Some(names) => names.id,
            None => item.get("id").and_then(|id| id.as_str()),
        }
    }

    /// The same for an item.
    pub fn item<T>(&self, row: &Row, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        self.see(row.at, row.has(Flags::EMBEDDED), see)
    }
}
