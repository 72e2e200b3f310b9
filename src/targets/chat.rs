//! Chat Completions: OpenAI's own, and compatible servers of other vendors. The others differ in the requests that they
//! are known to reject; a rule that is not known for any of them is a warning, without a quoted sentence.

use crate::history::{Code, codes};
use crate::target::{Caps, ErrorDetails, Levels, Target, Thinking, Trait, Traits, UNSEEN, Verdict, all, one};

use super::openai::{NO_TEMPERATURE, NO_TOP_P, refused_sampling};

pub static CHAT: Target = Target {
    name: "chat",
    base: None,
    title: "OpenAI Chat Completions API, on its own hosts and on Azure",
    dialect: "chat",
    store: false,
    caps: Caps { max_temperature: 2, ..Caps::NONE },
    models: &[],
    traits: &[
        // Recorded: "Function tools with reasoning_effort are not supported for gpt-5.4-mini in /v1/chat/completions."
        ("gpt-5.4-mini", Traits::of(&[Trait::NoEffortWithTools])),
        ("o1-mini", Traits::of(&[Trait::NoInstructions])),
        ("o1-preview", Traits::of(&[Trait::NoInstructions])),
    ],
    verdicts: &[
        with_sentence(
            codes::SCHEMA_VIOLATION,
            Some(0),
            Levels::ERROR,
            "Missing required parameter: 'messages{where}'.",
            value_error("missing_required_parameter"),
        ),
        with_sentence(
            codes::SCHEMA_VIOLATION,
            Some(1),
            Levels::ERROR,
            "Invalid type for 'messages{where}': expected {expected}, but got {got} instead.",
            value_error("invalid_type"),
        ),
        // A router may continue it by other means.
        all(codes::ANTHROPIC_PREFILL, Levels::OFF),
        refused_sampling(0, NO_TEMPERATURE),
        refused_sampling(1, NO_TOP_P),
        // RL512 reports it.
        Verdict { api: UNSEEN, ..one(codes::SCHEMA_VIOLATION, 2, Levels::ERROR) },
        // 61 recorded requests that end with an assistant message were accepted.
        one(codes::CHAT_LAST_ROLE, 0, Levels::OFF),
        // Nine recorded requests with an empty assistant message were accepted.
        one(codes::CHAT_EMPTY_ASSISTANT, 0, Levels::INFO),
    ],
    evidence: "rules and their pages; recorded accepted requests to OpenAI and Azure, two recorded rejections by role",
};

/// The error fields for a single value.
const fn value_error(code: &'static str) -> ErrorDetails {
    ErrorDetails { param: Some("messages{where}"), code: Some(code), ..ErrorDetails::HISTORY }
}

pub(super) const fn without_sentence(code: Code, levels: Levels) -> Verdict {
    Verdict { api: UNSEEN, ..all(code, levels) }
}

pub(super) const fn with_sentence(
    code: Code,
    variant: Option<u8>,
    levels: Levels,
    api: &'static str,
    answer: ErrorDetails,
) -> Verdict {
    Verdict { code, variant, levels, api: Some(api), error: Some(answer) }
}

/// The rules that servers other than OpenAI's are known to share: calls and replies belong together. Everything else is
/// a warning. A base, not itself a target.
static OTHERS: Target = Target {
    caps: Caps::NONE,
    verdicts: &[
        // They translate or drop options that a model does not have.
        one(codes::UNSUPPORTED_THINKING, 1, Levels::WARNING),
        all(codes::UNSUPPORTED_THINKING, Levels::OFF),
        all(codes::UNSUPPORTED_EFFORT, Levels::WARNING),
        all(codes::REFUSED_SAMPLING, Levels::OFF),
        all(codes::STRICT_SCHEMA, Levels::OFF),
        // Each of these servers has its own schema, which is less strict in places.
        Verdict { api: UNSEEN, ..one(codes::SCHEMA_VIOLATION, 0, Levels::WARNING) },
        Verdict { api: UNSEEN, ..one(codes::SCHEMA_VIOLATION, 1, Levels::WARNING) },
        Verdict { api: UNSEEN, ..one(codes::SCHEMA_VIOLATION, 2, Levels::WARNING) },
        one(codes::SCHEMA_VIOLATION, 3, Levels::OFF),
        one(codes::SCHEMA_VIOLATION, 4, Levels::OFF),
        without_sentence(codes::CHAT_DUPLICATE_REPLY, Levels::ERROR),
        without_sentence(codes::CHAT_DUPLICATE_CALL_ID, Levels::WARNING),
        without_sentence(codes::CHAT_CALL_ID_LENGTH, Levels::WARNING),
        // A call without an id cannot be answered.
        Verdict { api: UNSEEN, ..one(codes::CHAT_MISSING_ID, 1, Levels::ERROR) },
        // A reply without an id answers nothing if no call comes before it.
        Verdict { api: UNSEEN, ..one(codes::CHAT_MISSING_ID, 2, Levels::ERROR) },
        // A reply that only its position links to its call: for a server that pairs by id the call is unanswered.
        Verdict { api: UNSEEN, ..one(codes::CHAT_MISSING_ID, 3, Levels::ERROR) },
        without_sentence(codes::CHAT_MISSING_ID, Levels::WARNING),
        without_sentence(codes::CHAT_NULL_CONTENT, Levels::WARNING),
        without_sentence(codes::CHAT_EMPTY_TOOL_CALLS, Levels::WARNING),
        without_sentence(codes::CHAT_EMPTY_MESSAGES, Levels::WARNING),
        without_sentence(codes::CHAT_NAME, Levels::WARNING),
        without_sentence(codes::CHAT_PART_TYPE, Levels::WARNING),
        without_sentence(codes::CHAT_ROLE, Levels::WARNING),
        one(codes::CHAT_LAST_ROLE, 0, Levels::WARNING),
        without_sentence(codes::CHAT_LONG_CONTENT, Levels::OFF),
        without_sentence(codes::CHAT_TOO_MANY_CALLS, Levels::OFF),
    ],
    ..Target::based_on(&CHAT)
};

pub static CHAT_COMPATIBLE: Target = Target {
    name: "chat-compatible",
    title: "any other compatible server: only calls and their results are checked",
    traits: &[("", Traits::of(&[Trait::NoDeveloper]))],
    verdicts: COMPATIBLE_VERDICTS,
    evidence: "recorded accepted requests to fifteen hosts; all providers pair calls and replies",
    ..Target::based_on(&OTHERS)
};

/// Some of these servers pair replies by their order: recorded for GLM (Z.ai) and Ollama.
const COMPATIBLE_VERDICTS: &[Verdict] = &[
    // Ten recorded requests with ids of more than 40 characters were accepted.
    Verdict { api: UNSEEN, ..one(codes::CHAT_CALL_ID_LENGTH, 1, Levels::OFF) },
    Verdict { api: UNSEEN, ..one(codes::CHAT_MISSING_ID, 3, Levels::WARNING) },
    one(codes::CHAT_ARGUMENTS, 1, Levels::WARNING),
];

pub static MISTRAL: Target = Target {
    name: "mistral",
    title: "Mistral: strict order of roles, one tool message per call, ids of nine letters and digits",
    traits: &[("", Traits::of(&[Trait::NineCharIds, Trait::RoleOrder, Trait::NoDeveloper]))],
    verdicts: MISTRAL_VERDICTS,
    evidence: "mistral-common `validator.py`; recorded accepted requests to La Plateforme",
    ..Target::based_on(&OTHERS)
};

/// Mistral's errors about the order have their own type and number.
const ORDER: ErrorDetails =
    ErrorDetails { kind: "invalid_request_message_order", param: None, code: Some("3230") };

const COUNTS: &str = "Not the same number of function calls and responses";

const NAMES: &str = "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a \
                     maximum length of 64.";

const MISTRAL_VERDICTS: &[Verdict] = &[
    // Mistral accepts calls without a type, and a string instead of the `image_url` object.
    one(codes::SCHEMA_VIOLATION, 0, Levels::OFF),
    one(codes::SCHEMA_VIOLATION, 1, Levels::OFF),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(0), Levels::ERROR, COUNTS, ORDER),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(1), Levels::ERROR, COUNTS, ORDER),
    without_sentence(codes::CHAT_ORPHAN_REPLY, Levels::ERROR),
    // Recorded requests with an empty list were accepted.
    without_sentence(codes::CHAT_EMPTY_TOOL_CALLS, Levels::INFO),
    with_sentence(codes::CHAT_DUPLICATE_REPLY, None, Levels::ERROR, COUNTS, ORDER),
    with_sentence(codes::CHAT_DUPLICATE_CALL_ID, None, Levels::ERROR, COUNTS, ORDER),
    // RL518 checks the form of ids.
    without_sentence(codes::CHAT_CALL_ID_LENGTH, Levels::OFF),
    with_sentence(codes::CHAT_NAME, Some(2), Levels::WARNING, NAMES, ErrorDetails::BODY),
    with_sentence(codes::CHAT_NAME, Some(4), Levels::WARNING, NAMES, ErrorDetails::BODY),
    // Mistral has more part types than OpenAI.
    without_sentence(codes::CHAT_PART_TYPE, Levels::OFF),
    with_sentence(
        codes::CHAT_ROLE_ORDER,
        None,
        Levels::ERROR,
        "Unexpected role '{role}' after role '{partner_role}'",
        ORDER,
    ),
    with_sentence(
        codes::CHAT_LAST_ROLE,
        Some(1),
        Levels::ERROR,
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        ORDER,
    ),
];

pub static DEEPSEEK_CHAT: Target = Target {
    name: "deepseek-chat",
    title: "DeepSeek: thinking models require their reasoning back with tool calls",
    models: &[
        // The name of models without thinking, until 2026.
        ("deepseek-chat", Thinking::OnRequest),
        // Snapshots with a date are served by others, which answered calls without reasoning.
        ("deepseek-v4-pro-0", Thinking::Unknown),
        // All current models think: deepseek-flash, deepseek-v4-flash, deepseek-v4-pro.
        ("deepseek-", Thinking::ByDefault),
        ("", Thinking::ByDefault),
    ],
    traits: &[(
        "",
        Traits::of(&[
            Trait::WantsReasoning,
            Trait::AcceptsEmptyReasoning,
            Trait::NoForcedToolWhenThinking,
            Trait::NoDeveloper,
        ]),
    )],
    verdicts: DEEPSEEK_VERDICTS,
    evidence: "api-docs.deepseek.com/guides/thinking_mode; agno-agi/agno#3105, langgenius/dify#32222; recorded accepted \
               requests",
    ..Target::based_on(&OTHERS)
};

/// DeepSeek's errors have no place, and repeat the type as the code.
const NO_PLACE: ErrorDetails = ErrorDetails { code: Some("invalid_request_error"), ..ErrorDetails::BODY };

const INSUFFICIENT: &str = "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                            'tool_call_id'. (insufficient tool messages following tool_calls message)";

const NO_FORCED_TOOL: &str = "Thinking mode does not support this tool_choice";

const NO_CALL: &str = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";

const DEEPSEEK_VERDICTS: &[Verdict] = &[
    // The ids that it makes itself have 43 characters.
    one(codes::CHAT_CALL_ID_LENGTH, 1, Levels::OFF),
    with_sentence(codes::FORCED_TOOL, Some(2), Levels::ERROR, NO_FORCED_TOOL, NO_PLACE),
    with_sentence(codes::FORCED_TOOL, Some(3), Levels::WARNING, NO_FORCED_TOOL, NO_PLACE),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(0), Levels::ERROR, INSUFFICIENT, NO_PLACE),
    with_sentence(codes::CHAT_MISSING_REPLY, Some(1), Levels::ERROR, INSUFFICIENT, NO_PLACE),
    with_sentence(codes::CHAT_ORPHAN_REPLY, None, Levels::ERROR, NO_CALL, NO_PLACE),
    with_sentence(
        codes::CHAT_MISSING_REASONING,
        None,
        Levels::ERROR,
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        NO_PLACE,
    ),
];

pub static KIMI: Target = Target {
    name: "kimi",
    title: "Moonshot's Kimi: thinking models require their reasoning back with tool calls",
    models: &[
        // Models without thinking.
        ("kimi-k2$", Thinking::OnRequest),
        ("kimi-k2-0", Thinking::OnRequest),
        ("kimi-k2-turbo", Thinking::OnRequest),
        ("kimi-k2-instruct", Thinking::OnRequest),
        ("moonshot-", Thinking::OnRequest),
        // kimi-k2-thinking, kimi-k2.5, kimi-k2.6, kimi-k2.7-code, kimi-k3.
        ("kimi-", Thinking::ByDefault),
        ("", Thinking::ByDefault),
    ],
    traits: &[("", Traits::of(&[Trait::WantsReasoning, Trait::NoDeveloper, Trait::RejectsUnknownMembers]))],
    verdicts: KIMI_VERDICTS,
    evidence: "continuedev/continue#11600, labring/FastGPT#6357, oai-compatible-copilot#140; two recorded accepted requests",
    ..Target::based_on(&OTHERS)
};

const KIMI_VERDICTS: &[Verdict] = &[
    one(codes::UNSUPPORTED_THINKING, 1, Levels::ERROR),
    without_sentence(codes::CHAT_NULL_CONTENT, Levels::ERROR),
    one(codes::CHAT_MISSING_REASONING, 3, Levels::WARNING),
    with_sentence(
        codes::CHAT_MISSING_REASONING,
        None,
        Levels::ERROR,
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index {message}",
        ErrorDetails::BODY,
    ),
    with_sentence(
        codes::CHAT_REFUSED_REASONING,
        None,
        Levels::ERROR,
        "Extra inputs are not permitted, field: 'messages[{message}].{member}'",
        ErrorDetails::BODY,
    ),
    with_sentence(
        codes::CHAT_EMPTY_ASSISTANT,
        None,
        Levels::ERROR,
        "Invalid request: the message at position {message} with role 'assistant' must not be empty",
        ErrorDetails::BODY,
    ),
];

pub static CEREBRAS: Target = Target {
    name: "cerebras",
    title: "Cerebras: reasoning is called `reasoning`, not `reasoning_content`",
    traits: &[("", Traits::of(&[Trait::RefusesReasoning, Trait::CallsItReasoning]))],
    verdicts: CEREBRAS_VERDICTS,
    evidence: "kilocode#10375, qwen-code#11045, opencode#48774; three recorded accepted requests",
    ..Target::based_on(&OTHERS)
};

const UNSUPPORTED: &str = "messages.{message}.assistant.reasoning_content: property \
                           'messages.{message}.assistant.reasoning_content' is unsupported";

const CEREBRAS_VERDICTS: &[Verdict] = &[with_sentence(
    codes::CHAT_REFUSED_REASONING,
    None,
    Levels::ERROR,
    UNSUPPORTED,
    ErrorDetails { code: Some("wrong_api_format"), ..ErrorDetails::BODY },
)];

pub static GROQ: Target = Target {
    name: "groq",
    title: "Groq: rejects `reasoning_content`",
    traits: &[("", Traits::of(&[Trait::RefusesReasoning, Trait::RejectsUnknownMembers]))],
    verdicts: GROQ_VERDICTS,
    evidence: "hermes#34716, hermes#45655, jan#8136; 17 recorded accepted requests",
    ..Target::based_on(&OTHERS)
};

const NOT_SATISFIED: &str = "'messages.{message}' : for 'role:assistant' the following must be \
                             satisfied[('messages.{message}' : property 'reasoning_content' is unsupported)]";

const GROQ_VERDICTS: &[Verdict] = &[
    with_sentence(codes::CHAT_REFUSED_REASONING, Some(0), Levels::ERROR, NOT_SATISFIED, ErrorDetails::BODY),
    with_sentence(codes::CHAT_REFUSED_REASONING, Some(3), Levels::ERROR, UNKNOWN_MEMBER, ErrorDetails::BODY),
];

const UNKNOWN_MEMBER: &str = "'messages.{message}' : for 'role:{role}' the following must be \
                              satisfied[('messages.{message}' : property '{member}' is unsupported)]";

pub static XAI_CHAT: Target = Target {
    name: "xai-chat",
    title: "xAI Chat Completions API: messages must not be empty",
    verdicts: XAI_VERDICTS,
    evidence: "langchain-ai/langchain#34140; 12 recorded accepted requests",
    ..Target::based_on(&OTHERS)
};

const XAI_VERDICTS: &[Verdict] = &[
    one(codes::UNSUPPORTED_EFFORT, 3, Levels::ERROR),
    without_sentence(codes::CHAT_NULL_CONTENT, Levels::ERROR),
    with_sentence(
        codes::CHAT_EMPTY_ASSISTANT,
        None,
        Levels::ERROR,
        "Each message must have at least one content element",
        ErrorDetails::BODY,
    ),
];
