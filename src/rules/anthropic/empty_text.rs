//! RL544: a text or a user message is empty.

use crate::history::{BlockFlags, Finding, Kind, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an empty `text` block, one of only white space, an empty user message, and a message without
    /// `content`. Assistant messages and the content of results may be empty.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages: text content blocks must be non-empty
    ///
    /// > messages: text content blocks must contain non-whitespace text
    ///
    /// > messages.0: user messages must have non-empty content
    ///
    /// It happens when a stream is interrupted before its first word. White space next to other assistant blocks is
    /// accepted, so that is a warning; a message of only white space is an error.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":"hi"},
    ///  {"role":"assistant","content":[{"type":"text","text":""},{"type":"text","text":"Hello"}]},
    ///  {"role":"user","content":"bye"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The block is dropped, and its message with it if that is empty then; nothing is lost. The last user message, or
    /// the only one, is kept: its intended text is not known.
    ///
    /// ## Evidence
    ///
    /// A table of live probes in a published pull request (experientiallabs PR#804), and many reports. Recorded: one
    /// request with an assistant text of only white space was accepted.
    ANTHROPIC_EMPTY_TEXT, "anthropic-empty-text" of "anthropic" tags [Field], Check::History(check),
    [
        Variant {
            message: "the text is empty",
            api: Some("messages: text content blocks must be non-empty"),
            evidence: Evidence::Reported,
            fix: "drop the block",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the text is only white space",
            api: Some("messages: text content blocks must contain non-whitespace text"),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the block",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the user's message is empty",
            api: Some("messages.{message}: user messages must have non-empty content"),
            also: &["messages.{message}: all messages must have non-empty content except for the optional final assistant message"],
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the message has no content",
            evidence: Evidence::Documented,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the message is only white space",
            api: Some("messages: text content blocks must contain non-whitespace text"),
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const BLANK: u8 = 1;
const EMPTY_MESSAGE: u8 = 2;
const NO_CONTENT: u8 = 3;
const BLANK_MESSAGE: u8 = 4;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let users = cx.history.messages.list.iter().filter(|message| message.role == Role::User).count();
    for (number, message) in cx.history.messages.list.iter().enumerate() {
        let row = cx.row(message.row);
        if !matches!(message.role, Role::User | Role::Assistant | Role::System) {
            continue;
        }
        let mut add = |ix: u32, variant: u8, alone: bool| {
            let finding = Finding::new(RULE.code, *cx.row(ix)).variant(variant);
            out.add(match alone && is_needed(cx, number, users) {
                true => finding.never("the request needs this user message, and its text is not known"),
                false => finding.act(RepairAct::Drop),
            });
        };
        if row.has(BlockFlags::NULL) || row.has(BlockFlags::ABSENT) {
            add(message.row, NO_CONTENT, true);
        } else if row.has(BlockFlags::EMPTY) && message.role == Role::User {
            add(message.row, EMPTY_MESSAGE, true);
        } else if row.has(BlockFlags::BLANK) {
            add(message.row, BLANK_MESSAGE, true);
        }
        let says = |ix: u32| !(cx.row(ix).has(BlockFlags::EMPTY) || cx.row(ix).has(BlockFlags::BLANK));
        let alone = !message.blocks().any(says);
        for ix in message.blocks().filter(|ix| cx.row(*ix).kind == Kind::Text) {
            match cx.row(ix) {
                row if row.has(BlockFlags::EMPTY) => add(ix, 0, alone),
                // One of several lines of a response: the response is not blank, and the session continued after it.
                row if row.has(BlockFlags::BLANK) && cx.row(message.row).id != 0 => {}
                row if row.has(BlockFlags::BLANK) => add(ix, if alone { BLANK_MESSAGE } else { BLANK }, alone),
                _ => {}
            }
        }
    }
}

/// True if the conversation has no other user message, or would not end with one without it.
fn is_needed(cx: &RuleContext<'_>, number: usize, users: usize) -> bool {
    let messages = &cx.history.messages.list;
    let is_user = |number: usize| messages.get(number).is_some_and(|message| message.role == Role::User);
    let is_last = number + 1 == messages.len();
    let behind_user = number.checked_sub(1).is_some_and(is_user);
    is_user(number) && (users == 1 || is_last && !behind_user)
}
