//! A finding with its weight.
#![expect(clippy::indexing_slicing, reason = "the table of rules is never empty")]

use crate::history::{Act, Code, Finding, Remedy};
use crate::rule::{About, Loss, Rule, When};
use crate::rules::{self, RULES};
use crate::target::{Severity, Target};

/// A finding with its weight.
#[derive(Clone, Copy)]
pub struct Judged {
    pub finding: Finding,
    pub severity: Severity,
    pub target: &'static Target,
    /// Number of the history in the doc, from 0; `None` for what concerns a record or the doc.
    pub history: Option<u32>,
    /// What the fix loses.
    pub loss: Loss,
    /// The item's group cannot live without its ids as it is: the fix drops its reasoning or its hosted calls.
    pub flattens: bool,
}

impl Judged {
    pub fn rule(&self) -> &'static Rule {
        // Every code that a rule raises is in the table; a test holds it so.
        rules::by_code(self.finding.code).unwrap_or(RULES[0])
    }

    pub fn variant(&self) -> &'static crate::rule::Variant {
        self.rule().variant(self.finding.variant)
    }

    /// What the fix does, in words.
    pub fn fix_title(&self) -> &'static str {
        if let Remedy::One(Act::Stored(what)) = self.finding.remedy {
            return what;
        }
        match self.flattens {
            true => "remove the ids of the group; drop what cannot be replayed without its id",
            false => self.variant().fix,
        }
    }

    /// Whether there is a repair, default or not.
    pub fn has_fix(&self) -> bool {
        !matches!(self.finding.remedy, Remedy::Never(_)) && !self.variant().fix.is_empty()
    }

    /// Whether `fix` makes the repair without being asked for it.
    pub fn is_fixed_by_default(&self) -> bool {
        self.has_fix()
            && match self.variant().when {
                When::Error => self.severity == Severity::Error,
                When::Always => self.severity >= Severity::Warning,
                When::Asked | When::Flag => false,
            }
    }

    /// Its repair changes the text of the file and nothing that is said in it.
    pub fn is_about_text(&self) -> bool {
        self.rule().is_about(About::Container)
    }

    /// The flag that a fix needs which is not made by default; `None` if it is, or if none makes it.
    pub fn flag(&self) -> Option<&'static str> {
        match self.severity {
            _ if !self.has_fix() || self.is_fixed_by_default() => None,
            _ if self.variant().when == When::Flag => Some("--acknowledge-safety"),
            Severity::Info if self.rule().is_about(About::Reasoning) => Some("--reasoning strip"),
            Severity::Info if !self.is_about_text() => None,
            Severity::Info | Severity::Warning | Severity::Error => Some("--fix-warnings"),
        }
    }

    /// The key by which findings of a doc are printed.
    pub fn order(&self) -> (u64, Code, u8) {
        (self.finding.row.at.start, self.finding.code, self.finding.variant)
    }
}
