//! Sessions of Codex: rollouts, the single documents of 2025, and the events of `codex exec --json`.

mod config;
pub mod exec;
pub mod resume;
pub mod rollout;
pub mod session;
pub mod write;
