//! RL206: an item was stored before it was complete.

use crate::dialect::Item;
use crate::history::{Finding, ItemFlags, KindSet};
use crate::rule::{Check, Evidence, FindingSink, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds items whose `status` is `in_progress`, as in the `response.output_item.added` event of a stream.
    ///
    /// ## Why it matters
    ///
    /// The item may be incomplete: arguments are empty, a code interpreter's outputs are missing, an encrypted blob "may
    /// be incomplete" in the words of the schema. The complete item comes with `response.output_item.done` and in the
    /// final response. Some `done` items still say `in_progress`, so this is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"","status":"in_progress"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: the complete item is not in the history.
    ///
    /// ## Evidence
    ///
    /// Documented in the official schema of reasoning items; openai/openai-python#3615 and openai/codex#5546 (clients
    /// that kept the provisional item). For a truncated blob the server says "The encrypted content for item rs_abc
    /// could not be verified. Reason: Encrypted content could not be decrypted or parsed." No other error of the API is
    /// known.
    PROVISIONAL_ITEM, "provisional-item" of "responses" tags [Identity], Check::Item(KindSet::ALL, check),
    [
        Variant {
            message: "{type} {any_id} was stored while in progress and may be incomplete",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "encrypted content of {type} {any_id} is from an item in progress; it may be incomplete \
                      and rejected",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const BLOB: u8 = 1;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    if item.row.has(ItemFlags::IN_PROGRESS) {
        let variant = u8::from(item.row.is_reasoning() && item.row.has(ItemFlags::BLOB)) * BLOB;
        out.add(
            Finding::new(RULE.code, item.row).variant(variant).never("the complete item is not in the history"),
        );
    }
}
