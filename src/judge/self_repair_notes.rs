//! Defects that an agent repairs before it sends a session are no errors of the session: one note reports them,
//! and no fix changes them.

use crate::format::agent::SessionDefect;
use crate::formats::agents::self_repair::AgentRepair;
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
use super::weighed_finding::WeighedFinding;

/// The rules, and their variants, that report a defect.
const RULES_OF_DEFECTS: &[(SessionDefect, Code, &[u8])] = &[
    (SessionDefect::UnansweredCall, missing_output::RULE.code, &[0, missing_output::ABORTED]),
    (SessionDefect::UnansweredCall, missing_result::RULE.code, &[0, missing_result::IN_SESSION]),
    (SessionDefect::UnansweredCall, missing_reply::RULE.code, &[0]),
    (SessionDefect::LateOutput, missing_result::RULE.code, &[missing_result::FAR, missing_result::LATE]),
    (SessionDefect::OrphanOutput, orphan_output::RULE.code, &[0]),
    (SessionDefect::OrphanOutput, orphan_result::RULE.code, &[0]),
    (SessionDefect::OrphanOutput, orphan_reply::RULE.code, &[0]),
    (SessionDefect::UnansweredCall, missing_response::RULE.code, &[0, missing_response::USER_INSTEAD]),
    (SessionDefect::OrphanOutput, orphan_response::RULE.code, &[0, 1]),
    (SessionDefect::UnsignedCall, unsigned_call::RULE.code, &[0]),
    (SessionDefect::LoneSurrogate, lone_surrogate::RULE.code, &[0, 1]),
    (SessionDefect::Cycle, cycle::RULE.code, &[0]),
];

/// True if the session is sent by its agent, and not by the user.
pub fn applies(options: &Options) -> bool {
    options.read.usage != Some(Usage::Request)
}

/// Replaces the findings about each defect that the agent repairs, in one history or in none, with one note.
/// Findings that the server has confirmed stay, because the agent did not repair them.
pub fn replace_with_notes(
    judged: &mut Vec<WeighedFinding>,
    history: Option<u32>,
    healed: &[AgentRepair],
    options: &Options,
) {
    for line in healed {
        let is_of = |judged: &WeighedFinding| {
            let finding = &judged.finding;
            let found = |(ill, code, variants): &(SessionDefect, Code, &[u8])| {
                *ill == line.repair.defect && *code == finding.code && variants.contains(&finding.variant)
            };
            judged.history == history
                && RULES_OF_DEFECTS.iter().any(found)
                && !options.enabled.is_proven(finding.code)
        };
        let Some(first) = judged.iter().find(|judged| is_of(judged)).copied() else { continue };
        let before = judged.len();
        judged.retain(|judged| !is_of(judged));
        if !options.enabled.has(healed_by_agent::RULE.code) {
            continue;
        }
        let count = u32::try_from(before - judged.len()).unwrap_or(u32::MAX);
        let finding = Finding::new(healed_by_agent::RULE.code, first.finding.row).arg(line.finding_arg(count));
        let finding = finding.never(
            "no fix is needed; `replaylint check --as request FILE` checks the stored messages, `--agent-version` what another version sends",
        );
        judged.push(WeighedFinding {
            finding,
            severity: Severity::Info,
            loss: Loss::Lossless,
            flattens: false,
            ..first
        });
    }
}
