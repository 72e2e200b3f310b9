//! RL202: reasoning lost the item that follows it.

use crate::history::{DETACH, Finding, Group, ItemFlags, Remedy, RepairAct, UNREADABLE, Usage};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning with its server id, in full or as a reference, without the item that it belongs to: the history
    /// ends there, a user message follows, or the next item has no id (it was edited, or its id was removed). The last
    /// case is a warning. Reasoning without an id is never reported.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Item 'rs_abc' of type 'reasoning' was provided without its required following item.
    ///
    /// It happens when an interrupted turn leaves only its reasoning, or the item after it is lost. Without storage 15
    /// such requests were accepted, so there it is only a note (Azure always rejects it). At the end of a log it is a
    /// note, too: the item may still come.
    ///
    /// Whether the server objects to an item without an id in that position is uncertain. One recorded history was
    /// rejected: there the message after the reasoning was edited and has no id. But AG2 stores no ids of messages and
    /// calls, and sends reasoning with its id before them each turn, as in 7 of 25 of its real logs. So that is a
    /// warning, and nothing is changed by default. If the server has rejected the request with the sentence above,
    /// `--proven RL202` makes it an error, which `fix` repairs.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
    ///  {"role":"user","content":"Go on"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The ids of the whole group are removed: the reasoning keeps its encrypted content and loses its id, as do the
    /// items after it, so the model still sees all of it. Without a blob, or on Azure, the reasoning is dropped, and so
    /// is a reference to it. If an item without an id follows, this is done only with `--fix-warnings` or `--proven
    /// RL202`. `--reasoning reference` replaces all groups that the server stores by references; `--reasoning strip`
    /// drops all reasoning.
    ///
    /// ## Evidence
    ///
    /// Recorded: pydantic-ai `test_openai_responses_thinking_with_modified_history` (rejected), ruby_llm (the same
    /// shape without ids, accepted). Reported: openai/openai-node#1567, openai/openai-agents-js#326,
    /// continuedev/continue#8933, OpenHands#11406; Azure: openclaw#57499, badlogic/pi-mono#2702; a reference with
    /// nothing after it: vercel/ai#7099. coder's chatd sends a reference before a call without an id to OpenAI for
    /// reasoning without a blob.
    REASONING_WITHOUT_ITEM, "reasoning-without-item" of "responses" tags [Reasoning, Identity], Check::Group(check),
    [
        Variant {
            message: "reasoning item {id} is missing the item it belongs to",
            related: "the next item",
            api: Some("Item '{id}' of type 'reasoning' was provided without its required following item."),
            levels: Levels::ERROR_OR_INFO,
            evidence: Evidence::Reported,
            fix: "remove the item ids of this group",
            ..Variant::BASE
        },
        Variant {
            message: "the reference to reasoning item {id} is followed by an item without an id",
            related: "the next item",
            api: Some("Item '{id}' of type 'reasoning' was provided without its required following item."),
            levels: Levels::STORED_WARNING,
            evidence: Evidence::Inferred,
            fix: "drop the reference",
            ..Variant::BASE
        },
        Variant {
            message: "reasoning item {id} is still incomplete at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "reasoning item {id} is followed by a call without an id; rejected if the server checks for the item it belongs to",
            related: "the next call, which lost its id",
            api: Some("Item '{id}' of type 'reasoning' was provided without its required following item."),
            levels: Levels::STORED_WARNING,
            evidence: Evidence::Inferred,
            fix: "drop the reasoning (this format cannot store it without an id)",
            ..Variant::BASE
        },
        Variant {
            message: "reasoning item {id} is followed by an item without an id; rejected if the server checks for the item it belongs to",
            related: "the next item",
            api: Some("Item '{id}' of type 'reasoning' was provided without its required following item."),
            levels: Levels::WARNING_OR_INFO,
            evidence: Evidence::Recorded,
            fix: "remove the item ids of this group",
            ..Variant::BASE
        },
        Variant {
            message: "the reference to reasoning item {id} is missing the item it belongs to",
            related: "the next item",
            api: Some("Item '{id}' of type 'reasoning' was provided without its required following item."),
            levels: Levels::STORED_ERROR,
            evidence: Evidence::Reported,
            fix: "drop the reference",
            ..Variant::BASE
        },
    ]
}

const REFERENCE: u8 = 1;
const PENDING: u8 = 2;
const CALL: u8 = 3;
const FRESH: u8 = 4;
const REFERENCE_ALONE: u8 = 5;

fn check(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    if !group.has_reasoning() || cx.history.call_patterns.orphan_run_at(group.start).is_some() {
        return;
    }
    let head = *cx.row(group.body - 1);
    if !head.has_id() {
        return;
    }
    let follower = cx.history.rows_in(group.members()).iter().find(|row| row.is_model_made());
    let finding = Finding::new(RULE.code, head);
    match follower {
        Some(follower) if follower.has_id() => {}
        Some(follower) if head.is_reference() => {
            out.add(finding.variant(REFERENCE).with_partner(follower.at).remedy(Remedy::One(RepairAct::Flatten)));
        }
        // Logs of other systems never store the id of a call; no rejection of that is known.
        Some(follower) if head.has(ItemFlags::BOUND) && follower.kind.is_call() => {
            out.add(finding.variant(CALL).with_partner(follower.at).remedy(DETACH));
        }
        Some(follower) => {
            out.add(finding.variant(FRESH).with_partner(follower.at).remedy(DETACH));
        }
        None => {
            let last = group.end as usize == cx.history.rows.len();
            if last && cx.history.settings.usage != Usage::Request {
                out.add(finding.variant(PENDING).never("the item may still come"));
                return;
            }
            let next = cx.history.rows.get(group.end as usize).map(|row| row.at);
            out.add(match head.is_reference() {
                true => finding.variant(REFERENCE_ALONE).with_partner(next).remedy(UNREADABLE),
                false => finding.with_partner(next).remedy(DETACH),
            });
        }
    }
}
