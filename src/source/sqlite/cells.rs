//! The cells of a history, as a doc: a line each, in their order.

use std::io;
use std::path::PathBuf;

use crate::place::{DocId, Edit, Pieces};
use crate::source::bytes::hinted::{KnownBytes, one_line};
use crate::source::bytes::hints::{Known, NotRead};
use crate::source::bytes::read::{Patched, ReadAt};
use crate::source::file_stamp::Packing;
use crate::source::segments::{self, Segment};

use super::key::{Id, Key};

/// A cell as it is in its row.
pub struct Cell {
    pub id: Id,
    pub text: Box<[u8]>,
    /// It is stored as text, not as bytes.
    pub is_text: bool,
    /// What its record holds around it.
    pub frame: Option<Frame>,
}

/// The other columns of a row, as the object that its cell is a member of.
pub struct Frame {
    /// What the row is called.
    pub kind: String,
    before: Vec<u8>,
    after: &'static [u8],
}

impl Frame {
    /// The members of the object, each with a comma after it; and whether the cell is one more.
    #[cfg(feature = "sqlite")]
    pub(super) fn new(kind: String, members: &[u8], has_cell: bool) -> Frame {
        let mut before = vec![b'{'];
        match has_cell {
            true => before.extend([members, b"\"data\":"].concat()),
            false => before.extend_from_slice(members.strip_suffix(b",").unwrap_or(members)),
        }
        if !has_cell {
            before.push(b'}');
        }
        Frame { kind, before, after: if has_cell { b"}" } else { b"" } }
    }

    /// The cell of a record.
    fn cell<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        record.strip_prefix(&self.before[..])?.strip_suffix(self.after)
    }
}

/// A history of a database.
pub struct Cells {
    /// The database, as it was given.
    pub path: PathBuf,
    pub key: Key,
    pub cells: Vec<Cell>,
}

/// A cell that a repair changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    pub id: Id,
    pub old: Box<[u8]>,
    pub is_text: bool,
    /// The new text; `None` if the row goes.
    pub new: Option<Vec<u8>>,
}

impl Cells {
    #[cfg(feature = "sqlite")]
    pub(super) fn new(path: &std::path::Path, key: Key, cells: Vec<Cell>) -> Cells {
        Cells { path: path.to_owned(), key, cells }
    }

    /// As it is printed.
    pub fn label(&self) -> String {
        format!("{}: {}", self.path.to_string_lossy(), self.key)
    }

    /// The file that something is written to which is made of this history.
    pub fn product(&self) -> PathBuf {
        self.key.product(&self.path)
    }

    /// The bytes of the doc, and where each cell lies in them.
    pub fn doc(&self) -> io::Result<(Box<dyn ReadAt>, Vec<Segment>)> {
        let mut text = Vec::new();
        let mut rows = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let start = text.len() as u64;
            let (before, after, kind) = match &cell.frame {
                Some(frame) => (&frame.before[..], frame.after, &*frame.kind),
                None => (&[][..], &[][..], "row"),
            };
            text.extend_from_slice(before);
            one_line(&cell.text, &mut text);
            text.extend_from_slice(after);
            text.push(b'\n');
            rows.push(Segment {
                label: format!("{}, {kind} {}", self.label(), cell.id),
                path: self.path.clone(),
                packing: Packing::Plain,
                stamp: None,
                start,
                len: text.len() as u64 - start,
                lines_before: 0,
                records_before: 0,
                is_base: false,
            });
        }
        let lines =
            KnownBytes::new(text, Known::Lines { format: self.key.store().format, rows: self.key.store().rows() });
        segments::number(&mut rows, &lines)?;
        Ok((Box::new(lines), rows))
    }

    /// The cells that edits on the doc change.
    pub fn changed(
        &self,
        id: DocId,
        bytes: &dyn ReadAt,
        rows: &[Segment],
        edits: &[Edit],
    ) -> io::Result<Vec<Changed>> {
        let mut changed = Vec::new();
        for (cell, row) in self.cells.iter().zip(rows) {
            let Some(own) = segments::own_edits(row, edits, id, bytes.len()) else { continue };
            let view = Patched::new(bytes, Pieces::new(&own, id, bytes.len()));
            let mut text = Vec::new();
            view.read_into(0, view.len() as usize, &mut text)?;
            text.truncate(text.trim_ascii_end().len());
            if let Some(frame) = cell.frame.as_ref().filter(|_| !text.is_empty()) {
                let why = || io::Error::other(format!("{} {} cannot be edited", frame.kind, cell.id));
                text = frame.cell(&text).ok_or_else(why)?.into();
            }
            let new = (!text.is_empty()).then_some(text);
            changed.push(Changed { id: cell.id.clone(), old: cell.text.clone(), is_text: cell.is_text, new });
        }
        Ok(changed)
    }
}

/// A doc of which nothing is read, and why.
pub fn unread(why: NotRead) -> Box<dyn ReadAt> {
    Box::new(KnownBytes::new(Vec::new(), Known::Unread(why)))
}
