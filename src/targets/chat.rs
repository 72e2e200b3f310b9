//! Chat Completions: OpenAI's own, and the servers of others that speak it.

use crate::target::{Caps, Target};

pub static CHAT: Target = Target {
    name: "chat",
    title: "OpenAI Chat Completions API",
    dialect: "chat",
    store: false,
    caps: Caps::NONE,
    models: &[],
    traits: &[],
    verdicts: &[],
    evidence: "rules and their pages; recorded accepted requests to OpenAI and Azure",
};
