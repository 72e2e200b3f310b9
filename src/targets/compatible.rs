//! Servers of other vendors that speak the Responses API. They create their own ids, so most rules about the identity
//! of items do not apply to them.

use crate::history::codes;
use crate::target::{Caps, ErrorDetails, Levels, Target, Verdict, all, one};

const CAPS: Caps = Caps {
    detached_reasoning: true,
    bare_reasoning: true,
    references: true,
    contiguous_outputs: false,
    chaining: true,
    parses_arguments: false,
    searches_without_ids: false,
    max_temperature: 0,
    min_output_limit: 0,
};

/// Verdicts of all these servers. A base, not itself a target.
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
        // They translate or drop options that a model does not have.
        all(codes::UNSUPPORTED_EFFORT, Levels::WARNING),
        all(codes::REFUSED_SAMPLING, Levels::OFF),
        all(codes::STRICT_SCHEMA, Levels::OFF),
        all(codes::ITEM_WITHOUT_REASONING, Levels::OFF),
        all(codes::REASONING_WITHOUT_ITEM, Levels::OFF),
        all(codes::REGROUPED_REASONING, Levels::OFF),
        all(codes::REASONING_FOR_PLAIN_MODEL, Levels::OFF),
        all(codes::REASONING_WITHOUT_BLOB, Levels::OFF),
        all(codes::DUPLICATE_ID, Levels::OFF),
        all(codes::WRONG_ID_PREFIX, Levels::OFF),
        all(codes::MIXED_REFERENCES, Levels::OFF),
        all(codes::EXPIRED_REFERENCE, Levels::OFF),
        all(codes::ID_LENGTH, Levels::OFF),
        all(codes::MIXED_LINEAGES, Levels::OFF),
        all(codes::OUTPUT_ONLY_FIELD, Levels::OFF),
        all(codes::FOREIGN_FIELD, Levels::OFF),
        all(codes::MISSING_SUMMARY, Levels::OFF),
        all(codes::REASONING_CONTENT, Levels::OFF),
        all(codes::PART_TYPE, Levels::OFF),
        all(codes::NULL_CONTENT, Levels::WARNING),
        all(codes::OUTPUT_NOT_TEXT, Levels::WARNING),
        all(codes::ARGUMENTS_NOT_TEXT, Levels::WARNING),
        one(codes::WRONG_ROLE, 1, Levels::OFF),
        all(codes::WRONG_ROLE, Levels::WARNING),
        one(codes::MISSING_FIELD, 8, Levels::OFF),
        all(codes::COMPACTION_WITHOUT_BLOB, Levels::WARNING),
        // Each of these servers has its own schema, which is less strict in places.
        one(codes::SCHEMA_VIOLATION, 0, Levels::WARNING),
        one(codes::SCHEMA_VIOLATION, 1, Levels::WARNING),
        one(codes::SCHEMA_VIOLATION, 2, Levels::WARNING),
        one(codes::SCHEMA_VIOLATION, 3, Levels::OFF),
        one(codes::SCHEMA_VIOLATION, 4, Levels::OFF),
    ],
    evidence: "",
};

/// Verdicts of vendors that serve their own models. A base, not itself a target.
static VENDORS: Target = Target {
    verdicts: &[
        all(codes::UNANSWERED_APPROVAL, Levels::OFF),
        all(codes::ORPHAN_APPROVAL, Levels::OFF),
        all(codes::UNACKNOWLEDGED_SAFETY_CHECK, Levels::OFF),
        all(codes::CHAIN_WITH_HISTORY, Levels::WARNING),
        all(codes::CHAIN_AND_CONVERSATION, Levels::WARNING),
        all(codes::SYNTHETIC_ID, Levels::OFF),
        one(codes::NAMESPACE_MISMATCH, 1, Levels::WARNING),
    ],
    ..Target::based_on(&OTHERS)
};

pub static XAI: Target = Target {
    name: "xai",
    title: "xAI Responses API: ids repeat and are not checked",
    verdicts: &[
        one(codes::MISMATCHED_OUTPUT, 0, Levels::WARNING),
        all(codes::SPLIT_PARALLEL_CALLS, Levels::OFF),
        all(codes::NULL_CONTENT, Levels::OFF),
        all(codes::EMPTY_CONTENT, Levels::ERROR),
    ],
    evidence: "recorded: 101 accepted requests (repeated ids, ids over 64, id-less reasoning)",
    ..Target::based_on(&VENDORS)
};

pub static DEEPSEEK: Target = Target {
    name: "deepseek",
    title: "DeepSeek Responses API: a turn's calls are together, their outputs directly after them",
    caps: Caps { references: false, contiguous_outputs: true, ..CAPS },
    verdicts: &[
        Verdict { api: Some(NO_OUTPUT), error: Some(NO_PARAM), ..one(codes::MISSING_OUTPUT, 0, Levels::ERROR) },
        Verdict { api: Some(NO_OUTPUT), error: Some(NO_PARAM), ..one(codes::MISSING_OUTPUT, 4, Levels::ERROR) },
        Verdict { api: Some(NO_OUTPUT), error: Some(NO_PARAM), ..all(codes::OUTPUT_BEFORE_CALL, Levels::ERROR) },
        one(codes::SPLIT_PARALLEL_CALLS, 0, Levels::OFF),
        one(codes::SPLIT_PARALLEL_CALLS, 1, Levels::ERROR),
        all(codes::DUPLICATE_ID, Levels::WARNING),
        all(codes::ITEM_NOT_STORED, Levels::ERROR),
        one(codes::ID_LENGTH, 0, Levels::WARNING),
        one(codes::REASONING_CONTENT, 1, Levels::INFO),
        one(codes::MISSING_FIELD, 6, Levels::WARNING),
    ],
    evidence: "recorded: 17 accepted requests and one rejection; deepseek-ai/awesome-deepseek-integration#740",
    ..Target::based_on(&VENDORS)
};

/// DeepSeek's errors have no place, and repeat the type as the code.
const NO_PARAM: ErrorDetails = ErrorDetails { code: Some("invalid_request_error"), ..ErrorDetails::BODY };

/// DeepSeek's sentence for every call whose output is not in the expected position.
const NO_OUTPUT: &str = "No tool output found for tool call {call_id}.";

pub static OPENAI_COMPATIBLE: Target = Target {
    name: "openai-compatible",
    title: "Copilot, OpenRouter, vLLM and other gateways: only calls and outputs are checked",
    caps: Caps { parses_arguments: true, ..CAPS },
    verdicts: &[
        all(codes::PROVISIONAL_ITEM, Levels::OFF),
        all(codes::ITEM_NOT_STORED, Levels::OFF),
        all(codes::CHAIN_WITH_HISTORY, Levels::OFF),
        all(codes::NAMESPACE_MISMATCH, Levels::OFF),
        one(codes::MISSING_FIELD, 3, Levels::OFF),
        all(codes::STRING_TOO_LONG, Levels::OFF),
        all(codes::MISPLACED_PHASE, Levels::OFF),
        all(codes::UNFINISHED_ITEM, Levels::OFF),
    ],
    evidence: "these servers create their own ids; every provider pairs calls and outputs",
    ..Target::based_on(&OTHERS)
};
