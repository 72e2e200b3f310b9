//! RL511: a message part has a type that Chat does not have.

use crate::dialect::Item;
use crate::dialects::media_parts;
use crate::history::{Finding, Flags, Kind, KindSet, RepairAct};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds content parts of another API: `tool_use`, `tool_result`, `thinking`, `input_text` and the like. An
    /// unknown type is a warning.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid value: 'tool_result'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal',
    /// > 'audio', and 'file'.
    ///
    /// It happens when a history of another provider is sent as it is.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A text part of the Responses API gets the type `text`, and nothing is lost. Thinking is dropped: a Chat
    /// message cannot carry it. The meaning of other parts is not guessed.
    ///
    /// ## Evidence
    ///
    /// Reported. Recorded only for servers that know more types: Mistral accepts `document_url` and `thinking`.
    CHAT_PART_TYPE, "chat-part-type" of "chat" tags [Field], Check::Item(PARTS, check),
    [
        Variant {
            message: "part of type {type}, which belongs to another API",
            api: Some("Invalid value: '{type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."),
            also: &[
                "unknown variant `{type}`, expected `text`",
                "unknown variant `{type}`, expected one of `text`",
                "message[{message}].content[{block}] has invalid field(s)",
                "invalid message format",
            ],
            error: ErrorDetails { param: Some("messages[{message}].content[{block}].type"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "text part of type {type}, which belongs to the Responses API",
            api: Some("Invalid value: '{type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."),
            error: ErrorDetails { param: Some("messages[{message}].content[{block}].type"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "change its type to `text`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "part of type {type}, which belongs to another API",
            api: Some("Invalid value: '{type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."),
            error: ErrorDetails { param: Some("messages[{message}].content[{block}].type"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "drop the part",
            ..Variant::BASE
        },
        Variant {
            message: "part of unknown type {type}",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}

const PARTS: KindSet = KindSet::of(&[Kind::Block]);

const TEXT: u8 = 1;
const THINKING: u8 = 2;
const UNKNOWN: u8 = 3;

/// Types of the Anthropic and the Responses API.
const FOREIGN: [&str; 9] = [
    "tool_use",
    "tool_result",
    "image",
    "document",
    "server_tool_use",
    "web_search_tool_result",
    "input_image",
    "input_file",
    "function_call",
];

static TO_TEXT: ValueEdit = ValueEdit::put("type", r#""text""#);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    // A recorded answer may be sent to its server again.
    let Some(kind) = item.val.get(name::r#type).filter(|_| !item.row.has(Flags::RECORDED)) else { return };
    let is = |names: &[&str]| names.iter().any(|name| kind.is(name));
    let finding = Finding::new(RULE.code, item.row);
    if is(&["audio"]) || !kind.is_string() {
    } else if is(&["input_text", "output_text"]) {
        out.add(finding.variant(TEXT).edit_value(&TO_TEXT));
    } else if is(&["thinking", "redacted_thinking"]) {
        out.add(finding.variant(THINKING).act(RepairAct::Drop));
    } else if is(&FOREIGN) {
        out.add(finding.never("a Chat message has no form for its content"));
    } else if kind.text().is_some_and(|kind| media_parts::is_foreign_type(&kind)) {
        // RL701 knows which servers take it.
    } else {
        out.add(finding.variant(UNKNOWN).never("its meaning is not known"));
    }
}
