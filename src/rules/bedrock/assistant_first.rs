//! RL587: the first message is not from the user.

use crate::history::{BlockFlags, Finding, Flags, Kind, MessageSpan, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a history that begins with assistant messages.
    ///
    /// ## Why it matters
    ///
    /// The API was reported to reject such requests with HTTP 400:
    ///
    /// > A conversation must start with a user message. Try again with a conversation that starts with a user message.
    ///
    /// One such request to Claude was recorded as accepted, so it is a warning; for Nova it is an error. It happens
    /// when a history is cut from the front.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"assistant","content":[{"text":"How can I help?"}]},
    ///  {"role":"user","content":[{"text":"Hello"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The messages are dropped, with the results of their calls; where it is a warning, this requires
    /// `--fix-warnings`. A history without a user message is not changed.
    ///
    /// ## Evidence
    ///
    /// Reported for Nova and for token counting; one recorded accepted request begins with the assistant.
    BEDROCK_ASSISTANT_FIRST, "bedrock-assistant-first" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the conversation starts with an assistant message",
            api: Some("A conversation must start with a user message. Try again with a conversation that starts with a user message."),
            error: ErrorDetails::AWS,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the message",
            ..Variant::BASE
        },
        Variant {
            message: "the conversation starts with an assistant message, which Nova rejects",
            api: Some("A conversation must start with a user message. Try again with a conversation that starts with a user message."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the message",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages.list;
    if !messages.first().is_some_and(|message| message.role == Role::Assistant) {
        return;
    }
    let says = |message: &MessageSpan| {
        let words = message.blocks().any(|ix| cx.row(ix).kind != Kind::ToolResult);
        message.role == Role::User && (words || cx.row(message.row).has(BlockFlags::CONTENT))
    };
    let begin = messages.iter().position(says);
    let leading = messages.iter().take(begin.unwrap_or(1)).filter(|message| message.role == Role::Assistant);
    for row in leading.map(|message| cx.row(message.row)).filter(|row| !row.has(Flags::RECORDED)) {
        let finding = Finding::new(RULE.code, *row).variant(u8::from(cx.has(Trait::UserFirst)));
        out.add(match begin {
            Some(_) => finding.act(RepairAct::Drop),
            None => finding.never("the history has no user message"),
        });
    }
}
