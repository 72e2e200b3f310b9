//! The known stores, one family per file, and their table.

mod adk;
mod agents_sdk;
mod crush;
mod cursor;
mod goose;
mod hermes;
mod langgraph;
mod opencode;
mod zed;

use super::store::SqliteStore;

/// All stores. A table belongs to the first one that it matches.
pub static STORES: &[&SqliteStore] = &[
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
