//! RL400: an item does not fit its schema.

use crate::dialect::Item;
use crate::history::{Finding, Flags};
use crate::place::Place;
use crate::rule::{Check, Evidence, Out, Variant};
use crate::schema::{FaultKind, Standard, Violation};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Holds each item against the provider's published schema: fields that are required, types, the values of closed
    /// lists, lengths. With `--schema FILE` each item is held against that JSON Schema instead. Item types and fields
    /// that the schema does not know pass.
    ///
    /// There is a schema for each dialect: the items of the Responses API, and the messages of Chat Completions, of the
    /// Anthropic Messages API, of Gemini (its contents, in both spellings) and of Bedrock's Converse. Where messages hold
    /// blocks, a message is one item, and each of its blocks and calls is another.
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
    /// Chat Completions says the same of its `messages`. Anthropic says
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
    /// None: the intended value is not known. If another rule has found an error in an item's fields, this one is
    /// silent for that item.
    ///
    /// ## Evidence
    ///
    /// Documented: openai-openapi f85dbe22 of 2026-08-21, openai-python 3.52.0, anthropic-sdk-python 2.11.0,
    /// google-genai 3.4.0, and the API reference of Amazon Bedrock Runtime of November 2026. Reported: the sentences
    /// above, in many threads (pydantic-ai#2653, langchain-azure#35, goose-mobile#20, llm-anthropic#23, vercel/ai#3589,
    /// continue#1938). None of 962 recorded accepted requests, 431 of them with messages, has an item that does not fit,
    /// not even a warning. It is an error for the fields of an item and the parts of its content, which the server is
    /// known to check; a warning deeper down and for values of closed lists, which grow, because there the documents are
    /// the only source. For Bedrock that holds for texts, calls and results; its other blocks are only known from the documentation.
    /// Other servers that speak Chat Completions have schemas of their own: there it is a warning, and for Mistral, whose
    /// calls need no type and whose images no object, nothing. What such a server has said in a recorded answer is not
    /// held against OpenAI's schema.
    ///
    /// The published schemas have defects, which are mended here. Of Responses:
    ///
    /// - A plain message is valid under two of three branches of a `oneOf`; messages are recognised by their role instead.
    /// - An assistant's message was accepted without `id` and `status`, reasoning without `id`.
    /// - `id` is not required of calls that the client answers, of programs and of web searches: clients that strip all
    ///   ids are in use.
    /// - An `output_text` was accepted without `annotations`; whether `logprobs` is required, the sources differ.
    /// - An `input_image` was accepted without `detail`.
    /// - A `status` that is null was accepted; null is taken for absent in every optional field.
    /// - An `image_generation_call` was accepted with `type` and `id` alone, a `code_interpreter_call` without `outputs`.
    /// - `local_shell_call_output.call_id` and `mcp_approval_response.request_id` are required and not declared; neither
    ///   is required here.
    /// - The status `incomplete` of a `web_search_call` is in one source only; it is accepted.
    /// - `mcp_call.error` has changed its type in the published schemas; a string and an object are taken.
    /// - `keys` of a double click is required, though it is optional for every other click; it is not required here.
    /// - Tools refer to themselves by a keyword of another draft, which no validator takes; only their outline is checked.
    /// - Codex writes `compaction_summary` for `compaction`.
    ///
    /// Of Chat Completions:
    ///
    /// - `content` that is required and missing, or null, is left to the rules that mend it (RL507, RL519).
    /// - `tool_calls` and `name` may be null, as clients write them that dump what the server said.
    /// - An address in the place of the object in `image_url` was accepted by some deployments; it is a warning.
    /// - System and developer messages hold texts only by the documents; other parts are not turned down.
    ///
    /// Of Anthropic Messages:
    ///
    /// - A user's message may hold any block by the documents, an assistant's a `tool_result`; RL534 reports that.
    /// - `content` and `is_error` of a `tool_result` may be null.
    /// - The names of the provider's own tools, and the types of those that call tools, are closed lists that grow; any
    ///   is taken.
    /// - `mcp_tool_use` and `mcp_tool_result` are missing; they are of a beta, and looked at as the server hands them out.
    /// - The titles of citations are required, and may be absent: the server's own answers lack them.
    ///
    /// Of Gemini:
    ///
    /// - `parts` may be one part alone, as SDKs take it.
    /// - Numbers may be written as texts, as protocol buffers have it in JSON; types of tools are a list that grows.
    ///
    /// Of Bedrock's Converse:
    ///
    /// - The `input` of a call is any JSON value by the documents; the server accepts only objects, which RL584 reports.
    /// - The `format` of a video is a closed list; a media type in its place was accepted. Any format of a sound is taken.
    /// - Whether a signature must be there depends on the model; RL594 reports it.
    SCHEMA_VIOLATION, "schema-violation" about [Field], Check::Schema(check),
    [
        Variant {
            message: "{type} does not fit the schema: {problem}",
            related: "here",
            api: Some("Missing required parameter: 'input[{index}]{field}'."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not fit the schema: {problem}",
            related: "this value",
            api: Some("Invalid type for 'input[{index}]{field}': expected {expected}, but got {got} instead."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not fit the schema: {problem}",
            related: "this value",
            api: Some("Invalid value: '{value}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not fit the schema: {problem}",
            related: "this value",
            api: Some(
                "Invalid 'input[{index}]{field}': string too long. Expected a string with maximum length {limit}, but got \
                 a string with length {length} instead.",
            ),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not fit the published schema: {problem}",
            related: "this value",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{type} does not fit the given schema: {problem}",
            related: "this value",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const DOCUMENTED: u8 = 4;
const GIVEN: u8 = 5;

/// Whether a finding is about a schema of the user's own, which is asked for and never silent.
pub fn is_given(finding: &Finding) -> bool {
    finding.variant == GIVEN
}

/// Violations of one item that are told.
const MOST: usize = 8;

/// The variant that tells a violation.
pub fn variant(standard: &Standard, violation: &Violation) -> u8 {
    match (standard.is_own(), violation.doubtful, violation.fault) {
        (true, ..) => GIVEN,
        (_, true, _) | (.., FaultKind::Other) => DOCUMENTED,
        (.., FaultKind::Missing) => 0,
        (.., FaultKind::Type) => 1,
        (.., FaultKind::Role) => 2,
        (.., FaultKind::TooLong) => 3,
    }
}

fn check(standard: &Standard, item: &Item<'_>, out: &mut Out) {
    // A text in the place of a list is no item, but the message that it stands for.
    if !item.val.is_object() || standard.fits(&item.row, item.val) {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    for violation in standard.violations(&item.row, item.val).iter().take(MOST) {
        let finding = Finding::new(RULE.code, item.row)
            .variant(variant(standard, violation))
            .with(place(item, violation))
            .never("what belongs there is not known");
        // The text of an item in a JSON string is not where its values are: one finding stands for all like it.
        if !found.iter().any(|other| (other.variant, other.partner) == (finding.variant, finding.partner)) {
            found.push(finding);
        }
    }
    found.into_iter().for_each(|finding| out.add(finding));
}

/// Where the value lies, if that is not the item itself.
fn place(item: &Item<'_>, violation: &Violation) -> Option<Place> {
    let (start, end) = violation.span;
    let whole = item.row.at;
    let in_place = !item.row.has(Flags::EMBEDDED) && whole.len == item.val.size();
    let inner = (start, end) != (item.val.start(), item.val.end());
    let at = whole.start + u64::from(start - item.val.start());
    (in_place && inner).then(|| Place::new(whole.doc, at, end - start))
}

/// The violation that a finding stands for, read again in the item's text.
pub fn of_finding(standard: &Standard, finding: &Finding, item: crate::json::Val<'_>) -> Option<Violation> {
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
