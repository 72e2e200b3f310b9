//! RL519: a message of the assistant says nothing.

use crate::history::{Act, Finding, Flags, Kind, Role, Turn};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message without text and without calls.
    ///
    /// ## Why it matters
    ///
    /// OpenAI takes it. Moonshot and Cloudflare reject it; xAI says
    ///
    /// > Each message must have at least one content element
    ///
    /// and Ollama
    ///
    /// > invalid message content type: <nil>
    ///
    /// It happens when a run is stopped before the model has said anything.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"user","content":"Hi"},{"role":"assistant","content":""},{"role":"user","content":"Are you there?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the message is dropped. It has no content, so nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#34140, inspect_ai's changelog, pi-mono#165. Four recorded requests with
    /// such a message were accepted.
    519, "chat-empty-assistant" of "chat" about [Field], Check::History(check),
    [
        Variant {
            message: "assistant message without content or tool calls",
            also: &[
                "invalid message content type: <nil>",
                "the message at position {arg} with role '{role}' must not be empty",
            ],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    for turn in cx.history.turns.turns.iter().filter(|turn| turn.role == Role::Assistant) {
        let row = *cx.row(turn.row);
        // What a server has said so may be sent to it again; null is RL507's matter.
        if says_nothing(cx, turn) && !row.has(Flags::RECORDED) && !row.has(Flags::NULL) {
            out.add(Finding::new(RULE.code, row).act(Act::Drop));
        }
    }
}

fn says_nothing(cx: &Cx<'_>, turn: &Turn) -> bool {
    let row = cx.row(turn.row);
    let empty = |ix: u32| cx.row(ix).kind == Kind::Text && cx.row(ix).has(Flags::EMPTY);
    !row.has(Flags::CONTENT) && !row.has(Flags::BLANK) && !row.has(Flags::REASONED) && turn.blocks().all(empty)
}
