//! RL690: the agent repairs the problems of the session by itself.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the problems that an agent repairs by itself when it resumes a session: calls without an output, outputs
    /// without a call, second outputs, thinking that was changed, unpaired surrogates, lines that it can read although
    /// others cannot, entries with a missing parent, cycles of entries. Each kind is one note, at its first place.
    ///
    /// ## Why it matters
    ///
    /// The provider would reject the stored history, but the agent never sends it in that form. The session can be
    /// resumed without a repair. Other programs replay the history as it is stored: `--as request` checks that.
    ///
    /// What an agent repairs depends on its version; `replaylint agents` lists it. Claude Code 2.1.80 to 2.1.280, for
    /// example, leaves out a call without an output, and 2.1.281 and later answer it; so does Qwen Code, from 0.24 on.
    /// The version is read from the session or set with `--agent-version`; if it is not known, the newest is assumed.
    /// What remains is judged: a call that is left out may leave other problems.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"session_meta","timestamp":"2026-09-18T09:31:07Z","payload":{"id":"01a0","cli_version":"0.154.0"}}
    /// {"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"ok"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// No fix is needed, and `fix` leaves the session as it is. With `--as request` the problems are reported and fixed
    /// as usual.
    ///
    /// ## Evidence
    ///
    /// Recorded: the requests of twelve agents while they resumed damaged sessions; for some acts, and for Crush, goose
    /// and Cline, their source code or change log. The source of each act is in the table that `replaylint agents`
    /// prints.
    HEALED_BY_AGENT, "healed-by-agent", Check::External,
    [
        Variant {
            message: "{healed}",
            levels: Levels::INFO,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}
