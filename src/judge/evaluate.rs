//! Evaluates a history: the rules raise findings, target and settings determine their severity.
#![expect(
    clippy::indexing_slicing,
    reason = "the tables of targets and codes are never empty, and groups are ranges of the rows of their history"
)]

use std::borrow::Cow;

use foldhash::HashMap;

use crate::format::FormatInfo;
use crate::formats::agents::resume::AgentAct;
use crate::history::{
    BlockFlags, Code, Finding, Flags, History, Kind, Pairing, REFER, Remedy, RepairAct, RequestFlags, Row,
    StoredItems, Usage, codes, work_counter,
};
use crate::place::Place;
use crate::rule::{AgeLimit, Check, FindingSink, ItemText, Loss, Rule, RuleContext, RuleTag};
use crate::rules;
use crate::rules::items::schema_violation;
use crate::rules::{fields, media_pass};
use crate::target::{Levels, Severity, Target, Thinking, Trait, Traits};
use crate::targets::media::MediaProfile;
use crate::targets::{self, models};

use super::enabled_rules::EnabledRules;
use super::sent_rows::sent_rows;
use super::weighed_finding::WeighedFinding;
use super::{Options, agent_acts, proven};

/// The levels of a variant of a rule at a target.
pub fn levels(rule: &Rule, variant: u8, target: &Target) -> Levels {
    if !rule.judges(target.dialect) {
        return Levels::OFF;
    }
    target.verdict(rule.code, variant).map_or(rule.variant(variant).levels, |verdict| verdict.levels)
}

/// Evaluation of one history: everything that determines the severity of its findings.
pub struct Evaluation<'h> {
    pub target: &'static Target,
    pub stored: bool,
    pub thinking: Thinking,
    pub traits: Traits,
    /// The words for the effort that the model accepts.
    efforts: Option<&'static [&'static str]>,
    /// Of the history, else from the options.
    pub(super) model: Option<&'h str>,
    pub history: &'h History,
    age: Option<AgeLimit>,
    /// The history goes on in another account than it was made in.
    account_changed: bool,
    /// What the agent of the session does about defects.
    agent_acts: Vec<AgentAct>,
    pairing: Pairing,
    /// The dialect of both the history and the target; empty if these differ.
    dialect: &'static str,
    /// Offsets of the first and the last unreadable record of a tree.
    gaps: Option<(u64, u64)>,
}

/// Rules about single items, each with the trait of the models that they do not hold for.
const EXEMPT: [(Code, Trait); 1] = [(codes::ANTHROPIC_UNSIGNED_THINKING, Trait::UnsignedReasoning)];

/// True if the histories of a format are in the dialect of a target; otherwise they must be converted first.
pub fn shares_dialect(info: &FormatInfo, target: &Target) -> bool {
    targets::by_name(info.target).is_none_or(|own| own.dialect == target.dialect)
}

/// The target of a history if the user names none: the one that its log names, else the server of the maker of its
/// model, else the default of its format.
fn default_target(named: Option<&str>, info: &FormatInfo, model: Option<&str>) -> Option<&'static Target> {
    let usual = targets::by_name(named.unwrap_or(info.target))?;
    let is_openai = named.is_none() && ["openai", "chat"].contains(&usual.name);
    model.filter(|_| is_openai).and_then(|model| models::home_target(model, usual.dialect)).or(Some(usual))
}

/// True if two targets are not the same provider with the same keys and stored items.
fn changes_provider(from: &Target, to: &Target) -> bool {
    const OPENAI: [&str; 3] = ["openai", "openai-stateless", "chat"];
    from.name != to.name && !(OPENAI.contains(&from.name) && OPENAI.contains(&to.name))
}

impl<'h> Evaluation<'h> {
    /// Options override the settings of the history, except for the model and its effort, which they only
    /// supplement.
    pub fn new(history: &'h History, info: &FormatInfo, options: &'h Options) -> Self {
        let settings = &history.settings;
        let next = options.next.as_ref();
        let own = settings.model.as_deref().or(options.model.as_deref());
        let model = next.and_then(|next| next.name.as_deref()).or(own);
        let former = || default_target(settings.target, info, own).unwrap_or(targets::TARGETS[0]);
        let target = match options.named_target(info) {
            // A model that its maker serves nowhere, such as one with an unknown name, stays where the history is.
            None => default_target(settings.target, info, model).unwrap_or_else(former),
            Some(named) => named,
        };
        let account_changed = options.account_changed || next.is_some() && changes_provider(former(), target);
        let stored = options.store.or(settings.store).unwrap_or(target.store);
        let is_stored = settings.usage == Usage::Log || settings.facts.has(RequestFlags::SESSION);
        let thinking = match is_stored {
            true => target.thinking_of_known(model.unwrap_or_default()),
            false => target.thinking(model.unwrap_or_default()),
        };
        let own = model.map(|model| models::traits_in(target.dialect, model)).unwrap_or_default();
        let traits = target.traits(model).with(own);
        let traits = traits.with(proven::traits(options.enabled.proven()));
        let efforts = model.and_then(|model| models::efforts_in(target.dialect, model));
        let dialect = if shares_dialect(info, target) { target.dialect } else { "" };
        let agent_acts = options.read.agent_acts(info.name, settings.agent_version);
        let gaps = settings.gaps.iter().min().copied().zip(settings.gaps.iter().max().copied());
        Evaluation {
            target,
            stored,
            thinking,
            traits,
            efforts,
            model,
            history,
            age: options.age,
            account_changed,
            agent_acts,
            pairing: info.dialect.info().pairing,
            dialect,
            gaps,
        }
    }

    /// The same evaluation for another history.
    pub fn for_history<'o>(&self, history: &'o History) -> Evaluation<'o>
    where
        'h: 'o,
    {
        Evaluation { history, agent_acts: self.agent_acts.clone(), ..*self }
    }

    pub fn context(&self, look: &'h dyn ItemText, known: &'h StoredItems) -> RuleContext<'h> {
        RuleContext {
            history: self.history,
            caps: self.target.caps,
            stored: self.stored,
            thinking: self.thinking,
            traits: self.traits,
            efforts: self.efforts,
            account_changed: self.account_changed,
            age_limit: self.age,
            text: look,
            stored_items: known,
        }
    }

    /// Judges the history as its agent sends it. Returns the findings in the order in which they are printed, and the ids
    /// of items without their reasoning. `items` are the findings on its items.
    pub fn judge(
        &self,
        cx: &RuleContext<'_>,
        items: &[Finding],
        options: &Options,
        enabled: &EnabledRules,
        number: u32,
    ) -> (Vec<WeighedFinding>, Vec<u64>) {
        let (mut judged, without_reasoning) = self.judge_rows(cx, items, enabled, number);
        // What seems to have no call may have it in the file that the log continues.
        let is_whole = self.history.settings.window().is_none() && !self.history.settings.broken;
        let rows =
            (is_whole && !self.agent_acts.is_empty()).then(|| sent_rows(self.history, &self.agent_acts)).flatten();
        if let Some(rows) = rows {
            let sent = History::new(rows, self.history.settings.clone(), self.pairing);
            let evaluation = self.for_history(&sent);
            let cx = RuleContext { history: &sent, ..*cx };
            let of_sent = evaluation.judge_rows(&cx, &findings_on_rows(&sent, items), enabled, number).0;
            agent_acts::keep_sent(&mut judged, of_sent, &self.agent_acts);
        }
        agent_acts::apply(&mut judged, Some(number), &self.agent_acts, options);
        WeighedFinding::sort(&mut judged);
        (judged, without_reasoning)
    }

    /// Runs the rules over the rows of the history.
    fn judge_rows(
        &self,
        cx: &RuleContext<'_>,
        items: &[Finding],
        enabled: &EnabledRules,
        number: u32,
    ) -> (Vec<WeighedFinding>, Vec<u64>) {
        let mut out = FindingSink::default();
        for rule in enabled.history_rules(self.dialect) {
            match &rule.check {
                Check::Pair(check) => self.history.pairs.iter().for_each(|pair| check(cx, pair, &mut out)),
                Check::Group(check) => self.history.groups.iter().for_each(|group| check(cx, group, &mut out)),
                Check::History(check) => check(cx, &mut out),
                Check::Item(..) | Check::Schema(_) | Check::External => {}
            }
        }
        if fields::applies_to(self.target.dialect) {
            let weighs = |code, variant| {
                enabled.has(code) && (enabled.is_proven(code) || self.level(code, variant).is_some())
            };
            fields::report_flagged(self.history, &weighs, &mut out);
        }
        // Items of another dialect have other parts.
        if !self.dialect.is_empty() && media_pass::has_media(&self.history.rows) {
            media_pass::report(cx, &MediaProfile::of(self.target, self.model), &mut out);
        }
        let bound = self.last_bound_thinking();
        let mut groups = GroupLosses::default();
        // Most findings are reported; growing would leave half of the list empty.
        let mut judged: Vec<WeighedFinding> = Vec::with_capacity(items.len() + out.findings.len());
        let found = items
            .iter()
            .copied()
            .chain(out.findings)
            .filter(|finding| enabled.has(finding.code) && !self.is_partner_unread(finding))
            .filter_map(|finding| {
                let judges = rules::by_code(finding.code)?.judges(self.dialect);
                let severity = self.severity(&finding, enabled).filter(|_| judges)?;
                let finding = self.with_index(self.without_impossible_fix(finding));
                let (mut loss, flattens) = fix_loss(cx, &finding, &mut groups);
                if bound.is_some_and(|at| finding.row.at.start < at) && self.invalidates_signature(&finding) {
                    loss = Loss::Lossy;
                }
                Some(WeighedFinding {
                    finding,
                    severity,
                    target: self.target,
                    history: Some(number),
                    loss,
                    flattens,
                })
            });
        for found in found {
            // Where many items are wrong, most of those that are dropped below are never kept.
            let is_redundant = judged.last().is_some_and(|last| {
                is_of_field(last) && last.finding.row.at == found.finding.row.at && last.severity >= found.severity
            });
            if !is_redundant || !is_of_schema(&found) {
                judged.push(found);
            }
        }
        drop_redundant_schema_findings(&mut judged);
        judged.shrink_to_fit();
        (judged, out.without_reasoning)
    }

    /// True if a missing partner may be in an unreadable record of a tree: a call before, or an output after.
    fn is_partner_unread(&self, finding: &Finding) -> bool {
        let is_missing = || rules::by_code(finding.code).is_some_and(|rule| rule.has_tag(RuleTag::MissingPartner));
        let at = finding.row.at.start;
        self.gaps.is_some_and(|(first, last)| match finding.row.answers_call() {
            true => first < at && is_missing(),
            false => last > at && is_missing(),
        })
    }

    fn severity(&self, finding: &Finding, enabled: &EnabledRules) -> Option<Severity> {
        let rule = rules::by_code(finding.code)?;
        let level = levels(rule, finding.variant, self.target).at(self.stored);
        let facts = self.history.settings.facts;
        let is_exempt = EXEMPT.iter().any(|(code, exempt)| *code == rule.code && self.traits.has(*exempt));
        if is_exempt && !enabled.is_proven(rule.code) {
            return None;
        }
        if facts.has(RequestFlags::SESSION) && rule.has_tag(RuleTag::EndOfRequest) && !enabled.is_proven(rule.code)
        {
            return None;
        }
        if facts.has(RequestFlags::CUT) {
            return level.map(|_| Severity::Info);
        }
        match level {
            // Whatever is more than a note for some target is an error once a server has refused it.
            Some(Severity::Info)
                if rule.variant(finding.variant).levels.is_note() || !enabled.is_proven(finding.code) =>
            {
                Some(Severity::Info)
            }
            _ if enabled.is_proven(finding.code) => Some(Severity::Error),
            level => level,
        }
    }

    fn level(&self, code: Code, variant: u8) -> Option<Severity> {
        levels(rules::by_code(code)?, variant, self.target).at(self.stored)
    }

    /// Offset of the last thinking whose signature covers everything before it.
    fn last_bound_thinking(&self) -> Option<u64> {
        let is_bound = |row: &&Row| row.kind == Kind::Thinking && row.has(BlockFlags::SIGNED);
        let rows = self.history.rows.iter().rev().filter(|_| self.traits.has(Trait::BoundThinking));
        rows.into_iter().find(is_bound).map(|row| row.at.start)
    }

    /// True if the fix changes text that the signature of later thinking covers.
    fn invalidates_signature(&self, finding: &Finding) -> bool {
        match finding.remedy {
            Remedy::Never(_) => false,
            Remedy::One(RepairAct::EditValue(mend)) => !mend.keeps_signatures,
            _ => true,
        }
    }

    /// Adds the index of the item to a finding whose provider message contains one.
    fn with_index(&self, finding: Finding) -> Finding {
        let variant = rules::by_code(finding.code).map(|rule| rule.variant(finding.variant));
        if !variant.and_then(|variant| variant.api).is_some_and(|api| api.contains("{index}")) {
            return finding;
        }
        finding.arg(self.history.index_of(&finding.row))
    }

    fn without_impossible_fix(&self, finding: Finding) -> Finding {
        let settings = &self.history.settings;
        let missing = rules::by_code(finding.code).is_some_and(|rule| rule.has_tag(RuleTag::MissingPartner));
        match (finding.remedy, settings.read_only) {
            (Remedy::Never(_), _) => finding,
            (_, Some(why)) => finding.never(why),
            _ if finding.row.has(Flags::SYNTHETIC) => finding.never("the file contains only a trace of the item"),
            _ if finding.row.has(Flags::DAMAGED) => finding.never("its line must be repaired first"),
            _ if finding.row.has(Flags::FROZEN) => finding.never("its record contains bytes that are not UTF-8"),
            _ if missing && settings.broken => {
                finding.never("a record of this log could not be read and may contain the partner")
            }
            _ => finding,
        }
    }
}

/// Drops schema findings on items that have a finding of a field rule with the same or a higher severity, which is
/// more specific.
fn drop_redundant_schema_findings(judged: &mut Vec<WeighedFinding>) {
    if !judged.iter().any(is_of_schema) {
        return;
    }
    let mut reported: HashMap<Place, Severity> = HashMap::default();
    for judged in judged.iter().filter(|judged| is_of_field(judged)) {
        let finding = &judged.finding;
        let other = finding.partner.filter(|_| judged.rule().has_tag(RuleTag::FieldOfBoth));
        for at in std::iter::once(finding.row.at).chain(other) {
            let most = reported.entry(at).or_insert(judged.severity);
            *most = judged.severity.max(*most);
        }
    }
    judged.retain(|judged| {
        let is_reported = reported.get(&judged.finding.row.at).is_some_and(|most| *most >= judged.severity);
        !is_of_schema(judged) || !is_reported
    });
}

/// True if a finding is about what a schema of the provider says.
fn is_of_schema(judged: &WeighedFinding) -> bool {
    judged.finding.code == schema_violation::RULE.code && !schema_violation::is_custom(&judged.finding)
}

/// True if a finding is of a rule about a field, which is more specific than a schema.
fn is_of_field(judged: &WeighedFinding) -> bool {
    judged.rule().has_tag(RuleTag::Field) && judged.finding.code != schema_violation::RULE.code
}

/// The loss of the fix of a finding, and whether it flattens the group: as its rule says, but a group loses
/// nothing if it can be detached.
fn fix_loss(cx: &RuleContext<'_>, finding: &Finding, groups: &mut GroupLosses) -> (Loss, bool) {
    let rule = rules::by_code(finding.code);
    let own = rule.map_or(Loss::Lossy, |rule| rule.variant(finding.variant).loss);
    if !finding.remedy.changes_group() || rule.is_some_and(|rule| rule.has_tag(RuleTag::LosesReasoning)) {
        return (own, false);
    }
    let at = cx.history.index_of(&finding.row);
    let Some(group) = cx.history.group_of(at) else { return (Loss::Lossless, false) };
    let refers = finding.remedy == REFER;
    *groups.entry((group.start, refers)).or_insert_with(|| {
        let items = cx.history.rows[group.all()].iter().filter(|row| row.is_model_made());
        let by_reference = refers && cx.needs_references(items.clone());
        if by_reference || cx.can_detach(items) { (Loss::Lossless, false) } else { (Loss::Lossy, true) }
    })
}

/// Losses of fixes on groups, by first row and by whether the group becomes references: a group may be as long as
/// its history, and each of its items may have a finding.
type GroupLosses = HashMap<(u32, bool), (Loss, bool)>;

/// The findings among `items` that are on rows of a history, without those on items that a compaction or a
/// rollback removed. Both are in the order of the doc. A doc may have many histories, so they are looked up by row; of one
/// that has a single history, they are usually all.
pub fn findings_on_rows<'f>(history: &History, items: &'f [Finding]) -> Cow<'f, [Finding]> {
    if items.is_empty() {
        return Cow::Borrowed(items);
    }
    let mut starts: Vec<u64> = history.rows.iter().chain(&history.continuations).map(|row| row.at.start).collect();
    if !starts.is_sorted() {
        starts.sort_unstable();
    }
    starts.dedup();
    let start_of = |finding: &Finding| {
        work_counter::count();
        finding.row.at.start
    };
    let mut rest = items;
    let runs = starts.into_iter().map_while(|start| {
        let (_, from) = rest.split_at(rest.partition_point(|finding| start_of(finding) < start));
        let (run, after) = from.split_at(from.partition_point(|finding| start_of(finding) == start));
        rest = after;
        (!from.is_empty()).then_some(run)
    });
    let runs: Vec<&[Finding]> = runs.filter(|run| !run.is_empty()).collect();
    match runs.iter().map(|run| run.len()).sum::<usize>() == items.len() {
        true => Cow::Borrowed(items),
        false => Cow::Owned(runs.concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Row;
    use crate::place::DocId;

    fn judged(code: u16, variant: u8, at: u64, severity: Severity) -> WeighedFinding {
        let row = Row::of_place(Place::new(DocId(0), at, 10), 0);
        let finding = Finding::new(Code(code), row).variant(variant);
        let target = targets::TARGETS[0];
        WeighedFinding { finding, severity, target, history: Some(0), loss: Loss::Lossless, flattens: false }
    }

    #[test]
    fn a_schema_is_silent_where_a_rule_about_fields_has_an_error() {
        let (error, warning) = (Severity::Error, Severity::Warning);
        let mut all = vec![
            judged(400, 0, 0, error),
            judged(405, 0, 0, error),
            judged(400, 1, 20, error),
            judged(405, 0, 20, warning),
            judged(400, 1, 40, error),
            judged(102, 0, 40, error),
            // Findings of a user's own schema always stay.
            judged(400, 5, 0, error),
        ];
        drop_redundant_schema_findings(&mut all);
        let left: Vec<_> =
            all.iter().map(|j| (j.finding.code.0, j.finding.variant, j.finding.row.at.start)).collect();
        assert_eq!(left, [(405, 0, 0), (400, 1, 20), (405, 0, 20), (400, 1, 40), (102, 0, 40), (400, 5, 0)]);
    }
}
