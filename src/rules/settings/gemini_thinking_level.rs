//! RL726: a Gemini model does not have the thinking level of the request.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Compares `thinkingConfig.thinkingLevel` with the levels that the model has, and finds a level beside a
    /// `thinkingBudget`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400. Gemini 2.5 has no levels:
    ///
    /// > Thinking level is not supported for this model.
    ///
    /// Gemini 3 Pro has only low and high, 3.1 Pro, 3.7, 3.8 and 4 have no minimal, and no model has more than high:
    ///
    /// > Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.
    ///
    /// > Unable to submit request because thinking_level MEDIUM is not supported by this model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gemini-3.8-flash","contents":[{"role":"user","parts":[{"text":"hi"}]}],
    ///  "generationConfig":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the level is the user's decision. `replaylint convert` writes the nearest one that the model has.
    ///
    /// ## Evidence
    ///
    /// Reported: RooCode#10700 (2.5), opencode-gemini-auth#14 (3 Pro), pi#9455, WritingTools#282 (3.8); levels:
    /// docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking. Both settings together: only litellm's code
    /// says so, hence a warning; no recorded request has both.
    GEMINI_THINKING_LEVEL, "gemini-thinking-level" of "gemini", Check::History(check),
    [
        Variant {
            message: "the model does not have this thinking level",
            also: &[
                "Thinking level {value} is not supported for this model.",
                "Unable to submit request because thinking_level {value} is not supported by this model.",
                "'{value}' is not a supported thinking level for this model. Allowed values are:",
            ],
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the model has no thinking levels, only a budget",
            api: Some("Thinking level is not supported for this model."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request sets a thinking level and a budget",
            related: "the budget",
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const NO_LEVELS: u8 = 1;
const WITH_BUDGET: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options() else { return };
    let Some(level) = &options.level else { return };
    let finding = cx.request_finding(RULE.code, level.at).never("the level is the user's decision");
    let word = level.value.to_ascii_lowercase();
    match cx.efforts {
        Some([]) => out.add(finding.variant(NO_LEVELS)),
        Some(known) if word != "thinking_level_unspecified" && !known.contains(&word.as_str()) => out.add(finding),
        _ => {
            if let Some(budget) = &options.budget {
                out.add(finding.variant(WITH_BUDGET).with_partner(budget.at));
            }
        }
    }
}
