//! Sentences that more than one rule explains, or that only a framework or a template uses: each with the rules
//! that may be the cause, the likeliest first. If the file is given, the rule that it breaks is meant.

use crate::history::{Code, codes};

/// A sentence, and the rules that it may mean: code and variant.
pub struct AmbiguousSentence {
    pub sentence: &'static str,
    pub rules: &'static [(Code, u8)],
}

const fn row(sentence: &'static str, rules: &'static [(Code, u8)]) -> AmbiguousSentence {
    AmbiguousSentence { sentence, rules }
}

/// A call without its result, in the dialects that frameworks speak.
const UNANSWERED: &[(Code, u8)] = &[
    (codes::CHAT_MISSING_REPLY, 0),
    (codes::MISSING_OUTPUT, 0),
    (codes::ANTHROPIC_MISSING_RESULT, 0),
    (codes::GEMINI_MISSING_RESPONSE, 0),
    (codes::BEDROCK_MISSING_RESULT, 0),
];
/// A result without its call.
const ORPHANED: &[(Code, u8)] = &[
    (codes::CHAT_ORPHAN_REPLY, 0),
    (codes::ORPHAN_OUTPUT, 0),
    (codes::ANTHROPIC_ORPHAN_RESULT, 0),
    (codes::GEMINI_ORPHAN_RESPONSE, 0),
    (codes::BEDROCK_ORPHAN_RESULT, 0),
];

/// An image that the server cannot read.
const IMAGES: &[(Code, u8)] = &[
    (codes::MISMATCHED_MEDIA_TYPE, 0),
    (codes::MEDIA_TYPE, 0),
    (codes::EMPTY_MEDIA, 0),
    (codes::INVALID_BASE64, 0),
];

/// The table.
pub static AMBIGUOUS_SENTENCES: &[AmbiguousSentence] = &[
    // Images and files: a type that is not accepted, damaged bytes, a part that the model does not take.
    row("Unable to process input image", IMAGES),
    row("The image data you provided does not represent a valid image", IMAGES),
    row("You uploaded an unsupported image", IMAGES),
    row("image_url is only supported", &[(codes::UNSUPPORTED_PART, 0)]),
    row("Request payload size exceeds the limit", &[(codes::LARGE_BODY, 0), (codes::LARGE_MEDIA, 0)]),
    // Frameworks check a history before they send it.
    row("Found AIMessages with tool_calls that do not have a corresponding ToolMessage", UNANSWERED),
    row("INVALID_CHAT_HISTORY", UNANSWERED),
    row("AI_MissingToolResultsError", UNANSWERED),
    row("Tool results are missing for tool calls", UNANSWERED),
    row("Tool result is missing for tool call", UNANSWERED),
    row("ToolInvocation must have a result", UNANSWERED),
    row("Cannot provide a new user prompt when the message history contains unprocessed tool calls", UNANSWERED),
    row(
        "tool use concurrency issues",
        &[(codes::ANTHROPIC_MISSING_RESULT, 0), (codes::ANTHROPIC_ORPHAN_RESULT, 0)],
    ),
    row("Tool message must be preceded by an assistant message with tool calls", ORPHANED),
    // Schemas of gateways, which name every type that the value is not.
    row("Invalid input: expected \"{type}_call\"", &[(codes::SCHEMA_VIOLATION, 0), (codes::MISSING_FIELD, 0)]),
    row(
        "\"path\": [\"input\", {index}, \"content\", {block}",
        &[(codes::SCHEMA_VIOLATION, 0), (codes::PART_TYPE, 0)],
    ),
    row("\"path\": [\"input\", {index}, \"output\"", &[(codes::SCHEMA_VIOLATION, 0), (codes::OUTPUT_NOT_TEXT, 0)]),
    row("\"path\": [\"input\", {index}, \"role\"", &[(codes::SCHEMA_VIOLATION, 0), (codes::WRONG_ROLE, 0)]),
    row("Invalid Responses API request", &[(codes::SCHEMA_VIOLATION, 0), (codes::PART_TYPE, 0)]),
    row("body -> input -> list[union[", &[(codes::SCHEMA_VIOLATION, 0), (codes::MISSING_FIELD, 0)]),
    row("Cannot determine type of 'item'", &[(codes::SCHEMA_VIOLATION, 0), (codes::MISSING_FIELD, 0)]),
    row(
        "\"loc\": [\"body\", \"messages\", {message}, \"role\"], \"msg\": \"Input should be 'user' or 'assistant'\"",
        &[(codes::ANTHROPIC_SYSTEM_MESSAGE, 0), (codes::ANTHROPIC_UNKNOWN_ROLE, 0)],
    ),
    row("\"loc\": [\"body\", \"messages\", {message}", &[(codes::SCHEMA_VIOLATION, 0)]),
    row("\"loc\": [\"body\", \"input\", {index}", &[(codes::SCHEMA_VIOLATION, 0), (codes::MISSING_FIELD, 0)]),
    // Of Responses servers.
    row(
        "Missing required parameter: 'input[{index}].arguments'.",
        &[(codes::MISSING_FIELD, 8), (codes::ARGUMENTS_NOT_TEXT, 0), (codes::SCHEMA_VIOLATION, 0)],
    ),
    row(
        "Invalid value: '{value}'. Supported values are: 'code_interpreter_call'",
        &[(codes::SCHEMA_VIOLATION, 2)],
    ),
    row("Invalid input type 'compaction_trigger' at index {index}", &[(codes::COMPACTION_TRIGGER_NOT_LAST, 0)]),
    row("Invalid input type '{type}' at index {index}", &[(codes::SCHEMA_VIOLATION, 4)]),
    // Of Chat servers.
    row(
        "An empty message was provided. Every message needs at least one non-empty content element.",
        &[(codes::CHAT_EMPTY_ASSISTANT, 0), (codes::EMPTY_CONTENT, 0)],
    ),
    row(
        "'messages.{message}' : for 'role: {role}' the following must be satisfied[('messages.{partner_message}' : property '{field}' is unsupported",
        &[(codes::SCHEMA_VIOLATION, 4), (codes::CHAT_REFUSED_REASONING, 0)],
    ),
    row(
        "Extra inputs are not permitted, field: 'messages[{message}].{field}'",
        &[(codes::SCHEMA_VIOLATION, 4), (codes::CHAT_REFUSED_REASONING, 0)],
    ),
    row(
        "cannot unmarshal array into Go struct field {path}.content of type string",
        &[(codes::CHAT_PART_TYPE, 0), (codes::CHAT_NULL_CONTENT, 3)],
    ),
    row(
        "property '{field}' is unsupported, did you mean 'role'",
        &[(codes::SCHEMA_VIOLATION, 4), (codes::CHAT_REFUSED_REASONING, 0)],
    ),
    row(
        "Unexpected role RoleEnum.{role}",
        &[(codes::CHAT_ROLE_ORDER, 0), (codes::CHAT_ORPHAN_REPLY, 0), (codes::CHAT_MISSING_ID, 2)],
    ),
    row(
        "unknown variant `system`, expected `user` or `assistant`",
        &[(codes::ANTHROPIC_SYSTEM_MESSAGE, 2), (codes::CHAT_ROLE, 1)],
    ),
    // Of Anthropic, Gemini and Bedrock.
    row(
        "messages.{message}.content.{block}.text: cache_control cannot be set for empty text blocks",
        &[(codes::ANTHROPIC_CACHE_CONTROL, 0), (codes::ANTHROPIC_EMPTY_TEXT, 0)],
    ),
    row(
        "* GenerateContentRequest.contents[{message}].parts[{block}].data: required oneof field 'data' must have one initialized field",
        &[(codes::GEMINI_EMPTY_PARTS, 1), (codes::GEMINI_EMPTY_PARTS, 0), (codes::GEMINI_EMPTY_TEXT, 0)],
    ),
    row("ValidationException: Expected toolResult blocks", &[(codes::BEDROCK_MISSING_RESULT, 0)]),
    row(
        "Requests ending with a model turn are not supported.",
        &[(codes::GEMINI_MODEL_LAST, 0), (codes::GEMINI_MIXED_RESPONSE, 0)],
    ),
    row("Unknown name \"{field}\" at 'contents", &[(codes::SCHEMA_VIOLATION, 4)]),
    row("Unknown name \"thoughtSignature\"", &[(codes::SCHEMA_VIOLATION, 4)]),
];
