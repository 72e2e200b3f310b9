//! RL420: an item that was never completed is replayed.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{Levels, Severity};

crate::rule! {
    /// ## What it does
    ///
    /// Finds generated images whose `status` is not `completed`, and custom tool calls and computer outputs that
    /// failed or were interrupted. Items stored while in progress are RL206; an image without a result is RL303.
    ///
    /// ## Why it matters
    ///
    /// The server keeps only completed items. Where it stores nothing, an incomplete image is rejected with HTTP 404:
    ///
    /// > Item with id 'ig_abc' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"image_generation_call","id":"ig_1","status":"failed","result":"aGk="}
    /// ```
    ///
    /// ## Fix
    ///
    /// Where the server stores nothing, the image is dropped and its group loses its ids. Otherwise none by
    /// default.
    ///
    /// ## Evidence
    ///
    /// Reported for images: oh-my-pi#3226. The rest are the items that openai-node's helper for input items omits.
    UNFINISHED_ITEM, "unfinished-item" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {id} was not completed",
            api: Some(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` \
                 set to true, or remove this item from your input.",
            ),
            status: 404,
            levels: Levels { stored: Some(Severity::Warning), stateless: Some(Severity::Error) },
            evidence: Evidence::Reported,
            fix: "drop the image, which cannot be replayed",
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} failed and may be rejected",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} was not completed and may be rejected",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}
