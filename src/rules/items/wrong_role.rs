//! RL413: a role that the API does not know or this server rejects.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds messages with a role other than user, assistant, system and developer; for the Codex backend also
    /// system messages; and additional tools whose role is not `developer`.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.
    ///
    /// and the Codex backend:
    ///
    /// > System messages are not allowed
    ///
    /// It happens when messages of Chat Completions or Gemini are sent as they are.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"tool","tool_call_id":"call_1","content":"ok"}
    /// ```
    ///
    /// ## Fix
    ///
    /// Additional tools get the role `developer`. Messages are not changed: the history must be converted, and system
    /// instructions belong in `instructions`.
    ///
    /// ## Evidence
    ///
    /// Reported for unknown roles, and by opencode's developers for the Codex backend. 30 recorded system messages were
    /// accepted by OpenAI. The role of additional tools is documented.
    WRONG_ROLE, "wrong-role" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "unknown message role {value}",
            api: Some("Invalid value: '{value}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."),
            evidence: Evidence::Reported,
            error: ErrorDetails {
                param: Some("input[{index}].{field}"),
                code: Some("invalid_value"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "this server does not accept system messages",
            api: Some("System messages are not allowed"),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the role of {type} is {value}; it must be developer",
            evidence: Evidence::Documented,
            fix: "change the role to developer",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
