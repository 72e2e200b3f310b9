//! RL732: the schema of a tool is not that of an object.

use crate::history::{SchemaFault, SchemaUse};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds tools whose `input_schema` has `oneOf`, `anyOf` or `allOf` at the top, no `type`, or another type than object.
    ///
    /// ## Why it matters
    ///
    /// Anthropic rejects the request with HTTP 400:
    ///
    /// > tools.9.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level
    ///
    /// > tools.0.custom.input_schema.type: Field required
    ///
    /// > tools.0.custom.input_schema.type: Input should be 'object'
    ///
    /// It happens with tools of MCP servers, and with tools that were written for another API.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[{"role":"user","content":"hi"}],
    ///  "tools":[{"name":"f","input_schema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: which of the alternatives the tool needs is not known.
    ///
    /// ## Evidence
    ///
    /// Recorded: five rejections without a type, two with another type; unions: claude-code#40075 and nine more threads. None of
    /// a thousand recorded accepted schemas is like this.
    ANTHROPIC_TOOL_SCHEMA, "anthropic-tool-schema" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the schema of a tool has `{member}` at the top",
            also: &["input_schema does not support oneOf, allOf, or anyOf at the top level"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the schema of a tool has no type",
            also: &["custom.input_schema.type: Field required"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the schema of a tool is not of type object",
            also: &["custom.input_schema.type: Input should be 'object'"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

const NO_TYPE: u8 = 1;
const OTHER_TYPE: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let faults = cx.options().into_iter().flat_map(|options| &options.schema_faults);
    for found in faults.filter(|found| found.of == SchemaUse::Tool) {
        let variant = match found.fault {
            SchemaFault::TopUnion => 0,
            SchemaFault::NoType => NO_TYPE,
            SchemaFault::OtherType => OTHER_TYPE,
            _ => continue,
        };
        let finding = cx.request_finding(RULE.code, found.at).variant(variant);
        out.add(finding.never("the parameters that the tool needs are not known"));
    }
}
