//! A session is judged as its agent sends it. Defects that the agent repairs are no errors of the session: one note reports
//! them, and no fix changes them. Defects by which it loses something are errors, whatever others make of them.

use foldhash::HashSet;

use crate::format::agent::{ResumeEffect, SessionDefect};
use crate::formats::agents::resume::AgentAct;
use crate::history::codes::invalid_json::LOSES_LATER;
use crate::history::codes::record_after_truncated_one::{REMOVED, SEPARATED};
use crate::history::codes::truncated_last_line::{LOSES_NEXT, TERMINATED, UNTERMINATED};
use crate::history::{Code, Finding, Remedy, RepairAct, codes};
use crate::rule::{CALL_PENDING, Loss, TURN_NOT_CONTINUED};
use crate::rules::anthropic::{duplicate_result, missing_result, orphan_result};
use crate::rules::calls::{duplicate_output, missing_output, orphan_output};
use crate::rules::chat::{duplicate_reply, missing_reply, orphan_reply};
use crate::rules::container::{
    invalid_json, lone_surrogate, missing_last_newline, nul_bytes, record_after_truncated_one, shared_line,
    truncated_last_line,
};
use crate::rules::gemini::{missing_response, orphan_response, unsigned_call};
use crate::rules::reasoning::orphan_tool_run;
use crate::rules::sessions::{healed_by_agent, phantom_parent, split_thinking};
use crate::rules::trees::{cycle, missing_parent};
use crate::target::Severity;

use super::Options;
use super::weighed_finding::WeighedFinding;

/// The rules, and their variants, that report a defect; all variants if none is named.
const RULES_OF_DEFECTS: &[(SessionDefect, Code, &[u8])] = &[
    (SessionDefect::UnansweredCall, missing_output::RULE.code, &[0, missing_output::ABORTED]),
    (SessionDefect::UnansweredCall, missing_result::RULE.code, &[0, missing_result::IN_SESSION]),
    (SessionDefect::UnansweredCall, missing_reply::RULE.code, &[0]),
    (SessionDefect::UnansweredCall, missing_response::RULE.code, &[0, missing_response::USER_INSTEAD]),
    (SessionDefect::LateOutput, missing_result::RULE.code, &[missing_result::FAR, missing_result::LATE]),
    (SessionDefect::OrphanOutput, orphan_output::RULE.code, &[0]),
    (SessionDefect::OrphanOutput, orphan_tool_run::RULE.code, &[]),
    (SessionDefect::OrphanOutput, orphan_result::RULE.code, &[0]),
    (SessionDefect::OrphanOutput, orphan_reply::RULE.code, &[0]),
    (SessionDefect::OrphanOutput, orphan_response::RULE.code, &[0, 1]),
    (SessionDefect::DuplicateOutput, duplicate_output::RULE.code, &[]),
    (SessionDefect::DuplicateOutput, duplicate_reply::RULE.code, &[]),
    (SessionDefect::DuplicateOutput, duplicate_result::RULE.code, &[]),
    (SessionDefect::UnsignedCall, unsigned_call::RULE.code, &[0]),
    (SessionDefect::AlteredThinking, split_thinking::RULE.code, &[]),
    (SessionDefect::LoneSurrogate, lone_surrogate::RULE.code, &[]),
    (SessionDefect::Cycle, cycle::RULE.code, &[]),
    (SessionDefect::MissingParent, missing_parent::RULE.code, &[]),
    (SessionDefect::MissingParent, phantom_parent::RULE.code, &[]),
    (SessionDefect::TruncatedLastLine, truncated_last_line::RULE.code, &[UNTERMINATED]),
    (SessionDefect::EndedTruncatedLine, truncated_last_line::RULE.code, &[TERMINATED]),
    (SessionDefect::MissingLastNewline, missing_last_newline::RULE.code, &[]),
    (SessionDefect::SharedLine, shared_line::RULE.code, &[]),
    (SessionDefect::RecordAfterTruncatedOne, record_after_truncated_one::RULE.code, &[]),
    (SessionDefect::NulBytes, nul_bytes::RULE.code, &[]),
    (SessionDefect::InvalidLine, invalid_json::RULE.code, &[]),
];

/// The rules that report a defect, and their variants; all variants if there are none.
pub fn rules_of_defect(defect: SessionDefect) -> impl Iterator<Item = (Code, &'static [u8])> {
    RULES_OF_DEFECTS.iter().filter(move |(of, ..)| *of == defect).map(|(_, code, variants)| (*code, *variants))
}

fn is_of(judged: &WeighedFinding, defect: SessionDefect) -> bool {
    let finding = &judged.finding;
    RULES_OF_DEFECTS.iter().any(|(of, code, variants)| {
        let is_listed = || variants.is_empty() || variants.contains(&finding.variant);
        *of == defect && *code == finding.code && (is_listed() || is_pending(finding))
    })
}

/// True for a call at the end of a session, which is unanswered once the session is resumed.
fn is_pending(finding: &Finding) -> bool {
    matches!(finding.remedy, Remedy::Never(CALL_PENDING | TURN_NOT_CONTINUED))
}

/// Keeps the findings that are still there in what the agent sends, and those about what it leaves out; adds the findings
/// that come up without it.
pub fn keep_sent(judged: &mut Vec<WeighedFinding>, of_sent: Vec<WeighedFinding>, acts: &[AgentAct]) {
    let key = |judged: &WeighedFinding| (judged.finding.code, judged.finding.variant, judged.finding.row.at);
    let sent: HashSet<_> = of_sent.iter().map(key).collect();
    let stored: HashSet<_> = judged.iter().map(key).collect();
    let is_defect = |judged: &WeighedFinding| acts.iter().any(|act| is_of(judged, act.act.defect));
    judged.retain(|judged| sent.contains(&key(judged)) || is_defect(judged));
    judged.extend(of_sent.into_iter().filter(|judged| !stored.contains(&key(judged))));
}

/// Weighs the findings in one history, or in none, by what the agent does about them. Findings that the server has
/// confirmed stay, because the agent did not repair them.
pub fn apply(judged: &mut Vec<WeighedFinding>, history: Option<u32>, acts: &[AgentAct], options: &Options) {
    for act in acts {
        let is_affected = |judged: &WeighedFinding| {
            judged.history == history
                && is_of(judged, act.act.defect)
                && !options.enabled.is_proven(judged.finding.code)
        };
        match act.act.effect.severity() {
            // A call that is pending is one for those who say so.
            Some(severity) => judged
                .iter_mut()
                .filter(|judged| is_affected(judged) && !is_pending(&judged.finding))
                .for_each(|judged| weigh(judged, act.act.effect, severity)),
            None => replace_with_note(judged, act, options, &is_affected),
        }
    }
}

fn weigh(judged: &mut WeighedFinding, effect: ResumeEffect, severity: Severity) {
    judged.severity = severity;
    let (variant, act) = match (judged.finding.code, effect) {
        // Lines that are not valid JSON do no harm, so the truncated record may stay.
        (codes::RECORD_AFTER_TRUNCATED_ONE, ResumeEffect::LosesEarlier) => (SEPARATED, RepairAct::RepairText),
        (codes::RECORD_AFTER_TRUNCATED_ONE, ResumeEffect::LosesLater) => (REMOVED, RepairAct::RepairText),
        // A newline keeps the truncated line, and what the agent writes next.
        (codes::TRUNCATED_LAST_LINE, ResumeEffect::LosesNext) => (LOSES_NEXT, RepairAct::RepairText),
        (codes::INVALID_JSON, ResumeEffect::LosesLater) => (LOSES_LATER, RepairAct::Drop),
        _ => return,
    };
    judged.finding.variant = variant;
    judged.finding.remedy = Remedy::One(act);
    judged.loss = judged.variant().loss;
}

fn replace_with_note(
    judged: &mut Vec<WeighedFinding>,
    act: &AgentAct,
    options: &Options,
    is_affected: &dyn Fn(&WeighedFinding) -> bool,
) {
    let Some(first) = judged.iter().find(|judged| is_affected(judged)).copied() else { return };
    let before = judged.len();
    judged.retain(|judged| !is_affected(judged));
    if !options.enabled.has(healed_by_agent::RULE.code) {
        return;
    }
    let count = u32::try_from(before - judged.len()).unwrap_or(u32::MAX);
    let finding = Finding::new(healed_by_agent::RULE.code, first.finding.row).arg(act.finding_arg(count));
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
