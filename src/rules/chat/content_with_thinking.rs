//! RL524: a message with calls has content and reasoning, of which the template of gpt-oss renders one.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message with calls, a text and reasoning, in a request to a server that renders it with the chat
    /// template of gpt-oss.
    ///
    /// ## Why it matters
    ///
    /// The template raises an error, which llama.cpp returns with HTTP 500:
    ///
    /// > Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or
    /// > the other, but not both.
    ///
    /// It happens when the conversation began with another model, or with a server that returns both.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-oss-20b","messages":[{"role":"user","content":"Weather?"},
    ///  {"role":"assistant","content":"I will look.","reasoning_content":"A tool is needed.","tool_calls":[
    ///   {"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"}]}
    /// ```
    ///
    /// (with `--target llamacpp`)
    ///
    /// ## Fix
    ///
    /// The text is appended to the reasoning. Nothing is lost: beside calls, the template renders either of them as the
    /// analysis of the model.
    ///
    /// ## Evidence
    ///
    /// Documented: the template of openai/gpt-oss, of which current versions of llama.cpp have their own parser
    /// (llama.cpp#17040). So it depends on the version of the server, hence a warning.
    CHAT_CONTENT_WITH_THINKING, "chat-content-with-thinking" of "chat", Check::History(check),
    [
        Variant {
            message: "assistant message with tool calls has content and reasoning, of which the template of gpt-oss \
                      renders only one",
            api: Some(
                "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis \
                 message in one or the other, but not both.",
            ),
            status: 500,
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "append the content to the reasoning",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(merge);

/// The member with the reasoning of a message, and its text.
fn reasoning(message: Val<'_>) -> Option<(&'static str, String)> {
    let text = |key: &'static str| {
        let text = message.get(key).and_then(|val| val.text()).filter(|text| !text.is_empty())?;
        Some((key, String::from_utf8_lossy(&text).into_owned()))
    };
    ["reasoning_content", "reasoning", "thinking"].into_iter().find_map(text)
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::HarmonyTemplate) {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        let calls = || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse);
        if !row.has(BlockFlags::CALLS_APART) || row.has(Flags::RECORDED) || !calls() {
            continue;
        }
        let (mut has_both, mut is_text) = (false, false);
        cx.text.with_item(&row, &mut |val| {
            let content = val.get(name::content).filter(|content| content.count() > 0 || is_visible(*content));
            is_text = content.is_some_and(|content| content.is_string());
            has_both = content.is_some() && reasoning(val).is_some();
        });
        if has_both {
            let finding = Finding::new(RULE.code, row);
            out.add(match is_text {
                true => finding.edit_value(&MEND),
                false => finding.never("the content is a list"),
            });
        }
    }
}

fn is_visible(content: Val<'_>) -> bool {
    content.text().is_some_and(|text| !text.is_empty())
}

/// Appends the content to the reasoning.
fn merge(message: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let content = message.get(name::content).and_then(|content| content.text());
    let content = content.ok_or(EditRefusal("the content is a list"))?;
    let (key, thought) = reasoning(message).ok_or(EditRefusal("the reasoning is no text"))?;
    let merged = format!("{thought}\n\n{}", String::from_utf8_lossy(&content));
    put_member(message, key, &string::quoted(&merged), base, out)?;
    Ok(put_member(message, "content", b"\"\"", base, out)?)
}
