//! RL594: reasoning has no signature, or one that the model does not accept.

use crate::history::{BlockFlags, Finding, Flags, Kind, RepairAct, Role, Row};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Claude, assistant `reasoningContent` without a signature; and for gpt-oss, reasoning with one. The
    /// model is in the URL and not in the request: the rule applies only if a record or `--model` names it.
    ///
    /// ## Why it matters
    ///
    /// The service passes the request to Claude, which rejects it with HTTP 400:
    ///
    /// > The model returned the following errors: messages.1.content.0.thinking.signature: Field required
    ///
    /// For gpt-oss the service itself says:
    ///
    /// > This model doesn't support the reasoningContent.reasoningText.signature field. Remove
    /// > reasoningContent.reasoningText.signature and try again.
    ///
    /// It happens when a client stores reasoning without its signature, when a stream breaks off before the signature,
    /// and when the reasoning comes from another model.
    ///
    /// ## Example
    ///
    /// With `--model anthropic.claude-sonnet-4-5`:
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Hello"}]},
    ///  {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm"}}},{"text":"Hi"}]},
    ///  {"role":"user","content":[{"text":"Bye"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// For Claude the reasoning is dropped: a signature cannot be invented. For gpt-oss the signature is removed, and
    /// the reasoning is kept. If the API rejects an existing signature, `--reasoning strip` drops all reasoning.
    ///
    /// ## Evidence
    ///
    /// Reported: run-llama/llama_index#20851, can1357/oh-my-pi PR#10486 (an empty signature counts as none),
    /// langchain-ai/langchain-aws PR#408, maximhq/bifrost PR#6942; for gpt-oss earendil-works/pi#686. All reasoning in
    /// recorded accepted requests to Claude is signed.
    BEDROCK_UNSIGNED_REASONING, "bedrock-unsigned-reasoning" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the reasoning has no signature, which this model requires",
            api: Some("The model returned the following errors: messages.{message}.content.{block}.thinking.signature: Field required"),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the reasoning",
            ..Variant::BASE
        },
        Variant {
            message: "the reasoning has a signature, which this model does not accept",
            api: Some("This model doesn't support the reasoningContent.reasoningText.signature field. Remove reasoningContent.reasoningText.signature and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "remove the signature",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const SIGNED: u8 = 1;

static UNSIGN: ValueEdit = ValueEdit::strip(&["signature"]).at(&["reasoningContent", "reasoningText"]);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let wants = cx.has(Trait::SignedReasoning) && !cx.has(Trait::NoReasoning);
    if !wants && !cx.has(Trait::UnsignedReasoning) {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        for row in message.blocks().map(|ix| cx.row(ix)) {
            if row.kind != Kind::Thinking || row.has(Flags::RECORDED) {
                continue;
            }
            let finding = Finding::new(RULE.code, *row);
            if wants && !row.has(BlockFlags::SIGNED) {
                out.add(finding.act(RepairAct::Drop));
            } else if !wants && has_signature(cx, row) {
                out.add(finding.variant(SIGNED).edit_value(&UNSIGN));
            }
        }
    }
}

/// True if the member exists, even if it is empty.
fn has_signature(cx: &RuleContext<'_>, row: &Row) -> bool {
    let mut has = false;
    cx.text.with_item(row, &mut |block| {
        has = block.at(&["reasoningContent", "reasoningText", "signature"]).is_some();
    });
    has
}
