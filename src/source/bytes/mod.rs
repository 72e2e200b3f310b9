//! Bytes to read by place: of files, of what was made of them, of what waits in a temporary file.

pub mod cached_reader;
pub mod growable;
pub mod hinted;
pub mod hints;
pub mod overflow;
pub mod prefix;
pub mod read;
pub mod spool;
pub mod synthetic;
