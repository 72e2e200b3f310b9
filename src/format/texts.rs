//! Reading items again, by their places.

use std::io;

use crate::dialect::{Dialect, Names};
use crate::history::{Around, Flags, Row};
use crate::json::edit::Base;
use crate::json::string::Decoder;
use crate::json::{Spare, Str, Tape, Val, name, scan, string};
use crate::place::Place;
use crate::source::damage::Escaped;
use crate::source::split::{Piece, SplitError, split_at};
use crate::source::{ReadAt, framing};

/// A record that lies in memory as it stands in its doc, with what a scan of it left behind.
#[derive(Clone, Copy)]
pub struct Scanned<'s> {
    pub text: &'s [u8],
    pub tape: &'s Tape,
    /// Where it begins in the doc.
    pub start: u64,
}

impl<'s> Scanned<'s> {
    /// The value at a place of the doc, if it lies in the record.
    fn value(&self, at: Place) -> Option<Val<'s>> {
        let start = u32::try_from(at.start.checked_sub(self.start)?).ok()?;
        self.tape.at(self.text, start, start.checked_add(at.len)?)
    }
}

/// Reads the text at places of one doc.
pub struct Texts<'r> {
    bytes: &'r dyn ReadAt,
    dialect: &'static dyn Dialect,
    /// What need not be read again.
    scanned: Option<Scanned<'r>>,
}

impl<'r> Texts<'r> {
    /// `dialect` says how items are called.
    pub fn new(bytes: &'r dyn ReadAt, dialect: &'static dyn Dialect) -> Self {
        Texts { bytes, dialect, scanned: None }
    }

    /// The same, with a record of the doc that need not be read again.
    pub fn knowing(self, scanned: Option<Scanned<'r>>) -> Self {
        Texts { scanned, ..self }
    }

    /// The key of a request of the dialect that holds its items or messages.
    pub fn list_key(&self) -> &'static str {
        self.dialect.info().capabilities.list_key
    }

    pub fn scanned(&self) -> Option<Scanned<'r>> {
        self.scanned
    }

    pub fn bytes(&self) -> &'r dyn ReadAt {
        self.bytes
    }

    /// Calls `see` with the value at a place; `embedded` says that the place lies inside a JSON string. Gives `None` if
    /// the place cannot be read, or holds no value any more.
    pub fn see<T>(&self, at: Place, embedded: bool, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let mut spare = Spare::take();
        let Spare { text, tape } = &mut spare;
        let text = self.text(at, text)?;
        let plain = embedded.then(|| string::decode(text));
        let text = plain.as_deref().unwrap_or(text);
        if scan(text, tape).is_ok() {
            return tape.root(text).map(see);
        }
        let escaped = Escaped::of(text)?;
        scan(&escaped.text, tape).ok()?;
        tape.root(&escaped.text).map(see)
    }

    /// The text at a place: of a doc in memory where it lies, else read into `buf`.
    fn text<'t>(&'t self, at: Place, buf: &'t mut Vec<u8>) -> Option<&'t [u8]> {
        if let Some(bytes) = self.bytes.in_memory().filter(|bytes| at.end() <= bytes.len() as u64) {
            let start = usize::try_from(at.start).ok()?;
            return bytes.get(start..start.checked_add(at.len as usize)?);
        }
        self.bytes.read_into(at.start, at.len as usize, buf).ok()?;
        Some(buf)
    }

    /// Calls `see` with the body of a request, and where its text lies in the doc.
    pub fn body<T>(&self, around: Around, see: impl FnOnce(Val<'_>, Base<'_>) -> T) -> Option<T> {
        let at = around.at;
        if let Some(scanned) = self.scanned.filter(|_| !around.embedded)
            && let Some(val) = scanned.value(at)
        {
            return Some(see(val, Base::new(at.doc, scanned.start)));
        }
        let mut spare = Spare::take();
        let Spare { text, tape } = &mut spare;
        let text = self.text(at, text)?;
        if !around.embedded && scan(text, tape).is_ok() {
            return tape.root(text).map(|val| see(val, Base::new(at.doc, at.start)));
        }
        let (plain, runs) = match around.embedded {
            true => decoded(text, at.start),
            false => {
                let escaped = Escaped::of(text)?;
                let runs = escaped.runs_from(at.start);
                (escaped.text, runs)
            }
        };
        scan(&plain, tape).ok()?;
        tape.root(&plain).map(|val| see(val, Base::of_runs(at.doc, &runs)))
    }

    /// Hands out the body of a large request piece by piece: the elements of its list, which has this key, and the rest
    /// with that list empty. `false` if the request is not large, or cannot be read so.
    pub fn pieces(
        &self,
        around: Around,
        key: &str,
        each: &mut dyn FnMut(Val<'_>, Base<'_>, Share),
    ) -> io::Result<bool> {
        let at = around.at;
        let is_scanned = self.scanned.is_some_and(|scanned| scanned.value(at).is_some());
        let is_stored = at.end() <= self.bytes.len();
        if u64::from(at.len) <= framing::WHOLE_DOCUMENT || around.embedded || is_scanned || !is_stored {
            return Ok(false);
        }
        let bytes = &Ended { bytes: self.bytes, end: at.end() };
        let mut share = |wanted: Share| {
            split_at(bytes, at.doc, at.start, u64::MAX / 2, Some(key), |piece, tape| {
                let (text, base, share) = match &piece {
                    Piece::Element { bytes, base, .. } => (*bytes, *base, Share::Element),
                    Piece::Head { bytes, base } => (*bytes, *base, Share::Rest),
                };
                if let Some(val) = tape.root(text).filter(|_| share == wanted) {
                    each(val, base, share);
                }
                true
            })
        };
        // What comes first in the request is handed out first.
        let mut order = [Share::Rest, Share::Element];
        if self.begins_with(at, key) {
            order.reverse();
        }
        for (n, wanted) in order.into_iter().enumerate() {
            match share(wanted) {
                Ok(()) => {}
                Err(SplitError::Io(error)) => return Err(error),
                // The rest comes last, so nothing was handed out.
                Err(_) if n == 0 && wanted == Share::Rest => return Ok(false),
                Err(_) => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(true)
    }

    /// Whether an object begins with a member of this name.
    fn begins_with(&self, at: Place, key: &str) -> bool {
        let mut head = vec![0; 256];
        let read = self.bytes.read_at(at.start, &mut head).unwrap_or_default();
        let text = head.get(..read).unwrap_or_default().strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
        text.strip_prefix(b"\"").is_some_and(|text| text.starts_with([key, "\""].concat().as_bytes()))
    }

    /// What an item is called by.
    pub fn called<'t>(&self, item: Val<'t>) -> Option<Names<'t>> {
        self.dialect.info().names.and_then(|names| names(item))
    }

    /// The id of an item, where it has one.
    pub fn id_of<'t>(&self, item: Val<'t>) -> Option<Str<'t>> {
        match self.called(item) {
            Some(names) => names.id,
            None => item.get(name::id).and_then(|id| id.as_str()),
        }
    }

    /// The same for an item.
    pub fn item<T>(&self, row: &Row, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        self.see(row.at, row.has(Flags::EMBEDDED), see)
    }
}

/// A share of a large request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// An element of its list.
    Element,
    /// The request without the elements of its list.
    Rest,
}

/// A doc up to an offset.
struct Ended<'r> {
    bytes: &'r dyn ReadAt,
    end: u64,
}

impl ReadAt for Ended<'_> {
    fn len(&self) -> u64 {
        self.end
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(start)).unwrap_or(usize::MAX).min(buf.len());
        self.bytes.read_at(start, buf.get_mut(..most).unwrap_or_default())
    }
}

/// What the inside of a JSON string that is at `start` says, and of which offsets each run of it comes.
fn decoded(text: &[u8], start: u64) -> (Vec<u8>, Vec<(u32, u64)>) {
    let (mut plain, mut runs) = (Vec::new(), Vec::new());
    let mut decoder = Decoder::new(text);
    loop {
        let from = start + decoder.offset() as u64;
        let Some(part) = decoder.next_part() else { break };
        runs.push((plain.len() as u32, from));
        plain.extend_from_slice(part.as_bytes());
    }
    (plain, runs)
}
