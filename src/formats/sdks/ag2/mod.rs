//! Events of AG2, as a list or in its write-ahead log.

pub mod events;
pub mod log;
