//! The search for broken sessions: every session is judged as its agent sends it.

use std::io;

use crate::convert;
use crate::format::agent::Agent;
use crate::history::{Code, Version};
use crate::judge::{JudgedDoc, Options, WeighedFinding};
use crate::options::UsageError;
use crate::report::client_versions::faults_of_findings;
use crate::report::{ContentDisplay, diagnose_some};
use crate::rule::RuleTag;
use crate::rules::sessions::{phantom_parent, unknown_rewind};
use crate::rules::trees::{cycle, missing_parent};
use crate::source::{Doc, Input, describe_error};
use crate::target::Severity;

use crate::commands::agent_folders::AgentStore;
use crate::commands::run::labels::label_of;
use crate::commands::run::walked_files;
use crate::commands::{Failure, Run, print_error};
use crate::formats::agents::resume::agent_of;

use super::session::{Facts, Fault, JudgedSession, RuleCount, Session, is_named_like_one};
use super::treatment::Treatment;

/// The sessions that were looked at.
#[derive(Default)]
pub(super) struct Scan {
    /// The agents with sessions.
    pub agents: Vec<AgentCount>,
    /// The broken sessions, the newest first.
    pub broken: Vec<Session>,
    /// The last healthy session, or one of which a repaired copy exists.
    pub healthy: Option<Session>,
    /// A file could not be read, which was reported.
    pub failed: bool,
}

/// The number of sessions of an agent.
pub(super) struct AgentCount {
    pub agent: &'static Agent,
    pub sessions: u64,
    /// The newest version that wrote one of them.
    pub newest: Option<Version>,
}

impl AgentCount {
    /// The number of its broken sessions.
    pub fn broken(&self, scan: &Scan) -> u64 {
        scan.broken.iter().filter(|session| session.agent.id == self.agent.id).count() as u64
    }
}

/// Rules about messages that the next request does not contain.
const LOSES_TURNS: [Code; 4] =
    [phantom_parent::RULE.code, missing_parent::RULE.code, unknown_rewind::RULE.code, cycle::RULE.code];

impl Scan {
    /// Judges the sessions among some inputs; those of one agent, if they are from its store.
    pub fn add(&mut self, run: &Run, inputs: &[Input], store: Option<&AgentStore>) {
        let work = |doc: io::Result<Doc>, threads: usize| judge(run, &doc?, store, threads);
        run.each_doc(inputs, work, |input, judged| {
            match judged {
                Ok(None) => {}
                Ok(Some(judged)) => self.add_session(input, judged),
                Err(error) => {
                    print_error(&describe_error(&label_of(input), &error));
                    self.failed = true;
                }
            }
            true
        });
    }

    fn add_session(&mut self, input: &Input, judged: JudgedSession) {
        let agent = judged.agent;
        match self.agents.iter_mut().find(|known| known.agent.id == agent.id) {
            Some(known) => {
                known.sessions += 1;
                known.newest = known.newest.max(judged.version);
            }
            None => self.agents.push(AgentCount { agent, sessions: 1, newest: judged.version }),
        }
        let session = Session::new(input, judged);
        match session.fault {
            Some(_) => self.broken.push(session),
            None => self.healthy = Some(session),
        }
    }

    /// Sorts the broken sessions, without those of which a repaired copy exists.
    ///
    /// # Errors
    ///
    /// If there is no session.
    pub fn finish(&mut self, run: &Run) -> Result<(), Failure> {
        for mut session in std::mem::take(&mut self.broken) {
            if session.has_numbered_lines {
                session.copy = Treatment::plan(run, &session)?.find_copy()?;
            }
            match session.copy {
                Some(_) => self.healthy = Some(session),
                None => self.broken.push(session),
            }
        }
        // Transcripts of subagents have no id by which they are resumed.
        self.broken.sort_by_key(|session| std::cmp::Reverse((session.is_resumable(), session.modified)));
        match self.agents.is_empty() && !self.failed {
            true => Err(UsageError::new("no agent sessions found").into()),
            false => Ok(()),
        }
    }
}

/// Judges a document; `None` if it is not a session of the agent.
fn judge(run: &Run, doc: &Doc, store: Option<&AgentStore>, threads: usize) -> io::Result<Option<JudgedSession>> {
    let options = run.lints.options_for(&doc.label);
    let mut found = convert::check(doc.id, &*doc.bytes, options, threads)?;
    let agent = match (found.format.and_then(|format| agent_of(format.info().name)), store) {
        (Some(agent), None) => agent,
        (Some(agent), Some(store)) if agent.id == store.agent.id => agent,
        (None, Some(store)) if found.format.is_none() && is_damaged_session(doc, options, store, &mut found)? => {
            store.agent
        }
        _ => return Ok(None),
    };
    let errors = || found.findings.iter().filter(|judged| judged.severity == Severity::Error);
    let first = errors().min_by_key(|judged| urgency(judged)).copied();
    let fault = match first {
        Some(first) => {
            let some = std::slice::from_ref(&first);
            let diagnostics = diagnose_some(doc.id, &doc.label, &*doc.bytes, &found, some, ContentDisplay::None)?;
            let message = diagnostics.into_iter().next().map(|diagnostic| diagnostic.message);
            Some(Fault {
                loses_turns: LOSES_TURNS.contains(&first.finding.code),
                is_damage: is_damage(&first),
                message: message.unwrap_or_default(),
                rules: RuleCount::of(errors()),
            })
        }
        None => None,
    };
    let has_numbered_lines = found.format.is_some_and(|format| format.info().numbered_lines.is_some());
    let facts = Facts::of(doc, agent);
    let version = found.agent_version;
    let codes = errors().map(|judged| (judged.finding.code, judged.finding.variant));
    let client_faults = version.map_or(Vec::new(), |version| faults_of_findings(agent.id, version, codes));
    Ok(Some(JudgedSession { agent, facts, fault, version, client_faults, has_numbered_lines }))
}

/// True if a file of a store that was not recognised is a damaged session: it is named like one, or what can be read of it
/// looks like one.
fn is_damaged_session<T>(
    doc: &Doc,
    options: &Options,
    store: &AgentStore,
    found: &mut JudgedDoc<T>,
) -> io::Result<bool> {
    if found.first_error().is_none() || doc.bytes.is_empty() {
        return Ok(false);
    }
    if is_named_like_one(store.agent, doc) {
        return Ok(true);
    }
    let damage = walked_files::damage(doc, options, found, ContentDisplay::None)?;
    Ok(damage.is_some_and(|diagnostics| walked_files::was_conversation(&diagnostics)))
}

/// What is said first has the lowest number: damage may be the cause of everything else, and messages that are not sent
/// are missed by nobody.
fn urgency(judged: &WeighedFinding) -> u8 {
    match () {
        () if is_damage(judged) => 0,
        () if LOSES_TURNS.contains(&judged.finding.code) => 1,
        () => 2,
    }
}

/// True if a finding is about the bytes of the file.
fn is_damage(judged: &WeighedFinding) -> bool {
    judged.rule().has_tag(RuleTag::Container)
}
