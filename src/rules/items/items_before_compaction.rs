//! RL418: items are sent again before the compaction that replaces them.

use crate::history::{Finding, Kind, Usage};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the items of a request before the last compaction item: it replaces them, and they
    /// need not be sent again.
    ///
    /// ## Why it matters
    ///
    /// Nothing is rejected; it costs tokens. It happens when a compaction is appended to a history and the rest
    /// is kept.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"role":"user","content":"Hi"},
    ///  {"type":"compaction","encrypted_content":"gAAA"},
    ///  {"role":"user","content":"Go on"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is a note. A client may keep messages on purpose.
    ///
    /// ## Evidence
    ///
    /// Recorded: histories of both forms were accepted.
    ITEMS_BEFORE_COMPACTION, "items-before-compaction" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "{items} before this {type}, which already replaces them",
            levels: Levels::INFO,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    // In a log, the client stored them on purpose.
    if cx.history.settings.usage == Usage::Log {
        return;
    }
    let rows = &cx.history.rows;
    let last = rows.iter().enumerate().rfind(|(_, row)| row.kind == Kind::Compaction);
    if let Some((at, row)) = last.filter(|(at, _)| *at > 0) {
        let finding = Finding::new(RULE.code, *row).arg(at as u32);
        out.add(finding.never("the server accepts both"));
    }
}
