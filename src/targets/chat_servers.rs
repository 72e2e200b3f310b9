//! Servers of Chat Completions that are known for what they reject in the order and the form of messages: NVIDIA NIM and
//! SGLang, LM Studio, GitHub Copilot, Snowflake Cortex and Databricks.

use crate::history::codes;
use crate::target::{ErrorDetails, Levels, Target, Trait, Traits, UNSEEN, Verdict, all, one};

use super::chat::{CHAT_COMPATIBLE, with_sentence};
use super::chat_local::{CHAT_TEMPLATE, LLAMACPP, MISTRAL, TEMPLATE, VLLM, joined};

pub static SGLANG: Target = Target {
    name: "sglang",
    title: "SGLang: content may be null only in assistant messages, the model's chat template decides on the order of \
            roles",
    verdicts: &[with_sentence(
        codes::CHAT_NULL_CONTENT,
        Some(0),
        Levels::ERROR,
        "ChatCompletionMessageGenericParam.content.str Input should be a valid string",
        ErrorDetails::BODY,
    )],
    traits: VLLM.traits,
    evidence: "sgl-project/sglang#4236, #28035; mistral-common `validator.py`",
    ..Target::based_on(&VLLM)
};

pub static NIM: Target = Target {
    name: "nim",
    title: "NVIDIA NIM: lists of parts only in user messages",
    verdicts: &[with_sentence(
        codes::CHAT_NULL_CONTENT,
        Some(2),
        Levels::ERROR,
        "Message content as a list is only supported for user messages.",
        ErrorDetails::BODY,
    )],
    traits: &NIM_TRAITS,
    evidence: "earendil-works/pi PR#1574 and hermes-agent#111231 (lists), cherry-studio#16155 (empty content), \
               hermes-agent#20154 (user after tool)",
    ..Target::based_on(&VLLM)
};

const NIM_TRAITS: [(&str, Traits); 8] = joined(&[
    &[("", TEMPLATE.and(Trait::TextOutsideUser))],
    MISTRAL,
    &[("diffusiongemma", Traits::of(&[Trait::NoEmptyTextWithCalls]))],
]);

pub static LMSTUDIO: Target = Target {
    name: "lmstudio",
    title: "LM Studio: runs llama.cpp, the model's chat template decides on the order of roles",
    verdicts: LLAMACPP.verdicts,
    traits: LLAMACPP.traits,
    evidence: "charmbracelet/crush#279 (alternation); nothing is known beyond the rules of llama.cpp",
    ..Target::based_on(&CHAT_TEMPLATE)
};

pub static COPILOT: Target = Target {
    name: "copilot",
    title: "GitHub Copilot: models of several vendors; at most 128 calls in a message",
    traits: &[("", Traits::of(&[Trait::TextOutsideUser]))],
    verdicts: &[
        all(codes::CHAT_TOO_MANY_CALLS, Levels::ERROR),
        // Claude 4.6 and later continue no assistant message here either.
        one(codes::ANTHROPIC_PREFILL, 0, Levels::ERROR),
        one(codes::ANTHROPIC_PREFILL, 3, Levels::ERROR),
    ],
    evidence: "github/copilot-cli#669 (calls); earendil-works/pi PR#1574 (lists in assistant messages); \
               anomalyco/opencode#29760 (prefill)",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

pub static SNOWFLAKE: Target = Target {
    name: "snowflake",
    title: "Snowflake Cortex: `inference:complete` knows no role `tool`, and answers no assistant message if there are \
            tools",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::NoToolRole]))],
    verdicts: SNOWFLAKE_VERDICTS,
    evidence: "BerriAI/litellm#23285 and PR#29964, langchain-snowflake#41, goose#5997",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

const UNPAIRED: &str = "Each toolUse block must be accompanied with a matching toolResult block";

const ENDS_WITH_ASSISTANT: &str =
    "Requests cannot contain `assistant` role in the final position when `tools` are used.";

const SNOWFLAKE_VERDICTS: &[Verdict] = &[
    with_sentence(codes::CHAT_MISSING_REPLY, Some(0), Levels::ERROR, UNPAIRED, ErrorDetails::BODY),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(1), Levels::ERROR, UNPAIRED, ErrorDetails::BODY),
    with_sentence(codes::CHAT_LAST_ROLE, Some(0), Levels::WARNING, ENDS_WITH_ASSISTANT, ErrorDetails::BODY),
];

pub static DATABRICKS: Target = Target {
    name: "databricks",
    title: "Databricks model serving: only calls and their results are checked",
    traits: &[("", Traits::of(&[Trait::NoDeveloper]))],
    verdicts: &[Verdict { api: UNSEEN, ..one(codes::CHAT_MISSING_REPLY, 0, Levels::ERROR) }],
    evidence: "docs.databricks.com; one recorded accepted request with an image; its order of messages is not documented",
    ..Target::based_on(&CHAT_COMPATIBLE)
};
