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

mod across;
mod again;
mod agents;
#[cfg(feature = "sqlite")]
mod agents_databases;
mod answers;
mod anthropic;
mod archives;
mod baselines;
mod bugs;
mod carry;
mod cases;
mod circles;
mod claude_code;
mod cli;
mod codex;
mod command_lines;
mod configs;
mod conservation;
mod conserved;
mod convert;
mod copies;
mod corpus;
mod corpus_gemini_bedrock;
mod damage;
#[cfg(feature = "sqlite")]
mod databases;
mod dropped;
mod envelopes;
mod essence;
mod everyday;
mod followed;
mod formats;
mod fuzz;
mod fuzz_hold;
mod fuzz_mutate;
mod fuzz_seeds;
mod fuzzed;
#[path = "../../benches/generate.rs"]
mod generate;
mod histories;
mod keys;
#[cfg(target_os = "linux")]
mod killed;
#[cfg(feature = "sqlite")]
mod langgraph;
mod layers;
mod limits;
mod linear;
mod linear_commands;
mod linear_folders;
mod linear_lineage;
mod linear_shapes;
mod linear_stores;
#[path = "../../benches/logs.rs"]
mod logs;
#[cfg(target_os = "linux")]
mod meanwhile;
mod memory;
mod messages;
mod mutations;
mod mutations_anthropic;
mod mutations_chat;
mod mutations_gemini_bedrock;
mod names;
mod npm;
#[cfg(feature = "sqlite")]
mod opencode;
mod opencode_files;
mod openhands;
mod outputs;
mod page;
mod pages;
mod parity;
mod pasted;
#[cfg(target_os = "linux")]
mod peak;
mod pipes;
mod privacy;
mod privacy_archives;
#[cfg(feature = "sqlite")]
mod privacy_databases;
mod products;
mod properties;
mod properties_chat;
mod properties_gemini_bedrock;
mod proposals;
mod readme;
mod reads;
mod recipes;
mod recognition;
mod recorded;
mod replacing;
mod reports;
mod rng;
mod schema;
mod schema_messages;
mod segments;
mod slim;
mod snapshots;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(not(feature = "sqlite"))]
mod sqlite_off;
#[cfg(feature = "sqlite")]
mod sqlite_write;
#[cfg(feature = "sqlite")]
mod stores;
mod streams;
mod support;
mod tally;
mod threads;
mod tokens;
#[cfg(target_os = "linux")]
mod traced;
mod trees;
mod turns;
mod versions;
mod work;
mod writing;
