//! RL546: a request ends with an assistant message that the model does not continue.

use crate::history::{BlockFlags, Finding, Kind, RepairAct, Usage};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message at the end of a request if the model rejects prefill, if it ends with thinking, or if
    /// its text ends with white space. A turn with server-side tools is skipped: the API pauses such turns, and accepts
    /// them as they are. A log may end with the assistant, and so may a session that is checked with `--as request`:
    /// the user's next message follows. On Bedrock and Copilot only the first of these is checked.
    ///
    /// ## Why it matters
    ///
    /// Claude 4.6 and later reject the request with HTTP 400:
    ///
    /// > This model does not support assistant message prefill. The conversation must end with a user message.
    ///
    /// Two forms are rejected although the model supports prefill:
    ///
    /// > messages.1: The final block in an assistant message cannot be `thinking`.
    ///
    /// > final assistant content cannot end with trailing whitespace
    ///
    /// Thinking comes last when the model has thought but said nothing.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-4-6","messages":[
    ///  {"role":"user","content":"Answer in JSON"},
    ///  {"role":"assistant","content":"{"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Thinking at the end, white space and an empty message are removed. A message with a text is dropped only with
    /// `--fix-warnings`: usually the next user message is missing.
    ///
    /// ## Evidence
    ///
    /// Reported: anomalyco/opencode#29760 (Bedrock, Claude Opus 4.6), #13768 (GitHub Copilot, Claude Opus 4.6),
    /// agenticloops-ai/agentic-ai-engineering#43 and many more; Claude Fable 5: vybestack/llxprt-code#3695. Recorded: a
    /// rejection by Claude Sonnet 5 of July 2026. Models up to Claude 4.5, and Nova 2 Lite on Bedrock, accepted a
    /// prefill in recorded requests.
    ///
    /// Thinking at the end: tailcallhq/forgecode#2107 (December 2025), NousResearch/hermes-agent#13010,
    /// router-for-me/CLIProxyAPI#5322 (measured: Claude Haiku 4.5, Opus 5). White space, up to Claude 4.5: Anthropic's
    /// page on prefill.
    ANTHROPIC_PREFILL, "anthropic-prefill" tags [EndOfRequest], Check::History(check),
    [
        Variant {
            message: "the request ends with an assistant message, and this model does not support prefill",
            api: Some(
                "This model does not support assistant message prefill. The conversation must end with a user message.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the message",
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
        Variant {
            message: "the request ends with {type}",
            api: Some("messages.{message}: The final block in an assistant message cannot be `thinking`."),
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "the final assistant text ends with white space",
            api: Some("final assistant content cannot end with trailing whitespace"),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the white space",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "the request ends with an empty assistant message, and this model does not support prefill",
            api: Some(
                "This model does not support assistant message prefill. The conversation must end with a user message.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the empty message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const THINKING_LAST: u8 = 1;
const WHITE_SPACE: u8 = 2;
const EMPTY: u8 = 3;

static TRIM: ValueEdit = ValueEdit::by(trim);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_strict = cx.has(Trait::ChecksLastText);
    if !is_strict && !cx.has(Trait::RefusesPrefill) {
        return;
    }
    let messages = &cx.history.messages;
    // The API merges the assistant messages at the end.
    let Some(step) = messages.steps.last().filter(|step| step.model.end as usize == messages.list.len()) else {
        return;
    };
    if cx.history.settings.usage != Usage::Request {
        return;
    }
    let finding = |ix: u32, variant: u8| Finding::new(RULE.code, *cx.row(ix)).variant(variant);
    let blocks: Vec<u32> = messages.rows_of(step.model.clone()).collect();
    let thinking = blocks.iter().rev().take_while(|ix| cx.row(**ix).kind == Kind::Thinking);
    for ix in thinking.clone().filter(|_| is_strict) {
        out.add(finding(*ix, THINKING_LAST).act(RepairAct::Drop));
    }
    // A call at the end waits for its result (RL530); server-side tools pause a turn.
    let waits = |ix: &u32| matches!(cx.row(*ix).kind, Kind::ToolUse | Kind::ServerUse | Kind::ServerResult);
    // Without its thinking, a message with a text is a prefill.
    let is_thinking_only = thinking.clone().count() == blocks.len();
    let ends_with_thinking = thinking.count() > 0 && (is_thinking_only || !cx.has(Trait::RefusesPrefill));
    if ends_with_thinking || blocks.iter().any(waits) {
        return;
    }
    if cx.has(Trait::RefusesPrefill) {
        let is_empty = |row: u32| {
            let flags = [BlockFlags::EMPTY, BlockFlags::NULL, BlockFlags::ABSENT];
            flags.iter().any(|flag| cx.row(row).has(*flag))
        };
        let rows = || step.model.clone().map(|number| messages.get(number).row);
        let variant = if rows().all(is_empty) { EMPTY } else { 0 };
        for row in rows() {
            out.add(finding(row, variant).act(RepairAct::Drop));
        }
        return;
    }
    let last = messages.get(step.model.end - 1);
    let text = last.blocks().next_back().unwrap_or(last.row);
    let mut spaced = false;
    cx.text.with_item(cx.row(text), &mut |val| {
        let text = val.get(name::text).or_else(|| val.get(name::content)).and_then(|text| text.text());
        let text = text.map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
        spaced = !text.trim().is_empty() && text.trim_end() != text;
    });
    if spaced {
        out.add(finding(text, WHITE_SPACE).edit_value(&TRIM));
    }
}

/// Removes white space from the end of a text.
fn trim(item: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    // The text of a block, or the content of a message.
    let key = if item.get(name::text).is_some() { "text" } else { "content" };
    let text = item.get(key).and_then(|text| text.text()).ok_or(EditRefusal("the item has no text"))?;
    let text = String::from_utf8_lossy(&text).trim_end().to_owned();
    Ok(put_member(item, key, &string::quoted(&text), base, out)?)
}
