//! Self-hosted servers that render the messages with the model's chat template. Templates differ from model to model,
//! so their possible rejections are warnings; those of the server itself are errors.

use crate::history::codes;
use crate::target::{Levels, Target, Trait, Traits, UNSEEN, Verdict, all, one};

use super::chat::CHAT_COMPATIBLE;

pub static CHAT_TEMPLATE: Target = Target {
    name: "chat-template",
    title: "any server that uses the chat templates of Hugging Face models: the order of roles is checked",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::ChatTemplate]))],
    evidence: "16 threads of 2026 with the errors of templates; llama.cpp accepted consecutive user messages six times",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

/// The server parses the arguments of calls before it renders the template.
const PARSES: &[Verdict] = &[Verdict { api: UNSEEN, ..all(codes::CHAT_ARGUMENTS, Levels::ERROR) }];

pub static VLLM: Target = Target {
    name: "vllm",
    title: "vLLM and SGLang: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: PARSES,
    traits: CHAT_TEMPLATE.traits,
    evidence: "vllm-project/vllm#43995, #48922, sgl-project/sglang#28035, QwenLM/Qwen3-Coder#444",
    ..Target::based_on(&CHAT_TEMPLATE)
};

pub static LLAMACPP: Target = Target {
    name: "llamacpp",
    title: "llama.cpp: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: PARSES,
    traits: CHAT_TEMPLATE.traits,
    evidence: "ggml-org/llama.cpp#25510, co-l/openfox#367; recorded accepted requests (consecutive user messages)",
    ..Target::based_on(&CHAT_TEMPLATE)
};

pub static OLLAMA: Target = Target {
    name: "ollama",
    title: "Ollama: tool messages without an id are paired by their order",
    // The role `developer` was accepted.
    traits: &[],
    // Its own answers contain calls without ids.
    verdicts: &[
        one(codes::SCHEMA_VIOLATION, 0, Levels::OFF),
        one(codes::CHAT_MISSING_ID, 0, Levels::OFF),
        one(codes::CHAT_MISSING_ID, 3, Levels::OFF),
    ],
    evidence: "recorded accepted requests to ollama.com and to a local server",
    ..Target::based_on(&CHAT_COMPATIBLE)
};
