//! The command that repairs an error: candidates are tried on the file in memory, and the first one after which the rules
//! find nothing is chosen.

use std::io;

use crate::history::Code;
use crate::judge::Options;
use crate::repair;
use crate::repair::{FixOptions, Reasoning};
use crate::source::Doc;
use crate::target::Severity;

/// Candidate flags of `fix`, and their options.
fn candidate_flags() -> [(&'static str, FixOptions); 4] {
    let own = FixOptions::default();
    [
        ("", own.clone()),
        (" --fix-warnings", FixOptions { warnings: true, ..own.clone() }),
        (" --acknowledge-safety", FixOptions { acknowledge_safety: true, ..own.clone() }),
        (" --reasoning strip", FixOptions { reasoning: Reasoning::Strip, ..own }),
    ]
}

/// The flags of `fix` that repair a file.
pub(super) struct RepairCommand {
    /// Flags of `fix`, each after a space.
    pub flags: String,
    /// Number of changes.
    pub changes: usize,
}

/// The first candidate after which no rule of `codes` finds anything. `judged` are the options to judge with, and their
/// flags; `None` if no candidate works.
pub(super) fn find_repair(
    doc: &Doc,
    codes: &[Code],
    judged: &[(String, Options)],
) -> io::Result<Option<RepairCommand>> {
    for (judge_flags, options) in judged {
        for (flags, wanted) in candidate_flags() {
            let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
            if fixed.patch.is_empty() {
                continue;
            }
            let remaining = fixed.remaining().findings.iter();
            let mut remaining = remaining
                .filter(|weighed| codes.contains(&weighed.finding.code) && weighed.severity > Severity::Info);
            if remaining.next().is_none() {
                return Ok(Some(RepairCommand {
                    flags: format!("{judge_flags}{flags}"),
                    changes: fixed.changes.len(),
                }));
            }
        }
    }
    Ok(None)
}

/// The command that removes all reasoning; `None` if there is none to remove.
pub(super) fn strip_reasoning(doc: &Doc, options: &Options) -> io::Result<Option<RepairCommand>> {
    let wanted = FixOptions { reasoning: Reasoning::Strip, ..FixOptions::default() };
    let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
    let repair = RepairCommand { flags: " --reasoning strip".to_owned(), changes: fixed.changes.len() };
    Ok((!fixed.patch.is_empty()).then_some(repair))
}
