//! RL313: items of different conversations are in one request.

use crate::history::{Finding, Flags, Row, Usage};
use crate::rule::{Check, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds items whose ids belong to another conversation than those before them, as the ids themselves show. Only in
    /// requests, and only where the server stores items: elsewhere it ignores ids.
    ///
    /// ## Why it matters
    ///
    /// The server links items by their ids. An item that was spliced in from elsewhere may lack its reasoning, or not
    /// be found, because items of other projects are not. By itself it may be accepted, so this is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"message","id":"msg_0c71d6d8526a7a4b006920e0447ea8819da94e572b1f077c44","role":"assistant","content":[]},
    ///  {"type":"message","id":"msg_0435eb6c2aa8e9eb0069e15ffeb3fc81959cd2d1e915a8c7ea","role":"assistant","content":[]}]
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: it is not known which of them belong here.
    ///
    /// ## Evidence
    ///
    /// Observed: in 18 of 18 recorded inputs with several turns all ids share one lineage. No error of the API is
    /// known.
    MIXED_LINEAGES, "mixed-lineages" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "{type} {id} is from a different conversation than the items before it",
            related: "an item of the other conversation",
            levels: Levels::STORED_WARNING,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if cx.history.settings.usage == Usage::Log {
        return;
    }
    let mut first: Option<&Row> = None;
    let mut reported = 0;
    let sent = cx.history.rows.iter().filter(|row| row.lineage != 0 && !row.has(Flags::RECORDED));
    for row in sent {
        let first = first.get_or_insert(row);
        // One finding for each run of foreign items.
        if row.lineage != first.lineage && row.lineage != reported {
            let finding = Finding::new(RULE.code, *row).with_partner(first.at);
            out.add(finding.never("it is not known which of them belong here"));
        }
        reported = row.lineage;
    }
}
