//! Input and output: archives, databases, replacement of files, pipes, threads.

pub mod archives;
#[cfg(target_os = "linux")]
pub mod concurrent_access;
pub mod copies;
pub mod damage;
#[cfg(target_os = "linux")]
pub mod interruption;
pub mod limits;
pub mod pipes;
pub mod replacement;
pub mod segments;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(not(feature = "sqlite"))]
pub mod sqlite_off;
#[cfg(feature = "sqlite")]
pub mod sqlite_write;
#[cfg(target_os = "linux")]
pub mod strace;
pub mod threads;
pub mod undo;
pub mod writing;
