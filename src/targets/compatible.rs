//! Servers of other vendors that speak the Responses API. They mint ids of their own, so most rules about the identity
//! of items say nothing about them.

use crate::target::{Answer, Caps, Levels, Target, Thinking, Verdict, all, one};

const CAPS: Caps = Caps {
    detached_reasoning: true,
    bare_reasoning: true,
    references: true,
    contiguous_outputs: false,
    local_shell_as_function: false,
};

const MODELS: &[(&str, Thinking)] = &[];

pub static XAI: Target = Target {
    name: "xai",
    title: "xAI Responses API: ids repeat and are not checked",
    dialect: "responses",
    store: true,
    caps: CAPS,
    models: MODELS,
    traits: &[],
    verdicts: XAI_VERDICTS,
    evidence: "recorded: 101 accepted requests (repeated ids, ids over 64, id-less reasoning)",
};

const XAI_VERDICTS: &[Verdict] = &[
    one(106, 0, Levels::WARNING),
    all(107, Levels::OFF),
    all(108, Levels::OFF),
    all(109, Levels::OFF),
    all(110, Levels::OFF),
    all(201, Levels::OFF),
    all(202, Levels::OFF),
    all(203, Levels::OFF),
    all(204, Levels::OFF),
    all(205, Levels::OFF),
    all(301, Levels::OFF),
    all(302, Levels::OFF),
    all(304, Levels::WARNING),
    all(305, Levels::OFF),
    all(310, Levels::OFF),
    all(311, Levels::OFF),
    // Each of these servers has a schema of its own, which is looser in places.
    one(400, 0, Levels::WARNING),
    one(400, 1, Levels::WARNING),
    one(400, 2, Levels::WARNING),
    one(400, 3, Levels::OFF),
    one(400, 4, Levels::OFF),
];

pub static DEEPSEEK: Target = Target {
    name: "deepseek",
    title: "DeepSeek Responses API: a turn's calls stand together, their outputs directly behind them",
    dialect: "responses",
    store: true,
    caps: Caps { references: false, contiguous_outputs: true, ..CAPS },
    models: MODELS,
    traits: &[],
    verdicts: DEEPSEEK_VERDICTS,
    evidence: "recorded: 17 accepted requests and one rejection; deepseek-ai/awesome-deepseek-integration#740",
};

const DEEPSEEK_VERDICTS: &[Verdict] = &[
    Verdict { api: Some(NO_OUTPUT), answer: Some(NO_PARAM), ..one(101, 0, Levels::ERROR) },
    Verdict { api: Some(NO_OUTPUT), answer: Some(NO_PARAM), ..all(103, Levels::ERROR) },
    all(107, Levels::OFF),
    all(108, Levels::OFF),
    all(109, Levels::OFF),
    one(110, 0, Levels::OFF),
    one(110, 1, Levels::ERROR),
    all(201, Levels::OFF),
    all(202, Levels::OFF),
    all(203, Levels::OFF),
    all(204, Levels::OFF),
    all(205, Levels::OFF),
    all(301, Levels::WARNING),
    all(302, Levels::OFF),
    all(303, Levels::ERROR),
    all(304, Levels::WARNING),
    all(305, Levels::OFF),
    one(310, 0, Levels::WARNING),
    one(310, 1, Levels::OFF),
    all(311, Levels::OFF),
    // Each of these servers has a schema of its own, which is looser in places.
    one(400, 0, Levels::WARNING),
    one(400, 1, Levels::WARNING),
    one(400, 2, Levels::WARNING),
    one(400, 3, Levels::OFF),
    one(400, 4, Levels::OFF),
];

/// DeepSeek names no place, and repeats the type as the code.
const NO_PARAM: Answer = Answer { code: Some("invalid_request_error"), ..Answer::BODY };

/// DeepSeek says this of every call whose output is not where it looks for it.
const NO_OUTPUT: &str = "No tool output found for tool call {call_id}.";

pub static OPENAI_COMPATIBLE: Target = Target {
    name: "openai-compatible",
    title: "Copilot, OpenRouter, vLLM and other gateways: calls and outputs only",
    dialect: "responses",
    store: true,
    caps: CAPS,
    models: MODELS,
    traits: &[],
    verdicts: COMPATIBLE_VERDICTS,
    evidence: "these servers mint ids of their own; every provider pairs calls and outputs",
};

const COMPATIBLE_VERDICTS: &[Verdict] = &[
    all(201, Levels::OFF),
    all(202, Levels::OFF),
    all(203, Levels::OFF),
    all(204, Levels::OFF),
    all(205, Levels::OFF),
    all(206, Levels::OFF),
    all(301, Levels::OFF),
    all(302, Levels::OFF),
    all(303, Levels::OFF),
    all(304, Levels::OFF),
    all(305, Levels::OFF),
    all(310, Levels::OFF),
    // Each of these servers has a schema of its own, which is looser in places.
    one(400, 0, Levels::WARNING),
    one(400, 1, Levels::WARNING),
    one(400, 2, Levels::WARNING),
    one(400, 3, Levels::OFF),
    one(400, 4, Levels::OFF),
];
