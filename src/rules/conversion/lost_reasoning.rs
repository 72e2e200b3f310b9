//! RL901: reasoning that a conversion drops, or turns into text.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports what happens to reasoning that the models of the other API cannot read.
    ///
    /// ## Why it matters
    ///
    /// A signature or an encrypted blob is specific to its provider: Anthropic rejects a thinking block with a foreign
    /// signature ("Invalid `signature` in `thinking` block"), OpenAI a blob that it did not issue. Reasoning is kept
    /// where the target's model can read it: OpenAI's between the Responses API and OpenRouter's details, Claude's
    /// between Anthropic and Bedrock. Elsewhere it is dropped; `--reasoning text` turns its readable part into text.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"reasoning","summary":[{"type":"summary_text","text":"weighing two ways"}],"encrypted_content":"gAAA"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the other API cannot express it. The result is never rejected because of it.
    ///
    /// ## Evidence
    ///
    /// vercel/ai and pi-mono drop the same blocks, with a warning.
    LOST_REASONING, "lost-reasoning", Check::External,
    [
        Variant {
            message: "dropped reasoning: the target's models cannot read it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed reasoning to model text",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the thought signatures of {items}: only Gemini can read them",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "kept the text of reasoning, but not its signature: the target's models read only the text",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped reasoning: its encrypted content is missing, and the server stores no items",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
