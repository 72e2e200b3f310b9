//! The search for a repair. Findings fall into components, which are repaired by themselves; of each the repair is looked
//! for that leaves the fewest errors and then loses the least, among all that the acts of its findings allow. What a
//! repair comes to is judged on rows, by the rules that found the fault: nothing is rendered, and nothing is read again.
//!
//! The cheapest repair comes first: candidates wait in a queue ordered by what they lose, and each is extended by the acts
//! of one finding that it leaves. So a component takes a handful of judgements. Where very many findings hang together, as
//! of thousands of calls in one message, an act is tried on all findings of one kind at once.

mod acts;
mod component;
mod links;
mod loss;
mod rows_after;

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::format::Histories;
use crate::dialect::TextChange;
use crate::history::{Act, Code, DETACH, Finding, History, Kind, NONE, Row, Settings, UNNAME, codes};
use crate::judge::{Case, Enabled, Judged, OnHistory};
use crate::place::Place;
use crate::rule::{Check, When};
use crate::rules;
use crate::rules::reasoning::item_without_reasoning;
use crate::target::Severity;

use super::plan::chosen::{Chosen, cause};
use super::plan::feasibility::{EMPTY, EMPTY_CALL, SPREAD_ENTRY};
use super::plan::history_plan::{HistoryPlan, Plan};
use super::plan::memo::Once;
use super::{Action, Cause, FixOptions};
use acts::Limits;
use component::{Component, Map};
use loss::Losses;
use rows_after::RowsAfter;

/// A history of so many rows is judged as a whole; of a longer one the component, and what is around it.
const WHOLE: usize = 64;

/// With more findings than these, an act is tried on all of one kind at once.
const SINGLY: usize = 6;

/// A component takes so many judgements at most.
const MOST: usize = 64;

/// A plan of which something cannot be made is made again without it, so many times.
const ATTEMPTS: usize = 8;

/// What one repair brings up elsewhere in the history is repaired with it, so many times.
const PASSES: usize = 3;

const NO_BETTER: &str = "no fix was found that would reduce the number of errors";

/// Rules about the first or the last message, or about all of them: of a part of a history they say nothing.
const OF_WHOLE: &[Code] = &[
    codes::CHAT_LAST_ROLE,
    codes::CHAT_TEMPLATE_ORDER,
    codes::CHAT_EMPTY_MESSAGES,
    codes::CHAT_MISSING_REASONING,
    codes::CHAT_ASSUMED,
    codes::ANTHROPIC_PREFILL,
    codes::ANTHROPIC_MISSING_THINKING,
    codes::ANTHROPIC_EMPTY_MESSAGES,
    codes::ANTHROPIC_UNDEFINED_TOOLS,
    codes::ANTHROPIC_UNDEFINED_REFERENCE,
    codes::ANTHROPIC_CACHE_CONTROL,
    codes::GEMINI_MODEL_LAST,
    codes::GEMINI_LEADING_CALL,
    codes::GEMINI_UNSIGNED_CALL,
    codes::GEMINI_EMPTY_CONTENTS,
    codes::BEDROCK_ASSISTANT_FIRST,
    codes::BEDROCK_MISSING_TOOL_CONFIG,
    codes::BEDROCK_EMPTY_MESSAGES,
    codes::EMPTY_INPUT,
    codes::COMPACTION_TRIGGER_NOT_LAST,
    codes::ITEMS_BEFORE_COMPACTION,
    codes::CHAIN_WITH_HISTORY,
    codes::CHAIN_AND_CONVERSATION,
    codes::CHAIN_WITHOUT_STORE,
    codes::CHAIN_NOT_SUPPORTED,
    codes::MIXED_LINEAGES,
    codes::CONFLICTING_BLOBS,
    codes::NAMESPACE_MISMATCH,
];

/// Plans the repair of each history as it is judged.
pub struct Search<'o> {
    pub options: &'o FixOptions,
    /// The doc is one document of several lines.
    pub spread: bool,
    /// Whether it is asked what each repair leaves.
    pub predicts: bool,
}

impl OnHistory for Search<'_> {
    type Made = HistoryPlan;

    fn history(&self, case: &Case<'_>) -> Option<HistoryPlan> {
        if case.cx.history.settings.read_only.is_some() {
            return None;
        }
        let ground = Ground {
            case,
            options: self.options,
            spread: self.spread,
            predicts: self.predicts,
            once: Once::default(),
            settings: RefCell::new(None),
            known: OnceCell::new(),
            in_part: OnceCell::new(),
        };
        ground.plan()
    }

    fn renumber(made: &mut HistoryPlan, by: u32) {
        made.number += by;
        for change in &mut made.changes {
            change.history = Some(made.number);
        }
    }

    fn renumber_records(made: &mut HistoryPlan, by: u32) {
        made.fates.iter_mut().for_each(|(row, _)| row.record += by);
        made.changes.iter_mut().for_each(|change| change.row.record += by);
    }
}

/// A finding that is to be repaired.
#[derive(Clone, Copy)]
struct Wanted {
    judged: Judged,
    /// The row that it lies on; [`NONE`] if that is no item.
    at: u32,
    /// The finding itself, or the one whose repair brings it up.
    cause: Cause,
}

impl Wanted {
    fn of(judged: &Judged, at: u32) -> Wanted {
        Wanted { judged: *judged, at, cause: cause(judged) }
    }

    fn chosen(&self, act: Act) -> Chosen {
        Chosen { judged: self.judged, at: self.at, act, cause: self.cause }
    }
}

/// A finding, wherever it is found again.
type Key = (Code, u8, u64);

/// What the search of one history rests on.
struct Ground<'g> {
    case: &'g Case<'g>,
    options: &'g FixOptions,
    spread: bool,
    predicts: bool,
    once: Once,
    /// Lent to the history that is judged.
    settings: RefCell<Option<Settings>>,
    known: OnceCell<HashSet<Key>>,
    /// The rules that judge a part of a history.
    in_part: OnceCell<Enabled>,
}

/// The part of a history that is judged, and what is known of it.
struct Scope {
    stretches: Vec<Range<u32>>,
    /// All of the history.
    is_whole: bool,
    /// What is found of it and is nobody's matter here.
    ignored: HashSet<Key>,
    /// What was found of its items by themselves.
    items: Vec<Finding>,
}

/// A repair of a component.
struct Solved {
    chosen: Vec<Chosen>,
    skipped: Vec<(Judged, &'static str)>,
}

/// How far a candidate is from a repair, and at what price: less is better.
type Price = (u32, u32, Losses, u32);

/// A candidate.
struct Node<'p> {
    chosen: Vec<Chosen>,
    skipped: Vec<(Wanted, &'static str)>,
    /// Errors that it makes, and nothing repairs.
    dead: u32,
    losses: Losses,
    plan: Option<Plan<'p>>,
    /// What it leaves, once it was judged.
    open: Option<Vec<Wanted>>,
}

impl<'g> Ground<'g> {
    fn plan(&'g self) -> Option<HistoryPlan> {
        let case = self.case;
        let (cx, info) = (case.cx, case.info);
        let wanted = self.wanted();
        let by_lines = info.histories == Histories::Session || cx.history.settings.numbered.is_some();
        if self.spread && by_lines {
            let mut plan = self.new_plan();
            wanted.iter().for_each(|wanted| plan.refuse(&wanted.judged, SPREAD_ENTRY));
            return plan.finish(info);
        }
        let mut chosen: Vec<Chosen> = Vec::new();
        let mut skipped: Vec<(Judged, &'static str)> = Vec::new();
        if !wanted.is_empty() {
            self.search(wanted, &mut chosen, &mut skipped);
        }
        self.finish(chosen, skipped)
    }

    /// The findings whose repair is asked for. One that counts several items is one of each.
    fn wanted(&self) -> Vec<Wanted> {
        let cx = self.case.cx;
        let mut all = Vec::new();
        for judged in self.case.judged.iter().filter(|judged| self.options.wants(judged)) {
            let counted = item_without_reasoning::counted(cx, &judged.finding);
            if judged.finding.code == codes::ORPHAN_TOOL_RUN {
                let rest = self.index_of(&judged.finding.row) as usize;
                all.extend(self.outputs_of_run(judged, cx.history.rows.get(rest..).unwrap_or_default()));
                continue;
            }
            match counted.is_empty() {
                true => all.push(Wanted::of(judged, self.index_of(&judged.finding.row))),
                false => {
                    all.extend(counted.into_iter().map(|row| Wanted::of(judged, cx.history.index_of(row))));
                }
            }
        }
        all
    }

    /// The outputs of an orphaned run: what goes. `rows` are those from its reasoning on.
    fn outputs_of_run(&self, judged: &Judged, rows: &[Row]) -> Vec<Wanted> {
        let rest = rows.iter().skip_while(|row| !row.is_client_output());
        let outputs = rest.take_while(|row| row.is_client_output()).map(|row| self.index_of(row));
        outputs.map(|ix| Wanted::of(judged, ix)).collect()
    }

    /// The row of a finding; [`NONE`] if it lies on no item.
    fn index_of(&self, row: &Row) -> u32 {
        let history = self.case.cx.history;
        let ix = history.index_of(row);
        if history.rows.get(ix as usize).is_some_and(|own| own.at == row.at) {
            return ix;
        }
        self.once.continued_at(&history.continued, row.at).map_or(NONE, |n| history.rows.len() as u32 + n)
    }

    /// All that is found of the history as it is.
    fn known(&self) -> &HashSet<Key> {
        self.known.get_or_init(|| {
            let found = self.case.judged.iter().map(|judged| key_of_finding(&judged.finding));
            found.chain(self.wanted().iter().map(|wanted| self.key(wanted))).collect()
        })
    }

    fn key(&self, wanted: &Wanted) -> Key {
        let finding = &wanted.judged.finding;
        let at = if wanted.at == NONE { finding.row.at } else { self.case.cx.row(wanted.at).at };
        key_of(finding.code, finding.variant, at.start)
    }

    fn new_plan(&'g self) -> Plan<'g> {
        Plan::new(self.case.cx, self.options, self.case.info.dialect, self.case.number, &self.once)
    }

    /// Repairs component after component. `chosen` and `skipped` get what comes of it.
    fn search(&'g self, wanted: Vec<Wanted>, chosen: &mut Vec<Chosen>, skipped: &mut Vec<(Judged, &'static str)>) {
        let history = self.case.cx.history;
        let map = Map::new(history, &self.once);
        let is_whole = history.rows.len() <= WHOLE;
        for component in map.components(wanted) {
            if component.stretches.is_empty() || component.stretches.iter().any(|s| s.end as usize > history.rows.len()) {
                chosen.extend(component.wanted.iter().filter_map(|wanted| self.first_act(wanted)));
                continue;
            }
            let scope = match is_whole {
                true => self.whole(&component.wanted),
                false => self.part(&component, &map),
            };
            let base: &[Chosen] = if is_whole { chosen } else { &[] };
            let solved = self.solve(&scope, base, &component.wanted);
            match is_whole {
                true => *chosen = solved.chosen,
                false => chosen.extend(solved.chosen),
            }
            skipped.extend(solved.skipped);
        }
        if is_whole {
            return;
        }
        // What the repairs of parts bring up elsewhere.
        for _ in 0..PASSES {
            let scope = self.whole(&[]);
            let mut node = self.node(&scope, chosen.clone(), Vec::new());
            if chosen.is_empty() {
                return;
            }
            self.judge(&scope, &mut node);
            let left: HashSet<Key> = skipped.iter().map(|(judged, _)| key_of_finding(&judged.finding)).collect();
            let open: Vec<Wanted> = node.open.unwrap_or_default();
            let open: Vec<Wanted> = open.into_iter().filter(|wanted| !left.contains(&self.key(wanted))).collect();
            if open.is_empty() {
                return;
            }
            let solved = self.solve(&scope, chosen, &open);
            *chosen = solved.chosen;
            skipped.extend(solved.skipped);
        }
    }

    /// The act of a finding that no part of the history has a say in.
    fn first_act(&self, wanted: &Wanted) -> Option<Chosen> {
        let act = *wanted.judged.finding.remedy.acts().first()?;
        Some(wanted.chosen(act))
    }

    /// All of the history. What is found of it besides these findings is let be.
    fn whole(&self, wanted: &[Wanted]) -> Scope {
        let own: HashSet<Key> = wanted.iter().map(|wanted| self.key(wanted)).collect();
        let items = self.case.judged.iter().filter(|judged| is_of_item(judged)).map(|judged| judged.finding);
        Scope {
            stretches: std::iter::once(0..self.case.cx.history.rows.len() as u32).collect(),
            is_whole: true,
            ignored: self.known().difference(&own).copied().collect(),
            items: items.collect(),
        }
    }

    /// A component with what is around it.
    fn part(&'g self, component: &Component, map: &Map<'_>) -> Scope {
        let stretches = map.with_neighbours(&component.stretches);
        let rows: Vec<Row> = stretches.iter().cloned().flatten().map(|ix| *self.case.cx.row(ix)).collect();
        let judged = self.case.judged;
        let mut items = Vec::new();
        for stretch in &stretches {
            let (Some(first), Some(last)) = (stretch.clone().next(), stretch.clone().next_back()) else { continue };
            let (from, to) = (self.case.cx.row(first).at.start, self.case.cx.row(last).at.end());
            // Findings are in the order of the doc, as rows are but for trees.
            let start = judged.partition_point(|judged| judged.finding.row.at.start < from.min(to));
            let own = judged.iter().skip(start).take_while(|judged| judged.finding.row.at.start < to.max(from));
            items.extend(own.filter(|judged| is_of_item(judged)).map(|judged| judged.finding));
        }
        let mut scope = Scope { stretches, is_whole: false, ignored: HashSet::new(), items };
        let (found, _) = self.judge_rows(&scope, rows, &scope.items);
        let own: HashSet<Key> = component.wanted.iter().map(|wanted| self.key(wanted)).collect();
        // What cutting it out makes, and what is another component's.
        let keys = found.iter().map(|judged| key_of_finding(&judged.finding));
        scope.ignored = keys.filter(|key| !self.known().contains(key) || !own.contains(key)).collect();
        scope
    }

    /// Judges rows as a history, and gives them back.
    fn judge_rows(&'g self, scope: &Scope, rows: Vec<Row>, items: &[Finding]) -> (Vec<Judged>, Vec<Row>) {
        let cx = self.case.cx;
        let settings = self.settings.take().unwrap_or_else(|| cx.history.settings.clone());
        let mut history = History::new(rows, settings, self.case.info.dialect.info().pairing);
        let ends = scope.stretches.last().is_some_and(|last| last.end as usize == cx.history.rows.len());
        if !ends {
            history.shapes.tail = history.rows.len() as u32;
        }
        let enabled = match scope.is_whole {
            true => None,
            false => Some(self.in_part.get_or_init(|| {
                let own = &self.case.options.enabled;
                let proven = own.proven().to_vec();
                Enabled::new(|rule| own.has(rule.code) && !OF_WHOLE.contains(&rule.code)).proving(proven)
            })),
        };
        let judged = self.case.judge_rows(&history, items, enabled);
        self.settings.replace(Some(history.settings));
        (judged, history.rows)
    }

    /// The best repair of some findings, on top of what was chosen before.
    fn solve(&'g self, scope: &Scope, base: &[Chosen], wanted: &[Wanted]) -> Solved {
        let had = weight(wanted.iter());
        let limits = Limits::of(self.options);
        let best = self.best(scope, base, wanted, limits);
        let has = best.weight();
        if has < had && best.skipped.is_empty() {
            return Solved { chosen: best.chosen, skipped: Vec::new() };
        }
        let out = self.way_out(scope, base, wanted, has.min(had));
        if has < had {
            let skipped = best.skipped.iter().map(|(wanted, why)| (wanted.judged, out.unwrap_or(why)));
            return Solved { skipped: skipped.collect(), chosen: best.chosen };
        }
        let why = |wanted: &Wanted| {
            let skipped = best.skipped.iter().find(|(other, _)| self.key(other) == self.key(wanted));
            out.or(skipped.map(|(_, why)| *why)).unwrap_or(NO_BETTER)
        };
        let skipped = wanted.iter().map(|wanted| (wanted.judged, why(wanted))).collect();
        Solved { chosen: base.to_vec(), skipped }
    }

    /// The flag with which a better repair would be found.
    fn way_out(
        &'g self,
        scope: &Scope,
        base: &[Chosen],
        wanted: &[Wanted],
        than: (u32, u32),
    ) -> Option<&'static str> {
        let limits = Limits::of(self.options);
        let cx = self.case.cx;
        if wanted.iter().all(|wanted| limits.acts(cx, wanted).len() == Limits::NONE.acts(cx, wanted).len()) {
            return None;
        }
        let best = self.best(scope, base, wanted, Limits::NONE);
        let is_limited = |chosen: &&Chosen| {
            let wanted = Wanted { judged: chosen.judged, at: chosen.at, cause: chosen.cause };
            !limits.acts(cx, &wanted).contains(&chosen.act)
        };
        let flag = best.chosen.iter().skip(base.len()).find(is_limited).and_then(|chosen| acts::flag(chosen.act));
        flag.filter(|_| best.weight() < than)
    }

    /// The cheapest candidate that leaves nothing, or as little as can be.
    fn best(&'g self, scope: &Scope, base: &[Chosen], wanted: &[Wanted], limits: Limits) -> Node<'g> {
        let mut queue = Queue::default();
        let mut seen: HashSet<u64> = HashSet::new();
        queue.push(Node { open: Some(wanted.to_vec()), ..self.node(scope, base.to_vec(), Vec::new()) });
        let (mut nearest, mut judged): (Option<Node<'g>>, usize) = (None, 0);
        while let Some(mut node) = queue.pop() {
            if node.open.is_none() {
                judged += 1;
                self.judge(scope, &mut node);
                if node.dead > 0 {
                    queue.push(node);
                    continue;
                }
            }
            let open = node.open.as_deref().unwrap_or_default();
            if open.is_empty() {
                return node;
            }
            if judged < MOST {
                for child in self.extended(scope, &node, open, limits) {
                    if seen.insert(child.print()) {
                        queue.push(child);
                    }
                }
            }
            if nearest.as_ref().is_none_or(|nearest| node.left() < nearest.left()) {
                nearest = Some(node);
            }
            if judged >= MOST {
                break;
            }
        }
        let mut node = nearest.unwrap_or_else(|| self.node(scope, base.to_vec(), Vec::new()));
        let open = node.open.take().unwrap_or_default();
        node.skipped.extend(open.into_iter().map(|wanted| (wanted, NO_BETTER)));
        node
    }

    /// A candidate of acts that can be made.
    fn node(&'g self, scope: &Scope, chosen: Vec<Chosen>, skipped: Vec<(Wanted, &'static str)>) -> Node<'g> {
        let plan = self.made(scope, &chosen);
        Node { losses: Losses::of(&plan), chosen, skipped, dead: 0, plan: Some(plan), open: None }
    }

    fn made(&'g self, scope: &Scope, chosen: &[Chosen]) -> Plan<'g> {
        let mut plan = self.new_plan();
        plan.in_part = !scope.is_whole;
        plan.make(chosen);
        plan
    }

    /// Finds out what a candidate leaves.
    fn judge(&'g self, scope: &Scope, node: &mut Node<'g>) {
        let Some(plan) = node.plan.take() else { return };
        let after = RowsAfter::of(&plan, &scope.stretches);
        let mut open = Vec::new();
        for broken in links::broken(&plan, &scope.stretches, &after) {
            open.extend(self.link(&plan, broken, &node.chosen));
        }
        if std::env::var_os("SEARCH_DEBUG").is_some() {
            eprintln!("judge {:?} -> {:?}", node.chosen.iter().map(|c| (c.judged.finding.code, c.at, c.act)).collect::<Vec<_>>(), after.iter().map(|r| (r.kind, r.at.start)).collect::<Vec<_>>());
        }
        let items = self.items_after(scope, &plan, &after);
        let (found, after) = self.judge_rows(scope, after, &items);
        let all = found.iter().flat_map(|judged| {
            let at = self.index_of(&judged.finding.row);
            let is_run = judged.finding.code == codes::ORPHAN_TOOL_RUN;
            let run = is_run.then(|| after.iter().position(|row| row.at == judged.finding.row.at)).flatten();
            match run.and_then(|n| after.get(n..)) {
                Some(rows) => self.outputs_of_run(judged, rows),
                None => vec![Wanted::of(judged, at)],
            }
        });
        let done = done(&node.chosen);
        let skipped: HashSet<Key> = node.skipped.iter().map(|(other, _)| self.key(other)).collect();
        let by_row: BTreeMap<u32, Cause> = node.chosen.iter().map(|chosen| (chosen.at, chosen.cause)).collect();
        for mut wanted in all {
            let judged = wanted.judged;
            if scope.ignored.contains(&self.key(&wanted)) || done.contains(&(wanted.at, judged.finding.code)) {
                continue;
            }
            let is_skipped = skipped.contains(&self.key(&wanted));
            let is_made_up = wanted.at == NONE && wanted.judged.finding.row.at.start >= rows_after::NOWHERE;
            if is_skipped {
            } else if !is_made_up && (self.options.wants(&judged) || is_made_worse(&judged)) {
                // What was there before has its own reason; anything else has that of what was done last near it.
                if !self.known().contains(&self.key(&wanted)) {
                    let before = by_row.range(..=wanted.at).next_back();
                    let near = before.or_else(|| by_row.range(wanted.at..).next());
                    wanted.cause = near.map_or(wanted.cause, |(_, cause)| *cause);
                }
                open.push(wanted);
            } else if judged.severity == Severity::Error {
                node.dead += 1;
            }
        }
        if std::env::var_os("SEARCH_DEBUG").is_some() {
            eprintln!("   dead {} open {:?}", node.dead, open.iter().map(|w| (w.judged.finding.code, w.judged.finding.variant, w.at)).collect::<Vec<_>>());
        }
        node.open = Some(open);
    }

    /// What was found of items by themselves, as far as they stay and are not what was changed.
    fn items_after(&self, scope: &Scope, plan: &Plan<'_>, after: &[Row]) -> Vec<Finding> {
        if scope.items.is_empty() {
            return Vec::new();
        }
        let stays: HashMap<u64, Kind> = after.iter().map(|row| (row.at.start, row.kind)).collect();
        let is_changed = |finding: &Finding, fits: fn(&TextChange) -> bool| {
            let fate = plan.fates.get(&self.index_of(&finding.row));
            fate.is_some_and(|fate| fate.text.iter().any(fits))
        };
        let is_rename = |text: &TextChange| matches!(text, TextChange::Rename(_));
        let is_of_id = |text: &TextChange| matches!(text, TextChange::StripId | TextChange::Refer);
        let is_left = |finding: &&Finding| {
            let as_it_was = stays.get(&finding.row.at.start).is_some_and(|kind| *kind == finding.row.kind);
            let is_of_key = finding.remedy.acts().iter().any(|act| matches!(act, Act::Rekey | Act::Rename));
            let is_mended = is_of_key && is_changed(finding, is_rename)
                || finding.remedy.is_of_group() && is_changed(finding, is_of_id);
            as_it_was && !is_mended
        };
        scope.items.iter().filter(is_left).copied().collect()
    }

    /// A link that a candidate breaks, as a finding on its group.
    fn link(&self, plan: &Plan<'_>, at: u32, chosen: &[Chosen]) -> Option<Wanted> {
        let history = self.case.cx.history;
        let group = history.group_of(at)?;
        // What went from the group, or after it.
        let (_, change) = plan.changes().filter(|(ix, _)| *ix >= group.start).min_by_key(|(ix, _)| *ix)?;
        let chosen = chosen.iter().find(|chosen| chosen.cause == change.cause).or(chosen.last())?;
        let mut judged = chosen.judged;
        judged.finding.remedy = DETACH;
        Some(Wanted { judged, at, cause: change.cause })
    }

    /// The candidates that go on from one: each with an act of the first finding that it leaves, or without a repair of
    /// that; and each with an act of another one that loses nothing, which may make the first one's needless.
    fn extended(&'g self, scope: &Scope, node: &Node<'g>, open: &[Wanted], limits: Limits) -> Vec<Node<'g>> {
        let batches: Vec<Vec<Wanted>> = match open.len() <= SINGLY {
            true => open.iter().map(|wanted| vec![*wanted]).collect(),
            false => by_kind(open),
        };
        let mut children = Vec::new();
        for (n, batch) in batches.iter().enumerate() {
            let Some(one) = batch.first() else { continue };
            let mut reason = None;
            for act in limits.acts(self.case.cx, one) {
                if n > 0 && !acts::loses_nothing(act, one) {
                    continue;
                }
                // Of two items with one id either can lose it.
                let partner = one.judged.finding.partner.filter(|_| one.judged.finding.remedy == UNNAME);
                let partner = partner.map(|at| self.index_of(&Row::of_place(at, 0))).filter(|ix| *ix != NONE);
                if let (Some(at), [one]) = (partner, batch.as_slice())
                    && let Ok(child) = self.child(scope, node, &[Wanted { at, ..*one }], act)
                    && n == 0
                {
                    children.push(child);
                }
                match self.child(scope, node, batch, act) {
                    Ok(child) if n == 0 || child.losses <= node.losses => children.push(child),
                    Ok(_) => {}
                    Err(why) => reason = why.or(reason),
                }
            }
            if n == 0 {
                let why = reason.or_else(|| acts::refusal(self.case.cx, one, limits)).unwrap_or(NO_BETTER);
                let mut skipped = node.skipped.clone();
                skipped.extend(batch.iter().map(|wanted| (*wanted, why)));
                let mut child = self.node(scope, node.chosen.clone(), skipped);
                child.dead = 0;
                children.push(child);
            }
        }
        children
    }

    /// A candidate with one act more, on all findings of a batch where it can be made. `Err` says why it cannot, if it is
    /// known.
    fn child(
        &'g self,
        scope: &Scope,
        node: &Node<'g>,
        batch: &[Wanted],
        act: Act,
    ) -> Result<Node<'g>, Option<&'static str>> {
        let more = batch.iter().map(|wanted| wanted.chosen(act));
        let told: HashSet<u64> = node.chosen.iter().map(Chosen::print).collect();
        let more: Vec<Chosen> = more.filter(|more| !told.contains(&more.print())).collect();
        if more.is_empty() {
            return Err(None);
        }
        let mut skipped = node.skipped.clone();
        let mut chosen: Vec<Chosen> = node.chosen.iter().chain(&more).copied().collect();
        for _ in 0..2 {
            let plan = self.made(scope, &chosen);
            let refused = plan.refused(self.case.info, self.spread);
            let Some((_, _, last)) = refused.last().copied() else {
                let losses = Losses::of(&plan);
                return Ok(Node { losses, chosen, skipped, dead: 0, plan: Some(plan), open: None });
            };
            if batch.len() == 1 {
                return Err(Some(last));
            }
            // Of many some may be possible.
            let why: HashMap<(Code, Place), &'static str> =
                refused.into_iter().map(|(code, at, why)| ((code, at), why)).collect();
            let own = chosen.split_off(node.chosen.len());
            for one in own {
                match why.get(&(one.judged.finding.code, one.judged.finding.row.at)) {
                    Some(why) => skipped.push((Wanted { judged: one.judged, at: one.at, cause: one.cause }, why)),
                    None => chosen.push(one),
                }
            }
            if chosen.len() == node.chosen.len() {
                return Err(Some(last));
            }
        }
        Err(None)
    }

    /// The plan of all that was chosen. What cannot be made after all is left out.
    fn finish(&'g self, mut chosen: Vec<Chosen>, skipped: Vec<(Judged, &'static str)>) -> Option<HistoryPlan> {
        let info = self.case.info;
        let mut refused = skipped;
        let mut flag = None;
        for _ in 0..ATTEMPTS {
            let mut plan = self.new_plan();
            plan.by_flag = flag.is_none();
            refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
            plan.make(&chosen);
            plan.left.extend(flag.and_then(|why| plan.first_left(why)));
            let impossible = plan.impossible(info, self.spread);
            if impossible.is_empty() {
                let predicted = self.predicts.then(|| self.predicted(&plan));
                return plan.finish(info).map(|made| HistoryPlan { predicted, ..made });
            }
            let by_flag = impossible.iter().find(|(cause, _)| matches!(cause, Cause::Flag(_)));
            flag = flag.or(by_flag.map(|(_, why)| *why));
            let why: HashMap<Cause, &'static str> = impossible.into_iter().collect();
            chosen.retain(|chosen| {
                let Some(why) = why.get(&chosen.cause) else { return true };
                let why = if *why == EMPTY && chosen.drops_call(self.case.cx) { EMPTY_CALL } else { why };
                refused.push((chosen.judged, why));
                false
            });
        }
        // What is left hangs together with what cannot be made.
        let mut plan = self.new_plan();
        refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
        let why = "it depends on a fix that cannot be made";
        chosen.iter().for_each(|chosen| plan.refuse(&chosen.judged, why));
        plan.finish(info)
    }
}

impl<'g> Ground<'g> {
    /// What is left of the history after a plan.
    fn predicted(&'g self, plan: &Plan<'_>) -> Vec<Judged> {
        let scope = self.whole(&[]);
        let after = RowsAfter::of(plan, &scope.stretches);
        let items = self.items_after(&scope, plan, &after);
        let mended: HashSet<(Code, Place)> = plan
            .changes()
            .filter_map(|(ix, change)| match change.cause {
                Cause::Rule(code, _, at) if ix == NONE || self.case.cx.row(ix).at == at => {
                    matches!(change.action, Action::Rewrite | Action::Strip).then_some((code, at))
                }
                _ => None,
            })
            .collect();
        let is_mended = |judged: &Judged| mended.contains(&(judged.finding.code, judged.finding.row.at));
        let (found, _) = self.judge_rows(&scope, after, &items);
        found.into_iter().filter(|judged| !is_mended(judged)).collect()
    }
}

impl Node<'_> {
    /// Errors and warnings that are left for good.
    fn weight(&self) -> (u32, u32) {
        let (errors, warnings) = weight(self.skipped.iter().map(|(wanted, _)| wanted));
        (errors + self.dead, warnings)
    }

    fn price(&self) -> Price {
        let (errors, warnings) = self.weight();
        (errors, warnings, self.losses, self.chosen.len() as u32)
    }

    /// What is left of it, also what may be repaired yet.
    fn left(&self) -> (u32, u32, Losses) {
        let (errors, warnings) = self.weight();
        let open = weight(self.open.iter().flatten());
        (errors + open.0, warnings + open.1, self.losses)
    }

    /// Equal for the same acts in another order.
    fn print(&self) -> u64 {
        let acts = self.chosen.iter().map(Chosen::print);
        let skipped = self.skipped.iter().map(|(wanted, _)| {
            let mut hasher = DefaultHasher::new();
            (wanted.at, wanted.judged.finding.code, wanted.judged.finding.variant).hash(&mut hasher);
            !hasher.finish()
        });
        acts.chain(skipped).fold(0, u64::wrapping_add)
    }
}

/// Candidates, the cheapest first; of those at one price the one that was gone on with furthest.
#[derive(Default)]
struct Queue<'p> {
    order: BinaryHeap<Reverse<(Price, Reverse<usize>, usize)>>,
    nodes: Vec<Option<Node<'p>>>,
}

impl<'p> Queue<'p> {
    fn push(&mut self, node: Node<'p>) {
        let depth = node.chosen.len() + node.skipped.len();
        self.order.push(Reverse((node.price(), Reverse(depth), self.nodes.len())));
        self.nodes.push(Some(node));
    }

    fn pop(&mut self) -> Option<Node<'p>> {
        let Reverse((_, _, number)) = self.order.pop()?;
        self.nodes.get_mut(number)?.take()
    }
}

/// How many errors and warnings these are.
fn weight<'w>(wanted: impl Iterator<Item = &'w Wanted>) -> (u32, u32) {
    wanted.fold((0, 0), |(errors, warnings), wanted| match wanted.judged.severity {
        Severity::Error => (errors + 1, warnings),
        _ => (errors, warnings + 1),
    })
}

/// Findings of one kind together, in the order of the first of each.
fn by_kind(open: &[Wanted]) -> Vec<Vec<Wanted>> {
    let mut kinds: Vec<Vec<Wanted>> = Vec::new();
    for wanted in open {
        let same = |kind: &&mut Vec<Wanted>| {
            kind.first().is_some_and(|first| {
                let (a, b) = (&first.judged.finding, &wanted.judged.finding);
                (a.code, a.variant) == (b.code, b.variant) && a.remedy == b.remedy && a.row.kind == b.row.kind
            })
        };
        match kinds.iter_mut().find(same) {
            Some(kind) => kind.push(*wanted),
            None => kinds.push(vec![*wanted]),
        }
    }
    kinds
}

/// Whether an error can be repaired that a repair brings up: it is repaired with that, also where its fix would have to be
/// asked for.
fn is_made_worse(judged: &Judged) -> bool {
    judged.severity == Severity::Error && judged.has_fix() && judged.variant().when != When::Flag
}

/// Findings of acts that were made, and that no row shows.
fn done(chosen: &[Chosen]) -> HashSet<(u32, Code)> {
    let unseen = chosen.iter().filter(|chosen| !acts::shows_in_rows(chosen.act));
    unseen.map(|chosen| (chosen.at, chosen.judged.finding.code)).collect()
}

/// Raised on the item by itself, and not by the history that it is in.
fn is_of_item(judged: &Judged) -> bool {
    rules::by_code(judged.finding.code)
        .is_some_and(|rule| matches!(rule.check, Check::Item(..) | Check::Schema(_) | Check::Raised))
}

fn key_of_finding(finding: &Finding) -> Key {
    key_of(finding.code, finding.variant, finding.row.at.start)
}

/// What a finding that counts several items says of one of them is the same however many there are.
fn key_of(code: Code, variant: u8, start: u64) -> Key {
    let counts = code == codes::ITEM_WITHOUT_REASONING;
    (code, if counts { 0 } else { variant }, start)
}
