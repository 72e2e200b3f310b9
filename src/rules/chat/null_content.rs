//! RL507: the content of a message is null or missing.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role, Row};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a user, system, developer or tool message whose `content` is null, and such an assistant message
    /// without calls. Missing content is a warning.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid value for 'content': expected a string, got null.
    ///
    /// Null is allowed only together with `tool_calls`. It happens when a tool returned nothing, or when a stream broke
    /// off before the first text.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":null}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Null becomes an empty string: `""`. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: docker/docker-agent#63, langchain-ai/langchainjs#4153, run-llama/llama_index#17555. No recorded
    /// accepted request has such a message.
    CHAT_NULL_CONTENT, "chat-null-content" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "the content of a {role} message is null",
            api: Some("Invalid value for 'content': expected a string, got null."),
            error: ErrorDetails { param: Some("messages.[{message}].content"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "set the content to an empty string",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{role} message has no content",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "set the content to an empty string",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const ABSENT: u8 = 1;

static MEND: ValueEdit = ValueEdit::put("content", r#""""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    // A recorded answer may be sent to its server again.
    let said = |row: &Row| row.has(Flags::RECORDED);
    for message in messages.list.iter().filter(|message| !said(cx.row(message.row))) {
        let row = *cx.row(message.row);
        let excused = match row.role {
            Role::User | Role::System | Role::Developer | Role::Tool => false,
            Role::Assistant => {
                row.has(BlockFlags::CONTENT) || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse)
            }
            Role::Other | Role::None => true,
        };
        let finding = Finding::new(RULE.code, row).edit_value(&MEND);
        if row.has(BlockFlags::NULL) && !excused {
            out.add(finding);
        } else if row.has(BlockFlags::ABSENT) && !excused && row.role != Role::Assistant {
            out.add(finding.variant(ABSENT));
        }
    }
}
