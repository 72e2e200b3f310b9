//! RL304: a client's call is referenced, and its output cannot find it.

use crate::history::{Act, Code, Finding, NONE};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds references to calls that the client answers (`fc_…`, `ctc_…` and the like). It stands for the output behind
    /// the reference, too: RL102 is not raised on that.
    ///
    /// ## Why it matters
    ///
    /// An output names its call by `call_id`, which a reference does not show. The server refuses the output with
    /// HTTP 400:
    ///
    /// > No tool call found for function call output with call_id call_abc.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"item_reference","id":"fc_1"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// If the full call stands elsewhere in the file, it is copied into the reference's place. Else the reference and its
    /// output are dropped.
    ///
    /// ## Evidence
    ///
    /// Documented in vercel/ai (`convert-to-openai-responses-input.ts`: plain client-executed function calls must not be
    /// item references) and reported as vercel/ai#10829.
    304, "referenced-call", Check::History(check),
    [
        Variant {
            message: "the call {id} is only referenced: its output cannot be paired with it",
            related: "the output",
            api: Some("No tool call found for {partner_noun} with call_id {partner_call_id}."),
            levels: Levels::STORED_ERROR,
            evidence: Evidence::Reported,
            fix: "drop the reference and its output",
            ..Variant::BASE
        },
        Variant {
            message: "the call {id} is only referenced: its output cannot be paired with it; the file holds the call itself",
            related: "the output",
            api: Some("No tool call found for {partner_noun} with call_id {partner_call_id}."),
            levels: Levels::STORED_ERROR,
            evidence: Evidence::Reported,
            fix: "put the full call in its reference's place",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    for claim in &cx.history.shapes.claims {
        let output = (claim.output != NONE).then(|| cx.row(claim.output).at);
        let row = *cx.row(claim.reference);
        let known = u8::from(cx.known.can_copy(row.id));
        out.add(Finding::new(Code(304), row).variant(known).with(output).act(Act::Inline));
    }
}
