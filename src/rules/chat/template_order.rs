//! RL522: messages are in an order that chat templates reject.

use crate::history::{Finding, Flags, MessageSpan, RepairAct, Role, Usage};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// For servers that put the messages into the model's own chat template (vLLM, llama.cpp, SGLang and other users of
    /// the templates on Hugging Face), finds lists of messages that common templates reject: a system message after the
    /// first message, no user message, two user or two assistant messages in a row, and two assistant messages at
    /// the end. DashScope (Qwen) requires a user message, too.
    ///
    /// ## Why it matters
    ///
    /// The template raises an error in its own words, and the server answers HTTP 400 or 500:
    ///
    /// > System message must be at the beginning.
    ///
    /// > No user query found in messages.
    ///
    /// > Conversation roles must alternate user/assistant/user/assistant/...
    ///
    /// > Cannot have 2 or more assistant messages at the end of the list.
    ///
    /// DashScope says
    ///
    /// > The input messages do not contain elements with the role of user
    ///
    /// It happens when a history that OpenAI or Anthropic accepted is sent to a local model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"qwen3.5-35b-a3b","messages":[
    ///  {"role":"system","content":"Be brief"},{"role":"user","content":"Hi"},
    ///  {"role":"system","content":"Answer in French"},{"role":"user","content":"Well?"}]}
    /// ```
    ///
    /// (with `--target chat-template`)
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings`, or `--proven RL522` if the server gave the error: a later system message becomes a user
    /// message, and between two user messages an assistant message is inserted that only says that none was recorded.
    /// The texts stay. Two assistant messages in a row are not changed: merging them changes what the model sees. A
    /// missing user message cannot be invented.
    ///
    /// ## Evidence
    ///
    /// Reported: anomalyco/opencode#17638 (system), diegosouzapw/OmniRoute#4982 and agentscope-java#613 (no user),
    /// run-llama/llama_index#11731 and eclipse-theia/theia#17104 (alternation), co-l/openfox#367 (two at the end). The
    /// template decides, so each is a warning: llama.cpp accepted consecutive user messages in six recorded requests,
    /// and OpenAI 19 lists without a user message. On other targets the rule is off.
    CHAT_TEMPLATE_ORDER, "chat-template-order" of "chat", Check::History(check),
    [
        Variant {
            message: "system message after the first message, which many chat templates reject",
            api: Some("System message must be at the beginning."),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "make it a user message",
            ..Variant::BASE
        },
        Variant {
            message: "no user message, which many chat templates require",
            api: Some("No user query found in messages."),
            also: &["The input messages do not contain elements with the role of user"],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{role} message directly after a {partner_role} message, which many chat templates reject",
            related: "the previous message",
            api: Some("Conversation roles must alternate user/assistant/user/assistant/..."),
            also: &[
                "After the optional system message, conversation roles must alternate user and assistant roles except \
                 for tool calls and results.",
            ],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "insert an assistant message between them",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "two assistant messages at the end",
            related: "the previous message",
            api: Some("Cannot have 2 or more assistant messages at the end of the list."),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const NO_USER: u8 = 1;
const NOT_ALTERNATING: u8 = 2;
const TWO_LAST: u8 = 3;

/// Why two messages of the assistant stay.
const MERGES: &str = "merging the two messages would change what the model sees";

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let turns = &cx.history.messages.list;
    let row = |turn: &MessageSpan| *cx.row(turn.row);
    let Some(first) = turns.first() else { return };
    let wants_user = cx.has(Trait::ChatTemplate) || cx.has(Trait::WantsUser);
    let is_request = cx.history.settings.usage == Usage::Request;
    if wants_user && is_request && !turns.iter().any(|turn| turn.role == Role::User) {
        out.add(
            Finding::new(RULE.code, row(first)).variant(NO_USER).never("the user's message is not in the file"),
        );
    }
    if !cx.has(Trait::ChatTemplate) {
        return;
    }
    for (number, pair) in turns.windows(2).enumerate() {
        let [before, turn] = pair else { continue };
        let finding = Finding::new(RULE.code, row(turn));
        let is_last = number + 2 == turns.len();
        match (before.role, turn.role) {
            (Role::System | Role::Developer, Role::System | Role::Developer)
                if leads_with_instructions(turns, number) => {}
            (_, Role::System | Role::Developer) => out.add(finding.edit_value(&TO_USER)),
            (Role::Assistant, Role::Assistant) if is_last && !row(turn).has(Flags::RECORDED) => {
                out.add(finding.variant(TWO_LAST).with_partner(row(before).at).never(MERGES));
            }
            (Role::User, Role::User) => {
                out.add(finding.variant(NOT_ALTERNATING).with_partner(row(before).at).act(RepairAct::Bridge));
            }
            (Role::Assistant, Role::Assistant) => {
                out.add(finding.variant(NOT_ALTERNATING).with_partner(row(before).at).never(MERGES));
            }
            _ => {}
        }
    }
}

/// True if there are only instructions before the next message: templates join them.
fn leads_with_instructions(turns: &[MessageSpan], until: usize) -> bool {
    turns.iter().take(until + 1).all(|turn| matches!(turn.role, Role::System | Role::Developer))
}
