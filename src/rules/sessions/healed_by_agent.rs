//! RL690: the agent puts right what is wrong in the session.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts what an agent puts right by itself when it resumes a session: calls without an output, outputs without a
    /// call, unpaired surrogates, cycles of entries. One note for each kind, at the first place.
    ///
    /// ## Why it matters
    ///
    /// The provider would reject the history as it is stored, but the agent never sends it so. The session can be resumed;
    /// it needs no repair. Who replays it with another program sends what is stored: `--as request` judges that.
    ///
    /// What an agent heals depends on its version. It is taken from the session (`--agent-version` names another one);
    /// without any, the newest is assumed.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"session_meta","timestamp":"2026-09-18T09:31:07Z","payload":{"id":"01a0","cli_version":"0.154.0"}}
    /// {"type":"response_item","timestamp":"2026-09-18T09:31:08Z","payload":{"type":"function_call_output","call_id":"call_1","output":"ok"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default; with `--as request` the findings themselves, and their fixes.
    ///
    /// ## Evidence
    ///
    /// Documented: Codex's context manager (openai/codex, `codex-rs/core/src/context_manager/normalize.rs`) and the change
    /// log of Claude Code.
    HEALED_BY_AGENT, "healed-by-agent", Check::Raised,
    [
        Variant {
            message: "{healed}",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
