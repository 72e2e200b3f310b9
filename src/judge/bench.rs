//! From a history to verdicts: the rules raise findings, target and settings give them their weight.
#![expect(
    clippy::indexing_slicing,
    reason = "the tables of targets and codes are never empty, and groups are ranges of the rows of their history"
)]

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::format::FormatInfo;
use crate::formats::agents::self_repair;
use crate::formats::agents::self_repair::Healed;
use crate::history::{Act, BlockFlags, Code, Facts, Finding, Flags, History, Kind, Known, REFER, Remedy, Row};
use crate::place::Place;
use crate::rule::{About, Age, Check, Cx, Look, Loss, Out, Rule};
use crate::rules;
use crate::rules::items::schema_violation;
use crate::rules::{RULES, fields};
use crate::target::{Levels, Severity, Target, Thinking, Trait, Traits};
use crate::targets::{self, models};

use super::judged::Judged;
use super::{Options, healing, proof};

/// How much a variant of a rule weighs at a target.
pub fn levels(rule: &Rule, variant: u8, target: &Target) -> Levels {
    if !rule.judges(target.dialect) {
        return Levels::OFF;
    }
    target.verdict(rule.code, variant).map_or(rule.variant(variant).levels, |verdict| verdict.levels)
}

/// Everything that decides the weight of a history's findings.
pub struct Bench<'h> {
    pub target: &'static Target,
    pub stored: bool,
    pub thinking: Thinking,
    pub traits: Traits,
    pub history: &'h History,
    age: Option<Age>,
    /// What the agent that stored it puts right by itself.
    heals: Vec<Healed>,
    /// The dialect that both the history and the target speak; empty if they speak different ones.
    spoken: &'static str,
    /// Where the first and the last record of a tree lie that could not be read.
    gaps: Option<(u64, u64)>,
}

/// Whether a format's histories are in the dialect of a target; else they are to be converted first.
pub fn speaks(info: &FormatInfo, target: &Target) -> bool {
    targets::by_name(info.target).is_none_or(|own| own.dialect == target.dialect)
}

/// Who a history is judged by if nobody is asked for: whom its log names, else the server of its model's own maker, else
/// the usual target of its format.
fn own_target(named: Option<&str>, info: &FormatInfo, model: Option<&str>) -> Option<&'static Target> {
    let usual = targets::by_name(named.unwrap_or(info.target))?;
    let is_openai = named.is_none() && ["openai", "chat"].contains(&usual.name);
    model.filter(|_| is_openai).and_then(|model| models::home(model, usual.dialect)).or(Some(usual))
}

impl<'h> Bench<'h> {
    /// Options override what the history says, but for the model and its effort: there they only fill in.
    pub fn new(history: &'h History, info: &FormatInfo, options: &Options) -> Self {
        let settings = &history.settings;
        let model = settings.model.as_deref().or(options.model.as_deref());
        let target = options.target.or_else(|| own_target(settings.target, info, model));
        let target = target.unwrap_or(targets::TARGETS[0]);
        let stored = options.store.or(settings.store).unwrap_or(target.store);
        let thinking = model.map_or(Thinking::Unknown, |model| target.thinking(model));
        let traits = target.traits(model).with(proof::traits(&options.enabled.proven));
        let spoken = if speaks(info, target) { target.dialect } else { "" };
        let version = options.agent_version.or(settings.agent_version);
        let heals = if healing::applies(options) { self_repair::healed(info.name, version) } else { Vec::new() };
        let gaps = settings.gaps.iter().min().copied().zip(settings.gaps.iter().max().copied());
        Bench { target, stored, thinking, traits, history, age: options.age, heals, spoken, gaps }
    }

    /// The same, for another history in its place.
    pub fn of<'o>(&self, history: &'o History) -> Bench<'o> {
        Bench { history, heals: self.heals.clone(), ..*self }
    }

    pub fn cx(&self, look: &'h dyn Look, known: &'h Known) -> Cx<'h> {
        Cx {
            history: self.history,
            caps: self.target.caps,
            stored: self.stored,
            thinking: self.thinking,
            traits: self.traits,
            age: self.age,
            look,
            known,
        }
    }

    /// Runs the rules over the history and gives verdicts, in the order in which they are printed. `items` are the
    /// findings of its items.
    pub fn judge(
        &self,
        cx: &Cx<'_>,
        items: &[Finding],
        options: &Options,
        enabled: &Enabled,
        number: u32,
    ) -> (Vec<Judged>, Vec<u64>) {
        let mut out = Out { findings: items.to_vec(), ..Out::default() };
        for rule in enabled.rules().filter(|rule| rule.judges(self.spoken)) {
            match &rule.check {
                Check::Pair(check) => self.history.pairs.iter().for_each(|pair| check(cx, pair, &mut out)),
                Check::Group(check) => self.history.groups.iter().for_each(|group| check(cx, group, &mut out)),
                Check::History(check) => check(cx, &mut out),
                Check::Item(..) | Check::Schema(_) | Check::Raised => {}
            }
        }
        if fields::judge(self.target.dialect) {
            let weighs =
                |code, variant| enabled.has(code) && (enabled.proves(code) || self.level(code, variant).is_some());
            fields::raise_noted(self.history, &weighs, &mut out);
        }
        let bound = self.last_bound_thinking();
        let mut groups = GroupLosses::new();
        let mut judged: Vec<Judged> = out
            .findings
            .into_iter()
            .filter(|finding| enabled.has(finding.code) && !self.may_be_lost(finding))
            .filter_map(|finding| {
                let judges = rules::by_code(finding.code)?.judges(self.spoken);
                let severity = self.severity(&finding, enabled).filter(|_| judges)?;
                let finding = self.with_index(self.without_illegal_remedy(finding));
                let (mut loss, flattens) = loss(cx, &finding, &mut groups);
                if bound.is_some_and(|at| finding.row.at.start < at) && self.unbinds(&finding) {
                    loss = Loss::Lossy;
                }
                Some(Judged { finding, severity, target: self.target, history: Some(number), loss, flattens })
            })
            .collect();
        one_cause_once(&mut judged);
        healing::heal(&mut judged, Some(number), &self.heals, options);
        judged.sort_by_key(Judged::order);
        (judged, out.unheaded)
    }

    /// The partner that is missing may lie in a record of a tree that could not be read: an output before, or a call after.
    fn may_be_lost(&self, finding: &Finding) -> bool {
        let is_missing = || rules::by_code(finding.code).is_some_and(|rule| rule.is_about(About::MissingPartner));
        let at = finding.row.at.start;
        self.gaps.is_some_and(|(first, last)| match finding.row.answers_call() {
            true => first < at && is_missing(),
            false => last > at && is_missing(),
        })
    }

    fn severity(&self, finding: &Finding, enabled: &Enabled) -> Option<Severity> {
        let weight = levels(rules::by_code(finding.code)?, finding.variant, self.target);
        let level = weight.at(self.stored);
        if self.history.settings.facts.has(Facts::CUT) {
            return level.map(|_| Severity::Info);
        }
        match level {
            // What is more than a note where items are stored, or where none are, is an error where it was refused.
            Some(Severity::Info) if weight.is_note() || !enabled.proves(finding.code) => Some(Severity::Info),
            _ if enabled.proves(finding.code) => Some(Severity::Error),
            level => level,
        }
    }

    fn level(&self, code: Code, variant: u8) -> Option<Severity> {
        levels(rules::by_code(code)?, variant, self.target).at(self.stored)
    }

    /// Where the last thinking stands that is signed together with all in front of it.
    fn last_bound_thinking(&self) -> Option<u64> {
        let is_bound = |row: &&Row| row.kind == Kind::Thinking && row.has(BlockFlags::SIGNED);
        let rows = self.history.rows.iter().rev().filter(|_| self.traits.has(Trait::BoundThinking));
        rows.into_iter().find(is_bound).map(|row| row.at.start)
    }

    /// The repair changes what thinking after it is signed together with.
    fn unbinds(&self, finding: &Finding) -> bool {
        match finding.remedy {
            Remedy::Never(_) => false,
            Remedy::One(Act::Mend(mend)) => !mend.keeps_signatures,
            _ => true,
        }
    }

    /// The provider names some items by their index; the history is what it would count.
    fn with_index(&self, finding: Finding) -> Finding {
        let variant = rules::by_code(finding.code).map(|rule| rule.variant(finding.variant));
        if !variant.and_then(|variant| variant.api).is_some_and(|api| api.contains("{index}")) {
            return finding;
        }
        finding.arg(self.history.index_of(&finding.row))
    }

    fn without_illegal_remedy(&self, finding: Finding) -> Finding {
        let settings = &self.history.settings;
        let missing = rules::by_code(finding.code).is_some_and(|rule| rule.is_about(About::MissingPartner));
        match (finding.remedy, settings.read_only) {
            (Remedy::Never(_), _) => finding,
            (_, Some(why)) => finding.never(why),
            _ if finding.row.has(Flags::SYNTHETIC) => finding.never("it is only the trace of an item"),
            _ if finding.row.has(Flags::DAMAGED) => finding.never("the text of its line has to be repaired first"),
            _ if finding.row.has(Flags::FROZEN) => finding.never("its record contains bytes that are not UTF-8"),
            _ if missing && settings.broken => {
                finding.never("a record of this log could not be read, and the partner may be in it")
            }
            _ => finding,
        }
    }
}

/// A schema says only what no rule about fields says better: it is silent on an item of which such a rule says something
/// that weighs as much.
fn one_cause_once(judged: &mut Vec<Judged>) {
    let is_schema = |judged: &Judged| judged.finding.code == schema_violation::RULE.code;
    if !judged.iter().any(is_schema) {
        return;
    }
    let better = |judged: &&Judged| judged.rule().is_about(About::Field) && !is_schema(judged);
    let mut told: HashMap<Place, Severity> = HashMap::new();
    for judged in judged.iter().filter(better) {
        let finding = &judged.finding;
        let other = finding.partner.filter(|_| judged.rule().is_about(About::FieldOfBoth));
        for at in std::iter::once(finding.row.at).chain(other) {
            let most = told.entry(at).or_insert(judged.severity);
            *most = judged.severity.max(*most);
        }
    }
    judged.retain(|judged| {
        let said = told.get(&judged.finding.row.at).is_some_and(|most| *most >= judged.severity);
        !is_schema(judged) || schema_violation::is_given(&judged.finding) || !said
    });
}

/// What the fix of a finding loses: as its rule says, but a group loses nothing if it can be detached.
fn loss(cx: &Cx<'_>, finding: &Finding, groups: &mut GroupLosses) -> (Loss, bool) {
    let rule = rules::by_code(finding.code);
    let own = rule.map_or(Loss::Lossy, |rule| rule.variant(finding.variant).loss);
    if !finding.remedy.is_of_group() || rule.is_some_and(|rule| rule.is_about(About::LosesReasoning)) {
        return (own, false);
    }
    let at = cx.history.index_of(&finding.row);
    let Some(group) = cx.history.group_of(at) else { return (Loss::Lossless, false) };
    let refers = finding.remedy == REFER;
    *groups.entry((group.start, refers)).or_insert_with(|| {
        let items = cx.history.rows[group.all()].iter().filter(|row| row.is_model_made());
        let by_reference = refers && cx.lives_by_reference(items.clone());
        if by_reference || cx.can_detach(items) { (Loss::Lossless, false) } else { (Loss::Lossy, true) }
    })
}

/// What the fix of a finding loses on a group, by its first row and by whether it becomes references: a group may be as
/// long as its history, and each of its items may have a finding.
type GroupLosses = HashMap<(u32, bool), (Loss, bool)>;

/// The rules of a run.
#[derive(Clone)]
pub struct Enabled {
    chosen: Arc<Chosen>,
    /// Those in whose words the server has rejected the history.
    proven: Vec<Code>,
}

struct Chosen {
    rules: Vec<&'static Rule>,
    codes: Vec<bool>,
}

impl Default for Enabled {
    /// All rules.
    fn default() -> Self {
        static ALL: LazyLock<Enabled> = LazyLock::new(|| Enabled::new(|_| true));
        ALL.clone()
    }
}

impl Enabled {
    /// All rules that `wanted` takes.
    pub fn new(wanted: impl Fn(&Rule) -> bool) -> Self {
        let rules: Vec<&'static Rule> = RULES.iter().copied().filter(|rule| wanted(rule)).collect();
        let mut codes = vec![false; 1000];
        for rule in &rules {
            codes[usize::from(rule.code.0) % 1000] = true;
        }
        Enabled { chosen: Arc::new(Chosen { rules, codes }), proven: Vec::new() }
    }

    /// The same, with rules whose findings the server has confirmed.
    pub fn proving(self, proven: Vec<Code>) -> Self {
        Enabled { proven, ..self }
    }

    pub fn proven(&self) -> &[Code] {
        &self.proven
    }

    pub fn proves(&self, code: Code) -> bool {
        self.proven.contains(&code)
    }

    pub fn has(&self, code: Code) -> bool {
        self.chosen.codes[usize::from(code.0) % 1000]
    }

    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + '_ {
        self.chosen.rules.iter().copied()
    }
}

/// The findings among `items` that lie on rows of a history: findings of items that a compaction or a rollback took out
/// go with them. Both are in the order of the doc.
pub fn of_live_rows(history: &History, items: &[Finding]) -> Vec<Finding> {
    let mut starts: Vec<u64> = history.rows.iter().chain(&history.continued).map(|row| row.at.start).collect();
    if !starts.is_sorted() {
        starts.sort_unstable();
    }
    items.iter().filter(|finding| starts.binary_search(&finding.row.at.start).is_ok()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Row;
    use crate::place::DocId;

    fn judged(code: u16, variant: u8, at: u64, severity: Severity) -> Judged {
        let row = Row::of_place(Place::new(DocId(0), at, 10), 0);
        let finding = Finding::new(Code(code), row).variant(variant);
        let target = targets::TARGETS[0];
        Judged { finding, severity, target, history: Some(0), loss: Loss::Lossless, flattens: false }
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
            // A schema of the user's own is never silent.
            judged(400, 5, 0, error),
        ];
        one_cause_once(&mut all);
        let left: Vec<_> =
            all.iter().map(|j| (j.finding.code.0, j.finding.variant, j.finding.row.at.start)).collect();
        assert_eq!(left, [(405, 0, 0), (400, 1, 20), (405, 0, 20), (400, 1, 40), (102, 0, 40), (400, 5, 0)]);
    }
}
