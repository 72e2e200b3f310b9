//! Hosted servers of other vendors that speak Chat Completions, with the problems that users report most.

use crate::history::codes;
use crate::target::{ErrorDetails, Levels, Target, Trait, Traits, Verdict, all, one};

use super::chat::{CHAT_COMPATIBLE, with_sentence, without_sentence};

pub static OPENROUTER: Target = Target {
    name: "openrouter",
    title: "OpenRouter: passes messages on to many providers; only calls and their results are checked",
    // The role `developer` was accepted.
    traits: &[],
    evidence: "30 recorded accepted requests; the upstream provider has its own rules",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

pub static DASHSCOPE: Target = Target {
    name: "dashscope",
    title: "Alibaba DashScope (Qwen): arguments must be a JSON object, a user message is required",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::WantsUser]))],
    verdicts: DASHSCOPE_VERDICTS,
    evidence: "HKUDS/nanobot#2469, QwenLM/qwen-code#2360, agentscope-ai/agentscope-java#613, cc-switch#4735",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

const NOT_JSON: &str = "<400> InternalError.Algo.InvalidParameter: The \"function.arguments\" parameter of the code model must be in JSON format.";

const NO_USER: &str =
    "<400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user";

const DASHSCOPE_VERDICTS: &[Verdict] = &[
    with_sentence(
        codes::CHAT_ORPHAN_REPLY,
        None,
        Levels::ERROR,
        "<400> InternalError.Algo.InvalidParameter: messages with role \"tool\" must be a response to a preceeding \
         message with \"tool_calls\".",
        ErrorDetails::BODY,
    ),
    without_sentence(codes::CHAT_EMPTY_TOOL_CALLS, Levels::WARNING),
    with_sentence(codes::CHAT_ARGUMENTS, None, Levels::ERROR, NOT_JSON, ErrorDetails::BODY),
    with_sentence(codes::CHAT_TEMPLATE_ORDER, Some(1), Levels::ERROR, NO_USER, ErrorDetails::BODY),
];

pub static GLM: Target = Target {
    name: "glm",
    title: "Z.ai and Zhipu (GLM): tool messages without an id are paired by their order",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::WantsUser]))],
    verdicts: GLM_VERDICTS,
    evidence: "recorded accepted requests to api.z.ai; MetaGLM/zhipuai-sdk-python-v4#14 (no user message)",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

/// GLM's only sentence for any problem with the messages.
const ILLEGAL: &str = "The messages parameter is illegal. Please check the documentation.";

const GLM_VERDICTS: &[Verdict] = &[
    one(codes::CHAT_MISSING_ID, 0, Levels::OFF),
    one(codes::CHAT_MISSING_ID, 3, Levels::OFF),
    with_sentence(
        codes::CHAT_TEMPLATE_ORDER,
        Some(1),
        Levels::WARNING,
        ILLEGAL,
        ErrorDetails { code: Some("1214"), ..ErrorDetails::BODY },
    ),
];

pub static MINIMAX: Target = Target {
    name: "minimax",
    title: "MiniMax: arguments must be a JSON object, results directly after their calls",
    traits: &[("", Traits::of(&[Trait::NoDeveloper]))],
    verdicts: MINIMAX_VERDICTS,
    evidence: "MiniMax-M2#76, cc-switch#4735, oh-my-pi#181; recorded accepted requests",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

const NO_RESULT: &str = "invalid params, tool call result does not follow tool call (2013)";

const MINIMAX_VERDICTS: &[Verdict] = &[
    with_sentence(codes::CHAT_MISSING_REPLY, Some(0), Levels::ERROR, NO_RESULT, ErrorDetails::BODY),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(1), Levels::ERROR, NO_RESULT, ErrorDetails::BODY),
    with_sentence(
        codes::CHAT_ORPHAN_REPLY,
        None,
        Levels::ERROR,
        "invalid params, tool result's tool id({call_id}) not found (2013)",
        ErrorDetails::BODY,
    ),
    with_sentence(
        codes::CHAT_ARGUMENTS,
        None,
        Levels::ERROR,
        "invalid params, invalid function arguments json string, tool_call_id: {call_id} (2013)",
        ErrorDetails::BODY,
    ),
    all(codes::CHAT_TEMPLATE_ORDER, Levels::OFF),
];
