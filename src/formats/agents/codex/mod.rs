//! Sessions of Codex: rollouts, the first form of them, and the events of `codex exec --json`.

pub mod exec;
pub mod rollout;
pub mod session;
pub mod write;
