//! What an agent puts right before it sends a session is no error of the session: one note says so, and no fix touches it.

use crate::format::agent::Ill;
use crate::formats::agents::Healed;
use crate::history::{Code, Finding, Usage};
use crate::rule::Loss;
use crate::rules::{
    anthropic_missing_result, anthropic_orphan_result, chat_missing_reply, chat_orphan_reply, cycle,
    gemini_missing_response, gemini_orphan_response, gemini_unsigned_call, healed_by_agent, lone_surrogate,
    missing_output, orphan_output,
};
use crate::target::Severity;

use super::Options;
use super::judged::Judged;

/// What is found of an ill: the rules, and which of their variants.
const FOUND: &[(Ill, Code, &[u8])] = &[
    (Ill::UnansweredCall, missing_output::RULE.code, &[0, missing_output::ABORTED]),
    (Ill::UnansweredCall, anthropic_missing_result::RULE.code, &[0, anthropic_missing_result::IN_SESSION]),
    (Ill::UnansweredCall, chat_missing_reply::RULE.code, &[0]),
    (
        Ill::LateOutput,
        anthropic_missing_result::RULE.code,
        &[anthropic_missing_result::FAR, anthropic_missing_result::LATE],
    ),
    (Ill::OrphanOutput, orphan_output::RULE.code, &[0]),
    (Ill::OrphanOutput, anthropic_orphan_result::RULE.code, &[0]),
    (Ill::OrphanOutput, chat_orphan_reply::RULE.code, &[0]),
    (Ill::UnansweredCall, gemini_missing_response::RULE.code, &[0, gemini_missing_response::SPOKEN_OVER]),
    (Ill::OrphanOutput, gemini_orphan_response::RULE.code, &[0, 1]),
    (Ill::UnsignedCall, gemini_unsigned_call::RULE.code, &[0]),
    (Ill::LoneSurrogate, lone_surrogate::RULE.code, &[0, 1]),
    (Ill::Cycle, cycle::RULE.code, &[0]),
];

/// A session is sent by its agent, unless the user sends it himself.
pub fn applies(options: &Options) -> bool {
    options.read.usage != Some(Usage::Request)
}

/// Puts one note for each thing that the agent heals in the place of what was found of it in one history, or in none.
/// What the server has rejected was not healed.
pub fn heal(judged: &mut Vec<Judged>, history: Option<u32>, healed: &[Healed], options: &Options) {
    for line in healed {
        let is_of = |judged: &Judged| {
            let finding = &judged.finding;
            let found = |(ill, code, variants): &(Ill, Code, &[u8])| {
                *ill == line.heals.what && *code == finding.code && variants.contains(&finding.variant)
            };
            judged.history == history && FOUND.iter().any(found) && !options.enabled.proves(finding.code)
        };
        let Some(first) = judged.iter().find(|judged| is_of(judged)).copied() else { continue };
        let before = judged.len();
        judged.retain(|judged| !is_of(judged));
        if !options.enabled.has(healed_by_agent::RULE.code) {
            continue;
        }
        let count = u32::try_from(before - judged.len()).unwrap_or(u32::MAX);
        let finding = Finding::new(healed_by_agent::RULE.code, first.finding.row).arg(line.arg(count));
        let finding = finding.never(
            "none is needed; `replaylint check --as request FILE` judges what is stored, --agent-version what another version sends",
        );
        judged.push(Judged { finding, severity: Severity::Info, loss: Loss::Lossless, flattens: false, ..first });
    }
}
