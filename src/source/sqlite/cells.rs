//! The cells of a history as a doc: one per line, in order.

use std::io;
use std::path::PathBuf;

use crate::place::{DocId, Edit, Pieces};
use crate::source::bytes::hinted::{HintedBytes, append_one_line};
use crate::source::bytes::hints::{ByteHints, UnreadReason};
use crate::source::bytes::read::{PatchedView, ReadAt};
use crate::source::file_stamp::Packing;
use crate::source::segments::{self, Segment};

use super::key::{HistoryKey, RowId};

/// A cell of a database.
pub struct Cell {
    pub id: RowId,
    pub text: Box<[u8]>,
    /// Stored as text, not as a blob.
    pub is_text: bool,
    /// The other columns of its record; `None` if the cell is the whole record.
    pub frame: Option<RowFrame>,
}

/// The other columns of a row, as the object that its cell is a member of.
pub struct RowFrame {
    /// The name of this kind of row in messages.
    pub kind: String,
    before: Vec<u8>,
    after: &'static [u8],
}

impl RowFrame {
    /// `members` are those of the object, each followed by a comma; `has_cell`: the cell is one more.
    #[cfg(feature = "sqlite")]
    pub(super) fn new(kind: String, members: &[u8], has_cell: bool) -> RowFrame {
        let mut before = vec![b'{'];
        match has_cell {
            true => before.extend([members, b"\"data\":"].concat()),
            false => before.extend_from_slice(members.strip_suffix(b",").unwrap_or(members)),
        }
        if !has_cell {
            before.push(b'}');
        }
        RowFrame { kind, before, after: if has_cell { b"}" } else { b"" } }
    }

    /// The cell of a record.
    fn cell<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        record.strip_prefix(&self.before[..])?.strip_suffix(self.after)
    }
}

/// A history of a database.
pub struct HistoryCells {
    /// The database, as named by the user.
    pub path: PathBuf,
    pub key: HistoryKey,
    pub cells: Vec<Cell>,
}

/// A cell that a repair changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellChange {
    pub id: RowId,
    pub old: Box<[u8]>,
    pub is_text: bool,
    /// The new text; `None` if the row is removed.
    pub new: Option<Vec<u8>>,
}

impl HistoryCells {
    #[cfg(feature = "sqlite")]
    pub(super) fn new(path: &std::path::Path, key: HistoryKey, cells: Vec<Cell>) -> HistoryCells {
        HistoryCells { path: path.to_owned(), key, cells }
    }

    /// The printed name.
    pub fn label(&self) -> String {
        format!("{}: {}", self.path.to_string_lossy(), self.key)
    }

    /// The path of output made from this history.
    pub fn output_path(&self) -> PathBuf {
        self.key.output_path(&self.path)
    }

    /// The bytes of the doc, and the segment of each cell.
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
            append_one_line(&cell.text, &mut text);
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
        let lines = HintedBytes::new(
            text,
            ByteHints::Lines { format: self.key.store().format, rows: self.key.store().rows() },
        );
        segments::number_segments(&mut rows, &lines)?;
        Ok((Box::new(lines), rows))
    }

    /// The cells that edits on the doc change.
    pub fn cell_changes(
        &self,
        id: DocId,
        bytes: &dyn ReadAt,
        rows: &[Segment],
        edits: &[Edit],
    ) -> io::Result<Vec<CellChange>> {
        let mut changed = Vec::new();
        for (cell, row) in self.cells.iter().zip(rows) {
            let Some(own) = segments::segment_edits(row, edits, id, bytes.len()) else { continue };
            let view = PatchedView::new(bytes, Pieces::new(&own, id, bytes.len()));
            let mut text = Vec::new();
            view.read_into(0, view.len() as usize, &mut text)?;
            text.truncate(text.trim_ascii_end().len());
            if let Some(frame) = cell.frame.as_ref().filter(|_| !text.is_empty()) {
                let why = || io::Error::other(format!("{} {} cannot be edited", frame.kind, cell.id));
                text = frame.cell(&text).ok_or_else(why)?.into();
            }
            let new = (!text.is_empty()).then_some(text);
            changed.push(CellChange { id: cell.id.clone(), old: cell.text.clone(), is_text: cell.is_text, new });
        }
        Ok(changed)
    }
}

/// A doc that is not read, with the reason.
pub fn unread_doc(why: UnreadReason) -> Box<dyn ReadAt> {
    Box::new(HintedBytes::new(Vec::new(), ByteHints::Unread(why)))
}
