//! What is read and written: archives, databases, files that are replaced, pipes, threads.

pub mod archives;
pub mod copies;
pub mod damage;
#[cfg(target_os = "linux")]
pub mod killed;
pub mod limits;
#[cfg(target_os = "linux")]
pub mod meanwhile;
pub mod pipes;
pub mod replacing;
pub mod segments;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(not(feature = "sqlite"))]
pub mod sqlite_off;
#[cfg(feature = "sqlite")]
pub mod sqlite_write;
pub mod threads;
#[cfg(target_os = "linux")]
pub mod traced;
pub mod undo;
pub mod writing;
