//! Repairing rows in place. The database must be closed; it is backed up as it is, and then all changes are made in one
//! transaction, each only if its row still holds what was read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use rusqlite::backup::Backup as Copying;
use rusqlite::backup::StepResult;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use crate::json::{Tape, Val, scan};
use crate::source::outputs::commit::{CommitError, Replace, Replaced, check_age};
use crate::source::outputs::journal::{self, Content, Journal};
use crate::source::outputs::temp::{Claimed, Temp};
use crate::source::outputs::{backup, metadata, users};
use crate::source::reason;

use super::cells::Changed;
use super::connect::{self, beside, distrust};
use super::find;
use super::key::{Id, Key};

/// How far a write has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The backup has its name.
    BackedUp,
    /// A row was changed.
    Changed,
    /// The result was found to be sound.
    Checked,
    /// The changes are in the database.
    Committed,
}

/// Why nothing is written.
enum Refusal {
    Sql(rusqlite::Error),
    Io(io::Error),
    Why(String),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Refusal::Sql(error)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Why(why.into()))
}

/// Why changes would not be written to a database, if that is known without writing: what it is, and not who has it open.
pub fn refusal(path: &Path, sessions: &[(&Key, Vec<Changed>)]) -> io::Result<Option<CommitError>> {
    let opened = connect::open(path)?;
    match check(&opened.connection, sessions) {
        Ok(()) => Ok(None),
        Err(Refusal::Io(error)) => Err(error),
        Err(Refusal::Sql(error)) => Err(connect::words(error)),
        Err(Refusal::Why(why)) => Ok(Some(CommitError::Database { path: path.to_owned(), why })),
    }
}

/// Changes rows of a database.
pub fn write(path: &Path, sessions: &[(&Key, Vec<Changed>)], how: Replace) -> Result<Replaced, CommitError> {
    write_watched(path, sessions, how, &|_| {})
}

/// The same; `at` is called as the work goes on.
pub fn write_watched(
    path: &Path,
    sessions: &[(&Key, Vec<Changed>)],
    how: Replace,
    at: &dyn Fn(Step),
) -> Result<Replaced, CommitError> {
    check_age(path, how)?;
    written(path, sessions, how, at).map_err(|refusal| match refusal {
        Refusal::Io(error) => CommitError::Io { path: path.to_owned(), error },
        Refusal::Sql(error) => {
            CommitError::Database { path: path.to_owned(), why: connect::words(error).to_string() }
        }
        Refusal::Why(why) => CommitError::Database { path: path.to_owned(), why },
    })
}

fn written(
    path: &Path,
    sessions: &[(&Key, Vec<Changed>)],
    how: Replace,
    at: &dyn Fn(Step),
) -> Result<Replaced, Refusal> {
    let real = fs::canonicalize(path)?;
    if !how.force {
        check_closed(&real).map_err(|why| Refusal::Why(format!("{why}, or use --force")))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&real, flags)?;
    distrust(&connection)?;
    connection.busy_timeout(std::time::Duration::ZERO)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Nobody else may have it open, not even to read.
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    // That lock is kept until the connection is closed.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
    check(&connection, sessions)?;
    let broken_links = broken_links(&connection)?;
    let backup = if how.backup { Some(backed_up(&connection, &real)?) } else { None };
    at(Step::BackedUp);
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for (key, changes) in sessions {
        change(&connection, key, changes, at)?;
    }
    let state: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if state != "ok" {
        return refused(format!("the database is damaged ({state})"));
    }
    if self::broken_links(&connection)? > broken_links {
        return refused("rows of another table refer to a row that would be removed");
    }
    at(Step::Checked);
    connection.execute_batch("COMMIT")?;
    at(Step::Committed);
    connection.close().map_err(|(_, error)| error)?;
    let Some(backup::Backup { path: backup, claim }) = backup else { return Ok(Replaced::default()) };
    claim.into_iter().for_each(Claimed::keep);
    // The file is what it will be only once it is closed. The changes are made by then: a journal that cannot be written
    // is no reason to take them back.
    let lost =
        journalled(&real, &backup).err().map(|error| format!("the journal for --undo ({})", reason(&error)));
    Ok(Replaced { backup: Some(backup), lost: lost.into_iter().collect() })
}

/// Writes the journal of a backup.
fn journalled(real: &Path, backup: &Path) -> io::Result<()> {
    let (written, old) = (Content::of(&File::open(real)?)?, Content::of(&File::open(backup)?)?);
    let folder = real.parent().unwrap_or(Path::new("."));
    let temp = Journal::new(real, written, old).prepared(folder)?;
    temp.name(&journal::path(backup), true, [])
}

/// Why a database must not be replaced as a file: what belongs to it lies beside it, or somebody has it open.
pub fn in_use(real: &Path) -> Option<String> {
    let mut head = [0; 8];
    let journal = File::open(beside(real, "-journal")).and_then(|mut file| file.read_exact(&mut head));
    // The head of a journal whose transaction has ended is overwritten.
    if journal.is_ok() && head != [0; 8] {
        return Some("its -journal file holds a transaction that was interrupted".to_owned());
    }
    check_closed(real).err()
}

fn check_closed(real: &Path) -> Result<(), String> {
    if fs::metadata(beside(real, "-wal")).is_ok_and(|meta| meta.len() > 0) {
        let why = "its -wal file holds rows that are not in the database yet; close the program that uses it";
        return Err(why.to_owned());
    }
    match users::other(real) {
        Some(process) => Err(format!("process {process} has it open; close it first")),
        None => Ok(()),
    }
}

/// What is asked before anything is written, and by a preview.
fn check(connection: &Connection, sessions: &[(&Key, Vec<Changed>)]) -> Result<(), Refusal> {
    check_schema(connection, sessions)?;
    for (key, changes) in sessions {
        changes.iter().try_for_each(check_text)?;
        let lasts = key.store().writes.as_ref().is_some_and(|writes| writes.delete.is_empty());
        if let Some(removed) = changes.iter().find(|change| lasts && change.new.is_none()) {
            return refused(format!("row {} would be removed, but others refer to it", removed.id));
        }
    }
    Ok(())
}

/// A cell holds one item, or a list of parts.
fn check_text(change: &Changed) -> Result<(), Refusal> {
    let Some(new) = &change.new else { return Ok(()) };
    let mut tape = Tape::new();
    let is_list = |text: &[u8]| text.trim_ascii_start().first() == Some(&b'[');
    let is_kind = |val: Val<'_>| if is_list(&change.old) { val.is_array() } else { val.is_object() };
    let is_same = scan(new, &mut tape).is_ok() && tape.root(new).is_some_and(is_kind);
    match is_same && std::str::from_utf8(new).is_ok() {
        true => Ok(()),
        false => refused(format!("row {} would no longer hold JSON as before", change.id)),
    }
}

fn check_schema(connection: &Connection, sessions: &[(&Key, Vec<Changed>)]) -> Result<(), Refusal> {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let known = |name: &String| {
        let mut writes = sessions.iter().filter_map(|(key, _)| key.store().writes.as_ref());
        writes.any(|writes| writes.triggers.contains(&name.as_str()))
    };
    let mut triggers = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")?;
    let triggers: Vec<String> = triggers.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if !triggers.iter().all(known) {
        return refused("the database has triggers, which a repair would not run");
    }
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0))?;
    if encoding != "UTF-8" {
        return refused(format!("its encoding is {encoding}; only UTF-8 is written"));
    }
    let version = count("PRAGMA user_version")?;
    for (key, _) in sessions {
        let store = key.store();
        match &store.writes {
            None => return refused(format!("sessions of {} are only read", store.name)),
            Some(writes) if !writes.versions.contains(&version) => {
                return refused(format!("its schema has version {version}, which is not known"));
            }
            Some(writes) => check_migrations(connection, writes.migrated)?,
        }
    }
    Ok(())
}

/// Lists of migrations, and what of a row of them begins with its time.
const MIGRATIONS: [(&str, &str, &str); 3] = [
    ("migration", "id", "id"),
    ("__drizzle_migrations", "name", "name"),
    // Older ones have the time alone.
    ("__drizzle_migrations", "created_at", "strftime('%Y%m%d%H%M%S', created_at / 1000, 'unixepoch')"),
];

/// A migration that came later may have given the rows another meaning.
fn check_migrations(connection: &Connection, newest: Option<&str>) -> Result<(), Refusal> {
    let Some(newest) = newest else { return Ok(()) };
    let tables = find::tables(connection)?;
    for (table, column, name) in MIGRATIONS {
        let has = |found: &find::Found| found.name == table && found.columns.iter().any(|has| has == column);
        if !tables.iter().any(has) {
            continue;
        }
        let last = format!("SELECT max({name}) FROM {}", connect::quoted(table));
        let last: Option<String> = connection.query_row(&last, [], |row| row.get(0))?;
        if let Some(last) = last.filter(|last| last.as_str() > newest) {
            // What follows the time is a name, which may be anyone's.
            let time: String = last.chars().take_while(char::is_ascii_digit).collect();
            let which = if time.is_empty() {
                "a migration without a time".to_owned()
            } else {
                format!("the migration {time}")
            };
            return refused(format!("its schema has {which}, which is not known"));
        }
    }
    Ok(())
}

/// Rows that refer to rows which are not there.
fn broken_links(connection: &Connection) -> rusqlite::Result<usize> {
    let mut query = connection.prepare("PRAGMA foreign_key_check")?;
    Ok(query.query_map([], |_| Ok(()))?.count())
}

fn change(connection: &Connection, key: &Key, changes: &[Changed], at: &dyn Fn(Step)) -> Result<(), Refusal> {
    let Some(writes) = &key.store().writes else { return Ok(()) };
    for change in changes {
        let value = |bytes: &[u8]| match String::from_utf8(bytes.to_vec()) {
            Ok(text) if change.is_text => Value::Text(text),
            _ => Value::Blob(bytes.to_vec()),
        };
        let id = match &change.id {
            Id::Number(number) => Value::Integer(*number),
            Id::Name(name) => Value::Text(name.clone()),
        };
        let old = value(&change.old);
        let (statements, values) = match &change.new {
            Some(new) => (std::slice::from_ref(&writes.update), vec![id, old, value(new)]),
            None => (writes.delete, vec![id, old]),
        };
        let mut rows = 0;
        for statement in statements {
            rows = run(connection, &key.query(statement), &values)?;
        }
        if rows != 1 {
            return refused(format!("row {} changed after it was read", change.id));
        }
        at(Step::Changed);
    }
    if let Some(touch) = writes.touch {
        run(connection, &key.query(touch), &[Value::Text(key.session.clone())])?;
    }
    Ok(())
}

/// Runs a statement with as many of the values as it asks for. Gives the number of rows that changed.
fn run(connection: &Connection, sql: &str, values: &[Value]) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare(sql)?;
    let wanted = statement.parameter_count().min(values.len());
    statement.execute(rusqlite::params_from_iter(values.iter().take(wanted)))
}

/// Copies the database as it is now to the first name for a backup that is free.
fn backed_up(connection: &Connection, real: &Path) -> Result<backup::Backup, Refusal> {
    let mut temp = Temp::beside(real.parent().unwrap_or(Path::new(".")), false)?;
    let path = temp.path().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let mut copy = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A copy that is not finished is of no use: it needs no journal on the disk, which a kill would leave there.
    copy.pragma_update_and_check(None, "journal_mode", "MEMORY", |_| Ok(()))?;
    match Copying::new(connection, &mut copy)?.step(-1)? {
        StepResult::Done => {}
        _ => return refused("it could not be backed up"),
    }
    copy.close().map_err(|(_, error)| error)?;
    let file = temp.file()?;
    metadata::attributes(&File::open(real)?, file)?;
    file.sync_all()?;
    Ok(backup::take(real, temp)?)
}
