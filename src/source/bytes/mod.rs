//! Random access to bytes: files, text synthesised from them, and data spilled to temporary files.

pub mod cached_reader;
pub mod digest;
pub mod growable;
pub mod hinted;
pub mod hints;
pub mod loaded;
pub mod overflow;
pub mod prefix;
pub mod read;
pub mod spool;
pub mod synthetic;
