//! RL565: a call of the current turn lacks the thought signature that the model requires.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for models from Gemini 3 on, the first `functionCall` of a step without a `thoughtSignature`. Only the
    /// current turn counts: everything after the last user message. Later calls of the same step need none. The model
    /// is in the URL and not in the request, so the rule applies only if a record or `--model` names it.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly,
    /// > and missing thought_signature may lead to degraded model performance. Additional data, function call
    /// > `default_api:search` , position 2.
    ///
    /// It happens when a client stores calls without their signatures, when a library moves the signature to
    /// another part, and when the calls were made by another model.
    ///
    /// ## Example
    ///
    /// With `--model gemini-3-pro-preview`:
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Weather?"}]},
    ///  {"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},
    ///  {"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"sunny"}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The call gets the signature `skip_thought_signature_validator`, which Google documents for calls that this
    /// model did not make. Nothing in the file is lost; the model has no thought for the call.
    ///
    /// ## Evidence
    ///
    /// Documented: ai.google.dev/gemini-api/docs/thought-signatures; reported: vercel/ai PR#17620 and PR#17649,
    /// karthink/gptel#1146, BerriAI/litellm#25357. All recorded accepted requests to Gemini 3 have the signatures; 20
    /// to older models do not.
    GEMINI_UNSIGNED_CALL, "gemini-unsigned-call" of "gemini", Check::History(check),
    [
        Variant {
            message: "functionCall⟨ {name}⟩ has no thoughtSignature, which this model requires in the current \
                      turn",
            api: Some("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {arg}."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Documented,
            fix: "add the signature that skips the check",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(sign);

/// The signature of a call without a thought, as Google's page on thought signatures documents it.
const UNSIGNED: &[u8] = br#""skip_thought_signature_validator""#;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::SignedCalls) {
        return;
    }
    let messages = &cx.history.messages;
    let says = |ix: u32| matches!(cx.row(ix).kind, Kind::Text | Kind::Media);
    let begins = |message: &&crate::history::MessageSpan| message.role == Role::User && message.blocks().any(says);
    let current = messages.list.iter().rfind(begins).map_or(0, |message| message.row);
    for step in &messages.steps {
        let first = messages.rows_of(step.model.clone()).find(|ix| cx.row(*ix).kind == Kind::ToolUse);
        let Some(call) = first.filter(|ix| *ix > current) else { continue };
        let row = cx.row(call);
        if !row.has(BlockFlags::SIGNED) && !row.has(Flags::RECORDED) {
            // The API counts contents from one.
            let position = messages.number_of(call).map_or(0, |number| number + 1);
            out.add(Finding::new(RULE.code, *row).arg(position).edit_value(&MEND));
        }
    }
}

fn sign(part: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let snake = part.get(name::function_call).is_some() || part.get(name::thought_signature).is_some();
    let key = if snake { "thought_signature" } else { "thoughtSignature" };
    Ok(put_member(part, key, UNSIGNED, base, out)?)
}
