//! RL515: a message carries what the model thought where the server refuses that.

use crate::history::{Finding, Flags};
use crate::json::mend::Mend;
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds `reasoning_content` in messages for servers that reject the field.
    ///
    /// ## Why it matters
    ///
    /// Groq and Cerebras reject the request with HTTP 400:
    ///
    /// > 'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property
    /// > 'reasoning_content' is unsupported)]
    ///
    /// > messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported
    ///
    /// It happens when a conversation began with DeepSeek, Kimi or another server that hands the field out.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"llama-3.3-70b-versatile","messages":[
    ///  {"role":"assistant","content":"Hello","reasoning_content":"They greet me."},
    ///  {"role":"user","content":"Bye"}]}
    /// ```
    ///
    /// (with `--target groq`)
    ///
    /// ## Fix
    ///
    /// Cerebras has the same field as `reasoning`: there it is renamed, and nothing is lost. For Groq it is
    /// removed.
    ///
    /// ## Evidence
    ///
    /// Reported: kilocode#10375, qwen-code#11045, opencode#48774, hermes#34716, jan#8136. A recorded request to
    /// Cerebras with `reasoning` was accepted.
    515, "chat-refused-reasoning" of "chat", Check::History(check),
    [
        Variant {
            message: "the server rejects `reasoning_content`",
            also: &[
                "'messages.{message}' : for 'role: {role}' the following must be satisfied[('messages.{partner_message}' : property 'reasoning_content' is unsupported",
                "Extra inputs are not permitted, field: 'messages[{message}].reasoning'",
                "Extra inputs are not permitted, field: 'messages[{message}].reasoning_content'",
            ],
            evidence: Evidence::Reported,
            fix: "remove the field",
            ..Variant::BASE
        },
        Variant {
            message: "the server rejects `reasoning_content`; its name there is `reasoning`",
            evidence: Evidence::Reported,
            fix: "rename the field to `reasoning`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const OTHER_NAME: u8 = 1;

static RENAME: Mend = Mend::rename("reasoning_content", "reasoning");
static STRIP: Mend = Mend::strip(&["reasoning_content"]);

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.has(Trait::RefusesReasoning) {
        return;
    }
    for row in cx.history.turns.turns.iter().map(|turn| *cx.row(turn.row)) {
        if !row.has(Flags::REASONED) {
            continue;
        }
        let mut taken = true;
        cx.look.look(&row, &mut |message| taken = message.get("reasoning").is_some());
        let finding = Finding::new(RULE.code, row);
        out.add(match cx.has(Trait::NamesItReasoning) && !taken {
            true => finding.variant(OTHER_NAME).mend(&RENAME),
            false => finding.mend(&STRIP),
        });
    }
}
