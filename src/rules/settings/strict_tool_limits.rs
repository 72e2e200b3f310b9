//! RL735: strict tools need more than Anthropic's grammars have.

use crate::history::StrictTotals;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Counts what the tools with `"strict": true` need together: finds more than 20 of them, more than 24 properties that
    /// `required` does not list, more than 16 schemas with a list of types or `anyOf`, and schemas that contain themselves.
    ///
    /// ## Why it matters
    ///
    /// Anthropic compiles the schemas of strict tools to a grammar, and rejects the request with HTTP 400:
    ///
    /// > Too many strict tools (21). The maximum number of strict tools supported is 20.
    ///
    /// > Schemas contains too many optional parameters (25), which would make grammar compilation inefficient.
    ///
    /// > Schemas contains too many parameters with union types (17 parameters with type arrays or anyOf).
    ///
    /// > tools.0.custom: Invalid schema: Circular reference detected in schema definitions: Node -> Node.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[{"role":"user","content":"hi"}],
    ///  "tools":[{"name":"f","strict":true,"input_schema":{"type":"object","additionalProperties":false,
    ///   "properties":{"child":{"$ref":"#"}},"required":["child"]}}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: which tools need to be strict is known to their program. `convert` keeps tools strict as long as there is room.
    ///
    /// ## Evidence
    ///
    /// Recorded: rejections of each kind.
    STRICT_TOOL_LIMITS, "strict-tool-limits" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the request has {length} strict tools; at most 20 are supported",
            api: Some("Too many strict tools ({length}). The maximum number of strict tools supported is 20."),
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the strict tools have {length} optional properties; at most 24 are supported",
            also: &["Schemas contains too many optional parameters ({length})", "Schema is too complex for compilation"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the strict tools have {length} schemas with several types; at most 16 are supported",
            also: &["Schemas contains too many parameters with union types ({length} parameters with type arrays or anyOf)"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the schema of a strict tool contains itself",
            also: &["Invalid schema: Circular reference detected in schema definitions"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(strict) = cx.options().and_then(|options| options.strict.as_ref()) else { return };
    let numbers = strict.value.numbers().into_iter().zip(StrictTotals::MOST.numbers());
    for (variant, (number, _)) in numbers.enumerate().filter(|(_, (number, most))| number > most) {
        let finding = cx.request_finding(RULE.code, strict.at).variant(variant as u8).arg(number);
        out.add(finding.never("which tools need to be strict is not known"));
    }
}
