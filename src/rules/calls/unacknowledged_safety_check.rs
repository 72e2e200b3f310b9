//! RL109: a computer call's safety checks are not acknowledged.

use crate::history::{Finding, Flags, Pair, PairState, RepairAct, Row};
use crate::json::{Val, name};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `computer_call` with `pending_safety_checks` whose output does not name all of them in
    /// `acknowledged_safety_checks`.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Computer tool has unacknowledged safety check for ['cu_sc_abc']
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"computer_call","id":"cu_1","call_id":"call_1","status":"completed","action":{"type":"click","x":1,"y":2,
    ///   "button":"left"},"pending_safety_checks":[{"id":"cu_sc_1","code":"malicious_instructions","message":"…"}]},
    ///  {"type":"computer_call_output","call_id":"call_1","output":{"type":"computer_screenshot","image_url":"…"}}]
    /// ```
    ///
    /// ## Fix
    ///
    /// `fix --acknowledge-safety` copies the checks from the call into its output. By default nothing is changed:
    /// acknowledging a safety check is your decision.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/openai-agents-python#843 and its pull request #923.
    UNACKNOWLEDGED_SAFETY_CHECK, "unacknowledged-safety-check" of "responses", Check::Pair(check),
    [
        Variant {
            message: "the output of computer_call {call_id} does not acknowledge its safety checks",
            related: "the call",
            api: Some("Computer tool has unacknowledged safety check for [{checks}]"),
            evidence: Evidence::Reported,
            fix: "acknowledge the safety checks",
            loss: Loss::Lossy,
            autofix: Autofix::Flag,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Answered || !cx.row(pair.call).has(Flags::CHECKS_PENDING) {
        return;
    }
    let (call, output) = (cx.row(pair.call), *cx.row(pair.output));
    let wanted = check_ids(cx, call, "pending_safety_checks");
    let given = check_ids(cx, &output, "acknowledged_safety_checks");
    if wanted.iter().any(|id| !given.contains(id)) {
        out.add(Finding::new(RULE.code, output).with_partner(call.at).act(RepairAct::Acknowledge));
    }
}

fn check_ids(cx: &RuleContext<'_>, row: &Row, field: &str) -> Vec<Vec<u8>> {
    let mut ids = Vec::new();
    cx.text.with_item(row, &mut |item: Val<'_>| {
        let checks = item.get(field).into_iter().flat_map(|checks| checks.elements());
        ids.extend(checks.filter_map(|check| check.get(name::id)?.text()).map(|id| id.into_owned()));
    });
    ids
}
