//! The known stores, one family a file, and their table.

mod adk;
mod agents_sdk;
mod crush;
mod cursor;
mod goose;
mod hermes;
mod langgraph;
mod opencode;
mod zed;

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
    &langgraph::CHECKPOINTS,
    &hermes::MARKED,
    &hermes::OLDER,
    &zed::THREADS,
    &cursor::EDITOR,
    &cursor::AGENT,
];
