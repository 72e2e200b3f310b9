//! Repairing rows in place. The database must be closed; it is backed up, and then all changes are made in one
//! transaction, each only if its row still has the text that was read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use rusqlite::backup::Backup as Copying;
use rusqlite::backup::StepResult;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use crate::json::{Tape, Val, scan};
use crate::source::outputs::commit::{CommitError, ReplaceOptions, ReplaceOutcome, check_age};
use crate::source::outputs::journal::{self, FileDigest, Journal};
use crate::source::outputs::temp::{ClaimedName, TempFile};
use crate::source::outputs::{backup, metadata, users};
use crate::source::reason;

use super::cells::CellChange;
use super::connect::{self, distrust, sidecar};
use super::key::{HistoryKey, RowId};
use super::tables;

/// A step of a write, for tests that interrupt it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteStep {
    /// The backup is complete.
    BackedUp,
    /// A row was changed.
    Changed,
    /// The integrity of the result was checked.
    Checked,
    /// The transaction was committed.
    Committed,
}

/// The reason why a write is refused.
enum WriteRefusal {
    Sql(rusqlite::Error),
    Io(io::Error),
    Why(String),
}

impl From<rusqlite::Error> for WriteRefusal {
    fn from(error: rusqlite::Error) -> Self {
        WriteRefusal::Sql(error)
    }
}

impl From<io::Error> for WriteRefusal {
    fn from(error: io::Error) -> Self {
        WriteRefusal::Io(error)
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, WriteRefusal> {
    Err(WriteRefusal::Why(why.into()))
}

/// The reason why changes would be refused, as far as it is known without writing; processes that have the
/// database open do not count. `None` if they would be written.
pub fn refusal(path: &Path, sessions: &[(&HistoryKey, Vec<CellChange>)]) -> io::Result<Option<CommitError>> {
    let opened = connect::open(path)?;
    match check(&opened.connection, sessions) {
        Ok(()) => Ok(None),
        Err(WriteRefusal::Io(error)) => Err(error),
        Err(WriteRefusal::Sql(error)) => Err(connect::sql_error(error)),
        Err(WriteRefusal::Why(why)) => Ok(Some(CommitError::Database { path: path.to_owned(), why })),
    }
}

/// Changes rows of a database.
pub fn write(
    path: &Path,
    sessions: &[(&HistoryKey, Vec<CellChange>)],
    how: &ReplaceOptions,
) -> Result<ReplaceOutcome, CommitError> {
    write_with_progress(path, sessions, how, &|_| {})
}

/// The same; `at` is called after each step.
pub fn write_with_progress(
    path: &Path,
    sessions: &[(&HistoryKey, Vec<CellChange>)],
    how: &ReplaceOptions,
    at: &dyn Fn(WriteStep),
) -> Result<ReplaceOutcome, CommitError> {
    check_age(path, how)?;
    write_rows(path, sessions, how, at).map_err(|refusal| match refusal {
        WriteRefusal::Io(error) => CommitError::Io { path: path.to_owned(), error },
        WriteRefusal::Sql(error) => {
            CommitError::Database { path: path.to_owned(), why: connect::sql_error(error).to_string() }
        }
        WriteRefusal::Why(why) => CommitError::Database { path: path.to_owned(), why },
    })
}

fn write_rows(
    path: &Path,
    sessions: &[(&HistoryKey, Vec<CellChange>)],
    how: &ReplaceOptions,
    at: &dyn Fn(WriteStep),
) -> Result<ReplaceOutcome, WriteRefusal> {
    let real = fs::canonicalize(path)?;
    if !how.force {
        check_closed(&real).map_err(|why| WriteRefusal::Why(format!("{why}, or use --force")))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&real, flags)?;
    distrust(&connection)?;
    connection.busy_timeout(std::time::Duration::ZERO)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Nobody else may have it open, not even to read.
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    // The lock lasts until the connection is closed.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
    check(&connection, sessions)?;
    let broken_links = broken_links(&connection)?;
    let stem = how.backups.stem_of(&real)?;
    let backup = stem.map(|stem| back_up(&connection, &real, &stem)).transpose()?;
    at(WriteStep::BackedUp);
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for (key, changes) in sessions {
        apply_changes(&connection, key, changes, at)?;
    }
    let state: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if state != "ok" {
        return refuse(format!("the database is damaged ({state})"));
    }
    if self::broken_links(&connection)? > broken_links {
        return refuse("rows of another table refer to a row that would be removed");
    }
    at(WriteStep::Checked);
    connection.execute_batch("COMMIT")?;
    at(WriteStep::Committed);
    connection.close().map_err(|(_, error)| error)?;
    let Some(backup::Backup { path: backup, claim }) = backup else { return Ok(ReplaceOutcome::default()) };
    claim.into_iter().for_each(ClaimedName::keep);
    // The file has its final bytes only once it is closed. The changes are committed by then: failing to write the
    // journal does not revert them.
    let lost =
        write_journal(&real, &backup).err().map(|error| format!("the journal for --undo ({})", reason(&error)));
    Ok(ReplaceOutcome { backup: Some(backup), lost: lost.into_iter().collect() })
}

/// Writes the journal of a backup.
fn write_journal(real: &Path, backup: &Path) -> io::Result<()> {
    let (written, old) = (FileDigest::of(&File::open(real)?)?, FileDigest::of(&File::open(backup)?)?);
    let folder = backup.parent().unwrap_or(Path::new("."));
    let is_apart = Some(folder) != real.parent();
    let temp = Journal::new(real, written, old, is_apart).write_temp_file(folder)?;
    temp.persist(&journal::journal_path(backup), true, [])
}

/// The reason why a database must not be replaced as a file: a pending `-journal` or `-wal` file, or another
/// process that has it open.
pub fn in_use(real: &Path) -> Option<String> {
    let mut head = [0; 8];
    let journal = File::open(sidecar(real, "-journal")).and_then(|mut file| file.read_exact(&mut head));
    // The header of a journal whose transaction has ended is overwritten.
    if journal.is_ok() && head != [0; 8] {
        return Some("its -journal file contains an interrupted transaction".to_owned());
    }
    check_closed(real).err()
}

fn check_closed(real: &Path) -> Result<(), String> {
    if fs::metadata(sidecar(real, "-wal")).is_ok_and(|meta| meta.len() > 0) {
        let why = "its -wal file contains rows that are not yet in the database; close the program that uses it";
        return Err(why.to_owned());
    }
    match users::other_process(real) {
        Some(process) => Err(format!("process {process} has it open; close it first")),
        None => Ok(()),
    }
}

/// The checks before anything is written, also made by a preview.
fn check(connection: &Connection, sessions: &[(&HistoryKey, Vec<CellChange>)]) -> Result<(), WriteRefusal> {
    check_schema(connection, sessions)?;
    for (key, changes) in sessions {
        changes.iter().try_for_each(check_text)?;
        let lasts = key.store().writes.as_ref().is_some_and(|writes| writes.delete.is_empty());
        if let Some(removed) = changes.iter().find(|change| lasts && change.new.is_none()) {
            return refuse(format!("row {} would be removed, but other rows refer to it", removed.id));
        }
    }
    Ok(())
}

/// Checks that the new text is the same kind of JSON: one item, or a list of parts.
fn check_text(change: &CellChange) -> Result<(), WriteRefusal> {
    let Some(new) = &change.new else { return Ok(()) };
    let mut tape = Tape::new();
    let is_list = |text: &[u8]| text.trim_ascii_start().first() == Some(&b'[');
    let is_kind = |val: Val<'_>| if is_list(&change.old) { val.is_array() } else { val.is_object() };
    let is_same = scan(new, &mut tape).is_ok() && tape.root(new).is_some_and(is_kind);
    match is_same && std::str::from_utf8(new).is_ok() {
        true => Ok(()),
        false => refuse(format!("row {} would no longer contain the same kind of JSON", change.id)),
    }
}

fn check_schema(connection: &Connection, sessions: &[(&HistoryKey, Vec<CellChange>)]) -> Result<(), WriteRefusal> {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let known = |name: &String| {
        let mut writes = sessions.iter().filter_map(|(key, _)| key.store().writes.as_ref());
        writes.any(|writes| writes.triggers.contains(&name.as_str()))
    };
    let mut triggers = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")?;
    let triggers: Vec<String> = triggers.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if !triggers.iter().all(known) {
        return refuse("the database has unknown triggers, which a repair would not run");
    }
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0))?;
    if encoding != "UTF-8" {
        return refuse(format!("its encoding is {encoding}; only UTF-8 databases are written"));
    }
    let version = count("PRAGMA user_version")?;
    for (key, _) in sessions {
        let store = key.store();
        match &store.writes {
            None => return refuse(format!("sessions of {} are read-only", store.name)),
            Some(writes) if !writes.versions.contains(&version) => {
                return refuse(format!("its schema version {version} is unknown"));
            }
            Some(writes) => check_migrations(connection, writes.migrated)?,
        }
    }
    Ok(())
}

/// Tables of migrations: table, column, and an expression that begins with the time of a migration.
const MIGRATIONS: [(&str, &str, &str); 3] = [
    ("migration", "id", "id"),
    ("__drizzle_migrations", "name", "name"),
    // Older versions have only the time.
    ("__drizzle_migrations", "created_at", "strftime('%Y%m%d%H%M%S', created_at / 1000, 'unixepoch')"),
];

/// Refuses a database with a migration later than `newest`, which may have changed the meaning of rows.
fn check_migrations(connection: &Connection, newest: Option<&str>) -> Result<(), WriteRefusal> {
    let Some(newest) = newest else { return Ok(()) };
    let tables = tables::ordinary_tables(connection)?;
    for (table, column, name) in MIGRATIONS {
        let has =
            |found: &tables::DatabaseTable| found.name == table && found.columns.iter().any(|has| has == column);
        if !tables.iter().any(has) {
            continue;
        }
        let last = format!("SELECT max({name}) FROM {}", connect::quote_identifier(table));
        let last: Option<String> = connection.query_row(&last, [], |row| row.get(0))?;
        if let Some(last) = last.filter(|last| last.as_str() > newest) {
            // The time is followed by a name, which may be arbitrary.
            let time: String = last.chars().take_while(char::is_ascii_digit).collect();
            let which = if time.is_empty() {
                "a migration without a time".to_owned()
            } else {
                format!("the migration {time}")
            };
            return refuse(format!("its schema contains {which}, which is unknown"));
        }
    }
    Ok(())
}

/// Number of rows with broken foreign keys.
fn broken_links(connection: &Connection) -> rusqlite::Result<usize> {
    let mut query = connection.prepare("PRAGMA foreign_key_check")?;
    Ok(query.query_map([], |_| Ok(()))?.count())
}

fn apply_changes(
    connection: &Connection,
    key: &HistoryKey,
    changes: &[CellChange],
    at: &dyn Fn(WriteStep),
) -> Result<(), WriteRefusal> {
    let Some(writes) = &key.store().writes else { return Ok(()) };
    for change in changes {
        let value = |bytes: &[u8]| match String::from_utf8(bytes.to_vec()) {
            Ok(text) if change.is_text => Value::Text(text),
            _ => Value::Blob(bytes.to_vec()),
        };
        let id = match &change.id {
            RowId::Number(number) => Value::Integer(*number),
            RowId::Name(name) => Value::Text(name.clone()),
        };
        let old = value(&change.old);
        let (statements, values) = match &change.new {
            Some(new) => (std::slice::from_ref(&writes.update), vec![id, old, value(new)]),
            None => (writes.delete, vec![id, old]),
        };
        let mut rows = 0;
        for statement in statements {
            rows = run_statement(connection, &key.query(statement), &values)?;
        }
        if rows != 1 {
            return refuse(format!("row {} changed since it was read", change.id));
        }
        at(WriteStep::Changed);
    }
    if let Some(touch) = writes.touch {
        run_statement(connection, &key.query(touch), &[Value::Text(key.session.clone())])?;
    }
    Ok(())
}

/// Runs a statement with as many of the values as it has parameters. Returns the number of changed rows.
fn run_statement(connection: &Connection, sql: &str, values: &[Value]) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare(sql)?;
    let wanted = statement.parameter_count().min(values.len());
    statement.execute(rusqlite::params_from_iter(values.iter().take(wanted)))
}

/// Copies the database to the first free name of a backup, named after the path `stem`.
fn back_up(connection: &Connection, real: &Path, stem: &Path) -> Result<backup::Backup, WriteRefusal> {
    let mut temp = TempFile::beside(stem.parent().unwrap_or(Path::new(".")), false)?;
    let path = temp.path().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let mut copy = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // An unfinished copy is useless, so it needs no journal on disk, which a kill would leave there.
    copy.pragma_update_and_check(None, "journal_mode", "MEMORY", |_| Ok(()))?;
    match Copying::new(connection, &mut copy)?.step(-1)? {
        StepResult::Done => {}
        _ => return refuse("it could not be backed up"),
    }
    copy.close().map_err(|(_, error)| error)?;
    let file = temp.file()?;
    metadata::copy_attributes(&File::open(real)?, file)?;
    file.sync_all()?;
    Ok(backup::claim_copy(stem, temp)?)
}
