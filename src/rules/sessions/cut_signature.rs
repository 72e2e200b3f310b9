//! RL662: the signature of a thinking block in a session is truncated.

use crate::history::{BlockFlags, Finding, Kind, RepairAct};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

use super::split_thinking::{IN_OPEN_LOOP, is_in_open_loop};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `thinking` block in a Claude Code session whose `signature` is shorter than 100 characters. An empty one is
    /// RL541.
    ///
    /// ## Why it matters
    ///
    /// No signature is that short, so it was truncated before it was stored. The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.0: Invalid `signature` in `thinking` block
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"thinking","thinking":"A greeting.","signature":"EqQBCkYIBxgCKkDs"}
    /// ```
    ///
    /// ## Fix
    ///
    /// All thinking of the response is dropped, on all its lines: a signature cannot be invented.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#21726 (534 of 537 signatures empty, 3 cut to 24 characters).
    CUT_SIGNATURE, "cut-signature" of "anthropic", Check::History(check),
    [
        Variant {
            // The API's sentence is the same for any signature that it rejects, even if a file does not show why.
            message: "the signature of {type} is truncated to {arg} characters; the API rejects it: Invalid `signature` in `thinking` block",
            evidence: Evidence::Reported,
            fix: "drop the thinking of the response",
            ..Variant::BASE
        },
    ]
}

/// Signatures of recorded responses have at least 200 characters.
const SHORTEST: usize = 100;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for message in cx.history.messages.list.iter().filter(|message| cx.row(message.row).id != 0) {
        for ix in message.blocks() {
            let row = cx.row(ix);
            if row.kind != Kind::Thinking || !row.has(BlockFlags::SIGNED) {
                continue;
            }
            let mut length = SHORTEST;
            cx.text.with_item(row, &mut |block| {
                length =
                    block.get(name::signature).and_then(|it| it.as_str()).map_or(SHORTEST, |it| it.characters());
            });
            if length < SHORTEST {
                let finding = Finding::new(RULE.code, *row).arg(length as u32);
                out.add(match is_in_open_loop(cx, ix) {
                    true => finding.never(IN_OPEN_LOOP),
                    false => finding.act(RepairAct::Drop),
                });
            }
        }
    }
}
