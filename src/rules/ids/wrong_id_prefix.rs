//! RL302: an id does not begin with the prefix of its kind.

use crate::dialect::Item;
use crate::history::{Finding, KindSet, STRIP_ID};
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds ids that the server did not create for this kind of item: a `call_…` or `toolu_…` as the id of a
    /// function call, an `fc_…` on a custom tool call, a random UUID; and ids that are empty or have characters
    /// other than letters, digits, underscores and dashes. A `call_id` may have any form.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[2].id': 'call_abc'. Expected an ID that begins with 'fc'.
    ///
    /// and, for an empty or odd one, "Expected an ID that contains letters, numbers, underscores, or dashes, but this
    /// value contained additional characters." It happens when a history comes from another provider or client.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","id":"toolu_01","call_id":"toolu_01","name":"f","arguments":"{}"}
    /// ```
    ///
    /// ## Fix
    ///
    /// The id is removed. The server never knew it, so nothing is lost. The other ids of its group are removed, too, if
    /// its item is the one that followed the reasoning. New ids are never invented.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/codex#33176, mastra-ai/mastra#10815, nodetool#4252, Wei-Shaw/sub2api#3785, langchainjs#11044.
    /// The prefixes are those named in the server's own errors, or recorded ones. xAI and DeepSeek do not check them.
    WRONG_ID_PREFIX, "wrong-id-prefix" of "responses" tags [Identity], Check::Item(KindSet::ALL, check),
    [
        Variant {
            message: "the id of {type} {id} does not begin with '{prefix}'",
            api: Some("Invalid 'input[{index}].id': '{id}'. Expected an ID that begins with '{prefix}'."),
            error: INVALID_ID,
            evidence: Evidence::Reported,
            fix: "remove the id, and the ids of its group",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the id of {type} is empty or has characters that are not allowed",
            api: Some(
                "Invalid 'input[{index}].id': '{id}'. Expected an ID that contains letters, numbers, underscores, or \
                 dashes, but this value contained additional characters.",
            ),
            error: INVALID_ID,
            evidence: Evidence::Reported,
            fix: "remove the id, and the ids of its group",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const INVALID_ID: ErrorDetails =
    ErrorDetails { param: Some("input[{index}].id"), code: Some("invalid_value"), ..ErrorDetails::HISTORY };

const ODD: u8 = 1;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let Some(id) = item.id else { return };
    let text = id.decode();
    let finding = Finding::new(RULE.code, item.row).remedy(STRIP_ID);
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if text.is_empty() || !text.iter().all(is_plain) {
        out.add(finding.variant(ODD));
    } else if !text.starts_with(item.row.kind.info().prefix.as_bytes()) {
        out.add(finding);
    }
}
