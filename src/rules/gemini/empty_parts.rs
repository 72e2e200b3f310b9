//! RL566: a content has no parts.

use crate::history::{Finding, Flags, Kind, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a content whose `parts` are missing or empty.
    ///
    /// ## Why it matters
    ///
    /// The API was reported to reject such requests with HTTP 400:
    ///
    /// > * GenerateContentRequest.contents[3].parts: contents.parts must not be empty.
    ///
    /// and Vertex AI:
    ///
    /// > Unable to submit request because it must include at least one parts field, which describes the prompt input.
    ///
    /// One recorded request with such a content was accepted, so it is a warning. Gemini itself produces them: an
    /// answer that contains only thoughts is stored without parts.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Hello"}]},
    ///  {"role":"model","parts":[]},
    ///  {"role":"user","parts":[{"text":"Are you there?"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the content is dropped. The only content of a history is kept.
    ///
    /// ## Evidence
    ///
    /// Reported in many places; one recorded accepted request has a content without parts.
    GEMINI_EMPTY_PARTS, "gemini-empty-parts" of "gemini" tags [Field], Check::History(check),
    [
        Variant {
            message: "the content has no parts",
            api: Some("* GenerateContentRequest.contents[{message}].parts: contents.parts must not be empty."),
            also: &[
                "Unable to submit request because it must include at least one parts field",
                "Model input cannot be empty.",
                "Each Content should have at least one part",
            ],
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the content",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the part is empty",
            api: Some("* GenerateContentRequest.contents[{message}].parts[{block}].data: required oneof field 'data' must have one initialized field"),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "drop the part",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const PART: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let parts = cx.history.rows.iter().filter(|row| row.kind != Kind::BlockMessage).count();
    // Only the text of a part shows whether it is empty.
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::Block && !row.has(Flags::RECORDED)) {
        let mut empty = false;
        cx.text.with_item(row, &mut |part| empty = part.is_object() && part.count() == 0);
        if empty {
            let finding = Finding::new(RULE.code, *row).variant(PART);
            out.add(match parts {
                1 => finding.never("the history would be empty without it"),
                _ => finding.act(RepairAct::Drop),
            });
        }
    }
    cx.report_empty_messages(RULE.code, out);
}
