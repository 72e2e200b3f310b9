//! RL421: a call was made by a program that is not in the history.

use foldhash::HashSet;

use crate::history::{Finding, ItemFlags, Kind};
use crate::json::fingerprint;
use crate::rule::{Check, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds calls whose `caller` names a program that is not in the history.
    ///
    /// ## Why it matters
    ///
    /// The output goes to the program, not to the model; without the program nothing receives it. Clients that drop a
    /// program drop its calls with it.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}","caller":{"type":"program","caller_id":"call_p"}},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: it is not known whether the call is accepted without it.
    ///
    /// ## Evidence
    ///
    /// Inferred from openai-agents-python, which drops the calls of a dropped program; the API's error is not known.
    LOST_PROGRAM, "lost-program" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "{type} {call_id} was made by a program that is not in this history",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    if cx.has_server_state() || !rows.iter().any(|row| row.has(ItemFlags::OWNED)) {
        return;
    }
    let of_programs = rows.iter().filter(|row| row.item_kind == Kind::Program);
    // A reference has the program's id, not the call_id that its calls name.
    if of_programs.clone().any(|row| row.is_reference()) {
        return;
    }
    let programs: HashSet<u64> = of_programs.map(|row| row.key).collect();
    for row in rows.iter().filter(|row| row.has(ItemFlags::OWNED) && row.kind.is_call()) {
        let mut lost = false;
        cx.text.with_item(row, &mut |call| {
            let caller = call.at(&["caller", "caller_id"]).and_then(|id| id.as_str());
            lost = caller.is_some_and(|id| !programs.contains(&fingerprint(id)));
        });
        if lost {
            out.add(Finding::new(RULE.code, *row).never(
                "it is not known whether the call is accepted without \
                                                         it",
            ));
        }
    }
}
