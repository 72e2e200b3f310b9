//! RL734: a schema in Gemini's own form has what that form does not have.

use crate::history::SchemaFault;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// In `parameters` of tools and `responseSchema`, finds keywords that Gemini's schemas do not have, lists of types, and
    /// lists without `items`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid JSON payload received. Unknown name "exclusiveMinimum" at
    /// > 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.
    ///
    /// > Unknown name "type" at …: Proto field is not repeating, cannot start list.
    ///
    /// > …parameters.properties[tags].items: missing field.
    ///
    /// `parametersJsonSchema` and `responseJsonSchema` accept all of these.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[{"role":"user","parts":[{"text":"hi"}]}],
    ///  "tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"object",
    ///   "properties":{"n":{"type":"integer","exclusiveMinimum":0}}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None in a stored request: send the schema as `parametersJsonSchema`, or remove what is not supported.
    ///
    /// ## Evidence
    ///
    /// Recorded: a rejection of `exclusiveMinimum`; CLIProxyAPI#97, tidebreak#1516, AIStudioToAPI#154, OmniRoute PR#3360. The keywords
    /// are those of google-genai 2.34, `types.Schema`.
    GEMINI_SCHEMA, "gemini-schema" of "gemini", Check::History(check),
    [
        Variant {
            message: "a schema contains `{member}`, which Gemini's own schemas do not have",
            also: &[
                "Unknown name \"{member}\" at 'tools[{arg}].function_declarations[{item}].parameters",
                "Unknown name \"{member}\" at 'generation_config.response_schema",
            ],
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "a schema has a list of types",
            also: &["Unknown name \"type\" at {path}: Proto field is not repeating, cannot start list."],
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "a list in a schema has no `items`",
            also: &["parameters.properties[{name}].items: missing field"],
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const TYPE_LIST: u8 = 1;
const NO_ITEMS: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for found in cx.options().into_iter().flat_map(|options| &options.schema_faults) {
        let variant = match found.fault {
            SchemaFault::Foreign => 0,
            SchemaFault::TypeList => TYPE_LIST,
            SchemaFault::NoItems => NO_ITEMS,
            _ => continue,
        };
        let finding = cx.request_finding(RULE.code, found.at).variant(variant);
        out.add(finding.never("`parametersJsonSchema` accepts the schema as it is"));
    }
}
