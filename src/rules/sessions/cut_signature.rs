//! RL662: the signature of a thinking block in a session is cut.

use crate::history::{Act, BlockFlags, Finding, Kind};
use crate::json::name;
use crate::rule::{Check, Cx, Evidence, Out, Variant};

use super::split_thinking::{IN_OPEN_LOOP, in_open_loop};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `thinking` block in a Claude Code session whose `signature` is shorter than 100 characters. An empty one is
    /// RL541.
    ///
    /// ## Why it matters
    ///
    /// No signature is that short, so it was cut on the way to the file. The API rejects the request with HTTP 400:
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
    /// All thinking of the response is dropped, over all its lines: a signature cannot be made up.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#21726 (534 of 537 signatures empty, 3 cut to 24 characters).
    CUT_SIGNATURE, "cut-signature" of "anthropic", Check::History(check),
    [
        Variant {
            // The API's sentence is that of any signature that it does not take: what no file shows, too.
            message: "the signature of {type} has only {arg} characters, so it was cut; the API rejects it: Invalid \
                      `signature` in `thinking` block",
            evidence: Evidence::Reported,
            fix: "drop the thinking of the response",
            ..Variant::BASE
        },
    ]
}

/// Signatures of recorded responses have at least 200 characters.
const SHORTEST: usize = 100;

fn check(cx: &Cx<'_>, out: &mut Out) {
    for message in cx.history.messages.list.iter().filter(|message| cx.row(message.row).id != 0) {
        for ix in message.blocks() {
            let row = cx.row(ix);
            if row.kind != Kind::Thinking || !row.has(BlockFlags::SIGNED) {
                continue;
            }
            let mut length = SHORTEST;
            cx.look.look(row, &mut |block| {
                length =
                    block.get(name::signature).and_then(|it| it.as_str()).map_or(SHORTEST, |it| it.characters());
            });
            if length < SHORTEST {
                let finding = Finding::new(RULE.code, *row).arg(length as u32);
                out.add(match in_open_loop(cx, ix) {
                    true => finding.never(IN_OPEN_LOOP),
                    false => finding.act(Act::Drop),
                });
            }
        }
    }
}
