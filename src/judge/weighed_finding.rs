//! A finding with its severity at a target.
#![expect(clippy::indexing_slicing, reason = "the table of rules is never empty")]

use crate::history::{Code, Finding, Remedy, RepairAct, codes};
use crate::rule::{Autofix, Loss, Rule, RuleTag};
use crate::rules::{self, RULES};
use crate::target::{Severity, Target};

/// The variants of rules by which a resume does not reach all messages.
const LOSES_MESSAGES: [(Code, u8); 2] = [(codes::MISSING_PARENT, 1), (codes::PHANTOM_PARENT, 0)];

/// A finding with its severity at a target.
#[derive(Clone, Copy)]
pub struct WeighedFinding {
    pub finding: Finding,
    pub severity: Severity,
    pub target: &'static Target,
    /// Number of the history in the doc, from 0; `None` for what concerns a record or the doc.
    pub history: Option<u32>,
    /// The loss of the fix.
    pub loss: Loss,
    /// True if the fix drops reasoning or hosted calls of the group, which cannot be replayed without ids.
    pub flattens: bool,
}

impl WeighedFinding {
    pub fn rule(&self) -> &'static Rule {
        // Every code that a rule raises is in the table; a test ensures it.
        rules::by_code(self.finding.code).unwrap_or(RULES[0])
    }

    pub fn variant(&self) -> &'static crate::rule::Variant {
        self.rule().variant(self.finding.variant)
    }

    /// Description of the fix for the user.
    pub fn fix_title(&self) -> &'static str {
        if let Remedy::One(RepairAct::RepairStored(what)) = self.finding.remedy {
            return what;
        }
        match self.flattens {
            true => "remove the ids of the group; drop what cannot be replayed without its id",
            false => self.variant().fix,
        }
    }

    /// True if there is a fix, default or not.
    pub fn has_fix(&self) -> bool {
        !matches!(self.finding.remedy, Remedy::Never(_)) && !self.variant().fix.is_empty()
    }

    /// True if `fix` makes the fix by default.
    pub fn is_fixed_by_default(&self) -> bool {
        self.has_fix()
            && match self.variant().autofix {
                Autofix::Error => self.severity == Severity::Error,
                Autofix::Always => self.severity >= Severity::Warning,
                Autofix::Notes => true,
                Autofix::OnRequest | Autofix::Flag => false,
            }
    }

    /// True if its fix changes the text of the file, but not its content.
    pub fn is_about_text(&self) -> bool {
        self.rule().has_tag(RuleTag::Container)
    }

    /// The flag that enables a fix which is not a default; `None` if it is, or if no flag does.
    pub fn flag(&self) -> Option<&'static str> {
        match self.severity {
            _ if !self.has_fix() || self.is_fixed_by_default() => None,
            _ if self.variant().autofix == Autofix::Flag => Some("--acknowledge-safety"),
            Severity::Info if self.rule().has_tag(RuleTag::Reasoning) => Some("--reasoning strip"),
            Severity::Info if !self.is_about_text() => None,
            Severity::Info | Severity::Warning | Severity::Error => Some("--fix-warnings"),
        }
    }

    /// True if it is counted, and has a fix that only a flag enables.
    pub fn needs_flag(&self) -> bool {
        self.severity > Severity::Info && self.flag().is_some()
    }

    /// Sorts findings. Those of one history are sorted already, and sorting takes memory.
    pub fn sort(findings: &mut [WeighedFinding]) {
        if !findings.is_sorted_by_key(WeighedFinding::sort_key) {
            findings.sort_by_key(WeighedFinding::sort_key);
        }
    }

    /// The key by which findings of a doc are sorted. Whatever is said about messages that are not sent at all comes second.
    pub fn sort_key(&self) -> (bool, u64, Code, u8) {
        let loses_messages = LOSES_MESSAGES.contains(&(self.finding.code, self.finding.variant));
        (!loses_messages, self.finding.row.at.start, self.finding.code, self.finding.variant)
    }
}
