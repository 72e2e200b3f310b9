//! RL400: an item does not match its schema.

use crate::dialect::Item;
use crate::history::{Finding, Flags};
use crate::place::Place;
use crate::rule::{Check, Evidence, FindingSink, Variant};
use crate::schema::{ItemSchema, Violation, ViolationKind};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Validates each item against the provider's published schema: required fields, types, enumerations, lengths. With
    /// `--schema FILE` each item is validated against that JSON Schema instead. Item types and fields that the schema
    /// does not know are accepted.
    ///
    /// There is a schema for each dialect: the items of the Responses API, and the messages of Chat Completions, of the
    /// Anthropic Messages API, of Gemini (its contents, in both spellings) and of Bedrock's Converse. Where messages
    /// contain blocks, a message is one item, and each of its blocks and calls is another.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400, in one of these forms:
    ///
    /// > Missing required parameter: 'input[1].output'.
    ///
    /// > Invalid type for 'input[1].content': expected one of an array of objects or string, but got null instead.
    ///
    /// > Invalid value: 'function_call'. Supported values are: 'assistant', 'system', 'developer', and 'user'.
    ///
    /// > Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 10485761 instead.
    ///
    /// Chat Completions says the same about its `messages`. Anthropic says
    ///
    /// > messages.0.content.1.text.text: Input should be a valid string
    ///
    /// and Gemini
    ///
    /// > Invalid JSON payload received. Unknown name "response" at 'contents[2].parts[0].function_response': Proto field is not repeating, cannot start list.
    ///
    /// It happens when a client builds items by hand, drops fields that it does not know, or writes an object where the
    /// API requires its JSON text.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":{"ok":true}}
    /// ```
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":"{\"ok\":true}"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the intended value is not known. If another rule reports an error in the fields of an item, this rule does
    /// not report that item.
    ///
    /// ## Evidence
    ///
    /// Documented: openai-openapi f85dbe22 of 2026-08-21, openai-python 3.52.0, anthropic-sdk-python 2.11.0,
    /// google-genai 3.4.0, and the API reference of Amazon Bedrock Runtime of November 2026. Reported: the sentences
    /// above, in many threads (pydantic-ai#2653, langchain-azure#35, goose-mobile#20, llm-anthropic#23, vercel/ai#3589,
    /// continue#1938). It is an error for the fields of an item and the parts of its content, which the server is known
    /// to check; a warning at deeper levels and for values of enumerations, which grow, because there the documentation
    /// is the only source. For Bedrock that applies to texts, calls and results; its other blocks are only known from
    /// the documentation. Other servers that speak Chat Completions have their own schemas: there it is a warning, and
    /// off for Mistral, whose calls need no type and whose images no object. A recorded answer of such a server is not
    /// validated against OpenAI's schema.
    ///
    /// The published schemas have defects, which are corrected here. Responses:
    ///
    /// - A plain message is valid under two of three branches of a `oneOf`; messages are recognised by their role instead.
    /// - An assistant's message was accepted without `id` and `status`, reasoning without `id`.
    /// - `id` is not required for calls that the client answers, for programs and for web searches: clients that strip all
    ///   ids are in use.
    /// - An `output_text` was accepted without `annotations`; the sources disagree whether `logprobs` is required.
    /// - An `input_image` was accepted without `detail`.
    /// - A `status` that is null was accepted; null counts as absent in every optional field.
    /// - An `image_generation_call` was accepted with `type` and `id` alone, a `code_interpreter_call` without `outputs`.
    /// - `local_shell_call_output.call_id` and `mcp_approval_response.request_id` are required and not declared; neither
    ///   is required here.
    /// - The status `incomplete` of a `web_search_call` is in one source only; it is accepted.
    /// - `mcp_call.error` has changed its type in the published schemas; a string and an object are accepted.
    /// - `keys` of a double click is required, though it is optional for every other click; it is not required here.
    /// - Tools refer to themselves by a keyword of another draft, which no validator supports; only their outline is
    ///   checked.
    /// - Codex writes `compaction_summary` for `compaction`.
    ///
    /// Chat Completions:
    ///
    /// - `content` that is required and missing, or null, is left to the rules that repair it (RL507, RL519).
    /// - `tool_calls` and `name` may be null, as clients that dump the server's response write them.
    /// - A URL instead of the object in `image_url` was accepted by some deployments; it is a warning.
    /// - By the documentation, system and developer messages contain only texts; other parts are accepted here.
    ///
    /// Anthropic Messages:
    ///
    /// - By the documentation, a user message may contain any block, an assistant message a `tool_result`; RL534
    ///   reports that.
    /// - `content` and `is_error` of a `tool_result` may be null.
    /// - The names of the provider's own tools, and the types of tool callers, are enumerations that grow;
    ///   any is accepted.
    /// - `mcp_tool_use` and `mcp_tool_result` are missing; they belong to a beta, and are checked in the
    ///   form that the server returns.
    /// - The titles of citations are required, and may be absent: the server's own answers lack them.
    ///
    /// Gemini:
    ///
    /// - `parts` may be a single part, as SDKs allow.
    /// - Numbers may be strings, as in the JSON form of protocol buffers; the types of tools are an enumeration that grows.
    ///
    /// Bedrock Converse:
    ///
    /// - By the documentation, the `input` of a call is any JSON value; the server accepts only objects (RL584).
    /// - The `format` of a video is an enumeration; a media type instead was accepted. Any audio format is accepted.
    /// - Whether a signature is required depends on the model; RL594 reports it.
    SCHEMA_VIOLATION, "schema-violation" tags [Field], Check::Schema(check),
    [
        Variant {
            message: "{type} does not match the schema: {problem}",
            related: "here",
            api: Some("Missing required parameter: 'input[{index}]{field}'."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not match the schema: {problem}",
            related: "this value",
            api: Some("Invalid type for 'input[{index}]{field}': expected {expected}, but got {got} instead."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not match the schema: {problem}",
            related: "this value",
            api: Some("Invalid value: '{value}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."),
            also: &["Supported values are: 'search', 'open_page'"],
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not match the schema: {problem}",
            related: "this value",
            api: Some(
                "Invalid 'input[{index}]{field}': string too long. Expected a string with maximum length {limit}, but got \
                 a string with length {length} instead.",
            ),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not match the published schema: {problem}",
            related: "this value",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not match the given schema: {problem}",
            related: "this value",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const DOCUMENTED: u8 = 4;
const CUSTOM: u8 = 5;

/// True if a finding is about a schema that the user gave, which is always reported.
pub fn is_custom(finding: &Finding) -> bool {
    finding.variant == CUSTOM
}

/// Maximum number of violations reported for one item.
const MAX_VIOLATIONS: usize = 8;

/// The variant that reports a violation.
pub fn variant(standard: &ItemSchema, violation: &Violation) -> u8 {
    match (standard.is_custom(), violation.doubtful, violation.kind) {
        (true, ..) => CUSTOM,
        (_, true, _) | (.., ViolationKind::Other) => DOCUMENTED,
        (.., ViolationKind::Missing) => 0,
        (.., ViolationKind::Type) => 1,
        (.., ViolationKind::Role) => 2,
        (.., ViolationKind::TooLong) => 3,
    }
}

fn check(standard: &ItemSchema, item: &Item<'_>, out: &mut FindingSink) {
    // A string instead of a list is not an item, but the message that it represents is.
    if !item.val.is_object() || standard.fits(&item.row, item.val) {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    for violation in standard.violations(&item.row, item.val).iter().take(MAX_VIOLATIONS) {
        let finding = Finding::new(RULE.code, item.row)
            .variant(variant(standard, violation))
            .with_partner(value_place(item, violation))
            .never("the intended value is not known");
        // The values of an item in a JSON string do not have their own places: one finding represents all equal ones.
        if !found.iter().any(|other| (other.variant, other.partner) == (finding.variant, finding.partner)) {
            found.push(finding);
        }
    }
    found.into_iter().for_each(|finding| out.add(finding));
}

/// The place of the value; `None` if it is the item itself.
fn value_place(item: &Item<'_>, violation: &Violation) -> Option<Place> {
    let (start, end) = violation.span;
    let whole = item.row.at;
    let in_place = !item.row.has(Flags::EMBEDDED) && whole.len == item.val.size();
    let inner = (start, end) != (item.val.start(), item.val.end());
    let at = whole.start + u64::from(start - item.val.start());
    (in_place && inner).then(|| Place::new(whole.doc, at, end - start))
}

/// The violation that a finding represents, read again from the item's text.
pub fn find_violation(standard: &ItemSchema, finding: &Finding, item: crate::json::Val<'_>) -> Option<Violation> {
    let inner = finding.partner.map(|place| (place.start - finding.row.at.start, place.len));
    let is_it = |violation: &Violation| {
        let (start, end) = violation.span;
        let whole = (start, end) == (item.start(), item.end());
        let here = (u64::from(start - item.start()), end - start);
        let placed = inner.map_or(whole || finding.row.has(Flags::EMBEDDED), |inner| inner == here);
        placed && variant(standard, violation) == finding.variant
    };
    standard.violations(&finding.row, item).into_iter().find(is_it)
}
