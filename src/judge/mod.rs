//! Runs the rules over histories: findings with their severity. `check`, `fix` and every other command share it.

mod agent_acts;
mod collect;
mod doc;
mod enabled_rules;
mod evaluate;
mod items;
mod proven;
mod sent_rows;
mod text_access;
mod weighed_finding;

use foldhash::HashMap;

use crate::format::{Format, FormatInfo};
use crate::history::{Code, Finding, History, UnsentItem, Version};
use crate::place::Place;
use crate::read;
use crate::read::SkippedRecord;
use crate::rule::{AgeLimit, RuleContext};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::{Severity, Target};
use crate::targets::media::MediaProfile;
use crate::targets::{self, models};

pub use agent_acts::rules_of_defect;
pub use collect::{HistoryCollector, HistoryRows, structural_options, visit_parts};
pub use doc::{judge, judge_in_container, judge_streaming};
pub use enabled_rules::EnabledRules;
pub use evaluate::{Evaluation, levels, shares_dialect};
pub use weighed_finding::WeighedFinding;

/// Options of judging: facts about the files that the user gave, and the enabled rules.
#[derive(Clone)]
pub struct Options {
    pub read: read::Options,
    pub target: Option<&'static Target>,
    pub store: Option<bool>,
    pub model: Option<String>,
    /// The model that a conversation goes on with.
    pub next: Option<NextModel>,
    /// A conversation goes on in another account than it was made in.
    pub account_changed: bool,
    /// The schemas of items.
    pub schemas: Schemas,
    /// Stored items older than this are reported.
    pub age: Option<AgeLimit>,
    pub enabled: EnabledRules,
}

/// The model that a conversation goes on with, whatever model made it.
#[derive(Clone, Debug, Default)]
pub struct NextModel {
    /// `None` if only the API is known.
    pub name: Option<String>,
    /// The API that serves it; `None` for the one of its maker, or of the conversation.
    pub target: Option<&'static Target>,
}

impl Options {
    /// The model that a converted conversation names: that of `--for`, else that of `--model`.
    pub fn written_model(&self) -> Option<&str> {
        self.next.as_ref().and_then(|next| next.name.as_deref()).or(self.model.as_deref())
    }

    /// The target that the user names for histories of a format, with `--target` or `--for`; `None` for their own.
    pub fn named_target(&self, info: &FormatInfo) -> Option<&'static Target> {
        self.target.or_else(|| {
            let next = self.next.as_ref()?;
            let dialect = targets::by_name(info.target)?.dialect;
            let model = || next.name.as_deref();
            let home = || models::home_target(model()?, dialect);
            next.target.or_else(home).or_else(|| models::foreign_home(model()?, dialect))
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            read: read::Options::default(),
            target: None,
            store: None,
            model: None,
            next: None,
            account_changed: false,
            schemas: Schemas::Official,
            age: None,
            enabled: EnabledRules::default(),
        }
    }
}

/// A judged history, with what is needed to judge others in the same way.
pub struct JudgedHistory<'c> {
    pub cx: &'c RuleContext<'c>,
    pub info: &'static FormatInfo,
    /// The findings, in the order in which they are printed; empty if histories are not judged.
    pub findings: &'c [WeighedFinding],
    /// Number of the history in the doc.
    pub number: u32,
    /// True if its record is read by itself, and has no other history.
    pub is_alone: bool,
    pub options: &'c Options,
    evaluation: &'c Evaluation<'c>,
}

impl JudgedHistory<'_> {
    /// The target that the history is judged for.
    pub fn target(&self) -> &'static Target {
        self.evaluation.target
    }

    /// What the target, and the model of the history, take of media.
    pub fn media_profile(&self) -> MediaProfile {
        MediaProfile::of(self.evaluation.target, self.evaluation.model)
    }

    /// Judges a changed version of the history, or a part of it. `items` are the findings on its items; `enabled`
    /// are the rules, if not those of the run.
    pub fn judge_rows(
        &self,
        history: &History,
        items: &[Finding],
        enabled: Option<&EnabledRules>,
    ) -> Vec<WeighedFinding> {
        let evaluation = self.evaluation.for_history(history);
        let cx = evaluation.context(self.cx.text, self.cx.stored_items);
        let enabled = enabled.unwrap_or(&self.options.enabled);
        evaluation.judge(&cx, items, self.options, enabled, self.number).0
    }
}

/// Visitor of histories; it gets each history once it is judged, on the thread that judged it.
pub trait HistoryVisitor: Sync {
    type Output: Send;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Self::Output>;

    /// True if histories are judged before they are visited; otherwise they are only assembled.
    fn needs_findings(&self) -> bool {
        true
    }

    /// Adds the number of histories in the stretches before to that of an output.
    fn renumber(made: &mut Self::Output, by: u32);

    /// Adds the number of records in the stretches before.
    fn renumber_records(_made: &mut Self::Output, _by: u32) {}
}

/// A visitor that only judges and has no output.
pub struct FindingsOnly;

impl HistoryVisitor for FindingsOnly {
    type Output = ();

    fn visit(&self, _: &JudgedHistory<'_>) -> Option<()> {
        None
    }

    fn renumber(_: &mut (), _: u32) {}
}

/// A doc that was judged.
pub struct JudgedDoc<T> {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    /// The newest version of an agent that it names.
    pub agent_version: Option<Version>,
    /// The targets that its histories were judged for; several if they name different providers.
    pub targets: Vec<&'static str>,
    /// The schemas that items were checked against.
    pub schemas: Schemas,
    /// The findings, in the order in which they are printed.
    pub findings: Vec<WeighedFinding>,
    /// The outputs of the [`HistoryVisitor`], in the order of the histories.
    pub outputs: Vec<T>,
    pub records: u32,
    pub histories: u32,
    pub items: u64,
    /// True if `slim` replaced items by references.
    pub slimmed: bool,
    /// True if a record may contain a reference of `slim`.
    pub may_have_references: bool,
    /// True if no history depends on items elsewhere in the doc.
    pub is_self_contained: bool,
    /// Rows that are never sent, by their names, and why.
    pub unsent: Vec<UnsentItem>,
    /// Offsets and numbers of lines, one every few kilobytes.
    pub lines: Vec<(u64, u64)>,
    /// Records that were skipped because of a bug in replaylint.
    pub bugs: Vec<SkippedRecord>,
    /// What a conversion writes instead of old values; empty after a check.
    pub new_values: NewValues,
}

/// The values that a conversion writes instead of others, by the place, the code and the variant of the finding.
pub type NewValues = HashMap<(Place, Code, u8), Box<str>>;

impl<T> JudgedDoc<T> {
    /// The same doc with other outputs.
    pub fn with_outputs<U>(&self, outputs: Vec<U>) -> JudgedDoc<U> {
        JudgedDoc {
            container: self.container,
            format: self.format,
            agent_version: self.agent_version,
            targets: self.targets.clone(),
            schemas: self.schemas.clone(),
            findings: self.findings.clone(),
            outputs,
            records: self.records,
            histories: self.histories,
            items: self.items,
            slimmed: self.slimmed,
            may_have_references: self.may_have_references,
            is_self_contained: self.is_self_contained,
            unsent: self.unsent.clone(),
            lines: self.lines.clone(),
            bugs: self.bugs.clone(),
            new_values: self.new_values.clone(),
        }
    }

    /// Name of the format.
    pub fn format_name(&self) -> Option<&'static str> {
        self.format.map(|format| format.info().name)
    }

    /// True if each line is a conversation of its own, independent of all other lines.
    pub fn is_by_line(&self) -> bool {
        let by_itself = |format: &'static dyn Format| {
            !format.info().histories.span_records()
                && !format.layout().is_translated()
                && format.layout().reduction().is_none()
        };
        self.format.is_some_and(by_itself)
            && matches!(self.container, Container::Lines { .. })
            && self.is_self_contained
    }

    /// The first finding that is an error.
    pub fn first_error(&self) -> Option<&WeighedFinding> {
        self.findings.iter().find(|judged| judged.severity == Severity::Error)
    }
}
