//! `replaylint` reads stored LLM conversations, says what a provider would reject when they are replayed, and repairs
//! them without losing anything silently. The command line is a thin layer over this library.
//!
//! The modules stand in the order in which they may know of each other, lowest first; a test reads every import and
//! fails on one that points down the list.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod place;

pub mod json;

pub mod source;

pub mod history;

pub mod neutral;

pub mod dialect;
pub mod dialects;

pub mod schema;

pub mod target;
pub mod targets;

pub mod format;
pub mod formats;

pub mod read;

pub mod rule;
pub mod rules;

pub mod judge;

pub mod fix;

pub mod replay;

pub mod convert;

pub mod diff;

pub mod report;

pub mod options;

pub mod commands;

pub mod cli;
