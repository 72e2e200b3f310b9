//! SQLite databases as sources. A table of known stores says by which columns a store is recognised and which queries
//! give its histories and, in order, the cells of each. A history is read as a doc with one cell a line; what is found
//! and changed belongs to the row that it lies in.

mod cells;
#[cfg(feature = "sqlite")]
mod connect;
#[cfg(feature = "sqlite")]
mod find;
mod key;
pub mod made;
#[cfg(feature = "sqlite")]
mod msgpack;
#[cfg(not(feature = "sqlite"))]
mod none;
#[cfg(feature = "sqlite")]
mod read;
#[cfg(feature = "sqlite")]
mod resolve;
pub mod store;
pub mod stores;
#[cfg(not(feature = "sqlite"))]
mod unwritten;
#[cfg(feature = "sqlite")]
mod write;

pub use cells::{Cell, Cells, Changed, unread};
pub use key::{Id, Key, MAGIC, is_database};

#[cfg(not(feature = "sqlite"))]
pub use none::{histories, open};
#[cfg(feature = "sqlite")]
pub use read::{histories, open};
#[cfg(not(feature = "sqlite"))]
pub use unwritten::{in_use, refusal, write};
#[cfg(feature = "sqlite")]
pub use write::{Step, in_use, refusal, write, write_watched};
