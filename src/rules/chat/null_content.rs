//! RL507: the content of a message is null or missing, or a list where only text is accepted.

use crate::history::{BlockFlags, Finding, Flags, Kind, MessageSpan, Role, Row};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a user, system, developer or tool message whose `content` is null, and such an assistant message
    /// without calls. Missing content is a warning. For servers that accept lists of parts only in user messages
    /// (NVIDIA NIM, some routes of GitHub Copilot), also finds a list in an assistant or tool message; with `--proven RL507`
    /// a list of texts in any message.
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
    /// llama.cpp accepts null, but not a missing member:
    ///
    /// > All non-assistant messages must contain 'content'
    ///
    /// SGLang accepts null only in assistant messages:
    ///
    /// > ChatCompletionMessageGenericParam.content.str Input should be a valid string
    ///
    /// NVIDIA NIM says of lists
    ///
    /// > Message content as a list is only supported for user messages.
    ///
    /// and vLLM with a gpt-oss model, and the `/api/chat` of Ollama, of a list in any message
    ///
    /// > 1 validation error for Message content.0 Input should be a valid dictionary or instance of Content
    ///
    /// > json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string
    ///
    /// A client that writes every content as a list of parts sends such messages after each tool call.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":null}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Null becomes an empty string: `""`. A list of texts becomes one text, with a line break between them. Nothing
    /// is lost. A list with an image is not changed: a text cannot carry it.
    ///
    /// ## Evidence
    ///
    /// Reported: docker/docker-agent#63, langchain-ai/langchainjs#4153, run-llama/llama_index#17555. llama.cpp: its
    /// source, `oaicompat_chat_params_parse`. SGLang: sgl-project/sglang#4236. Lists: earendil-works/pi PR#1574,
    /// hermes-agent#111231, ninfer#56, 0xPlaygrounds/rig#1362 (vLLM), BerriAI/litellm#11273 (Ollama), all of them
    /// reports.
    CHAT_NULL_CONTENT, "chat-null-content" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "the content of the {role} message is null",
            api: Some("Invalid value for 'content': expected a string, got null."),
            also: &["System prompt must have content"],
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
        Variant {
            message: "the content of the {role} message is a list; this server accepts lists only from the user",
            also: &[
                "Message content as a list is only supported for user messages.",
                "data did not match any variant of untagged enum ChatCompletionRequestToolMessageContent",
            ],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "join the texts of the list",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the content of the {role} message is a list; this server accepts only a text",
            also: &[
                "validation error for Message content.0 Input should be a valid dictionary or instance of Content",
            ],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "join the texts of the list",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const ABSENT: u8 = 1;
const LIST: u8 = 2;
const ANY_LIST: u8 = 3;

static MEND: ValueEdit = ValueEdit::put("content", r#""""#);
static JOIN: ValueEdit = ValueEdit::by(join);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    // A recorded answer may be sent to its server again.
    let said = |row: &Row| row.has(Flags::RECORDED);
    for message in messages.list.iter().filter(|message| !said(cx.row(message.row))) {
        let row = *cx.row(message.row);
        if matches!(row.role, Role::Assistant | Role::Tool)
            && cx.has(Trait::TextOutsideUser)
            && has_list(cx, message)
        {
            out.add(list_finding(cx, row));
        } else if cx.has(Trait::TextOnly) && has_list(cx, message) && has_texts_only(cx, &row) {
            out.add(Finding::new(RULE.code, row).variant(ANY_LIST).edit_value(&JOIN));
        }
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

/// True if the content of a message is a list with elements.
fn has_list(cx: &RuleContext<'_>, message: &MessageSpan) -> bool {
    let row = cx.row(message.row);
    let simple = [BlockFlags::CONTENT, BlockFlags::EMPTY, BlockFlags::NULL, BlockFlags::ABSENT];
    !simple.iter().any(|flag| row.has(*flag))
}

fn has_texts_only(cx: &RuleContext<'_>, row: &Row) -> bool {
    let mut is_text = false;
    cx.text.with_item(row, &mut |message| is_text = texts(message).is_some());
    is_text
}

fn list_finding(cx: &RuleContext<'_>, row: Row) -> Finding {
    let finding = Finding::new(RULE.code, row).variant(LIST);
    match has_texts_only(cx, &row) {
        true => finding.edit_value(&JOIN),
        false => finding.never("not all parts of the list are texts"),
    }
}

/// The texts of a message whose content is a list of nothing else.
fn texts(message: Val<'_>) -> Option<Vec<String>> {
    let text = |part: Val<'_>| {
        let text = part.get(name::text).filter(|_| part.get(name::r#type).is_some_and(|kind| kind.is("text")));
        text.and_then(|text| text.text()).map(|text| String::from_utf8_lossy(&text).into_owned())
    };
    message.get(name::content).filter(Val::is_array)?.elements().map(text).collect()
}

/// Replaces a list of texts with one text.
fn join(message: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let texts = texts(message).ok_or(EditRefusal("not all parts of the list are texts"))?;
    Ok(put_member(message, "content", &string::quoted(&texts.join("\n")), base, out)?)
}
