//! Servers that run a model on one's own machines and put the messages into its chat template. Templates differ from
//! model to model, so what they may refuse is a warning; what the server itself reads is an error.

use crate::history::codes;
use crate::target::{Levels, Target, Trait, Traits, UNSEEN, Verdict, all, one};

use super::chat::CHAT_COMPATIBLE;

pub static CHAT_TEMPLATE: Target = Target {
    name: "chat-template",
    title: "any server that uses the chat templates of Hugging Face models: the order of roles is checked",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::ChatTemplate]))],
    evidence: "16 threads of 2026 with the errors of templates; llama.cpp accepted consecutive user messages six times",
    ..Target::like(&CHAT_COMPATIBLE)
};

/// The arguments of calls are parsed for the template, before it sees them.
const PARSES: &[Verdict] = &[Verdict { api: UNSEEN, ..all(codes::CHAT_ARGUMENTS, Levels::ERROR) }];

pub static VLLM: Target = Target {
    name: "vllm",
    title: "vLLM and SGLang: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: PARSES,
    traits: CHAT_TEMPLATE.traits,
    evidence: "vllm-project/vllm#43995, #48922, sgl-project/sglang#28035, QwenLM/Qwen3-Coder#444",
    ..Target::like(&CHAT_TEMPLATE)
};

pub static LLAMACPP: Target = Target {
    name: "llamacpp",
    title: "llama.cpp: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: PARSES,
    traits: CHAT_TEMPLATE.traits,
    evidence: "ggml-org/llama.cpp#25510, co-l/openfox#367; recorded accepted requests (consecutive user messages)",
    ..Target::like(&CHAT_TEMPLATE)
};

pub static OLLAMA: Target = Target {
    name: "ollama",
    title: "Ollama: tool messages without an id are paired by their order",
    // The role `developer` was accepted.
    traits: &[],
    // Calls without ids are in its own answers.
    verdicts: &[
        one(codes::SCHEMA_VIOLATION, 0, Levels::OFF),
        one(codes::CHAT_MISSING_ID, 0, Levels::OFF),
        one(codes::CHAT_MISSING_ID, 3, Levels::OFF),
    ],
    evidence: "recorded accepted requests to ollama.com and to a local server",
    ..Target::like(&CHAT_COMPATIBLE)
};
