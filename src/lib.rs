//! `replaylint` reads stored LLM conversations, says what a provider would reject when they are replayed, and repairs
//! them without losing anything silently. The command line is a thin layer over this library.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod json;
pub mod place;
pub mod source;
