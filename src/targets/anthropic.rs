//! The Anthropic Messages API, on Anthropic's own hosts and on those of clouds that offer it.

use crate::history::codes;
use crate::target::{Caps, Levels, Target, Trait, Traits, UNSEEN, Verdict, one};

pub static ANTHROPIC: Target = Target {
    name: "anthropic",
    base: None,
    title: "Anthropic Messages API",
    dialect: "anthropic",
    store: false,
    caps: Caps { max_temperature: 1, ..Caps::NONE },
    models: &[],
    traits: TRAITS,
    verdicts: VERDICTS,
    evidence: "rules and their pages; 177 recorded accepted requests, 8 of them by way of Vertex AI",
};

/// The server's sentences for a missing value and a wrong type: the path contains the type of the block.
const VERDICTS: &[Verdict] = &[
    Verdict {
        api: Some("messages.{message}.content.{block}.{type}.{member}: Field required"),
        ..one(codes::SCHEMA_VIOLATION, 0, Levels::ERROR)
    },
    Verdict {
        api: Some("messages.{message}.content.{block}.{type}.{member}: Input should be a valid {kind}"),
        ..one(codes::SCHEMA_VIOLATION, 1, Levels::ERROR)
    },
    Verdict { api: UNSEEN, ..one(codes::SCHEMA_VIOLATION, 2, Levels::ERROR) },
    // Seven recorded requests with a call in flight were accepted.
    one(codes::ANTHROPIC_OPEN_SERVER_CALL, 0, Levels::INFO),
    one(codes::ANTHROPIC_OPEN_SERVER_CALL, 1, Levels::INFO),
];

/// Before Claude Opus 4.8, instructions are accepted only in `system`.
const NO_SYSTEM: Traits = Traits::of(&[Trait::RefusesSystemMessages]);
/// Preserved thinking: Anthropic's page on prefix checks lists these families.
const BOUND: Traits = Traits::of(&[Trait::BoundThinking]);

/// DeepSeek's own endpoint for this API requires the thinking of its models back, and checks no signatures: Qwen Code
/// sends empty ones (QwenLM/qwen-code#3788).
const DEEPSEEK: Traits = Traits::of(&[Trait::WantsReasoning, Trait::UnsignedReasoning]);

const TRAITS: &[(&str, Traits)] = &[
    ("", Traits::of(&[Trait::ChecksLastText])),
    ("deepseek-", DEEPSEEK),
    ("claude-2", NO_SYSTEM),
    ("claude-instant", NO_SYSTEM),
    ("claude-3", NO_SYSTEM),
    ("claude-haiku-4", NO_SYSTEM),
    ("claude-sonnet-4", NO_SYSTEM),
    ("claude-opus-4$", NO_SYSTEM),
    // Dated snapshots of Claude Opus 4.
    ("claude-opus-4-2", NO_SYSTEM),
    ("claude-opus-4@", NO_SYSTEM),
    ("claude-opus-4-0", NO_SYSTEM),
    ("claude-opus-4-1", NO_SYSTEM),
    ("claude-opus-4-5", NO_SYSTEM),
    ("claude-opus-4-6", NO_SYSTEM),
    ("claude-opus-4-7", NO_SYSTEM),
    ("claude-haiku-5-5", BOUND.and(Trait::AccountBound)),
    ("claude-sonnet-5-5", BOUND.and(Trait::AccountBound)),
    ("claude-opus-5-5", BOUND),
    ("claude-fable-5-1", BOUND),
    ("claude-fable-5-2", BOUND),
    ("claude-mythos-5-1", BOUND),
    ("claude-mythos-5-2", BOUND),
];
