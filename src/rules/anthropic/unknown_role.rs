//! RL548: a message has a role that the API does not know.

use crate::history::{Finding, Kind, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message whose role is not `user`, `assistant` or `system`, and entries of `messages` without a role.
    ///
    /// ## Why it matters
    ///
    /// The API has no other roles. It happens when messages of different APIs are combined: `tool` and `developer` are
    /// roles of Chat Completions.
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
    ANTHROPIC_UNKNOWN_ROLE, "anthropic-unknown-role" of "anthropic" tags [Field], Check::History(check),
    [
        Variant {
            message: "the message has no role, or a role of another API",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let known = |role: Role| matches!(role, Role::User | Role::Assistant | Role::System);
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::BlockMessage && !known(row.role)) {
        out.add(Finding::new(RULE.code, *row).never("it is not known which role it should have"));
    }
}
