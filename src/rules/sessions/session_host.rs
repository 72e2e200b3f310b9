//! RL666: the model of a session ran on another host.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports once that the call ids of a session are those of Amazon Bedrock (`toolu_bdrk_`) or Google Vertex AI
    /// (`toolu_vrtx_`).
    ///
    /// ## Why it matters
    ///
    /// The session is checked against the rules of the Anthropic API, which both hosts follow for messages. Signed
    /// thinking is accepted by all of them; limits and error messages may differ.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"tool_use","id":"toolu_bdrk_01","name":"Read","input":{}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed.
    ///
    /// ## Evidence
    ///
    /// Documented: the thinking of Claude is compatible across the Anthropic API, Amazon Bedrock and Vertex AI.
    SESSION_HOST, "session-host", Check::External,
    [
        Variant {
            message: "the model ran on Amazon Bedrock; the session is checked against the rules of the Anthropic API",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the model ran on Google Vertex AI; the session is checked against the rules of the Anthropic API",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
