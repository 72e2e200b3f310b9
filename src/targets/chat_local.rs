//! Self-hosted servers that render the messages with the model's chat template. Templates differ from model to model,
//! so their possible rejections are warnings; those of the server itself are errors.

use crate::history::codes;
use crate::target::{ErrorDetails, Levels, Target, Trait, Traits, UNSEEN, Verdict, all, one};

use super::chat::{CHAT_COMPATIBLE, with_sentence};

pub static CHAT_TEMPLATE: Target = Target {
    name: "chat-template",
    title: "any server that uses the chat templates of Hugging Face models: the order of roles is checked",
    traits: &[("", Traits::of(&[Trait::NoDeveloper, Trait::ChatTemplate])), ("gpt-oss", HARMONY)],
    evidence: "16 threads of 2026 with the errors of templates; llama.cpp accepted consecutive user messages six times",
    ..Target::based_on(&CHAT_COMPATIBLE)
};

/// The server parses the arguments of calls before it renders the template.
const PARSES: &[Verdict] = &[Verdict { api: UNSEEN, ..all(codes::CHAT_ARGUMENTS, Levels::ERROR) }];

/// Models of Mistral on a server that renders messages with mistral-common or with the model's template.
pub(super) const MISTRAL: &[(&str, Traits)] = &[
    ("mistral", OLD_ORDER),
    ("ministral", OLD_ORDER),
    ("mixtral", OLD_ORDER),
    ("magistral", OLD_ORDER),
    ("devstral", OLD_ORDER),
    ("codestral", OLD_ORDER),
];
/// The same by their names on Hugging Face.
const MISTRAL_ON_HUGGING_FACE: &[(&str, Traits)] = &[
    ("Mistral", OLD_ORDER),
    ("Ministral", OLD_ORDER),
    ("Mixtral", OLD_ORDER),
    ("Magistral", OLD_ORDER),
    ("Devstral", OLD_ORDER),
    ("Codestral", OLD_ORDER),
];

/// The rows of several tables, `N` of them together.
#[expect(clippy::indexing_slicing, reason = "a constant function has no iterators; the loops end at the lengths")]
pub(super) const fn joined<const N: usize>(tables: &[&[(&'static str, Traits)]]) -> [(&'static str, Traits); N] {
    let mut all = [("", Traits::of(&[])); N];
    let (mut table, mut to) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[to] = tables[table][row];
            (row, to) = (row + 1, to + 1);
        }
        table += 1;
    }
    assert!(to == N, "the number of rows");
    all
}

const VLLM_TRAITS: [(&str, Traits); 19] = joined(&[
    &[("", TEMPLATE), ("gpt-oss", HARMONY)],
    MISTRAL,
    MISTRAL_ON_HUGGING_FACE,
    &[
        ("pixtral", OLD_ORDER),
        ("Pixtral", OLD_ORDER),
        ("voxtral", OLD_ORDER),
        ("Voxtral", OLD_ORDER),
        ("open-mi", OLD_ORDER),
    ],
]);

pub(super) const TEMPLATE: Traits = Traits::of(&[Trait::NoDeveloper, Trait::ChatTemplate]);
pub(super) const HARMONY: Traits = Traits::of(&[Trait::HarmonyTemplate]);
const OLD_ORDER: Traits = Traits::of(&[Trait::OldMistralOrder]);

pub static VLLM: Target = Target {
    name: "vllm",
    title: "vLLM: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: PARSES,
    traits: &VLLM_TRAITS,
    evidence: "vllm-project/vllm#43995, #48922, sgl-project/sglang#28035, QwenLM/Qwen3-Coder#444",
    ..Target::based_on(&CHAT_TEMPLATE)
};

const LLAMACPP_VERDICTS: &[Verdict] = &[
    Verdict { api: UNSEEN, ..all(codes::CHAT_ARGUMENTS, Levels::ERROR) },
    with_sentence(
        codes::CHAT_NULL_CONTENT,
        Some(1),
        Levels::ERROR,
        "All non-assistant messages must contain 'content'",
        ErrorDetails::BODY,
    ),
    with_sentence(
        codes::SCHEMA_VIOLATION,
        Some(1),
        Levels::WARNING,
        "Expected 'content' to be a string or an array",
        ErrorDetails::BODY,
    ),
];

const LLAMACPP_TRAITS: [(&str, Traits); 14] =
    joined(&[&[("", TEMPLATE.and(Trait::WantsContent)), ("gpt-oss", HARMONY)], MISTRAL, MISTRAL_ON_HUGGING_FACE]);

pub static LLAMACPP: Target = Target {
    name: "llamacpp",
    title: "llama.cpp: arguments must be a JSON object, the model's chat template decides on the order of roles",
    verdicts: LLAMACPP_VERDICTS,
    traits: &LLAMACPP_TRAITS,
    evidence: "ggml-org/llama.cpp#25510, co-l/openfox#367; recorded accepted requests (consecutive user messages)",
    ..Target::based_on(&CHAT_TEMPLATE)
};

const MISMATCH: &str = "Invalid tool usage: mismatch between tool calls and tool results";
const ARGUMENTS: &str = "invalid tool call arguments";
const NO_CONTENT: &str = "invalid message content type: <nil>";

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
        one(codes::CHAT_MISSING_ID, 1, Levels::WARNING),
        one(codes::CHAT_MISSING_ID, 2, Levels::WARNING),
        // A local server pairs nothing; models of ollama.com do.
        with_sentence(codes::CHAT_MISSING_REPLY, Some(0), Levels::WARNING, MISMATCH, ErrorDetails::BODY),
        with_sentence(codes::CHAT_MISSING_REPLY, Some(1), Levels::WARNING, MISMATCH, ErrorDetails::BODY),
        with_sentence(codes::CHAT_ORPHAN_REPLY, Some(0), Levels::WARNING, MISMATCH, ErrorDetails::BODY),
        // The server decodes them into a map.
        with_sentence(codes::CHAT_ARGUMENTS, Some(0), Levels::ERROR, ARGUMENTS, ErrorDetails::BODY),
        with_sentence(codes::CHAT_EMPTY_ASSISTANT, Some(0), Levels::WARNING, NO_CONTENT, ErrorDetails::BODY),
    ],
    evidence: "recorded accepted requests to ollama.com and to a local server; its source, `openai/openai.go`; \
               ollama/ollama#12395 (pairs, ollama.com only)",
    ..Target::based_on(&CHAT_COMPATIBLE)
};
