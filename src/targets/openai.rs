//! The Responses API of OpenAI itself, on its own hosts, on Azure, and in ChatGPT's Codex backend.

use crate::history::codes;
use crate::target::{Caps, ErrorDetails, Levels, Target, Thinking, Trait, Traits, Verdict, all, one};

const CAPS: Caps = Caps {
    detached_reasoning: true,
    bare_reasoning: false,
    references: true,
    contiguous_outputs: false,
    chaining: true,
    parses_arguments: false,
    searches_without_ids: false,
    max_temperature: 2,
    min_output_limit: 16,
};

/// Models that do not accept reasoning items, and models that reason by default.
const MODELS: &[(&str, Thinking)] = &[
    ("gpt-3.5", Thinking::Never),
    ("gpt-4", Thinking::Never),
    ("chatgpt-", Thinking::Never),
    ("gpt-5-chat", Thinking::Never),
    ("o1", Thinking::ByDefault),
    ("o3", Thinking::ByDefault),
    ("o4", Thinking::ByDefault),
    ("gpt-5$", Thinking::ByDefault),
    // Dated snapshots of gpt-5.
    ("gpt-5-2", Thinking::ByDefault),
    ("gpt-5-mini", Thinking::ByDefault),
    ("gpt-5-nano", Thinking::ByDefault),
    ("gpt-5-codex", Thinking::ByDefault),
    ("gpt-5-pro", Thinking::ByDefault),
    ("gpt-5.", Thinking::OnRequest),
    ("gpt-6", Thinking::OnRequest),
];

const SOMETIMES: Traits = Traits::of(&[Trait::ReasonsSometimes]);

/// Models that accepted items with ids and without any reasoning, call after call; no rejection is known.
const TRAITS: &[(&str, Traits)] = &[
    ("gpt-5.2", SOMETIMES),
    ("gpt-5.3", SOMETIMES),
    ("gpt-5.4", SOMETIMES),
    ("gpt-5.5", SOMETIMES),
    ("gpt-5.6", SOMETIMES),
    ("gpt-5.7", SOMETIMES),
    ("gpt-5.8", SOMETIMES),
    ("gpt-5.9", SOMETIMES),
    ("gpt-6", SOMETIMES),
];

pub static OPENAI: Target = Target {
    name: "openai",
    base: None,
    title: "OpenAI Responses API; items are stored unless the request says `store: false`",
    dialect: "responses",
    store: true,
    caps: CAPS,
    models: MODELS,
    traits: TRAITS,
    verdicts: &[refused_sampling(0, NO_TEMPERATURE), refused_sampling(1, NO_TOP_P)],
    evidence: "rules and their pages; 454 recorded accepted requests, one recorded history rejection",
};

/// The verdict on a sampling setting that a reasoning model does not have.
pub(super) const fn refused_sampling(variant: u8, api: &'static str) -> Verdict {
    Verdict {
        code: codes::REFUSED_SAMPLING,
        variant: Some(variant),
        levels: Levels::ERROR,
        api: Some(api),
        error: Some(ErrorDetails {
            param: Some("{member}"),
            code: Some("unsupported_parameter"),
            ..ErrorDetails::HISTORY
        }),
    }
}

pub(super) const NO_TEMPERATURE: &str = "Unsupported parameter: 'temperature' is not supported with this model.";
pub(super) const NO_TOP_P: &str = "Unsupported parameter: 'top_p' is not supported with this model.";

pub static OPENAI_STATELESS: Target = Target {
    name: "openai-stateless",
    title: "OpenAI Responses API with `store: false`: every item must carry its own content",
    store: false,
    traits: TRAITS,
    ..Target::based_on(&OPENAI)
};

pub static AZURE: Target = Target {
    name: "azure",
    title: "Azure OpenAI Responses API: requires ids and annotations where OpenAI does not",
    caps: Caps { detached_reasoning: false, ..CAPS },
    traits: TRAITS,
    verdicts: &[
        all(codes::ORPHAN_APPROVAL, Levels::ERROR),
        all(codes::UNACKNOWLEDGED_SAFETY_CHECK, Levels::WARNING),
        // Azure rejects unpaired reasoning where OpenAI may accept it, stored or not.
        one(codes::REASONING_WITHOUT_ITEM, 0, Levels::ERROR),
        one(codes::REASONING_WITHOUT_ITEM, 4, Levels::WARNING),
        all(codes::REGROUPED_REASONING, Levels::WARNING),
        all(codes::CONFLICTING_BLOBS, Levels::STATELESS_WARNING),
        all(codes::MISSING_ANNOTATIONS, Levels::WARNING),
        Verdict { api: Some("ID is required"), ..one(codes::MISSING_FIELD, 4, Levels::WARNING) },
    ],
    evidence: "openai/codex#3528, hermes-agent#63257, openclaw#57499, pi#2702; 19 recorded accepted requests",
    ..Target::based_on(&OPENAI)
};

pub static CODEX: Target = Target {
    name: "codex",
    title: "ChatGPT's Codex backend: never stores items",
    store: false,
    caps: Caps { references: false, chaining: false, searches_without_ids: true, ..CAPS },
    verdicts: CODEX_VERDICTS,
    evidence: "openai/codex `normalize.rs`; 57 recorded accepted requests",
    ..Target::based_on(&OPENAI)
};

const CODEX_VERDICTS: &[Verdict] = &[
    one(codes::MISMATCHED_OUTPUT, 2, Levels::OFF),
    one(codes::UNANSWERED_APPROVAL, 0, Levels::WARNING),
    all(codes::UNACKNOWLEDGED_SAFETY_CHECK, Levels::WARNING),
    all(codes::SPLIT_PARALLEL_CALLS, Levels::OFF),
    one(codes::ITEM_WITHOUT_REASONING, 0, Levels::WARNING),
    one(codes::ITEM_WITHOUT_REASONING, 1, Levels::OFF),
    one(codes::ITEM_WITHOUT_REASONING, 2, Levels::OFF),
    one(codes::ITEM_WITHOUT_REASONING, 3, Levels::WARNING),
    one(codes::ITEM_WITHOUT_REASONING, 4, Levels::OFF),
    one(codes::ITEM_WITHOUT_REASONING, 5, Levels::OFF),
    one(codes::REASONING_WITHOUT_ITEM, 1, Levels::OFF),
    all(codes::REGROUPED_REASONING, Levels::WARNING),
    all(codes::REASONING_FOR_PLAIN_MODEL, Levels::OFF),
    all(codes::REASONING_WITHOUT_BLOB, Levels::ERROR),
    all(codes::ITEM_NOT_STORED, Levels::ERROR),
    all(codes::MIXED_REFERENCES, Levels::OFF),
    all(codes::CHAIN_WITHOUT_STORE, Levels::OFF),
    one(codes::WRONG_ROLE, 1, Levels::ERROR),
    // Codex sends its searches without their ids.
    one(codes::MISSING_FIELD, 8, Levels::OFF),
];
