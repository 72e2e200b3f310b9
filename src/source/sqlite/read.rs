//! Which histories a database holds, and the cells of each.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::json::string;
use crate::source::bytes::hints::NotRead;
use crate::source::file_stamp::Stamp;
use crate::source::inputs::zstandard;

use super::cells::{Cell, Cells, Frame};
use super::connect::{self, Opened, words};
use super::find;
use super::key::{Id, Key};
use super::{msgpack, resolve};

/// The histories of all stores of a database, in order.
pub fn histories(path: &Path) -> io::Result<Result<Vec<Key>, NotRead>> {
    let (mut lacks_log, mut is_known) = (false, false);
    let keys = settled(path, |opened| {
        lacks_log = opened.lacks_log;
        let stores = resolve::stores(&find::tables(&opened.connection)?);
        let mut keys = Vec::new();
        for resolve::Met { store, tables, lacks } in stores {
            is_known = true;
            let own = Key { store, tables, lacks, session: String::new(), part: None };
            let mut query = opened.connection.prepare(&own.query(own.store().histories))?;
            let found = query.query_map([], |row| {
                Ok(Key { session: text(row, 0)?.unwrap_or_default(), part: text(row, 1)?, ..own.clone() })
            })?;
            keys.extend(found.collect::<rusqlite::Result<Vec<Key>>>()?);
        }
        Ok(keys)
    })?;
    Ok(match (keys.is_empty(), lacks_log, is_known) {
        (false, ..) => Ok(keys),
        (true, true, _) => Err(NotRead::WithoutLog),
        (true, false, true) => Err(NotRead::Empty),
        (true, false, false) => Err(NotRead::Foreign),
    })
}

/// The cells of a history.
pub fn open(path: &Path, key: &Key) -> io::Result<Result<Cells, NotRead>> {
    let store = key.store();
    let cells = settled(path, |opened| {
        let mut query = opened.connection.prepare(&key.query(store.cells))?;
        let cells = query.query_map((&key.session, &key.part), cell)?;
        cells.collect::<rusqlite::Result<Vec<(Id, Option<Cell>)>>>()
    })?;
    let cells: Vec<Cell> = cells.into_iter().filter_map(|(_, cell)| cell).collect();
    if cells.iter().any(|cell| (store.is_sealed)(&cell.text)) {
        return Ok(Err(NotRead::Sealed));
    }
    Ok(Ok(Cells::new(path, key.clone(), cells)))
}

/// Reads a database that nobody writes to meanwhile, or in one view of it.
fn settled<T>(path: &Path, read: impl FnOnce(&Opened) -> rusqlite::Result<T>) -> io::Result<T> {
    let stamp = || fs::metadata(path).map(|meta| Stamp::of(&meta));
    let before = stamp()?;
    let opened = connect::open(path)?;
    let what = read(&opened).map_err(words)?;
    if opened.is_frozen && stamp()? != before {
        return Err(io::Error::other("the database changed while it was read"));
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

/// A row. What is no text says nothing, unless other columns do.
fn cell(row: &Row<'_>) -> rusqlite::Result<(Id, Option<Cell>)> {
    let id = match row.get_ref(0)? {
        ValueRef::Integer(number) => Id::Number(number),
        _ => Id::Name(text(row, 0)?.unwrap_or_default()),
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
    let frame = frame.map(|frame| Frame::new(frame.kind, &frame.members, bytes.is_some()));
    let text = bytes.map(|bytes| as_json(bytes, is_text)).unwrap_or_default();
    let cell = Cell { id: id.clone(), text: text.into(), is_text, frame };
    Ok((id, Some(cell)))
}

/// The columns beside a cell.
struct Columns {
    kind: String,
    /// As members of an object.
    members: Vec<u8>,
}

fn frame(row: &Row<'_>) -> rusqlite::Result<Option<Columns>> {
    let names = row.as_ref().column_names();
    if names.len() <= 2 {
        return Ok(None);
    }
    let mut frame = Columns { kind: "row".to_owned(), members: Vec::new() };
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

/// Some stores pack their JSON, or keep MessagePack, which is read as the JSON that says the same. What is neither is
/// reported as what it is: not JSON.
fn as_json(bytes: &[u8], is_text: bool) -> Vec<u8> {
    let packed = || if !is_text && msgpack::is_map(bytes) { msgpack::json(bytes) } else { None };
    unpacked(bytes).or_else(packed).unwrap_or_else(|| bytes.to_vec())
}

/// The first bytes of what Zstandard packed.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// No cell is longer than this once it is unpacked.
const LONGEST: u64 = 256 << 20;

/// What a packed cell holds. Such a cell is never written.
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(&PACKED) {
        return None;
    }
    let mut text = Vec::new();
    let decoder = zstandard::decoder(bytes).ok()?;
    let len = decoder.take(LONGEST + 1).read_to_end(&mut text).ok()?;
    (len as u64 <= LONGEST).then_some(text)
}
