//! The known stores, one family a file, and their table.

mod agents_sdk;
mod cursor;
mod hermes;
mod zed;

use super::store::Store;

/// All stores. A table belongs to the first that it fits.
pub static STORES: &[&Store] = &[
    &agents_sdk::ADVANCED,
    &agents_sdk::PLAIN,
    &hermes::MARKED,
    &hermes::OLDER,
    &zed::THREADS,
    &cursor::EDITOR,
    &cursor::AGENT,
];
