//! Which histories a database holds, and the cells of each.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::source::known::NotRead;
use crate::source::stamp::Stamp;

use super::cells::{Cell, Cells};
use super::connect::{self, Opened, words};
use super::find;
use super::key::{Id, Key};
use super::{msgpack, resolve};

/// The histories of all stores of a database, in order.
pub fn histories(path: &Path) -> io::Result<Result<Vec<Key>, NotRead>> {
    let mut lacks_log = false;
    let (is_known, keys) = settled(path, |opened| {
        lacks_log = opened.lacks_log;
        let stores = resolve::stores(&find::tables(&opened.connection)?);
        let mut keys = Vec::new();
        for (store, tables) in &stores {
            let own = Key { store: *store, tables: tables.clone(), session: String::new(), part: None };
            let mut query = opened.connection.prepare(&own.query(own.store().histories))?;
            let found = query.query_map([], |row| {
                Ok(Key { session: text(row, 0)?.unwrap_or_default(), part: text(row, 1)?, ..own.clone() })
            })?;
            keys.extend(found.collect::<rusqlite::Result<Vec<Key>>>()?);
        }
        Ok((!stores.is_empty(), keys))
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

/// A row. What is no text says nothing.
fn cell(row: &Row<'_>) -> rusqlite::Result<(Id, Option<Cell>)> {
    let id = match row.get_ref(0)? {
        ValueRef::Integer(number) => Id::Number(number),
        _ => Id::Name(text(row, 0)?.unwrap_or_default()),
    };
    let (bytes, is_text) = match row.get_ref(1)? {
        ValueRef::Text(text) => (text, true),
        ValueRef::Blob(bytes) => (bytes, false),
        _ => return Ok((id, None)),
    };
    // Some stores keep MessagePack, which is read as the JSON that says the same.
    let read = if !is_text && msgpack::is_map(bytes) { msgpack::json(bytes) } else { None };
    let text = read.map_or_else(|| bytes.into(), Vec::into_boxed_slice);
    Ok((id.clone(), Some(Cell { id, text, is_text })))
}
