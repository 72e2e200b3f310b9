//! RL668: a session is not shown by the newer version of its agent.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports the sessions of opencode 1.x that opencode 2 has not migrated. Both versions keep their sessions in one
    /// database, in different tables.
    ///
    /// ## Why it matters
    ///
    /// opencode 2 migrates the sessions of version 1 once. Those that version 1 writes later, and those that could not
    /// be migrated, are still in the database, but opencode 2 does not list them.
    ///
    /// ## Example
    ///
    /// ```sql
    /// SELECT id FROM session WHERE id NOT IN (SELECT id FROM session_v2);
    /// ```
    ///
    /// ## Fix
    ///
    /// None: version 1 still opens the session. `opencode export ID` of version 1 writes it to a file; `replaylint convert --to API FILE` writes a request.
    ///
    /// ## Evidence
    ///
    /// Reported: anomalyco/opencode#41217, #49412, #49641.
    HIDDEN_SESSION, "hidden-session", Check::External,
    [
        Variant {
            message: "this session is only in the tables of opencode 1.x: opencode 2 does not show it",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
