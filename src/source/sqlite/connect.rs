//! Opening a database to read it. It may be in use or hostile: nothing of its schema runs, nothing is written
//! beside it, and transactions that are still in its `-wal` file are read.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

/// How long to wait for a writer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum length of a cell in bytes.
const MAX_CELL_BYTES: i32 = 256 << 20;

/// An open database.
pub(super) struct OpenDatabase {
    pub connection: Connection,
    /// The database uses a `-wal` file, and that is missing.
    pub lacks_wal: bool,
    /// Opened as immutable: SQLite takes no locks and detects no writes.
    pub is_immutable: bool,
    /// A temporary copy, for databases that cannot be read without writing beside them.
    _copy: Option<TempDir>,
}

/// The path of a file beside the database: its name with this suffix.
pub(super) fn sidecar(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    name.into()
}

fn is_nonempty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
}

/// True if the database is in WAL mode.
pub(super) fn uses_wal(database: &Path) -> io::Result<bool> {
    let mut header = [0; 20];
    fs::File::open(database)?.read_exact(&mut header)?;
    Ok(header[18] == 2 || header[19] == 2)
}

/// Opens a database to read it.
pub(super) fn open(path: &Path) -> io::Result<OpenDatabase> {
    let real = fs::canonicalize(path)?;
    let (log, index, journal) = (sidecar(&real, "-wal"), sidecar(&real, "-shm"), sidecar(&real, "-journal"));
    let reads_log = uses_wal(&real)?;
    if reads_log && !is_nonempty(&log) {
        // There is no log, and a reader of it would have to create the file.
        let lacks_wal = !log.exists();
        return Ok(OpenDatabase {
            connection: open_immutable(&real)?,
            lacks_wal,
            is_immutable: true,
            _copy: None,
        });
    }
    let opened =
        |connection, copy| OpenDatabase { connection, lacks_wal: false, is_immutable: false, _copy: copy };
    let is_abandoned = if reads_log { !index.exists() } else { is_nonempty(&journal) };
    if !is_abandoned && let Ok(connection) = open_live(&real) {
        return Ok(opened(connection, None));
    }
    if !reads_log && !is_abandoned {
        return open_live(&real).map(|connection| opened(connection, None));
    }
    let side = if reads_log { &log } else { &journal };
    let (connection, copy) = open_copy(&real, side)?;
    Ok(opened(connection, Some(copy)))
}

const READ: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI).union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a database that others may write to meanwhile.
fn open_live(real: &Path) -> io::Result<Connection> {
    let connection = harden(Connection::open_with_flags(real, READ - OpenFlags::SQLITE_OPEN_URI))?;
    // SQLite opens the files only now.
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(sql_error)?;
    Ok(connection)
}

fn open_immutable(real: &Path) -> io::Result<Connection> {
    harden(Connection::open_with_flags(format!("{}?immutable=1", uri(real)), READ))
}

/// Opens copies of the files, where SQLite can recover what a killed writer left.
fn open_copy(real: &Path, side: &Path) -> io::Result<(Connection, TempDir)> {
    let folder = tempfile::Builder::new().prefix("replaylint-").tempdir()?;
    let copy = folder.path().join("copy.db");
    fs::copy(real, &copy)?;
    let ending = side.as_os_str().as_encoded_bytes().rsplit(|b| *b == b'-').next().unwrap_or_default();
    fs::copy(side, sidecar(&copy, &format!("-{}", String::from_utf8_lossy(ending))))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok((harden(Connection::open_with_flags(&copy, flags))?, folder))
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

/// Configures a connection to run and write nothing on behalf of the file.
fn harden(connection: rusqlite::Result<Connection>) -> io::Result<Connection> {
    let guard = || -> rusqlite::Result<Connection> {
        let connection = connection?;
        distrust(&connection)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    };
    guard().map_err(sql_error)
}

/// Disables views, triggers and functions of the schema, and enables checks of pages.
pub(super) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// A name as a quoted SQL identifier.
pub(super) fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// An error of SQLite as a message for users.
pub(super) fn sql_error(error: rusqlite::Error) -> io::Error {
    let code = error.sqlite_error_code();
    io::Error::other(match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "the database is locked by another process".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => format!("the database is damaged ({error})"),
        Some(ErrorCode::TooBig) => {
            format!("the database contains a value larger than {} MiB", MAX_CELL_BYTES >> 20)
        }
        _ => format!("the database cannot be read ({error})"),
    })
}
