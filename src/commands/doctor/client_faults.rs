//! What the versions of the agents have to do with the faults of their broken sessions, and whether an update mends them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::Version;
use crate::report::client_versions::ClientFault;
use crate::report::words::{count, write_wrapped};
use crate::rules::by_code;

use super::scan::{AgentCount, Scan};

/// A fault of an agent, and its broken sessions with it.
pub(super) struct AgentFault {
    pub fault: &'static ClientFault,
    /// The versions that wrote them, the newest first.
    versions: Vec<Version>,
    sessions: u64,
}

/// The faults of an agent in its broken sessions: first those that a version mends, the newest of these first.
pub(super) fn of_agent(known: &AgentCount, scan: &Scan) -> Vec<AgentFault> {
    let mut all: Vec<AgentFault> = Vec::new();
    for session in scan.broken.iter().filter(|session| session.agent.id == known.agent.id) {
        let Some(version) = session.version else { continue };
        for fault in &session.client_faults {
            let at = all.iter().position(|other| std::ptr::eq(other.fault, *fault)).unwrap_or(all.len());
            if at == all.len() {
                all.push(AgentFault { fault, versions: Vec::new(), sessions: 0 });
            }
            if let Some(found) = all.get_mut(at) {
                found.sessions += 1;
                found.versions.push(version);
            }
        }
    }
    for found in &mut all {
        found.versions.sort_unstable_by(|a, b| b.cmp(a));
        found.versions.dedup();
    }
    all.sort_by_key(|found| found.fault.urgency());
    all
}

impl AgentFault {
    pub fn to_json(&self) -> Value {
        let mut value = self.fault.to_json();
        if let Some(members) = value.as_object_mut() {
            members.insert(
                "versions".to_owned(),
                json!(self.versions.iter().map(Version::to_string).collect::<Vec<_>>()),
            );
            members.insert("sessions".to_owned(), json!(self.sessions));
        }
        value
    }
}

/// Prints the most urgent fault of each agent.
pub(super) fn write(scan: &Scan, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for known in &scan.agents {
        let faults = of_agent(known, scan);
        let Some(AgentFault { fault, versions, sessions }) = faults.first() else { continue };
        let (Some(version), Some(rule)) = (versions.first(), by_code(fault.rule)) else { continue };
        let wrote = if versions.len() == 1 { "it" } else { "it and older versions" };
        let whose = format!("{wrote} wrote {}", count(*sessions, "broken session"));
        let is_updated = known.newest.is_some_and(|newest| fault.mended.is_some_and(|mended| newest >= mended));
        let what = format!("{} {}", rule.code, rule.name);
        writeln!(out)?;
        write_wrapped(&fault.sentence(*version, &whose, &what, is_updated), width, "", "", out)?;
    }
    Ok(())
}
