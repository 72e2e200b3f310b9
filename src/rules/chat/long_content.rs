//! RL520: a text is longer than the API accepts.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message whose `content` is a text of more than 10,485,760 characters.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a
    /// > string with length 11818940
    ///
    /// It happens when a tool returns a whole file, or an image is put into the text.
    ///
    /// ## Example
    ///
    /// A tool message with a log of 12 MB in its `content`.
    ///
    /// ## Fix
    ///
    /// None: what to cut is your decision.
    ///
    /// ## Evidence
    ///
    /// Reported, in September 2026.
    CHAT_LONG_CONTENT, "chat-long-content" of "chat" tags [Field], Check::Item(MESSAGES, check),
    [
        Variant {
            message: "the content has {length} characters; at most 10,485,760 are allowed",
            api: Some("Invalid 'messages[{message}].content': string too long. Expected a string with maximum length 10485760, but got a string with length {length}"),
            error: ErrorDetails {
                param: Some("messages[{message}].content"),
                code: Some("string_above_max_length"),
                ..ErrorDetails::HISTORY
            },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const MESSAGES: KindSet = KindSet::of(&[Kind::BlockMessage, Kind::ToolResult]);

const LIMIT: usize = 10_485_760;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    // The size in bytes decides for most texts.
    if (item.row.at.len as usize) <= LIMIT {
        return;
    }
    let text = item.val.get(name::content).and_then(|content| content.as_str());
    let length = text.map_or(0, |text| text.characters());
    if length > LIMIT {
        out.add(Finding::new(RULE.code, item.row).arg(length as u32).never("what to cut is your decision"));
    }
}
