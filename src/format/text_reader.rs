//! Reads items again, by their places.

use std::io;

use crate::dialect::{Dialect, ItemIds};
use crate::history::{Flags, RequestBody, Row};
use crate::json::edit::RecordBase;
use crate::json::string::Decoder;
use crate::json::{ScratchBuffers, Str, Tape, Val, name, scan, string};
use crate::place::Place;
use crate::source::damage::EscapedText;
use crate::source::split::{DocumentPiece, SplitError, split_at};
use crate::source::{ReadAt, framing};

/// A record in memory, as it is in its document, with its tape.
#[derive(Clone, Copy)]
pub struct ScannedRecord<'s> {
    pub text: &'s [u8],
    pub tape: &'s Tape,
    /// Its offset in the document.
    pub start: u64,
}

impl<'s> ScannedRecord<'s> {
    /// The value at a place of the document, if it is in the record.
    pub fn value(&self, at: Place) -> Option<Val<'s>> {
        let start = u32::try_from(at.start.checked_sub(self.start)?).ok()?;
        self.tape.at(self.text, start, start.checked_add(at.len)?)
    }
}

/// Reads the text at places of one document.
pub struct TextReader<'r> {
    bytes: &'r dyn ReadAt,
    dialect: &'static dyn Dialect,
    /// A record that need not be read again.
    scanned: Option<ScannedRecord<'r>>,
}

impl<'r> TextReader<'r> {
    /// Creates a reader. `dialect` knows the ids of items.
    pub fn new(bytes: &'r dyn ReadAt, dialect: &'static dyn Dialect) -> Self {
        TextReader { bytes, dialect, scanned: None }
    }

    /// The same, with a record of the document that need not be read again.
    pub fn with_scanned(self, scanned: Option<ScannedRecord<'r>>) -> Self {
        TextReader { scanned, ..self }
    }

    /// The key of the list of items or messages in a request of the dialect.
    pub fn list_key(&self) -> &'static str {
        self.dialect.info().capabilities.list_key
    }

    /// The record that need not be read again, if any.
    pub fn scanned(&self) -> Option<ScannedRecord<'r>> {
        self.scanned
    }

    /// The bytes of the document.
    pub fn bytes(&self) -> &'r dyn ReadAt {
        self.bytes
    }

    /// Calls `see` with the value at a place; `embedded` is true if the place is inside a JSON string. Returns `None` if the
    /// place cannot be read, or is no longer a value.
    pub fn with_value<T>(&self, at: Place, embedded: bool, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let mut spare = ScratchBuffers::acquire();
        let ScratchBuffers { text, tape } = &mut spare;
        let text = self.text(at, text)?;
        let plain = embedded.then(|| string::decode(text));
        let text = plain.as_deref().unwrap_or(text);
        if scan(text, tape).is_ok() {
            return tape.root(text).map(see);
        }
        let escaped = EscapedText::of(text)?;
        scan(&escaped.text, tape).ok()?;
        tape.root(&escaped.text).map(see)
    }

    /// The text at a place: borrowed from a document in memory, else read into `buf`.
    fn text<'t>(&'t self, at: Place, buf: &'t mut Vec<u8>) -> Option<&'t [u8]> {
        self.bytes.borrow_or_read(at.start, at.len as usize, buf).ok()
    }

    /// Calls `see` with the body of a request, and the base of its offsets in the document.
    pub fn with_body<T>(&self, around: RequestBody, see: impl FnOnce(Val<'_>, RecordBase<'_>) -> T) -> Option<T> {
        let at = around.at;
        if let Some(scanned) = self.scanned.filter(|_| !around.embedded)
            && let Some(val) = scanned.value(at)
        {
            return Some(see(val, RecordBase::new(at.doc, scanned.start)));
        }
        let mut spare = ScratchBuffers::acquire();
        let ScratchBuffers { text, tape } = &mut spare;
        let text = self.text(at, text)?;
        if !around.embedded && scan(text, tape).is_ok() {
            return tape.root(text).map(|val| see(val, RecordBase::new(at.doc, at.start)));
        }
        let (plain, runs) = match around.embedded {
            true => decode_string(text, at.start),
            false => {
                let escaped = EscapedText::of(text)?;
                let runs = escaped.runs_from(at.start);
                (escaped.text, runs)
            }
        };
        scan(&plain, tape).ok()?;
        tape.root(&plain).map(|val| see(val, RecordBase::of_runs(at.doc, &runs)))
    }

    /// Calls `each` with the pieces of a large body: the elements of the list under `key`, and the rest with that list
    /// empty. Returns false if the request is not large, or cannot be split.
    pub fn for_each_piece(
        &self,
        around: RequestBody,
        key: &str,
        each: &mut dyn FnMut(Val<'_>, RecordBase<'_>, BodyPiece),
    ) -> io::Result<bool> {
        let at = around.at;
        let is_scanned = self.scanned.is_some_and(|scanned| scanned.value(at).is_some());
        let is_stored = at.end() <= self.bytes.len();
        if u64::from(at.len) <= framing::MAX_WHOLE_DOCUMENT || around.embedded || is_scanned || !is_stored {
            return Ok(false);
        }
        let bytes = &PrefixReader { bytes: self.bytes, end: at.end() };
        let mut share = |wanted: BodyPiece| {
            split_at(bytes, at.doc, at.start, u64::MAX / 2, &|member| member == key, |piece, tape| {
                let (text, base, share) = match &piece {
                    DocumentPiece::Element { bytes, base, .. } => (*bytes, *base, BodyPiece::Element),
                    DocumentPiece::Head { bytes, base } => (*bytes, *base, BodyPiece::Rest),
                };
                if let Some(val) = tape.root(text).filter(|_| share == wanted) {
                    each(val, base, share);
                }
                true
            })
        };
        // Pieces come in the order of the request.
        let mut order = [BodyPiece::Rest, BodyPiece::Element];
        if self.begins_with(at, key) {
            order.reverse();
        }
        for (n, wanted) in order.into_iter().enumerate() {
            match share(wanted) {
                Ok(()) => {}
                Err(SplitError::Io(error)) => return Err(error),
                // The rest comes last, so no piece was passed on.
                Err(_) if n == 0 && wanted == BodyPiece::Rest => return Ok(false),
                Err(_) => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(true)
    }

    /// True if an object begins with a member of this name.
    fn begins_with(&self, at: Place, key: &str) -> bool {
        let mut head = vec![0; 256];
        let read = self.bytes.read_at(at.start, &mut head).unwrap_or_default();
        let text = head.get(..read).unwrap_or_default().strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
        text.strip_prefix(b"\"").is_some_and(|text| text.starts_with([key, "\""].concat().as_bytes()))
    }

    /// The ids of an item.
    pub fn ids<'t>(&self, item: Val<'t>) -> Option<ItemIds<'t>> {
        self.dialect.info().item_ids.and_then(|names| names(item))
    }

    /// The id of an item, if it has one.
    pub fn id_of<'t>(&self, item: Val<'t>) -> Option<Str<'t>> {
        match self.ids(item) {
            Some(names) => names.id,
            None => item.get(name::id).and_then(|id| id.as_str()),
        }
    }

    /// Calls `see` with an item. Returns `None` if it cannot be read.
    pub fn with_item<T>(&self, row: &Row, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        self.with_value(row.at, row.has(Flags::EMBEDDED), see)
    }
}

/// A piece of a large request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyPiece {
    /// An element of its list.
    Element,
    /// The request without the elements of its list.
    Rest,
}

/// A document up to an offset.
struct PrefixReader<'r> {
    bytes: &'r dyn ReadAt,
    end: u64,
}

impl ReadAt for PrefixReader<'_> {
    fn len(&self) -> u64 {
        self.end
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(start)).unwrap_or(usize::MAX).min(buf.len());
        self.bytes.read_at(start, buf.get_mut(..most).unwrap_or_default())
    }
}

/// The decoded content of a JSON string at `start`, and the offset that each run of it comes from.
fn decode_string(text: &[u8], start: u64) -> (Vec<u8>, Vec<(u32, u64)>) {
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
