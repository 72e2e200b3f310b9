//! Reading the histories of a database, and the cells of each.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::json::string;
use crate::source::bytes::hints::UnreadReason;
use crate::source::file_stamp::FileStamp;
use crate::source::inputs::zstandard;

use super::cells::{Cell, HistoryCells, RowFrame};
use super::connect::{self, OpenDatabase, sql_error};
use super::key::{HistoryKey, RowId};
use super::tables;
use super::{msgpack, resolve};

/// The keys of all histories in a database, in order; or why it is not read.
pub fn histories(path: &Path) -> io::Result<Result<Vec<HistoryKey>, UnreadReason>> {
    let (mut lacks_wal, mut is_known) = (false, false);
    let keys = read_unchanged(path, |opened| {
        lacks_wal = opened.lacks_wal;
        let stores = resolve::stores(&tables::ordinary_tables(&opened.connection)?);
        let mut keys = Vec::new();
        for resolve::MatchedStore { store, tables, lacks } in stores {
            is_known = true;
            let own = HistoryKey { store, tables, lacks, session: String::new(), part: None };
            let mut query = opened.connection.prepare(&own.query(own.store().histories))?;
            let found = query.query_map([], |row| {
                Ok(HistoryKey { session: text(row, 0)?.unwrap_or_default(), part: text(row, 1)?, ..own.clone() })
            })?;
            keys.extend(found.collect::<rusqlite::Result<Vec<HistoryKey>>>()?);
        }
        Ok(keys)
    })?;
    Ok(match (keys.is_empty(), lacks_wal, is_known) {
        (false, ..) => Ok(keys),
        (true, true, _) => Err(UnreadReason::MissingWal),
        (true, false, true) => Err(UnreadReason::Empty),
        (true, false, false) => Err(UnreadReason::UnknownSchema),
    })
}

/// The cells of a history; or why it is not read.
pub fn open(path: &Path, key: &HistoryKey) -> io::Result<Result<HistoryCells, UnreadReason>> {
    let store = key.store();
    let cells = read_unchanged(path, |opened| {
        let mut query = opened.connection.prepare(&key.query(store.cells))?;
        let cells = query.query_map((&key.session, &key.part), cell)?;
        cells.collect::<rusqlite::Result<Vec<(RowId, Option<Cell>)>>>()
    })?;
    let cells: Vec<Cell> = cells.into_iter().filter_map(|(_, cell)| cell).collect();
    if cells.iter().any(|cell| (store.is_encrypted)(&cell.text)) {
        return Ok(Err(UnreadReason::Encrypted));
    }
    Ok(Ok(HistoryCells::new(path, key.clone(), cells)))
}

/// Reads from a consistent state of a database. Fails if it is opened as immutable and is changed meanwhile.
fn read_unchanged<T>(path: &Path, read: impl FnOnce(&OpenDatabase) -> rusqlite::Result<T>) -> io::Result<T> {
    let stamp = || fs::metadata(path).map(|meta| FileStamp::of(&meta));
    let before = stamp()?;
    let opened = connect::open(path)?;
    let what = read(&opened).map_err(sql_error)?;
    if opened.is_immutable && stamp()? != before {
        return Err(io::Error::other("the database changed while being read"));
    }
    Ok(what)
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text).into_owned()),
    })
}

/// A row as a cell. `None` for a cell that is neither text nor bytes, unless the row has other columns.
fn cell(row: &Row<'_>) -> rusqlite::Result<(RowId, Option<Cell>)> {
    let id = match row.get_ref(0)? {
        ValueRef::Integer(number) => RowId::Number(number),
        _ => RowId::Name(text(row, 0)?.unwrap_or_default()),
    };
    let frame = frame(row)?;
    let (bytes, is_text) = match row.get_ref(1)? {
        ValueRef::Text(text) => (Some(text), true),
        ValueRef::Blob(bytes) => (Some(bytes), false),
        _ => (None, true),
    };
    if bytes.is_none() && frame.is_none() {
        return Ok((id, None));
    }
    let frame = frame.map(|frame| RowFrame::new(frame.kind, &frame.members, bytes.is_some()));
    let text = bytes.map(|bytes| as_json(bytes, is_text)).unwrap_or_default();
    let cell = Cell { id: id.clone(), text: text.into(), is_text, frame };
    Ok((id, Some(cell)))
}

/// The other columns of a row.
struct RowColumns {
    kind: String,
    /// As members of an object.
    members: Vec<u8>,
}

fn frame(row: &Row<'_>) -> rusqlite::Result<Option<RowColumns>> {
    let names = row.as_ref().column_names();
    if names.len() <= 2 {
        return Ok(None);
    }
    let mut frame = RowColumns { kind: "row".to_owned(), members: Vec::new() };
    for (column, name) in names.enumerate().filter(|(column, _)| *column != 1) {
        let val = match row.get_ref(column)? {
            ValueRef::Null => continue,
            ValueRef::Integer(number) => number.to_string().into_bytes(),
            _ => {
                let text = text(row, column)?.unwrap_or_default();
                if name == "row" {
                    frame.kind.clone_from(&text);
                }
                string::quoted(&text)
            }
        };
        frame.members.extend([&string::quoted(name)[..], b":", &val, b","].concat());
    }
    Ok(Some(frame))
}

/// Some stores compress their JSON or store MessagePack, which is converted to JSON. Other bytes are returned as
/// they are and reported as invalid JSON.
fn as_json(bytes: &[u8], is_text: bool) -> Vec<u8> {
    let packed = || if !is_text && msgpack::is_map(bytes) { msgpack::json(bytes) } else { None };
    unpack_cell(bytes).or_else(packed).unwrap_or_else(|| bytes.to_vec())
}

/// The magic bytes of Zstandard.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Maximum decompressed length of a cell in bytes.
const MAX_CELL_BYTES: u64 = 256 << 20;

/// Decompresses a cell. Such a cell is never written.
fn unpack_cell(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return None;
    }
    let mut text = Vec::new();
    let decoder = zstandard::decoder(bytes).ok()?;
    let len = decoder.take(MAX_CELL_BYTES + 1).read_to_end(&mut text).ok()?;
    (len as u64 <= MAX_CELL_BYTES).then_some(text)
}
