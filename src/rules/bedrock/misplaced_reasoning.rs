//! RL593: reasoning is where the API does not accept it.

use crate::history::{Finding, Flags, Kind, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds `reasoningContent` in a user message; and, as a warning, in any message if the model does not reason or
    /// does not accept its reasoning in the history. The model is in the URL and not in the request, so the warning
    /// requires that a record or `--model` names it.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > User messages cannot contain reasoning content. Please remove the reasoning content and try again.
    ///
    /// It happens when roles are mixed up, and when the history of one model is sent to another.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"reasoningContent":{"reasoningText":{"text":"Hm"}}},{"text":"Hello"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The reasoning is dropped.
    ///
    /// ## Evidence
    ///
    /// Reported: oh-my-pi PR#9086, aws-samples/bedrock-chat PR#851, vercel/ai#7034 (for Nova, DeepSeek and Claude 3).
    BEDROCK_MISPLACED_REASONING, "bedrock-misplaced-reasoning" of "bedrock", Check::History(check),
    [
        Variant {
            message: "reasoning in a user message",
            api: Some("User messages cannot contain reasoning content. Please remove the reasoning content and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the reasoning",
            ..Variant::BASE
        },
        Variant {
            message: "the model does not accept reasoning in the history",
            api: Some("User messages cannot contain reasoning content. Please remove the reasoning content and try again."),
            error: ErrorDetails::AWS,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the reasoning",
            ..Variant::BASE
        },
    ]
}

const FOREIGN: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    for message in &messages.list {
        for row in message.blocks().map(|ix| cx.row(ix)) {
            if row.kind != Kind::Thinking || row.has(Flags::RECORDED) {
                continue;
            }
            let finding = Finding::new(RULE.code, *row).act(RepairAct::Drop);
            if message.role == Role::User {
                out.add(finding);
            } else if cx.has(Trait::NoReasoning) {
                out.add(finding.variant(FOREIGN));
            }
        }
    }
}
