//! RL661: the lines of a response with thinking are separated, or out of order.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::history::{BlockFlags, Finding, Kind, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a response with thinking in a Claude Code session whose lines (one for each block, with the same
    /// `message.id`) do not follow each other: a line of another message is between them, or the thinking is not the
    /// first of them. Results of the response's own calls may be between its lines; a text of only white space may come
    /// first.
    ///
    /// ## Why it matters
    ///
    /// The agent joins the lines in the order of their links. The result is then not what the model signed, and the API
    /// rejects it with HTTP 400:
    ///
    /// > messages.1.content.3: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.
    /// > These blocks must remain as they were in the original response.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"msg_1","content":[{"type":"text","text":"I will look."}]}}
    /// {"type":"assistant","uuid":"a2","parentUuid":"a1","message":{"id":"msg_1","content":[{"type":"thinking","thinking":"hm","signature":"EqQB…"}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// All thinking of the response is dropped, on all its lines; lines after a dropped one are linked to the one
    /// before it. If the response is the last one and its calls were answered, nothing is changed: there the API
    /// requires the thinking before the calls. `replaylint fix --rewind-to LAST-GOOD -o COPY FILE` goes back to the
    /// turn before.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#63155, #63208, #63357, #63418, #63463, #63869, #64213 (2.1.153 to 2.1.156), #12743, #25361.
    SPLIT_THINKING, "split-thinking" of "anthropic", Check::History(check),
    [
        Variant {
            message: "lines of another message separate those of this response; the API rejects that as modified thinking",
            related: "the first line in between",
            evidence: Evidence::Reported,
            fix: "drop the thinking of the response",
            ..Variant::BASE
        },
        Variant {
            message: "{type} is not the first block of its response: its lines are out of order; the API rejects that as modified thinking",
            related: "the first block",
            evidence: Evidence::Reported,
            fix: "drop the thinking of the response",
            ..Variant::BASE
        },
    ]
}

const ORDER: u8 = 1;

/// The lines of one response.
#[derive(Default)]
struct ResponseLines {
    /// Number of its last message.
    last: u32,
    /// The first foreign row between two of its lines.
    between: Option<u32>,
    first: Option<u32>,
    thinking: Option<u32>,
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let mut numbers: HashMap<u64, usize> = HashMap::default();
    let mut responses: BTreeMap<usize, ResponseLines> = BTreeMap::new();
    for (message, number) in cx.history.messages.list.iter().zip(0u32..) {
        let row = cx.row(message.row);
        if row.role != Role::Assistant || row.id == 0 {
            continue;
        }
        let next = numbers.len();
        let response = responses
            .entry(*numbers.entry(row.id).or_insert(next))
            .or_insert_with(|| ResponseLines { last: number, ..ResponseLines::default() });
        if number > response.last + 1 {
            response.between.get_or_insert(cx.history.messages.get(response.last + 1).row);
        }
        response.last = number;
        for ix in message.blocks() {
            let row = cx.row(ix);
            if row.kind == Kind::Thinking {
                response.thinking.get_or_insert(ix);
            }
            if !row.has(BlockFlags::BLANK) && !row.has(BlockFlags::EMPTY) {
                response.first.get_or_insert(ix);
            }
        }
    }
    for response in responses.into_values() {
        let Some(thinking) = response.thinking else { continue };
        let (variant, partner) = match (response.between, response.first) {
            (Some(between), _) => (0, between),
            (None, Some(first)) if first != thinking => (ORDER, first),
            _ => continue,
        };
        let finding = Finding::new(RULE.code, *cx.row(thinking)).variant(variant).with_partner(cx.row(partner).at);
        out.add(match is_in_open_loop(cx, thinking) {
            true => finding.never(IN_OPEN_LOOP),
            false => finding.act(RepairAct::Drop),
        });
    }
}

/// Why thinking of the last response is not dropped.
pub const IN_OPEN_LOOP: &str = "the model continues from the results of this response and needs its thinking; \
                                `replaylint fix --rewind-to LAST-GOOD -o rewound.jsonl FILE` goes back to the turn before";

/// True if a row belongs to the last response, and only results of its calls follow.
pub fn is_in_open_loop(cx: &RuleContext<'_>, ix: u32) -> bool {
    let messages = &cx.history.messages;
    let Some(number) = messages.number_of(ix) else { return false };
    let is_last = messages.steps.last().is_some_and(|step| step.model.contains(&number));
    let Some(step) = messages.steps.last().filter(|_| is_last) else { return false };
    let mut answers = messages.rows_of(step.answers.clone()).peekable();
    answers.peek().is_some() && answers.all(|ix| cx.row(ix).kind == Kind::ToolResult)
}
