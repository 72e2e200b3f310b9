//! The JSON document of `doctor`, described by `schemas/doctor.v1.json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::history::time::format_iso;
use crate::report::change_counts::LossCount;
use crate::report::write_pretty;

use super::client_faults::{self, AgentFault};
use super::description::ResumeHint;
use super::scan::Scan;
use super::session::Session;
use super::treatment::{Treatment, TreatmentOutcome};

/// Version of the contract.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'d> {
    version: u32,
    agents: Vec<AgentEntry>,
    sessions: Vec<SessionEntry<'d>>,
}

#[derive(Serialize)]
struct AgentEntry {
    agent: &'static str,
    name: &'static str,
    sessions: u64,
    broken: u64,
    /// The faults of its versions that belong to the errors of these.
    faults: Vec<Value>,
}

#[derive(Serialize)]
struct SessionEntry<'d> {
    agent: &'static str,
    path: &'d str,
    id: Option<&'d str>,
    modified: String,
    message: &'d str,
    errors: Vec<RuleEntry>,
    turns_lost: Option<u32>,
    repair: Option<RepairEntry>,
    repaired: bool,
    backup: Option<String>,
    copy: Option<String>,
    resume: Option<String>,
    reason: Option<&'d str>,
}

#[derive(Serialize)]
struct RuleEntry {
    rule: String,
    name: &'static str,
    count: u64,
}

#[derive(Serialize)]
struct RepairEntry {
    added: u64,
    removed: u64,
    moved: u64,
    rewritten: u64,
    lost: Vec<LossCount>,
    errors_left: usize,
    is_copy: bool,
}

/// Writes the document. `done` is about the first broken session, `treatments` are those of the others.
pub(super) fn write(
    scan: &Scan,
    done: Option<&(Treatment, TreatmentOutcome)>,
    treatments: &[Treatment],
    out: &mut dyn Write,
) -> io::Result<()> {
    let agents = scan.agents.iter().map(|known| AgentEntry {
        agent: known.agent.id,
        name: known.agent.name,
        sessions: known.sessions,
        broken: known.broken(scan),
        faults: client_faults::of_agent(known, scan).iter().map(AgentFault::to_json).collect(),
    });
    let first = done.iter().map(|(treatment, done)| (treatment, Some(done)));
    let planned = first.chain(treatments.iter().map(|treatment| (treatment, None)));
    let sessions =
        scan.broken.iter().zip(planned).map(|(session, (treatment, done))| entry(session, treatment, done));
    let document = Document { version: VERSION, agents: agents.collect(), sessions: sessions.collect() };
    write_pretty(&serde_json::to_value(document)?, out)
}

fn entry<'d>(session: &'d Session, treatment: &Treatment, done: Option<&'d TreatmentOutcome>) -> SessionEntry<'d> {
    let (result, reason) = match done {
        Some(TreatmentOutcome::Repaired(result)) => (Some(result), None),
        Some(TreatmentOutcome::Left(why)) => (None, Some(why.as_str())),
        None => (None, None),
    };
    let copy = result.and_then(|result| result.copy.as_ref());
    let fault = session.fault.as_ref();
    let rules = fault.iter().flat_map(|fault| &fault.rules);
    let counts = &treatment.counts;
    let repair = (counts.total() > 0).then(|| RepairEntry {
        added: counts.stubbed,
        removed: counts.dropped,
        moved: counts.moved,
        rewritten: counts.rewritten,
        lost: counts.lost.list(),
        errors_left: treatment.remaining.len(),
        is_copy: treatment.is_copy,
    });
    SessionEntry {
        agent: session.agent.id,
        path: &session.label,
        id: session.id.as_deref(),
        modified: format_iso(session.modified),
        message: fault.map_or("", |fault| &fault.message),
        errors: rules
            .map(|rule| RuleEntry { rule: rule.rule.to_string(), name: rule.name, count: rule.count })
            .collect(),
        turns_lost: treatment.turns_lost,
        repair,
        repaired: result.is_some_and(|result| result.errors_left == 0),
        backup: result.and_then(|result| Some(result.backup.as_ref()?.to_string_lossy().into_owned())),
        copy: copy.map(|copy| copy.path.to_string_lossy().into_owned()),
        resume: match ResumeHint::of(session, copy) {
            ResumeHint::Command { line, .. } => Some(line),
            ResumeHint::List | ResumeHint::Unknown => None,
        },
        reason,
    }
}
