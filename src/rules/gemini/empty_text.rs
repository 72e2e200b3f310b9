//! RL567: a part is an empty text.

use crate::history::{BlockFlags, Finding, Flags, Kind, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a part whose `text` is empty. A part with a thought signature may be empty.
    ///
    /// ## Why it matters
    ///
    /// Vertex AI was reported to reject such requests with HTTP 400:
    ///
    /// > Unable to submit request because it has an empty text parameter
    ///
    /// Google's own host accepts them, so it is a note (shown with `-v`), and an error with `--proven RL567`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Hello"}]},
    ///  {"role":"model","parts":[{"text":""}]},
    ///  {"role":"user","parts":[{"text":"Are you there?"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--proven RL567` the part is dropped, and its content with it if that is empty then. The only part of a
    /// history is kept.
    ///
    /// ## Evidence
    ///
    /// Reported in many places for Vertex AI; ten recorded accepted requests to Google's own host have an empty text.
    GEMINI_EMPTY_TEXT, "gemini-empty-text" of "gemini" tags [Field], Check::History(check),
    [
        Variant {
            message: "the text is empty",
            api: Some("Unable to submit request because it has an empty text parameter"),
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the part",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let says_nothing = |row: &&crate::history::Row| {
        row.kind == Kind::Text
            && row.has(BlockFlags::EMPTY)
            && !row.has(BlockFlags::SIGNED)
            && !row.has(Flags::RECORDED)
    };
    let parts = cx.history.rows.iter().filter(|row| row.kind != Kind::BlockMessage).count();
    for row in cx.history.rows.iter().filter(says_nothing) {
        let finding = Finding::new(RULE.code, *row);
        out.add(match parts {
            1 => finding.never("the history would be empty without it"),
            _ => finding.act(RepairAct::Drop),
        });
    }
}
