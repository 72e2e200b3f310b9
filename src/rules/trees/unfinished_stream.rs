//! RL605: a recorded stream has no last event.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a recorded stream that ends without `response.completed`, `response.incomplete` or `response.failed`; a
    /// stream of Chat Completions in which a choice has no `finish_reason`; an Anthropic stream without `stop_reason`
    /// and `message_stop`.
    ///
    /// ## Why it matters
    ///
    /// Anything unfinished when the stream broke off is not in the history, only items that came with
    /// `response.output_item.done`. An item that only `response.output_item.added` announced is provisional: its
    /// arguments and outputs are empty, and its encrypted content may differ from the final one. If a message comes in
    /// deltas, its text so far is in the history, but not an unfinished tool call or thinking block.
    ///
    /// ## Example
    ///
    /// ```text
    /// data: {"type":"response.created","response":{"object":"response","id":"resp_1","output":[]}}
    /// data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the rest is not in the file.
    ///
    /// ## Evidence
    ///
    /// Measured: 304 of 306 recorded streams end in one of these events, the other two belong to another API. All 52
    /// recorded streams of Chat Completions and all 39 of Anthropic's end as described.
    UNFINISHED_STREAM, "unfinished-stream", Check::External,
    [
        Variant {
            message: "the stream ends before the response is complete; only finished items are in the history",
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the stream ends before the message is complete; its text so far is in the history, an unfinished \
                      tool call or thinking block is not",
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}
