//! The command that heals: each that may is tried on the file in memory, and the first after which the rule finds
//! nothing any more is printed.

use std::io;

use crate::history::Code;
use crate::judge::Options;
use crate::repair;
use crate::repair::{FixOptions, Reasoning};
use crate::source::Doc;
use crate::target::Severity;

/// Flags of `fix`, and what they mean.
fn ways() -> [(&'static str, FixOptions); 4] {
    let own = FixOptions::default();
    [
        ("", own.clone()),
        (" --fix-warnings", FixOptions { warnings: true, ..own.clone() }),
        (" --acknowledge-safety", FixOptions { acknowledge_safety: true, ..own.clone() }),
        (" --reasoning strip", FixOptions { reasoning: Reasoning::Strip, ..own }),
    ]
}

/// What heals a file of a rule.
pub(super) struct Heals {
    /// Flags of `fix`, each with a space in front.
    pub flags: String,
    /// What it changes.
    pub changes: usize,
}

/// The first way after which no rule of `codes` finds anything. `judged` are the options that the way is judged by, with
/// the flags that say so on the command line.
pub(super) fn heals(doc: &Doc, codes: &[Code], judged: &[(String, Options)]) -> io::Result<Option<Heals>> {
    for (said, options) in judged {
        for (flags, wanted) in ways() {
            let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
            if fixed.patch.is_empty() {
                continue;
            }
            let left = fixed.left().judged.iter();
            let mut left =
                left.filter(|left| codes.contains(&left.finding.code) && left.severity > Severity::Info);
            if left.next().is_none() {
                return Ok(Some(Heals { flags: format!("{said}{flags}"), changes: fixed.changes.len() }));
            }
        }
    }
    Ok(None)
}

/// What taking out all reasoning changes; `None` if it changes nothing.
pub(super) fn strips(doc: &Doc, options: &Options) -> io::Result<Option<Heals>> {
    let wanted = FixOptions { reasoning: Reasoning::Strip, ..FixOptions::default() };
    let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
    let heals = Heals { flags: " --reasoning strip".to_owned(), changes: fixed.changes.len() };
    Ok((!fixed.patch.is_empty()).then_some(heals))
}
