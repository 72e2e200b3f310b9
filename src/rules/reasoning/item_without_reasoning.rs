//! RL201: an item lost its reasoning.

use std::cell::LazyCell;

use foldhash::HashMap;

use crate::history::{Class, Finding, Flags, Group, Kind, RESTORE, Role, Row};
use crate::place::Place;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{Levels, Thinking, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds items that have their server id but lack the reasoning that the server links them to. The item does not
    /// show the link, so it is an error only where it is proven: reasoning without an id comes before an item with one;
    /// a recorded response in the same file shows the missing reasoning; or a web search, or a reference to a
    /// server-side call of any kind, has none although the model reasons and the effort is not `none`. Anything else is
    /// a warning at most, and only a note (shown with `-v`) where items without reasoning are normal: from gpt-5.2 on,
    /// and in a tool loop in which a recorded response has none, or in which the history has the reasoning of one
    /// response but not of two others. If the server has rejected the request with the sentence below, `--proven RL201`
    /// turns all of these into errors.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Item 'fc_abc' of type 'function_call' was provided without its required 'reasoning' item: 'rs_abc'.
    ///
    /// Older and Azure form: "… was provided without its required preceding item of type 'reasoning'." It happens when
    /// reasoning is filtered out of a history, or its id is removed while the ids after it stay.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","input":[
    ///   {"role":"user","content":"Look it up"},
    ///   {"type":"item_reference","id":"ws_1"},
    ///   {"role":"assistant","content":"Found it."}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The reasoning is restored if a recorded response in the file contains it. Otherwise the whole group loses its
    /// ids, so that the server treats its items as new ones. A server-side call cannot exist without its id, and is
    /// dropped. A warning that counts several unproven items is fixed for all of them at once. Notes are not fixed.
    ///
    /// ## Evidence
    ///
    /// Reported, function calls: cline/cline#12242, continuedev/continue#10018, mastra-ai/mastra#8738,
    /// 0xPlaygrounds/rig#751, VRSEN/agency-swarm#367, microsoft/agent-framework#4059, TanStack/ai#1345; messages:
    /// openai/openai-node#1791; web search: mastra#11103, coder's chatd; MCP: agent-framework#6883. Id-less reasoning
    /// before an item with an id: NousResearch/hermes-agent#97442, omnigent-ai/omnigent#5066.
    ///
    /// Recorded: 68 accepted requests to gpt-5.2 up to gpt-6 have such unproven items, call after call and also after a
    /// call that has its reasoning; no recorded rejection is from these models. For older models four such requests
    /// were accepted, none with more than one such response; in two, an `mcp_call` follows its approval, whose request has
    /// the reasoning, so that is not reported.
    ITEM_WITHOUT_REASONING, "item-without-reasoning" of "responses" tags [Reasoning, Identity], Check::History(check),
    [
        Variant {
            message: "{type} {id} is missing its reasoning item",
            related: "the reasoning",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item⟨: '{partner_id}'⟩."),
            also: &["Item '{id}' of type '{type}' was provided without its required preceding item of type 'reasoning'."],
            evidence: Evidence::Reported,
            fix: "remove the item ids of this group",
            ..Variant::BASE
        },
        Variant {
            message: "{items} with ids have no reasoning item before them (first: {type} {id}); rejected if the model reasoned",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "remove the item ids of their groups",
            ..Variant::BASE
        },
        Variant {
            message: "{type} {id} has no reasoning item before it; rejected if the model reasoned",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "remove the item ids of this group",
            ..Variant::BASE
        },
        Variant {
            message: "{type} {id} is missing its reasoning item, as a recorded response shows",
            related: "the reasoning",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item⟨: '{partner_id}'⟩."),
            evidence: Evidence::Reported,
            fix: "restore the recorded reasoning, or remove the ids of the group",
            ..Variant::BASE
        },
        Variant {
            message: "{items} with ids have no reasoning item before them (first: {type} {id}); this model reasons only before some of its items",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {id} has no reasoning item before it; this model reasons only before some of its items",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}

const UNPROVEN: u8 = 1;
const UNPROVEN_ONE: u8 = 2;
const RECORDED: u8 = 3;
const OCCASIONAL: u8 = 4;
const OCCASIONAL_ONE: u8 = 5;

/// Why nothing is done about an item that is only noted.
const NOTHING_LOST: &str = "nothing shows that it had reasoning";

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    // Items that may have lost their reasoning, and items that probably have not: the first of each, and the number.
    let mut plain: Option<(Row, u32)> = None;
    let mut at_times: Option<(Row, u32)> = None;
    let present = reasoning_by_id(cx);
    for tool_loop in tool_loops(cx) {
        let reasons_sometimes = LazyCell::new(|| reasons_sometimes(cx, tool_loop, &present));
        for group in tool_loop {
            if group.has_reasoning() {
                report_after_fresh_reasoning(cx, group, out);
                continue;
            }
            if continues_after_approval(cx, group) {
                continue;
            }
            for row in linked_items(cx, group) {
                out.without_reasoning.push(row.id);
                match recorded_reasoning(cx, row, &present) {
                    ReasoningRecord::Lost(head) => {
                        out.add(
                            Finding::new(RULE.code, *row).variant(RECORDED).with_partner(head).remedy(RESTORE),
                        );
                    }
                    // Reasoning elsewhere in the history is another finding (RL110).
                    ReasoningRecord::Unlinked | ReasoningRecord::Separated(_) => {}
                    ReasoningRecord::Unrecorded if is_server_run(row) => {
                        report_hosted_call(cx, row, *reasons_sometimes, out)
                    }
                    ReasoningRecord::Unrecorded if *reasons_sometimes => at_times.get_or_insert((*row, 0)).1 += 1,
                    ReasoningRecord::Unrecorded => plain.get_or_insert((*row, 0)).1 += 1,
                }
            }
        }
    }
    if cx.thinking == Thinking::Never {
        return;
    }
    if let Some((row, count)) = plain {
        let variant = if count == 1 { UNPROVEN_ONE } else { UNPROVEN };
        out.add(Finding::new(RULE.code, row).variant(variant).arg(count).remedy(RESTORE));
    }
    if let Some((row, count)) = at_times {
        let variant = if count == 1 { OCCASIONAL_ONE } else { OCCASIONAL };
        out.add(Finding::new(RULE.code, row).variant(variant).arg(count).never(NOTHING_LOST));
    }
}

/// True for what the server did once the user had approved it: its reasoning is before the request for approval.
fn continues_after_approval(cx: &RuleContext<'_>, group: &Group) -> bool {
    let before = (group.start as usize).checked_sub(1).and_then(|ix| cx.history.rows.get(ix));
    before.is_some_and(|row| row.kind == Kind::McpApprovalResponse)
}

/// The groups of each tool loop: nothing but tool results is between the responses of the model.
fn tool_loops<'h>(cx: &'h RuleContext<'_>) -> impl Iterator<Item = &'h [Group]> {
    cx.history.groups.chunk_by(|one, next| {
        let between = cx.history.rows_in(one.end as usize..next.start as usize);
        !between.iter().any(|row| row.kind.class() == Class::Message && row.role != Role::Assistant)
    })
}

/// True if the model reasons only before some of its items: it is known for that, a recorded response of the loop has
/// no reasoning, or the history has reasoning of the loop and yet more than one response has none. If no response has
/// any, a client may have filtered it out.
fn reasons_sometimes(cx: &RuleContext<'_>, tool_loop: &[Group], present: &HashMap<u64, Place>) -> bool {
    if cx.has(Trait::WantsReasoningBefore) {
        return false;
    }
    let bare = || tool_loop.iter().filter(|group| !group.has_reasoning());
    let came_without = |group: &Group| {
        linked_items(cx, group)
            .any(|row| matches!(recorded_reasoning(cx, row, present), ReasoningRecord::Unlinked))
    };
    let keeps = || tool_loop.iter().any(Group::has_reasoning);
    let lacks = |group: &&Group| linked_items(cx, group).next().is_some();
    cx.has(Trait::ReasonsSometimes) || bare().any(came_without) || keeps() && bare().filter(lacks).nth(1).is_some()
}

/// True for hosted calls and references to calls; of the latter only those that the server ran are linked.
fn is_server_run(row: &Row) -> bool {
    match row.item_kind.class() {
        Class::Hosted => true,
        Class::Call => row.is_reference(),
        _ => false,
    }
}

/// The unproven items that a finding counts; empty if it is about a single item.
pub fn counted_items<'h>(cx: &'h RuleContext<'_>, finding: &Finding) -> Vec<&'h Row> {
    if (finding.code, finding.variant) != (RULE.code, UNPROVEN) {
        return Vec::new();
    }
    let present = reasoning_by_id(cx);
    let loops = tool_loops(cx).filter(|tool_loop| !reasons_sometimes(cx, tool_loop, &present));
    let groups = loops.flatten().filter(|group| !group.has_reasoning());
    let items = groups.flat_map(|group| linked_items(cx, group));
    items
        .filter(|row| {
            !is_server_run(row) && matches!(recorded_reasoning(cx, row, &present), ReasoningRecord::Unrecorded)
        })
        .collect()
}

/// Items of a group that the server may link to reasoning: made by the model, with an id of their own.
pub(in crate::rules) fn linked_items<'h>(cx: &'h RuleContext<'_>, group: &Group) -> impl Iterator<Item = &'h Row> {
    cx.history.rows_in(group.members()).iter().filter(|row| {
        // A list of tools comes before any reasoning, an approval is keyed by its id, and a server's output is no call.
        let other = matches!(row.item_kind, Kind::McpListTools | Kind::McpApprovalRequest)
            || row.item_kind.class() == Class::Output;
        // References to client calls without any reasoning were accepted (RL304).
        let referenced_call = row.is_reference() && row.item_kind.is_call() && !is_hosted_search(cx, row);
        row.has_id() && row.is_model_made() && !other && !referenced_call
    })
}

/// A referenced tool search that the server ran.
fn is_hosted_search(cx: &RuleContext<'_>, row: &Row) -> bool {
    let hosted = &cx.history.call_patterns.hosted_searches;
    !hosted.is_empty() && hosted.binary_search(&cx.history.index_of(row)).is_ok()
}

/// Reports an item with an id after reasoning without one: it cannot be linked to that reasoning.
fn report_after_fresh_reasoning(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    let head = cx.row(group.body - 1);
    if head.has_id() {
        return;
    }
    if let Some(row) = linked_items(cx, group).find(|row| !row.is_reference()) {
        out.add(Finding::new(RULE.code, *row).with_partner(head.at).remedy(RESTORE));
    }
}

/// The reasoning of the history by id; empty if the doc has no recorded responses to compare with.
pub(in crate::rules) fn reasoning_by_id(cx: &RuleContext<'_>) -> HashMap<u64, Place> {
    if cx.stored_items.is_empty() {
        return HashMap::default();
    }
    cx.history.rows.iter().filter(|row| row.is_reasoning() && row.has_id()).map(|row| (row.id, row.at)).collect()
}

/// What recorded responses show about an item in a group without reasoning.
pub(in crate::rules) enum ReasoningRecord {
    /// No recorded response contains it.
    Unrecorded,
    /// It was made without reasoning.
    Unlinked,
    /// This reasoning preceded it, and is not in the history.
    Lost(Place),
    /// This reasoning preceded it, and is elsewhere in the history.
    Separated(Place),
}

/// Looks an item up in the recorded responses of the doc. `present` is the reasoning of the history, by id.
pub(in crate::rules) fn recorded_reasoning(
    cx: &RuleContext<'_>,
    row: &Row,
    present: &HashMap<u64, Place>,
) -> ReasoningRecord {
    let known = cx.stored_items.item(row.id).filter(|item| item.recorded);
    match known.and_then(|item| item.reasoning) {
        Some(head) => {
            present.get(&head.id).map_or(ReasoningRecord::Lost(head.at), |at| ReasoningRecord::Separated(*at))
        }
        None if known.is_some() || row.has(Flags::RECORDED) => ReasoningRecord::Unlinked,
        None => ReasoningRecord::Unrecorded,
    }
}

fn report_hosted_call(cx: &RuleContext<'_>, row: &Row, reasons_sometimes: bool, out: &mut FindingSink) {
    let reasons = cx.reasons();
    let checked = row.is_reference() || row.kind == Kind::WebSearchCall;
    let finding = Finding::new(RULE.code, *row);
    if checked && reasons == Some(true) {
        out.add(finding.remedy(RESTORE));
    } else if cx.thinking != Thinking::Never && !row.has(Flags::SYNTHETIC) {
        out.add(match reasons_sometimes {
            true => finding.variant(OCCASIONAL_ONE).never(NOTHING_LOST),
            false => finding.variant(UNPROVEN_ONE).remedy(RESTORE),
        });
    }
}
