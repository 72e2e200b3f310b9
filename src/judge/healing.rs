//! What an agent puts right before it sends a session is no error of the session: one note says so, and no fix touches it.

use crate::format::agent::Ill;
use crate::formats::agents::self_repair::Healed;
use crate::history::{Code, Finding, Usage};
use crate::rule::Loss;
use crate::rules::anthropic::{missing_result, orphan_result};
use crate::rules::calls::{missing_output, orphan_output};
use crate::rules::chat::{missing_reply, orphan_reply};
use crate::rules::container::lone_surrogate;
use crate::rules::gemini::{missing_response, orphan_response, unsigned_call};
use crate::rules::sessions::healed_by_agent;
use crate::rules::trees::cycle;
use crate::target::Severity;

use super::Options;
use super::judged::Judged;

/// What is found of an ill: the rules, and which of their variants.
const FOUND: &[(Ill, Code, &[u8])] = &[
    (Ill::UnansweredCall, missing_output::RULE.code, &[0, missing_output::ABORTED]),
    (Ill::UnansweredCall, missing_result::RULE.code, &[0, missing_result::IN_SESSION]),
    (Ill::UnansweredCall, missing_reply::RULE.code, &[0]),
    (Ill::LateOutput, missing_result::RULE.code, &[missing_result::FAR, missing_result::LATE]),
    (Ill::OrphanOutput, orphan_output::RULE.code, &[0]),
    (Ill::OrphanOutput, orphan_result::RULE.code, &[0]),
    (Ill::OrphanOutput, orphan_reply::RULE.code, &[0]),
    (Ill::UnansweredCall, missing_response::RULE.code, &[0, missing_response::SPOKEN_OVER]),
    (Ill::OrphanOutput, orphan_response::RULE.code, &[0, 1]),
    (Ill::UnsignedCall, unsigned_call::RULE.code, &[0]),
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
