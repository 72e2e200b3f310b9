//! RL521: nothing shows which API the messages are for.

use crate::history::{Finding, RequestFlags, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Notes, once per file, that messages were read as Chat Completions although they could also be Anthropic's:
    /// they have only roles and texts.
    ///
    /// ## Why it matters
    ///
    /// The rules of both differ. `--format` and `--target` set it; without them, `replaylint` assumes the more common
    /// one. A body with `max_tokens` before `messages`, as in Anthropic's documentation, is read as Anthropic's unless
    /// its model or another member is one of Chat's. The note is shown with `-v`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"some-model","messages":[{"role":"user","content":"Hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// There is nothing to fix.
    ///
    /// ## Evidence
    ///
    /// Documented: both APIs accept this body.
    CHAT_ASSUMED, "chat-assumed" of "chat", Check::History(check),
    [
        Variant {
            message: "nothing here distinguishes Chat Completions from other APIs; read as Chat (use --format \
                      to override)",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let settings = &cx.history.settings;
    let first = cx.history.rows.first().filter(|row| row.record == 0);
    if let Some(request) = settings.request.filter(|_| settings.facts.has(RequestFlags::PLAIN) && first.is_some())
    {
        out.add(Finding::new(RULE.code, Row::of_place(request, 0)).never(""));
    }
}
