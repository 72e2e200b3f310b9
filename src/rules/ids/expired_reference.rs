//! RL309: something stored only on the server is older than the user allows.

use crate::history::{Finding, ItemFlags};
use crate::rule::{Check, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// With `--max-item-age AGE` only: finds references, items that are nothing but an id, and a `previous_response_id`
    /// that are older. The age comes from the time inside the id, or from the `created_at` of the response if the file
    /// contains it, and is computed against `--now TIME` or the clock.
    ///
    /// ## Why it matters
    ///
    /// Stored items expire, by default after 30 days. Then the server answers:
    ///
    /// > Item with id 'rs_abc' not found.
    ///
    /// and for a response:
    ///
    /// > Previous response with id 'resp_abc' not found.
    ///
    /// How long a project keeps them is not in the file.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"item_reference","id":"rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: `fix` cannot know what the server still stores.
    ///
    /// ## Evidence
    ///
    /// Observed: the time inside an id equals `created_at` within two seconds in 537 of 548 responses.
    EXPIRED_REFERENCE, "expired-reference" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "{type} {id} is stored only on the server and is older than allowed",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
        Variant {
            message: "the response that the request builds on is older than allowed",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

const RESPONSE: u8 = 1;
const NOT_KNOWN: &str = "it is not known what the server still has";

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(age) = cx.age_limit else { return };
    let by_id = cx.history.rows.iter().filter(|row| row.is_reference() || row.has(ItemFlags::ID_ONLY));
    for row in by_id.filter(|row| age.is_exceeded_at(row.time)) {
        out.add(Finding::new(RULE.code, *row).never(NOT_KNOWN));
    }
    if let Some(previous) = cx.history.settings.previous {
        let recorded =
            cx.stored_items.response(previous.id).map(|response| response.time).filter(|time| *time > 0);
        if age.is_exceeded_at(recorded.unwrap_or(previous.time)) {
            out.add(cx.request_finding(RULE.code, previous.at).variant(RESPONSE).never(NOT_KNOWN));
        }
    }
}
