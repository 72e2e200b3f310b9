//! Stored formats: what is recognised, and what is read of each.

pub mod agents;
#[cfg(feature = "sqlite")]
pub mod agents_databases;
pub mod claude_code;
pub mod codex;
pub mod envelopes;
pub mod fields;
pub mod iterate;
#[cfg(feature = "sqlite")]
pub mod langgraph;
pub mod nets;
#[cfg(feature = "sqlite")]
pub mod opencode;
pub mod opencode_files;
pub mod openhands;
pub mod parity;
pub mod pieces;
pub mod recognition;
pub mod samples;
#[cfg(feature = "sqlite")]
pub mod stores;
pub mod streams;
pub mod trees;
pub mod turns;
pub mod vibe;
