//! SQLite databases as sources. A table of known stores lists the columns by which a store is recognised, and the
//! queries for its histories and, in order, the cells of each. A history is read as a doc with one cell per line;
//! findings and edits belong to the row that contains them.

pub mod agents_database;
mod cells;
#[cfg(feature = "sqlite")]
mod connect;
mod key;
#[cfg(feature = "sqlite")]
mod msgpack;
#[cfg(feature = "sqlite")]
mod read;
#[cfg(not(feature = "sqlite"))]
mod read_unsupported;
#[cfg(feature = "sqlite")]
mod resolve;
pub mod store;
pub mod stores;
#[cfg(feature = "sqlite")]
mod tables;
#[cfg(feature = "sqlite")]
mod write;
#[cfg(not(feature = "sqlite"))]
mod write_unsupported;

pub use cells::{Cell, CellChange, HistoryCells, unread_doc};
pub use key::{HistoryKey, MAGIC, RowId, is_database, is_misnamed_database};

#[cfg(feature = "sqlite")]
pub use read::{histories, open};
#[cfg(not(feature = "sqlite"))]
pub use read_unsupported::{histories, open};
#[cfg(feature = "sqlite")]
pub use write::{WriteStep, in_use, refusal, write, write_with_progress};
#[cfg(not(feature = "sqlite"))]
pub use write_unsupported::{in_use, refusal, write};
