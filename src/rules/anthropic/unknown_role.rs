//! RL548: a message of a role that the API does not know.

use crate::history::{Finding, Kind, Role};
use crate::rule::{Check, Cx, Evidence, Out, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message whose role is not `user`, `assistant` or `system`, and entries of `messages` without a role.
    ///
    /// ## Why it matters
    ///
    /// The API knows no other roles. It happens when messages of different APIs are put together: `tool` and `developer`
    /// are roles of Chat Completions.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","system":"Be brief","messages":[
    ///  {"role":"user","content":"hi"},
    ///  {"role":"function","name":"f","content":"ok"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which role the message should have.
    ///
    /// ## Evidence
    ///
    /// Documented: the roles of a message are an enumeration.
    ANTHROPIC_UNKNOWN_ROLE, "anthropic-unknown-role" of "anthropic" about [Field], Check::History(check),
    [
        Variant {
            message: "the message has no role, or a role of another API",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    let known = |role: Role| matches!(role, Role::User | Role::Assistant | Role::System);
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::BlockMessage && !known(row.role)) {
        out.add(Finding::new(RULE.code, *row).never("it is not known which role it should have"));
    }
}
