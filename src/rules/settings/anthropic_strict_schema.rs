//! RL731: a schema for structured output has what Anthropic's grammars do not support.

use crate::history::{SchemaFault, SchemaUse};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds in the schema of `output_config.format`, and in those of tools with `strict`: objects that are open, limits such
    /// as `minimum` and `maxLength`, and `oneOf`. Other tools accept all of these.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > output_format.schema: For 'integer' type, property 'minimum' is not supported
    ///
    /// > output_format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false
    ///
    /// > output_format.schema: Schema type 'oneOf' is not supported
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[{"role":"user","content":"hi"}],
    ///  "output_config":{"format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false,
    ///   "properties":{"age":{"type":"integer","minimum":0}}}}}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None in a stored request. Anthropic's SDKs close the objects, write `anyOf` for `oneOf`, and move limits to the
    /// description.
    ///
    /// ## Evidence
    ///
    /// Recorded: two rejections of `minimum`; the others by litellm `anthropic/chat/transformation.py` and
    /// anthropic-sdk-python `lib/_parse/_transform.py`. For strict tools no rejection is known, hence a warning.
    ANTHROPIC_STRICT_SCHEMA, "anthropic-strict-schema" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the schema of the answer has a limit, `{member}`, which the API does not support",
            also: &["For '{type}' type, property '{member}' is not supported"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "an object in the schema of the answer does not say `additionalProperties: false`",
            api: Some(
                "output_format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
            ),
            also: &["For 'object' type, 'additionalProperties' must be explicitly set to false"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the schema of the answer contains `oneOf`, which the API does not support",
            api: Some("output_format.schema: Schema type 'oneOf' is not supported"),
            also: &["Schema type 'oneOf' is not supported"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the schema of a strict tool has what the API does not support in strict schemas",
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const OPEN: u8 = 1;
const ONE_OF: u8 = 2;
const STRICT_TOOL: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let faults = cx.options().into_iter().flat_map(|options| &options.schema_faults);
    let mut is_tool_reported = false;
    for found in faults {
        let variant = match (found.of, found.fault) {
            (SchemaUse::Output, SchemaFault::Bound) => 0,
            (SchemaUse::Output, SchemaFault::Open) => OPEN,
            (SchemaUse::Output, SchemaFault::OneOf) => ONE_OF,
            (SchemaUse::StrictTool, SchemaFault::Bound | SchemaFault::Open | SchemaFault::OneOf) => STRICT_TOOL,
            _ => continue,
        };
        if variant == STRICT_TOOL && std::mem::replace(&mut is_tool_reported, true) {
            continue;
        }
        let finding = cx.request_finding(RULE.code, found.at).variant(variant);
        out.add(finding.never("the SDK that sends the request adapts its schemas, or the user does"));
    }
}
