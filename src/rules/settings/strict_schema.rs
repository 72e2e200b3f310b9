//! RL733: a strict schema is open, or has optional properties.

use crate::history::SchemaFault;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// In the schemas of strict tools and strict answers, finds objects without `additionalProperties: false`, properties
    /// that `required` does not list, and `default`.
    ///
    /// ## Why it matters
    ///
    /// OpenAI rejects the request with HTTP 400:
    ///
    /// > Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be
    /// > false.
    ///
    /// > Invalid schema for response_format 'answer': In context=(), 'required' is required to be supplied and to be an
    /// > array including every key in properties. Missing 'reasoning'.
    ///
    /// > In context=('properties', 'placeholder'), 'default' is not permitted.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],
    ///  "tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object",
    ///   "additionalProperties":false,"properties":{"a":{"type":"string"}}}}}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: an optional property becomes one that may be null, which the tool must accept.
    ///
    /// ## Evidence
    ///
    /// Recorded: five rejections. `default`: reported, but eleven recorded requests with it were accepted, hence a note.
    STRICT_SCHEMA, "strict-schema", Check::History(check),
    [
        Variant {
            message: "an object in a strict schema does not say `additionalProperties: false`",
            also: &["'additionalProperties' is required to be supplied and to be false"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "a property of a strict schema is not in `required`⟨: {member}⟩",
            also: &["'required' is required to be supplied and to be an array including every key in properties"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "a strict schema contains `default`",
            also: &["'default' is not permitted"],
            error: ErrorDetails::BODY,
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const OPTIONAL: u8 = 1;
const DEFAULT: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let options = cx.options().filter(|_| cx.has(Trait::StrictSchemas));
    for found in options.into_iter().flat_map(|options| &options.schema_faults) {
        let variant = match found.fault {
            SchemaFault::Open => 0,
            SchemaFault::Optional => OPTIONAL,
            SchemaFault::Default => DEFAULT,
            _ => continue,
        };
        let finding = cx.request_finding(RULE.code, found.at).variant(variant);
        out.add(finding.never("the tool or the program that reads the answer must accept the stricter form"));
    }
}
