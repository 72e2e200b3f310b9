//! `replaylint` reads stored LLM conversations, says what a provider would reject when they are replayed, and repairs
//! them without losing anything silently. The command line is a thin layer over this library.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod dialect;
pub mod dialects;
pub mod fix;
pub mod format;
pub mod formats;
pub mod history;
pub mod json;
pub mod lint;
pub mod place;
pub mod rule;
pub mod rules;
pub mod source;
pub mod target;
pub mod targets;
