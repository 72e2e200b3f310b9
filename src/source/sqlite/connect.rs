//! Opening a database to read it. It may be anybody's, in use or hostile: nothing of its schema runs, nothing is written
//! beside it, and what a writer has not moved into the file yet is read with it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

/// How long a writer is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// No cell is longer than this many bytes.
const LONGEST: i32 = 256 << 20;

/// An open database.
pub(super) struct Opened {
    pub connection: Connection,
    /// What was written last lies in a file beside the database, and that is missing or empty.
    pub lacks_log: bool,
    /// Read as it lies there, as if nobody could write to it.
    pub is_frozen: bool,
    /// A copy that can be read without writing beside the original.
    _copy: Option<TempDir>,
}

/// The file beside a database with this ending.
pub(super) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    name.into()
}

fn holds_something(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
}

/// Whether new pages are written to a file beside the database.
pub(super) fn has_log(database: &Path) -> io::Result<bool> {
    let mut header = [0; 20];
    fs::File::open(database)?.read_exact(&mut header)?;
    Ok(header[18] == 2 || header[19] == 2)
}

/// Opens a database to read it.
pub(super) fn open(path: &Path) -> io::Result<Opened> {
    let real = fs::canonicalize(path)?;
    let (log, index, journal) = (beside(&real, "-wal"), beside(&real, "-shm"), beside(&real, "-journal"));
    let reads_log = has_log(&real)?;
    if reads_log && !holds_something(&log) {
        // Nothing lies beside it, and a reader that looks there would have to make the file.
        let lacks_log = !log.exists();
        return Ok(Opened { connection: frozen(&real)?, lacks_log, is_frozen: true, _copy: None });
    }
    let opened = |connection, copy| Opened { connection, lacks_log: false, is_frozen: false, _copy: copy };
    let is_abandoned = if reads_log { !index.exists() } else { holds_something(&journal) };
    if !is_abandoned && let Ok(connection) = live(&real) {
        return Ok(opened(connection, None));
    }
    if !reads_log && !is_abandoned {
        return live(&real).map(|connection| opened(connection, None));
    }
    let side = if reads_log { &log } else { &journal };
    let (connection, copy) = copied(&real, side)?;
    Ok(opened(connection, Some(copy)))
}

const READ: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI).union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// A database that others may write to meanwhile.
fn live(real: &Path) -> io::Result<Connection> {
    let connection = guarded(Connection::open_with_flags(real, READ - OpenFlags::SQLITE_OPEN_URI))?;
    // Only now files are opened.
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(words)?;
    Ok(connection)
}

fn frozen(real: &Path) -> io::Result<Connection> {
    guarded(Connection::open_with_flags(format!("{}?immutable=1", uri(real)), READ))
}

/// Reads copies of the files, and puts together there what a writer that was killed left.
fn copied(real: &Path, side: &Path) -> io::Result<(Connection, TempDir)> {
    let folder = tempfile::Builder::new().prefix("replaylint-").tempdir()?;
    let copy = folder.path().join("copy.db");
    fs::copy(real, &copy)?;
    let ending = side.as_os_str().as_encoded_bytes().rsplit(|b| *b == b'-').next().unwrap_or_default();
    fs::copy(side, beside(&copy, &format!("-{}", String::from_utf8_lossy(ending))))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok((guarded(Connection::open_with_flags(&copy, flags))?, folder))
}

/// A path as a URI.
fn uri(path: &Path) -> String {
    let mut text = "file:".to_owned();
    #[cfg(windows)]
    let path = PathBuf::from(format!("/{}", path.to_string_lossy()).replace('\\', "/").replace("//?/", ""));
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b':' => {
                text.push(char::from(*byte))
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Keeps a connection from running or writing anything on behalf of the file.
fn guarded(connection: rusqlite::Result<Connection>) -> io::Result<Connection> {
    let guard = || -> rusqlite::Result<Connection> {
        let connection = connection?;
        distrust(&connection)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    };
    guard().map_err(words)
}

/// Views, triggers and functions of the schema are not run, and broken pages are noticed.
pub(super) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// A name as SQL has it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What SQLite says about an error, for people.
pub(super) fn words(error: rusqlite::Error) -> io::Error {
    let code = error.sqlite_error_code();
    io::Error::other(match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "the database is locked by another process".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => format!("the database is damaged ({error})"),
        Some(ErrorCode::TooBig) => format!("the database holds a value of more than {} MiB", LONGEST >> 20),
        _ => format!("the database cannot be read ({error})"),
    })
}
