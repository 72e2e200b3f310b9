//! Servers of other vendors that speak the Responses API. They mint ids of their own, so most rules about the identity
//! of items say nothing about them.

use crate::target::{Answer, Caps, Levels, Target, Verdict, all, one};

const CAPS: Caps = Caps {
    detached_reasoning: true,
    bare_reasoning: true,
    references: true,
    contiguous_outputs: false,
    chaining: true,
    parses_arguments: false,
    searches_without_ids: false,
};

/// What holds for all of these servers. A base, and no target itself.
static OTHERS: Target = Target {
    name: "others",
    base: None,
    title: "",
    dialect: "responses",
    store: true,
    caps: CAPS,
    models: &[],
    traits: &[],
    verdicts: &[
        all(201, Levels::OFF),
        all(202, Levels::OFF),
        all(203, Levels::OFF),
        all(204, Levels::OFF),
        all(205, Levels::OFF),
        all(301, Levels::OFF),
        all(302, Levels::OFF),
        all(305, Levels::OFF),
        all(309, Levels::OFF),
        all(310, Levels::OFF),
        all(313, Levels::OFF),
        all(401, Levels::OFF),
        all(402, Levels::OFF),
        all(403, Levels::OFF),
        all(404, Levels::OFF),
        all(405, Levels::OFF),
        all(407, Levels::WARNING),
        all(409, Levels::WARNING),
        all(410, Levels::WARNING),
        one(413, 1, Levels::OFF),
        all(413, Levels::WARNING),
        one(414, 8, Levels::OFF),
        all(416, Levels::WARNING),
        // Each of these servers has a schema of its own, which is looser in places.
        one(400, 0, Levels::WARNING),
        one(400, 1, Levels::WARNING),
        one(400, 2, Levels::WARNING),
        one(400, 3, Levels::OFF),
        one(400, 4, Levels::OFF),
    ],
    evidence: "",
};

/// What holds for vendors that serve their own models. A base, and no target itself.
static VENDORS: Target = Target {
    verdicts: &[
        all(107, Levels::OFF),
        all(108, Levels::OFF),
        all(109, Levels::OFF),
        all(306, Levels::WARNING),
        all(308, Levels::WARNING),
        all(311, Levels::OFF),
        one(412, 1, Levels::WARNING),
    ],
    ..Target::like(&OTHERS)
};

pub static XAI: Target = Target {
    name: "xai",
    title: "xAI Responses API: ids repeat and are not checked",
    verdicts: &[
        one(106, 0, Levels::WARNING),
        all(110, Levels::OFF),
        all(407, Levels::OFF),
        all(408, Levels::ERROR),
    ],
    evidence: "recorded: 101 accepted requests (repeated ids, ids over 64, id-less reasoning)",
    ..Target::like(&VENDORS)
};

pub static DEEPSEEK: Target = Target {
    name: "deepseek",
    title: "DeepSeek Responses API: a turn's calls are together, their outputs directly after them",
    caps: Caps { references: false, contiguous_outputs: true, ..CAPS },
    verdicts: &[
        Verdict { api: Some(NO_OUTPUT), answer: Some(NO_PARAM), ..one(101, 0, Levels::ERROR) },
        Verdict { api: Some(NO_OUTPUT), answer: Some(NO_PARAM), ..one(101, 4, Levels::ERROR) },
        Verdict { api: Some(NO_OUTPUT), answer: Some(NO_PARAM), ..all(103, Levels::ERROR) },
        one(110, 0, Levels::OFF),
        one(110, 1, Levels::ERROR),
        all(301, Levels::WARNING),
        all(303, Levels::ERROR),
        one(310, 0, Levels::WARNING),
        one(404, 1, Levels::INFO),
        one(414, 6, Levels::WARNING),
    ],
    evidence: "recorded: 17 accepted requests and one rejection; deepseek-ai/awesome-deepseek-integration#740",
    ..Target::like(&VENDORS)
};

/// DeepSeek names no place, and repeats the type as the code.
const NO_PARAM: Answer = Answer { code: Some("invalid_request_error"), ..Answer::BODY };

/// DeepSeek says this of every call whose output is not where it looks for it.
const NO_OUTPUT: &str = "No tool output found for tool call {call_id}.";

pub static OPENAI_COMPATIBLE: Target = Target {
    name: "openai-compatible",
    title: "Copilot, OpenRouter, vLLM and other gateways: only calls and outputs are checked",
    caps: Caps { parses_arguments: true, ..CAPS },
    verdicts: &[
        all(206, Levels::OFF),
        all(303, Levels::OFF),
        all(306, Levels::OFF),
        all(412, Levels::OFF),
        one(414, 3, Levels::OFF),
        all(415, Levels::OFF),
        all(419, Levels::OFF),
        all(420, Levels::OFF),
    ],
    evidence: "these servers create ids of their own; every provider pairs calls and outputs",
    ..Target::like(&OTHERS)
};
