//! The known stores, one family a file, and their table.

mod adk;
mod agents_sdk;
mod crush;
mod goose;
mod opencode;

use super::store::Store;

/// All stores. A table belongs to the first that it fits.
pub static STORES: &[&Store] = &[
    &agents_sdk::ADVANCED,
    &agents_sdk::PLAIN,
    &opencode::BOTH,
    &opencode::FIRST,
    &opencode::SECOND,
    &crush::CRUSH,
    &goose::GOOSE,
    &adk::ADK,
];
