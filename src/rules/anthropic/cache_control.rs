//! RL545: prompt cache marks that the API does not accept.

use crate::history::{BlockFlags, Finding, Kind, Row};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds more than four blocks with `cache_control` (including those on tools and instructions), and thinking
    /// blocks with it. The oldest are reported, because the cache needs the newest.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > A maximum of 4 blocks with cache_control may be provided. Found 5.
    ///
    /// > messages.1.content.0.thinking.cache_control: Extra inputs are not permitted
    ///
    /// It happens when a client marks each new message, and stores the mark with it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[{"role":"user","content":[
    ///  {"type":"text","text":"a","cache_control":{"type":"ephemeral"}},
    ///  {"type":"text","text":"b","cache_control":{"type":"ephemeral"}},
    ///  {"type":"text","text":"c","cache_control":{"type":"ephemeral"}},
    ///  {"type":"text","text":"d","cache_control":{"type":"ephemeral"}},
    ///  {"type":"text","text":"e","cache_control":{"type":"ephemeral"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// `cache_control` is removed. The model sees the same, and signed thinking stays valid.
    ///
    /// ## Evidence
    ///
    /// Reported in many threads.
    ANTHROPIC_CACHE_CONTROL, "anthropic-cache-control" of "anthropic", Check::History(check),
    [
        Variant {
            message: "{arg} blocks have cache_control; at most 4 are allowed",
            api: Some("A maximum of 4 blocks with cache_control may be provided. Found {arg}."),
            evidence: Evidence::Reported,
            fix: "remove cache_control",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{type} cannot have cache_control",
            api: Some(
                "messages.{message}.content.{block}.thinking.cache_control: Extra inputs are not permitted",
            ),
            evidence: Evidence::Reported,
            fix: "remove cache_control",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const LIMIT: u32 = 4;
const ON_THINKING: u8 = 1;

static MEND: ValueEdit = ValueEdit::strip(&["cache_control"]).keeping_signatures();

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let marked = cx.history.rows.iter().filter(|row| row.has(BlockFlags::CACHED));
    let (on_thinking, marked): (Vec<&Row>, Vec<&Row>) = marked.partition(|row| row.kind == Kind::Thinking);
    let finding = |row: &Row| Finding::new(RULE.code, *row).edit_value(&MEND);
    for row in on_thinking {
        out.add(finding(row).variant(ON_THINKING));
    }
    let total = cx.history.settings.cache_marks + marked.len() as u32;
    let excess = total.saturating_sub(LIMIT) as usize;
    for row in marked.into_iter().take(excess) {
        out.add(finding(row).arg(total));
    }
}
