//! Sentences that more than one rule explains, or that nobody but a framework or a template says: each with the rules
//! that may be after it, the likeliest first. With the file at hand the rule that the file breaks is meant.

/// A sentence, and the rules that it may mean: code and variant.
pub struct Likely {
    pub says: &'static str,
    pub rules: &'static [(u16, u8)],
}

const fn row(says: &'static str, rules: &'static [(u16, u8)]) -> Likely {
    Likely { says, rules }
}

/// A call without its result, in the dialects that frameworks speak.
const UNANSWERED: &[(u16, u8)] = &[(501, 0), (101, 0), (530, 0), (560, 0), (580, 0)];
/// A result without its call.
const ORPHANED: &[(u16, u8)] = &[(502, 0), (102, 0), (531, 0), (561, 0), (581, 0)];

/// The table.
pub static LIKELY: &[Likely] = &[
    // Frameworks check a history before they send it.
    row("Found AIMessages with tool_calls that do not have a corresponding ToolMessage", UNANSWERED),
    row("INVALID_CHAT_HISTORY", UNANSWERED),
    row("AI_MissingToolResultsError", UNANSWERED),
    row("Tool results are missing for tool calls", UNANSWERED),
    row("Tool result is missing for tool call", UNANSWERED),
    row("ToolInvocation must have a result", UNANSWERED),
    row("Cannot provide a new user prompt when the message history contains unprocessed tool calls", UNANSWERED),
    row("tool use concurrency issues", &[(530, 0), (531, 0)]),
    row("Tool message must be preceded by an assistant message with tool calls", ORPHANED),
    // Schemas of gateways, which name every type that the value is not.
    row("Invalid input: expected \"{type}_call\"", &[(400, 0), (414, 0)]),
    row("\"path\": [\"input\", {index}, \"content\", {block}", &[(400, 0), (405, 0)]),
    row("\"path\": [\"input\", {index}, \"output\"", &[(400, 0), (409, 0)]),
    row("\"path\": [\"input\", {index}, \"role\"", &[(400, 0), (413, 0)]),
    row("Invalid Responses API request", &[(400, 0), (405, 0)]),
    row("body -> input -> list[union[", &[(400, 0), (414, 0)]),
    row("Cannot determine type of 'item'", &[(400, 0), (414, 0)]),
    row(
        "\"loc\": [\"body\", \"messages\", {message}, \"role\"], \"msg\": \"Input should be 'user' or 'assistant'\"",
        &[(547, 0), (548, 0)],
    ),
    row("\"loc\": [\"body\", \"messages\", {message}", &[(400, 0)]),
    row("\"loc\": [\"body\", \"input\", {index}", &[(400, 0), (414, 0)]),
    // Of Responses servers.
    row("Missing required parameter: 'input[{index}].arguments'.", &[(414, 8), (410, 0), (400, 0)]),
    row("Invalid value: '{value}'. Supported values are: 'code_interpreter_call'", &[(400, 2)]),
    row("Invalid input type 'compaction_trigger' at index {index}", &[(417, 0)]),
    row("Invalid input type '{type}' at index {index}", &[(400, 4)]),
    // Of Chat servers.
    row(
        "An empty message was provided. Every message needs at least one non-empty content element.",
        &[(519, 0), (408, 0)],
    ),
    row(
        "'messages.{message}' : for 'role: {role}' the following must be satisfied[('messages.{partner_message}' : property '{field}' is unsupported",
        &[(400, 4), (515, 0)],
    ),
    row("Extra inputs are not permitted, field: 'messages[{message}].{field}'", &[(400, 4), (515, 0)]),
    row("Unexpected role RoleEnum.{role}", &[(516, 0), (502, 0)]),
    row("unknown variant `system`, expected `user` or `assistant`", &[(547, 2), (512, 1)]),
    // Of Anthropic, Gemini and Bedrock.
    row(
        "messages.{message}.content.{block}.text: cache_control cannot be set for empty text blocks",
        &[(545, 0), (544, 0)],
    ),
    row(
        "* GenerateContentRequest.contents[{message}].parts[{block}].data: required oneof field 'data' must have one initialized field",
        &[(566, 1), (566, 0), (567, 0)],
    ),
    row("ValidationException: Expected toolResult blocks", &[(580, 0)]),
    row("Requests ending with a model turn are not supported.", &[(569, 0), (568, 0)]),
    row("Unknown name \"{field}\" at 'contents", &[(400, 4)]),
    row("Unknown name \"thoughtSignature\"", &[(400, 4)]),
];
