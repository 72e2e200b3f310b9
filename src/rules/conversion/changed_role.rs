//! RL907: instructions that change their role.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports system or developer messages that change their role.
    ///
    /// ## Why it matters
    ///
    /// Anthropic, Gemini and Bedrock have one place for instructions, before the conversation. Initial instructions go
    /// there; a later instruction keeps its position as a user message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"system","content":"From here on answer in French."}
    /// ```
    ///
    /// ## Fix
    ///
    /// None.
    ///
    /// ## Evidence
    ///
    /// Anthropic: "The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role."
    CHANGED_ROLE, "changed-role", Check::External,
    [
        Variant {
            message: "changed a developer message to system instructions: the target has no developer role",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed instructions to a user message: the target has no other place for them",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
