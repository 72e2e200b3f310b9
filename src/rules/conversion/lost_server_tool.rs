//! RL902: server-side tools.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports calls of server-side tools that are dropped with their results, and such tools that are no longer
    /// offered.
    ///
    /// ## Why it matters
    ///
    /// A web search, a code interpreter, a file search or an MCP call exists at one provider only. Its result is often
    /// encrypted, and the other API has no item for it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"rain"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: within one dialect such items are copied unchanged. `--server-tools text` keeps what the tool was asked and
    /// returned as text.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    LOST_SERVER_TOOL, "lost-server-tool", Check::External,
    [
        Variant {
            message: "dropped {type}, a call of a server-side tool, and its result",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the definition of a server-side tool: only its provider can run it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped limits of the web search that the target cannot set",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed {type} to text: what only its provider can read is dropped",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
