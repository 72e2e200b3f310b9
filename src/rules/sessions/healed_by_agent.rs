//! RL690: the agent repairs the problems of the session by itself.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the problems that an agent repairs by itself when it resumes a session: calls without an output, outputs
    /// without a call, unpaired surrogates, cycles of entries. Each kind is one note, at its first place.
    ///
    /// ## Why it matters
    ///
    /// The provider would reject the stored history, but the agent never sends it in that form. The session can be
    /// resumed without a repair. Other programs replay the history as it is stored: `--as request` checks that.
    ///
    /// What an agent repairs depends on its version. The version is read from the session or set with
    /// `--agent-version`; if it is not known, the newest is assumed.
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
    /// None by default; with `--as request` the problems are reported and fixed as usual.
    ///
    /// ## Evidence
    ///
    /// Documented: Codex's context manager (openai/codex, `codex-rs/core/src/context_manager/normalize.rs`) and the change
    /// log of Claude Code.
    HEALED_BY_AGENT, "healed-by-agent", Check::External,
    [
        Variant {
            message: "{healed}",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
