//! RL106: an output is of another family than its call.

use crate::history::{Family, Finding, Pair, PairState, RepairAct};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an output whose `call_id` belongs to a call that requires another type of output: for example a
    /// `function_call_output` for a `custom_tool_call`.
    ///
    /// ## Why it matters
    ///
    /// The server looks for an output of the matching type and says
    ///
    /// > No tool output found for custom tool call call_abc.
    ///
    /// A `function_call_output` for a client's `tool_search_call` was accepted once (a warning here), and Codex answers
    /// a `local_shell_call` with one (off for the codex target, a warning elsewhere).
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"custom_tool_call","call_id":"call_1","name":"patch","input":"…"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// Between function and custom tool calls the type is changed; the fields are the same and nothing is lost.
    /// Outputs of other types have different fields, so changing the type would not make them valid.
    ///
    /// ## Evidence
    ///
    /// Reported: Soju06/codex-lb's specification quotes the upstream errors; openai-agents-python pairs by type
    /// (`_TOOL_CALL_TO_OUTPUT_TYPE`). Recorded: tool search answered by a function call's output, accepted by gpt-5.6.
    MISMATCHED_OUTPUT, "mismatched-output" of "responses" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "{type} {call_id} answers a {partner_type}",
            related: "the call",
            api: Some("No tool output found for {partner_noun} {call_id}."),
            evidence: Evidence::Reported,
            fix: "rewrite the type of the output",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} answers a {partner_type}",
            related: "the call",
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} answers a {partner_type}",
            related: "the call",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}

const TOOL_SEARCH: u8 = 1;
const LOCAL_SHELL: u8 = 2;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Mismatched {
        return;
    }
    let (call, output) = (cx.row(pair.call), *cx.row(pair.output));
    let finding = Finding::new(RULE.code, output).with_partner(call.at);
    let families = (call.kind.family(), output.kind.family());
    let other_members = "outputs of the two types have different fields";
    match families {
        (Some(Family::ToolSearch), _) | (_, Some(Family::ToolSearch)) => {
            out.add(finding.variant(TOOL_SEARCH).never(other_members));
        }
        (Some(Family::LocalShell), _) | (_, Some(Family::LocalShell)) => {
            out.add(finding.variant(LOCAL_SHELL).never(other_members));
        }
        (Some(Family::Function | Family::Custom), Some(Family::Function | Family::Custom)) => {
            out.add(finding.act(RepairAct::Retype));
        }
        _ => out.add(finding.never(other_members)),
    }
}
