//! Tests of the whole: one binary, so that it links once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

mod cli;
mod convert;
mod formats;
mod fuzz;
#[path = "../../benches/generate.rs"]
mod generate;
mod linear;
#[path = "../../benches/logs.rs"]
mod logs;
mod repair;
mod report;
mod rules;
mod source;
mod structure;
mod support;
